"""Faults on purpose: crashes, full disks, damage, kills, wrong input, hostile files and clients, counted.

    python -m faults                     one minute, from the folder tests
    make test-faults HOURS=2             for long; reports a table and faults.json

Each campaign is a file here that yields one outcome per try. A seed is printed; the same seed tries the same things.
"""
