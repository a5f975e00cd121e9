"""Solves one question with given assumptions: one unknown after the other, or several at once."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.answer.answer import Answer
from flopsheet.answer.beside import left_unbound, refuse_outside
from flopsheet.answer.defaults import always_contradicted, consistent
from flopsheet.answer.execute import Execution
from flopsheet.answer.outcomes.computed import computed, in_digits
from flopsheet.answer.outcomes.outcome import Outcome, outcome
from flopsheet.answer.several import lost, together, verdicts
from flopsheet.answer.several.groups import Groups, all_listed, groups
from flopsheet.answer.several.lifting import allowed
from flopsheet.answer.several.nothing import nothing
from flopsheet.answer.several.slices import Slices
from flopsheet.answer.several.tuples import MOST_TUPLES, SeveralValuesError
from flopsheet.answer.shortage import lacking, uncheckable, undetermined
from flopsheet.answer.unknown import find
from flopsheet.answer.verification.excluded import refuse_by_limits
from flopsheet.answer.verification.fractions import refuse_fractions
from flopsheet.answer.verification.mending import mended, without_value
from flopsheet.answer.verification.verify import broken_limits, verify
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, QuestionError, UnderdeterminedError
from flopsheet.graph.blocks import plan
from flopsheet.inverse.simultaneous import sides

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.several.found import Together
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.graph.system import System
    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


class Solver:
    """Solves one question, with one value assumed of each cell on the way that has several."""

    def __init__(self, question: Question, assumed: Mapping[str, Number], given_way: tuple[str, ...] = ()) -> None:
        self.system, dropped = consistent(question, Execution(question, assumed), given_way)
        self.question = question = self.system.question
        self.given_way, self.execution = given_way, Execution(question, assumed)
        self.answered = Answer(question, self.system, self.execution, dropped_defaults=dropped)
        self.grouped = Groups(self.system)  # and tuples that were listed to group the unknowns
        self.contradicted: str | None = None  # a default that excludes every value of an unknown
        self.yields = True  # whether the question is then asked again without that default
        self.unfollowed = ""  # an unknown on which others may rest, with more values than are followed
        self.too_few: UnderdeterminedError | None = None  # for equations of which some follow from others
        self.used: dict[str, frozenset[str] | None] = {}  # by unknown that was solved in turn: the equations for it
        self.solutions: dict[str, SolutionSet] = {}  # and what conditions left of it
        self.in_turn: dict[str, Outcome] = {}  # what was found in turn, where that excludes nothing

    def answer(self) -> Answer:
        """Return the answer; raise an error where a cell on the way has several values."""
        before = self.system, self.execution.copy()
        try:
            self._solve_all(*before)
        except ArithmeticTrapError as trap:  # a limit may say in words what makes a formula divide by zero
            if not (broken := broken_limits(self.question, *before)):
                raise
            fix = mended(self.question, broken, self.answered.dropped_defaults) or trap.problem
            raise without_value(trap, broken, fix) from trap
        if self.contradicted:
            (last := Solver(self.question, self.execution.assumed, self.given_way)).yields = False
            return self._again(self.question, self.contradicted, few=UnderdeterminedError) or last.answer()
        self._solve_for_tuples(*before)
        outcomes = self._sliced(*before)
        self.answered.outcomes = {name: outcomes[name] for name in self.question.unknowns}
        if self.too_few and any(own.open for own in outcomes.values()):  # in turn, one is out of its bounds
            raise self.too_few
        lost.refuse_dependents(self.answered.outcomes, self.answered.system.structure)
        question, structure = self.question, self.system.structure.with_known(*self.question.unknowns)
        asked = question.relations and not question.substituted and self.answered.meets_question
        if asked and (error := uncheckable(question, structure)):
            raise error
        verify(self.answered, self.system, self.execution)
        refuse_fractions(self.answered)
        beside = left_unbound(self.answered, self.system, *before)
        if beside.below and (other := self._again(beside.bind(self.question))):
            return other
        refuse_by_limits(self.answered)
        self.answered.remarks += beside.warnings
        refuse_outside(self.answered, self.system)
        return self.answered

    def _solve_for_tuples(self, system: System, execution: Execution) -> None:
        """Solve for all unknowns at once where one of many values of a first one does not tell of the others."""
        outcomes = self.answered.outcomes
        if none := lost.beside_lost(outcomes, (), system, execution):
            outcomes |= none
        elif self._loses_tuples(system, execution):
            self._solve_again(system, execution)
        elif lost.lost_by_rounding(outcomes.values(), self.question):
            self._solve_again(system, execution, by_digits=True)
        elif self.unfollowed:
            self.answered.unfollowed = self.unfollowed

    def _sliced(self, system: System, execution: Execution) -> dict[str, Outcome]:
        """Return the outcomes, each at the values of others that it rests on; found at once where that is not known."""
        outcomes = Slices(system, execution, self.used, self.solutions).through(self.answered.outcomes)
        if not together.breaks_in_run(system, execution, outcomes):
            return outcomes
        self._solve_again(system, execution)
        return self.answered.outcomes

    def _again(self, question: Question, *defaults: str, few: type[QuestionError] = QuestionError) -> Answer | None:
        """Return the answer where more cells bind, or limits or defaults do not; None where that is no question."""
        with suppress(few, ArithmeticTrapError):
            return Solver(question, self.execution.assumed, (*self.given_way, *defaults)).answer()
        return None

    def _solve_all(self, system: System, execution: Execution) -> None:
        """Solve for each unknown, in an order in which each rests on those before; each value is then known."""
        near, assumed, cells = self.question.near, self.execution.assumed, self.question.sheet.cells
        late = {name: cells[name].formula is not None for name in self.question.unknowns}  # bounds of inputs bind it
        order = sorted(late, key=lambda name: (name not in assumed, name not in near, late[name]))
        self.grouped = groups(self.system, order, self.execution)
        left, errors = self._solve_groups(self.grouped.groups)
        if left:
            beside = lost.beside_lost(self.answered.outcomes, left, system, execution)
            self.answered.outcomes |= beside or lost.left_open(cells, left, errors)

    def _solve_groups(
        self, waiting: list[tuple[str, ...]]
    ) -> tuple[list[tuple[str, ...]], list[UnderdeterminedError | NotInvertibleError]]:
        """Solve for groups of unknowns, in their order where it does not matter; return those left, and why."""
        while waiting:
            errors: list[UnderdeterminedError | NotInvertibleError] = []
            for names in waiting:
                try:
                    left = {name for other in waiting if other != names for name in other}
                    self._solve(names, others=not left <= self.execution.assumed.keys())
                except (UnderdeterminedError, NotInvertibleError) as error:
                    errors.append(error)
                else:
                    open_to = {*self.question.unknowns} - self.answered.outcomes.keys()
                    waiting = [other for other in waiting if not open_to.isdisjoint(other)]
                    break
            else:
                return waiting, errors
        return [], []

    def _loses_tuples(self, system: System, execution: Execution) -> bool:
        """Whether solving for all unknowns at once tells what one of many values of a first one does not."""
        if lost.lost_by_choice(self.answered.outcomes.values()):
            return True
        names, few = self.question.unknowns, range(1, MOST_TUPLES + 1)
        found = all_listed(system, names, execution, few) if self.unfollowed else None
        self.grouped = Groups(system, listed={} if found is None else {names: found})
        return found is not None

    def _solve_again(self, system: System, execution: Execution, *, by_digits: bool = False) -> None:
        """Solve for all unknowns at once; where that does not tell, no value is excluded by others or by digits."""
        before = self.system, self.execution, self.answered.outcomes, self.used
        self.system, self.execution, self.answered.outcomes, self.used = system, execution, {}, {}
        try:
            self._solve_together(self.question.unknowns)
        except QuestionError:
            self.in_turn = {} if by_digits else before[2]
            self.answered.outcomes = lost.not_excluding(self.in_turn, self.solutions)
        if by_digits and {result.kind for result in self.answered.outcomes.values()} <= {"none"}:
            self.system, self.execution, self.answered.outcomes, self.used = before

    def _solve_together(self, names: tuple[str, ...]) -> None:
        """Solve for unknowns that equations tie to each other; where they have several tuples, each is followed."""
        try:
            found = self.grouped.found(self.system, names, self.execution)
        except UnderdeterminedError as error:
            if not self._are_solved_in_turn(names, QuestionError):
                if not isinstance(error, together.UnlistedError):
                    raise
                self._take(error.found, names, sides(error.found.result, names))
            return
        if tied := [name for name in found.sought if name in self.question.unknowns and name not in names]:
            self._solve_together((*names, *tied))
            return
        opened, too_few = sides(found.result, names), found.too_few(self.question.sheet.cells)
        is_tried = found.result.endless or (opened and not found.points)
        if is_tried and self._are_solved_in_turn(names, SeveralValuesError if found.points else QuestionError):
            self.too_few = too_few
            return
        if too_few:
            raise too_few
        self._take(found, names, opened)

    def _solve_with(self, name: str, partners: Sequence[Cell]) -> bool:
        """Solve for an unknown and counts that follow from it at once; return whether all their tuples are listed."""
        names = (name, *(cell.name for cell in partners))
        try:
            found = together.find_together(self.system, names, self.execution)
        except QuestionError:
            return False
        if not found.result.open:
            self._take(found, names, {})
        return not found.result.open

    def _take(self, found: Together, names: tuple[str, ...], opened: Mapping[str, RealSet]) -> None:
        """Take the values of unknowns that were found at once; where there are several tuples, each is followed."""
        found.execution.open |= opened
        chosen = found.chosen(names) if found.points else None
        if chosen is None:  # there are no values, or none with those that are assumed of cells on the way
            self.answered.outcomes |= nothing(self.question.sheet.cells, names, found, opened)
            return
        self.execution = found.execution
        self.system = found.follow(dict(zip(names, chosen, strict=True)), self.system)
        for name in names:
            self.answered.outcomes[name] = computed(self.system, self.execution, name, verdicts.TOGETHER)

    def _are_solved_in_turn(self, names: Sequence[str], failure: type[Exception]) -> bool:
        """Solve for unknowns of the question in turn; return whether that tells of all their tuples."""
        before = self.system, self.execution.copy(), {**self.answered.outcomes}, {**self.used}
        names = [name for name in names if name in self.question.unknowns]
        with suppress(QuestionError, ArithmeticTrapError, failure):
            waiting, _ = self._solve_groups([(name,) for name in names])
            if not waiting and lost.tells_of_all(self.answered.outcomes, [*names], before[2], self.question):
                return True
        self.system, self.execution, self.answered.outcomes, self.used = before
        return False

    def _solve(self, names: tuple[str, ...], *, others: bool) -> None:
        """Solve for one unknown; where it has several values and others rest on it, each value is followed."""
        if len(names) > 1:
            self._solve_together(names)
            return
        (name,), structure, outcomes = names, self.system.structure, self.answered.outcomes
        if none := lost.lost_with(self.question.sheet.cells[name], outcomes.values(), structure.needed([name])):
            outcomes[name] = none
            return
        equation = structure.equations[structure.of_cell[name]] if name in structure.determined else None
        blocks = plan(structure, [name], self.execution.names) if equation is not None and equation.gives(name) else ()
        if equation is not None and any(block.direct for block in blocks if name in block.cells):
            own = equation.key in (f"formula {name}", f"inferred {name}")
            formula = "its default" if equation.is_default else "its formula"
            why = f"Computed from {formula if own else repr(self.system.relation(equation).text)}."
            outcomes[name], self.used[name] = computed(self.system, self.execution, name, why, binding=not own), None
            return
        solutions = self._solutions(name)
        if solutions and verdicts.may_hide_counts(solutions) and self._solve_with(name, solutions.partners.counts):
            return
        result, used = self._unknown(name, solutions)
        outcomes[name], self.used[name] = result, used
        self.solutions |= {name: solutions} if solutions else {}
        self.execution.open |= {name: result.open} if result.open else {}
        partners = solutions.partners.unchecked if solutions and result.cell.integer else ()
        later = {*self.question.unknowns} - outcomes.keys()
        among_wholes = bool(self.question.best) or any(own.integer and own.name in later for own in partners)
        points = verdicts.listed(result, among_wholes=among_wholes)
        is_slice = any(own.kind == "range" and other != name for other, own in outcomes.items())
        is_free = name not in self.execution.assumed and not is_slice
        rests = self.question.best or self.execution.assumed or len(self.question.unknowns) > 1
        if rests and 1 < len(points) <= MOST_TUPLES and is_free:
            raise SeveralValuesError((name,), [(value,) for value in points], self.execution.open)
        self.unfollowed = name if others and len(result.listed) > 1 and is_free else self.unfollowed
        value = result.si if result.si is not None or result.open else self.execution.assumed.get(name)
        if value is not None:
            self.system = self.system.with_solved(name, in_digits(result, value, self.execution), used)

    def _solutions(self, name: str) -> SolutionSet | None:
        """Return what relations leave of one unknown; None where blocks of equations give it."""
        try:
            solutions = find(self.system, name, self.execution)
        except NotInvertibleError as error:
            if name not in self.system.structure.determined:
                raise verdicts.not_found_in_time(name) or lacking(self.system, name) or error from None
            return None
        if solutions is None:
            raise undetermined(self.system, name)
        is_computed = name in self.execution.origins and name in self.system.structure.determined
        is_lost = is_computed and not solutions.values and not solutions.open
        return None if is_lost else solutions  # the same equations hold within rounding

    def _unknown(self, name: str, solutions: SolutionSet | None) -> tuple[Outcome, frozenset[str]]:
        """Return the outcome of one unknown, and the equations used; the steps to it are added to the execution."""
        if solutions is None:
            return computed(self.system, self.execution, name, verdicts.TOGETHER), frozenset()
        if self.yields:
            self.contradicted = always_contradicted(self.system, solutions) or self.contradicted
        assumed, unsolved = self.execution.assumed.get(name), solutions.checked_by(self.system)
        near = None if assumed is not None and unsolved else self.question.near.get(name)
        told = partial(allowed, self.system, name, self.execution, near, self._again)
        result = outcome(solutions, near, (lambda: None) if self.contradicted else told)
        if assumed is not None and not (solutions.cell.integer and assumed != int(assumed)):
            result = verdicts.at_assumed(solutions, result, assumed)
        self.answered.remarks += verdicts.remarks(solutions)
        self.execution = solutions.execution
        verdicts.note(result, solutions, self.question.unknowns)
        free = [own for own in solutions.partners.unchecked if own.name not in self.question.unknowns]
        points = verdicts.to_follow(result, unsolved, free) if assumed is None else []
        if 1 < len(points) <= MOST_TUPLES and not any(own.integer for own in free):  # substitution finds these
            opened = {**self.execution.open, **({name: result.open} if result.open else {})}
            raise SeveralValuesError((name,), [(own,) for own in points], opened, checked=unsolved)
        result = verdicts.beside_rounding(verdicts.unchecked(result, free, unsolved), solutions)
        return verdicts.doubted(result, self.system, self.execution), solutions.used
