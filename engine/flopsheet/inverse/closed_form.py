"""The closed form of an unknown: layers are undone and roots taken as on numbers, but on symbols."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.trees import too_large
from flopsheet.functions import entry_of
from flopsheet.functions.symbols import exact
from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.polynomials import product, total, trimmed
from flopsheet.numbers.spans import ANYTHING, Span
from flopsheet.session import cached

if TYPE_CHECKING:
    from flopsheet.functions import Expr

HIGHEST_FORM = 2
_SPANS = {1: Span(math.ulp(0), math.inf), 0: ANYTHING, -1: Span(-math.inf, -math.ulp(0))}
_TERMS = {sign: sympy.Dummy(real=True, positive=sign > 0 or None, negative=sign < 0 or None) for sign in (1, 0, -1)}
LARGEST_FORM, LARGEST_CORE, MOST_FORMS = 400, 200, 16


@dataclass(frozen=True)
class Segment:
    """One layer of a chain: an expression, and the one cell in it that depends on the unknown, or is it."""

    expression: Expr
    symbol: Expr


@cached(maxsize=4096)
def closed_forms(segments: tuple[Segment, ...], right: Expr) -> tuple[Expr, ...]:
    """Return what the unknown may be where the outermost segment equals `right`, over the other cells.

    Several where even powers or quadratics have several roots; none where a layer has no inverse, where the unknown
    occurs several times outside a polynomial of degree 2 at most, or where the form is too long to read.
    """
    rights: tuple[Expr, ...] = (right,)
    for segment in segments:
        rights = tuple(form for level in rights for form in boundary_forms(segment.expression, segment.symbol, level))
        if not rights or len(rights) > MOST_FORMS or any(map(_is_unreadable, rights)):
            return ()
    return rights


def _is_unreadable(form: Expr) -> bool:
    """Whether a form is too long to read, or has a number of too many digits: these double in a chain of squares."""
    return too_large(form, LARGEST_FORM) or any(is_long(exact(number)) for number in form.atoms(sympy.Rational))


def boundary_forms(expression: Expr, unknown: Expr, right: Expr) -> tuple[Expr, ...]:
    """Return the solutions of `expression = right` for the unknown as expressions over the other cells."""
    core, rights = unwrapped(expression, unknown, right)
    if core == unknown:
        return rights
    if too_large(core, LARGEST_CORE):
        return ()
    return tuple(form for level in rights for form in root_forms(coefficients(core - level, unknown, HIGHEST_FORM)))


def unwrapped(expression: Expr, unknown: Expr, right: Expr) -> tuple[Expr, tuple[Expr, ...]]:
    """Undo the layers around the innermost part that contains every occurrence of the unknown.

    With that part, return what it must equal: several behind even powers, none behind a layer without inverse.
    """
    rights: tuple[Expr, ...] = (right,)
    while expression != unknown:
        inside = [arg for arg in expression.args if arg.has(unknown)]
        if len(inside) != 1:
            break
        entry, place = entry_of(expression), expression.args.index(inside[0])
        rights = tuple(form for level in rights for form in entry.forms(expression, place, level))
        expression = inside[0]
        if not rights:
            break
    return expression, rights


@cached(maxsize=4096)
def coefficients(difference: Expr, unknown: Expr, highest: int) -> tuple[Expr, ...] | None:
    """Return the coefficients of the numerator of a rational expression, constant first.

    None where it is not a polynomial in the unknown, or is of a higher degree.
    """
    powers = _collected(sympy.fraction(sympy.together(difference))[0], unknown, highest)
    return None if powers is None else tuple(sympy.factor_terms(factor) for factor in trimmed(powers))


def _collected(expression: Expr, unknown: Expr, highest: int) -> tuple[Expr, ...] | None:
    """Collect powers of the unknown; sympy's Poly simplifies its coefficients, for which there is no bound on time."""
    if not expression.has(unknown):
        return (expression,)
    if expression == unknown:
        return sympy.Integer(0), sympy.Integer(1)
    factors = [expression.base] * int(expression.exp) if _is_low_power(expression, highest) else expression.args
    if not (expression.is_Add or expression.is_Mul or _is_low_power(expression, highest)):
        return None
    terms: list[Any] = [_collected(factor, unknown, highest) for factor in factors]
    if any(term is None for term in terms):
        return None
    powers = reduce(total if expression.is_Add else product, terms)
    return powers if len(powers) <= highest + 1 else None


def _is_low_power(expression: Expr, highest: int) -> bool:
    return bool(expression.is_Pow and expression.exp.is_Integer and 0 < expression.exp <= highest)


def root_forms(polynomial: tuple[Expr, ...] | None) -> tuple[Expr, ...]:
    """Return the roots of a polynomial of degree 2 at most, constant coefficient first, on symbols.

    Of degree 2 also the root that remains where the leading coefficient vanishes.
    """
    match polynomial:
        case [constant, slope]:
            return (-constant / slope,)
        case [constant, slope, bend]:
            root = sympy.sqrt(slope**2 - 4 * bend * constant)
            linear = (-constant / slope,) if slope != 0 else ()
            return ((root - slope) / (2 * bend), (-root - slope) / (2 * bend), *linear)
    return ()


@cached(maxsize=4096)
def rearranged(left: Expr, right: Expr, unknown: Expr, positive: frozenset[str] = frozenset()) -> Expr | None:
    """Return the unknown of `left = right` as an expression that is equivalent to it for all numbers.

    None where a function around the unknown has several inverses or none, where a factor of the unknown may be zero, or
    the relation is not linear in it. Of two roots of a positive unknown the positive one is meant. `positive`
    names the cells that are known to be above zero.
    """
    left, right = sympy.sympify(left), sympy.sympify(right)
    if too_large(left, LARGEST_CORE) or too_large(right, LARGEST_CORE):
        return None
    polynomial = coefficients(left - right, unknown, 1)
    if polynomial is not None and len(polynomial) == 2:
        return root_forms(polynomial)[0] if sign_of(polynomial[1], positive) else None
    if not left.has(unknown):
        left, right = right, left
    return None if right.has(unknown) or not left.has(unknown) else _unique(left, right, unknown, positive)


def _unique(expression: Expr, right: Expr, unknown: Expr, positive: frozenset[str]) -> Expr | None:
    """Undo layers that have one inverse each."""
    while expression != unknown:
        inside = [arg for arg in expression.args if arg.has(unknown)]
        if len(inside) != 1 or not entry_of(expression).unique:
            return None
        place, is_positive = expression.args.index(inside[0]), inside[0] == unknown and unknown.name in positive
        if expression.is_Mul and not all(sign_of(arg, positive) for arg in expression.args if arg is not inside[0]):
            return None
        if expression.is_Pow and place == 0 and not (is_positive or sign_of(right, positive) > 0):
            return None  # the root of a negative number, or the square of one, is no equivalent
        forms = entry_of(expression).forms(expression, place, right)
        if not forms or (len(forms) > 1 and not is_positive):
            return None
        expression, right = inside[0], forms[0]
    return right


def sign_of(expression: Expr, positive: frozenset[str]) -> int:
    """Return 1 or -1 where an expression over cells has one sign for all numbers and is never zero; 0 for not known."""
    if not expression.args:
        known = expression.is_positive or (expression.is_Symbol and expression.name in positive)
        return int(bool(known)) - int(bool(expression.is_negative))
    if not all(isinstance(arg, sympy.Expr) for arg in expression.args):
        return 0  # choices and comparisons
    signs = [sign_of(arg, positive) for arg in expression.args]
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
