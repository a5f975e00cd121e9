"""Inversion of a chain of cells, one after the other, from a relation down to the unknown."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from flopsheet import budget
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.links import LARGEST_SEGMENT
from flopsheet.formulas.trees import has_function, put_in, symbol_names, too_large
from flopsheet.functions import Trait, nodes, symbol
from flopsheet.functions.spec import NoInverseError
from flopsheet.functions.symbols import symbols_in
from flopsheet.inverse.method import Method, hardest
from flopsheet.inverse.preimage import Preimage
from flopsheet.inverse.rational import as_rational
from flopsheet.inverse.sharpness import Sharpness
from flopsheet.inverse.solution import Segment, Solution
from flopsheet.inverse.step_numbers import where_in
from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.ends import has_floats, near, with_room
from flopsheet.numbers.members import hulls, listed
from flopsheet.numbers.progressions import MOST_LISTED
from flopsheet.numbers.sets import EMPTY, RealSet, meet, union
from flopsheet.tolerances import STRICT
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.numbers.progressions import Progression
    from flopsheet.units import Number

MOST_PIECES = 4000
INEXACT = nodes(Trait.INEXACT)
_LISTED = Method.CONSTANT, Method.DIVISORS, Method.PERIOD  # where a search tells no more


class Inversion:
    """Inverts one cell of a chain after the other, from the set in which the relation's expression lies to the unknown.

    `rounded` is by which share each layer widens ranges whose ends are floats. `exact` says whether every step was on
    exact numbers so far: then an empty set proves that there is no solution.
    """

    def __init__(self, chain: Chain, target: RealSet, *, rounded: float = 0) -> None:
        self.chain, self.target, self.exact = chain, target, True
        self.sharpness = Sharpness(rounded)
        self.open: RealSet = EMPTY
        self.progressions: tuple[Progression, ...] = ()
        self.methods: list[Method] = []
        self.segments: list[Segment] = []

    def solution(self, expression: Expr, right: Expr) -> Solution | None:
        """Return the solutions, or None where no method applies; raise TimeoutError where none ends in time."""
        chain, asked, target = self.chain, expression, self.target
        sharpness = self.sharpness
        sharpness.is_given = chain.is_given_exactly(expression, EMPTY)
        sharpness.is_level_given = chain.is_given_exactly(expression, target)
        sharpness.is_rounded = chain.computes_floats(expression)
        if not sharpness.is_given:
            sharpness.blur()
        while True:
            budget.check()
            cell, expression = chain.links.segment(expression)
            if cell is None:
                return None if expression is None else self._constant(expression, asked, target)
            if not self._inverts(cell, expression):
                if cell == chain.unknown:
                    return None
                expression = put_in(expression, {symbol(cell): chain.formulas[cell]})
                if too_large(expression, LARGEST_SEGMENT):
                    return None
            elif not self.target and self._is_constant(expression, cell):
                return self._constant(expression, asked, target)
            elif cell == chain.unknown:
                segments = tuple(self.segments)
                method = hardest(self.methods) if segments else Method.CONSTANT
                return self._solution(method, segments, right)
            else:
                expression = chain.formulas[cell]

    def _solution(self, method: Method, segments: tuple[Segment, ...], right: Expr) -> Solution:
        """Return what lies in the domain, of a count the integers, and single numbers for progressions of few."""
        domain, opened = self.chain.domain, self.open
        room = with_room(domain) if self.chain.integer else domain
        progressions = [part for whole in self.progressions for part in whole.within(domain)]
        if self.chain.integer and progressions:
            whole = [part.integers for part in progressions]
            opened = union(
                opened, hulls(part for part, integers in zip(progressions, whole, strict=True) if integers is None)
            )
            progressions = [part for integers in whole for part in integers or ()]
        few = [part for part in progressions if part.count <= MOST_LISTED]
        values = union(self.target, listed(few))
        more = tuple(part for part in progressions if part not in few)
        return Solution(meet(values, (room,)), method, segments, right, meet(opened, (domain,)), more)

    def _inverts(self, cell: str, expression: Expr) -> bool:
        """Replace the target of an expression by that of a cell in it; return whether this was possible."""
        chain = self.chain
        whole = chain.integer and cell == chain.unknown
        preimage = Preimage(symbol(cell), partial(chain.domains.of_cell, cell), chain.values, integer=whole)
        preimage.looks, preimage.sharpness = chain.known.looks[cell], self.sharpness
        try:
            values = preimage.over_others(expression, self.target)
        except NoInverseError:
            return False
        if len(values) > MOST_PIECES or any(is_long(end) for part in values for end, _ in part.ends):
            return False
        many = any(part.integers is None for part in preimage.progressions)
        if chain.integer and (preimage.open or many) and cell != chain.unknown:
            return False  # integers can be tested in the wider expression
        try:
            self._pass_through(preimage, expression)
        except NoInverseError:  # of what is open, or listed as a progression
            return False
        self.exact = self.exact and not preimage.open and self._is_exact(expression)
        self.target, self.open, self.progressions = values, preimage.open, preimage.progressions
        self.sharpness.compare_ends(values)
        self.methods += preimage.methods
        self.segments.append(Segment(expression, symbol(cell)))
        return True

    def _pass_through(self, preimage: Preimage, expression: Expr) -> None:
        """Add to a preimage where an expression has the values that are too many to list, or may have more."""
        if not self.open and not self.progressions:
            return
        unknown, values = preimage.unknown, preimage.values
        through = [(whole, where_in(whole, expression, unknown, values)) for whole in self.progressions]
        opened = union(self.open, hulls(whole for whole, parts in through if parts is None))
        within = preimage.of(expression, opened)
        preimage.open = union(preimage.open, within)  # after `of`, which may leave more open
        preimage.take(part for _, parts in through for part in parts or ())

    def _constant(self, expression: Expr, asked: Expr, target: RealSet) -> Solution:
        """Return all or no values: the unknown has cancelled, on symbols or numbers, and what was asked is a constant.

        What its layers leave of a level with few digits may be no more than its rounding, so it is compared itself too.
        """
        is_plain = self.chain.links.symbols.isdisjoint(symbols_in(expression))
        holds = is_plain and near(evaluate(expression, self.chain.values), self.target)
        if not holds and self.segments:
            whole = self.chain.at_or_none(self.chain.domain.inside(), asked)
            holds = whole is not None and near(whole, target)
        return Solution((self.chain.domain,) if holds else EMPTY, Method.CONSTANT)

    def _is_constant(self, expression: Expr, cell: str) -> bool:
        """Whether an expression is the same whatever a cell in it is, at the numbers of the other cells."""
        try:
            ratio = as_rational(expression, symbol(cell), self.chain.values)
        except ZeroDivisionError:
            return False
        return ratio is not None and ratio.is_exact and not ratio.degree and not ratio.poles

    @cached_property
    def is_certain(self) -> bool:
        """Whether rounding neither found nor lost a value: it took part in last digits only, off the domain's ends."""
        return self.is_sharp and not self._is_beside_domain

    def refuses(self, solution: Solution) -> bool:
        """Whether rounding may have found or lost a value of what is given exactly, so that a search tells more."""
        if self.is_certain or self.is_near or solution.progressions or solution.how in _LISTED:
            return False
        is_rounded = self.sharpness.is_level_given and self.sharpness.is_rounded and not self.chain.integer
        is_doubtful = is_rounded and (self._is_beside_domain or not self.sharpness.is_kept)
        return is_doubtful or self.sharpness.is_needed

    @property
    def is_sharp(self) -> bool:
        """Whether rounding took part in last digits only: what lies beside an end of the domain may lie beyond it."""
        sharpness = self.sharpness
        is_known = sharpness.is_level_given or self.target  # a rounded level that is missed may be met
        return bool(sharpness.is_given and is_known) and sharpness.is_kept and not self.open

    @property
    def is_near(self) -> bool:
        """Whether what lies beside an end of the domain is that end, as a rounded level does not tell them apart."""
        return self.is_sharp and not self.sharpness.is_level_given

    @property
    def _is_beside_domain(self) -> bool:
        return any(is_finite(end) and self._is_beside(end) for end, _ in self.chain.domain.ends)

    def _is_beside(self, at: Number) -> bool:
        """Whether a float end of what was found lies beside a number."""
        ends = (end for part in self.target for end, _ in part.ends if isinstance(end, float) and is_finite(end))
        return any(size(end - at) <= STRICT * max(size(end), size(at)) for end in ends)

    def _is_exact(self, expression: Expr) -> bool:
        if has_floats(self.target) or has_function(expression, INEXACT):
            return False
        return not any(isinstance(self.chain.values.get(name), float) for name in symbol_names(expression))
