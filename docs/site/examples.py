"""The page of example files: each in full, with what it says about itself."""

import ast
from pathlib import Path

ABOUT = """\
# Example files

The files of `examples/`, in full. Each is a plug-in or a script that runs as it stands, and the tests run it.
"""


def text(folder: Path) -> str:
    parts = [ABOUT]
    for path in sorted(folder.glob("*.py")):
        code = path.read_text(encoding="utf-8")
        about = (ast.get_docstring(ast.parse(code)) or "").splitlines()[0]
        parts += [f"## {path.name}", "", about, "", "```python", code.rstrip(), "```", ""]
    return "\n".join(parts)
