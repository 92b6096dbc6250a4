"""Fixtures of the viewer."""

from viewer_server import address, catalog, quick_engines, workshop

__all__ = ["address", "catalog", "quick_engines", "workshop"]
