"""How a cell that was solved for follows the inputs of a workbook: a closed form, a bracketed search, or trials.

A closed form holds for all inputs only where no case distinction, rounding or choice stands between the cell and its
conditions. Elsewhere the condition is bisected, between ends at which the engine has seen it to hold and not to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import as_sympy, symbol
from flopsheet.inverse.solution import LARGEST_FORM, boundary_forms
from flopsheet.report.workbook.solved.sides import Sides
from flopsheet.report.workbook.solved.way import FORM, NONE, SEARCH, Way, direct_bound, multiples_of, trials
from flopsheet.units import close, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live
    from flopsheet.units import Number

OPPOSITE = {"<": ">", ">": "<"}
IN_CASES = Trait.PIECEWISE | Trait.STEPPED | Trait.FLAT | Trait.EXTREME | Trait.PERIODIC
SIMULTANEOUS = "it was solved together with other cells"
INSIDE = "it was picked inside of its range, where other unknowns have a value"
NO_CONDITION = "no relation alone determines it"
NO_BRACKET = "its condition does not change sign around the answer"


def way_of(live: Live, name: str) -> Way:
    """Return how a cell that was solved for follows the inputs."""
    return _Finder(live, name).way()


def behind_forms(live: Live) -> Iterator[tuple[str, Expr]]:
    """Yield the closed forms of cells that an unknown gives by its own formula, where these hold for all options."""
    for name in live.behind:
        way = way_of(live, name)
        if way.kind == FORM and not way.options:
            yield name, way.forms[0]


def far_way(live: Live, name: str, end: Number | None) -> Way | None:
    """Return how the other end of a range, at which the answer is not, follows the inputs.

    Without a number of that end, relations on its side bound nothing at the inputs of the question.
    """
    finder = _Finder(live, name, end)
    finder.tried = finder.tried or end is None
    return finder.far_way()


def sign_of(live: Live, name: str) -> str:
    """Return what sets a cell of a question without an answer: an equation (`=`), or a bound from below or above."""
    return _Finder(live, name).first_side()


def sides_of(live: Live, way: Way) -> list[str]:
    """Return the side on which each condition of a cell bounds it, wherever it is; nothing where one is on neither."""
    finder = _Finder(live, way.cell.name)
    return [finder.side(own) for own in finder.conditions] if way.sign != "=" and finder.are_one_sided else []


def holding(live: Live, way: Way) -> Callable[[Number], bool]:
    """Return whether the relations of a way hold at a number."""
    finder = _Finder(live, way.cell.name)
    return lambda at: finder.hold(way.relations, at)


class _Finder(Sides):
    """Finds how one cell follows the inputs."""

    def way(self) -> Way:
        """Return the best way."""
        if self.live.is_simultaneous(self.name) and self.name != self.live.together.searched:
            found = self.live.together
            form = found.forms.get(self.name)
            missing = self._none(SIMULTANEOUS)
            return missing if form is None else Way(self.cell, FORM, forms=(form,), options=found.options)
        if self._is_inside or not self.conditions:
            return self._none(INSIDE) if self._is_inside else self._by_step()
        if self.live.is_tried(self.name) or self._is_scattered:
            return self._trials()
        sign = "=" if self.outcome is None else self.first_side() if self.is_free else self.outcome.bound
        relations = self.setting(sign)
        if not relations:
            return self._none(NO_CONDITION)
        forms = [self._form(relation) for relation in relations]
        if any(form is None for form in forms):
            return self._search(sign, relations)
        columns, options = self.columns(relations), self._options(relations)
        written = tuple(form for form in forms if form is not None)
        roots = self._roots(relations, written[0])
        own = Way(self.cell, FORM, sign, relations, columns, written, roots=roots, options=options, whole=self.whole)
        return replace(self._search(sign, relations), forms=written, options=options) if options else own

    @property
    def _is_inside(self) -> bool:
        """Whether the answer is at a number inside of a range, beside which other unknowns have a value."""
        own = self.outcome
        if own is None or not own.at or own.kind != "range" or own.si is None or own.boundary is None:
            return False
        away = size(own.si - own.boundary)
        return away >= 1 if self.cell.integer else not close(own.si, own.boundary)

    @property
    def _is_scattered(self) -> bool:
        """Whether all numbers of a count work now, of which other inputs may leave some here and there."""
        return self.is_free and self.cell.integer and not self.are_one_sided and self.first_side() == ">"

    def first_side(self) -> str:
        """Return what sets the cell where no answer says it: an equation (`=`), or a bound from below or above."""
        asked = [own for own in self.conditions if not own.name]
        if any(own.is_equation for own in asked):
            return "="
        sides = {self.side(own) for own in asked}
        return next((sign for sign in (">", "<") if sign in sides), ">" if self.setting(">") else "<")

    def _trials(self) -> Way:
        """Return trials of whole numbers, which begin where the relations that bound them do.

        Those that bound numbers on one side only, if that suffices: others may hold again beyond the end of a search.
        """
        one_sided = [own for own in self.conditions if self._is_one_sided(own)]
        found = self._trials_within(one_sided)
        return found if found.kind != NONE or len(one_sided) == len(self.conditions) else self._trials_within()

    def _trials_within(self, bounding: Sequence[Relation] | None = None) -> Way:
        """Return trials that begin where some relations bound them, or where any do."""
        relations, starts = tuple(self.conditions), list[Way]()
        bounding = self.conditions if bounding is None else bounding
        sides = {sign: tuple(own for own in bounding if self.side(own) == sign) for sign in "<>"}
        inequalities = [own for own in relations if not (own.name or own.is_equation)]
        by_side = self.live.is_listed(self.name)
        # A bound may be far from a divisor below it.
        self.tried = self.tried or (by_side and all(map(self._is_one_sided, inequalities)))
        for sign, own in sides.items():
            if own and (found := self._search(sign, own)).kind == SEARCH:
                starts.append(replace(found, others=()))
        way = Way(self.cell, NONE, relations=relations, columns=self.columns(relations), by_side=by_side)
        way = replace(
            way,
            starts=tuple(starts),
            steps=multiples_of(self.live, self.name, relations),
            above=sides["<"],
            below=sides[">"],
        )
        near, first = self.live.question.near.get(self.name), self.name != self.live.together.searched
        return trials(self.live, way, near, first=first)

    def far_way(self) -> Way | None:
        """Return how the end that all relations set which bound the cell on the other side follows the inputs."""
        bound = self.first_side() if self.is_free else "" if self.outcome is None else self.outcome.bound
        sign = OPPOSITE.get(bound, "")
        relations = tuple(own for own in self.conditions if sign and self.side(own) == sign)
        forms = tuple(form for own in relations if (form := self._form(own)) is not None)
        near = self.setting(bound)
        if not relations or any(own not in (*relations, *near) for own in self.conditions):
            return None  # one on neither side of the answer as asked may end the range elsewhere
        if len(forms) < len(relations) or self._options(relations):
            way = self._search(sign, relations)
            return None if way.kind == NONE else way
        return Way(self.cell, FORM, sign, relations, self.columns(relations), forms, whole=self.whole)

    def _options(self, relations: Sequence[Relation]) -> tuple[tuple[str, str], ...]:
        """Return the choices, with the option of each, that decide which formulas stand before relations."""
        sides = [side for relation in relations for side in (relation.left, relation.right)]
        inside = [*sides, *(self.live.formulas[column] for column in self.columns(relations))]
        distinct = (node for expression in inside for node in expression.atoms(*nodes(Trait.CHOOSES)))
        names = dict.fromkeys(node.args[0].name for node in distinct if self.name in self.live.on(node))
        return tuple((name, self.live.question.options[name]) for name in sorted(names))

    def _decided(self, expression: Expr) -> Expr:
        """Return an expression with the branches of those choices that the cell is in: others follow their option."""
        options = self.live.question.options
        chosen = {
            node: node.branches[options[node.args[0].name]]
            for node in expression.atoms(*nodes(Trait.CHOOSES))
            if node.args[0].name in options and self.name in self.live.on(node)
        }
        return self._decided(expression.xreplace(chosen)) if chosen else expression

    def _by_step(self) -> Way:
        """Return the closed form of the step that gives the cell, where no relation of the question sets it."""
        step = self.live.steps.get(self.name)
        if step is None or step.form is None or not self.live.is_by_step(self.name):
            return self._none(NO_CONDITION)
        return Way(self.cell, FORM, forms=(step.form,))

    def _none(self, why: str) -> Way:
        return Way(self.cell, NONE, why=why)

    def _form(self, relation: Relation) -> Expr | None:
        """Return the closed form of the boundary that a relation sets; None where one holds in some cases only."""
        forms = self._forms(relation)
        if (self.tried or relation is not self.conditions[0]) and len(forms) == 1:
            return forms[0]
        values = ((form, value_or_none(form, self.live.values)) for form in forms)
        return next((form for form, value in values if value is not None and self._fits(value, relation)), None)

    def _forms(self, relation: Relation) -> list[Expr]:
        """Return the closed forms of all boundaries that a relation sets; none where these hold in some cases only."""
        sides = (relation.left, relation.right)
        if any(self.has(side, IN_CASES) for side in sides):
            return []
        unknown, columns = symbol(self.name), self.columns((relation,))
        composed = []
        for side in sides:
            expression = self._decided(side)
            for column in reversed(columns):
                if expression.has(symbol(column)):
                    expression = expression.xreplace({symbol(column): self._decided(self.live.formulas[column])})
                if too_large(expression, LARGEST_FORM):
                    return []
            composed.append(expression)
        left, right = composed if composed[0].has(unknown) else reversed(composed)
        pair = (left - right, as_sympy(0)) if right.has(unknown) else (left, right)
        forms = (form for form in boundary_forms(pair[0], unknown, pair[1]) if not form.has(sympy.zoo, sympy.nan))
        return [form for form in forms if not too_large(form, LARGEST_FORM)]

    def _roots(self, relations: Sequence[Relation], form: Expr) -> tuple[Expr, ...]:
        """Return the other boundaries of a relation, at which a value may be where the one as asked has none."""
        several = self.outcome is not None and len(self.outcome.listed) > 1
        if len(relations) > 1 or not (relations[0].is_equation or several):
            return ()
        return tuple(own for own in self._forms(relations[0]) if own != form)

    def _fits(self, value: Number, relation: Relation) -> bool:
        """Whether a root is the one of the answer; of a relation that does not decide, one that the cell may have."""
        deciding = None if self.outcome is None else self.outcome.deciding
        if not self.tried and (deciding is None or deciding.text == relation.text):
            return close(value, self.boundary)
        return value in self.cell.bounds

    def _search(self, sign: str, relations: tuple[Relation, ...]) -> Way:
        """Return a bisection between numbers around the answer, within which the condition changes once."""
        if sign == "=":
            rising = self.rises(relations[0])
            if rising is None:
                return self._none(NO_BRACKET)
            alike = (own for own in self.conditions if self.side(own) == "<")
            sign, relations = "<", (replace(relations[0], operator="<=" if rising else ">="), *alike)
        relations = tuple(self._on_side(own, sign) for own in relations)
        ends = self._bracket(sign, relations)
        if ends is None:
            return self._none(NO_BRACKET)
        geometric = not self.whole and ends[0] > 0
        opposite = (own for own in self.conditions if self.side(own) not in ("", sign))
        others = (direct_bound(self.live, self.name, own) for own in opposite)
        beyond, columns = tuple(other for other in others if other is not None), self.columns(relations)
        at, whole = self.boundary, self.whole
        return Way(self.cell, SEARCH, sign, relations, columns, (), ends, at, beyond, geometric, whole=whole)

    def _on_side(self, relation: Relation, sign: str) -> Relation:
        """Return an equation that holds over a step as the inequality which begins or ends there."""
        rising = self.rises(relation) if relation.is_equation else None
        return relation if rising is None else replace(relation, operator=">=" if rising is (sign == ">") else "<=")

    def _bracket(self, sign: str, relations: Sequence[Relation]) -> tuple[Number, Number] | None:
        """Return the farthest numbers up to which the relations hold on one side and fail on the other."""
        at, points = self.boundary, self.points
        if self.tried:  # nothing is known of where the relations hold; they may have no value at a bound
            points = [point for point in points if all(self.gap(own, point) is not None for own in relations)]
            return (points[0], points[-1]) if len(points) > 1 else None
        below = [point for point in reversed(points) if point < at and not close(point, at)]
        above = [point for point in points if point > at and not close(point, at)]
        low = high = None
        for point in below:
            if self.hold(relations, point) is not (sign == "<"):
                break
            low = point
        for point in above:
            if self.hold(relations, point) is (sign == "<"):
                break
            high = point
        if low is None and below == [] and points and sign == ">":
            low = points[0]
        if high is None and self.whole:
            high = above[0] if above else None
        if low is None and self.whole and self.cell.bounds.lower in self.cell.bounds:
            low = self.cell.bounds.lower
        return None if low is None or high is None or low >= high else (low, high)
