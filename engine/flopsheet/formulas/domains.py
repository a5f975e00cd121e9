"""Where parts of a formula have a value. sympy writes `sqrt(x)**2` as `x`: what it leaves out stays as a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import Need, Relation, cells_of
from flopsheet.functions import BY_NAME
from flopsheet.functions.symbols import parts_of, symbols_in
from flopsheet.numbers.sets import is_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from flopsheet.functions import Expr
    from flopsheet.functions.spec import Function

_TRIED = -2, -1, 0, 1  # numbers that a domain has or lacks
_SIGNS = {(1,): ">", (-2, -1, 1): "!="}  # by those that it has


def of_power(base: Expr, exponent: Expr) -> list[Need]:
    """Return what a power needs: a root no negative number, a negative exponent no zero, one that varies a value."""
    if not exponent.is_Rational:
        return [Need(base**exponent, "", sympy.Pow)] if cells_of(exponent) else []
    if not cells_of(base):
        return []
    if exponent.is_Integer:
        return [Need(part, "!=", sympy.Pow) for part in _vanishing(base)] if exponent < 0 else []
    return [Need(base, ">" if exponent < 0 else ">=", sympy.Pow)]


def _vanishing(term: Expr) -> list[Expr]:
    """Return the factors of which one is zero where a term is, without powers: 1/x**4 is kept as one power of x."""
    if term.is_Mul:
        return [part for factor in term.args for part in _vanishing(factor)]
    if term.is_Pow and term.exp.is_Integer:
        return _vanishing(term.base) if term.exp > 0 else []
    return [term] if cells_of(term) else []


def of_call(entry: Function, terms: Sequence[Expr]) -> list[Need]:
    """Return what a function needs of its last term, where it takes positive numbers only, or all but zero."""
    if entry.name == "sqrt":
        return of_power(terms[0], sympy.Rational(1, 2))
    if entry.name == "log2":
        return of_call(BY_NAME["log"], terms)
    if entry.domain is None or not cells_of(terms[-1]):
        return []
    sign = _SIGNS.get(tuple(number for number in _TRIED if is_in(number, entry.domain)))
    return [Need(terms[-1], sign, entry.node)] if sign else []


def of_branches(needs: Sequence[Iterable[Need]], whole: Callable[[Sequence[Expr]], Expr]) -> list[Need]:
    """Return what branches need, as needs of the `whole` that they make: 1 in place of all others meets them."""
    places = range(len(needs))
    return [
        need._replace(term=whole([need.term if at == place else sympy.Integer(1) for at in places]))
        for place in places
        for need in needs[place]
    ]


def lost(needs: Iterable[Need], kept: Expr) -> list[Need]:
    """Return the needs of which nothing is left in an expression, each once; others show where it has no value."""
    distinct = dict.fromkeys(needs)
    left: set[Any] = {part for node in {need.node for need in distinct} for part in parts_of(kept, node)}
    return [need for need in distinct if not any(_keeps(part, need) for part in left)]


def _keeps(part: Any, need: Need) -> bool:  # x**2 is left of sqrt(x)**4, and has a value where the root has none
    if not need.sign:
        return bool(part == need.term)
    if need.sign == "!=" and part == 1 / need.term:  # 1/x**y is kept as x**(-y)
        return True
    if need.term not in part.args or part.func != need.node:
        return False
    own = [sign for term, sign, _ in of_power(*part.args) if term == need.term] if part.is_Pow else [need.sign]
    return bool({*own} & {need.sign, ">"})


def conditions(
    needs: Iterable[Need], positive: Collection[str], not_negative: Collection[str], names: tuple[str, ...]
) -> list[Relation]:
    """Return needs as relations, without those that the signs of cells imply."""
    relations = []
    for term, sign, _ in needs:
        signs = {own: _signed(own.name in positive, own.name in not_negative) for own in symbols_in(term)}
        known = term.xreplace(signs)
        implied = known.is_positive, sign == ">=" and known.is_nonnegative, sign == "!=" and known.is_nonzero
        if any(implied) or (not sign and known.is_real):
            continue
        left, operator = (term, sign) if sign[:1] == ">" else (BY_NAME["abs"].build(term), ">" if sign else ">=")
        relations.append(Relation(left, operator, sympy.Integer(0), f"{in_text(left, names)} {operator} 0"))
    return relations


def _signed(is_positive: bool, is_not_negative: bool) -> Expr:  # both are what sympy calls them
    return sympy.Dummy(real=True, positive=is_positive or None, nonnegative=is_not_negative or None)
