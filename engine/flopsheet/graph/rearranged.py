"""Relations rearranged for one of their cells, on symbols: what gives it is equivalent for all numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.budget import is_over
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import depends, irrational_parts, put_in, symbol_names, too_large
from flopsheet.functions import entry_of
from flopsheet.functions.spec import bounds_of
from flopsheet.functions.symbols import symbol, symbols_in
from flopsheet.inverse.solution import LARGEST_CORE, LARGEST_FORM, coefficients, root_forms
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.sheets.cell import Cell


class Signs(NamedTuple):
    """The cells whose sign is known, by name."""

    above: frozenset[str] = frozenset()  # those above zero
    not_below: frozenset[str] = frozenset()  # those above or at zero

    def through(self, formulas: Mapping[str, Expr]) -> Signs:
        """Return the signs with those of cells that formulas give, one after the other."""
        above = self.above
        for name, formula in formulas.items():
            above |= {name} if _sign(formula, above) > 0 else frozenset()
        return Signs(above, self.not_below | above)


NO_SIGNS = Signs()
_SPANS = {1: Span(math.ulp(0), math.inf), 0: ANYTHING, -1: Span(-math.inf, -math.ulp(0))}
_TERMS = {sign: sympy.Dummy(real=True, positive=sign > 0 or None, negative=sign < 0 or None) for sign in (1, 0, -1)}


def signs_of(names: Iterable[str], cells: Mapping[str, Cell], values: Values) -> Signs:
    """Return the cells among some whose value, or every value within their bounds, is above or at zero."""
    above, not_below = set[str](), set[str]()
    for name in filter(cells.__contains__, names):
        least, closed = cells[name].bounds.lower, cells[name].bounds.lower_closed
        if (value := values.get(name)) is not None and not isinstance(value, str):
            least, closed = value, True
        if least >= 0:
            not_below.add(name)
            above |= {name} if least > 0 or not closed else set()
    return Signs(frozenset(above), frozenset(not_below))


def unrolled(
    relations: Mapping[str, Relation], values: Values, signs: Signs, spans: Mapping[Expr, Span] | None = None
) -> dict[str, Expr] | None:
    """Return what gives each cell of a block from the cells outside it, in the order in which they follow.

    `spans` holds the bounds of cells, which tell that `1 - x/50` is never zero.

    One cell after the other is eliminated; None where an equation is not linear in the cell that is left, has no other
    form that is equivalent, or may leave the cell free, and where time is over.
    """
    waiting = {name: (relation.left, relation.right) for name, relation in relations.items()}
    named = {key: symbol_names(left) | symbol_names(right) for key, (left, right) in waiting.items()}
    forms: dict[str, Expr] = {}
    known = _Known(values, signs, spans or {})
    while waiting:
        cells = [name for name in relations if name not in forms]
        own = [(name, name) for name in cells if name in waiting]
        others = ((name, key) for name in cells for key in waiting if key != name)
        tried = ((name, key) for name, key in (*own, *others) if name in named[key] and not is_over())
        solved = ((name, key, _form(*waiting[key], name, known)) for name, key in tried)
        name, key, form = next((found for found in solved if found[2] is not None), ("", "", None))
        if form is None:
            return None
        del waiting[key]
        part, inside = {symbol(name): form}, symbol_names(form)
        for other in [key for key in waiting if name in named[key]]:
            left, right = waiting[other]
            waiting[other], named[other] = (put_in(left, part), put_in(right, part)), named[other] | inside
        forms[name] = form
    whole: dict[str, Expr] = {}
    for name, form in reversed(forms.items()):  # what was eliminated last rests on no other cell of the block
        whole[name] = put_in(form, {symbol(cell): whole[cell] for cell in symbol_names(form) & whole.keys()})
    has_values = not any(form.has(sympy.nan, sympy.zoo) for form in whole.values())
    return {name: whole[name] for name in forms} if has_values else None


class _Known(NamedTuple):
    """What is known of cells: some values, signs and bounds."""

    values: Values
    signs: Signs
    spans: Mapping[Expr, Span]

    def is_never_zero(self, expression: Expr) -> bool:
        """Whether the signs of cells, or their bounds, exclude that an expression is zero."""
        return bool(_sign(expression, self.signs.above)) or self._is_apart_from_zero(expression)

    def _is_apart_from_zero(self, expression: Expr) -> bool:
        if not expression.free_symbols <= self.spans.keys():
            return False
        try:
            span = bounds_of(expression, self.spans)
        except (NoValueError, ArithmeticError):
            return False
        return span.total and (span.low > 0 or span.high < 0)


def _form(left: Expr, right: Expr, name: str, known: _Known) -> Expr | None:
    """Return a cell by an equation as an expression that is equivalent to it, or None."""
    even = _even_roots((left, right), known.values)
    left, right = put_in(left, even), put_in(right, even)
    gap, unknown = left - right, symbol(name)
    is_large = too_large(gap, LARGEST_FORM)
    form = None if is_large else _by_slope(gap, unknown, known)
    if form is None:
        polynomial = None if is_large else coefficients(gap, unknown, 1)
        if polynomial is None or len(polynomial) < 2:
            form = rearranged(left, right, unknown, known.signs)
        else:
            form = _linear_root(polynomial, known)
    return None if form is None or too_large(form, LARGEST_FORM) else form


def _by_slope(gap: Expr, unknown: Expr, known: _Known) -> Expr | None:
    """Return the only root of a gap that is linear as it stands, with a slope that has a sign; else None."""
    slope = sympy.Integer(0) if irrational_parts(gap, unknown) else gap.diff(unknown)
    if depends(slope, unknown) or not known.is_never_zero(slope):
        return None
    return gap.xreplace({unknown: sympy.Integer(0)}) / -slope


def _linear_root(polynomial: Sequence[Expr], known: _Known) -> Expr | None:
    """Return the only root of a linear polynomial, or None where there may be none or many.

    Divisors are multiplied out in it, after which what cancels loses digits.
    """
    constant, slope = polynomial
    is_known = symbols_in(slope) <= {symbol(cell) for cell in known.values} and value_or_none(slope, known.values)
    return -constant / slope if is_known or known.is_never_zero(slope) or known.is_never_zero(constant) else None


@cached(maxsize=4096)
def rearranged(left: Expr, right: Expr, unknown: Expr, signs: Signs = NO_SIGNS) -> Expr | None:
    """Return the unknown of `left = right` as an expression that is equivalent to it for all numbers.

    None where a function around the unknown has several inverses or none, where a factor of the unknown may be zero, or
    the relation is not linear in it. Of two roots of an unknown that is never negative the positive one is meant.
    """
    left, right = sympy.sympify(left), sympy.sympify(right)
    if too_large(left, LARGEST_CORE) or too_large(right, LARGEST_CORE):
        return None
    polynomial = coefficients(left - right, unknown, 1)
    if polynomial is not None and len(polynomial) == 2:
        return root_forms(polynomial)[0] if _sign(polynomial[1], signs.above) else None
    if not depends(left, unknown):
        left, right = right, left
    return None if depends(right, unknown) or not depends(left, unknown) else _unique(left, right, unknown, signs)


def _unique(expression: Expr, right: Expr, unknown: Expr, signs: Signs) -> Expr | None:
    """Undo layers that have one inverse each."""
    while expression != unknown:
        inside = [arg for arg in expression.args if depends(arg, unknown)]
        if len(inside) != 1 or not entry_of(expression).unique:
            return None
        place, is_single = expression.args.index(inside[0]), inside[0] == unknown and unknown.name in signs.not_below
        if expression.is_Mul and not all(_sign(arg, signs.above) for arg in expression.args if arg is not inside[0]):
            return None
        is_general = expression.is_Pow and not expression.exp.is_number
        if is_general and (_may_be_negative(expression.base, signs) or (place == 1 and right == 1)):
            return None  # (-6)**2 is 36 as well, and 1**2 is 1
        if expression.is_Pow and place == 0 and not (is_single and _keeps_sign(expression)):
            is_single = False
            if _may_be_negative(right, signs):
                return None  # the root of a negative number, or the square of one, is no equivalent
        forms = entry_of(expression).forms(expression, place, right)
        if not forms or (len(forms) > 1 and not is_single):
            return None
        expression, right = inside[0], forms[0]
    return right


def _may_be_negative(expression: Expr, signs: Signs) -> bool:
    known = expression.is_Symbol and expression.name in signs.not_below
    return not known and _sign(expression, signs.above) <= 0


def _keeps_sign(power: Expr) -> bool:
    """Whether the inverse of a power has no positive value at a negative number, which no such power is."""
    return not (1 / power.exp).is_even


def _even_roots(sides: Iterable[Expr], values: Values) -> dict[Expr, Expr]:
    """Return the exponents among cells that stand for even roots, whose inverse may find what is none, with values."""
    exponents = (power.exp for side in sides for power in side.atoms(sympy.Pow) if power.exp.free_symbols)
    known = ((cell, values.get(cell.name)) for exponent in exponents for cell in exponent.free_symbols)
    numbers = ((cell, value) for cell, value in known if value and not isinstance(value, str))
    ratios = {cell: sympy.Rational(*value.as_integer_ratio()) for cell, value in numbers}
    return {cell: ratio for cell, ratio in ratios.items() if (1 / ratio).is_even}


def _sign(expression: Expr, positive: frozenset[str]) -> int:
    """Return 1 or -1 where an expression over cells has one sign for all numbers and is never zero; 0 for not known."""
    if not expression.args:
        known = expression.is_positive or (expression.is_Symbol and expression.name in positive)
        return int(bool(known)) - int(bool(expression.is_negative))
    if not all(isinstance(arg, sympy.Expr) for arg in expression.args):
        return 0  # choices and comparisons
    signs = [_sign(arg, positive) for arg in expression.args]
    if expression.is_Add:
        return signs[0] if len({*signs}) == 1 else 0
    if expression.is_Mul:
        return math.prod(signs)
    if expression.is_Pow and expression.exp.is_Integer:
        return signs[0] if expression.exp.is_odd else abs(signs[0])
    value = entry_of(expression).bounds(*(_SPANS[sign] for sign in signs))
    # Bounds do not tell that an exponential is never zero.
    above = len(signs) == 1 and value.low == 0 and bool(expression.func(_TERMS[signs[0]]).is_positive)
    return int(value.low > 0 or above) - int(value.high < 0)
