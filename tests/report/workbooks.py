"""Workbooks computed again by programs that know nothing of the engine."""

from __future__ import annotations

import re
import subprocess
import warnings
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, unescape
from zipfile import ZipFile

from tests.report.batches import batches

from flopsheet import (
    Sheet,
    asin,
    atan,
    ceil,
    choice,
    cos,
    exp,
    floor,
    formula,
    given,
    indicator,
    limit,
    log,
    max_,
    min_,
    mod,
    ratio,
    select,
    sin,
    sqrt,
)
from flopsheet.report.workbook import workbook

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from flopsheet import Answer

CLOSE = 1e-12
LIVE = ("Answer", "Curve", "Model", "Scenarios")  # the sheets whose values tests read
_ANSWERS: dict[int, Answer] = {}


class EveryFunction(Sheet):
    """One formula of each shape that a spreadsheet program must take."""

    x1 = given("Named like a cell", "GiB", example=3)
    d1 = given("Small", example=7)
    RC = given("Named like a row", example=10)
    r_ = given("Another", example=2)
    way = choice("up", "down", doc="How it is rounded")
    angle = given("Angle", "degree", example=30)
    time = given("Time", "ms", example=1500, source="ours")
    huge = given("A number with many digits", "FLOP", example=123456789012345678)
    speed = given("Speed", "MB/s", example=700, source="ours")
    negative = formula(-(d1**2) + RC, "", "Minus binds less than a power", signed=True)
    towers = formula((r_**d1) ** ratio(1, 3), "", "Power of a power")
    nested = formula(r_ ** (r_ ** min_(d1, 3)), "", "A power on top")
    up = formula(ceil(RC / d1), "", "Up", integer=True)
    lap = given("Part of the time", "s", example=0.1, source="ours")
    of_whole = formula(ceil(time / lap), "", "Whole within rounding", integer=True)
    below_zero = formula(floor(-RC / d1), "", "Down", signed=True, integer=True)
    left = formula(mod(-RC, d1), "", "Remainder with the sign of the divisor")
    none_left = formula(mod(time, lap), "s", "A remainder of none", signed=True)
    bytes_left = formula(mod(x1, lap * speed), "MB", "A remainder of bytes")
    picked = formula(select(way, up=max_(x1, x1 / d1), down=x1 / RC), "MiB", "By choice")
    switched = formula(indicator(d1 < RC) * x1 + 2 * indicator(d1 >= RC) * x1, "GB", "By comparison")
    guarded = formula(select(d1 > RC, x1 / (d1 - RC), max_(x1, x1 * d1)), "GB", "Guarded")
    turned = formula(select(d1 < RC, x1 / (RC - d1), time * speed), "MiB", "Guarded")
    wave = formula(sin(angle) * cos(angle) + d1, "", "Angles")
    back = formula(asin(sin(angle)) + atan(cos(angle)), "degree", "Angles back")
    growth = formula(exp(-d1 / RC) + log(RC) / log(d1), "", "Exponentials")
    area = formula(sqrt(x1 * x1 * RC) - x1, "TB", "Root of a product of units", signed=True)
    share = formula(d1 / RC, "%", "A share")
    rate = formula(huge / time + huge / (time + 2 * time), "TFLOP/s", "Long numbers over times")
    inverse = formula(1 / time**2 / RC, "1/hour^2", "A division by a power")
    fits = limit(x1 <= area * d1, "Room")
    differs = limit(share < 1, "A share")


def recomputable(answer: Answer, changes: Mapping[str, Any] | None = None) -> tuple[bytes, list[str]]:
    """Return a workbook without results, its inputs changed, and the first column of its Model, from row 1 on."""
    written, names = BytesIO(_book(answer)), list[str]()
    buffer = BytesIO()
    with ZipFile(written) as book, ZipFile(buffer, "w") as stripped:
        parts = {part: book.read(part).decode() for part in book.namelist()}
        sheets = re.findall(r'<sheet name="(.*?)"', parts["xl/workbook.xml"])
        model = f"xl/worksheets/sheet{sheets.index('Model') + 1}.xml"
        texts = [*map(unescape, re.findall(r"<si><t[^>]*>(.*?)</t></si>", parts["xl/sharedStrings.xml"], re.DOTALL))]
        column = re.findall(r'<c r="A(\d+)"[^>]* t="s"><v>(\d+)</v>', parts[model])
        assert [int(line) for line, _ in column] == [*range(1, len(column) + 1)]
        names = [texts[int(place)] for _, place in column]
        for name, value in (changes or {}).items():
            parts[model] = _with_value(parts[model], f"B{names.index(name) + 1}", value)
        for part, text in parts.items():
            stripped.writestr(part, _without_results(text) if "/worksheets/" in part else text)
    return buffer.getvalue(), names


@cache
def _written(number: int) -> bytes:
    return workbook(_ANSWERS[number])


def _book(answer: Answer) -> bytes:
    """Return the workbook of an answer, written once: several tests change its inputs."""
    _ANSWERS[id(answer)] = answer  # kept, so that the number stays its own
    return _written(id(answer))


def _without_results(sheet: str) -> str:
    """Return the text of a sheet with formulas alone: what a program then shows, it has computed."""
    stripped, number = re.subn(r"</f><v>[^<]*</v>", "</f>", sheet)
    assert number == sheet.count("<f>")
    return stripped


def _with_value(sheet: str, place: str, value: float | str) -> str:
    """Return the text of a sheet with another value in a cell, in the format of the cell."""
    text = f' t="inlineStr"><is><t>{escape(value)}</t></is></c>' if isinstance(value, str) else f"><v>{value!r}</v></c>"
    changed, number = re.subn(rf'(<c r="{place}"(?: s="\d+")?).*?</c>', lambda found: found[1] + text, sheet, count=1)
    assert number == 1, place
    return changed


def by_formulas(answer: Answer, folder: Path, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the values of the Model as the package formulas computes them."""
    data, names = recomputable(answer, changes)
    computed = places_by_formulas(data, folder)
    return {
        names[line - 1]: computed[place]
        for line in range(2, len(names) + 1)
        if (place := ("MODEL", f"B{line}")) in computed
    }


def places_by_formulas(data: bytes, folder: Path) -> dict[tuple[str, str], Any]:
    """Return the values of a workbook as the package formulas computes them, by sheet in capitals and place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import formulas

        (folder / "book.xlsx").write_bytes(data)
        computed = formulas.ExcelModel().loads(str(folder / "book.xlsx")).finish().calculate()
    places = ((key.partition("'!"), cell) for key, cell in computed.items() if key.startswith("'[book.xlsx]"))
    return {
        (sheet.partition("]")[2], place): cell.value[0, 0]
        for (sheet, _, place), cell in places
        if hasattr(cell, "value") and ":" not in place
    }


def by_soffice(files: Iterable[Path], folder: Path) -> dict[str, dict[str, list[tuple[Any, ...]]]]:
    """Return the rows of the live sheets of workbooks as LibreOffice computes them, by the name of each file."""
    import openpyxl

    place = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    out, format_ = folder / "out", "xlsx:Calc MS Excel 2007 XML"
    command = ["soffice", place, "--headless", "--convert-to", format_, "--outdir", str(out)]
    names = [file.name for file in files]
    for batch in batches(names):
        subprocess.run([*command, *batch], cwd=folder, check=True, capture_output=True, timeout=300)
    sheets = {}
    for name in names:
        book = openpyxl.load_workbook(out / name, data_only=True, read_only=True)
        sheets[name] = {
            title: list(book[title].iter_rows(values_only=True, max_col=7))
            for title in book.sheetnames
            if title in LIVE
        }
        book.close()
    return sheets


def far_off(values: Mapping[str, Any], answer: Answer) -> dict[str, tuple[Any, float]]:
    """Return the cells with a formula whose value differs from the engine's by more than rounding, with both."""
    live = {name: float(value.value) for name, value in answer.cells.items() if value.cell.formula is not None}
    return {
        name: (values.get(name), wanted)
        for name, wanted in live.items()
        if not isinstance(values.get(name), int | float) or abs(values[name] - wanted) > CLOSE * abs(wanted)
    }
