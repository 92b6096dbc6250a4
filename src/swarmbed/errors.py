"""The one exception a user is meant to read."""


class SwarmbedError(ValueError):
    """A wrong setting, a missing file, a policy that does not fit: one sentence, no traceback on the command line."""


def choose(what: str, name: object, allowed: "list[str] | tuple[str, ...]") -> str:
    """Return ``name`` if it is allowed, else say what is."""
    if name not in allowed:
        raise SwarmbedError(f"{what} {name!r} does not exist; choose one of: {', '.join(allowed)}")
    return str(name)
