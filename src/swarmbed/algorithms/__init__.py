"""Learning algorithms: one file each."""
