"""Networks: from what an agent sees to numbers. One file each."""
