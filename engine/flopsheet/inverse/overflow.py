"""What inversion in floats loses: numbers larger or smaller than floats are, which it gives as infinity or zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import LARGEST, SMALLEST
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, complement, is_in, meet, union
from flopsheet.numbers.spans import NoValueError, Span, is_exact
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from flopsheet.functions import Function
    from flopsheet.units import Number


def beyond_floats(
    entry: Function, terms_at: Callable[[Any], tuple[Any, ...]], target: RealSet, preimage: RealSet
) -> tuple[RealSet, RealSet]:
    """Return a preimage without numbers beyond floats that are not proven to be in it, and these.

    Args:
        entry: the function.
        terms_at: gives its terms where the inverted one has a value, or lies in a span.
        target: where the function lies.
        preimage: where the inverted term lies, as inversion in floats gives it.
    """
    rounded = [part for part in preimage if _is_beyond(part.lower) or _is_beyond(part.upper)]
    if not rounded:
        return preimage, EMPTY
    sizes = tuple(size for size in entry.overflows if any(_may_be_lost(part, size) for part in rounded))
    proven = {size: _is_within(entry, terms_at, target, size) for size in sizes}
    if all(proven.values()):
        return preimage, EMPTY
    inside, undecided = (union(tuple(size for size in sizes if proven[size] is lies)) for lies in (True, None))
    return union(meet(preimage, complement(union(sizes))), inside), undecided


def _may_be_lost(part: Interval, size: Interval) -> bool:
    """Whether rounding may have put an end of a part at a size that floats do not have."""
    beyond = [end for end, closed in part.ends if _is_beyond(end) and (closed or not size.is_point)]
    known = [end for end, _ in part.ends if is_exact(end) and is_finite(end)]
    return any(size.lower <= end <= size.upper for end in beyond) and not any(end in size for end in known)


def _is_beyond(end: Number) -> bool:
    return isinstance(end, float) and not SMALLEST <= abs(end) <= LARGEST


def _is_within(
    entry: Function, terms_at: Callable[[Any], tuple[Any, ...]], target: RealSet, size: Interval
) -> bool | None:
    """Return whether a function lies in a target while a term has a size; None where bounds do not tell."""
    try:
        if size.is_point:
            return is_in(entry.exact(*terms_at(size.lower)), target)
        bounds = entry.bounds(*terms_at(Span(size.lower, size.upper)))
    except (NoValueError, ZeroDivisionError):
        return False
    except (ArithmeticError, ValueError):
        return False if size.is_point else None
    # Over an open interval, a strictly monotone function does not reach the ends of its bounds.
    constant = bounds.low == bounds.high
    values = (Interval(bounds.low, bounds.high, lower_closed=constant, upper_closed=constant),)
    return False if not meet(values, target) else None if meet(values, complement(target)) else True
