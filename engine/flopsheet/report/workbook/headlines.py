"""The answers at the top of the sheet Answer: sentences that follow the cells, or say that they do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.numbers.sets import whole_ends
from flopsheet.report import sentences
from flopsheet.report.headlines import in_plural, summed_up
from flopsheet.report.workbook.live_texts import (
    AS_ASKED,
    number_text,
    shown_number,
    shown_unit,
    unit_text,
)
from flopsheet.report.workbook.lost import LOST, fraction_of
from flopsheet.report.workbook.solved.sides import is_free
from flopsheet.report.workbook.solved.way import FORM, SEARCH
from flopsheet.report.workbook.writer import number_in, quoted
from flopsheet.units import in_unit, is_finite

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.report.workbook.blocks.scan import Scanned
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.writer import SheetWriter
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

WORDS = {">=": "at least ", ">": "more than ", "<=": "at most ", "<": "less than ", "=": ""}
ENDED = "no value found with these inputs before the search in the sheet Search ended"
EVERY = "any value works"
SMALLEST, LARGEST = ", the smallest that works", ", the largest that works"
ONE = ", one of the values that work"


@dataclass
class _Far:
    """The end of a range at which the answer is not."""

    value: Number  # in the unit of the cell
    closed: bool
    place: str = ""  # where the sheet computes it; empty where nothing does


@dataclass
class Headlines:
    """Writes a sentence for each unknown, in rows that are reserved before what they refer to is written."""

    asked: Answer  # as the engine found it
    model: Model
    writer: SheetWriter
    lines: dict[str, int] = field(default_factory=dict)
    far: dict[str, _Far] = field(default_factory=dict)

    @property
    def answer(self) -> Answer:
        """The answer, or one with its unknowns at numbers that are tried."""
        return self.model.answer

    def reserve(self) -> None:
        """Write what stays, and leave a row for each sentence that follows the cells."""
        for name, outcome in self.answer.outcomes.items():
            self.writer.row("Answer")
            as_asked = _as_asked(self.asked.outcomes[name])
            if not self._is_live(name):
                self.writer.text(1, as_asked, "title")
                continue
            self.lines[name] = self.writer.line
            end = _far_end(outcome)
            if end is not None and name in self.model.far:
                self.far[name] = end
            if self.model.tried or self._rest(name):
                self.writer.row("", "")
                self.writer.text(1, as_asked, "plain")
        for name in self._results:
            self.writer.row("Answer")
            self.lines[name] = self.writer.line

    @property
    def _results(self) -> list[str]:
        """The computed cells that the answer is asked to show, or that sum it up where it has no unknown."""
        return [name for name in summed_up(self.asked) if name in self.model.names and name not in self.answer.outcomes]

    def _is_live(self, name: str) -> bool:
        """Whether an unknown has a value that follows the inputs, and rests on none that does not."""
        return name in self.answer.cells and self.model.is_known(name)

    def _rest(self, name: str) -> str:
        """Return what is behind a number that is not all of the answer; empty where it is."""
        outcome, end = self.answer.outcomes[name], {"<": LARGEST, ">": SMALLEST}
        if self.model.tried:
            way = self.model.ways.get(name)  # none of one that follows from another by a formula
            return end.get(outcome.sign[0], ONE if way is not None and way.kind == SEARCH else "")
        if self.model.live.is_listed(name):
            near, way = self.answer.question.near.get(name), self.model.ways[name]
            nearest = "" if near is None else f", the nearest to {shown_number(near, outcome.cell.unit)} that works"
            return end.get(way.sign, nearest or SMALLEST)
        if is_free(outcome):
            return "" if self._is_one_range(name) else end.get(self.model.ways[name].sign, "")
        several = outcome.kind == "values" or outcome.progressions or outcome.open or len(outcome.listed) > 1
        if several or (name not in self.far and _far_end(outcome) is not None):
            return ONE
        return "" if name in self.far or self._is_one_range(name) else end.get(outcome.bound, "")

    def _is_one_range(self, name: str) -> bool:
        """Whether all numbers on one side of a boundary work, whatever the inputs: one closed form decides alone."""
        way = self.model.ways.get(name)
        if way is None or self.answer.outcomes[name].kind != "range":
            return True
        return way.kind == FORM and all(own in way.relations for own in self.model.live.conditions[name])

    def write_far(self, name: str, column: int) -> None:
        """Write the other end of a range into the current row, and a text of what it is."""
        if name not in self.far:
            return
        end, writer, cell = self.far[name], self.writer, self.answer.outcomes[name].cell
        far, place = self.model.far[name], self.model.names[name]
        proven, tests = self.model.proven.get(name), [f"ISERROR({place})"]
        tests += [] if proven is None else [proven.any, *([f"NOT({proven.both})"] if proven.both else [])]
        writer.formula(column, f'=IFERROR(IF(OR({",".join(tests)}),"",{far[1:]}),"")', end.value, whole=cell.integer)
        writer.count(column, cell.unit.text)
        end.place = f"${chr(ord('A') + column)}${writer.line + 1}"

    def write(self, broken: dict[str, list[str]]) -> None:
        """Write the sentences; of each unknown, the tests that something is broken which depends on it."""
        end = self.writer.line
        for name in self._results:
            self._write_result(name)
        for name, outcome in ((name, own) for name, own in self.answer.outcomes.items() if name in self.lines):
            line, subject = self.lines[name], _subject(outcome.cell)
            text, result = self._sentence(name)
            block = self.model.blocks.get(name)
            missing = ENDED if block is not None and block.result.is_ended else LOST
            result = EVERY if self._is_any(name) else result if self.model.is_met(name) else missing
            fraction = fraction_of(self.model, name)
            result = fraction[1] if fraction is not None and self.model.proven[name].is_fraction else result
            lost = self._lost(name, subject)
            text = f"{quoted(f'{subject}: ')}&{text}"
            if name in self.model.proven:
                text = f"IF({self.model.proven[name].any},{quoted(f'{subject}: {EVERY}')},{text})"
            if broken[name]:
                text = f"IF(OR({','.join(broken[name])}),{lost},{text})"
            self.writer.line = line
            self.writer.formula(1, f"=IFERROR({text},{lost})", f"{subject}: {result}", "answer")
        self.writer.line = end

    def _write_result(self, name: str) -> None:
        """Write the sentence on a computed cell."""
        value = self.answer.cells[name]
        subject, unit = _subject(value.cell), value.cell.unit
        number, shown = (
            number_text(self.model.names[name], unit, whole=value.cell.integer),
            shown_number(value.exact, unit),
        )
        text = f"{quoted(f'{subject}: ')}&{number}&{unit_text(number, unit)}"
        self.writer.line = self.lines[name]
        result = f"{subject}: {shown}{shown_unit(shown, unit)}"
        self.writer.formula(1, f"=IFERROR({text},{quoted(f'{subject}: {LOST}')})", result, "answer")

    def _lost(self, name: str, subject: str) -> str:
        """Return the formula of the sentence on an unknown without a value, which says where a search ended."""
        block, lost = self.model.blocks.get(name), quoted(f"{subject}: {LOST}")
        if block is not None and block.result.ended:
            lost = f"IF({block.result.ended},{quoted(f'{subject}: {ENDED}')},{lost})"
        fraction = fraction_of(self.model, name)
        if fraction is None:
            return lost
        return f"IF({self.model.proven[name].fraction},{quoted(f'{subject}: ')}&{fraction[0]},{lost})"

    def _sentence(self, name: str) -> tuple[str, str]:
        """Return the formula behind the colon of a sentence, and its result."""
        outcome, place, value = self.answer.outcomes[name], self.model.names[name], self.answer.cells[name].exact
        whole, unit = outcome.cell.integer, outcome.cell.unit
        if name in self.far:
            return self._range(name)
        rest = self._rest(name)
        before = "" if rest else self._sign_words(name)
        number, shown = number_text(place, unit, whole=whole), shown_number(value, unit)
        text = f"{number}&{unit_text(number, unit)}"
        text = f"{quoted(before)}&{text}" if before else text
        behind = self._end_text(name) if name in self.model.turned and rest in (SMALLEST, LARGEST) else quoted(rest)
        block = self.model.blocks.get(name)
        if block is not None and block.result.turned and rest in (SMALLEST, LARGEST):
            other = SMALLEST if rest == LARGEST else LARGEST
            behind = f"IF({block.result.turned},{quoted(other)},{behind})"
        if name in self.model.scanned and rest in (SMALLEST, LARGEST):
            behind, rest = _scanned(self.model.scanned[name], behind, rest)
        return (f"{text}&{behind}" if rest else text), f"{before}{shown}{shown_unit(shown, unit)}{rest}"

    def _sign_words(self, name: str) -> str:
        """Return the words before the value of a range with one end: `at least `."""
        outcome, way = self.answer.outcomes[name], self.model.ways.get(name)
        if is_free(outcome) and way is not None:
            is_open = not way.whole and all("=" not in own.operator for own in way.relations)
            return WORDS[way.sign if is_open or way.sign == "=" else f"{way.sign}="]
        if outcome.kind != "range" or outcome.boundary is None:
            return ""
        return WORDS[f"{outcome.sign[0]}=" if outcome.whole is not None else outcome.sign]

    def _is_any(self, name: str) -> bool:
        return name in self.model.proven and self.model.proven[name].is_any

    def _range(self, name: str) -> tuple[str, str]:
        """Return both ends of a range: `11 to 128 chips`, or `more than 1.5 and at most 3 s` where one is open."""
        outcome, end, value = self.answer.outcomes[name], self.far[name], self.answer.cells[name].exact
        whole, unit = outcome.cell.integer, outcome.cell.unit
        places, values = [self.model.names[name], end.place], [value, end.value]
        before, between = ("", " to ") if end.closed else ("at least ", " and less than ")
        if outcome.bound == "<":
            places.reverse()
            values.reverse()
            before, between = (before, between) if end.closed else ("more than ", " and at most ")
        if name in self.model.turned:
            places = [f"{function}({','.join(places)})" for function in ("MIN", "MAX")]
        low, high = (number_text(place, unit, whole=whole) for place in places)
        first, last = (shown_number(value, unit) for value in values)
        behind, shown = unit_text(high, unit), shown_unit(last, unit)
        both = f"{quoted(between)}&{high}"
        if end.closed:
            both = f"IF({low}={high},{quoted('')},{both})"
            result = first if first == last else f"{first}{between}{last}"
        else:
            result = f"{before}{first}{between}{last}"
        if name in self.model.turned:  # which end is the answer follows the inputs, and whether there is another one
            one = f'{end.place}=""'
            unit_behind = unit_text(f"TEXT({places[1]},{quoted('General')})", unit)
            text = f'IF(OR({one},{places[0]}={places[1]}),"",{quoted(before)}&{low}&{quoted(between)})'
            return f'{text}&{high}&{unit_behind}&IF({one},{self._end_text(name)},"")', f"{result}{shown}"
        number = number_text(self.model.names[name], unit, whole=whole)
        one = f"{number}&{unit_text(number, unit)}&{quoted(ONE)}"  # a search may not reach the other end
        return f'IF({end.place}="",{one},{quoted(before)}&{low}&{both}&{behind})', f"{result}{shown}"

    def _end_text(self, name: str) -> str:
        """Return the formula of the words behind one end of a range, of which the answer may be either.

        There are none where it is the other end too, by the bounds of the cell.
        """
        cell, place = self.answer.outcomes[name].cell, self.model.names[name]
        words = []
        for text, end in ((LARGEST, cell.bounds.lower), (SMALLEST, cell.bounds.upper)):
            is_end = is_finite(end) and end in cell.bounds
            alone = f'IF({place}={number_in(in_unit(end, cell.unit))},"",{quoted(text)})'
            words.append(alone if is_end else quoted(text))
        ends = words[::-1] if self.model.ways[name].sign == "<" else words
        return f"IF({self.model.proven[name].turned},{','.join(ends)})"


def _scanned(own: Scanned, behind: str, rest: str) -> tuple[str, str]:
    """Return the words behind an end of a run of whole numbers, as a formula and as they are now."""
    text = f"IF({own.smallest},{quoted(SMALLEST)},{quoted(ONE)})"
    known = SMALLEST if own.is_smallest else ONE
    if rest == LARGEST:  # a search from above has found the same end
        text = f"IF(IFERROR({own.largest},FALSE),{quoted(LARGEST)},{text})"
        known = LARGEST if own.is_largest else known
    return f"IF(ISNUMBER({own.place}),{text},{behind})", known if own.is_found else rest


def _as_asked(outcome: Outcome) -> str:
    """Return the answer as the engine found it, as a text that stays."""
    text = in_plural(sentences.answer_line(outcome))
    return AS_ASKED + (text[:1].lower() + text[1:] if outcome.kind == "none" else text)


def far_ends(answer: Answer) -> dict[str, Number]:
    """Return the ends of ranges at which the answer is not, by cell [base units]."""
    ends = ((name, outcome.cell.unit, _far_end(outcome)) for name, outcome in answer.outcomes.items())
    return {name: unit.factor * end.value for name, unit, end in ends if end is not None}


def _far_end(outcome: Outcome) -> _Far | None:
    """Return the end of a single range at which the answer is not; None where that is an end of its cell."""
    interval, bounds, unit = outcome.interval, outcome.cell.bounds, outcome.cell.unit
    if outcome.kind != "range" or interval is None or not outcome.bound or len(outcome.listed) != 1:
        return None
    is_upper = outcome.bound == ">"
    end, closed = (interval.upper, interval.upper_closed) if is_upper else (interval.lower, interval.lower_closed)
    if not is_finite(end) or end == (bounds.upper if is_upper else bounds.lower):
        return None
    if outcome.whole is not None:
        end, closed = whole_ends(interval)[is_upper], True
    return _Far(in_unit(end, unit), closed)


def _subject(cell: Cell) -> str:
    return f"{cell.stated_doc} ({cell.name})" if cell.doc else cell.name
