"""Class bodies and YAML state the same things: one reading of values, with the same words for the same mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet.errors import FlopsheetError
from flopsheet.sheets.catalogue import load
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Sheet

PYTHON = "from flopsheet import Sheet, choice, formula, given\nclass Model(Sheet):\n    a = given('A')\n    c = "
YAML = "sheet: model\ntitle: T\n"


def in_python(row: str, folder: Path) -> Sheet:
    """Return a sheet that declares a row in a class body."""
    file = folder / "model.py"
    file.write_text(f"{PYTHON}{row}\n")
    return load(file)


def in_yaml(section: str, row: str) -> Sheet:
    """Return a sheet that declares a row in YAML."""
    cells = "cells:\n  a: {doc: A}\n"
    return parse_sheet(
        f"{YAML}{cells}  c: {row}\n" if section == "cells" else f"{YAML}{section}:\n  c: {row}\n{cells}", "model"
    )


CELLS = [
    ("given('C')", "{doc: C}"),
    ("given('C', integer=True)", "{doc: C, integer: true}"),
    ("given('C', 'GiB', default=3, example='5 MiB')", "{doc: C, unit: GiB, default: 3 GiB, example: 5 MiB}"),
    ("given('C', default='1/3', minimum=0, maximum=1)", "{doc: C, default: 1/3, minimum: 0, maximum: 1}"),
    ("given('C', default=3, fixed=True)", "{doc: C, default: 3, fixed: true}"),
    ("given('C', source='here', symbol='x')", "{doc: C, source: here, symbol: x}"),
    ("formula(2 * a, '', 'C')", "{doc: C, formula: 2 * a}"),
    ("formula(2 * a, '', 'C', signed=True, integer=True)", "{doc: C, formula: 2 * a, signed: true, integer: true}"),
]
MISTAKES = [
    ("given('C', default=-1)", "{doc: C, default: -1}", "'c' cannot be -1: it must be positive."),
    ("given('C', fixed=True)", "{doc: C, fixed: true}", "Only a default can be fixed."),
    ("given('C', minimum=2, maximum=1)", "{minimum: 2, maximum: 1}", "leaves no value: the cell is at least 2."),
    ("given('C', maximum=0)", "{maximum: 0}", "The maximum leaves no value: the cell is positive."),
    ("given('C', 'GiB', default='5 s')", "{unit: GiB, default: 5 s}", "'5 s' is time, but information is needed."),
    ("given('C', 'Gb')", "{unit: Gb}", "'Gb' is not how a unit is spelt here"),
]
CHOICES = [
    ("choice('x', 'y', 'x')", "{options: [x, y, x]}", "An option is listed twice."),
    ("choice('x', 'y', default='z')", "{options: [x, y], default: z}", "There is no option 'z'."),
    ("choice('x', 'y', example='z')", "{options: [x, y], example: z}", "There is no option 'z'."),
]


@pytest.mark.parametrize(("python", "yaml"), CELLS)
def test_both_declare_the_same_cell(python: str, yaml: str, tmp_path: Path) -> None:
    cells = [vars(sheet.cells["c"]) for sheet in (in_python(python, tmp_path), in_yaml("cells", yaml))]
    mine, theirs = ({key: cell[key] for key in cell if key not in ("place", "symbol")} for cell in cells)
    assert mine == theirs


def test_both_declare_the_same_choice(tmp_path: Path) -> None:
    row = "choice('x', 'y', doc='C', default='y')"
    choices = [in_python(row, tmp_path), in_yaml("choices", "{options: [x, y], doc: C, default: y}")]
    assert choices[0].choices == choices[1].choices


@pytest.mark.parametrize(
    ("python", "section", "yaml", "problem"),
    [*((row[0], "cells", *row[1:]) for row in MISTAKES), *((row[0], "choices", *row[1:]) for row in CHOICES)],
)
def test_both_reject_the_same_in_the_same_words(
    python: str, section: str, yaml: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(FlopsheetError) as mine:
        in_python(python, tmp_path)
    with pytest.raises(FlopsheetError) as theirs:
        in_yaml(section, yaml)
    assert problem in mine.value.problem
    assert (mine.value.problem, mine.value.fix) == (theirs.value.problem, theirs.value.fix)
    assert mine.value.where.endswith("model.py:4")
    assert theirs.value.where.startswith("model.yaml:")
