"""Answers as workbooks with live formulas."""
