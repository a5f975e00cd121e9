"""Workbooks: programs that know nothing of the engine compute what it computes, and no text becomes a formula."""

from __future__ import annotations

import re
import shutil
import sys
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.asked import answered
from tests.cases import but_slow
from tests.models.points import SHEETS, example
from tests.report.workbooks import EveryFunction, by_formulas, by_soffice, far_off, recomputable

import flopsheet
from flopsheet import Sheet, choice, formula, given, limit, select
from flopsheet.answer.solve import answer as answer_of
from flopsheet.errors import FlopsheetError
from flopsheet.registry.packs import packs
from flopsheet.report import Extras
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.formulas import number_text
from flopsheet.report.workbook.writer import excel_names

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:formulas"),
]
FITS = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
QUESTIONS = sorted((packs()[0].folder / "models" / "questions").glob("*.yaml"))
AT = {
    "x1": "3 GiB",
    "d1": 7,
    "RC": 10,
    "r_": 2,
    "angle": "30 degree",
    "time": "1500 ms",
    "huge": "123456789012345678 FLOP",
}


def _book(data: bytes) -> Any:
    return pytest.importorskip("openpyxl").load_workbook(BytesIO(data))


def _every(way: str = "up", **changed: Any) -> Answer:
    return flopsheet.solve(EveryFunction(), (), {**AT, "way": way, **changed})


@pytest.fixture(autouse=True)
def _writer(request: pytest.FixtureRequest) -> None:
    if "missing" not in request.node.name:
        pytest.importorskip("xlsxwriter")


@pytest.fixture
def _program() -> None:
    pytest.importorskip("openpyxl")
    pytest.importorskip("formulas")


CHANGES: dict[str, dict[str, tuple[Any, str]]] = {
    "ffn_memory": {"n_fsdp": (92, "92")},
    "training_run": {"params": (2e11, "200e9 param"), "rounding": ("down", "down")},
    "pipeline_step": {"seq_len": (4096, "4096 token")},
    "optimal_run": {"tokens_per_param": (40, "40 token/param")},
    "parallel_traffic": {"d_model": (16384, "16384"), "recompute": ("full", "full")},
    "site_latency": {"precision": ("fp8", "fp8"), "medium": ("vacuum", "vacuum")},
}
LARGER = [name for name in CHANGES if name != "ffn_memory"]


@pytest.mark.usefixtures("_program")
@pytest.mark.parametrize("name", ["ffn_memory", *(pytest.param(name, marks=pytest.mark.slow) for name in LARGER)])
def test_another_program_computes_the_same(name: str, tmp_path: Path) -> None:
    answer = example(name).answer
    assert far_off(by_formulas(answer, tmp_path), answer) == {}


@pytest.mark.slow
@pytest.mark.usefixtures("_program")
@pytest.mark.parametrize("name", but_slow(CHANGES, "parallel_traffic", "training_run"))
def test_a_changed_input_is_followed(name: str, tmp_path: Path) -> None:
    changes, before = CHANGES[name], example(name).answer
    pinned = {cell: pin.relation.text for cell, pin in before.question.pins.items() if cell not in changes}
    named = {key: record.key for key, record in before.question.records.items()} | before.question.choices
    others = [f"{key} = {value}" for key, value in named.items() if key not in changes]
    changed = [f"{cell} = {text}" for cell, (_, text) in changes.items()]
    after = flopsheet.solve(name, (), [*pinned.values(), *others, *changed])
    values = by_formulas(before, tmp_path, {cell: value for cell, (value, _) in changes.items()})
    assert far_off(values, after) == {}
    assert far_off(values, before) != {}


@pytest.mark.usefixtures("_program")
@pytest.mark.parametrize("way", ["up", "down"])
def test_every_function(way: str, tmp_path: Path) -> None:
    assert far_off(by_formulas(_every(), tmp_path, {"way": way}), _every(way)) == {}


@pytest.mark.usefixtures("_program")
def test_every_function_at_other_numbers(tmp_path: Path) -> None:
    changed: dict[str, Any] = {"d1": 12, "RC": 3, "r_": 3, "angle": 75, "time": 20, "x1": 0.5}
    texts = {"angle": "75 degree", "time": "20 ms", "x1": "0.5 GiB"}
    assert far_off(by_formulas(_every(), tmp_path, changed), _every(**{**changed, **texts})) == {}


@pytest.mark.slow
@pytest.mark.xdist_group("workbooks of questions")  # each is answered and written once
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_libreoffice_computes_the_same_for_every_sheet_and_question(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    answers = {name: example(name).answer for name in SHEETS} | {"every": _every()}
    answers |= {file.stem: answered(file) for file in QUESTIONS}
    for name, answer in answers.items():
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(answer)[0])
    computed = by_soffice([tmp_path / f"{name}.xlsx" for name in answers], tmp_path)
    for name, answer in answers.items():
        sheets = computed[f"{name}.xlsx"]
        assert far_off({row[0]: row[1] for row in sheets["Model"]}, answer) == {}, name
        verdicts = [row[6] for row in sheets["Answer"] if row[6] not in (None, "holds")]
        expected = [check.holds for check in (*answer.checks, *answer.limits)]
        assert verdicts[: len(expected)] == expected, name  # those of the whole numbers beside an answer come behind


def test_inputs_are_numbers_and_the_rest_formulas() -> None:
    answer = flopsheet.solve("ffn_memory", "n_fsdp", [*FITS, "device_memory <= chip.memory"])
    rows = {row[0].value: row for row in _book(workbook(answer))["Model"].iter_rows()}
    assert rows["d_model"][1].value == 16384
    assert rows["d_model"][1].font.color.rgb == "FF0000FF"
    assert rows["chip.memory"][1].value.startswith("=IF(INDEX(chips!$D$2:$D$")
    assert rows["total_memory"][1].value == "=state_memory+activation_memory"
    assert rows["param_memory"][1].value == "=bytes_per_param*params/1073741824"
    assert [rows["params"][place].value for place in (2, 3, 4, 6)] == [
        *("param", "2*d_model*d_ff*n_blocks", "Parameters of the stack, two matrices per block", "computed")
    ]
    assert "hardware/chips/google.yaml:" in rows["chip.memory"][6].value


def test_the_answer_stands_beside_the_model() -> None:
    answer = flopsheet.solve("ffn_memory", "n_fsdp", [*FITS, "device_memory <= chip.memory"])
    rows = [[cell for cell in row if cell is not None] for row in _book(workbook(answer))["Answer"].values]
    assert rows[1][1].startswith("What is n_fsdp")
    assert ["chip", "=chip"] in rows
    assert next(row for row in rows if row[:1] == ["n_fsdp"])[2] == '=IF(ISERROR(n_fsdp),"none",n_fsdp)'
    limit_row = next(row for row in rows if row[:1] == ["fits"])
    assert limit_row[1:6] == ["device_memory <= chip.memory", "=device_memory", "<=", "=chip_memory", "GiB"]
    assert limit_row[6].startswith("=device_memory-chip_memory<=")


def test_choices_are_lists() -> None:
    (validation,) = _book(workbook(_every()))["Model"].data_validations.dataValidation
    assert (validation.formula1, str(validation.sqref)) == ('"up,down"', "B2")


def test_names_that_programs_refuse() -> None:
    names = excel_names(
        ["d_model", "chip.memory", "chip_memory", "x1", "X1_", "R", "c", "r2c3", "rc", "true", "XFD12", "D", "d"]
    )
    assert list(names.values()) == [
        *("d_model", "chip_memory", "chip_memory_2", "x1_", "X1__2", "R_", "c_", "r2c3_", "rc_", "true_", "XFD12_"),
        *("D", "d_2"),
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (10**18, "1E+18"),
        (1125899906842624, "(112589990684262E+1+4E+0)"),
        (10**15 + 10**3, "(1000000000001E+3)"),
        (-3, "-3"),
        (1e-9, "1E-09"),
        (123456789012345678, "(123456789012345E+3+678E+0)"),
    ],
)
def test_constants_keep_their_digits(number: float, text: str) -> None:
    assert number_text(number)[0] in (text, text.strip("()"))


def test_a_given_cell_with_a_formula_sets_what_it_rests_on() -> None:
    answer = flopsheet.solve("ffn_memory", (), ["state_memory = 100 GiB", "activation_memory = 10 GiB"])
    rows = {row[0]: row for row in _book(workbook(answer))["Model"].values}
    assert rows["total_memory"][1] == "=state_memory+activation_memory"
    assert rows["state_memory"][1] == "=param_memory+gradient_memory+optimizer_memory"
    assert rows["state_memory"][6] == "given, computed here"
    assert rows["goal state_memory"][1] == 100
    assert rows["params"][1].count("goal_state_memory*1073741824/(bytes_per_param+") == 1  # its inputs have no values


def test_options_that_differ_in_capitals_alone() -> None:
    class Pair(Sheet):
        """Two options."""

        way = choice("fp8", "FP8", doc="Which")
        base = given("One", example=1)
        two = formula(select(way, fp8=base, FP8=3 * base), "", "Two")

    formula_text = _book(workbook(flopsheet.solve(Pair(), (), ["way = FP8", "base = 1"])))["Model"]["B4"].value
    assert formula_text == '=IF(EXACT(way,"fp8"),base,IF(EXACT(way,"FP8"),base*3,NA()))'


MANY = [f"o{place}" for place in range(100)]


def _branches(unit_cell: Any) -> dict[str, Any]:
    return {option: (place + 2) * unit_cell for place, option in enumerate(MANY)}


def test_a_formula_that_is_too_deep_is_a_value() -> None:
    class Long(Sheet):
        """A formula of many branches."""

        way = choice(*MANY, doc="Which")
        base = given("One", example=1)
        two = formula(select(way, **_branches(base)), "", "Two")

    model = _book(workbook(flopsheet.solve(Long(), (), ["way = o7", "base = 1"])))["Model"]
    assert model["B4"].value == 9
    assert not model.data_validations.dataValidation


EVIL = ["=cmd|'/c calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "=1+1", 'a"&b', "https://example.org"]


class Evil(Sheet):
    """=HYPERLINK("https://example.org")."""

    base = given("=cmd|'/c calc'!A0", example=1, default=1, source="=1+1")
    way = choice('a"b', "+c", doc="@SUM(1)", default="+c")
    two = formula(select(way, **{'a"b': 3 * base, "+c": 2 * base}), "", "-2+3")
    fits = limit(two <= 3, "+1+1")
    assumptions = tuple(EVIL)
    notes = ("=1+1",)


def test_no_text_becomes_a_formula() -> None:
    answer = flopsheet.solve(Evil(), "base", ["two <= 2"])
    answer.warnings += EVIL
    book = _book(workbook(answer, Extras("=1+1")))
    written = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    live = {cell.value for cell in written if cell.data_type == "f"}
    model = {cell.value for row in book["Model"] for cell in row if cell.data_type == "f"}
    branches = 'IF(way="a""b",base*3,IF(way="+c",base*2,NA()))'
    assert model >= {f"={branches}"}
    assert not live & {*EVIL}
    outside = {text: re.sub(r'"(?:[^"]|"")*"', "", text) for text in live}
    assert not {text for text, rest in outside.items() if "HYPERLINK" in rest or "cmd" in rest}
    assert any("cmd" in text for text in live)  # inside quotes, in the headline
    texts = {cell.value: cell for cell in written if cell.data_type == "s"}
    assert {*EVIL} <= {*texts}
    assert all(texts[text].quotePrefix for text in EVIL)
    assert not any(cell.hyperlink for cell in written)


def test_every_value_and_tables_are_sheets() -> None:
    answer = flopsheet.solve("ffn_memory", "batch", ["seq_len = 1024", "mod(12, batch) = 0", "batch <= 4"])
    rows = list(_book(workbook(answer, Extras(every=True)))["Values"].values)
    assert rows[0][0] == "batch [sequence]"
    assert [row[0] for row in rows[1:]] == [1, 2, 3, 4]


def test_stated_cells_follow_and_a_table_has_scenarios() -> None:
    asked = flopsheet.read_question(packs()[0].folder / "models" / "questions" / "cost-by-batch.yaml")
    book = _book(
        workbook(answer_of(asked.question), Extras("", table=asked.table, before=("Before.",), after=("After.",)))
    )
    rows = {row[0].value: row for row in book["Scenarios"].iter_rows()}
    assert [rows[name][2].value for name in ("goal dataset_tokens", "tokens", "n_steps")] == [1.4e12, 8192, "=n_steps"]
    assert "Table" not in book.sheetnames
    model = {row[0].value: row for row in book["Model"].iter_rows()}
    assert model["n_chips"][1].value == "=target_chips"
    assert model["chip_rate"][1].value == "=goal_chip_rate"  # for any precision: the peak rate is known for one
    assert model["chip.flops.bf16"][1].value == "=chip_rate/utilization"
    answers = [cell for row in book["Answer"].values for cell in row if cell]
    assert {"Before.", "After."} <= set(answers)
    assert any("of dataset_tokens and tokens, with params = 70e9 param" in str(cell) for cell in answers)


def test_what_has_no_answer_is_a_workbook_too() -> None:
    asked = [*FITS, "device_memory <= chip.memory", "replicated_activation_fraction = 1/2"]
    for unknown, where in (("n_fsdp", asked), ("chip", [*FITS[:-1], "n_fsdp = 2", "device_memory <= chip.memory"])):
        answer = flopsheet.solve("ffn_memory", unknown, where)
        text = [cell for row in _book(workbook(answer))["Answer"].values for cell in row if cell]
        assert any(str(cell).startswith(f"no {unknown} works") for cell in text)


def test_the_same_answer_gives_the_same_file() -> None:
    assert workbook(_every()) == workbook(_every())


def test_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(FlopsheetError, match=r"Workbooks need XlsxWriter.*\n.*pip.* XlsxWriter$"):
        workbook(flopsheet.solve("ffn_memory", "params", {"d_model": 2, "d_ff": 2, "n_blocks": 2}))
