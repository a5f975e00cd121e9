"""What an answer uses: the steps of a page lead to the answer, have its values, and leave out what is zero."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.asked import answered
from tests.cases import each, sampled
from tests.report.pages import QUESTIONS

import flopsheet
from flopsheet import Sheet, choice, equal, formula, given, indicator, limit, mod, select, solve
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.inverse.method import Method
from flopsheet.report import Extras
from flopsheet.report.drivers import drivers
from flopsheet.report.pages import write_up
from flopsheet.report.sentences import left_out_text
from flopsheet.report.steps.used import MOST_STEPS, used_steps
from flopsheet.report.writeup import WriteUp
from flopsheet.units import close

if TYPE_CHECKING:
    from pathlib import Path

FILES = [file.with_suffix(".yaml") for file in QUESTIONS[::6]]


@pytest.mark.parametrize("file", sampled(FILES), ids=lambda file: file.stem)
def test_each_step_has_the_value_of_its_cell(file: Path) -> None:
    answer = answered(file)
    used = used_steps(answer, [*answer.outcomes, *(name for check in answer.checks for name in check.relation.cells)])
    assert 0 < len(used.steps) <= MOST_STEPS
    for step in used.steps:
        if step.how is Method.DIRECT and step.form is not None:
            value = value_or_none(step.form, answer.values)
            assert value is not None
            assert close(value, step.si), step.cell.name


def test_zeros_ones_and_second_names_are_left_out() -> None:
    where = ["params = 70e9", "dataset_tokens = 20e12", "chip_rate = 400 TFLOP/s", "train_time <= 30 day"]
    answer = solve("training_run", "n_chips", where)
    names = [step.cell.name for step in used_steps(answer, ["n_chips"]).steps]
    assert names == ["trained_work", "chip_time", "n_chips"]
    assert {"active_params", "trained_tokens"} <= {step.cell.name for step in answer.steps} - {*names}


def test_a_page_begins_with_question_answer_and_drivers() -> None:
    where = ["params = 70e9", "dataset_tokens = 20e12", "chip_rate = 400 TFLOP/s", "train_time <= 30 day"]
    page = write_up(solve("training_run", "n_chips", where), "page")
    first = page.partition("\n## ")[0]
    assert "**Chips that train the model (n_chips): at least 8102 chips.**" in first
    assert first.count("1 % more") >= 3
    assert "steps are shown, those that count most" in page


@pytest.mark.parametrize(
    ("best", "moved"), [(None, {"train_time", "train_cost"}), ("min:chip_time", {"chip_time"})], ids=["room", "best"]
)
def test_names_alone_have_the_drivers_of_what_is_compared_or_ranks_them(best: str | None, moved: set[str]) -> None:
    where = [
        "params = 70e9",
        "dataset_tokens = 2e12",
        "n_chips = 2048",
        "train_time <= 30 day",
        "train_cost <= 9e6 USD",
    ]
    answer = solve("training_run", "chip", where, best=best)
    page = write_up(answer, "page").partition("\n## ")[0]
    assert answer.ranking is not None
    assert len(answer.ranking.working) > 1
    drivers = page.partition("**Drivers.** ")[2].partition("\n")[0]
    assert set(re.findall(r"(?:more|less|fewer) `(\w+)`[.;]", drivers)) <= moved
    assert drivers.count("1 %") >= 3


def test_divisors_have_the_drivers_of_what_excludes_the_others() -> None:
    model = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
    answer = solve("ffn_memory", "n_fsdp", [*model, "mod(256, n_fsdp) = 0", "device_memory <= chip.memory"])
    page = answer.derivation("page").partition("\n## ")[0]
    assert "1 % more `n_blocks`: 1 % more `device_memory`" in page
    assert "`n_fsdp`:" not in page.partition("**Drivers.**")[2]


@each(QUESTIONS)
def test_a_page_of_a_question_tells_drivers(page: Path) -> None:
    assert "**Drivers" in page.read_text(encoding="utf-8").partition("\n## ")[0]


def test_a_question_without_an_answer_has_a_page() -> None:
    """Cells of its relations have no value, so no step that uses them is shortened."""
    model = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
    answer = flopsheet.solve("ffn_memory", "n_fsdp", [*model, "device_memory = 90 GiB"])
    assert "48.3" in answer.derivation("page")


def test_no_whole_number_that_works_has_a_page() -> None:
    """The time that the question sets is in the step of the fraction, whatever number would work."""
    where = ["params = 70e9", "dataset_tokens = 15e12", "chip_rate = 395 TFLOP/s", "train_time = 20 day"]
    answer = solve("training_run", "n_chips", where)
    page = answer.derivation("page")
    assert answer.outcomes["n_chips"].kind == "none"
    assert r"20\,\mathrm{day} \cdot 24" in page
    assert "| 20 day | Time of the run | given |" in page


def test_no_value_that_works_has_the_steps_that_show_why() -> None:
    model = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
    answer = solve("ffn_memory", "n_fsdp", [*model, "device_memory <= chip.memory", "n_fsdp <= 40"])
    page = answer.derivation("page")
    assert "(`state_memory`)" in page
    assert "steps are shown" not in page


class Lone(Sheet):
    """Stages of which there may be one."""

    n_stages = given("Stages", default=1, integer=True, minimum=1)
    launch = given("Time to launch", "ms", default=10)
    work = given("Time to work", "ms", example=30)
    time = formula(work + launch * indicator(n_stages > 1), "ms", "Time of all stages")


def test_comparisons_of_numbers_alone_are_decided() -> None:
    page = solve(Lone, "work", ["time = 40 ms"]).derivation("page")
    assert "1 > 1" not in page
    assert "1 > 1" in solve(Lone, "work", ["time = 40 ms"]).derivation("derivation")
    assert "2 > 1" in solve(Lone, (), ["work = 40 ms", "n_stages = 2"]).derivation("page")


def test_the_cell_that_ranks_names_is_derived() -> None:
    where = ["model = llama-3-8b", "n_chips = 512", "dataset_tokens = 1T", "tokens = 4M", "chip.vendor = NVIDIA"]
    page = solve("training_run", ["chip"], where, best="min:train_cost").derivation("page")
    assert "Cost of the run (`train_cost`)" in page.partition("## Steps")[2]


@pytest.mark.slow
def test_a_default_that_is_a_long_formula_is_not_written_out() -> None:
    run = ["model = llama-3-8b", "chip = h100-sxm", "n_chips = 8", "seq_len = 4096", "batch = 64"]
    page = solve("training_step", (), [*run, "matmul_efficiency = 0.5"]).derivation("page")
    assert "matmul_efficiency (a formula by default)" in page


@pytest.mark.parametrize("file", sampled(FILES), ids=lambda file: file.stem)
def test_what_moves_the_answer_most_is_an_input_of_the_page(file: Path) -> None:
    answer = answered(file)
    page = WriteUp(answer, Extras())
    inputs = {entry.name for entry in page.used_inputs}
    assert {move.by for move in page.first_moves} & answer.cells.keys() <= inputs


def test_what_moves_the_headline_of_a_forward_question_is_told() -> None:
    answer = solve("training_run", [], ["params = 70e9", "dataset_tokens = 20e12", "n_chips = 1024", "chip = h100-sxm"])
    page = WriteUp(answer, Extras())
    assert page.summary
    assert page.moves[0].name in page.summary
    assert page.moves[0].elasticity == f"{answer.elasticities(page.moves[0].name)[page.moves[0].by]:+.3g}"


def test_a_formula_that_is_a_number_keeps_its_digits() -> None:
    answer = solve("scaling_law", "overtraining", ["total_work = 1e25 FLOP", "model.params = 70e9"])
    constants = [step for step in WriteUp(answer, Extras()).steps if step.name == "epoch_data_factor"]
    assert [line.count("=") for step in constants for line in step.lines] == [1]
    assert [step.value for step in constants] == ["2085.43"]


@pytest.mark.parametrize(
    ("shown", "text"),
    [(0, "None of 2 steps is shown"), (1, "1 of 2 steps is shown, the one that counts most"), (2, "")],
)
def test_how_many_steps_are_left_out(shown: int, text: str) -> None:
    assert left_out_text(2, shown).partition(";")[0] == text


class Balance(Sheet):
    """Tokens and parameters by a law with constants."""

    law = choice("a", "b", default="a", doc="Published law")
    factor = formula(select(law, a=412, b=301), "", "Factor of the law")
    size = given("Size", example=8, minimum=1)
    data = given("Data", example=16, minimum=1)
    work = formula(size * data, "", "Computation")
    share = given("Share of the time: all", default=1)
    loss = formula(factor / size + share, "", "Loss")


def test_what_the_question_gives_is_no_step() -> None:
    """It would be a step that computes an input again; the table of checks has both sides."""
    answer = solve(Balance, "data", ["size = 8", "work = 128"])
    assert [step.cell.name for step in answer.steps] == ["data", "work"]
    assert [step.cell.name for step in used_steps(answer, ["data", "work"]).steps] == ["data"]
    page = answer.derivation("page")
    assert page.count("(`data`") == 1
    assert "(`work`)" not in page.partition("## Steps")[2].partition("## Check")[0]
    assert "| `work = 128` | 128 | = | 128 | yes |" in page


def test_constants_of_a_sheet_are_values_not_steps() -> None:
    answer = solve(Balance, "loss", ["size = 8"])
    used = used_steps(answer, ["loss"])
    assert [step.cell.name for step in used.steps] == ["loss"]
    assert "factor" in used.cells
    page = answer.derivation("page")
    assert "`factor` | 412 | Factor of the law |" in page
    assert "(`factor`)" not in page


def test_a_step_of_an_unknown_does_not_tell_of_its_default() -> None:
    page = solve(Balance, "share", ["size = 8", "loss = 52"]).derivation("page")
    assert "Share of the time (`share`, from 'loss = 52'" in page
    assert "Share of the time: all" not in page


def test_an_equation_has_no_slack() -> None:
    """It read "0 %", as if a limit that holds exactly were at its bound."""
    tiles = solve(Tiles, (), ["width = 12", "tile = 4"])
    assert [limit.slack for limit in WriteUp(tiles, Extras()).limits] == ["-", "66.67 %"]


class Tiles(Sheet):
    """Tiles that divide a width."""

    width = given("Width", example=12, integer=True, minimum=1)
    tile = given("Tile", example=4, integer=True, minimum=1)
    whole = limit(equal(mod(width, tile), 0), "Tiles fill the width")
    small = limit(tile <= width, "A tile is no wider")


def test_what_is_inside_and_outside_of_a_rounding_is_no_driver() -> None:
    """The slope of `ceil(seq_len/cache_block)*cache_block` at a point is one, and one percent more changes nothing."""
    where = ["model = llama-3-70b", "seq_len = 320", "n_sequences = 16", "n_tp = 8"]
    answer = flopsheet.solve("kv_cache", where=where)
    assert "cache_block" in answer.elasticities("cache_memory")
    assert "cache_block" not in dict(drivers(answer, "cache_memory"))
    assert drivers(answer, "cache_memory")


def test_a_rounding_to_many_steps_moves_as_what_it_rounds() -> None:
    """A cache of 512 blocks for each of 64 sequences grows with both, and not with the size of a block."""
    where = ["model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192", "n_sequences = 64", "n_tp = 8"]
    answer = flopsheet.solve("inference_memory", where=where)
    moved = dict(drivers(answer, "inference_memory"))
    share = float(answer.cells["cache_memory"].si / answer.cells["inference_memory"].si)
    assert [*moved][:2] == ["n_sequences", "seq_len"]
    assert [moved["n_sequences"], moved["seq_len"]] == pytest.approx([share, share])
    assert "cache_block" not in moved
