"""Every sheet, enrolled by being there: it declares, agrees with the nomenclature, evaluates, renders.

What each sheet gives back is in `test_round_trip.py`.
"""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cases import sampled
from tests.models.points import SHEETS, example

from flopsheet import Answer, sheet, unit
from flopsheet.layout.latex import latex
from flopsheet.registry.store import sources
from flopsheet.report.formulas import symbol_of
from flopsheet.sheets.catalogue import nomenclature

if TYPE_CHECKING:
    from collections.abc import Sequence


MODELS = Path(__file__).parents[2] / "models"

every_sheet = pytest.mark.parametrize("name", SHEETS)


def asked_back(name: str, free: Sequence[str], outputs: Sequence[str], sign: str = "=") -> Answer:
    """Return the answer when outputs have the values of the example and inputs are the unknowns."""
    point = example(name)
    return point.asked_back(free, [point.exactly(output, sign) for output in outputs])


@every_sheet
def test_it_declares_under_the_name_of_its_file(name: str) -> None:
    model = sheet(name)
    assert model.name == name
    assert model.title
    assert model.parts or any(cell.formula is not None for cell in model.cells.values())
    assert model.assumptions
    assert {*model.sources} <= {*sources()}


@every_sheet
def test_assumptions_and_notes_are_whole_sentences_of_plain_text(name: str) -> None:
    model = sheet(name)
    texts = (*model.assumptions, *model.notes)
    assert [text for text in texts if not text.endswith(".") or "`" in text] == []


@every_sheet
def test_every_row_says_what_it_means_and_every_default_where_it_is_from(name: str) -> None:
    model = sheet(name)
    for cell in model.cells.values():
        assert cell.doc.strip(), cell.name
        assert not cell.doc.endswith("."), cell.name
        if cell.default is not None and not cell.part:
            assert cell.source in sources() or ": " in cell.doc or "because" in cell.doc, cell.name
    assert all(limit.doc for limit in model.limits.values())
    assert all(part.doc and (part.example or part.bare or part.kind == "system") for part in model.parts.values())
    assert all(choice.doc and choice.example for choice in model.choices.values())


DANGLING = re.compile(
    r"\b(of|on|over|at|in|for) (these|this)\b(?! (precision|format))|^(These|This|That|Those)\b|\bof them that\b"
)


@every_sheet
def test_a_meaning_is_understood_alone(name: str) -> None:
    """Headlines, steps and tables show the meaning of a cell without those of the cells before it."""
    rows = {cell.name: cell.doc for cell in sheet(name).cells.values()}
    assert {row: doc for row, doc in rows.items() if DANGLING.search(doc)} == {}


@every_sheet
def test_names_mean_what_the_nomenclature_says(name: str) -> None:
    table = nomenclature()
    for cell in sheet(name).cells.values():
        row = table.get(cell.name)
        if row is not None:
            assert cell.unit.dimension == unit(row["unit"]).dimension, cell.name
            assert cell.latex in ("", row["symbol"]), cell.name


@every_sheet
def test_no_symbol_stands_for_two_cells(name: str) -> None:
    table = nomenclature()
    of_table = {row["symbol"]: known for known, row in table.items()}
    shown: dict[str, str] = {}
    for cell in sheet(name).cells.values():
        inner = cell.name.removeprefix(f"{cell.prefix}.")
        assert cell.part or cell.latex or inner in table, f"{cell.name} has no symbol"
        symbol = latex(symbol_of(cell))
        assert shown.setdefault(symbol, cell.name) == cell.name, symbol
        assert of_table.get(symbol, cell.name) == cell.name, symbol


@every_sheet
def test_it_evaluates_at_its_example(name: str) -> None:
    model, answer = sheet(name), example(name).answer
    for cell in model.cells.values():
        if cell.formula is not None:
            assert answer.cells[cell.name].si in cell.bounds, cell.name
            assert math.isfinite(answer.cells[cell.name].si), cell.name
    assert [check.relation.name for check in answer.limits] == [own.name for own in answer.question.chosen_limits]
    assert all(check.holds for check in answer.limits)
    warnings = [text for text in answer.warnings if " not used with " not in text]  # an example gives all cells
    assert not [text for text in warnings if "computed" in text.lower() or "bounds" in text]


FOR_OTHERS = {"chip_links", "served_model"}  # choices of sheets that extend them


@every_sheet
def test_every_choice_decides_a_formula_or_a_limit(name: str) -> None:
    model = sheet(name)
    texts = [formula for cell in model.cells.values() for formula in (*cell.formulas, *cell.inferred, cell.formula)]
    texts += [side for limit in model.limits.values() for side in (limit.left, limit.right)]
    used = {symbol.name for text in texts if text is not None for symbol in text.free_symbols}
    assert name in FOR_OTHERS or {*model.choices} <= used


COMPUTING = [name for name in SHEETS if any(cell.formula is not None for cell in sheet(name).cells.values())]


@pytest.mark.parametrize("name", sampled(COMPUTING))
def test_write_ups_of_a_forward_and_an_inverse_question_render(name: str) -> None:
    free, output = example(name).pairs[0]
    for answer in (example(name).answer, asked_back(name, [free], [output])):
        text = answer.derivation()
        assert output in text or sheet(name).cells[output].doc in text
        assert text.count("$") % 2 == 0
        assert not re.findall(r"Fraction\(|\bNone\b|\bnan\b|\bUndefined\b", text)


@pytest.mark.parametrize("file", sorted(MODELS.glob("*.py")), ids=lambda file: file.stem)
def test_a_sheet_imports_only_flopsheet(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    allowed = {"flopsheet", *(f"flopsheet.builtin.models.{sheet.stem}" for sheet in MODELS.glob("*.py"))}
    assert modules <= allowed
