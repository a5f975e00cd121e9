"""The preimage of a set under an expression of one unknown: a ladder of exact methods, the simplest first."""

from __future__ import annotations

import math
from functools import cached_property, reduce
from typing import TYPE_CHECKING, TypeAlias

from flopsheet.budget import in_time
from flopsheet.errors import ArithmeticTrapError, TooLargeError
from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.trees import depends, difference, holding, innermost, terms_of
from flopsheet.functions import Trait, entry_of, has_no_value, nodes
from flopsheet.functions.spec import NoInverseError
from flopsheet.functions.symbols import symbols_in
from flopsheet.inverse.casewise import Grants, by_cases, without_neutral
from flopsheet.inverse.comparisons import by_comparison
from flopsheet.inverse.method import Method
from flopsheet.inverse.one_part import by_part, by_root
from flopsheet.inverse.peel import cancels, repeated, rest_of, sign_of_product, undo, zero_of_product
from flopsheet.inverse.probing import Probing
from flopsheet.inverse.step_numbers import by_divisor, by_step_number, leaves_nothing, where_in
from flopsheet.numbers.arithmetic import mirrored
from flopsheet.numbers.ends import has_floats, near
from flopsheet.numbers.members import hulls
from flopsheet.numbers.progressions import Quotient
from flopsheet.numbers.sets import ALL, EMPTY, Interval, RealSet, meet, meet_near, side, union
from flopsheet.numbers.within import is_inside, is_outside
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.functions import Expr
    from flopsheet.numbers.progressions import Progression
    from flopsheet.search.known import Looks
    from flopsheet.units import Number

Way: TypeAlias = "Callable[[Preimage, Expr, RealSet], RealSet | None]"
MOST_SPLIT = 4
PERIODIC, PIECEWISE, GUARDING = map(nodes, (Trait.PERIODIC, Trait.PIECEWISE, Trait.GUARDS))


class Preimage(Probing):
    """Inverts expressions of one unknown; what is looked at and noted is as for `Probing`."""

    def __init__(self, unknown: Expr, domain: Callable[[], Interval], values: Values, *, integer: bool = False) -> None:
        super().__init__(unknown, domain, values, integer=integer)
        self._looks_of_others: dict[Expr, Looks] = {}
        self._known: dict[tuple[Expr, RealSet, Interval | None], tuple[RealSet | None, tuple[Progression, ...]]] = {}

    @cached_property
    def grants(self) -> Grants:
        """How many more branches and steps may be taken."""
        return Grants()

    def other(self, unknown: Expr, domain: Interval, more: Values | None = None) -> Preimage:
        """Return the same for another unknown, with the values of more cells."""
        inner = Preimage(unknown, lambda: domain, {**self.values, **(more or {})})
        inner.sharpness = self.sharpness
        if not more:
            inner.looks = self._looks_of_others.setdefault(unknown, inner.looks)
        return inner

    def of(self, expression: Expr, target: RealSet) -> RealSet:
        """Return the values of the unknown at which an expression is in a target.

        Raises:
            NoInverseError, TimeoutError: no exact method applies, or none ends in time.
            TooLargeError: a part without the unknown is larger than floats can be.
        """
        if not target or has_no_value(expression):
            return EMPTY
        if expression == self.unknown:
            return target
        if not depends(expression, self.unknown):
            return self._constant(expression, target)
        inside = holding(expression, self.unknown)
        self.sharpness.pass_layer(expression, inside, target)
        if isinstance(expression, PERIODIC):
            return self._periodic(expression, target)
        if len(inside) == 1:
            return self._peeled(expression, inside[0], target)
        return self._once(Preimage._climbed, expression, target)

    def over_others(self, expression: Expr, target: RealSet) -> RealSet:
        """Return the same as `of`, after terms and branches are dropped that other cells of 0 or 1 decide.

        Without experts `max(0, 0/x) + max(a, b/x)` has one branch, where there are two of each.

        Raises:
            NoInverseError, TimeoutError, TooLargeError: as those of `of`.
        """
        guarded = innermost(expression, self.unknown, GUARDING) is not None  # its branches have demands of their own
        if guarded or innermost(expression, self.unknown, PIECEWISE) is None:
            return self.of(expression, target)
        values = ((cell, self.values.get(cell.name)) for cell in symbols_in(expression) - {self.unknown})
        neutral = frozenset((cell, value) for cell, value in values if type(value) is int and value in (0, 1))
        try:
            taken, demands = without_neutral(expression, self.unknown, neutral)
        except ZeroDivisionError:  # a remainder by zero
            return self.of(expression, target)
        if taken == expression or not depends(taken, self.unknown):
            return self.of(expression, target)
        region: RealSet = (self.domain,)
        try:
            for part, within in demands:
                region = meet(region, self.of(part, within))
        except NoInverseError:
            return self.of(expression, target)
        return meet_near(region, self.of(taken, target)) if region else EMPTY

    def _climbed(self, expression: Expr, target: RealSet) -> RealSet | None:
        """Return the result of the first method on the ladder that applies."""
        before = self.progressions, self.open
        for rung in in_time(LADDER):
            values = rung(self, expression, target)
            if values is not None:
                return values
            self.progressions, self.open = before  # of parts that it inverted
        return None

    def _once(self, method: Way, expression: Expr, target: RealSet) -> RealSet:
        """Return the result of a method; branches of a case repeat questions.

        A method that gave up does so again, as `grants` only shrink.
        """
        question, before = (expression, target, self.narrowed), len(self.progressions)
        if question in self._known:
            found, progressions = self._known[question]
            self.progressions += progressions
        else:
            try:
                found = method(self, expression, target)
            except NoInverseError:
                found = None
            if found is not None or len(self.progressions) == before:
                self._known[question] = found, self.progressions[before:]
        if found is None:
            raise NoInverseError("no method applies")
        return found

    def _constant(self, expression: Expr, target: RealSet) -> RealSet:
        try:
            value = evaluate(expression, self.values)
            if isinstance(value, float) or has_floats(target):
                self.sharpness.blur()
            return ALL if near(value, target) else EMPTY
        except TooLargeError:
            raise
        except ArithmeticTrapError:
            return EMPTY

    def _peeled(self, expression: Expr, layer: Expr, target: RealSet) -> RealSet:
        if self.sharpness.is_level_given and cancels(expression, layer, target, self.values):
            raise NoInverseError("digits cancel")
        try:
            inside, beyond = self._undo(expression, layer, target)
            if expression.is_Add:
                self.sharpness.subtract(target, inside)
            self.open = union(self.of(layer, beyond), self.open)  # in this order: `of` may leave more open
            return self.of(layer, inside)
        except NoInverseError:
            return self._once(by_cases, expression, target)

    def _undo(self, expression: Expr, layer: Expr, target: RealSet) -> tuple[RealSet, RealSet]:
        rest = rest_of(expression, layer)
        value = None if rest is None else self.constant(rest)
        return undo(expression, layer, target, value, self.sharpness.widened)

    def _periodic(self, expression: Expr, target: RealSet) -> RealSet:
        inside, *divisors = expression.args
        self.sharpness.blur()
        if divisors and leaves_nothing(self, inside, divisors[0]):
            return ALL if any(0 in part for part in target) else EMPTY
        if divisors and depends(divisors[0], self.unknown):
            return self._once(by_divisor, expression, target)
        entry = entry_of(expression)
        rest = evaluate(divisors[0], self.values) if divisors else None
        once, period = entry.preimage(expression, 0, target, rest), entry.period(rest)
        repetitions, more = repeated(once, period, self.bounds(inside))
        self.methods.append(Method.PERIOD)
        if more and self._progresses(inside, once, period):
            return EMPTY
        if more and self.integer and is_finite(self.domain.upper - self.domain.lower):
            raise NoInverseError("whole numbers can be searched")
        if more:
            self.open = union(self.of(inside, more), self.open)
        return self.of(inside, repetitions)

    def _progresses(self, inside: Expr, once: RealSet, period: Number) -> bool:
        """Take the values at which an expression repeats single numbers; return whether these are progressions."""
        if not all(part.is_point for part in once):
            return False
        wholes = [whole for part in once for whole in Quotient(part.lower, period).members(-math.inf, math.inf)]
        parts = [where_in(whole, inside, self.unknown, self.values) for whole in wholes]
        if None in parts:
            return False
        self.take(part for group in parts for part in group or ())
        return True

    def take(self, progressions: Iterable[Progression]) -> None:
        """Add the members of progressions that are in the domain."""
        self.progressions += tuple(part for whole in progressions for part in whole.within(self.domain))

    def beyond(self, expression: Expr, target: RealSet) -> RealSet | None:
        """Return no value where the bounds of an expression exclude a target, all where they are inside it."""
        bounds = self.bounds(expression)
        if is_outside(bounds, target):
            return EMPTY
        return (self.domain,) if is_inside(bounds, target) else None

    def extreme(self, expression: Expr, target: RealSet) -> RealSet | None:
        """max(f, g) >= a where either is; max(f, g) <= b where both are."""
        if not isinstance(expression, nodes(Trait.EXTREME)) or len(target) > MOST_SPLIT:
            return None
        any_of, before, args = entry_of(expression).wins, self.progressions, self._deciding(expression)
        if len(args) == 1:
            return self.of(args[0], target)
        all_of = mirrored(any_of)
        values = EMPTY
        for part in target:
            ends = {"<": (part.upper, part.upper_closed), ">": (part.lower, part.lower_closed)}
            enough, reached = _beyond(any_of, *ends[any_of]), ALL
            if enough != ALL:  # else all terms must have a value, as the next line requires
                reached = union(*(self.of(arg, enough) for arg in args))
            within = [reached, *(self.of(arg, _beyond(all_of, *ends[all_of])) for arg in args)]
            self.sharpness.compare(end for own in within for part in own for end, _ in part.ends)
            values = union(values, reduce(meet, within))
        self.leave_open(before)
        return values

    def _deciding(self, extreme: Expr) -> list[Expr]:
        """Return the terms of a max or min without those that are another one plus or minus what never has its sign.

        A term is left out only where it has a value wherever the other has: their difference has no unknown, or the
        other is a sum with all of its terms.
        """
        wins = entry_of(extreme).wins
        deciding: list[Expr] = []
        for term in extreme.args:
            losers = [other for other in deciding if self._loses(other, term, wins)]
            if losers or not any(self._loses(term, other, wins) for other in deciding):
                deciding = [*(other for other in deciding if other not in losers), term]
        return deciding

    def _loses(self, one: Expr, other: Expr, wins: str) -> bool:
        """Whether another term never loses against one, and has no value where that one has none."""
        distance = difference(other, one)
        if distance is None or (depends(distance, self.unknown) and not terms_of(other) > terms_of(one)):
            return False
        bounds = self.bounds(distance)
        return bool(bounds.low >= 0 if wins == ">" else bounds.high <= 0)

    def leave_open(self, before: tuple[Progression, ...]) -> None:
        """Leave open where the progressions that came after some lie: it is not known how much of them is in a case."""
        self.open = union(self.open, hulls(self.progressions[len(before) :]))
        self.progressions = before


def _beyond(sign: str, end: Number, closed: bool) -> RealSet:
    return ALL if not is_finite(end) else side(sign + "=" * closed, end)


# The methods in the order in which they are tried. Each takes a preimage, an expression of its unknown and a target,
# returns where the expression is in the target or None where the method does not apply, and adds its name to `methods`.
# A new method is a function here, with its name and words in `method.py`.
LADDER: list[Way] = [
    Preimage.rational,
    Preimage.beyond,
    zero_of_product,
    sign_of_product,
    by_comparison,
    Preimage.extreme,
    by_part,
    by_root,
    by_cases,
    by_step_number,
]
