"""Outcomes: from the values that work to a kind of answer, in words, with what decides in it."""
