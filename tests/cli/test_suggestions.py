"""What is misspelt or out of bounds is called as it was written, with what was probably meant."""

import pytest

from swarmbed import SwarmbedError
from swarmbed.cli.main import main
from swarmbed.spec.errors import choose


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["trian"], "command 'trian' does not exist; did you mean 'train'?"),
        (["train", "rendevous"], "task 'rendevous' does not exist; did you mean 'rendezvous'?"),
        (["train", "--embedding", "nural"], "embedding 'nural' does not exist; did you mean 'neural'?"),
        (["train", "--agents", "-3"], "--agents must be a whole number of at least 1, not -3"),
        (["evaluate", "consensus", "--agents", "-3"], "--agents must be a whole number of at least 1, not -3"),
        (["compare", "consensus", "--agents", "-3"], "--agents: must be a whole number of at least 1, not '-3'"),
        (["evaluate", "consensus", "--episodes", "0"], "--episodes: must be a whole number of at least 1, not '0'"),
        (["train", "--comm-radius", "-1"], "--comm-radius must be a number above 0 or left out, not -1.0"),
        (["evaluate", "pursuit-global-nn"], "did you mean 'pursuit-global-nn-basic'?"),
    ],
)
def test_a_mistake_is_named_with_a_suggestion(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert len(told) < 250


def test_a_long_list_of_names_is_not_told() -> None:
    names = [f"policy-{number}" for number in range(35)]
    with pytest.raises(SwarmbedError) as told:
        choose("policy", "nobody", names)
    assert str(told.value) == "policy 'nobody' does not exist; there are 35"
