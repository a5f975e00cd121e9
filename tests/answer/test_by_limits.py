"""Questions in which only limits of the sheet decide: how many chips hold a state, which chips, what is refused."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from flopsheet import Chip, Sheet, equal, formula, given, limit, mod, part, solve
from flopsheet.errors import UnderdeterminedError
from flopsheet.inverse.method import Proof
from flopsheet.registry.store import records
from flopsheet.report.texts.asked import question_text
from flopsheet.sheets.yaml_sheet import parse_sheet

STATE, SHARED = 1000, 10  # GB


class Held(Sheet):
    """A state over chips that hold it; a chip also holds what all share."""

    state = given("State", "GB", example=STATE)
    shared = given("What each chip holds whole", "GB", default=SHARED, minimum=0)
    work = given("Work of a step", "TFLOP", example=100)
    target = given("Time of a step that is promised", "second", example=1)
    n_heads = given("Heads", default=96, integer=True)
    n_tp = given("Chips that share a copy", example=8, maximum=10**4, integer=True)
    n_dp = given("Copies: one unless something asks for more", inferred=1, example=1, maximum=10**4, integer=True)
    n_chips = formula(n_tp * n_dp, "chip", "Chips", integer=True)
    chip = part(Chip, example="h100-sxm")
    held = formula(state / n_chips + shared, "GB", "Held by one chip")
    step_time = formula(work / (n_chips * chip.flops.bf16), "second", "Time of a step")
    fits = limit(held <= chip.memory, "One chip holds its share")
    in_time = limit(step_time <= target, "Steps come in time")
    heads_divide = limit(equal(mod(n_heads, n_tp), 0), "Heads divide evenly")


SHEET = Held()
GIVEN = [f"state = {STATE} GB", "work = 100 TFLOP"]


def needed(chip: str) -> int:
    """Return the chips that hold the state, by hand; math.inf where what all share is too much for one."""
    room = records("chip")[chip].si_values["memory"] / 10**9 - SHARED
    return math.ceil(STATE / room) if room > 0 else 0


def outcome(name: str, *texts: str, **options: Any) -> Any:
    answer = solve(SHEET, name, [*GIVEN, *texts], **options)
    return answer, answer.outcomes[name]


def works(number: int, result: Any) -> bool:
    return any(number in part for part in result.solutions)


def test_a_count_without_a_default_is_what_limits_leave() -> None:
    answer, result = outcome("n_tp", "chip = h100-sxm")
    fitting = [count for count in range(1, 97) if 96 % count == 0 and count >= needed("h100-sxm")]
    assert [part.lower for part in result.listed] == fitting
    assert "Nothing that was asked decides on n_tp: limits of the sheet do." in answer.warnings


def test_a_default_that_breaks_a_limit_yields_to_it() -> None:
    answer, result = outcome("n_dp", "chip = h100-sxm", "n_tp = 4")
    assert (result.kind, result.whole) == ("range", math.ceil(needed("h100-sxm") / 4))
    assert not answer.broken


def test_a_count_that_a_default_gives_yields_to_a_limit() -> None:
    _, result = outcome("n_chips", "chip = h100-sxm", "n_tp = 1")
    assert result.kind == "range"
    assert result.whole == needed("h100-sxm")


def test_a_usual_number_that_is_asked_for_is_what_limits_leave() -> None:
    """Whether or not the number that it usually is breaks one, and though nothing is left."""
    _, result = outcome("n_dp", "chip = h100-sxm", "n_tp = 96")
    assert (result.kind, result.si, works(10**4, result)) == ("range", 1, True)
    _, result = outcome("n_dp", "chip = h100-sxm", "n_tp = 96", "shared = 200 GB")
    assert (result.kind, "No n_dp satisfies limit fits ('held <= chip.memory'" in result.why) == ("none", True)
    _, result = outcome("n_dp", "chip = h100-sxm", "n_tp = 96", without=["fits", "in_time"])
    assert (result.kind, result.si) == ("value", 1)


@pytest.mark.parametrize(
    ("sheet", "given", "numbers"),
    [
        ("training_memory", ["model = llama-3.1-405b", "n_tp = 8", "n_pp = 16", "sharding = optimizer"], []),
        ("training_step", ["model = llama-3.1-8b", "n_tp = 8", "batch = 48"], [1, 2, 3, 4, 6, 8, 12, 16, 24, 48]),
    ],
)
def test_replicas_are_asked_for_as_stages_are(sheet: str, given: list[str], numbers: list[int]) -> None:
    answer = solve(sheet, "n_dp", [*given, "chip = h100-sxm", "seq_len = 8192"])
    found = [number for number in range(1, 100) if works(number, answer.outcomes["n_dp"])]
    assert found == numbers
    for number in range(1, 50) if numbers else ():
        forward = solve(sheet, (), [*given, "chip = h100-sxm", "seq_len = 8192", f"n_dp = {number}"])
        assert (number in numbers) is not bool(forward.broken)


@pytest.mark.parametrize(
    ("name", "given", "deciding"),
    [
        ("n_tp", [], {"fits", "heads_divide"}),
        ("n_dp", ["n_tp = 96", "target = 1 us"], {"in_time"}),
        ("n_dp", ["n_tp = 96", "shared = 200 GB"], {"fits"}),
    ],
)
def test_limits_that_decide_are_told_as_limits(name: str, given: list[str], deciding: set[str]) -> None:
    """The question does not say them, JSON has them once, and reasons name them."""
    answer, result = outcome(name, "chip = h100-sxm", *given)
    assert {*result.limits} == deciding
    content = answer.as_dict()
    assert content["checks"] == []
    assert set(content["answers"][name]["limits"]) == deciding
    assert "such that" not in question_text(answer.question)
    assert all(f"limit {limit} ('" in result.why.lower() for limit in deciding)
    assert not answer.meets_question or deciding <= {own["name"] for own in content["limits"]}


def test_what_was_asked_of_a_count_decides_and_limits_cut_it() -> None:
    _, result = outcome("n_chips", "chip = h100-sxm", "n_tp = 8", "n_chips >= 20")
    assert result.si == 24


@pytest.mark.parametrize("chip", ["h100-sxm", "h200-sxm", "mi300x"])
def test_an_asked_relation_says_the_same(chip: str) -> None:
    _, alone = outcome("n_tp", f"chip = {chip}")
    _, asked = outcome("n_tp", f"chip = {chip}", "held <= chip.memory")
    assert alone.listed == asked.listed


def test_a_promise_that_is_made_decides_too() -> None:
    rate = records("chip")["h100-sxm"].si_values["flops.bf16"]
    _, result = outcome("n_dp", "chip = h100-sxm", "n_tp = 16", "target = 1 ms")
    assert result.whole == math.ceil(100e12 / (16 * rate * 1e-3))


def test_of_each_chip_as_many_as_it_needs() -> None:
    answer = solve(SHEET, ["chip", "n_dp"], [*GIVEN, "n_tp = 1"], best="min:n_dp", budget=60)
    assert answer.ranking is not None
    found = {own.options["chip"]: own.answer.cells["n_dp"].si for own in answer.ranking.working if own.answer}
    assert len(found) > 50
    assert found == {chip: needed(chip) for chip in records("chip") if 0 < needed(chip) <= 10**4}


def test_lifted_limits_do_not_decide() -> None:
    with pytest.raises(UnderdeterminedError):
        outcome("n_tp", "chip = h100-sxm", without="fits")


def test_limits_that_lack_an_input_do_not_decide() -> None:
    with pytest.raises(UnderdeterminedError, match=r"the limit 'held <= chip\.memory' with chip"):
        outcome("n_tp")
    with pytest.raises(UnderdeterminedError, match="'state' is not given"):
        solve(SHEET, "n_tp", ["chip = h100-sxm", "work = 100 TFLOP"])


def test_equations_alone_do_not_decide() -> None:
    with pytest.raises(UnderdeterminedError):
        outcome("n_tp", "chip = h100-sxm", without=["fits", "in_time"])


def test_equations_decide_where_a_sheet_has_nothing_else() -> None:
    answer = solve("parallel_degrees", "n_ep", ["n_dp = 16", "n_tp = 8", "n_etp = 2"])
    assert [own.lower for own in answer.outcomes["n_ep"].listed] == [1, 2, 4, 8, 16, 32, 64]
    none = solve("parallel_degrees", "n_ep", ["n_dp = 16", "n_tp = 8", "n_etp = 3"])
    assert none.outcomes["n_ep"].kind == "none"


def test_two_figures_that_limits_bound_apart_are_both_told() -> None:
    given = ["model = llama-3.1-405b", "chip = h200", "n_tp = 8", "n_sequences = 64", "seq_len = 8192"]
    answer = solve("hardware_wish", ("chip.memory_bandwidth", "chip.memory"), [*given, "token_target = 30 ms"])
    rate, memory = answer.outcomes["chip.memory_bandwidth"], answer.outcomes["chip.memory"]
    assert (rate.limits, memory.limits) == (("tokens_in_time",), ("fits",))
    assert rate.si is not None
    assert memory.si is not None
    for share, holds in ((1.001, True), (0.999, False)):
        pins = [
            f"chip.memory_bandwidth = {float(rate.si) * share} byte/s",
            f"chip.memory = {float(memory.si) * share} byte",
        ]
        again = solve("hardware_wish", (), [*given, "token_target = 30 ms", *pins])
        broken = {check.relation.name for check in again.broken}
        assert ({"tokens_in_time", "fits"} <= broken) is not holds


def test_a_promise_that_nobody_made_is_left_out_in_formulas_too() -> None:
    given = ["model = gpt-oss-120b", "chip = h100-sxm", "n_sequences = 64", "seq_len = 8192", "token_target = 10 ms"]
    answer = solve("hardware_wish", "n_tp", given)
    assert [own.lower for own in answer.outcomes["n_tp"].listed] == [8, 16]


@pytest.mark.parametrize("target", ["token_target = 50 ms", "token_target = 30 ms", "first_token_target = 1 s"])
def test_the_longest_prompt_keeps_promises_and_a_longer_one_breaks_the_limit_that_is_named(target: str) -> None:
    given = ["chip = h100-sxm", "n_tp = 8", "model = llama-3.1-70b", "output_len = 500", "arrival_rate = 5/s"]
    targets = {"first_token_target": "2 s", "token_target": "50 ms", **dict([target.split(" = ")])}
    given += ["answer_replicas = 2", *(f"{name} = {value}" for name, value in targets.items())]
    outcome = solve("serving", "prompt_len", given, budget="20 s").outcomes["prompt_len"]
    assert outcome.kind == "range"
    assert not outcome.open
    longest = float(outcome.listed[-1].upper)
    for share, holds in ((0.999, True), (1.001, False)):
        again = solve("serving", (), [*given, f"prompt_len = {longest * share}"])
        broken = {check.relation.name for check in again.broken}
        assert not broken if holds else broken & {*outcome.limits}


def test_a_figure_of_a_record_is_asked_for_where_the_question_makes_a_promise() -> None:
    """Forward: the bandwidth that is named keeps the promise, and 1 % less does not."""
    given = ["model = llama-3-70b", "n_tp = 8", "chip = h200-sxm", "n_sequences = 32", "seq_len = 8192"]
    result = solve("hardware_wish", "scale_up_bandwidth", [*given, "token_target = 30 ms"]).outcomes[
        "scale_up_bandwidth"
    ]
    assert result.kind == "range"
    assert result.si is not None
    for share, keeps in ((1, True), (0.99, False)):
        link = f"scale_up_bandwidth = {float(result.si) * share / 1e9!r} GB/s"
        forward = solve("hardware_wish", "token_time", [*given, link])
        assert (float(forward.outcomes["token_time"].si or 0) <= 0.03 * (1 + 1e-9)) is keeps
    assert solve("hardware_wish", "scale_up_bandwidth", given).outcomes["scale_up_bandwidth"].si == 450e9


class Used(Sheet):
    """Of what there is, all is used unless somebody says how much."""

    stock = given("What there is", "GB", example=STATE)
    used = given("What is used of it", "GB", inferred=stock, example=STATE)
    left = formula(2 * stock - used, "GB", "What is left of twice as much")
    enough = limit(used <= stock, "No more is used than there is")


def test_a_limit_that_excludes_nothing_decides_nothing() -> None:
    with pytest.raises(UnderdeterminedError, match="'stock' is not determined: too few relations"):
        solve(Used(), "stock")
    assert solve(Used(), "stock", ["used = 7 GB"]).outcomes["stock"].si == 7 * 10**9


def test_limits_that_are_equations_decide_where_the_usual_number_breaks_one() -> None:
    degrees = solve("parallel_degrees", "n_dp", ["n_tp = 8", "n_pp = 4", "n_ep = 3"]).outcomes["n_dp"]
    assert [number for number in range(1, 40) if works(number, degrees)] == [*range(3, 40, 3)]
    held = solve("parallel_degrees", "n_dp", ["n_tp = 8", "n_pp = 4", "n_ep = 4"]).outcomes["n_dp"]
    assert held.si == 1


FIXED = """
sheet: fixed
title: A limit that the unknown does not change
cells:
  x: {doc: Variable, symbol: x}
  k: {doc: Another input, symbol: k, example: 3}
  y: {doc: Sum, symbol: y, formula: x + 1}
  c: {doc: Beside it, symbol: c, formula: k + 1}
limits:
  least: {relation: c >= 7, doc: Of the other input}
"""


@pytest.mark.parametrize(("asked", "values"), [("y <= 4", "x <= 3"), ("y = 4", "x = 3")])
def test_a_limit_that_no_value_changes_leaves_none(asked: str, values: str) -> None:
    sheet = parse_sheet(FIXED, "fixed")
    outcome = solve(sheet, "x", ["k = 3", asked]).outcomes["x"]
    assert (outcome.kind, outcome.limits) == ("none", ("least",))
    assert outcome.why == (
        f"Limit least ('c >= 7') does not hold: 4 is less than 7, whatever x is. Without it: {values}."
    )
    assert outcome.proof is not Proof.OPEN
    assert solve(sheet, "x", ["k = 3", asked], without="least").outcomes["x"].kind != "none"
    assert solve(sheet, "x", ["k = 6", asked]).outcomes["x"].kind != "none"


def test_a_value_that_its_formula_gives_is_told_with_the_limit() -> None:
    answer = solve(parse_sheet(FIXED, "fixed"), "y", ["k = 3", "x = 3"])
    assert (answer.value, [check.relation.name for check in answer.broken]) == (4, ["least"])


@pytest.mark.parametrize("order", [["x", "z"], ["z", "x"]])
def test_a_limit_that_no_value_changes_claims_nothing_of_single_tuples(order: list[str]) -> None:
    """Of x z = 4 and x + z = 5, both x = 1 and x = 4 are left without it: one of these alone is not told."""
    sheet = parse_sheet(FIXED.replace("  c:", "  z: {doc: Factor, symbol: z}\n  c:"), "fixed")
    answer = solve(sheet, order, ["k = 3", "x*z = 4", "x + z = 5"])
    for name, outcome in answer.outcomes.items():
        why = f"Limit least ('c >= 7') does not hold: 4 is less than 7, whatever {name} is."
        assert (outcome.kind, outcome.limits, outcome.why) == ("none", ("least",), why)
    assert len(solve(sheet, order, ["k = 3", "x*z = 4", "x + z = 5"], without="least").tuples) == 2


@pytest.mark.parametrize(
    ("sheet", "unknown", "lacking"),
    [("training_memory", "micro_batch", ["seq_len"]), ("decode", "n_tp", ["n_sequences", "seq_len"])],
)
def test_inputs_that_limits_lack_are_asked_for(sheet: str, unknown: str, lacking: list[str]) -> None:
    """What the error says to add is enough for limits to decide."""
    known = ["model = llama-3.2-1b", "chip = h100-sxm"]
    with pytest.raises(UnderdeterminedError) as error:
        solve(sheet, unknown, known)
    assert all(f"'{name}'" in error.value.problem for name in lacking)
    more = re.findall(r"'(\w+ = [^']+)'", error.value.fix)
    assert [text.split()[0] for text in more] == lacking
    assert solve(sheet, unknown, [*known, *more]).solved
