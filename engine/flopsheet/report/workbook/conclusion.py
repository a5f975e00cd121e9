"""The sheet Answer: question, answer and verdicts, all of them formulas over the sheet Model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import sentence
from flopsheet.errors import joined
from flopsheet.registry.store import sources
from flopsheet.report import sentences
from flopsheet.report.conflicts import conflict_of
from flopsheet.report.texts.asked import question_text, title
from flopsheet.report.texts.rejections import rejections
from flopsheet.report.workbook.columns import SCENARIOS
from flopsheet.report.workbook.headlines import Headlines
from flopsheet.report.workbook.live_texts import AS_ASKED
from flopsheet.report.workbook.lost import LACKING, valueless_test
from flopsheet.report.workbook.model.inputs import OUTSIDE, any_changed, any_outside, is_any_outside, is_independent
from flopsheet.report.workbook.model.sheet import MODEL
from flopsheet.report.workbook.writer import NO_NUMBER, quoted
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.verification.checks import Check
    from flopsheet.formulas.relation import Relation
    from flopsheet.report import Extras
    from flopsheet.report.workbook.blocks.sheet import Block
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.scenarios import Names
    from flopsheet.report.workbook.writer import SheetWriter
    from flopsheet.units import Number

WIDTHS = (24, 44, 22, 6, 22, 14, 10)
HOLDS = "Every relation and limit below holds."
BROKEN = "A relation or limit below does not hold with these inputs: ask flopsheet again."
NO_VALUE = "No value works with these inputs, or a search does not reach it: ask flopsheet again."
NOTHING = "At the inputs of the question nothing was found that works; others are not tried here: ask flopsheet again."
UNKNOWN = "Not known with these inputs: ask flopsheet again. What does not follow them is listed below."
NONE = "none"
UNVALUED = "At the inputs of the question an unknown has no single value: relations with it are not checked here."


class Conclusion:
    """Writes the sheet Answer."""

    def __init__(self, answer: Answer, model: Model, writer: SheetWriter) -> None:
        self._answer, self._model, self._writer = answer, model, writer
        self._headlines = Headlines(answer, model, writer)
        self._verdicts: list[tuple[str, Relation]] = []

    def write(self, extras: Extras, names: Names | None = None) -> None:
        """Write all sections; of names that are scenarios, which is the best."""
        question, writer = self._answer.question, self._writer
        writer.row(extras.question or title(question, extras), style="headline")
        writer.row("Question as asked", question_text(question, extras.varied))
        if extras.table is not None:
            writer.row("", f"This sheet is of the first of them; the sheet {SCENARIOS} has a column for each.")
        self._headlines.reserve()
        status = writer.line + 1
        writer.row("Verdict")
        self._names(names)
        self._listed()
        self._stale(every=extras.every, where="in the sheet Model" if names is None else "")
        for text in extras.before:
            writer.row(AS_ASKED.rstrip(": "), text)
        self._inputs()
        self._texts(f"{AS_ASKED}not checked, or not holding", sentences.broken_texts(self._answer))
        self._unknowns()
        self._checks("Checks", self._model.answer.checks)
        self._checks("Limits", self._model.answer.limits)
        self._beside()
        self._texts(f"{AS_ASKED}warnings", self._answer.cautions)
        self._texts("Overridden defaults", self._answer.dropped_defaults)
        self._defaults()
        self._texts("Assumptions", question.sheet.assumptions)
        self._texts("Notes", question.sheet.notes)
        self._sources()
        self._texts(f"{AS_ASKED}remarks", extras.after)
        self._verdict(status)

    def _names(self, names: Names | None) -> None:
        """Write the best of the names in the sheet Scenarios, and how many of those tried are there."""
        writer, ranking = self._writer, self._answer.ranking
        if names is None or ranking is None:
            return
        asked = joined(list(ranking.names))
        writer.row(f"Best {asked} now")
        writer.formula(1, names.formula, names.best, "live head")
        rest = names.tried - names.live
        of = f"{names.live} of the {names.tried} that were tried" if rest else f"all {names.tried}"
        writer.row("", f"Found among {of}, each a live column of the sheet {SCENARIOS}. Below is {names.best}.")
        if rest:
            writer.row("Not live")
            tried = f"The other {rest} were" if rest > 1 else "The other one was"
            writer.text(1, f"{tried} tried at the inputs of the question only: ask flopsheet again.", "stale")

    def _listed(self) -> None:
        """Write from how many tuples of counts the answer is taken, and how many of these work now."""
        own, writer = self._model.list, self._writer
        if own is not None:
            writer.row("Tuples")
            writer.formula(1, *own.about, "live text")

    def _stale(self, *, every: bool, where: str) -> None:
        """Write in red what does not follow the inputs; chosen names are picked somewhere else, if anywhere."""
        texts = self._model.stale_texts(where)
        nothing = [name for name, outcome in self._model.answer.outcomes.items() if outcome.kind == "none"]
        texts += [
            f"{name} has no value, which stays so when an input changes: ask flopsheet again." for name in nothing
        ]
        unchecked = self._model.unchecked
        texts += [f"'{relation.text}' is not checked again when an input changes." for relation in unchecked]
        texts += ["The sheet Values has the values at the inputs of the question."] if every else []
        for text in texts:
            self._writer.row("Not live")
            self._writer.text(1, text, "stale")

    def _inputs(self) -> None:
        """Write the records and options that the question names."""
        question = self._answer.question
        self._writer.row("Sheet", question.sheet.title)
        self._chosen({name: record.key for name, record in question.records.items()} | question.choices)

    def _defaults(self) -> None:
        """Write the options that nobody chose, which are many on large sheets."""
        question = self._answer.question
        default = {name: option for name, option in question.options.items() if name not in question.choices}
        if default:
            self._writer.section("Options by default")
        self._chosen(default)

    def _chosen(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            self._writer.row(name)
            self._writer.formula(1, f"={self._model.names[name]}", text)

    def _unknowns(self) -> None:
        answer, writer = self._answer, self._writer
        if answer.outcomes or answer.ranking:
            writer.section(
                "unknown",
                "answer at the inputs of the question",
                "value",
                "",
                "other end",
                "unit",
                numbers=(2, 4),
                units=(5,),
            )
        if answer.ranking is not None:
            writer.row(
                ", ".join(answer.ranking.names), f"{sentences.ranking_text(answer.ranking)}. {answer.ranking.why}"
            )
            for text in rejections(answer.ranking):
                writer.row("", text)
        for name, outcome in answer.outcomes.items():
            text = f"{sentence(sentences.outcome_text(outcome))} {outcome.why}".strip()
            writer.row(name, text)
            writer.text(5, outcome.cell.unit.text, "unit")
            if name in self._model.answer.cells:
                value, place = self._model.result(name), self._model.names[name]
                shown = NONE if value == NO_NUMBER else value
                lost = _any([f"ISERROR({own})" for own in (place, *self._behind(name))])
                writer.formula(2, f"=IF({lost},{quoted(NONE)},{place})", shown, whole=outcome.cell.integer)
                writer.count(2, outcome.cell.unit.text)
                self._headlines.write_far(name, 4)
        conflict = conflict_of(answer).text
        self._texts(f"{AS_ASKED}conflict", [conflict] if conflict else [])

    def _checks(self, heading: str, checks: Sequence[Check]) -> None:
        model, writer = self._model, self._writer
        if checks:
            writer.section(heading)
            writer.head("name", "relation", "left", "", "right", "unit", "holds", numbers=(2, 4), units=(5,))
        for check in checks:
            relation = model.relation(check)
            # A sign alone would be a formula to some programs: the writer writes it as a text, like every other.
            writer.row(relation.name, model.text_of(relation))
            writer.text(3, relation.operator, "unit")
            writer.text(5, check.unit.text, "unit")
            for column, side, si in ((2, relation.left, check.left), (4, relation.right, check.right)):
                writer.formula(column, model.formulas.formula(side, check.unit), in_unit(si, check.unit))
                writer.count(column, check.unit.text)
            holds = model.formulas.holds(relation.left, relation.operator, relation.right)
            lost = any(model.result(name) == NO_NUMBER for name in relation.cells & model.answer.cells.keys())
            writer.formula(6, holds, NO_NUMBER if lost else check.holds, "verdict")
            if lost:
                writer.judge(6)
            if not check.lifted:
                self._verdicts.append((f"G{writer.line + 1}", relation))

    def _beside(self) -> None:
        """Write what each whole number beside an answer gives, in green where it works."""
        for name, block in self._model.blocks.items():
            if block.beside:
                self._writer.section(f"{name} and the whole numbers beside it")
                self._writer.head(
                    "number", "relation", "left", "", "right", "unit", "all hold", numbers=(2, 4), units=(5,)
                )
                self._numbers(block)

    def _numbers(self, block: Block) -> None:
        writer, way = self._writer, block.way
        for row in block.beside:
            for at, relation in enumerate(way.relations):
                writer.row("", self._model.text_of(relation))
                writer.text(3, relation.operator, "unit")
                writer.text(5, block.units[at].text, "unit")
                if at == 0:
                    writer.formula(0, f"={row.tried}", row.value, "ordinal", whole=way.whole)
                    writer.formula(6, f"={row.holds}", row.known.holds)
                for column, place, si in zip((2, 4), row.sides[at], row.known.sides[at], strict=True):
                    value: Number | str = "" if si is None else in_unit(si, block.units[at])
                    writer.formula(column, f'=IFERROR({place},"")', value)
                    writer.count(column, block.units[at].text)

    def _texts(self, heading: str, texts: Sequence[str]) -> None:
        if texts:
            self._writer.section(heading)
        for text in texts:
            self._writer.row("", text)

    def _sources(self) -> None:
        cited = [key for value in self._answer.cells.values() for key in sentences.sources_of(value)]
        keys = dict.fromkeys([*cited, *self._answer.question.sheet.sources])
        if keys:
            self._writer.section(f"{AS_ASKED}sources")
        for key in keys:
            source = sources().get(key)
            self._writer.row(key, *((source.title, source.url, "", source.read) if source else ()))

    def _verdict(self, line: int) -> None:
        """Write at the top whether all holds below, in green or red; and the answers, which say so too."""
        answer, model, writer, end = self._answer, self._model, self._writer, self._writer.line
        outside = any_outside(MODEL, len(model.keys) + 1)
        own = {
            name: [outside]
            + [_fails(place, of) for place, of in self._verdicts if self._is_asked_of(name, of)]
            + [f"ISERROR({place})" for place in self._behind(name)]
            + model.beyond_bounds(name)
            for name in answer.outcomes
        }
        self._headlines.write(own)
        writer.line = line
        stays = self._unsolved()
        if stays:
            writer.text(1, stays, "stale")
        else:
            broken = [_fails(place, of) for place, of in self._verdicts] + model.beyond_bounds()
            text = f"IF(OR({','.join(broken)}),{quoted(BROKEN)},{quoted(HOLDS)})" if broken else quoted(HOLDS)
            missing, valueless = NO_VALUE if answer.outcomes else LACKING, valueless_test(model, MODEL)
            text = f"IF({valueless},{quoted(missing)},{text})" if valueless else text
            if model.is_frozen:
                text = f"IF({any_changed(MODEL, len(model.keys) + 1)},{quoted(UNKNOWN)},{text})"
            text = f"IF({outside},{quoted(OUTSIDE)},{text})"
            lost = any(model.result(name) == NO_NUMBER for name in answer.outcomes)
            known = OUTSIDE if is_any_outside(model) else NO_VALUE if lost else HOLDS if model.all_hold else BROKEN
            writer.formula(1, f"=IFERROR({text},{quoted(NO_VALUE)})", known, "answer")
            for wrong in (BROKEN, NO_VALUE, LACKING, OUTSIDE, UNKNOWN):
                writer.judge(1, quoted(HOLDS), quoted(wrong))
        writer.line = end

    def _is_asked_of(self, name: str, relation: Relation) -> bool:
        """Whether an unknown has no value where a relation does not hold: of one with a formula, those that name it."""
        live = self._model.live
        if name in live.solved:
            return name in live.concerned(relation)
        if not relation.name and not relation.is_equation and is_independent(self._model, relation):
            return True
        return not relation.name and name in relation.cells and name in live.formulas

    def _behind(self, name: str) -> list[str]:
        """Return the places of the cells that an unknown gives by its own formula; without these it has no value."""
        model = self._model
        return [model.names[cell] for cell, own in model.live.behind.items() if name in own.cells]

    def _unsolved(self) -> str:
        """Return the verdict where an unknown has no value that cells could follow; empty where each has one."""
        answer = self._model.answer
        no_name = answer.ranking is not None and not answer.ranking.working
        if no_name or any(outcome.kind == "none" for outcome in answer.outcomes.values()):
            return NOTHING
        return "" if answer.outcomes.keys() <= answer.cells.keys() else UNVALUED


def _any(tests: Sequence[str]) -> str:
    return f"OR({','.join(tests)})" if len(tests) > 1 else "".join(tests)


def _fails(place: str, relation: Relation) -> str:
    """Return the test that a relation does not hold; a limit on a figure that no picked record has is not checked."""
    return f"IF(ISNA({place}),FALSE,NOT({place}))" if relation.name else f"NOT({place})"
