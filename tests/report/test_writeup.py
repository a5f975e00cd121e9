"""The default write-up has every part, in the order in which a person reads it."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_sheets import Roofline
from tests.models.points import pin
from tests.report.chips import TOTAL, count, failing, fitting

import flopsheet
from flopsheet import Sheet, formula, given, max_, sin
from flopsheet.answer.solve import answer as answer_of
from flopsheet.registry.packs import packs
from flopsheet.report import Extras
from flopsheet.report.candidates import MOST_CANDIDATES
from flopsheet.report.forms.markdown import in_dollars
from flopsheet.report.moves import drivers_of, strongest_of
from flopsheet.report.pages import write_up
from flopsheet.report.sentences import MOST_RANKED, answer_line, meaning_text

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer

WHERE = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
GOAL = "device_memory <= chip.memory"
QUESTION = packs()[0].folder / "models" / "questions" / "latency-to-lyon.yaml"


class Roots(Sheet):
    """Formulas with several solutions."""

    x = given("A number", minimum="-1000", symbol="x")
    square = formula(x**2, doc="Its square", symbol="q")
    distance = formula(max_(x - 3, 3 - x), doc="How far it is from 3", symbol="d")
    angle = given("An angle", "degree", minimum="-100000 degree", symbol="a")
    wave = formula(sin(angle), doc="A wave", symbol="w", signed=True)
    less = formula(1 - x, doc="Below zero from 1 on", symbol="l", signed=True)


ROOTS = Roots()


@pytest.fixture(scope="module")
def answer() -> Answer:
    return flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL])


def test_parts_in_order(answer: Answer) -> None:
    headings = re.findall(r"^## (.+)$", answer.derivation(), re.MULTILINE)
    assert headings == [
        *("Answer", "Inputs", "Steps", "Check", "Limits"),
        *("Sensitivities", "Dependencies", "Other cells", "Assumptions", "References"),
    ]


def test_graph_is_a_block_that_ends(answer: Answer) -> None:
    lines = _section(answer.derivation(), "Dependencies")
    assert lines[:2] == ["```mermaid", "flowchart LR"]
    assert lines.count("```") == 1
    assert lines[-1] == "```"


def test_answer_in_bold_with_closed_form(answer: Answer) -> None:
    text = answer.derivation()
    assert "**n_fsdp >= 45.76, so 46**" in text
    assert r"n_{\text{fsdp}} \ge \frac{M_{\text{state}} + A \sigma}{M_{\text{chip}} - A \rho}" in text


def test_steps_say_symbols_then_numbers_then_result(answer: Answer) -> None:
    text = answer.derivation()
    assert r"N &= 2 d f L \\" in text
    assert r"&= 2 \cdot 16{,}384 \cdot 53{,}248 \cdot 126 \\" in text
    assert r"&= 219.85\mathrm{B}\,\mathrm{param}" in text
    assert "from 'device_memory <= chip.memory', solved by" in text
    assert r"\frac{M_{\text{state}} + A \sigma}{n_{\text{fsdp}}} + A \rho \le M_{\text{chip}}" in text


def test_steps_only_as_needed(answer: Answer) -> None:
    steps = answer.derivation().partition("## Steps")[2].partition("## Check")[0]
    assert "total_memory" not in steps
    assert (
        steps.index("`params`")
        < steps.index("`state_memory`")
        < steps.index("`n_fsdp`")
        < steps.index("`device_memory`")
    )


def test_inputs_name_record_file_and_source(answer: Answer) -> None:
    text = answer.derivation()
    row = next(line for line in text.splitlines() if "`chip.memory` |" in line)
    assert re.search(r"95 GiB .* tpu-v5p \(hardware/chips/google\.yaml:\d+\) \| \[1\]", row)
    assert re.search(r"^1\. Google Cloud TPU documentation.*<https://", text, re.MULTILINE)


def test_inputs_are_told_as_they_were_given() -> None:
    where = [*WHERE[:-1], "device_memory <= chip.memory", "chip.memory = 80 GB", "bytes_per_param = 2.00001 byte/param"]
    inputs = {row[0].split("`")[-2]: row for row in _rows(_section(_asked(where), "Inputs"))}
    assert inputs["chip.memory"][1:4:2] == ["74.51 GiB", "given as 80 GB"]
    assert inputs["bytes_per_param"][1:4:2] == ["2.00001 byte/param", "given"]
    assert inputs["batch"][1:4:2] == ["128 sequence", "given"]


def test_limits_with_slack(answer: Answer) -> None:
    assert "| `fits` | `device_memory <= chip.memory` | 94.5 GiB | 95 GiB | 0.5263 % | yes |" in answer.derivation()


def test_of_a_count_the_whole_number_follows_its_bound(answer: Answer) -> None:
    """Later steps compute with it, and so does a table."""
    assert re.search(r"&\\ge [^`]*= 45\.76 \\\\\n\s*n_\{\\text\{fsdp\}\} &= 46\n", answer.derivation())
    assert re.search(r"\| `n_fsdp` \| .* \| 46 \|", answer.derivation(template="table"))


def test_no_solution_says_why_and_has_no_result() -> None:
    text = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL, "replicated_activation_fraction = 1/2"]).derivation()
    assert "**no n_fsdp works**" in text
    assert "device_memory cannot fall below 1071 GiB however large n_fsdp is" in text
    assert "Defaults overridden by the question: replicated_activation_fraction (0 by default)." in text


def test_no_solution_names_the_inputs_that_stand_in_the_way() -> None:
    text = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, "replicated_activation_fraction = 1/2", GOAL]).derivation()
    named = {row[0].split("`")[-2] for row in _rows(_section(text, "Inputs"))}
    assert {"chip.memory", "replicated_activation_fraction"} <= named


def test_forward_question() -> None:
    text = flopsheet.solve("ffn_memory", (), [*WHERE, "n_fsdp = 46"]).derivation()
    assert "## Answer" not in text
    assert r"&= 94.5\,\mathrm{GiB}" in text


def test_unverified_figure_is_named() -> None:
    text = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE[:-1], "chip = b100", GOAL]).derivation()
    assert "chip.memory of b100-192gb was not verified in its source." in text


def test_numbers_read_like_an_engineers(answer: Answer) -> None:
    assert not re.search(r"\de[+-]?\d", answer.derivation())
    assert not re.search(r"\d{5}\.\d{2}|\.0{4}", answer.derivation())


def test_notebooks_show_the_write_up(answer: Answer) -> None:
    assert answer._repr_markdown_() == in_dollars(answer.derivation())
    assert "`$" not in answer._repr_markdown_()


STEP = {"work": "1200 TFLOP", "traffic": "4 TB", "exchanged": "50 GB", "flop_rate": "400 TFLOP/s"}
RATES = {"memory_bandwidth": "2 TB/s", "link_bandwidth": "50 GB/s"}


def _asked(where: list[str]) -> str:
    return flopsheet.solve("ffn_memory", "n_fsdp", where).derivation()


def _pairs(where: list[str]) -> dict[str, str]:
    return dict(text.split(" = ") for text in where)


def _section(text: str, heading: str) -> list[str]:
    """Return the lines of a section that are not empty."""
    (content,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return [line for line in content.splitlines() if line]


def _rows(lines: list[str]) -> list[list[str]]:
    """Return the cells of a table below its head, and check that it is one."""
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert {len(row) for row in table} == {len(table[0])}
    assert {*table[1]} <= {"---", "---:"}
    return table[2:]


def test_what_moves_the_answer(answer: Answer) -> None:
    lines = _section(answer.derivation(), "Sensitivities")
    rows = _rows(lines)
    assert rows[0] == ["1 % more `chip.memory`:", "1 % fewer `n_fsdp`"]
    assert ["1 % more `d_ff`:", "0.942 % more `n_fsdp`"] in rows
    sizes = [float(moved.partition(" %")[0]) for _, moved in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert len(rows) == 6


def test_what_does_not_move_the_answer_is_left_out() -> None:
    assert "Sensitivities" not in flopsheet.solve(TOY, "n", ["mod(30, n) = 0"]).derivation()
    twice = flopsheet.solve(TOY, "twice", {"x": 3}).derivation()
    rows = _rows(_section(twice, "Sensitivities"))
    assert {row[0] for row in rows} == {f"1 % more `{name}`:" for name in ("x", "rate", "other")}


def test_what_is_counted_gets_fewer_and_what_is_measured_less() -> None:
    text = flopsheet.solve("ffn_memory", "device_memory", _pairs(WHERE) | {"n_fsdp": "46"}).derivation()
    moved = _rows(_section(text, "Sensitivities"))
    assert ["twice the `n_fsdp`:", "50 % less `device_memory`"] in moved


def test_several_unknowns_share_six_moves() -> None:
    text = answer_of(flopsheet.read_question(QUESTION).question).derivation()
    rows = _rows(_section(text, "Sensitivities"))
    assert [row[1].split("`")[1] for row in rows] == ["vacuum_latency"] * 3 + ["fibre_latency"] * 3
    assert rows[0] == ["1 % more `here.latitude`:", "11.9 % more `vacuum_latency`"]


def test_a_value_that_the_question_writes_grows_too() -> None:
    text = flopsheet.solve(
        "ffn_memory", "batch", [*WHERE[:3], *WHERE[4:], "n_fsdp = 64", "device_memory <= 90 GiB"]
    ).derivation()
    assert [row for row in _rows(_section(text, "Sensitivities")) if "1 % above `90 GiB`:" in row]


def test_a_strong_move_is_no_power_of_ten() -> None:
    answer = flopsheet.solve(TOY, "x", ["x - y = 1", "y = 1000000000"])
    assert not re.search(r"\de[+-]\d", answer.derivation())


@pytest.mark.parametrize(("rate", "shown"), [(400, "compute_time"), (800, "memory_time")])
def test_what_decides(rate: int, shown: str) -> None:
    text = flopsheet.solve(Roofline(), "step_time", {**STEP, **RATES, "flop_rate": f"{rate} TFLOP/s"}).derivation()
    seconds = {"compute_time": 1200 / rate, "memory_time": 2, "network_time": 1}
    won = (
        f"- step_time: {shown} determines max(compute_time, memory_time, network_time) ({seconds.pop(shown):g} second)"
    )
    lost = " and ".join(f"{name} ({value:g} second)" for name, value in seconds.items())
    assert _section(text, "Binding terms") == [f"{won}; the other terms are {lost}"]


def test_every_value_that_works_is_a_row() -> None:
    answer = flopsheet.solve(TOY, ["x", "n"], ["bowl = 1", "total <= 3"])
    lines = _section(write_up(answer, extras=Extras(every=True)), "Every value that works")
    head = [name.strip("` ") for name in lines[0].strip("|").split("|")]
    rows = [dict(zip(head, row, strict=True)) for row in _rows(lines)]
    assert [(row["x"], row["n"], row["total"]) for row in rows] == [
        ("1", "1", "1"), ("1", "2", "2"), ("1", "3", "3"), ("3", "1", "3")
    ]  # fmt: skip
    assert "hill" not in head  # it is 3 at both
    assert "Every value that works" not in write_up(answer)


def test_ranked_names_with_those_that_do_not_work() -> None:
    answer = flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], [*WHERE[:-1], GOAL, "n_fsdp <= 56"])
    lines = _section(answer.derivation(), "Answer")
    works = fitting(56)
    first = f"{', '.join([*works][:MOST_RANKED])} and {len(works) - MOST_RANKED} others"
    assert lines[0] == f"**Chips that work (chip): {first}.**"
    assert lines[1].startswith(f"{len(works)} of {count()} chips meet ")
    order = "ranked by n_fsdp, the smallest first: the relations bound it from below."
    assert f"{order} The sections below are for chip = " in lines[1]
    rejected = [line for line in lines if line.startswith("- Not ")]
    assert [line.partition(":")[0] for line in rejected] == [f"- Not {names}" for names in failing(56)]
    assert all("device_memory <= chip.memory" in line for line in rejected)
    listed = [[chip, str(least)] for chip, least in works.items()]
    named = _rows(lines)
    assert [row[:2] for row in named] == listed[:MOST_CANDIDATES]
    assert f"{len(works) - MOST_CANDIDATES} more: {', '.join([*works][MOST_CANDIDATES:])}." in lines
    needs = [float(row[2].removesuffix(" GiB").replace(",", "")) for row in named[:MOST_CANDIDATES]]
    assert needs == pytest.approx([TOTAL / int(least) for _, least in listed[:MOST_CANDIDATES]], rel=1e-3)
    rows = _rows(_section(write_up(answer, extras=Extras(every=True)), "Every value that works"))
    pairs = [[chip, str(n)] for chip, least in works.items() for n in range(least, 57)]
    assert [row[:2] for row in rows] == pairs[:50] + [["...", "..."]] * (len(pairs) > 50)


def test_no_name_works() -> None:
    text = flopsheet.solve("ffn_memory", "chip", [*WHERE[:-1], "n_fsdp = 2"]).derivation()
    assert _section(text, "Answer")[:2] == ["**No chip works.**", f"0 of {count()} chips meet limit fits ('{GOAL}')."]
    assert "2173.5 GiB is more than 24 GiB" in text


def test_of_several_values_the_page_says_which() -> None:
    text = flopsheet.solve(ROOTS, ["x"], ["square = 9"]).derivation()
    assert "**x = -3 or 3**" in text
    assert "The value used in the steps:" in text
    assert r"x = \sqrt{q} = 3" in text
    outside = flopsheet.solve(ROOTS, ["x"], ["square > 4"]).derivation()
    assert "One bound of the solution:" in outside
    assert "\nx = -2\n" in outside


def test_the_formula_of_a_whole_number_in_a_table_gives_it() -> None:
    table = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL]).derivation("table")
    (row,) = [line for line in table.splitlines() if line.startswith("| `n_fsdp`")]
    assert "| 46 |" in row
    assert r"\lceil" in row
    below = flopsheet.solve("ffn_memory", "batch", [*WHERE[:3], *WHERE[4:], "n_fsdp = 64", GOAL]).derivation("table")
    (row,) = [line for line in below.splitlines() if line.startswith("| `batch`")]
    assert r"\lfloor" in row


N_FSDP = r"n_{\text{fsdp}}"


def test_a_range_with_two_ends_is_no_equation() -> None:
    answer = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL, "n_fsdp <= 64"])
    page, formula = answer.derivation(), answer._repr_latex_()
    assert formula is not None
    assert f"&\\le {N_FSDP} \\le 64" in formula
    for text in (page, formula):
        assert f"{N_FSDP} &= " not in text.partition("## Steps")[0]
        assert f"{N_FSDP} &\\ge " in text


def test_a_long_list_of_values_is_cut() -> None:
    text = flopsheet.solve(ROOTS, ["angle"], ["wave = 1/2"]).derivation()
    assert "**angle = every 360 degree from " in text
    assert "and others. All of them: every 360 degree" in text
    assert len(text) < 6000


def test_what_is_below_zero_goes_farther_or_nearer() -> None:
    text = flopsheet.solve(ROOTS, ["distance"], ["x = -3"]).derivation()
    assert "| 1 % farther from zero: `x`: | 0.5 % more `distance` |" in text
    below = flopsheet.solve(ROOTS, ["less"], ["x = 3"]).derivation()
    assert "farther from zero: `less` |" in below


def test_what_a_default_is_stands_beside_it_only() -> None:
    """`Pipeline stages: one is no pipeline` is asked for as pipeline stages."""
    asked = flopsheet.solve("pipeline_schedule", "n_pp", ["wait <= 9", "n_microbatches = 64"])
    assert answer_line(asked.outcomes["n_pp"]) == "Pipeline stages (n_pp): at most 4."
    assert "What is n_pp (pipeline stages), such that wait <= 9?" in asked.derivation()
    given = flopsheet.solve("pipeline_schedule", "wait", ["n_pp = 4", "n_microbatches = 64"])
    assert meaning_text(given.cells["n_pp"]) == "Pipeline stages"
    assert meaning_text(flopsheet.solve("pipeline_schedule", "wait", []).cells["n_pp"]) == (
        "Pipeline stages: one is no pipeline"
    )


def test_drivers_move_the_answer_as_they_say() -> None:
    """A count that a formula rounds has no slope: by that of `ceil(n_blocks/n_pp)` a fifth stage would be a gain."""
    given = ["model = llama-3-70b", "system = dgx-h100", "n_tp = 8", "n_dp = 16", "batch = 1024", "seq_len = 8192"]
    given += ["n_pp = 4", "sharding = optimizer"]
    answer = flopsheet.solve("training_step", "model_utilization", given)
    drivers, slopes = drivers_of(answer, strongest_of(answer)), answer.elasticities("model_utilization")
    assert drivers
    assert slopes["n_pp"] > 1
    assert {"n_pp", "n_blocks", "d_model"}.isdisjoint(driver.by for driver in drivers)
    before = answer.cells["model_utilization"].si
    for driver in drivers:
        value = answer.cells[driver.by]
        more = pin(value.cell, Fraction(value.si) * Fraction(1001, 1000))
        moved = flopsheet.solve("training_step", "model_utilization", [*given, more])
        change = 1000 * (moved.cells["model_utilization"].si / before - 1)
        assert change == pytest.approx(slopes[driver.by], rel=0.01)
