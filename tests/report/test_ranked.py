"""Ranked names and tuples: the best in a sentence, a chart of them, and which rank equally."""

from __future__ import annotations

import re

import pytest
from tests.answer.toy import TOY

import flopsheet
from flopsheet import Sheet, formula, given, solve
from flopsheet.answer.names import Candidate, Ranking
from flopsheet.answer.outcomes.refusals import clause_of
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.registry.store import records
from flopsheet.report import Extras
from flopsheet.report.candidates import MOST_CANDIDATES
from flopsheet.report.pages import write_up
from flopsheet.report.pictures.bars import tuple_bars
from flopsheet.report.terminal.screen import answer_lines, print_answer
from flopsheet.report.texts.ranked import best_text, equals_text
from flopsheet.report.texts.rejections import MOST_MISSES, MOST_REASONS, rejections, start_of

STACK = ("d_model = 8192", "d_ff = 28672", "n_blocks = 80", "batch = 256", "seq_len = 4096")


class Grids(Sheet):
    """Devices in a grid."""

    rows = given("Rows", example=4, integer=True, minimum=1)
    columns = given("Columns", example=6, integer=True, minimum=1)
    devices = formula(rows * columns, doc="Devices")
    edge = formula(rows + columns, "", "Rows and columns")


@pytest.fixture(scope="module")
def grids() -> flopsheet.Answer:
    return solve(Grids, ["rows", "columns"], ["devices = 24"], best="min:edge")


def test_the_best_tuple_is_told(grids: flopsheet.Answer) -> None:
    assert best_text(grids) == "Smallest edge of 8: 10, with (rows, columns) = (4, 6)."
    unranked = solve(Grids, ["rows", "columns"], ["devices = 24"])
    assert best_text(unranked).startswith("Together, (rows, columns) is (1, 24), (2, 12), ")
    assert equals_text(unranked) == ""


def test_tuples_that_rank_equally_are_told(grids: flopsheet.Answer) -> None:
    text = "Equal in edge: (4, 6) and (6, 4) (10); (3, 8) and (8, 3) (11); (2, 12) and (12, 2) (14); 1 more group."
    assert equals_text(grids) == f"{text} Equals stand in the order of their values."
    one = solve(Grids, ["rows", "columns"], ["devices = 24", "rows <= 4"], best="min:edge")
    assert equals_text(one) == ""


@pytest.mark.parametrize("form", ["markdown", "html", "latex"])
def test_pages_show_both(grids: flopsheet.Answer, form: str) -> None:
    page = re.sub(r"\\\w+\{\}|[{}\\]", "", write_up(grids, "page", form))
    assert page.index("Smallest edge of 8") < page.index("Equal in edge") < page.index("By the sheet")


def test_ranked_tuples_have_a_chart(grids: flopsheet.Answer) -> None:
    chart = write_up(grids, "page", "html").partition('<div class="chart">')[2].partition("</svg>")[0]
    labels = re.findall(r"\(\d+, \d+\)", chart.partition("</title>")[2] or chart)
    assert labels[-8:] == ["(4, 6)", "(6, 4)", "(3, 8)", "(8, 3)", "(2, 12)", "(12, 2)", "(1, 24)", "(24, 1)"]
    assert "![edge: (4, 6) 10;" in write_up(grids, "page", extras=Extras(beside="grids.svg")).replace("\\", "")
    unranked = solve(Grids, ["rows", "columns"], ["devices = 24"])
    assert '<div class="chart">' not in write_up(unranked, "page", "html")


def test_a_terminal_ends_with_the_best(grids: flopsheet.Answer, capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(grids)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "Smallest edge of 8: 10, with (rows, columns) = (4, 6)."


def test_a_screen_counts_tuples_that_are_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    answer = solve(Grids, ["rows", "columns"], ["devices = 3628800", "rows <= 200"], best="min:edge")
    count = len(answer.alternatives)
    assert count > 20
    print_answer(answer)
    out = capsys.readouterr().out
    listed = len(re.findall(r"^ *\d+  +\d.*$", out, re.MULTILINE))
    assert f"… {count - listed} more tuples" in out


def test_names_that_rank_equally_are_told() -> None:
    where = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "batch = 256", "seq_len = 4096"]
    bounds = ["device_memory <= 90 % * chip.memory", "n_fsdp <= 16"]
    answer = solve("ffn_memory", ["chip", "n_fsdp"], [*where, *bounds])
    ranking = answer.ranking
    assert ranking is not None
    groups: dict[int, list[str]] = {}
    for own in ranking.working:
        assert own.answer is not None
        groups.setdefault(int(own.answer.cells["n_fsdp"].exact), []).append(own.text)
    text = equals_text(answer)
    for value, names in groups.items():
        assert (f"({value})" in text) == (len(names) > 1)
    assert text.endswith("Equals stand in the order of declaration.")


def test_tuples_that_nothing_ranks_have_bars_of_what_a_relation_compares() -> None:
    picture = tuple_bars(solve(Grids, ["rows", "columns"], ["devices = 24", "edge <= 11"]))
    assert picture is not None
    assert picture.about == "edge: (3, 8) 11; (4, 6) 10; (6, 4) 10; (8, 3) 11"
    assert tuple_bars(solve(Grids, ["rows", "columns"], ["devices = 24"])) is None


@pytest.mark.parametrize("form", ["markdown", "html", "latex"])
def test_a_page_says_how_many_tuples_its_table_leaves_out(form: str) -> None:
    many = solve(Grids, ["rows", "columns"], ["devices = 1995840"])
    left = len(many.tuples) - MOST_CANDIDATES
    assert left > 1
    assert f"{left} more work;" in write_up(many, "page", form)
    few = solve(Grids, ["rows", "columns"], ["devices = 24"])
    assert "more work;" not in write_up(few, "page", form)


def test_names_that_miss_the_same_relation_are_told_together() -> None:
    """With a line for each name the page had 94 lines; a value that several names share is given once."""

    def failed(name: str, why: str) -> Candidate:
        return Candidate({"chip": name}, None, why)

    late, fits = "'latency <= 1 s' does not hold", "limit fits ('memory <= chip.memory') does not hold"
    candidates = [
        failed("a", f"{late}: 2 second is more than 1 second."),
        failed("b", f"{fits}: 40 GiB is more than 32 GiB."),
        failed("c", f"{late}: 3 second is more than 1 second."),
        failed("d", f"{late}: 2 second is more than 1 second."),
        failed("e", f"{fits}: 40 GiB is more than 24 GiB."),
        failed("f", "'latency' cannot be found: it has no chip.flops.fp8."),
        failed("g", "'price <= 2 USD' does not hold: 3 USD is more than 2 USD."),
    ]
    assert rejections(Ranking(("chip",), (), tuple(candidates), "", "", "chips")) == [
        f"Not a, d (2 second); c (3 second): {late}: each is more than 1 second.",
        f"Not b (40 GiB is more than 32 GiB), e (40 GiB is more than 24 GiB): {fits}.",
        "Not f: 'latency' cannot be found: it has no chip.flops.fp8.",
        "Not g: 'price <= 2 USD' does not hold: 3 USD is more than 2 USD.",
    ]


def test_a_name_that_contradicts_an_equation_has_a_clause_for_a_reason() -> None:
    answer = solve("ffn_memory", "chip", [*STACK, "n_fsdp = 16", "device_memory = 3 * chip.memory"])
    assert answer.ranking is not None
    texts = rejections(answer.ranking)
    assert len(texts) == 1
    assert texts[0].startswith("Not rx-7900-xtx, ")
    assert ": 'device_memory = 3 * chip.memory' does not hold" in texts[0]
    assert "(215 GiB is not 72 GiB)" in texts[0]
    assert "relation '" not in texts[0]


def test_names_are_not_ranked_by_limits_that_the_question_does_not_reach() -> None:
    asked = solve("kv_cache", "model", ["seq_len = 4096", "n_sequences = 1", "cache_memory = 1 GiB"]).ranking
    assert asked is not None
    assert asked.by == ""  # stages_have_layers compares a default with a figure of the model
    assert all(candidate.room is None for candidate in asked.working)
    fits = solve("ffn_memory", "chip", [*STACK, "n_fsdp = 16"]).ranking
    assert fits is not None
    assert fits.by == "the room that they leave"


def test_errors_of_names_are_clauses_up_to_their_colon() -> None:
    contradiction = QuestionError("cell 'x'", "It is not 3 where the other relations hold.")
    assert clause_of(contradiction) == "cell 'x' is not 3 where the other relations hold."
    trap = ArithmeticTrapError("cell 'x'", "'1/a' has no value at these numbers: it divides by zero.")
    assert start_of(clause_of(trap)) == "'1/a' has no value at these numbers"


def test_many_reasons_and_many_values_that_miss_a_relation_are_folded_with_a_count() -> None:
    texts = rejections(_ranking(60, "No n = {} works."))
    left = 60 - MOST_REASONS
    assert texts[0] == "Not c0: No n = 0 works."
    assert texts[MOST_REASONS:] == [f"Not {left} others, for {left} more reasons: --as json lists all."]
    (text,) = rejections(_ranking(70, "'a = 3' does not hold: {} is not 3."))
    last, left = MOST_MISSES - 1, 70 - MOST_MISSES
    assert text.endswith(f"c{last} ({last}) and {left} others: 'a = 3' does not hold: each is not 3.")


def _ranking(count: int, why: str) -> Ranking:
    rejected = [Candidate({"chip": f"c{place}"}, None, why.format(place)) for place in range(count)]
    return Ranking(("chip",), (), tuple(rejected), "", "", "chips")


@pytest.mark.parametrize(
    ("why", "rest"),
    [
        ("'latency <= 1 s' does not hold", ": 2 second is more than 1 second."),
        ("limit fits ('a <= b': One holds its share) does not hold", ": 3 is more than 2."),
        ("No n satisfies limit fits ('max(a, b) <= c': All fit)", ": a is always 3."),
        ("No n works.", ""),
    ],
)
def test_a_reason_begins_before_its_numbers_and_keeps_its_brackets(why: str, rest: str) -> None:
    assert start_of(f"{why}{rest}") == why


class Shared(Sheet):
    """What is shared, by default by one."""

    n_ways = given("Shares", default=1, integer=True)
    share = formula(96 / n_ways, "", "Share of one")


def test_a_page_of_several_values_says_at_which_its_other_cells_are() -> None:
    """The drivers and steps of a page were those of the first value, and no sentence said so."""
    several = flopsheet.solve(TOY, "n", ["mod(n, 5) = 2", "n <= 20", "x = 3"], near=11)
    assert "What follows is for n = 12." in several.derivation("page")
    default = flopsheet.solve(Shared(), "n_ways", ["mod(24, n_ways) = 0", "share <= 20"])
    assert "What follows is for n_ways = 6." in default.derivation("page")
    alone = flopsheet.solve(TOY, "n", ["n >= 7.5", "x = 3"])
    assert "What follows" not in alone.derivation("page")


def test_names_that_were_not_decided_are_told_apart() -> None:
    why = "'time <= 1 s' cannot be checked: there is no value for time, as a has no rate."
    candidates = [Candidate({"chip": "a"}, None, why, is_open=True), Candidate({"chip": "b"}, None, "It has no price.")]
    assert rejections(Ranking(("chip",), (), tuple(candidates), "", "", "chips", complete=False)) == [
        f"Not decided: a: {why}",
        "Not b: It has no price.",
    ]


def test_names_that_a_limit_excludes_are_one_list_with_what_each_needs() -> None:
    for name in ("n", "decode.n"):
        why = f"Limit fits ('m <= c') excludes every {name}: it needs n >= {{}}. Without it: n <= 4, so 4."
        (text,) = rejections(_ranking(3, why))
        assert text == (
            f"Not c0 (n >= 0), c1 (n >= 1), c2 (n >= 2): Limit fits ('m <= c') excludes every {name}: it needs what is "
            "in brackets. Without it: n <= 4, so 4."
        )


def test_names_with_which_no_whole_number_meets_an_equation_are_one_reason() -> None:
    """Each chip has another number; it is listed beside the chip, and the advice is given once."""
    where = ["model = llama-3-8b", "tokens = 4M", "dataset_tokens = 15T", "train_time = 30 day"]
    answer = flopsheet.solve("training_run", ["chip", "n_chips"], where, best="min:train_cost")
    assert answer.ranking is not None
    work = 6 * 8_030_261_248 * 15e12
    (text,) = [text for text in rejections(answer.ranking) if "no whole number" in text]
    listed = re.findall(r"([\w.-]+) \(([\d,.]+) chip\)", text)
    for name, count in listed:
        days = work / (records("chip")[name].si_values["flops.bf16"] * 0.4) / 86_400
        assert float(count.replace(",", "")) == pytest.approx(days / 30, rel=5e-4)  # of four digits
    assert len(listed) > 5
    assert text.count("For whole numbers") == 1
    (line,) = [line.text for line in answer_lines(answer, 300) if "no whole number" in line.text]
    named = {own.text for own in answer.ranking.rejected if " only. " in own.why}
    assert f" and {len(named) - line.partition(' and ')[0].count(',') - 1} others: " in line
    assert line.endswith(f"holds at no whole number ({listed[0][1]} chip only for {listed[0][0]}).")


def test_many_names_with_one_reason_are_folded_with_a_count() -> None:
    (text,) = rejections(_ranking(90, "It has no price."))
    names, _, rest = text.partition(" and ")
    assert names.removeprefix("Not ").split(", ") == [f"c{place}" for place in range(MOST_MISSES)]
    assert rest == f"{90 - MOST_MISSES} others: It has no price."
