"""A warm forward question, its numbers new each time, as a ratio against a pint forward pass of the same formulas.

Run with `pytest tests/benchmarks/bench_forward.py -o addopts=--import-mode=importlib -o "python_files=bench_*.py"`.
"""

from __future__ import annotations

import math
import re
import sys
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from tests.benchmarks.timing import alternately

from flopsheet import sheet, solve
from flopsheet.functions import taken
from flopsheet.units import in_unit, pint_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.units import Unit

SHEET = sheet("notebook_memory")
NAMES = ("chip = h100-sxm", "sharding = weights")
MEASURED = ("[information]", "[time]", "[computation]", "[length]", "[mass]", "[currency]")  # all else is a count
numbers = count(1)


def _given(moving: float = 0, only: str = "") -> dict[str, str]:
    """Return a value, as text, for every cell that has no formula and belongs to no record; each moved by so much.

    Args:
        moving: how far whole numbers move; others move by a thousandth of it.
        only: the one cell that moves, or empty for all.
    """
    texts = {}
    for cell in SHEET.cells.values():
        example = cell.default if cell.example is None else cell.example
        if cell.formula is None and not cell.part and example is not None:
            step = 0 if only and cell.name != only else moving if cell.integer else moving / 1000
            texts[cell.name] = f"{float(in_unit(example, cell.unit)) + step:.12g} {cell.unit}".strip()
    return texts


def _question(moving: float = 0, only: str = "") -> list[str]:
    return [*NAMES, *(f"{name} = {text}" for name, text in _given(moving, only).items())]


def _forward() -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return the formulas of the sheet as one Python function, as somebody would write them by hand."""
    names: dict[str, Any] = {
        "ceiling": lambda term: math.ceil(term.to("").magnitude),
        "floor": lambda term: math.floor(term.to("").magnitude),
        "Max": max,
        "Min": min,
    }
    exec(_code(), names)  # noqa: S102  # the sheet's own formulas
    forward: Callable[[Mapping[str, Any]], dict[str, Any]] = names["forward"]
    return forward


def _code() -> str:
    options = solve(SHEET, (), _question()).question.options
    inputs = [name for name, cell in SHEET.cells.items() if cell.formula is None]
    formulas = {name: cell.formula for name, cell in SHEET.cells.items() if cell.formula is not None}
    lines = ["def forward(v):", *(f"    {_plain(name)} = v.get({name!r})" for name in inputs)]
    lines += [
        f"    {_plain(name)} = {_plain(sympy.sstr(taken(formula, options)))}" for name, formula in formulas.items()
    ]
    return "\n".join([*lines, f"    return {{{', '.join(f'{name!r}: {_plain(name)}' for name in formulas)}}}"])


def _plain(text: str) -> str:
    return re.sub(r"(?<=\w)\.(?=[a-z])", "_", text)


def _pint_values() -> dict[str, Any]:
    """Return what is given, the record's figures included, as pint quantities; pint knows counts by number only."""
    inputs = [value for value in solve(SHEET, (), _question()).cells.values() if value.is_input]
    return {value.cell.name: _without_counts(float(value.value), value.cell.unit) for value in inputs}


def _without_counts(value: float, of: Unit) -> Any:
    pint_unit = of.pint()
    for dimension, power in pint_unit.dimensionality.items():
        if dimension not in MEASURED:
            name = {"[parameter]": "param"}.get(dimension, dimension.strip("[]"))
            pint_unit /= pint_registry().Unit(name) ** power
    return pint_registry().Quantity(value, pint_unit)


def test_both_ways_agree_on_the_sheet() -> None:
    cells = solve(SHEET, (), _question()).cells
    for name, value in _forward()(_pint_values()).items():
        base = value.to_root_units().magnitude if hasattr(value, "magnitude") else value
        assert float(cells[name].si) == pytest.approx(float(base), rel=1e-12)


def test_a_forward_question(capsys: pytest.CaptureFixture[str]) -> None:
    forward, values = _forward(), _pint_values()
    texts = {only: iter([_question(next(numbers), only) for _ in range(200)]) for only in ("", "d_model", "read")}
    texts["read"] = iter([_question(next(numbers)) for _ in range(200)])
    same = _question()
    runs = {
        "same numbers": lambda: solve(SHEET, (), same),
        "one number new": lambda: solve(SHEET, (), next(texts["d_model"])),
        "every number new": lambda: solve(SHEET, (), next(texts[""])),
        "every number new, every cell and check read": lambda: _read(solve(SHEET, (), next(texts["read"]))),
        "pint forward": lambda: forward(values),
    }
    times = dict(zip(runs, alternately(*runs.values()), strict=True))
    with capsys.disabled():
        for name, seconds in times.items():
            ratio = seconds / times["pint forward"]
            sys.stdout.write(f"\n{name}: {1000 * seconds:.3f} ms, against pint {ratio:.2f}\n")
    assert min(times.values()) > 0


def _read(answer: Any) -> list[Any]:
    return [[cell.si for cell in answer.cells.values()], [limit.holds for limit in answer.limits], answer.warnings]
