"""Formulas: parsing, printing, unit check, evaluation and derivatives, on the sympy tree."""
