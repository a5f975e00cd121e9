"""One condition on one unknown: the values that meet it, how they were found, and the closed form of their ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import Values, value_or_none
from flopsheet.inverse.closed_form import Segment, closed_forms
from flopsheet.inverse.method import Method, Proof
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import EMPTY
from flopsheet.units import close

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number


@dataclass(frozen=True)
class Solution:
    """All values of an unknown that meet a condition.

    Args:
        values: the set, in base units.
        how: the method that took most effort.
        segments: the layers that were inverted, from the relation down to the unknown.
        right: what the outermost layer is compared with.
        open: where more values may lie: what a search did not decide, or the periods of an endless domain.
    """

    values: RealSet
    how: Method
    segments: tuple[Segment, ...] = ()
    right: Expr = None
    open: RealSet = EMPTY

    @property
    def proof(self) -> Proof:
        """How sure it is that these are the values, and all of them."""
        if self.open:
            return Proof.OPEN
        return Proof.PROVEN if self.how in (Method.SEARCH, Method.TRIAL) else Proof.EXACT

    @cached_property
    def ends(self) -> frozenset[Number]:
        """The ends of the set; floats within rounding of a whole number are that number."""
        return frozenset(near_whole(end) for interval in self.values for end, _ in interval.ends)

    @cached_property
    def forms(self) -> tuple[Expr, ...]:
        """What the ends of the set may be, as expressions over the other cells."""
        return closed_forms(self.segments, self.right) if self.segments else ()

    def form_at(self, end: Number, values: Values) -> Expr | None:
        """Return the form that gives an end of the set at these values, or None."""
        for form in self.forms:
            value = value_or_none(form, values)
            if value is not None and close(value, end):
                return form
        return None
