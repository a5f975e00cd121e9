"""Equations that a question states: they displace defaults, keep bounds, and speak of cells in closed forms."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.errors import ArgumentError, DimensionError, QuestionError
from flopsheet.report.sentences import outcome_text

MODEL = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126"]
WHERE = [*MODEL, "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
FITS = "device_memory <= chip.memory"


@pytest.mark.parametrize(
    ("stated", "boundary", "whole"),
    [
        ("sharded_activation_fraction = 1/n_fsdp", (3276 + (3276**2 + 4 * 95 * 2142) ** 0.5) / (2 * 95), 36),
        ("replicated_activation_fraction = 1/n_fsdp", (3276 + 1071 + 2142) / 95, 69),
    ],
)
def test_a_stated_equation_displaces_a_default(stated: str, boundary: float, whole: int) -> None:
    answer = solve("ffn_memory", "n_fsdp", [*WHERE, stated, FITS])
    result = answer.outcomes["n_fsdp"]
    assert float(result.boundary or 0) == pytest.approx(boundary)
    assert result.whole == whole
    assert answer.dropped_defaults == (stated.partition(" ")[0],)


def test_a_stated_equation_of_two_defaults_displaces_the_left_one() -> None:
    answer = solve("ffn_memory", (), [*MODEL, "bytes_per_gradient = bytes_per_param/2"])
    assert answer.cells["gradient_memory"].value == 819 / 2
    assert answer.dropped_defaults == ("bytes_per_gradient",)


def test_a_stated_value_outside_the_bounds_is_no_answer() -> None:
    answer = solve("ffn_memory", "d_ff", ["d_model = 16384", "d_ff = d_model - 20000"])
    assert answer.outcomes["d_ff"].kind == "none"
    assert "makes it -3616, and d_ff is between 0 and 1,000,000,000" in answer.outcomes["d_ff"].why


def test_a_count_that_follows_is_whole_too() -> None:
    answer = solve("ffn_memory", "n_fsdp", [*MODEL, "seq_len = 1024", "chip = tpu-v5p", "n_fsdp = 2*batch", FITS])
    assert answer.outcomes["n_fsdp"].whole == 38
    assert not any(number in part for part in answer.outcomes["n_fsdp"].progressions for number in (36, 37, 39))


def test_the_order_of_unknowns_does_not_matter() -> None:
    where = [*MODEL, "seq_len = 1024", "chip = tpu-v5p", FITS, "tokens >= 1e6"]
    orders = [solve("ffn_memory", names, where) for names in (["batch", "n_fsdp"], ["n_fsdp", "batch"])]
    assert [[answer.outcomes[name].whole for name in ("batch", "n_fsdp")] for answer in orders] == [[977, 121]] * 2
    assert all("at batch = 977" in outcome_text(answer.outcomes["n_fsdp"]) for answer in orders)


def test_agreeing_redundancy_in_floats_is_no_conflict() -> None:
    where = ["d_model = 16102", "n_blocks = 184", "params = 312151310944", "gradient_memory = 1162.8542503118515 GiB"]
    assert solve("ffn_memory", "d_ff", where).value == 52679


def test_a_value_that_is_given_stays_a_cell_in_the_closed_form() -> None:
    answer = solve("ffn_memory", "d_model", ["n_blocks = 126", "d_ff = 4*d_model", "params = 1e12"])
    assert str(answer.closed_form) == "sqrt(2)*sqrt(params/n_blocks)/4"


def test_an_open_end_at_the_cells_own_bound_is_an_end() -> None:
    result = solve("ffn_memory", "n_fsdp", [*WHERE, "n_fsdp > 1"], without="fits")
    assert result.outcomes["n_fsdp"].whole == 2
    assert str(result).startswith("n_fsdp > 1, so 2.")


def test_every_interval_is_told() -> None:
    answer = solve("ffn_memory", "d_ff", ["params <= 219848638464", "d_ff + d_model = 69632", "n_blocks = 126"])
    shown = answer.as_dict()["answers"]["d_ff"]
    assert [(interval["lower"], interval["upper"]) for interval in shown["intervals"]] == [
        (0, 16384),
        (53248, 69631),
    ]  # d_model is 1 at least
    assert "d_ff <= 16,384 or 53,248 <= d_ff <= 69,631" in shown["why"]


@pytest.mark.parametrize("relation", ["d_model = 16384 token", "n_fsdp = 46 param", "n_fsdp >= 46 token"])
def test_a_count_takes_no_tokens(relation: str) -> None:
    with pytest.raises(DimensionError, match="Both sides need the same dimension"):
        solve("ffn_memory", (), [relation])


def test_what_speaks_of_one_unknown_says_so() -> None:
    answer = solve("ffn_memory", None, {"d_model": 1})
    with pytest.raises(QuestionError, match="There are 0 unknowns"):
        _ = answer.quantity
    with pytest.raises(ArgumentError, match="where: Expected a text, not 5"):
        solve("ffn_memory", None, [5])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        (
            "device_memory <= 0 GiB",
            "device_memory cannot fall to 0 GiB however large n_fsdp is, and must be at most 0 GiB",
        ),
        ("device_memory >= 4348 GiB", "device_memory cannot rise above 4347 GiB even at n_fsdp = 1"),
        ("device_memory = 5000 GiB", "cannot rise above 4347 GiB even at n_fsdp = 1, and must be exactly 5000 GiB"),
    ],
)
def test_why_nothing_works(relation: str, text: str) -> None:
    assert text in solve("ffn_memory", "n_fsdp", [*WHERE, relation]).outcomes["n_fsdp"].why


def test_a_computed_cell_that_is_given_needs_no_check_of_what_would_compute_it() -> None:
    where = ["d_model = 8", "d_ff = 8", "n_blocks = 2", "n_fsdp = 2", "tokens = 100000"]
    assert solve("ffn_memory", "device_memory", where).warnings == []
