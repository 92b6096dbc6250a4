"""The files of the page, as they lie in the package."""

from importlib import resources


def page_files() -> dict[str, bytes]:
    """The files of the page, by name."""
    folder = resources.files("swarmbed.draw") / "web"
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}
