"""How the rows of an answer follow its inputs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.report.workbook.blocks.proof import Proven, bound_tests
from flopsheet.report.workbook.formulas import ExcelFormulas
from flopsheet.report.workbook.live import Live, keys_of
from flopsheet.report.workbook.live_texts import relation_text
from flopsheet.report.workbook.model.inputs import is_independent, own_formula_tests
from flopsheet.report.workbook.records import chosen_ways
from flopsheet.report.workbook.solved.way import LISTED, NONE, Way
from flopsheet.report.workbook.solved.ways import behind_forms, way_of
from flopsheet.report.workbook.tried import Tried, is_lost
from flopsheet.report.workbook.tuple_list import Scenario, list_of
from flopsheet.report.workbook.writer import NO_NUMBER, excel_names
from flopsheet.units import close, in_unit

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.verification.checks import Check
    from flopsheet.formulas.relation import Relation
    from flopsheet.report.workbook.blocks.scan import Scanned
    from flopsheet.report.workbook.blocks.sheet import Block
    from flopsheet.report.workbook.records import Records
    from flopsheet.units import Number


class Model:
    """The rows of an answer, and how each follows the inputs.

    Args:
        answer: the answer, or one with its unknowns at numbers that are tried.
        records: the sheets of records.
        scenario: its column in another sheet; without, values get defined names, and headings do not name it.
    """

    def __init__(self, answer: Answer | Tried, records: Records, scenario: Scenario | None = None) -> None:
        self.tried = isinstance(answer, Tried)
        self.has_values = not isinstance(answer, Tried) or answer.has_values
        answer = answer.answer if isinstance(answer, Tried) else answer
        self.answer, self.records, self.live = answer, records, Live(answer, tried=self.tried)
        self.scenario = scenario
        self.goals = {goal.key: goal for goal in self.live.goals}
        self.keys = keys_of(answer, self.live.goals)
        if scenario is None:
            first = sorted(self.keys, key=lambda key: key in answer.question.records or key in self.goals)
            self.names = dict(zip(first, excel_names(map(self.label, first)).values(), strict=True))
        else:
            self.names = {key: scenario.places[key] for key in self.keys}
        units = {name: value.cell.unit for name, value in answer.cells.items()}
        units |= {key: goal.unit for key, goal in self.goals.items()}
        self.formulas = ExcelFormulas(self.names, units, answer.question.literals, tuple(answer.question.sheet.cells))
        places = {} if scenario is None else {key: f"{scenario.sheet}!{place}" for key, place in self.names.items()}
        self.outside = self.formulas.over(places)
        self.texts = self._texts()
        self.ways = {name: way_of(self.live, name) for name in self.live.solved}
        self.list = list_of(self)
        self.ways |= {} if self.list is None else {own: Way(answer.cells[own].cell, LISTED) for own in self.list.places}
        self.blocks: dict[str, Block] = {}
        self.proven: dict[str, Proven] = {}
        self.scanned: dict[str, Scanned] = {}
        self.far: dict[str, str] = {}  # the formulas of the other ends of ranges
        self.is_marked = False  # whether a scenario asks which inputs changed
        self.turned: set[str] = set()  # the cells that are at the other end where that decides

    def _texts(self) -> dict[str, str]:
        """Return the formula of each cell that has one which spreadsheets take, and of each figure of a record."""
        cells, texts = self.answer.cells, dict[str, str]()
        for name, formula in self.live.formulas.items():
            text = self.formulas.formula(formula, cells[name].cell.unit)
            if text is not None:
                texts[name] = text
        self.live.leave_out(self.live.formulas.keys() - texts.keys())
        behind = {
            name: (form, self.formulas.formula(form, cells[name].cell.unit)) for name, form in behind_forms(self.live)
        }
        self.live.follow({name: form for name, (form, text) in behind.items() if text is not None})
        texts |= {name: text for name, (_, text) in behind.items() if text is not None}
        return {**texts, **chosen_ways(self.answer, self.records, self.formulas)}

    def label(self, key: str) -> str:
        """Return what a row is called: `goal train_time`."""
        return self.goals[key].label if key in self.goals else key

    def unit(self, key: str) -> str:
        """Return the unit of a row, empty where it has none."""
        if key in self.goals:
            return self.goals[key].unit.text
        return self.answer.cells[key].cell.unit.text if key in self.answer.cells else ""

    def value(self, key: str) -> Number | str:
        """Return the value of a row in its unit, the key of a record or the option of a choice."""
        question = self.answer.question
        if key in question.records:
            return question.records[key].key
        if key in self.goals:
            return in_unit(self.goals[key].si, self.goals[key].unit)
        return question.options[key] if key in question.options else self.answer.cells[key].exact

    def is_input(self, key: str) -> bool:
        """Whether a person may change a row: no formula gives it, and it was not solved for."""
        if key in self.answer.question.records:
            return not self.records.owner(self.answer.question, key)
        return key not in self.texts and key not in self.ways

    def text_of(self, relation: Relation) -> str:
        """Return a relation as a text that stays true when the number of a demand changes."""
        return relation_text(relation, tuple(self.answer.question.sheet.cells), self.live.goals)

    def relation(self, check: Check) -> Relation:
        """Return the relation of a check, with the demands of the question as inputs."""
        written = self.answer.question.sheet.limits if check.relation.name else self.live.relations
        return written.get(check.relation.name or check.relation.text, check.relation)

    @property
    def stale(self) -> dict[str, str]:
        """The cells that do not follow the inputs, each with the reason."""
        return {name: way.why for name, way in self.ways.items() if way.kind == NONE}

    @property
    def unchecked(self) -> list[Relation]:
        """The relations that are not checked again: a program does not take them, or a limit has no value here."""
        pairs = ((check, self.relation(check)) for check in self.answer.binding)
        refused = [check for check, own in pairs if self.formulas.holds(own.left, own.operator, own.right) is None]
        return [check.relation for check in refused] + [own for own in self.answer.unchecked if own.name]

    @cached_property
    def is_frozen(self) -> bool:
        """Whether something does not follow the inputs: once these change, no verdict is known."""
        return bool(self.stale or self.unchecked)

    def is_known(self, name: str) -> bool:
        """Whether nothing on which an unknown rests, or that it has to meet, is frozen."""
        live, way = self.live, self.ways.get(name)
        sides = [] if way is None else [side for own in way.relations for side in (own.left, own.right)]
        behind = [cell for cell, own in live.behind.items() if name in own.cells]
        on = live.rests_on(name) | live.on(*sides, *(() if way is None else way.forms)) | {*behind}
        unchecked = (own for relation in self.unchecked for own in live.on(relation.left, relation.right))
        return on.isdisjoint(self.stale) and name not in unchecked

    @property
    def chosen(self) -> tuple[str, ...]:
        """The names that flopsheet chose."""
        return () if self.answer.ranking is None else tuple(self.answer.ranking.names)

    def stale_texts(self, where: str) -> list[str]:
        """Return sentences on what does not follow the inputs.

        Args:
            where: where other names than the chosen ones are picked (`in the sheet Model`); empty where nowhere.
        """
        texts = []
        if where and self.chosen:
            asked = joined(list(self.chosen))
            texts.append(f"{asked} was chosen by flopsheet and is not chosen again here: pick another {where}.")
        return texts + [f"{name} does not follow the inputs: {why}." for name, why in self.stale.items()]

    def beyond_bounds(self, only: str = "") -> list[str]:
        """Return tests that a cell which was solved for, or only this one, is outside its bounds or off its formula."""
        tests = []
        for name in (name for name in self.ways if only in ("", name)):
            tests += bound_tests(self.answer.cells[name].cell, self.names[name], whole=self.ways[name].whole)
            tests += own_formula_tests(self, name)
        return tests

    def is_met(self, name: str) -> bool:
        """Whether an unknown has a value at the inputs of the question, and what rests on it holds there."""
        on = ((check, self.live.concerned(self.relation(check))) for check in self.answer.binding)
        is_lost = not self.has_values and bool(self.live.rests_on(name))
        is_lost = is_lost or (name in self.ways and not all(check.holds for check in self.independent))
        return not is_lost and self._is_whole(name) and all(check.holds for check, names in on if name in names)

    def _is_whole(self, name: str) -> bool:
        """Whether a count is a whole number; true of all else."""
        value = self.answer.cells[name]
        return not value.cell.integer or close(value.si, round(value.si))

    @cached_property
    def independent(self) -> list[Check]:
        """The inequalities that no unknown can change: where one does not hold, no value works that is solved for."""
        asked = [check for check in self.answer.checks if not check.relation.is_equation]
        every = [*asked, *(check for check in self.answer.limits if not check.lifted)]
        return [check for check in every if is_independent(self, self.relation(check))]

    @property
    def all_hold(self) -> bool:
        """Whether each unknown has a value at the inputs of the question, and every relation and limit holds."""
        return all(map(self.is_met, self.ways)) and all(check.holds for check in self.answer.binding)

    def result(self, key: str) -> Number | str:
        """Return what a program computes as the value of a row: an error where it rests on an unknown without one."""
        unmet = {name for name in self.ways if not self.has_values or not self._is_proven(name)}
        lost = self.stale.keys() if self.tried else set()
        unmet |= (
            lost if all(check.holds for check in self.independent) else self.ways.keys()
        ) & self.answer.outcomes.keys()
        return NO_NUMBER if key in self.texts and is_lost(self.live, key, frozenset(unmet)) else self.value(key)

    def _is_proven(self, name: str) -> bool:
        return name not in self.proven or self.proven[name].is_met
