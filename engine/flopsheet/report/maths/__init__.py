"""Formulas as LaTeX and MathML."""
