"""Levels that an answer has printed: met where the formula rounds to them, while typed ones are met exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import Sheet, ceil, equal, exp, floor, formula, given, limit, max_, mod, ratio, solve
from flopsheet.functions.rounding import merged
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
    from flopsheet import Answer

X, Y, N = symbol("x"), symbol("y"), symbol("n")


class Latency(Sheet):
    """Times in which what is added is lost in rounding, or is zero."""

    n_servers = given("Servers", example=4, integer=True, maximum=100_000)
    load = given("Share", example=ratio(1, 2))
    scale = given("Zero where there is nothing to share", example=0, minimum=0)
    service = given("Service", "ms", example=73)

    wait = formula(service * exp(-n_servers * load * 10), "ms", "Wait")
    response = formula(service + wait, "ms", "Response")
    n_local = formula(max_(1, 20 / n_servers), "", "Local")
    share = formula(1 / (3 * n_local), "", "Share")
    idle = formula(1 - load / max_(load, n_servers), "", "Idle")
    shared = formula(scale * idle ** ratio(7, 2) + ratio(1, 3), "", "Share that scale takes out")


def asked(relation: str, unknown: str = "n_servers", *more: str) -> Answer:
    given_cells = {"n_servers": 4, "load": "1/2", "scale": 0, "service": "73 ms"}
    where = [f"{name} = {value}" for name, value in given_cells.items() if name != unknown]
    return solve(Latency, unknown, [*where, relation, *more])


@pytest.mark.parametrize(("unknown", "inside"), [("n_servers", 40), ("load", 8)])
def test_a_printed_level_is_met_where_what_is_added_is_lost_in_rounding(unknown: str, inside: int) -> None:
    outcome = asked("response = 73.0 ms", unknown).outcomes[unknown]
    assert any(inside in part for part in outcome.solutions)
    assert not any(1 in part for part in outcome.solutions if unknown == "n_servers")


@pytest.mark.parametrize("unknown", ["n_servers", "load"])
def test_a_typed_level_that_is_only_approached_is_met_nowhere(unknown: str) -> None:
    outcome = asked("response = 73 ms", unknown).outcomes[unknown]
    assert not outcome.listed
    assert not outcome.progressions


@pytest.mark.parametrize("level", ["1/3", "0.3333333333333333"])
def test_a_plateau_is_whole_by_its_exact_value_and_by_its_float(level: str) -> None:
    (part,) = asked(f"share = {level}").outcomes["n_servers"].solutions
    assert (part.lower, part.upper) == (20, 100_000)


@pytest.mark.parametrize("level", ["1/3", "0.3333333333333333"])
def test_what_zero_takes_out_holds_everywhere(level: str) -> None:
    outcome = asked(f"shared = {level}").outcomes["n_servers"]
    assert [(part.lower, part.upper) for part in outcome.solutions] == [(1, 100_000)]
    assert not outcome.open


class Divided(Sheet):
    """Tokens that ranks divide evenly."""

    n_seqs = given("Sequences", example=3, integer=True)
    seq_len = given("Tokens of each", example=712)
    n_ranks = given("Ranks", example=8)

    n_tokens = formula(n_seqs * seq_len, "", "Tokens")
    is_even = limit(equal(ceil(n_tokens / n_ranks), n_tokens / n_ranks), "Ranks have as many tokens each")


@pytest.mark.parametrize(("n_ranks", "step"), [(8, 1), (16, 2), (7, 7), (267, 3)])
def test_what_is_divided_evenly_is_told_without_end(n_ranks: int, step: int) -> None:
    answer = solve(Divided, "n_seqs", ["seq_len = 712", f"n_ranks = {n_ranks}", "n_seqs >= 2"])
    outcome = answer.outcomes["n_seqs"]
    assert not outcome.open
    for number in (2, 3, 4, 6, 7, 14, 21, 10**6, 10**6 + 1, 7 * 10**30, 7 * 10**30 + 1):
        assert any(number in part for part in outcome.solutions) == (number % step == 0), number


@pytest.mark.parametrize(
    "total",
    [
        ceil(X) - X,
        X + Y - ceil(X + Y),
        3 * ceil(X / Y) - 3 * X / Y,
        Y + 2 * (X - ceil(X)),
        ceil(X) - X + ceil(Y),
        X - mod(X, 5),
        3 * X - 3 * mod(X, Y) + Y,
        2 * mod(X + Y, 3) - 2 * X - 2 * Y,
        N * ceil(X / N) - X + Y,
        2 * N * floor(X / N) - 2 * X,
    ],
)
def test_a_sum_with_a_number_and_its_rounding_holds_the_number_once(total: Any) -> None:
    other = merged(total, frozenset((X, Y)))
    assert other != total
    for x, y in ((ratio(17, 5), 2), (-ratio(1, 3), 7), (4, 3)):
        values = {X: x, Y: y, N: ratio(5, 3)}
        assert other.subs(values) == total.subs(values)


def test_a_sum_that_does_not_cancel_stays_as_it_is() -> None:
    for total in (ceil(X) - Y, ceil(X) + X, X * ceil(Y / X) - Y):  # a factor that varies would occur twice
        assert merged(total, frozenset((X, Y))) == total


def test_a_short_decimal_that_a_formula_rounds_to_is_met_as_printed() -> None:
    """What is added is far below the last digit: JSON has 73.5 for all of the plateau."""
    where = {"load": "1/2", "scale": 0, "service": "73.5 ms"}
    response = solve(Latency, (), {**where, "n_servers": 40}).as_dict()["cells"]["response"]
    answer = solve(Latency, "n_servers", {**where, "response": f"{response['value']!r} {response['unit']}"})
    assert len(repr(response["value"])) < 7
    assert any(40 in part for part in answer.outcomes["n_servers"].solutions)
