"""Inversion: the values of one unknown that meet a condition. Knows cells and formulas, no question."""
