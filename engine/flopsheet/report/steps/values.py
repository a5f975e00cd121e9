"""Values of the formulas on a page, of which few digits are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import float_or_none, value_or_none
from flopsheet.formulas.trees import has_function, symbol_names
from flopsheet.functions import Trait, nodes
from flopsheet.functions.rounding import ceil, floor
from flopsheet.inverse.method import Method
from flopsheet.session import cached
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from flopsheet.answer.execute import Step
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.units import Number

MOST_CACHED = 16_384


def value_of(expression: Expr, values: Values) -> Number | None:
    """Return the value of an expression [base units] in floats, unless the last digit of a term may decide it.

    None where it has none, or a cell or choice in it has none.
    """
    if expression.is_Symbol:
        own = values.get(expression.name)
        return None if isinstance(own, str) else own
    if not values.keys() >= symbol_names(expression):
        return None
    return value_or_none(expression, values, rounded=True) if _jumps(expression) else float_or_none(expression, values)


def meaning_of(step: Step) -> str:
    """Return what the cell of a step means; of one that its own formula does not give, without a text on that."""
    return step.cell.doc if step.how is Method.DIRECT else step.cell.stated_doc


def at_whole(form: Expr, si: Number, used: Number) -> Expr:
    """Return the formula of the whole number that an answer uses: that of its end, rounded into the range."""
    if used == si or not is_finite(si) or size(used - si) > 1:  # a value that was asked for is no end
        return form
    if used == si + 1:
        return floor(form) + 1
    if used == si - 1:
        return ceil(form) - 1
    return ceil(form) if used > si else floor(form)


@cached(maxsize=MOST_CACHED)
def _jumps(expression: Expr) -> bool:
    return has_function(expression, nodes(Trait.JUMPS))
