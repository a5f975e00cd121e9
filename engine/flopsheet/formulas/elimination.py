"""Equations of which each gives an unknown from those behind it, as far as they are linear in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.trees import depends, too_large
from flopsheet.functions.symbols import as_sympy, exact, symbol, symbols_in
from flopsheet.numbers.spans import is_exact
from flopsheet.units import exceeds_floats

if TYPE_CHECKING:
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr

LARGEST_GAP = 80  # nodes


def exact_symbols(values: Values) -> dict[Expr, Expr]:
    """Return the exact numbers among values, by symbol."""
    numbers = ((symbol(name), value) for name, value in values.items() if not isinstance(value, str))
    return {cell: as_sympy(value) for cell, value in numbers if is_exact(value)}


def triangle(gaps: list[Expr]) -> tuple[dict[Expr, Expr], Expr] | None:
    """Return what gives all unknowns but one from those behind it, and the gap that remains for the last one."""
    forms: dict[Expr, Expr] = {}
    while len(gaps) > 1:
        linear = [
            (form.count_ops(), place, unknown.name, form)
            for place, gap in enumerate(gaps)
            for unknown in symbols_in(gap)
            if (form := _linear_form(gap, unknown)) is not None
        ]
        if not linear:
            return None
        _, place, name, form = min(linear, key=lambda found: found[:3])
        gaps = [gap.xreplace({symbol(name): form}) for at, gap in enumerate(gaps) if at != place]
        numbers = (exact(number) for gap in gaps for number in gap.atoms(sympy.Rational))
        if any(map(exceeds_floats, numbers)) or any(too_large(gap, LARGEST_GAP) for gap in gaps):
            return None
        forms = {symbol(name): form, **forms}
    return forms, gaps[0]


def _linear_form(gap: Expr, unknown: Expr) -> Expr | None:
    """Return what gives an unknown by a gap of zero, where the gap holds it as one term, times a number."""
    term, *others = [term for term in sympy.Add.make_args(gap) if depends(term, unknown)]
    slope, rest = term.as_coeff_Mul()
    return None if others or rest != unknown or not slope.is_Rational else (term - gap) / slope
