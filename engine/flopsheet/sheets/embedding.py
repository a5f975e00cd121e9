"""Records and sheets inside a sheet, under a prefix: the cells of a part, and the rows of an embedded sheet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import Place, SheetError, find, suggest
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.printing import relation_text
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.trees import replaced
from flopsheet.functions.symbols import Expr, symbol
from flopsheet.sheets.cell import Cell
from flopsheet.sheets.joining import add_texts
from flopsheet.sheets.source import place_of_caller
from flopsheet.sheets.statements import check_option, read_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Choice, Part
    from flopsheet.sheets.kernel import Rows


class PartView:
    """A part inside a class body, its cells as attributes: `chip.memory`, `chip.flops.bf16`, `layer.compute_time`."""

    def __init__(self, rows: Rows, prefix: str) -> None:
        self.rows, self.prefix = rows, prefix

    def __getattr__(self, field: str) -> Any:
        name = f"{self.prefix}.{field}"
        if name in self.rows.cells or name in self.rows.choices:
            return symbol(name)
        if self.rows.resolve(name) in self.rows.parts:
            return PartView(self.rows, self.rows.resolve(name))
        if name in self.rows.aliases:
            return self.rows.aliases[name]
        known = [*self.rows.cells, *self.rows.choices, *self.rows.aliases]
        if any(cell.startswith(f"{name}.") for cell in known):
            return PartView(self.rows, name)
        fields = [cell.removeprefix(f"{self.prefix}.") for cell in known if cell.startswith(f"{self.prefix}.")]
        fix = suggest(field, fields) or f"It has {', '.join(fields)}."
        raise SheetError(str(place_of_caller()), f"'{self.prefix}' has no '{field}'.", fix)


def _reject_arithmetic(view: PartView, *_: Any) -> Any:
    kind = "sheet" if view.prefix in view.rows.sheets else "record"
    problem = f"'{view.prefix}' is a {kind}, not a number."
    raise SheetError(str(place_of_caller()), problem, f"Name one of its cells, as {view.prefix}.memory.")


for _operator in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg"):
    setattr(PartView, f"__{_operator}__", _reject_arithmetic)


def embed(rows: Rows, other: Rows, part: Part, bound: Mapping[str, Any], place: Place) -> None:
    """Add the rows of another sheet under the prefix of a part.

    What is bound is the meaning of rows of the other sheet here, by their name there: a cell, an expression, a choice
    or a record of this sheet, or a number or text as another default.

    Raises:
        SheetError: a bound name is not in the other sheet, or is of another nature there.
        DimensionError: what is bound has another dimension.
    """
    where = f"{place}, sheet {other.name}"
    for name, value in bound.items():
        find(name, [*other.cells, *other.choices, *other.parts], "cell", where)
        if (name in other.parts) != isinstance(value, PartView):
            problem = f"'{name}' is {'a record' if name in other.parts else 'not a record'}."
            raise SheetError(where, problem, "Bind a record to a record, and a cell to a cell.")
        if isinstance(value, PartView):
            mine, theirs = rows.parts.get(value.prefix), other.parts[name]
            if mine is None or mine.kind != theirs.kind:
                problem = f"'{name}' is a {theirs.kind}, and '{value.prefix}' is not."
                raise SheetError(where, problem, "Bind a record of the same kind.")
    _Embedding(rows, other, part.name, bound, place).add(part)
    add_texts(rows, {kind: texts for kind, texts in other.texts.items() if kind != "notes"})  # hints are of its own


def _meant(row: Any) -> Any:
    """Return a row without what only an answer of its own sheet shows: whether the cell is named first."""
    return replace(row, headline=False) if isinstance(row, Cell) else row


class _Embedding:
    """Rewrites the rows of one sheet for another.

    Each name of the embedded sheet means one thing here: a row under the prefix, a row that both sheets share, or
    what is bound to it (`meaning`). Formulas are rewritten by replacing all names at once: one name after the other
    would go wrong where a new name is also an old one, as `width` for `depth` and `depth` for `width`.
    """

    def __init__(self, rows: Rows, other: Rows, prefix: str, bound: Mapping[str, Any], place: Place) -> None:
        self.rows, self.other, self.prefix, self.bound, self.place = rows, other, prefix, bound, place
        self.apart = self._apart()
        self.meaning = {name: self._meaning(name) for name in [*other.cells, *other.choices]}
        records = {name: self._record(name) for name in other.parts}
        self.symbols = {symbol(name): meaning for name, meaning in {**records, **self.meaning}.items()}
        self.meaning |= {name: meaning.xreplace(self.symbols) for name, meaning in other.aliases.items()}
        self.rewritten = dict(self.symbols)  # and every part of a formula so far

    def add(self, part: Part) -> None:
        """Add all rows that are not shared; first what formulas may name, then the limits."""
        aliases = {self._inside(name): meaning for name, meaning in self.meaning.items() if not self._is_own(name)}
        self.rows.add_sheet(part, aliases, self.place)
        if self.other.implicit:
            self.rows.allow_cycles()
        for sheet in self.other.sheets.values():
            self.rows.add_sheet(replace(sheet, name=self._inside(sheet.name)), {}, self.place)
        for record in self.other.parts.values():
            self._add_record(record)
        for choice in self.other.choices.values():
            if self._is_own(choice.name):
                self.rows.add_choice(self._choice(choice), self.place)
        for cell in self.other.cells.values():
            if self._is_own(cell.name):
                self.rows.add_cell(self._cell(cell), checked=not isinstance(self.bound.get(cell.name), sympy.Expr))
        for limit in self.other.limits.values():
            is_bound = limit.of and (limit.of in self.bound or not self._is_own(limit.of))  # its formula is not used
            if not self._is_shared(limit.name) and not is_bound:
                own = self._limit(limit, tuple(self.rows.cells))
                (self.rows.add_domain if own.of else self.rows.add_limit)(own)

    def _inside(self, name: str) -> str:
        return f"{self.prefix}.{name}"

    def _is_own(self, name: str) -> bool:
        """Whether a name of the other sheet becomes a row under the prefix."""
        return bool(self.meaning[name] == symbol(self._inside(name)))

    def _is_shared(self, name: str) -> bool:
        """Whether a row of the other sheet is one of this sheet too, with the same inputs."""
        return name not in self.apart and self._is_common(name)

    def _is_common(self, name: str) -> bool:
        """Whether both sheets inherit a row from one declaration, and the other one left it as it is here."""
        if not self._is_inherited(name):
            return False
        return name not in self.other.changed or _meant(self.rows.row(name)) == _meant(self.other.row(name))

    def _is_inherited(self, name: str) -> bool:
        """Whether both sheets inherit a row from one declaration."""
        return name in self.rows and self.rows.origin[name] == self.other.origin[name]

    def _apart(self) -> frozenset[str]:
        """Return the inherited rows that have another value in the part: bound or changed ones, and what uses those.

        A row that is computed from one of them would be that of this sheet if it were shared.
        """
        apart = {name for name in [*self.other.cells, *self.other.choices] if self._is_set_apart(name)}
        if not apart:
            return frozenset()
        users = {name: self._inputs(name) for name in (*self.other.cells, *self.other.limits)}
        users = {name: inputs for name, inputs in users.items() if inputs and self._is_inherited(name)}
        while following := {name for name, inputs in users.items() if name not in apart and inputs & apart}:
            apart |= following
        return frozenset(apart)

    def _is_set_apart(self, name: str) -> bool:
        """Whether an inherited row is bound to something else, or was changed by one of both sheets."""
        if not self._is_inherited(name):
            return False
        if name in self.bound:
            return bool(self.bound[name] != symbol(name))
        cell = self.other.cells.get(name)
        if cell is not None and cell.part:
            return bool(self._record(cell.part) != symbol(cell.part))
        return not self._is_common(name)

    def _inputs(self, name: str) -> frozenset[str]:
        """Return the rows that a cell or a limit of the other sheet uses."""
        cell = self.other.cells.get(name)
        if cell is not None:
            return frozenset[str]().union(*map(cells_of, cell.formulas))
        limit = self.other.limits[name]
        return cells_of(limit.left) | cells_of(limit.right)

    def _record(self, name: str) -> Expr:
        """Return what a record of the other sheet means here: one declaration is one record, whatever its example."""
        if name in self.bound:
            return symbol(self.bound[name].prefix)
        is_shared = name in self.rows and self.rows.origin[name] == self.other.origin[name]
        return symbol(name if is_shared else self._inside(name))

    def _meaning(self, name: str) -> Expr:
        """Return the row that a cell or choice of the other sheet means here."""
        bound = self.bound.get(name)
        if isinstance(bound, sympy.Symbol) and (self.rows.ahead is None or bound.name in self.rows):
            self._check_bound(name, bound)
            return bound
        cell = self.other.cells.get(name)
        if cell is not None and cell.part in self.bound:
            return symbol(self.rows.parts[self.bound[cell.part].prefix].cell_of(cell.figure))
        return symbol(name if bound is None and self._is_shared(name) else self._inside(name))

    def _check_bound(self, name: str, bound: Expr) -> None:
        """Reject a row bound to one of another nature: a number to a choice, other options, another dimension."""
        where = f"{self.place}, '{name}' of sheet {self.other.name}"
        find(bound.name, [*self.rows.cells, *self.rows.choices], "cell", where)
        mine, theirs = self.rows.choices.get(bound.name), self.other.choices.get(name)
        if (mine is None) != (theirs is None):
            raise SheetError(where, f"'{bound.name}' is {'a number' if theirs else 'a choice'}.", "Bind another row.")
        if mine and theirs and set(mine.options) != set(theirs.options):
            problem = f"'{bound.name}' has the options {', '.join(mine.options)}, not {', '.join(theirs.options)}."
            raise SheetError(where, problem, "Bind another choice, or none.")
        if mine is None:
            unit = self.other.cells[name].unit
            UnitCheck(self.rows.dimensions, where).cell(name, unit.dimension, unit.text, bound)

    def _add_record(self, part: Part) -> None:
        name, meaning = self._inside(part.name), self._record(part.name)
        if meaning == symbol(name):
            of = str(self._record(part.of)) if part.of else ""
            self.rows.add_part(replace(part, name=name, of=of), (), self.place)
        else:
            self.rows.aliases[name] = meaning

    def _choice(self, choice: Choice) -> Choice:
        default = self.bound.get(choice.name, choice.default)
        if not isinstance(default, str):
            problem = f"{default!r} is not an option of '{choice.name}'."
            raise SheetError(str(self.place), problem, f"It is one of {', '.join(choice.options)}.")
        if default:
            check_option(default, choice.options, f"{self.place}, '{choice.name}'")
        inside, bound = self._inside(choice.name), choice.bound or choice.name in self.bound
        return replace(choice, name=inside, default=default, example=default or choice.example, bound=bound)

    def _cell(self, cell: Cell) -> Cell:
        """Return a cell of the other sheet as it is here: renamed, with what is bound to it."""
        part = self._inside(cell.part) if cell.part else ""
        prefix = self._inside(cell.prefix) if cell.prefix else self.prefix
        embedded = replace(cell, name=self._inside(cell.name), part=part, prefix=prefix, headline=False)
        bound = self.bound.get(cell.name)
        if isinstance(bound, sympy.Expr):
            return replace(
                embedded,
                formula=bound,
                default=None,
                inferred=(),
                fixed=False,
                example=None,
                source="",
                place=self.place,
            )
        if bound is not None:
            default = read_number(bound, cell.unit, str(self.place))
            embedded.check(default, str(self.place))
            return replace(embedded, default=default, inferred=(), formula=None, place=self.place)
        inferred = tuple(replaced(formula, self.rewritten) for formula in embedded.inferred)
        if embedded.formula is None:
            return replace(embedded, inferred=inferred) if inferred else embedded
        return replace(embedded, formula=replaced(embedded.formula, self.rewritten))

    def _limit(self, limit: Relation, names: tuple[str, ...]) -> Relation:
        own = limit.mapped(self.symbols)
        text = relation_text(own.left, own.operator, own.right, names)
        name, of = (name and self._inside(name) for name in (limit.name, limit.of))
        return replace(own, text=text, name=name, of=of, place=self.place)
