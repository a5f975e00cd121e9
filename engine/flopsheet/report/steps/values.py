"""Values of the formulas on a page: pages of the same question evaluate the same ones at the same values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.inverse.method import Method
from flopsheet.session import cached

if TYPE_CHECKING:
    from flopsheet.answer.execute import Step
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.units import Number

MOST_CACHED = 16_384


def value_of(expression: Expr, values: Values) -> Number | None:
    """Return the value of an expression [base units]; None where it has none, or a cell or choice in it has none."""
    if expression.is_Symbol:
        own = values.get(expression.name)
        return None if isinstance(own, str) else own
    names = names_in(expression)
    try:
        known = tuple([values[name] for name in names])
    except KeyError:
        return None
    return _value(expression, names, known, tuple(map(type, known)))


def meaning_of(step: Step) -> str:
    """Return what the cell of a step means; of one that its own formula does not give, without a text on that."""
    return step.cell.doc if step.how is Method.DIRECT else step.cell.stated_doc


@cached(maxsize=MOST_CACHED)
def names_in(expression: Expr) -> tuple[str, ...]:
    """Return the names of the symbols of an expression, sorted: cells, choices and literal quantities."""
    return tuple(sorted([symbol.name for symbol in expression.free_symbols]))


@cached(maxsize=MOST_CACHED)
def _value(
    expression: Expr,
    names: tuple[str, ...],
    known: tuple[Number | str, ...],
    types: tuple[type, ...],  # noqa: ARG001  # 1 and 1.0 are equal, but the one stays exact
) -> Number | None:
    return value_or_none(expression, dict(zip(names, known, strict=True)), rounded=True)
