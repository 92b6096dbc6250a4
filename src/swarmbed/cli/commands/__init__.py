"""Sub-commands: one file each, with SUMMARY, EXAMPLE and run(argv)."""
