"""How arrays are computed on this machine: devices, and sums in cache-sized chunks."""
