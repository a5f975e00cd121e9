"""What a part is inside a class body: its cells by attribute."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from flopsheet.errors import SheetError, suggest
from flopsheet.formulas.place import Place
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
    from flopsheet.sheets.kernel import Rows


def place_of_caller(depth: int = 2) -> Place:
    """Return the file and line of the row that is being declared."""
    frame = sys._getframe(depth)  # noqa: SLF001  # the only way to a caller's line without a traceback
    return Place(frame.f_code.co_filename, frame.f_lineno)


class PartView:
    """The cells of a part inside a class body: `chip.memory`, `chip.flops.bf16`, `layer.compute_time`."""

    def __init__(self, rows: Rows, prefix: str) -> None:
        self.rows, self.prefix = rows, prefix

    def __getattr__(self, field: str) -> Any:
        name = f"{self.prefix}.{field}"
        if name in self.rows.cells or name in self.rows.choices:
            return symbol(name)
        if self.rows.called(name) in self.rows.parts:
            return PartView(self.rows, self.rows.called(name))
        if name in self.rows.aliases:
            return self.rows.aliases[name]
        known = [each for each in self._names() if each.startswith(self.prefix + ".")]
        if any(each.startswith(name + ".") for each in known):
            return PartView(self.rows, name)
        fields = [each.removeprefix(self.prefix + ".") for each in known]
        fix = suggest(field, fields) or f"It has {', '.join(fields)}."
        raise SheetError(str(place_of_caller()), f"'{self.prefix}' has no '{field}'.", fix)

    def _names(self) -> list[str]:
        return [*self.rows.cells, *self.rows.choices, *self.rows.aliases]


def _as_number(view: PartView, *_: Any) -> Any:
    what = "sheet" if view.prefix in view.rows.sheets else "record"
    problem = f"'{view.prefix}' is a {what}, not a number."
    raise SheetError(str(place_of_caller()), problem, f"Name one of its cells, as {view.prefix}.memory.")


for _operator in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg"):
    setattr(PartView, f"__{_operator}__", _as_number)
