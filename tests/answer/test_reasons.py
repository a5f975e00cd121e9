"""Reasons in words: what is said of values that were not proven, and of numbers that lie near each other."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, exp, floor, formula, given, indicator, solve
from flopsheet.units import format_number


class Odd(Sheet):
    """Cells that stay level, jump, bend, or depend on a sum of ten cells."""

    x = given("Number", minimum=-1e6)
    z = given("Number within bounds", minimum=0, maximum=16)
    k = given("Count", integer=True)
    level = formula(10 + floor(z / 100), "", "Level")
    stairs = formula(4 * floor(z / 4), "", "Stairs")
    jump = formula(2 + 5 * indicator(x > 3), "", "Jump")
    bump = formula(10 + exp(-(x**2)) + exp(-((x - 9) ** 2)), "", "Two bumps")


ODD = Odd()


def why(unknown: str, *relations: str) -> str:
    """Return the reason for an answer, which is that of brute force over a fine grid: none."""
    outcome = solve(ODD, unknown, relations).outcomes[unknown]
    assert outcome.kind == "none"
    return outcome.why


@pytest.mark.parametrize(
    ("unknown", "relation", "says"),
    [
        ("z", "level = 12", "level is always 10, and must be exactly 12"),
        ("z", "stairs = 5", "Of the values of stairs that were tried, 4 and 8 are nearest to 5."),
        ("z", "stairs = 13", "Of the values of stairs that were tried, 12 and 16 are nearest to 13."),
        ("x", "jump = 4", "Of the values of jump that were tried, 2 and 7 are nearest to 4."),
        ("x", "jump >= 8", "jump cannot rise above 7"),
        ("x", "bump = 12", "bump cannot rise above 11"),
        ("x", "bump <= 9.9999999", "comes near 9.9999999 and never reaches it"),
        ("x", "exp(x) + exp(-x) <= 1.9", "cannot fall below 2"),
        ("k", "max(3 + 2e-16*exp(-k/70), 3) = 3", "is always 3 but for less than floats tell, and must be exactly 3"),
    ],
)
def test_a_reason_names_what_is_taken_or_cannot_be_passed(unknown: str, relation: str, says: str) -> None:
    assert says in why(unknown, relation)


def test_what_samples_alone_show_is_said_to_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flopsheet.answer.reasons.is_proven", lambda *_, **__: False)
    assert "the largest value of bump that was found is 11, and must be exactly 12" in why("x", "bump = 12")


@pytest.mark.parametrize(
    ("relations", "shown"),
    [
        (["(x - 1.0000001)*(x - 1.0000002) <= 0"], "1.0000001 <= x <= 1.0000002"),
        (["(x - 1.0000001)*(x - 1.0000002) >= 0"], "x <= 1.0000001 or x >= 1.0000002"),
        (["(x - 1.0000001)*(x - 1.0000002) = 0"], "x = 1.0000001 or 1.0000002"),
        (["x >= 3", "x <= 3"], "x = 3"),
        (["x >= 1", "x <= 1.0000001"], "1 <= x <= 1.0000001"),
    ],
)
def test_two_ends_never_print_alike(relations: list[str], shown: str) -> None:
    assert str(solve(ODD, "x", relations)).startswith(f"{shown}. ")


def test_bounds_that_exclude_each_other_never_print_alike() -> None:
    assert why("x", "x <= 1", "x >= 1.0000001").endswith("needs x <= 1 and 'x >= 1.0000001' needs x >= 1.0000001.")


@pytest.mark.parametrize(
    ("relations", "says"),
    [
        (["mod(256, k) = 0", "10 + 1/k <= 9"], "'10 + 1/k <= 9': 1/k + 10 cannot fall below 10"),
        (
            ["mod(256, k) = 0", "k >= 50", "k <= 60"],
            "'k >= 50' needs k >= 50 and 'k <= 60' needs k <= 60, and 'mod(256, k) = 0' holds nowhere within that.",
        ),
        (["mod(256, k) = 0", "mod(k, 3) = 0"], "'mod(k, 3) = 0' holds nowhere within that."),
    ],
)
def test_a_divisor_is_not_blamed_for_what_others_exclude(relations: list[str], says: str) -> None:
    """Brute force: 1 divides 256, and no multiple of 3 does."""
    assert says in why("k", *relations)


@pytest.mark.parametrize(
    ("relations", "says"),
    [
        (["x >= 3", "x <= 3"], "'x >= 3' and 'x <= 3' hold at 3 only."),
        (["x**2 = 4", "x >= 0"], "'x**2 = 4' and 'x >= 0' hold at 2 only."),
        (["x**2 = 4", "x >= -5"], "'x**2 = 4' holds at -2, 2 only."),
    ],
)
def test_every_relation_that_excludes_something_is_named(relations: list[str], says: str) -> None:
    assert solve(ODD, "x", relations).outcomes["x"].why == says


def test_long_sums_are_parsed_and_solved() -> None:
    terms = " + ".join(f"{number}*x" for number in range(1, 111))
    assert solve(ODD, "x", [f"{terms} = {111 * 110}"]).value == 2
    terms = " - ".join(["x"] * 248)
    assert solve(ODD, "x", [f"{terms} = 492"]).value == -2


def test_a_long_sum_that_remains_is_named_by_its_largest_term() -> None:
    """Twelve terms do not depend on the count; the last one is the largest."""
    terms = " + ".join(f"{number}*sqrt(z + {number})*log(z + {number + 1})" for number in range(1, 13))
    text = why("k", "z = 1", f"{terms} + k <= 1")
    largest = "12*sqrt(z + 12)*log(z + 13)"
    assert text.endswith(f"of it remain for every k: {largest} and 11 smaller terms do not depend on it.")


@pytest.mark.parametrize(("level", "below", "above"), [("10.001 GiB", 81_920, 81_921), ("1 GiB + 1 byte", 8192, 8193)])
def test_whole_numbers_between_which_a_staircase_passes_a_level_are_named(level: str, below: int, above: int) -> None:
    given = ["model = llama-3.1-8b", "n_sequences = 1"]
    answer = solve("kv_cache", "seq_len", [*given, f"cache_memory = {level}"])
    assert f"seq_len = {format_number(below)} token gives cache_memory" in answer.outcomes["seq_len"].why
    assert f"and {format_number(above)} token gives" in answer.outcomes["seq_len"].why
    for seq_len, operator in ((below, "<="), (above, ">=")):
        assert not solve("kv_cache", (), [*given, f"seq_len = {seq_len}", f"cache_memory {operator} {level}"]).broken


def test_options_that_leave_a_single_number_are_found() -> None:
    asked = ["model = llama-3.1-8b", "seq_len = 8192", "cache_memory <= 10 GiB", "n_sequences >= 20"]
    answer = solve("kv_cache", "n_sequences", asked)
    assert "It works with cache_precision = fp8 (n_sequences = 20)" in " ".join(answer.cautions)
    for option, works in (("fp8", True), ("bf16", False)):
        assert solve("kv_cache", "n_sequences", [*asked, f"cache_precision = {option}"]).solved is works
