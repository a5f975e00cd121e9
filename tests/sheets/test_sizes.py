"""Sizes are bounded before work starts: digits of exact numbers, cases, rows of a table, and the time of reading."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from tests.pace import at_most

from flopsheet import solve, table
from flopsheet.answer.question_file import read_question
from flopsheet.errors import ArithmeticTrapError, QuestionError, RegistryError, TooLargeError, suggest
from flopsheet.registry import reading_time
from flopsheet.sheets.yaml_sheet import parse_sheet
from flopsheet.units import exceeds_floats

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Sheet

HEAD = "sheet: sizes\ntitle: Sizes\ncells:\n"


def sheet_of(*rows: str) -> Sheet:
    return parse_sheet(HEAD + "".join(f"  {row}\n" for row in rows), "sizes")


def chain(count: int, formula: str, start: str) -> Sheet:
    """Return a sheet of cells that each use the one before."""
    formulas = (formula.replace("c", f"c{place}") for place in range(count - 1))
    rows = (f"c{place}: {{minimum: -1, formula: '{text}'}}" for place, text in enumerate(formulas, 1))
    return sheet_of(f"c0: {{default: '{start}'}}", *rows)


@pytest.mark.parametrize("formula", ["c*c", "c*c + 1/c", "c**3 - c", "c*c/3", "(c + 1)*(c + 2)", "max(c*c, 1/c)"])
@pytest.mark.parametrize("start", ["1.0000001", "12345", "1/7", "1e300", "1e-300", "7/3", "0.99999"])
def test_a_chain_of_cells_keeps_its_digits_few(formula: str, start: str) -> None:
    sheet = chain(60, formula, start)
    with at_most(1):
        try:
            values = [value.si for value in solve(sheet).cells.values()]
        except ArithmeticTrapError as error:
            assert "than numbers can be" in str(error) or "divides by zero" in str(error)  # noqa: PT017
        else:
            assert all(isinstance(value, (int, Fraction, float)) and not exceeds_floats(value) for value in values)


def test_a_value_beyond_floats_names_its_cell() -> None:
    with pytest.raises(TooLargeError, match=r"^cell 'c1': .* it is larger than numbers can be\."):
        solve(chain(3, "c*c", "1e300"), "c2")
    with pytest.raises(ArithmeticTrapError, match=r"^cell 'c1': .* it is smaller than numbers can be\."):
        solve(chain(3, "c*c", "1e-300"), "c2")


def test_powers_in_powers_are_bounded_inside_of_a_formula() -> None:
    sheet = sheet_of("a: {default: 3}", f"b: {{formula: '{'(' * 25}a{'**2 + 1)' * 25}'}}")
    with at_most(1), pytest.raises(TooLargeError, match="larger than numbers can be"):
        solve(sheet, "b")


@pytest.mark.parametrize("relation", ["b = 30", "b <= 30", "b >= 1e300"])
def test_a_tower_of_powers_is_no_trouble(relation: str) -> None:
    sheet = sheet_of("a: {}", f"b: {{formula: '{'**'.join(['a'] * 20)}'}}")
    with at_most(5):
        assert solve(sheet, "a", [relation]).outcomes["a"].kind in ("values", "value", "range", "none")


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("term", ["a{}", "2*a{} + a0", "a0*a{}"])
def test_many_terms_are_read_at_once(name: str, term: str) -> None:
    count = 120 if term == "a{}" else 70
    rows = [f"a{place}: {{default: {place + 1}}}" for place in range(count)]
    terms = ", ".join(term.format(place) for place in range(1, count))
    with at_most(1):
        sheet = sheet_of(*rows, f"b: {{formula: '{name}({terms})'}}")
    assert len(sheet.cells["b"].formula.args) == count - 1  # type: ignore[union-attr]
    ends_of = (f"b{place}: {{formula: '{term.format(place)}'}}" for place in (1, count - 1))
    ends = solve(sheet_of(*rows, *ends_of)).values
    assert solve(sheet, "b").value == (ends[f"b{count - 1}"] if name == "max" else ends["b1"])


def test_rows_of_a_table_are_counted_before_they_are_multiplied_out() -> None:
    vary = {name: range(1, 2000) for name in ("d_model", "d_ff", "n_blocks", "batch", "seq_len", "n_fsdp")}
    with at_most(1), pytest.raises(QuestionError, match=r"It has 63,[\d,]+ rows, more than 500"):
        table("ffn_memory", vary=vary, show=["device_memory"])


def test_the_nearest_of_thousands_of_names_is_found_soon() -> None:
    names = [f"activation_{place}_memory" for place in range(5000)]
    with at_most(2):
        assert all(suggest(f"activaton_{place}_memory", names).startswith("Did you mean") for place in range(20))
        assert suggest("activation_77_memry", names).startswith("Did you mean 'activation_77_memory'")


@pytest.fixture
def _slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each look at the clock take 10 ms."""
    now = iter(range(10**9))
    monkeypatch.setattr(reading_time, "thread_time", lambda: next(now) / 100)


@pytest.mark.usefixtures("_slow_clock")
@pytest.mark.parametrize("size", [0, 250_000])
def test_reading_a_sheet_ends_after_its_time(size: int, tmp_path: Path) -> None:
    from flopsheet.sheets.yaml_sheet import read_sheet

    file = tmp_path / "sizes.yaml"
    rows = "".join(f"  a{place}: {{formula: 2*b}}\n" for place in range(2000))
    file.write_text(f"{HEAD}  b: {{}}\n{rows}" + "# " + "x" * size + "\n")
    seconds = -(-file.stat().st_size // 100_000)
    with pytest.raises(RegistryError) as caught:
        read_sheet(file, "models/sizes.yaml")
    assert str(caught.value) == (
        f"models/sizes.yaml: Reading it takes more than {seconds} s. Split it, or simplify its formulas."
    )


@pytest.mark.usefixtures("_slow_clock")
def test_reading_a_question_ends_after_its_time(tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    file.write_text("sheet: ffn_memory\nwhere:\n" + "".join(f"- d_ff >= {place} * 2\n" for place in range(1, 900)))
    with pytest.raises(RegistryError, match=r"question.yaml: Reading it takes more than 1 s\."):
        read_question(file)


@pytest.mark.usefixtures("_slow_clock")
def test_reading_records_ends_after_its_time(tmp_path: Path) -> None:
    from flopsheet.authoring.check import check

    file = tmp_path / "chips.yaml"
    file.write_text("".join(f"c{place}: {{name: X, flops: {{bf16: 1 TFLOP/s}}}}\n" for place in range(500)))
    with pytest.raises(RegistryError, match=r"chips.yaml: Reading it takes more than 1 s\."):
        check([file], "chip").close("check")
