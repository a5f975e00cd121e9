"""The methods of inversion, by which values of an unknown are computed."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Method(StrEnum):
    """How a value was found, in the order of effort; JSON has the names, pages the words."""

    words: str

    def __new__(cls, name: str, words: str) -> Self:
        """Make a member that is its name, with its words."""
        member = str.__new__(cls, name)
        member._value_, member.words = name, words
        return member

    DIRECT = "direct", "computed from its formula"
    CONSTANT = "constant", "independent of the unknown"
    PEEL = "peel", "solved by inverting one operation after another"
    PERIOD = "period", "solved by inverting one operation after another, in every period"
    LINEAR = "linear", "solved as a linear equation"
    QUADRATIC = "quadratic", "solved as a quadratic equation"
    POLYNOMIAL = "polynomial", "solved as a polynomial, all real roots isolated"
    CASES = "cases", "solved case by case"
    DIVISORS = "divisors", "solved by enumerating divisors"
    TRIAL = "trial", "solved by searching the whole numbers of its range"
    SEARCH = "search", "solved by searching its whole range, every value enclosed"
    SIMULTANEOUS = "simultaneous", "solved together with the other unknowns by Newton's method"


class Proof(StrEnum):
    """How sure a set of values is."""

    EXACT = "exact"  # in closed form, or by enumeration of all cases
    PROVEN = "proven"  # each value enclosed, everything else excluded by bounds
    OPEN = "open"  # part of the range is neither proven nor excluded


_EFFORT = {method: place for place, method in enumerate(Method)}


def hardest(methods: list[Method]) -> Method:
    """Return the method of several that takes most effort; with none, operations were inverted one after another."""
    return max(methods, key=_EFFORT.__getitem__, default=Method.PEEL)
