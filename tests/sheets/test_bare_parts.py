"""A record whose figures are cells of the sheet without prefix: named, given by hand, or both."""

# mypy: disable-error-code="name-defined"

from __future__ import annotations

import pytest

from flopsheet import Architecture, FlopsheetError, Sheet, formula, given, override, part, solve
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet


class Queries(Sheet):
    """Weights of the queries of a model."""

    model = part(Architecture, "Language model", example="llama-3.1-8b", bare=True)
    weights = formula(n_blocks * d_model * n_heads * d_head, "", "Weights of all queries")
    sharing = formula(n_heads / n_kv_heads, "", "Query heads that share a key")
    recurrent = formula(state.n_blocks * state.d_head, "", "Width of all recurrent heads")
    counted = formula(model.params, "param", "Parameters as its authors count them")


class Wide(Queries):
    """Queries of a model whose heads are as wide as the question says."""

    d_head = override(default=64, source="attention")
    n_heads = override(d_model / d_head, "Heads that fill the width")


class Layers(Sheet):
    """Two kinds of layers of one model each."""

    width = given("Width", example=8, integer=True)
    inner = part(Queries, "Queries of the inner layers", d_model=width)


def value(question: str, cell: str, sheet: type[Sheet] = Queries) -> object:
    return solve(sheet(), (), question.split("; ")).cells[cell].value


def test_a_record_gives_every_figure() -> None:
    assert value("model = llama-3.1-8b", "weights") == 32 * 4096 * 32 * 128
    assert value("model = llama-3.1-8b", "sharing") == 4
    assert value("model = llama-3.1-8b", "counted") == 8_030_261_248


def test_a_shape_by_hand_needs_no_record_and_has_the_usual_rest() -> None:
    answer = solve(Queries(), (), ["n_blocks = 2", "d_model = 512", "n_heads = 8"])
    assert answer.cells["weights"].value == 2 * 512 * 512
    assert answer.cells["sharing"].value == 1
    assert answer.cells["recurrent"].value == 0
    assert "counted" not in answer.cells  # a total that only a record states


def test_a_figure_by_hand_changes_that_of_the_record() -> None:
    assert value("model = llama-3.1-8b; n_blocks = 40", "weights") == 40 * 4096 * 32 * 128
    assert value("model = llama-3.1-8b; model.n_kv_heads = 32", "sharing") == 1


def test_a_figure_can_be_the_unknown_and_so_can_the_record() -> None:
    answer = solve(Queries(), "n_kv_heads", ["model = llama-3.1-8b", "sharing = 16"])
    assert answer.value == 2
    found = solve(Queries(), "model", ["weights = 536870912", "sharing = 4", "n_blocks = 32"])
    assert found.ranking is not None
    assert "llama-3.1-8b" in [candidate.options["model"] for candidate in found.ranking.working]


def test_a_figure_with_a_formula_is_none_of_the_record() -> None:
    assert value("model = llama-3.1-8b", "n_heads", Wide) == 4096 / 128
    assert value("d_model = 640; n_blocks = 1", "n_heads", Wide) == 10


def test_it_is_embedded_under_a_prefix() -> None:
    answer = solve(Layers(), (), ["width = 512", "inner.n_blocks = 2", "inner.n_heads = 8"])
    assert answer.cells["inner.weights"].value == 2 * 512 * 512


@pytest.mark.parametrize("kind", [Queries, Wide, Layers], ids=lambda kind: kind.__name__)
def test_it_reads_back_from_yaml(kind: type[Sheet]) -> None:
    sheet = kind()
    again = parse_sheet(as_yaml(sheet), sheet.name)
    assert {name: (cell.formulas, cell.default, cell.part, cell.figure) for name, cell in again.cells.items()} == {
        name: (cell.formulas, cell.default, cell.part, cell.figure) for name, cell in sheet.cells.items()
    }
    assert again.rows.aliases == sheet.rows.aliases


def test_a_cell_of_that_name_is_an_error() -> None:
    with pytest.raises(FlopsheetError, match="declared twice"):

        class _Twice(Sheet):
            """Has a width of its own."""

            d_model = given("Width", example=8)
            model = part(Architecture, "Language model", bare=True)


def test_the_shortage_names_the_model_or_the_figure() -> None:
    with pytest.raises(FlopsheetError, match=r"'model = llama-3\.1-8b'"):
        solve(Queries(), "weights", [])
    with pytest.raises(FlopsheetError, match="'n_heads = "):
        solve(Queries(), "weights", ["n_blocks = 2", "d_model = 512"])
