"""Where a product is zero: where one of its factors is, and the others have a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import depends
from flopsheet.numbers.sets import RealSet, point, union

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.inverse.preimage import Preimage

ZERO = point(0)


def zero_of_product(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Return where a product is zero; None where the target is another, or a factor is zero throughout or over a range.

    Raises:
        NoInverseError: no exact method finds the zeros of a factor.
    """
    if not expression.is_Mul or target != ZERO:
        return None
    factors = [factor for factor in expression.args if depends(factor, preimage.unknown)]
    others = (factor for factor in expression.args if factor not in factors)
    if any(value_or_none(factor, preimage.values) == 0 for factor in others):
        return None
    zeros = union(*(preimage.of(factor, target) for factor in factors))
    if not all(part.is_point for part in zeros):
        return None
    return tuple(part for part in zeros if preimage.value_at(expression, part.lower) is not None)
