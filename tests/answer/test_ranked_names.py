"""The order of names that work: by the room they leave, by the number that was asked for, or as the question says."""

from __future__ import annotations

import re

import pytest
from tests.answer.served import BANDWIDTH, CHIPS, FP8, GB, LARGE, MEMORY, SHEET, by_room, names, numbers, ranking

from flopsheet import solve
from flopsheet.errors import FlopsheetError, QuestionError
from flopsheet.registry.store import records


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8, 9])
def test_chips_that_meet_the_limit_of_the_sheet_are_ranked_by_the_room_left(n: int) -> None:
    ranked = ranking("chip", *LARGE, f"n = {n}")
    assert names(ranked) == by_room(140 * GB / n, MEMORY)
    assert {candidate.text for candidate in ranked.rejected} == CHIPS.keys() - {*names(ranked)}
    assert all(
        f"{candidate.text}" not in candidate.why and "held <= chip.memory" in candidate.why
        for candidate in ranked.rejected
    )


def test_an_inequality_that_no_name_changes_does_not_rank() -> None:
    assert names(ranking("chip", *LARGE, "n = 2", "n <= 2")) == by_room(70 * GB, MEMORY)


def test_the_smallest_number_comes_first_where_it_is_bounded_below() -> None:
    ranked = ranking(["chip", "n"], *LARGE, "held <= chip.memory")
    needed = {key: -(-140 * GB // int(memory)) for key, memory in MEMORY.items()}
    assert names(ranked) == sorted(needed, key=lambda key: needed[key])
    assert numbers(ranked, "n") == sorted(needed.values())
    assert "n, the smallest first" in ranked.why


def test_the_largest_number_comes_first_where_it_is_bounded_above() -> None:
    ranked = ranking(["chip", "params"], "precision = bf16", "n = 2", "read_time <= 10 ms")
    most = {key: min(bandwidth / 100, MEMORY[key]) for key, bandwidth in BANDWIDTH.items()}  # the limit of the sheet
    assert names(ranked) == sorted(most, key=lambda key: -most[key])
    assert numbers(ranked, "params") == pytest.approx(sorted(most.values())[::-1], rel=1e-12)
    assert ranked.by == "params, the largest first"


def test_a_direction_ranks_by_any_cell_and_names_without_a_value_come_last() -> None:
    for best, cell, sign in [("max:chip.memory", "chip.memory", -1), ("min:read_time", "read_time", 1)]:
        answer = solve(SHEET, "chip", [*LARGE, "n = 2"], best=best)
        assert answer.ranking is not None
        values = [candidate.answer.cells[cell].si for candidate in answer.ranking.working if candidate.answer]
        assert [sign * value for value in values] == sorted(sign * value for value in values)
        assert f"ranked by {cell}, the {'smallest' if sign > 0 else 'largest'} first." in answer.ranking.why
    answer = solve(SHEET, "chip", ["precision = bf16", "params = 7e10", "n = 2"], best="max:chip.flops.fp8")
    assert answer.ranking is not None
    ranked = names(answer.ranking)
    with_fp8 = [key for key in ranked if key in FP8]
    assert with_fp8 == sorted(with_fp8, key=lambda key: -FP8[key])
    assert ranked[: len(with_fp8)] == with_fp8
    assert f"the last {len(ranked) - len(with_fp8)} without a value" in answer.ranking.why


def test_a_direction_alone_decides_among_names() -> None:
    answer = solve(SHEET, "chip", (), best="max:chip.memory")
    assert answer.value == max(MEMORY, key=lambda key: MEMORY[key])
    assert names(answer.ranking) == sorted(MEMORY, key=lambda key: -MEMORY[key]) if answer.ranking else False


def test_a_number_that_an_equation_sets_does_not_rank_names() -> None:
    ranked = ranking(["chip", "params"], "precision = bf16", "n = 2", "read_time = 10 ms")
    works = [key for key in CHIPS if BANDWIDTH[key] / 100 <= MEMORY[key]]
    assert {*names(ranked)} == {*works}
    assert names(ranked) == sorted(works, key=[*records("chip")].index)
    assert (ranked.by, "best = max:params or min:params would rank them" in ranked.why) == ("", True)


@pytest.mark.parametrize(
    ("best", "says"),
    [
        ("maximum:n", "no direction 'maximum'. Did you mean 'max'"),
        ("max:helt", "no cell 'helt'. Did you mean 'held'"),
        ("held", "no direction. Write max:held or min:held"),
        ("max:chip", "'chip' is a name"),
        ("max:rate", "choice 'precision': 'precision' is not given"),
        ("max:bf16_rate", "There is no cell 'bf16_rate'"),
    ],
)
def test_a_wrong_direction_says_what_to_write(best: str, says: str) -> None:
    with pytest.raises(FlopsheetError, match=re.escape(says)):
        solve(SHEET, "chip", ["params = 7e10", "n = 2"], best=best)
    with pytest.raises(QuestionError, match="nothing to rank"):
        solve(SHEET, (), [*LARGE, "chip = h100", "n = 2"], best="max:n")


@pytest.mark.parametrize(
    ("unknown", "known", "falls"),
    [pytest.param("n_tp", "n_sequences", False, marks=pytest.mark.slow), ("n_sequences", "n_tp", True)],
)
def test_whole_numbers_that_inequalities_leave_rank_the_names(unknown: str, known: str, falls: bool) -> None:
    """The fewest chips come first where memory asks for more of them, the most sequences where it ends these."""
    given = ["model = llama-3-70b", "seq_len = 8192 token", f"{known} = 8", "inference_memory <= 0.9*chip.memory"]
    answer = solve("inference_memory", ["chip", unknown], given, budget=20)
    assert answer.ranking is not None
    outcomes = [each.answer.outcomes[unknown] for each in answer.ranking.working if each.answer is not None]
    ends = [float(own.listed[-1].upper if falls else own.listed[0].lower) for own in outcomes]
    assert len({*ends}) > 2
    assert ends == sorted(ends, reverse=falls)
