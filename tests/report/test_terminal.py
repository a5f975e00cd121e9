"""The terminal shows an answer on one screen, the answer last, and no number broken at any width."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_sheets import Roofline
from tests.asked import answered, asked
from tests.report.chips import count, fitting, shares

import flopsheet
from flopsheet.registry.packs import packs
from flopsheet.report import Detail, Extras
from flopsheet.report.sentences import MOST_RANKED, answer_line
from flopsheet.report.terminal.columns import brief, layout, shortened, wrapped
from flopsheet.report.terminal.console import Line
from flopsheet.report.terminal.parts import Part
from flopsheet.report.terminal.screen import MOST_LINES, answer_lines, print_answer

if TYPE_CHECKING:
    from pathlib import Path

MODEL = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024"]
STEP = {"work": "1200 TFLOP", "traffic": "4 TB", "exchanged": "50 GB"}
RATES = {"flop_rate": "400 TFLOP/s", "memory_bandwidth": "2 TB/s", "link_bandwidth": "50 GB/s"}


def printed(answer: flopsheet.Answer, *, every: bool = False, detail: Detail | None = None) -> list[str]:
    buffer = io.StringIO()
    print_answer(answer, buffer, Extras(every=every), detail)
    return buffer.getvalue().splitlines()


def test_what_moves_the_answer() -> None:
    lines = printed(
        flopsheet.solve(
            Roofline(), "work", {**{k: v for k, v in STEP.items() if k != "work"}, **RATES, "step_time": "3 second"}
        )
    )
    (line,) = [line for line in lines if "% more" in line]
    start, _, elasticities = line.partition(": ")
    assert start == "Percent change of work for 1 % more of each input"
    assert {*elasticities.split(", ")} == {"flop_rate +1", "step_time +1"}
    assert not any("% more" in line for line in printed(flopsheet.solve(TOY, "n", ["mod(30, n) = 0"])))


def test_whole_numbers_come_last() -> None:
    lines = printed(flopsheet.solve(TOY, "n", ["mod(n, 5) = 2", "n <= 20"], near=11))
    assert lines[-1] == "n is one of 2, 7, 12, 17"
    assert lines[-2] == "The other cells are those at n = 12."
    assert lines[-3].endswith("Of the values that work, 12 is nearest to 11.")


def test_a_headline_names_the_first_and_the_last_of_many_whole_numbers() -> None:
    few, many = (flopsheet.solve(TOY, "n", ["mod(n, 5) = 2", f"n <= {most}"]).outcomes["n"] for most in (39, 49))
    assert answer_line(few) == "Count (n): one of 2, 7, 12, 17, 22, 27, 32, 37."
    assert answer_line(many) == "Count (n): one of 2, 7, 12, 17, 22, 27, 32, ..., 47."
    assert "2, 7, 12, 17, 22, 27, 32, 37, 42 or 47" in many.why


def test_every_value_is_a_row() -> None:
    lines = printed(flopsheet.solve(TOY, ["x", "y"], ["bowl = 1", "(y - 5)**2 = 4"]), every=True)
    (head,) = [place for place, line in enumerate(lines) if line.split()[:2] == ["x", "y"]]
    names = lines[head].split()
    rows = [dict(zip(names, line.split(), strict=False)) for line in lines[head + 2 : head + 6]]
    pairs = [(x, y) for x in (1, 3) for y in (3, 7)]
    assert [(row["x"], row["y"], row["area"], row["scaled"]) for row in rows] == [
        (str(x), str(y), str(x * y), str(20 * x)) for x, y in pairs
    ]


def test_every_cell_and_step_on_demand() -> None:
    answer = flopsheet.solve(TOY, "x", ["area = 6", "y = 2"])
    short, full = printed(answer), printed(answer, detail=Detail("all", cells=True))
    assert short[-1] == full[-1] == "x = 3"
    assert not any(line.startswith("Steps") for line in short)
    assert {line.split()[0] for line in full if line} >= {*answer.cells}
    numbered = [f"{place}. {step.cell.name}: " for place, step in enumerate(answer.steps, 1)]
    assert all(any(line.startswith(start) for line in full) for start in numbered)


def test_ranked_names_are_folded() -> None:
    relations = [*MODEL, "device_memory <= chip.memory", "n_fsdp <= 60"]
    lines = printed(flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], relations))
    works = fitting(60)
    best, least = next(iter(works.items()))
    assert lines[-1] == f"With chip = {best}: {float(shares()[best]):#.4g} <= n_fsdp <= 60, so {least}"
    listed = [*works][:MOST_RANKED]
    assert f"chip: {', '.join(listed)} and {len(works) - MOST_RANKED} others" in " ".join(lines)
    assert any(line.startswith(f"{len(works)} of {count()} chips meet ") for line in lines)
    head = next(place for place, line in enumerate(lines) if line.split()[:2] == ["chip", "n_fsdp"])
    named = [line.split()[:2] for line in lines[head + 2 : head + 7]]
    assert named == [[chip, str(least)] for chip, least in works.items()][:5]


@pytest.mark.parametrize(
    ("unknown", "relations"),
    [
        ("chip", [*MODEL, "n_fsdp = 2"]),
        ("chip", [*MODEL, "n_fsdp = 64", "chip.memory = 1 TiB"]),
        (["chip", "n_fsdp"], [*MODEL, "device_memory <= 1 GiB", "n_fsdp <= 9"]),
    ],
)
def test_no_name_works(unknown: Any, relations: list[str]) -> None:
    lines = printed(flopsheet.solve("ffn_memory", unknown, relations))
    assert lines[-1] == "no chip works"
    assert any(line.startswith(f"0 of {count()} chips meet ") for line in lines)
    assert any(line.startswith("Not ") for line in lines)


QUESTIONS = sorted((packs()[0].folder / "models" / "questions").glob("*.yaml"))
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
WIDE = 400


def test_lines_break_between_words() -> None:
    text = "holds for n_fsdp >= 45.76. 46 gives device_memory 94.5 GiB, or 219,848,638,464 param of max(a_b,long_name)"
    for width in range(30, 100):
        lines = wrapped(text, width, "  ")
        assert max(map(len, lines)) <= width
        assert " ".join(line.strip() for line in lines).replace(", long", ",long") == text
        assert all(f" {unit}" not in f" {line.strip()}"[: len(unit) + 1] for line in lines for unit in ("GiB", "param"))
    assert wrapped("x" * 50, 40) == ["x" * 50]
    assert wrapped("trained on 15T token", 16) == ["trained on", "15T token"]
    assert wrapped("with 1.0486M param/token", 24)[-1:] == ["with 1.0486M param/token"]
    assert wrapped("with weights of 1.05B param", 25)[1] == "1.05B param"


def test_a_line_ends_before_a_relation_not_inside_of_it() -> None:
    assert wrapped("the least room in 'batch >= 128': 0 %", 30) == ["the least room in", "'batch >= 128': 0 %"]
    assert wrapped("Records and options: n_tp = 8, recipe = bf16.", 32)[1] == "recipe = bf16."
    long = "'" + " + ".join(["cell"] * 9) + " <= 3'"  # longer than half of a line: it may break
    assert len(wrapped(long, 30)) == 3


def test_a_list_of_which_nothing_is_shown_has_no_more_entries() -> None:
    part = Part([[Line("a")], [Line("b")]], least=0, noun="input", where="--all-cells shows all", width=60)
    part.cut()
    assert [line.text for line in part.lines] == ["a", "… 1 more input: --all-cells shows all."]
    part.cut()
    assert [line.text for line in part.lines] == ["… 2 inputs: --all-cells shows all."]
    part.hinted = True
    assert part.lines == []


def test_columns_are_dropped_with_their_count() -> None:
    head, row = ["name", "a", "b", "c"], ["x" * 20, "1,234,567 byte", "12 GiB", "3.5 TB/s"]
    wide, narrow = layout(head, [row], None), layout(head, [row], 40, ["a"])
    assert (wide.left_out, narrow.left_out) == ([], ["a"])
    assert narrow.note == "1 column not shown at this width: a."
    assert len(narrow.head[-1]) <= 40
    assert [cell in narrow.rows[0][0] for cell in row] == [True, False, True, True]


def test_no_value_is_no_table() -> None:
    lines = printed(flopsheet.solve(TOY, "n", ["mod(n, 5) = 2", "n <= 1"]), every=True)
    assert lines[-1].startswith("no whole n works") or lines[-1] == "no n works"


def test_texts_are_shortened_to_a_clause_which_is_not_cut() -> None:
    assert shortened("Width of a key: one of many words", 20) == ["Width of a key"]
    assert shortened("Memory of 12 GiB and more: a lot", 12) == ["Memory of", "12 GiB and", "more"]
    assert brief("Not computed: a, b, c, d.e, f and g. Given.") == "Not computed: a, b, c, 2 others and g. Given."


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=file.stem, marks=() if place % 8 == 0 else pytest.mark.slow)
        for place, file in enumerate(QUESTIONS)
    ],
)
def test_no_number_of_a_question_is_broken(file: Path) -> None:
    """Compare each width with a very wide one: every number of a narrow screen is a whole number of the wide one."""
    answer, extras = answered(file), Extras.of(asked(file))
    wide = " ".join(line.text for line in answer_lines(answer, WIDE, extras, Detail(cells=True)))
    wide += " ".join(line.text for line in answer_lines(answer, WIDE, extras))
    known = {*NUMBER.findall(wide)}
    for width in (60, 80, 120):
        lines = [line.text for line in answer_lines(answer, width, extras)]
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= width
        counted = [line for line in lines if "more" in line or "not shown" in line or "others" in line]
        shown = [number for line in lines if line not in counted for number in NUMBER.findall(line)]
        assert {*shown} <= known


@pytest.mark.parametrize(
    ("name", "unknown", "relations"),
    [
        ("decode", "token_time", ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "seq_len = 8192"]),
        ("prefill", "prompt_len", ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "first_token_time <= 1 s"]),
    ],
)
def test_every_driver_is_an_input_in_the_table_and_the_others_are_counted(
    name: str, unknown: str, relations: list[str]
) -> None:
    relations += ["n_sequences = 4"] if name == "decode" else []
    lines = printed(flopsheet.solve(name, unknown, relations))
    end = next(place for place, line in enumerate(lines) if not line and place > 1)
    table = [line.split()[0] for line in lines[: end or None] if line]
    told = " ".join(lines).partition(f"Percent change of {unknown} for 1 % more of each input: ")[2]
    drivers = re.findall(r"(?<!\d )\b([a-z_][\w.]*) [+-]\d", told.partition(" hold")[0])
    assert drivers
    assert {*drivers} <= {*table}
    assert any(re.fullmatch(r"… \d+ more inputs: --all-cells shows all\.", line) for line in lines)


def test_what_is_shown_beside_a_name_says_for_which_one() -> None:
    given = ["model = llama-3-70b", "n_tp = 4", "weight_format = fp8", "n_sequences = 32", "seq_len = 8192"]
    relations = [*given, "chip.vendor = Google", "token_time <= 20 ms"]
    lines = printed(flopsheet.solve("decode", "chip", relations, show="token_time"))
    (best,) = re.findall(r"^chip: ([\w-]+)", "\n".join(lines), re.MULTILINE)
    assert lines[-1].startswith(f"With chip = {best}: Time of a token of a sequence (token_time): ")


def test_one_cell_is_no_plural() -> None:
    hints = [line for line in printed(flopsheet.solve("chip_power", [])) if line.startswith("More")]
    assert hints == ["More: --all-cells."]
    assert not [line for line in printed(flopsheet.solve("global_batch", [])) if "cells" in line]
