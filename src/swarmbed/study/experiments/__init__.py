"""The experiments of the paper: one small file each, with its exact settings."""
