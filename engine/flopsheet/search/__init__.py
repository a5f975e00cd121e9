"""Search: where formulas lie in sets of numbers, proven by branch and prune on intervals. Knows no chain."""
