"""Makes docstrings Markdown before the reference shows them: examples become code, Sphinx roles become code."""

import re

import griffe

ROLE = re.compile(r":\w+:`~?(?:swarmbed\.)?([\w.]+)`")
EXAMPLE = re.compile(r"^>>> ")


class MarkdownDocstrings(griffe.Extension):
    """An extension of griffe, which reads the sources for mkdocstrings."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """The same docstring with its interactive examples in fences.

    >>> as_markdown("Twice.\\n\\n>>> double(2)\\n4")
    'Twice.\\n\\n```pycon\\n>>> double(2)\\n4\\n```'
    """
    blocks = [fenced(block) if EXAMPLE.match(block) else block for block in text.split("\n\n")]
    return ROLE.sub(r"`\1`", "\n\n".join(blocks))


def fenced(block: str) -> str:
    return "```pycon\n" + re.sub(r" *# doctest: \+\w+", "", block).rstrip() + "\n```"
