"""How good a policy or controller is: episodes from equal starts, comparisons, statistics, tuning."""
