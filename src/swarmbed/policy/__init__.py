"""Trained policies: running, saving, and finding one by name."""
