"""An answer on one screen: question, inputs, what decides, drivers, what breaks, and the answer as the last lines."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

from flopsheet.answer.several.verdicts import TOGETHER
from flopsheet.answer.verification.checks import with_room
from flopsheet.report import Detail, Extras, sentences
from flopsheet.report.candidates import MOST_CANDIDATES, candidates, side_by_side, working_of
from flopsheet.report.drivers import strongest
from flopsheet.report.headlines import overridden, results
from flopsheet.report.moves import driven
from flopsheet.report.steps.digits import LeastDigits
from flopsheet.report.steps.used import used_by
from flopsheet.report.tables import Grid, every_value
from flopsheet.report.terminal.checks import check_text, checks_text
from flopsheet.report.terminal.columns import brief, folded, layout
from flopsheet.report.terminal.console import (
    ANSWER,
    BROKEN,
    FAILED,
    MINOR,
    TITLE,
    Line,
    paragraph,
    print_lines,
    width_of,
)
from flopsheet.report.terminal.listings import spaced
from flopsheet.report.terminal.parts import Part, screen, texts_part
from flopsheet.report.terminal.steps import step_entries
from flopsheet.report.texts.asked import asked_for
from flopsheet.report.texts.drivers import drivers_text
from flopsheet.report.texts.outcomes import outcome_texts
from flopsheet.report.texts.ranked import told
from flopsheet.report.texts.rejections import not_working, numbers_of, rejected, start_of
from flopsheet.report.texts.tables import cautions as cautions_of
from flopsheet.report.writeup import WriteUp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.value import CellValue

MOST_LINES = 40
MOST_NAMED, MOST_DECIDING, MOST_DRIVERS, MOST_DRIVEN = 4, 3, 3, 3
FEWEST_INPUTS, FEWEST_ROWS, MOST_WARNINGS = 3, 5, 3
LONGEST_REASON = 60
_CELLS, _CSV = "--all-cells shows all", "--as json has all"
_ROWS: dict[str, Any] = {"least": FEWEST_ROWS, "where": _CSV, "rank": 4}
_REMARK, _PLAIN = "remark", ("", "Computed from its formula.", "Computed from its default.")


def print_answer(
    answer: Answer, file: TextIO | None = None, extras: Extras | None = None, detail: Detail | None = None
) -> None:
    """Print an answer, on one screen unless more is asked for."""
    print_lines(answer_lines(answer, width_of(file), extras, detail), file)


def answer_lines(answer: Answer, width: int, extras: Extras | None = None, detail: Detail | None = None) -> list[Line]:
    """Return the lines of an answer, none longer than the width but for a word that is."""
    detail = detail or Detail()
    parts = _Screen(answer, extras or Extras(), detail, width).parts()
    return screen(parts, None if detail.steps or detail.cells else MOST_LINES)


class _Screen:
    def __init__(self, answer: Answer, extras: Extras, detail: Detail, width: int) -> None:
        self._answer, self._extras, self._detail, self._width = answer, extras, detail, width
        self._page, self._digits = WriteUp(answer, extras), LeastDigits(answer)

    def parts(self) -> Iterator[Part]:
        """Yield what a screen shows, the answer last."""
        question = self._page.heading if self._extras.question else self._page.asked
        yield Part([paragraph(question, self._width, TITLE, "")])
        yield self._cells() if self._detail.cells else self._inputs()
        if self._detail.steps:
            yield self._steps()
        if self._extras.table is None or self._detail.cells:
            yield self._about()
        yield self._hint()
        yield from self._tables()
        yield self._rejected()
        yield self._result()
        if not (self._answer.outcomes or self._answer.ranking or self._extras.table or self._is_summed_up):
            yield self._forward()

    def _steps(self) -> Part:
        answer, note, steps = self._answer, list[Line](), self._answer.steps
        if self._detail.steps != "all":
            steps = used_by(answer, self._extras).steps
            left_out = len(answer.steps) - len(steps)
            text = f"{left_out} of {len(answer.steps)} steps are left out: --steps all shows them."
            note = paragraph(text, self._width, MINOR) if left_out else note
        entries, failing = step_entries(answer, steps, self._width), paragraph(self._page.conflict, self._width)
        if self._page.conflict and not entries:
            return Part([failing])
        note = [*note, *(failing if self._page.conflict else [])]
        return Part(entries, [Line("Steps", TITLE)], note=note)

    def _table(self, grid: Grid, *, style: str = "", short: bool = False, keep: int = 1, **how: Any) -> Part:
        shown = layout(grid.head, grid.rows, self._width, grid.least, short=short, keep=keep)
        entries = [[Line(text, style) for text in row] for row in shown.rows]
        note = paragraph(shown.note, self._width, MINOR) if shown.note else []
        return Part(entries, [Line(text) for text in shown.head], note=note, width=self._width, **how)

    def _inputs(self) -> Part:
        """Return the inputs of the steps and drivers that are shown, and how many others there are."""
        varied = {*self._extras.varied, *(() if self._answer.ranking is None else self._answer.ranking.names)}
        named = {entry.name for entry in self._page.used_inputs} | self._driving
        every = [
            (entry, value)
            for entry, value in ((entry, self._answer.cells[entry.name]) for entry in self._page.inputs)
            if entry.name not in varied and value.cell.part not in varied
        ]
        shown = [(entry, value) for entry, value in every if entry.name in named]
        rows = [[entry.name, entry.value, _source(value), value.cell.doc] for entry, value in shown]
        grid = Grid(["input", "value", "source", "meaning"], rows, ("source",))
        least = 0 if self._extras.table or self._answer.ranking else FEWEST_INPUTS
        last = [place for place in reversed(range(len(shown))) if shown[place][0].kind != "given"]
        how: dict[str, Any] = {"least": least, "last": last, "rest": len(every) - len(shown), "hinted": True}
        return self._table(grid, short=True, keep=2, noun="input", where=_CELLS, **how)

    def _cells(self) -> Part:
        answer, rows = self._answer, []
        names = tuple(answer.question.sheet.cells)
        for value in self._shown:
            formula = answer.question.formula(value.cell.name) if value.origin == "computed" else None
            source = _source(value) if formula is None else spaced(formula, names)
            taken = value.record is not None and value.said_by != value.record.key
            meaning = sentences.meaning_text(value) if taken else value.cell.doc
            rows.append([value.cell.name, sentences.value_text(value, self._digits), source, meaning])
        return self._table(Grid(["cell", "value", "source", "meaning"], rows, ("source",)), keep=2)

    @cached_property
    def _shown(self) -> list[CellValue]:
        return [self._answer.cells[name] for name in self._answer.question.shown_cells if name in self._answer.cells]

    def _about(self) -> Part:
        """Return what decides, the drivers, and that relations and limits hold."""
        answer, every = self._answer, self._detail.cells
        names = tuple(answer.question.sheet.cells)
        deciding = self._page.used_bindings[:MOST_DECIDING]
        if every:
            deciding = [sentences.binding_text(binding, names) for binding in answer.bindings]
        drivers = ((name, drivers_text(answer, name, self._most_drivers)) for name in driven(answer)[:MOST_DRIVEN])
        texts = [f"With {self._page.first}:"] if answer.ranking and self._page.first else []
        texts += [f"What decides: {text}" for text in deciding]
        texts += [f"Percent change of {name} {text}" for name, text in drivers if text]
        checks = [*answer.checks, *answer.limits]
        texts += (
            [check_text(check, self._digits) for check in checks]
            if every
            else [checks_text(checks, with_room(self._answer, checks))]
        )
        hidden = [text for text in self._page.names if not self._is_seen(text.partition(" = ")[2])]
        texts += [f"Records and options: {', '.join(hidden)}."] if hidden else []
        dropped = [overridden(answer, name) for name in answer.dropped_defaults]
        texts += [f"Defaults overridden by the question: {folded(dropped, MOST_NAMED)}."] if dropped else []
        return texts_part(texts, self._width, least=0, noun="line", where=_CELLS, rank=2, hinted=True)

    @property
    def _most_drivers(self) -> int | None:
        return None if self._detail.cells or len(self._answer.outcomes) == 1 else MOST_DRIVERS

    @property
    def _driving(self) -> set[str]:
        """The inputs that are shown as drivers; beside a table of several questions none are."""
        moved = driven(self._answer)[:MOST_DRIVEN] if self._extras.table is None else []
        return {by for name in moved for by, _ in strongest(self._answer, name)[: self._most_drivers]}

    def _is_seen(self, key: str) -> bool:
        """Whether an input that is shown says that it is from a record."""
        return any(self._answer.cells[entry.name].said_by == key for entry in self._page.used_inputs)

    def _hint(self) -> Part:
        steps, cells = len(self._answer.steps), len(self._shown)
        hints = ["--steps"] if (steps or not self._answer.meets_question) and not self._detail.steps else []
        hints += [f"--steps all (all {steps} steps)"] if steps > 1 and self._detail.steps != "all" else []
        if cells and not self._detail.cells:
            hints.append(f"--all-cells (all {cells} cells)" if cells > 1 else "--all-cells")
        return texts_part([f"More: {', '.join(hints)}."] if hints else [], self._width, MINOR)

    def _tables(self) -> Iterator[Part]:
        """Yield the tables that are part of the answer, the remarks on their rows below them, in red."""
        every = every_value(self._answer) if self._extras.every else Grid([], [])
        if (names := candidates(self._answer)).rows and self._extras.table is None and not every.head:
            count = len(working_of(self._answer)[1])
            grid = Grid(names.head, names.rows[:MOST_CANDIDATES], names.least)
            noun = "name" if self._answer.ranking else "tuple" if len(self._answer.outcomes) > 1 else "value"
            part = self._table(grid, noun=noun, rest=max(count - MOST_CANDIDATES, 0), **_ROWS)
            part.note += paragraph(self._page.equals, self._width, MINOR) if self._page.equals else []
            yield part
        if every.head:
            yield self._table(every, noun="value", **_ROWS)
        if self._extras.table is None:
            return
        grid, varied = side_by_side(self._extras.table), len(self._extras.table.varied)
        remarks = [row[-1] if grid.head[-1] == _REMARK else "" for row in grid.rows]
        if any(remarks):
            grid = Grid(grid.head[:-1], [row[:-1] for row in grid.rows], grid.least)
        part = self._table(grid, noun="row", **_ROWS)
        for entry, remark in zip(part.entries, remarks, strict=True):
            entry[:] = [Line(line.text, BROKEN if remark else "") for line in entry]
        yield part
        rows: dict[str, list[str]] = {}
        for row, remark in zip(grid.rows, remarks, strict=True):
            if remark:
                rows.setdefault(remark, []).append(", ".join(row[:varied]))
        texts = [
            f"{folded([f'({name})' if varied > 1 else name for name in of], MOST_NAMED)}: {remark}"
            for remark, of in rows.items()
        ]
        yield texts_part(texts, self._width, BROKEN, least=2, noun="remark", where=_CSV, rank=3)

    def _rejected(self) -> Part:
        """Return the names that do not work, by the start of the reason: the relation that does not hold."""
        ranking = self._answer.ranking
        groups: dict[tuple[str, str], dict[str, list[str]]] = {}
        for why, names in {} if ranking is None else rejected(ranking).items():
            verdict = "Not" if ranking is None else not_working(ranking, why)
            groups.setdefault((verdict, start_of(why)), {})[why] = names
        texts = []
        for (verdict, start), by_reason in groups.items():
            names, reason = [name for of in by_reason.values() for name in of], next(iter(by_reason))
            rest = numbers_of(reason)
            if len(by_reason) > 1:
                reason = f"{start} ({rest} for {names[0]})." if len(rest) <= LONGEST_REASON else f"{start}."
            texts.append(f"{verdict} {folded(names, MOST_NAMED)}: {self._text(reason)}")
        return texts_part(texts, self._width, least=1, noun="reason", where="--as json lists all", rank=1)

    def _result(self) -> Part:
        """Return why, then what breaks, then the answer."""
        answer, ranking = self._answer, self._answer.ranking
        cautions = [self._text(text) for text in cautions_of(answer, self._extras.table) if not told(text)]
        if len(cautions) > MOST_WARNINGS + 1 and not self._detail.cells:
            cautions[MOST_WARNINGS:] = [f"{len(cautions) - MOST_WARNINGS} more warnings: --all-cells shows them."]
        if self._extras.table is not None:
            return Part([*(paragraph(text, self._width, BROKEN) for text in cautions), self._headline()])
        plain = {*_PLAIN, TOGETHER} if answer.tuples else _PLAIN
        reasons = [outcome.why for outcome in answer.outcomes.values() if outcome.why not in plain]
        whys = dict.fromkeys([*([ranking.why] if ranking else []), *reasons])
        failed = [check for check in answer.checks if not check.holds and not answer.outcomes]
        broken = [*self._page.broken, *(check_text(check, self._digits) for check in failed)]
        entries = [paragraph(self._text(text), self._width) for text in whys if text]
        entries += [paragraph(text, self._width, FAILED) for text in broken]
        if ranking is None and self._page.first:
            entries.append(paragraph(f"The other cells are those at {self._page.first}.", self._width))
        entries += [paragraph(text, self._width, BROKEN) for text in cautions]
        last = [*reversed(range(1, sum(map(bool, whys))))] if ranking else []
        entries += self._answers()
        least = len(entries) - len(last) if last else None
        return Part(entries, [], least, "reason", _CELLS, last, inline=True, width=self._width, rank=5)

    def _headline(self) -> list[Line]:
        return paragraph(self._page.table_text, self._width, ANSWER)

    def _text(self, text: str) -> str:
        """Return a text with long lists of names folded, unless every cell is asked for."""
        return text if self._detail.cells else brief(text)

    def _answers(self) -> Iterator[list[Line]]:
        answer, ranking = self._answer, self._answer.ranking
        first = ""
        if ranking is not None:
            style = ANSWER if ranking.working else FAILED
            yield paragraph(sentences.ranking_text(ranking), self._width, style)
            first = f"With {self._page.first}: " if self._page.first else ""
        for text, works in outcome_texts(answer):
            yield paragraph(f"{first}{text}", self._width, ANSWER if works else FAILED)
        if self._page.best:
            yield paragraph(self._page.best, self._width, ANSWER)
        if self._is_summed_up:
            yield paragraph(f"{first}{self._page.summary}", self._width, ANSWER)

    @property
    def _is_summed_up(self) -> bool:
        """Whether the question or the sheet says which cells the answer names; the results are in a table else."""
        return bool(self._page.summary) and bool(asked_for(self._answer.question))

    def _forward(self) -> Part:
        """Return the values that nothing else is computed from: the results of a question without an unknown."""
        names = {*results(self._answer)}
        values = [value for value in self._shown if value.cell.name in names]
        rows = [[value.cell.name, sentences.value_text(value, self._digits), value.cell.doc] for value in values]
        grid = Grid(["result", "value", "meaning"], rows)
        return self._table(
            grid, style=ANSWER, short=True, keep=2, least=FEWEST_ROWS, noun="result", where=_CELLS, rank=4
        )


def _source(value: CellValue) -> str:
    return f"{value.said_by or value.origin}{sentences.basis_text(value)}"
