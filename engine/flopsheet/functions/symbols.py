"""Symbols and numbers as sympy holds them, and back; `Expr` is what signatures call its expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy
from sympy import Float, Rational, Symbol

from flopsheet.session import cached

if TYPE_CHECKING:
    from flopsheet.units import Number

Expr: TypeAlias = Any  # a sympy expression: sympy is untyped

pi: Expr = sympy.pi


@cached(maxsize=65536)
def symbol(name: str) -> Expr:
    """Return the sympy symbol of the cell with this name: real, and never declared an integer.

    sympy finds no root at all of an equation whose integer symbol would have to be a fraction.
    """
    return Symbol(name, real=True)


def as_sympy(value: Number) -> Expr:
    """Return a number as a sympy number: the inverse of `exact`."""
    return Float(value) if isinstance(value, float) else Rational(value)


def exact(number: Expr) -> Number:
    """Return a sympy number as int, Fraction or float."""
    if number.is_Rational:
        ratio = Fraction(int(number.p), int(number.q))
        return ratio.numerator if ratio.denominator == 1 else ratio
    return float(number)


def ratio(above: int, below: int) -> Expr:
    """Return the exact ratio of two integers: `ratio(1, 3)`, where Python's 1/3 is a float."""
    return Rational(above, below)


@cached(maxsize=65536)
def has_no_value(expression: Expr) -> bool:
    """Whether an expression holds a division by zero, infinity, or a number that is not real."""
    if expression.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I):
        return True
    return any(node.is_number and node.is_real is False for node in sympy.preorder_traversal(expression))
