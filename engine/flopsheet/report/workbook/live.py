"""What follows what in a workbook: formulas of cells, and the cells to solve for with their conditions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.formulas.trees import is_whole
from flopsheet.functions import taken
from flopsheet.functions.symbols import symbol
from flopsheet.graph.system import stated_equations
from flopsheet.inverse.method import Method
from flopsheet.report.workbook.goals import with_goals
from flopsheet.report.workbook.solved.behind import behind_of
from flopsheet.report.workbook.solved.followers import bounds_of, followers
from flopsheet.report.workbook.solved.given import demanded, given_alone, over_defaults
from flopsheet.report.workbook.solved.turns import in_turn
from flopsheet.report.workbook.solved.way import UNIQUE
from flopsheet.report.workbook.together import NOTHING, Together, in_rows, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.goals import Goal
    from flopsheet.units import Number


class Live:
    """The formulas by which the cells of an answer follow each other.

    Args:
        answer: the answer.
        tried: whether its unknowns are at numbers that may not meet the relations.

    A cell with a value that has no formula and is no input is one to solve for.
    """

    def __init__(self, answer: Answer, *, tried: bool = False) -> None:
        self.answer, self.question, self.tried = answer, answer.question, tried
        self.goals, self.relations = with_goals(answer.question)
        self.formulas = {name: formula for name in answer.cells if (formula := self._formula(name)) is not None}
        self.turned: list[Relation] = []  # formulas of unknowns that give others, by these a condition of the unknown
        self._rests: dict[str, frozenset[str]] = {}
        self._between: dict[tuple[str, tuple[Expr, ...]], list[str]] = {}
        self.together = self._solved_together()
        in_rows = bool(self.together.searched or self.together.free)
        own = {} if in_rows else followers(self)
        self.followers = self.together.forms if in_rows else {name: one.form for name, one in own.items()}
        self.turned_round = {one.equation for one in own.values()}  # they hold where an unknown follows from them
        self.formulas |= self.followers
        self.forget()
        self.formulas |= given_alone(self)
        self.formulas |= over_defaults(self)
        self.forget()
        self.demanded = demanded(self) if tried else {}

    def forget(self) -> None:
        """Drop what formulas said that have changed; those that are left out are solved for as well."""
        self._rests, self._between = {}, {}
        for key in ("solved", "behind", "conditions"):
            self.__dict__.pop(key, None)

    def follow(self, forms: Mapping[str, Expr]) -> None:
        """Let cells that an unknown gives by its own formula follow it by closed forms: the formula must hold then."""
        self.turned += [self.behind[name] for name in forms]
        self.formulas |= forms
        self.forget()

    def is_by_step(self, name: str) -> bool:
        """Whether the step that gives a cell has a closed form which does not rest on it."""
        step = self.steps.get(name)
        return step is not None and step.how in UNIQUE and step.form is not None and name not in self.on(step.form)

    def _solved_together(self) -> Together:
        """Return how the cells that were solved for together follow the inputs."""
        cells = self.answer.cells
        names = [name for name in cells if name not in self.formulas and self.is_simultaneous(name)]
        stated = {name: self._stated.get(name, self.question.formula(name)) for name in names}
        own = {name: formula for name, formula in stated.items() if formula is not None}
        asked = [relation for relation in self.relations.values() if relation.is_equation]
        if len(names) < 2:
            return NOTHING
        if len(names) > 2:  # the last that is asked for follows the others, so that these are listed in their order
            names.sort(key=[*self.answer.outcomes, *names].index, reverse=True)
        options = self.question.options
        found = together(names, own, asked, formulas=self.formulas, values=self.values, options=options)
        return in_rows(self.answer, found)

    @cached_property
    def values(self) -> dict[str, Number | str]:
        """The values of cells, choices, literals and goals [base units]."""
        return {**self.answer.values, **{goal.key: goal.si for goal in self.goals}}

    @cached_property
    def steps(self) -> dict[str, Step]:
        """The step that gives each computed cell."""
        return {step.cell.name: step for step in (*self.answer.execution.steps(), *self.answer.steps)}

    @cached_property
    def solved(self) -> list[str]:
        """The cells to solve for in the order in which they are: what the unknowns rest on, then the unknowns."""
        cells, outcomes = self.answer.cells, self.answer.outcomes
        missing = [name for name, value in cells.items() if name not in self.formulas and not value.is_input]
        ordered = [step.cell.name for step in self.answer.execution.steps(of=missing)]
        before = [name for name in (*ordered, *missing) if name not in outcomes]
        in_order = [*dict.fromkeys([*before, *in_turn(self, [name for name in outcomes if name in missing])])]
        behind = behind_of(self, in_order).keys()
        return [*(name for name in in_order if name not in behind), *(name for name in in_order if name in behind)]

    @cached_property
    def behind(self) -> dict[str, Relation]:
        """The cells that an unknown gives by its own formula, each with that."""
        return behind_of(self, self.solved)

    @cached_property
    def conditions(self) -> dict[str, list[Relation]]:
        """By cell to solve for, the relations and limits that depend on it, and on none that comes later."""
        stated = {equation.relation.text for equation in stated_equations(self.question) if equation.kind == "formula"}
        stated |= self.turned_round
        asked = [relation for text, relation in self.relations.items() if text not in stated]
        asked += [*self.behind.values(), *self.turned]
        conditions: dict[str, list[Relation]] = {name: [] for name in self.solved}
        seen: set[tuple[Expr, str, Expr]] = set()
        if last := self.together.searched or "".join(self.together.free[-1:]):
            conditions[last] += self.together.left
            asked = [relation for relation in asked if not relation.is_equation]
        if not self.together.left or self.together.free:
            asked += [own for name in self.followers for own in self._bounds_of(name)]
        known = {*self.answer.cells, *self.question.options}
        written = self.question.sheet.limits  # they follow a change of the option, where all branches are known
        limits = (written[own.name] if written[own.name].cells <= known else own for own in self.question.limits)
        for relation in (*asked, *limits):
            on, sides = self.concerned(relation), (relation.left, relation.operator, relation.right)
            if on and sides not in seen and relation.cells <= known:
                seen.add(sides)
                conditions[max(on, key=self.solved.index)].append(relation)
        for name, own in conditions.items():
            if self.is_tried(name):
                conditions[name] = [*own, *self._counts_between(name, own)]
        return conditions

    def is_tried(self, name: str) -> bool:
        """Whether the whole numbers of a cell are tried one by one, since inequalities or divisors leave several."""
        is_free = name == self.together.searched and not self.together.left
        return is_free or name in self.together.free or self.is_listed(name)

    def is_listed(self, name: str) -> bool:
        """Whether an unknown has several whole numbers, such as divisors, found one by one."""
        outcome = self.answer.outcomes.get(name)
        if outcome is None or outcome.kind != "values":
            return outcome is not None and outcome.kind == "whole"
        return outcome.cell.integer and outcome.condition is not None and outcome.condition.repeats

    def _counts_between(self, name: str, conditions: Sequence[Relation]) -> list[Relation]:
        """Return that counts between a cell and its conditions are whole, where their formulas do not say so."""
        cells = self.question.sheet.cells
        counts = frozenset(cell.name for cell in cells.values() if cell.integer)
        between = self.between(name, *(side for own in conditions for side in (own.left, own.right)))
        unsure = [own for own in between if own not in self.followers and not is_whole(self.formulas[own], counts)]
        return [relation for own in unsure for relation in self._bounds_of(own)]

    def _bounds_of(self, name: str) -> list[Relation]:
        """Return that a count or an unknown which follows from another one is whole, and within its bounds."""
        cell = self.question.sheet.cells[name]
        return [*bounds_of(cell, self.formulas[name])] if cell.integer or name in self.answer.outcomes else []

    def is_simultaneous(self, name: str) -> bool:
        """Whether a cell was solved for together with others."""
        return name in self.steps and self.steps[name].how is Method.SIMULTANEOUS

    def leave_out(self, names: Iterable[str]) -> None:
        """Drop formulas that a spreadsheet program does not take."""
        for name in names:
            self.formulas.pop(name, None)

    def on(self, *sides: Expr) -> frozenset[str]:
        """Return the cells to solve for on which expressions rest."""
        return frozenset().union(*(self.rests_on(name) for side in sides for name in cells_of(side)))

    def concerned(self, relation: Relation) -> frozenset[str]:
        """Return the cells to solve for on which a relation rests, also by the formulas of cells that have a demand."""
        sides = (relation.left, relation.right)
        before = self.in_order(sides, self.formulas.__contains__) if self.demanded else []
        return self.on(*sides, *(self.demanded[name] for name in before if name in self.demanded))

    def rests_on(self, name: str) -> frozenset[str]:
        """Return the cells to solve for on which a cell rests by the formulas: itself where it is one."""
        if name not in self._rests:
            self._rests[name] = frozenset()  # ends cycles
            formula = self.formulas.get(name)
            self._rests[name] = self.on(formula) if formula is not None else frozenset({name} & {*self.solved})
        return self._rests[name]

    def between(self, name: str, *sides: Expr) -> list[str]:
        """Return the cells between one to solve for and expressions, in the order in which they are computed."""
        if (name, sides) not in self._between:
            self._between[name, sides] = self.in_order(sides, lambda cell: cell != name and name in self.rests_on(cell))
        return self._between[name, sides]

    def in_order(self, sides: Iterable[Expr], is_wanted: Callable[[str], bool]) -> list[str]:
        """Return the wanted cells in expressions, and before these, in the order in which they are computed."""
        order: dict[str, None] = {}

        def visit(cell: str) -> None:
            if cell not in order and is_wanted(cell):
                for used in sorted(cells_of(self.formulas[cell])):
                    visit(used)
                order[cell] = None

        for side in sides:
            for cell in sorted(cells_of(side)):
                visit(cell)
        return [*order]

    def _formula(self, name: str) -> Expr | None:
        """Return what gives a cell; of a cycle of formulas, which programs reject, only what follows in the steps."""
        question, cell = self.question, self.question.sheet.cells[name]
        if self.is_inverted(name):
            return None
        if name in self._stated:
            return self._stated[name]
        demand = self._demand(name)
        if demand is not None:
            return demand
        if name not in question.sheet.rows.tied:
            return cell.formula
        step = None if name in question.pins else self.steps.get(name)
        return None if step is None else step.form

    def _demand(self, name: str) -> Expr | None:
        """Return the demand that gives a cell, where its formula has no value: `total_work` of a run without tokens."""
        question, pin = self.question, self.question.pins.get(name)
        formula = question.formula(name)
        if pin is None or formula is None or cells_of(formula) <= self.answer.cells.keys():
            return None
        relation = self.relations.get(pin.relation.text)
        return None if relation is None or relation.left != symbol(name) else relation.right

    def is_inverted(self, name: str) -> bool:
        """Whether a relation sets an unknown with a formula of its own, and by that formula what it rests on."""
        inverted = name in self.answer.outcomes and name in self.steps and self.steps[name].how is not Method.DIRECT
        return inverted and name not in self.question.sheet.rows.tied

    @cached_property
    def _stated(self) -> Mapping[str, Expr]:
        """The formulas that the question or a default states, by cell; of a default with all of its branches."""
        question = self.question
        equations = {**self.answer.system.structure.equations}
        equations |= {equation.key: equation for equation in stated_equations(question)}
        stated: dict[str, Expr] = {}
        for equation in equations.values():
            if equation.stated is not None and equation.key.startswith(("stated", "inferred")):
                own = self.relations.get(equation.stated.text, equation.stated) if equation.stated.text else None
                formula = (own or equation.stated).right
                inferred = question.sheet.cells[equation.target].inferred
                whole = (other for other in inferred if taken(other, question.options) == formula)
                stated[equation.target] = next(whole, formula)
        return stated


def keys_of(answer: Answer, goals: Sequence[Goal]) -> list[str]:
    """Return the keys of the rows of an answer in order: records, demands of the question, choices, cells."""
    question = answer.question
    return [*dict.fromkeys((*question.records, *(goal.key for goal in goals), *question.options, *answer.cells))]
