"""Outcomes: from the values that work to a kind of answer, in words."""
