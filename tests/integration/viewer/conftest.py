"""Fixtures of the viewer."""

from viewer_server import catalog, quick_engines, workshop

__all__ = ["catalog", "quick_engines", "workshop"]
