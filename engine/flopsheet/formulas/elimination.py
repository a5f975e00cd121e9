"""Equations of which each gives an unknown from those behind it, as far as they are linear in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.trees import depends, too_large
from flopsheet.functions.symbols import as_sympy, exact, symbol, symbols_in
from flopsheet.numbers.spans import is_exact
from flopsheet.units import exceeds_floats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.links import Links
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr

LARGEST_GAP = 80  # nodes


def exact_symbols(values: Values) -> dict[Expr, Expr]:
    """Return the exact numbers among values, by symbol."""
    numbers = ((symbol(name), value) for name, value in values.items() if not isinstance(value, str))
    return {cell: as_sympy(value) for cell, value in numbers if is_exact(value)}


def gaps_of(equations: Iterable[Relation], links: Links, values: Values, largest: int = LARGEST_GAP) -> list[Expr]:
    """Return what is zero where equations hold, with exact numbers in place of other cells.

    Of those that the cells between make too large there is none; there are none at all where a cell that is zero makes
    a remainder of one undefined.
    """
    sides = [(one.left - one.right, links.needed(one.left, one.right)) for one in equations]
    composed = [links.composed(gap, needed, largest) if needed else gap for gap, needed in sides]
    known = exact_symbols(values)
    try:
        return [gap.xreplace(known) for gap in composed if gap is not None]
    except ZeroDivisionError:
        return []


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


def linear_forms(gaps: list[Expr]) -> dict[Expr, Expr]:
    """Return what gives some unknowns from others by gaps that are linear in them, each after those behind it."""
    forms: dict[Expr, Expr] = {}
    for gap in gaps:
        own = gap.xreplace(forms)
        terms = ((unknown, _linear_form(own, unknown)) for unknown in sorted(symbols_in(own), key=str))
        unknown, form = next((term for term in terms if term[1] is not None), (None, None))
        if unknown is not None and form is not None and not too_large(form, LARGEST_GAP):
            forms = {other: known.xreplace({unknown: form}) for other, known in forms.items()} | {unknown: form}
    return forms


def _linear_form(gap: Expr, unknown: Expr) -> Expr | None:
    """Return what gives an unknown by a gap of zero, where the gap holds it as one term, times what is never zero.

    That is a number, over others: of `width/blocks - 10` the width is `10*blocks`.
    """
    term, *others = [term for term in sympy.Add.make_args(gap) if depends(term, unknown)]
    slope = term / unknown
    number, factors = slope.as_coeff_mul()
    is_never_zero = number.is_Rational and all(own.is_Pow and own.exp.is_negative for own in factors)
    return None if others or depends(slope, unknown) or not is_never_zero else sympy.expand_mul((term - gap) / slope)
