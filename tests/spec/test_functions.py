"""A function named on the command line is found, or one sentence says why not."""

from pathlib import Path

import pytest

from swarmbed import SwarmbedError
from swarmbed.spec.functions import function_named


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nothing", "WHO must be module:function, not 'nothing'"),
        (":act", "WHO must be module:function, not ':act'"),
        ("module:", "WHO must be module:function, not 'module:'"),
        ("..module:act", "WHO must be module:function, not '..module:act'"),
        ("no_such_module:act", "WHO: the module 'no_such_module' cannot be imported: No module named"),
        ("json:no_such_function", "WHO: the module 'json' has no function 'no_such_function'"),
        ("json:__name__", "WHO: the module 'json' has no function '__name__'"),
        ("half_written:act", "WHO: the module 'half_written' cannot be imported: SyntaxError: "),
        ("falls:act", r"WHO: the module 'falls' cannot be imported: ZeroDivisionError: .* \(line 2 of falls.py\)"),
    ],
)
def test_what_is_no_function_is_one_sentence(
    text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_written.py").write_text("def act(\n")
    (tmp_path / "falls.py").write_text("one = 1\none / 0\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SwarmbedError, match=f"^{sentence}"):
        function_named(text, "WHO")


def test_a_function_of_the_present_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named_here.py").write_text("def act():\n    return 7\n")
    monkeypatch.chdir(tmp_path)
    assert function_named("named_here:act", "WHO")() == 7
