"""The limits of a sheet are conditions on the unknown: answers are cut by them, name them, and lift them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.answer.test_question_file import write  # noqa: F401  # a fixture
from tests.models.points import example, named, pin
from tests.models.points import given as given_cells

from flopsheet import Sheet, equal, formula, given, indicator, limit, max_, mod, part, sheet, solve, table
from flopsheet.answer.names import Ranking
from flopsheet.answer.question_file import read_question
from flopsheet.answer.solve import answer
from flopsheet.errors import UnknownNameError
from flopsheet.report.sentences import outcome_text
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet import Answer

MESH = ["n_fsdp = 16", "d_model = 8192", "d_ff = 28672", "chip = tpu-v5p", "fsdp_axes = 2", "tp_axes = 1"]
STACK = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
LARGEST = 2 * 2 * 8192 * 28672 / (2 * 2 * 8192 * (459e12 / (600e9 / 3)))  # max_n_tp: work over bytes and intensity


STEPPED = """
sheet: stepped
title: A product with a rounding
cells:
  n: {doc: Copies, maximum: 200}
  r0: {formula: ceil(n/2), doc: Half of them}
  r1: {formula: r0*n/6, doc: Their product}
limits:
  most: {relation: r1 <= 1261.7, doc: The most}
"""


class Layout(Sheet):
    """Counts whose product is limited, and a bowl with a wall."""

    n = given("Copies", integer=True, example=3)
    k = given("Stages", integer=True, example=3)
    width = given("Width", minimum=-1000, example=3)
    chip = part("chip", "Chip", example="h100-sxm")
    used = given("Memory used", "GiB", example="30 GiB")

    bowl = formula((width - 2) ** 2, "", "Squared distance from 2")
    steep = formula(width**5 + width**3 + width, "", "A power of the width")
    total = formula(n * k, "", "Copies of stages")

    wall = limit(width >= 2, "The width is on the right side")
    flat = limit(steep <= 2000, "The power is small")
    even = limit(equal(mod(n, 2), 0), "Copies come in pairs")
    few = limit(total <= 100, "There are few copies of stages")
    fits = limit(used <= chip.memory, "One chip holds what is used")


LAYOUT = Layout()


def test_a_range_is_cut_by_limits_and_names_them() -> None:
    result = solve("compute_bound_batch", "n_tp", [*MESH, "tokens = 32768", "tokens >= min_tokens"])
    outcome = result.outcomes["n_tp"]
    assert outcome.kind == "range"
    assert outcome.solutions[0].upper == pytest.approx(LARGEST)
    assert outcome.limits == ("compute_bound", "tp_bound")
    assert str(result).startswith("n_tp <= 12.49 (limits compute_bound and tp_bound), so 12. ")
    assert result.solved


def test_lifted_limits_cut_nothing_and_break_nothing() -> None:
    asked = [*MESH, "tokens = 32768", "tokens >= min_tokens"]
    one = solve("compute_bound_batch", "n_tp", asked, without="compute_bound")
    assert str(one).startswith("n_tp <= 12.49 (limit tp_bound), so 12. ")
    both = solve(
        "compute_bound_batch", "n_tp", [*MESH, "tokens = 32768", "n_tp >= 13"], without=["compute_bound", "tp_bound"]
    )
    assert (both.outcomes["n_tp"].whole, both.solved, both.broken) == (13, True, [])
    assert [(check.relation.name, check.holds, check.lifted) for check in both.limits] == [
        ("axes_exist", True, False),
        ("compute_bound", False, True),
        ("tp_bound", False, True),
    ]


def test_none_names_the_limits_and_what_there_is_without() -> None:
    result = solve("compute_bound_batch", "n_tp", [*MESH, "tokens = 32768", "n_tp >= 13"])
    outcome = result.outcomes["n_tp"]
    assert (outcome.kind, outcome.limits) == ("none", ("compute_bound", "tp_bound"))
    assert outcome.why == (
        "Limits compute_bound ('communication_time <= math_time') and tp_bound ('n_tp <= max_n_tp') exclude "
        "every n_tp. Without them: n_tp >= 13, so 13."
    )


def test_a_question_without_a_solution_of_its_own_says_nothing_of_limits() -> None:
    outcome = solve("compute_bound_batch", "n_tp", [*MESH, "tokens = 3276", "tokens >= min_tokens"]).outcomes["n_tp"]
    assert outcome.why.startswith("No n_tp satisfies 'tokens >= min_tokens'")
    assert not outcome.limits


@pytest.mark.parametrize(("relation", "text"), [("n_fsdp > 1", "n_fsdp >= 45.76 (limit fits), so 46.")])
def test_the_memory_of_a_chip_bounds_its_shards(relation: str, text: str) -> None:
    assert str(solve("ffn_memory", "n_fsdp", [*STACK, relation])).startswith(text)


def test_a_limit_that_is_asked_too_is_not_named() -> None:
    result = solve("ffn_memory", "n_fsdp", [*STACK, "device_memory <= chip.memory"])
    assert str(result).startswith("n_fsdp >= 45.76, so 46.")


def test_a_single_value_that_breaks_a_limit_is_none() -> None:
    memory = solve("ffn_memory", (), [*STACK, "n_fsdp = 40"]).cells["device_memory"].si
    asked = [*STACK, f"device_memory = {float(memory)!r} byte"]
    outcome = solve("ffn_memory", "n_fsdp", asked).outcomes["n_fsdp"]
    assert outcome.why == (
        "Limit fits ('device_memory <= chip.memory') excludes every n_fsdp: it needs n_fsdp >= 45.76. "
        "Without it: n_fsdp = 40."
    )
    lifted = solve("ffn_memory", "n_fsdp", asked, without="fits")
    assert (lifted.outcomes["n_fsdp"].kind, lifted.solved) == ("value", True)


def test_a_cell_that_its_formula_gives_keeps_its_value_behind_the_limit() -> None:
    result = solve("ffn_memory", "device_memory", [*STACK, "n_fsdp = 20"])
    assert result.outcomes["device_memory"].kind == "value"
    assert not result.solved
    first = "Limit fits ('device_memory <= chip.memory') does not hold: 217.3 GiB is more than 95 GiB."
    assert str(result).startswith(first)
    assert str(solve("ffn_memory", (), [*STACK, "n_fsdp = 20"])) == first


@pytest.mark.parametrize(
    ("where", "stages"),
    [
        (["n_pp <= 1000"], ("n_pp <= 221.9 (limit stages_have_blocks), so 221.")),
        (["n_pp >= 1000"], "no n_pp works. Limits stages_have_blocks"),
    ],
)
def test_stages_of_a_run_have_blocks(where: list[str], stages: str) -> None:
    run = ["total_work = 4e26 FLOP", "n_microbatches = 256"]
    assert str(solve("optimal_run", "n_pp", [*run, *where])).startswith(stages)


def test_stages_divide_the_blocks() -> None:
    outcome = solve("gpt_layout", "n_pp", ["n_blocks = 96", "n_pp <= 10"]).outcomes["n_pp"]
    assert [interval.lower for interval in outcome.solutions] == [1, 2, 3, 4, 6, 8]
    assert (outcome.kind, outcome.limits) == ("whole", ("divides",))


@pytest.mark.parametrize(
    ("unknown", "where", "text"),
    [
        (
            "width",
            ["bowl = 1"],
            "width = 3 (limit wall). 'bowl = 1' holds at 3 only, within limit wall ('width >= 2').",
        ),
        (
            "width",
            ["bowl = 1", "width <= 1"],
            "no width works. Limit wall ('width >= 2') excludes every width: it needs",
        ),
        ("width", ["bowl <= 1"], "2 <= width <= 3 (limit wall)."),
        ("width", ["bowl >= 1"], "3 <= width <= 4.528 (limits wall and flat)."),
        ("width", ["steep = 1e6"], "no width works. Limit flat ('steep <= 2000') excludes every width: it needs width"),
        ("n", ["n <= 5"], "n is 2 or 4 (limit even)."),
        ("n", ["k = 3", "n >= 27"], "n is one of 28, 30, 32 (limits even and few)."),
        (
            "n",
            ["k = 1", "total = 5"],
            "no n works. Limit even ('mod(n, 2) = 0': Copies come in pairs) excludes every n. Without it: n = 5.",
        ),
        ("n", ["k = 1", "n = 5 * k"], "no n works. Computed from 'n = 5 * k'. But at n = 5, limit even"),
        ("n", ["k = 1", "total = 6"], "n = 6. 'total = 6' holds at 6 only."),
        (
            "n",
            ["k = 40", "n >= 3"],
            "no n works. Limit few ('total <= 100') excludes every n: it needs n <= 2.5. Without",
        ),
    ],
)
def test_the_answer_of_a_small_sheet(unknown: str, where: list[str], text: str) -> None:
    assert str(solve(LAYOUT, unknown, where)).startswith(text)


def test_values_of_several_unknowns_stay_within_limits() -> None:
    result = solve(LAYOUT, ["n", "k"], ["total = 12", "n + k = 7"])
    assert result.value == {"n": 4, "k": 3}
    lifted = solve(LAYOUT, ["n", "k"], ["total = 12", "n + k = 7"], without="even")
    assert [interval.lower for interval in lifted.outcomes["n"].solutions] == [3, 4]


def test_a_limit_of_cells_without_a_value_is_no_condition() -> None:
    assert str(solve(LAYOUT, "n", ["n <= 5"], without="even")).startswith("n <= 5, so 5.")


def test_limits_that_are_searched_without_end_name_what_works() -> None:
    result = at_example("pipeline_step", "seq_len", "seq_len >= 3")
    assert result.outcomes["seq_len"].whole == 4
    assert result.outcomes["seq_len"].limits == ("whole_tokens",)  # whole_replicas leaves the same
    assert not result.broken


@pytest.mark.parametrize(
    ("relation", "text"), [("r0 >= 37", "72 < n <= 122.1 (limit most)"), ("r0 >= 80", "no n works")]
)
def test_a_limit_that_only_a_search_inverts_binds(tmp_path: Path, relation: str, text: str) -> None:
    file = tmp_path / "stepped.yaml"
    file.write_text(STEPPED)
    (outcome,) = solve(read_sheet(file), "n", [relation]).outcomes.values()
    assert outcome_text(outcome) == text
    assert outcome.limits == ("most",)


@pytest.mark.parametrize(
    ("lifted", "last"), [((), [1920, 1968]), (("whole_microbatches",), [1982])], ids=["bound", "lifted"]
)
def test_a_batch_has_whole_microbatches(lifted: tuple[str, ...], last: list[int]) -> None:
    outcome = at_example("pipeline_step", "batch", "batch <= 1982", without=lifted).outcomes["batch"]
    assert [interval.upper for interval in outcome.solutions][-len(last) :] == last


def test_divisors_are_listed_before_other_limits_are_tested_at_them() -> None:
    outcome = at_example("pipeline_step", "microbatch", "microbatch <= 100").outcomes["microbatch"]
    assert [interval.lower for interval in outcome.solutions] == [3, 6, 12, 15, 24, 30, 48, 60, 96]
    assert outcome.limits == ("whole_microbatches", "whole_tokens")  # whole_replicas leaves the same as whole_tokens


def at_example(name: str, unknown: str, *relations: str, without: tuple[str, ...] = ()) -> Answer:
    """Return the answer at the example of a sheet, but for the unknown."""
    model, cells = sheet(name), example(name).answer.cells
    pins = [pin(model.cells[given], cells[given].si) for given in given_cells(model) if given != unknown]
    return solve(model, unknown, [*named(model), *pins, *relations], without=without)


def test_a_rejected_name_says_which_limit_it_breaks() -> None:
    ranking = solve(LAYOUT, "chip", ["used = 85 GiB"]).ranking
    assert isinstance(ranking, Ranking)
    rejected = {candidate.text: candidate.why for candidate in ranking.rejected}
    assert rejected["h100-sxm"] == ("limit fits ('used <= chip.memory') does not hold: 85 GiB is more than 80 GiB.")
    assert "h200-sxm" not in rejected
    lifted = solve(LAYOUT, "chip", ["used = 85 GiB", "chip.memory >= 1 GiB"], without="fits").ranking
    assert isinstance(lifted, Ranking)
    assert not lifted.rejected or all("fits" not in candidate.why for candidate in lifted.rejected)


def test_rows_of_a_table_lift_limits_too() -> None:
    vary = {"n_fsdp": [20, 64]}
    rows = table("ffn_memory", where=STACK, vary=vary, show=["device_memory"]).rows
    lifted = table("ffn_memory", where=STACK, vary=vary, show=["device_memory"], without="fits").rows
    assert [row.answer is not None and row.answer.solved for row in rows] == [False, True]
    assert [row.answer is not None and row.answer.solved for row in lifted] == [True, True]


def test_a_question_file_lifts_limits(write: Callable[[str, str], Path]) -> None:  # noqa: F811
    text = f"sheet: ffn_memory\nunknown: n_fsdp\nwhere: [{', '.join(STACK)}, n_fsdp > 1]\n"
    assert answer(read_question(write("a.yaml", text)).question).value == 46
    question = read_question(write("b.yaml", f"{text}without: fits\n")).question
    assert (question.without, answer(question).value) == (("fits",), 2)


def test_a_question_file_with_an_unknown_limit_names_its_line(write: Callable[[str, str], Path]) -> None:  # noqa: F811
    file = write("a.yaml", f"sheet: ffn_memory\nwhere: [{', '.join(STACK)}]\nwithout: [fit]\n")
    with pytest.raises(UnknownNameError, match=r"a.yaml:3:.*no limit 'fit'. Did you mean 'fits'"):
        read_question(file)


def test_the_question_says_what_it_lifts_and_json_too() -> None:
    result = solve("ffn_memory", "n_fsdp", [*STACK, "n_fsdp > 1"], without=["fits", "fits"])
    assert "without the limit fits?" in result.derivation()
    shown = result.as_dict()
    assert shown["lifted"] == ["fits"]
    assert [(row["holds"], row["lifted"]) for row in shown["limits"]] == [(False, True)]
    bound = solve("ffn_memory", "n_fsdp", [*STACK, "n_fsdp > 1"]).as_dict()
    assert (bound["lifted"], bound["answers"]["n_fsdp"]["limits"]) == ([], ["fits"])


class Multiples(Sheet):
    """Two limits that endlessly many numbers meet."""

    x = given("A count", integer=True, example=8)
    y = formula(max_(x, 4), "", "A plateau, then the count")
    even = limit(equal(mod(x, 2), 0), "It is even")
    fourth = limit(equal(mod(3 * x, 12), 0), "It is a multiple of four")


def test_a_limit_that_is_tested_at_listed_values_leaves_open_what_others_do() -> None:
    outcome = solve(Multiples(), "x", ["y >= 100"]).outcomes["x"]
    assert {part.lower % 4 for part in outcome.solutions} == {0}
    assert all(any(x in part for part in (*outcome.solutions, *outcome.open)) for x in range(100, 10_000, 4))


@pytest.mark.parametrize(("unknown", "given"), [("seq_len", "micro_batch = 1"), ("micro_batch", "seq_len = 8192")])
def test_a_limit_that_is_asked_as_well_is_one_condition(unknown: str, given: str) -> None:
    asked = ["model = llama-3-70b", "chip = h200-sxm", "recipe = qlora", "recomputation = full"]
    result = solve("training_memory", unknown, [*asked, given, "device_memory <= chip.memory"])
    assert "fits" not in result.outcomes[unknown].limits
    assert not [warning for warning in result.warnings if "only checked" in warning]


def test_a_bound_that_excludes_no_count_is_not_named() -> None:
    """It left the fraction of a number out, and stood in the answer as what binds."""
    given = ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "weight_format = fp8", "precision = fp8"]
    asked = ["prompt_len = 2000 token", "output_len = 500 token", "arrival_rate = 10 request/s"]
    outcome = solve("serving", "n_sequences", [*given, *asked, "full_token_latency <= 50 ms"]).outcomes["n_sequences"]
    assert outcome.why.startswith("'full_token_latency <= 50 ms' holds for n_sequences <= 238.8.")
    assert "busy_share" not in outcome.why


def test_a_limit_that_a_count_is_whole_which_it_always_is_shapes_nothing() -> None:
    """It was tried at each of 628 numbers, which were then tried for each other limit: the time was over."""
    given = ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "weight_format = fp8", "precision = fp8"]
    asked = ["prompt_len = 2000 token", "output_len = 500 token", "arrival_rate = 10 request/s"]
    targets = ["first_token_target = 1 s", "token_target = 50 ms", "request_target = 60 s"]
    result = solve("serving", "n_sequences", [*given, *asked, *targets, "token_time <= 50 ms"])
    (part,) = result.outcomes["n_sequences"].solutions
    assert (part.lower, part.upper) == (1, 628)
    assert "whole_replicas" not in result.outcomes["n_sequences"].limits


class Prompt(Sheet):
    """A length whose time is asked for, with limits on both sides."""

    length = given("Length", "token", example=100)
    least = given("Shortest length", "token", default=1)
    speed = given("Speed", "token/second", example=10)
    room = given("Largest length", "token", example=50)
    time = formula(length / speed, "second", "Time")
    long_enough = limit(length >= least, "There is something to read")
    fits = limit(length <= room, "It fits")


@pytest.mark.parametrize(("room", "longest"), [(50, 50), (100, 100), (200, 150)])
def test_the_end_of_an_answer_is_on_the_side_that_was_asked_for(room: int, longest: int) -> None:
    """Where limits set both ends, it was the lower one: that jumped as soon as the question set the upper end."""
    result = solve(Prompt, "length", ["speed = 10 token/second", f"room = {room} token", "time <= 15 second"])
    assert result.outcomes["length"].sign == "<="
    assert result.cells["length"].value == longest


def test_the_end_of_an_answer_is_below_where_a_least_time_is_asked_for() -> None:
    given = ["speed = 10 token/second", "room = 50 token", "least = 30 token"]
    result = solve(Prompt, "length", [*given, "time >= 2 second"])
    assert result.outcomes["length"].sign == ">="
    assert result.cells["length"].value == 30


class Passes(Sheet):
    """Stages that divide layers, several of them where each has more than one chunk."""

    n_stages = given("Stages", example=3, integer=True, maximum=100)
    n_chunks = given("Chunks of a stage", example=2, integer=True)
    n_layers = given("Layers", example=15, integer=True)
    crossings = formula((n_stages - 1) / n_stages, "", "Share of layers that follow another stage")
    whole = limit(equal(mod(n_layers, n_stages), 0), "Stages divide the layers")
    several = limit(indicator(n_chunks > 1) <= indicator(n_stages > 1), "Chunks need several stages")


@pytest.mark.parametrize(("n_chunks", "stages"), [(2, [3, 5, 15]), (1, [1, 3, 5, 15])])
def test_a_limit_that_excludes_the_least_number_alone_does(n_chunks: int, stages: list[int]) -> None:
    """Its open end was taken for the end of what is asked, so that 1 was listed."""
    result = solve(Passes, "n_stages", [f"n_chunks = {n_chunks}", "n_layers = 15", "crossings <= 1"])
    assert [part.lower for part in result.outcomes["n_stages"].solutions] == stages
    assert not result.broken
