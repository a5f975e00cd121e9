"""Several counts that only limits of the sheet keep few: each tuple is tried, and counted here by brute force too."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from flopsheet import Sheet, equal, formula, given, limit, mod, solve
from flopsheet import ceil as ceil_
from flopsheet.errors import UnderdeterminedError
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import Interval
from flopsheet.search.joint import Joint

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer


class Layout(Sheet):
    """Degrees of parallelism that limits keep few, with a time and a memory that follow from both."""

    n_heads = given("Heads", example=24, integer=True)
    n_blocks = given("Blocks", example=20, integer=True)
    room = given("Memory of a chip", example=60)
    n_tp = given("Chips that share a layer", example=4, integer=True, maximum=10**5)
    n_pp = given("Stages", example=2, integer=True, maximum=10**5)
    stage_blocks = formula(ceil_(n_blocks / n_pp), "", "Blocks of the largest stage")
    held = formula(24 * stage_blocks / n_tp + n_pp / 2, "", "Held by a chip")
    step_time = formula(n_pp + 40 / n_tp + n_tp / 3, "", "Time of a step")
    heads_divide = limit(equal(mod(n_heads, n_tp), 0), "Heads divide evenly")
    stages_have_blocks = limit(n_pp <= n_blocks, "Each stage has a block")
    fits = limit(held <= room, "A chip holds its share")


LAYOUT = Layout()
UNKNOWNS = ("n_tp", "n_pp")


def asked(n_heads: int, n_blocks: int, room: int, *relations: str, without: tuple[str, ...] = ()) -> Answer:
    given_cells = [f"n_heads = {n_heads}", f"n_blocks = {n_blocks}", f"room = {room}"]
    return solve(LAYOUT, UNKNOWNS, [*given_cells, *relations], without=without)


def pairs(answer: Answer) -> list[tuple[int, ...]]:
    assert {own.proof for own in answer.outcomes.values()} <= {Proof.EXACT, Proof.PROVEN}
    return [tuple(int(own[name]) for name in UNKNOWNS) for own in answer.tuples]


def by_trial(n_heads: int, n_blocks: int, room: int, time: Fraction | None = None) -> list[tuple[int, ...]]:
    divisors = [number for number in range(1, n_heads + 1) if n_heads % number == 0]
    return [
        (n_tp, n_pp)
        for n_tp, n_pp in product(divisors, range(1, n_blocks + 1))
        if Fraction(24 * ceil(Fraction(n_blocks, n_pp)), n_tp) + Fraction(n_pp, 2) <= room
        and (time is None or n_pp + Fraction(40, n_tp) + Fraction(n_tp, 3) <= time)
    ]


@settings(max_examples=8)
@drawn(st.integers(1, 30), st.integers(1, 12), st.integers(5, 200), st.integers(10, 60))
def test_a_time_lists_the_pairs_that_limits_leave(n_heads: int, n_blocks: int, room: int, time: int) -> None:
    answer = asked(n_heads, n_blocks, room, f"step_time <= {time}")
    expected = by_trial(n_heads, n_blocks, room, Fraction(time))
    assert sorted(pairs(answer)) == expected
    assert answer.meets_question is bool(expected)


@settings(max_examples=8)
@drawn(st.integers(1, 30), st.integers(1, 12), st.integers(5, 200))
def test_limits_alone_list_the_pairs_of_the_smallest_product_first(n_heads: int, n_blocks: int, room: int) -> None:
    expected = by_trial(n_heads, n_blocks, room)
    if not expected:
        return
    answer = asked(n_heads, n_blocks, room)
    assert sorted(pairs(answer)) == expected
    products = [n_tp * n_pp for n_tp, n_pp in pairs(answer)]
    assert products == sorted(products)
    if len(expected) > 1:
        first = pairs(answer)[0]
        assert tuple(int(answer.cells[name].si) for name in UNKNOWNS) == first
        assert any("Nothing that was asked decides on n_tp and n_pp" in text for text in answer.remarks)


def test_each_count_names_the_limits_on_it() -> None:
    answer = asked(24, 20, 60, "step_time <= 30")
    assert answer.outcomes["n_tp"].limits == ("heads_divide", "fits")
    assert answer.outcomes["n_pp"].limits == ("stages_have_blocks", "fits")
    fast = asked(24, 20, 60, "step_time <= 14")  # of the pairs in time, none has too many stages
    assert fast.outcomes["n_pp"].limits == ("fits",)
    assert sorted(pairs(asked(24, 20, 60, "step_time <= 12", without=("fits",)))) == by_trial(
        24, 20, 10**6, Fraction(12)
    )


def test_none_says_how_many_were_tried_and_which_limits_leave_these() -> None:
    answer = asked(24, 20, 60, "step_time <= 4")
    assert not answer.meets_question
    outcome = answer.outcomes["n_tp"]
    assert outcome.proof is Proof.PROVEN
    assert outcome.limits == ("heads_divide", "stages_have_blocks")
    assert outcome.why.startswith("'step_time <= 4' holds at none of the 160 combinations of n_tp and n_pp that limits")


@pytest.mark.usefixtures("clock")
def test_counts_that_limits_leave_endless_are_refused() -> None:
    where = ["n_heads = 24", "n_blocks = 20", "room = 60", "step_time >= 1"]
    with pytest.raises(UnderdeterminedError):
        solve(LAYOUT, UNKNOWNS, where, without="stages_have_blocks", budget=0.2)
    with pytest.raises(UnderdeterminedError):
        solve(LAYOUT, UNKNOWNS, ["n_heads = 24", "n_blocks = 20"])


def test_a_grid_is_tried_as_single_tuples_are() -> None:
    x, y, z = (symbol(name) for name in "xyz")
    steps = [("p", x**2 / y), ("q", symbol("p") + z), ("r", 1 / (x - 3) + y)]
    relations = [Relation(symbol("q"), "<=", symbol("r") * z, ""), Relation(x + y + z, ">", y * 2, "")]
    numbers = [[1, 2, 3, 5], [1, 4, 6], [2, 3, 7, 8]]
    joint = Joint(("x", "y", "z"), steps, relations, {}, {"p": Interval(0, 9), "q": Interval(3, 100)})
    expected = [point for point in product(*numbers) if joint.holds(point)]
    assert 0 < len(expected) < 40
    assert sorted(joint.holding(numbers)) == expected
    assert all(point[0] != 3 for point in expected)  # where a formula has no value
