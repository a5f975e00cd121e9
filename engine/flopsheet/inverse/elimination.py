"""Systems in which exact elimination of linear unknowns leaves one equation for one unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import evaluate, value_or_none
from flopsheet.formulas.trees import put_in, too_large
from flopsheet.functions.symbols import as_sympy, exact, symbol
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.closed_form import LARGEST_FORM, coefficients, rearranged, sign_of
from flopsheet.numbers.spans import is_exact
from flopsheet.search.newton import Newton
from flopsheet.search.several_unknowns import Tuples
from flopsheet.search.tiling import reached
from flopsheet.units import Number, exceeds_floats, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval
    from flopsheet.search.joint import Joint
    from flopsheet.search.several_unknowns import Point

LARGEST_GAP = 80


def eliminated(joint: Joint, domains: Mapping[str, Interval], values: Values) -> Tuples | None:
    """Return all points at which relations hold, where elimination leaves one unknown; None where it does not."""
    equations = [relation for relation in joint.relations if relation.is_equation]
    numbers = {name: value for name, value in values.items() if not isinstance(value, str) and is_exact(value)}
    known = {symbol(name): as_sympy(value) for name, value in numbers.items()}
    gaps = [(relation.left - relation.right).xreplace(known) for relation in equations]
    unknowns = {symbol(name) for name in domains}
    if len(gaps) != len(unknowns) or not unknowns.issuperset(set().union(*(gap.free_symbols for gap in gaps))):
        return None
    found = _triangle(gaps)
    if found is None:
        return None
    forms, gap = found
    (last,) = unknowns - forms.keys()
    values_of_last = Chain(last.name, domains[last.name], {}, {}).roots(gap)
    if values_of_last is None:
        return None
    roots = [_point(joint, domains, {last.name: part.lower}, forms) for part in values_of_last]
    if None in roots:
        return None
    return Tuples(tuple(sorted(root for root in roots if root and _fits(joint, domains, root))))


def _triangle(gaps: list[Expr]) -> tuple[dict[Expr, Expr], Expr] | None:
    """Return what gives all unknowns but one from those behind it, and the gap that remains for the last one."""
    forms: dict[Expr, Expr] = {}
    while len(gaps) > 1:
        linear = [
            (form.count_ops(), place, unknown.name, form)
            for place, gap in enumerate(gaps)
            for unknown in gap.free_symbols
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
    terms = [term for term in sympy.Add.make_args(gap) if term.has(unknown)]
    if len(terms) != 1:
        return None
    slope, rest = terms[0].as_coeff_Mul()
    return (terms[0] - gap) / slope if rest == unknown and slope.is_Rational else None


def unrolled(relations: Mapping[str, Relation], values: Values, positive: frozenset[str]) -> dict[str, Expr] | None:
    """Return what gives each cell of a block from the cells outside it, in the order in which they follow.

    One cell after the other is eliminated; None where an equation is not linear in the cell that is left, has no other
    form that is equivalent, or may leave the cell free. `positive` names the cells that are known to be above
    zero.
    """
    waiting = {name: (relation.left, relation.right) for name, relation in relations.items()}
    forms: dict[str, Expr] = {}
    while waiting:
        cells = [name for name in relations if name not in forms]
        own = [(name, name) for name in cells if name in waiting]
        others = ((name, key) for name in cells for key in waiting if key != name)
        solved = ((name, key, _form(*waiting[key], name, values, positive)) for name, key in (*own, *others))
        name, key, form = next((found for found in solved if found[2] is not None), ("", "", None))
        if form is None:
            return None
        del waiting[key]
        part = {symbol(name): form}
        waiting = {other: (put_in(left, part), put_in(right, part)) for other, (left, right) in waiting.items()}
        forms = {cell: put_in(known, part) for cell, known in forms.items()} | {name: form}
    return forms


def _form(left: Expr, right: Expr, name: str, values: Values, positive: frozenset[str]) -> Expr | None:
    """Return a cell by an equation as an expression that is equivalent to it, or None."""
    gap, unknown = left - right, symbol(name)
    polynomial = None if too_large(gap, LARGEST_FORM) else coefficients(gap, unknown, 1)
    if polynomial is None or len(polynomial) < 2:
        form = rearranged(left, right, unknown, positive)
    else:
        form = _linear_root(gap, unknown, polynomial, values, positive)
    return None if form is None or too_large(form, LARGEST_FORM) else form


def _linear_root(
    gap: Expr, unknown: Expr, polynomial: Sequence[Expr], values: Values, positive: frozenset[str]
) -> Expr | None:
    """Return the only root of a gap that is linear in a cell, or None where there may be none or many.

    Divisors of the gap are multiplied out in its polynomial only: what cancels then would lose digits.
    """
    slope = gap.diff(unknown)
    if not slope.has(unknown) and sign_of(slope, positive):
        return gap.xreplace({unknown: sympy.Integer(0)}) / -slope
    constant, slope = polynomial
    known = slope.free_symbols <= {symbol(cell) for cell in values} and value_or_none(slope, values)
    return -constant / slope if known or sign_of(slope, positive) or sign_of(constant, positive) else None


def _point(
    joint: Joint, domains: Mapping[str, Interval], last: dict[str, Number], forms: Mapping[Expr, Expr]
) -> Point | None:
    """Return the root with a value of the last unknown: exact if that is, else refined by Newton's method."""
    values = {**last}
    for unknown, form in forms.items():
        values[unknown.name] = evaluate(form, values)
    point = tuple(tidy(values[name]) for name in domains)
    if all(map(is_exact, point)):
        return point
    newton = Newton(joint)
    box = reached(joint, [*domains.values()], [float(value) for value in point])
    single = None if box is None else newton.proven(box)
    root = None if single is None else newton.refined(single)
    return None if root is None else tuple(float(value) for value in root)


def _fits(joint: Joint, domains: Mapping[str, Interval], point: Point) -> bool:
    within = all(value in domain for value, domain in zip(point, domains.values(), strict=True))
    return within and joint.holds(point, lambda _left, _right: True)
