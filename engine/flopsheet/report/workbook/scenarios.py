"""The sheet Scenarios: a live column for each row of a table, with what varies at the top, and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.answer.outcomes.wording import unchecked_text
from flopsheet.report import sentences
from flopsheet.report.workbook.blocks.solving import Solving
from flopsheet.report.workbook.charts import write_charts
from flopsheet.report.workbook.columns import FIRST, SCENARIOS, Column, Columns
from flopsheet.report.workbook.formulas import LONGEST_FORMULA
from flopsheet.report.workbook.live_texts import AS_ASKED
from flopsheet.report.workbook.lost import lost_formula, lost_now
from flopsheet.report.workbook.model.inputs import (
    any_changed,
    changed_test,
    input_tests,
    is_any_outside,
    within_tests,
)
from flopsheet.report.workbook.model.sheet import MODEL, write_value
from flopsheet.report.workbook.names import LEAST_ROOM, rank_formula, ranked_at
from flopsheet.report.workbook.scenario_texts import (
    LARGEST_PLAIN,
    as_asked,
    broken_text,
    relation_text,
    short,
    unvalued,
    works_now,
)
from flopsheet.report.workbook.writer import NO_NUMBER, SheetWriter, column_name, quoted

if TYPE_CHECKING:
    from xlsxwriter import Workbook

    from flopsheet.answer.table import Table
    from flopsheet.answer.verification.checks import Check
    from flopsheet.report.workbook.blocks.sheet import SearchSheet
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.names import Order


class Names(NamedTuple):
    """The best of the names that are scenarios."""

    formula: str
    best: str  # at the inputs of the question
    live: int  # how many are scenarios
    tried: int  # how many there were


NAMES, UNITS, VALUES = 42, 17, 18  # widths of the columns
VERDICT = "relations and limits hold"
UNCHECKED = "not checked"
BOUNDS, BEYOND = "computed values are within their bounds", "A computed value is outside its bounds. "
ROOM = 20  # characters of a formula around its tests
SOME_BROKEN = "A relation or limit below does not hold, or an unknown has no value. "


class Scenarios:
    """Writes the sheet Scenarios."""

    def __init__(self, book: Workbook, table: Table, columns: Columns, order: Order | None = None) -> None:
        self._book, self._table, self._columns, self._layout = book, table, columns, columns.layout
        self._order = order
        self.names: Names | None = None
        widths = (NAMES, UNITS, *(VALUES,) * len(columns.every))
        self._writer = SheetWriter(book, SCENARIOS, widths)
        self._tests: dict[int, list[tuple[str, str]]] = {column.at: [] for column, _ in columns.live}

    def write(self, search: SearchSheet) -> None:
        """Write all lines, and the searches of all scenarios but that of the sheet Model."""
        for _, model in self._columns.live:
            if model is not self._columns.main:
                Solving(model, search).write()
        self._head()
        self._values()
        self._checks()
        self._bounds()
        self._ranks()
        self._verdicts()
        self._remarks()
        self._note()
        write_charts(self._book, self._writer, self._table, self._columns)

    def _head(self) -> None:
        """Write what distinguishes each scenario; of one with an answer it follows the inputs."""
        writer, labels = self._writer, list[str]()
        for column in self._columns.every:
            pairs = zip(self._table.varied, column.row.values, strict=True)
            stated = ", ".join(f"{name} = {value}" for name, value in pairs)
            labels.append(stated if column.model is None else self._label(column, column.model)[1])
        writer.head("scenario", "unit", *labels)
        for column, model in self._columns.live:
            writer.formula(column.at, *self._label(column, model), "live head")
        writer.freeze(FIRST)

    def _label(self, column: Column, model: Model) -> tuple[str, str]:
        """Return the label of a scenario as a formula, and as a text."""
        formulas, texts = list[str](), list[str]()
        for name, key in self._layout.varied.items():
            value, unit = model.value(key), f" {model.unit(key)}".rstrip()
            place, text = self._layout.place(column.at, key), str(value)
            if not isinstance(value, str):
                place = f'IF(ABS({place})<{LARGEST_PLAIN},{place},TEXT({place},"0.0##E+0"))'
                text = short(value)
            formulas.append(quoted(f"{name} = ") + f"&{place}" + (f"&{quoted(unit)}" if unit else ""))
            texts.append(f"{name} = {text}{unit}")
        return "=" + '&", "&'.join(formulas), ", ".join(texts)

    def _values(self) -> None:
        """Write a line for each value: what varies and what is shown at the top, the others below a heading."""
        layout, writer = self._layout, self._writer
        writer.line = layout.rest - 1
        writer.head("all other values", "", *("",) * len(self._columns.every))
        for key, line in layout.lines.items():
            models = [model for _, model in self._columns.live if key in model.names]
            writer.line = line - 1
            cells = self._table.sheet.cells
            unit = models[0].unit(key) if models else cells[key].unit.text if key in cells else ""
            writer.row(models[0].label(key) if models else key, unit)
            if key in layout.shown:
                writer.text(0, key, "title")
            for column in self._columns.every:
                self._value(column, key)
            writer.count(FIRST, unit, columns=len(self._columns.every))

    def _value(self, column: Column, key: str) -> None:
        if column.model is not None and key in column.model.names:
            write_value(column.model, self._writer, column.at, key, column.links)
        elif column.model is None and key in self._layout.varied.values():
            answer, name = column.row.answer, next(own for own, of in self._layout.varied.items() if of == key)
            if answer is not None and name in answer.cells:
                self._writer.number(column.at, answer.cells[name].exact, "computed")
            elif name not in self._table.sheet.cells:  # a text among numbers makes charts count from 1
                self._writer.text(column.at, column.row.values[self._table.varied.index(name)])

    def _checks(self) -> None:
        """Write a line for each relation of the question and each limit: whether it holds in each scenario."""
        rows: dict[object, list[tuple[Column, Model, Check]]] = {}
        for column, model in self._columns.live:
            for check in model.answer.binding:
                own = model.relation(check)
                rows.setdefault((own.name, own.left, own.operator, own.right), []).append((column, model, check))
        writer = self._writer
        writer.line = self._layout.end
        if rows:
            writer.section("relations and limits", "", *("",) * len(self._columns.every))
        for row in rows.values():
            writer.row(relation_text(row))
            for column, model, check in row:
                own = model.relation(check)
                formula = model.formulas.holds(own.left, own.operator, own.right)
                writer.formula(column.at, formula, check.holds)
                if formula is not None:
                    text, place = broken_text(model, own), f"{column.letters}{writer.line + 1}"
                    place = f"IF(ISNA({place}),TRUE,{place})" if own.name else place  # not checked without a figure
                    self._tests[column.at].append((place, text))

    def _bounds(self) -> None:
        """Write lines that tell whether the computed cells of each scenario are within their bounds."""
        groups = {column.at: within_tests(model, LONGEST_FORMULA - ROOM) for column, model in self._columns.live}
        for line in range(max(map(len, groups.values()), default=0)):
            self._writer.row(BOUNDS)
            for column, model in self._columns.live:
                for tests in groups[column.at][line : line + 1]:
                    self._writer.formula(column.at, f"=AND({','.join(tests)})", not is_any_outside(model))
                    self._tests[column.at].append((f"{column.letters}{self._writer.line + 1}", BEYOND))

    def _ranks(self) -> None:
        """Write what ranks names, in those that work, and how the first of these is found."""
        writer, columns, order = self._writer, self._columns, self._order
        if order is None:
            return
        writer.row(f"ranked by {order.cell or LEAST_ROOM}")
        for column, model in columns.live:
            rank, works = rank_formula(order, model), f"{column.letters}{self._layout.verdict + 1}"
            writer.formula(column.at, f'=IF({works},{rank},"")' if rank else None, self._ranked(model, order))
        first, last = (column_name(at) for at in (FIRST, FIRST + len(columns.every) - 1))
        line, end = writer.line + 1, "MAX" if order.largest else "MIN"
        ranks = f"{SCENARIOS}!${first}${line}:${last}${line}"
        self._places(line, ranks, order)
        lines = [self._layout.lines[key] + 1 for key in self._layout.varied.values()]
        rows = [f"{SCENARIOS}!${first}${at}:${last}${at}" for at in lines]
        labels = '&", "&'.join(f"INDEX({row},MATCH({end}({ranks}),{ranks},0))" for row in rows)
        best = ", ".join(self._table.rows[0].values)
        self.names = Names(f'=IFERROR({labels},"none")', best, len(columns.every), len(self._table.rows))

    def _places(self, line: int, ranks: str, order: Order) -> None:
        """Write the place of each name; equal ones share it."""
        found = [self._ranked(model, order) for _, model in self._columns.live]
        known = [value for value in found if value != ""]
        self._writer.row("place: equals share it")
        for (column, _), value in zip(self._columns.live, found, strict=True):
            better = [other for other in known if value != "" and (other > value if order.largest else other < value)]
            formula = f'=IFERROR(RANK({column.letters}{line},{ranks},{0 if order.largest else 1}),"")'
            self._writer.formula(column.at, formula, "" if value == "" else len(better) + 1)

    def _ranked(self, model: Model, order: Order) -> Any:
        return ranked_at(order, model.answer) if works_now(model) else ""

    def _verdicts(self) -> None:
        writer = self._writer
        writer.line = self._layout.verdict - 1
        writer.row(VERDICT)
        for column, model in self._columns.live:
            tests = [place for place, _ in self._tests[column.at]]
            inputs = input_tests(model, (key for key in model.keys if key not in column.links))
            tests += [f"NOT({test})" for test in (*model.beyond_bounds(), *inputs)]
            found = [model.names[name] for name in model.answer.outcomes if name in model.names]
            tests += [f"NOT(ISERROR({name}))" for name in found]
            formula = f"=IFERROR(AND({','.join(tests)}),FALSE)" if tests else None
            if formula is not None and model.is_frozen:
                formula = f"=IF({self._changed(column, model)},{quoted(UNCHECKED)},{formula[1:]})"
            if unvalued(model):
                writer.text(column.at, UNCHECKED, "warning")
            else:
                writer.formula(column.at, formula, works_now(model))

    def _changed(self, column: Column, model: Model) -> str:
        """Return the test that an input of a scenario is not what it is in the question."""
        main = self._columns.main
        main.is_marked = True
        own = (key for key in model.keys if key not in column.links and model.is_input(key))
        return f"OR({','.join([any_changed(MODEL, len(main.keys) + 1), *(changed_test(model, key) for key in own)])})"

    def _remarks(self) -> None:
        """Write why a scenario has no answer, what in it is not live, and which relations do not hold."""
        writer, columns = self._writer, self._columns
        where = "above" if self.names is None else ""  # names beside each other are chosen from
        stale = {column.at: self._stale(model, where) for column, model in columns.live}
        stale |= {column.at: f"{as_asked(column)} {stale[column.at]}" for column, model in columns.live if model.tried}
        texts = [stale[own.at] + self._broken(own) if own.model else as_asked(own) for own in columns.every]
        writer.line = self._layout.remark - 1
        writer.row("remark", "", *texts, style="warning")
        writer.text(0, "remark")
        for column, model in columns.live:
            unknowns = [name for name in model.answer.outcomes if name in model.names]
            tests = [f'IF(ISERROR({model.names[name]}),{lost_formula(model, name)},"")' for name in unknowns]
            tests += [f'IFERROR(IF({place},"",{quoted(text)}),"")' for place, text in self._tests[column.at]]
            formula = "&".join([*([quoted(stale[column.at])] if stale[column.at] else []), *tests])
            text = texts[column.at - FIRST]
            if tests and len(formula) >= LONGEST_FORMULA:
                holds = f"{column.letters}{self._layout.verdict + 1}"
                formula = (
                    f'{quoted(stale[column.at])}&IFERROR(IF({holds},"",{quoted(SOME_BROKEN)}),{quoted(SOME_BROKEN)})'
                )
                text = stale[column.at] + ("" if works_now(model) else SOME_BROKEN)
            if tests:
                writer.formula(column.at, f"={formula}", text, "live warning")

    @staticmethod
    def _stale(model: Model, where: str) -> str:
        """Return what in a scenario is of the inputs of the question."""
        unchecked = [unchecked_text(model.answer, relation) for relation in model.answer.unchecked]
        missing = [f"{AS_ASKED}{sentences.answer_line(outcome)}" for outcome in unvalued(model)]
        return "".join(f"{text} " for text in [*model.stale_texts(where), *missing, *unchecked])

    @staticmethod
    def _broken(column: Column) -> str:
        model = column.model
        if model is None:
            return ""
        lost = [name for name in model.answer.outcomes if name in model.names and model.result(name) == NO_NUMBER]
        broken = [] if lost else [model.relation(check) for check in model.answer.binding if not check.holds]
        texts = [*(lost_now(model, name) for name in lost), *(broken_text(model, own) for own in broken)]
        return "".join([*texts, BEYOND] if is_any_outside(model) else texts)

    def _note(self) -> None:
        """Write in red which rows of the table are not live."""
        count, total = len(self._columns.every), len(self._table.rows)
        self._writer.line = self._layout.note
        if count < total:
            rows = f"row {total}" if count + 1 == total else f"rows {count + 1} to {total}"
            text = f"Not live: {rows} of {total}, with numbers that do not follow the inputs, in the sheet Table."
            self._writer.text(0, text, "stale")
