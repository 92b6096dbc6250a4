"""Text for terminals with few characters: what cannot be shown is written in plain letters, and never fails."""

import codecs
import sys
import unicodedata

HANDLER = "swarmbed-plain"
PLAIN = {
    "…": "...", "−": "-", "–": "-", "—": "-", "×": "x", "·": "*", "→": "->", "←": "<-", "≥": ">=", "≤": "<=",
    "±": "+-", "∈": " in ", "Σ": "sum ", "‖": "||", "√": "sqrt ", "∞": "inf", "“": '"', "”": '"', "‘": "'", "’": "'",
    "✓": "ok", "✗": "no", "•": "*", "½": "1/2", "°": " deg", "≈": "~",
}  # fmt: skip
RAISED = ("SUPERSCRIPT", "MODIFIER LETTER SMALL", "MODIFIER LETTER CAPITAL")


def plain(text: str) -> str:
    """The same in ASCII: ``×`` is x, ``β`` is beta, ``é`` is e, ``x₀`` is x0, ``10⁻³`` is 10^-3."""
    letters, raised = [], False
    for letter in text:
        was_raised, raised = raised, not letter.isascii() and unicodedata.name(letter, "").startswith(RAISED)
        letters.append("^" if raised and not was_raised else "")
        letters.append(letter if letter.isascii() else _plain_letter(letter))
    return "".join(letters)


def _plain_letter(letter: str) -> str:
    if letter in PLAIN:
        return PLAIN[letter]
    name = unicodedata.name(letter, "")
    if name.startswith("GREEK"):
        word = name.split(" WITH ")[0].split()[-1].lower()
        return word.capitalize() if "CAPITAL" in name else word
    if name.startswith("BRAILLE"):  # rich's spinners are made of these
        return "*"
    if name.startswith("BOX DRAWINGS"):
        return "|" if "VERTICAL" in name else "-"
    return unicodedata.normalize("NFKD", letter).replace("−", "-").encode("ascii", "ignore").decode() or "?"


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


def make_output_safe() -> None:
    """From here on stdout and stderr write what their encoding supports, and plain letters for the rest."""
    codecs.register_error(HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # not a file, as in a test
        if reconfigure is not None:
            reconfigure(errors=HANDLER)
