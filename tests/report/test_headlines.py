"""The first sentence of an answer: what is shown or marked, in the plural, and all of it in one sentence."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest

from flopsheet import Sheet, formula, given, limit, override, part, sheet, solve
from flopsheet.errors import UnknownNameError
from flopsheet.numbers.sets import Interval
from flopsheet.question.ask import ask
from flopsheet.report.headlines import headline_text, in_plural, risks
from flopsheet.report.pages import write_up
from flopsheet.report.sentences import outcome_text
from flopsheet.report.templating import listing
from flopsheet.report.texts.asked import headline


class Total(Sheet):
    """A sum."""

    each = given("Size of one", "GB", example=2)
    count = given("How many", example=3, integer=True)
    size = formula(each * count, "GB", "Size of all", headline=True)
    half = formula(size / 2, "GB", "Half of it")
    most = given("Largest size", "GB", default=8, source="a test")
    fits = limit(size <= most, "It is small enough")


class Extended(Total):
    """A sum that is sold."""

    price = given("Price", "USD/GB", default=2, source="a test")
    cost = formula(price * size, "USD", "Cost of all", headline=True)  # type: ignore[name-defined]  # noqa: F821


class Embedding(Sheet):
    """A sum inside."""

    total = part(Total)
    twice = formula(2 * total.size, "GB", "Twice the size")


class Overridden(Total):
    """A sum of which half counts."""

    half = override(headline=True)


@pytest.mark.parametrize(
    ("marking", "marked"),
    [(Total, ["size"]), (Extended, ["cost"]), (Embedding, []), (Overridden, ["half"])],
    ids=["own", "extended", "embedded", "overridden"],
)
def test_a_sheet_marks_its_own_cells(marking: type[Sheet], marked: list[str]) -> None:
    assert marking.rows.headline == marked


def test_an_answer_without_an_unknown_names_what_the_sheet_marks() -> None:
    page = solve(Total, where={"each": "2 GB", "count": 3}).derivation("page")
    assert "\n**Size of all (size): 6 GB.**\n" in page
    assert "`half`" not in page


def test_what_is_shown_comes_before_what_is_marked() -> None:
    page = solve(Total, where={"each": "2 GB", "count": 3}, show=["half", "each"]).derivation("page")
    assert "\n**Half of it (half): 3 GB; Size of one (each): 2 GB.**\n" in page


def test_what_is_shown_stands_beside_an_unknown() -> None:
    page = solve(Total, "each", {"count": 3, "size": "6 GB"}, show="half").derivation("page")
    assert "**Size of one (each): 2 GB.**" in page
    assert "**Half of it (half): 3 GB.**" in page


def test_a_shown_name_is_a_cell() -> None:
    with pytest.raises(UnknownNameError, match="half"):
        solve(Total, where={"each": "2 GB", "count": 3}, show="haf")


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (3, "Size of all (size): 6 GB; the closest limit is fits, with 25 % left."),
        (5, "Size of all (size): 10 GB; limit fits ('size <= most') does not hold: 10 GB is more than 8 GB."),
    ],
    ids=["fits", "breaks"],
)
def test_a_brief_is_one_sentence(count: int, sentence: str) -> None:
    text = solve(Total, where={"each": "2 GB", "count": count}).derivation("brief").strip().replace("\\", "")
    assert text.lower() == sentence.lower()


def test_a_brief_beside_a_broken_limit_names_no_closest_limit() -> None:
    where = ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 2", "tokens = 4e6"]
    text = solve("training_memory", where=where).derivation("brief").replace("\\", "")
    assert "; limit fits ('device_memory <= chip.memory') does not hold: " in text
    assert "closest" not in text


def test_a_brief_of_names_says_for_which_name_the_number_is() -> None:
    where = ["params = 70e9", "dataset_tokens = 20e12", "tokens = 4e6", "train_time <= 30 day"]
    answer = solve("training_run", ["chip", "n_chips"], [*where, "chip.vendor = AMD"])
    assert answer.ranking is not None
    text = answer.derivation("brief")
    assert f"; with chip = {answer.ranking.options('chip')[0]}: Chips that train the model" in text


@pytest.mark.parametrize(
    ("text", "plural"),
    [
        ("at least 40 chip.", "at least 40 chips."),
        ("1 chip", "1 chip"),
        ("8,192 token, 1.5 day", "8,192 tokens, 1.5 days"),
        ("'train_time <= 30 day' holds for 31 day", "'train_time <= 30 day' holds for 31 days"),
        ("3 token/s and 2 chip-hour", "3 token/s and 2 chip-hour"),
        ("94.5 GiB", "94.5 GiB"),
    ],
)
def test_counts_have_a_plural_outside_of_quotes(text: str, plural: str) -> None:
    assert in_plural(text) == plural


class Second(Total):
    """A sum under a second name, with constants."""

    bytes_per_item = given("Bytes of one", "byte", default=4, source="a test")
    share = given("Share of it", default=1, source="a test")
    worth = given("Price of one", "USD/GB", default=3, source="a test")
    first = formula(bytes_per_item * count * worth * share, "USD", "Price of the items")  # type: ignore[name-defined]  # noqa: F821
    again = formula(first * share, "USD", "The same", headline=True)


def test_a_second_name_that_is_asked_for_has_the_formula_of_the_first() -> None:
    page = solve(Second, where={"count": 3}).derivation("page")
    assert "(`again`)" in page
    assert "(`first`)" not in page
    assert "share" not in page.partition("\n## Steps")[2].partition("\n## ")[0]


def test_no_constant_is_a_driver() -> None:
    page = solve(Second, "count", {"again": "6e-8 USD"}).derivation("page")
    assert "1 % more `worth`: 1 %" in page
    assert not [name for name in ("bytes_per_item", "share") if f"1 % more `{name}`" in page]


def test_an_unknown_that_its_own_formula_gives_has_no_reason() -> None:
    page = solve(Total, "size", {"each": "2 GB", "count": 3}).derivation("page")
    assert "**Size of all (size): 6 GB.**\n" in page
    assert "The answer in symbols" not in page


@pytest.mark.parametrize(("template", "form"), [(name, form) for name, form, _ in listing() if name != "brief"])
def test_a_limit_that_does_not_hold_is_named_once(template: str, form: str) -> None:
    page = write_up(solve(Total, where={"each": "2 GB", "count": 5}), template, form)
    text = re.sub(r"Limit `size.*|\\[a-z]+\{\}", "", html.unescape(page))  # a list of limits has both sides of each
    assert len(re.findall(r"does not hold[:.]", text)) == 1


def test_a_screen_names_a_limit_that_does_not_hold_once() -> None:
    assert str(solve(Total, where={"each": "2 GB", "count": 5})).count("does not hold") == 1


class Bounded(Total):
    """A sum with many limits."""

    loose = limit(size <= 10 * most, "It is not very large")  # type: ignore[name-defined]  # noqa: F821
    looser = limit(size <= 20 * most, "It is not huge")  # type: ignore[name-defined]  # noqa: F821
    loosest = limit(size <= 30 * most, "It is not immense")  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("count", "named"), [(3, ["fits", "loose", "looser"]), (5, ["fits", "loose", "looser", "loosest"])]
)
def test_risks_are_broken_limits_and_those_with_the_least_room(count: int, named: list[str]) -> None:
    assert [check.relation.name for check in risks(solve(Bounded, where={"each": "2 GB", "count": count}))] == named


def test_a_memo_has_the_answer_and_its_risks_and_no_assumption() -> None:
    page = solve(Bounded, where={"each": "2 GB", "count": 3}).derivation("memo")
    assert "**Size of all (size): 6 GB.**" in page
    assert [line for line in page.splitlines() if line.startswith("- ")] == [
        "- twice the `count`: 100 % more `size`",
        "- 1 % more `each`: 1 % more `size`",
        "- Limit `size <= most`: 25 % left",
        "- Limit `size <= 10*most`: 92.5 % left",
        "- Limit `size <= 20*most`: 96.25 % left",
    ]


@pytest.mark.parametrize(
    ("asked", "binds"),
    [
        (["half >= 2 GB"], "limit fits ('size <= most')"),
        (["half >= 2 GB", "half <= 3 GB"], "'half <= 3 GB'"),
        (["size >= 1 GB", "half <= 3 GB", "size >= 0.5 GB"], "'half <= 3 GB'"),
        (["3*count <= 100"], "limit fits ('size <= most')"),
        (["3*count <= 6"], "'3*count <= 6'"),
    ],
)
@pytest.mark.parametrize("template", ["page", "derivation", "brief", "memo"])
def test_the_answer_says_what_was_asked_and_what_binds(asked: list[str], binds: str, template: str) -> None:
    text = write_up(solve(Total, "count", ["each = 2 GB", *asked]), template).replace("\\", "")
    above, _, below = text.partition("\n## Answer\n")
    said = (below or above).partition("\n## ")[0].replace("Limit", "limit")
    assert (binds.partition(" (")[0] if template == "brief" else binds) in said
    assert all(f"'{relation}'" in said for relation in asked)


class Undocumented(Total):
    """A sum of which nobody says what it is."""

    bare = given("", example=2)
    MFU = given("MFU of all", example=1)


@pytest.mark.parametrize(
    ("unknown", "where", "title"),
    [
        ("count", ["each = 2 GB", "size <= 7 GB"], "How many: which values work?"),
        ("count", ["each = 2 GB", "size = 6 GB"], "How many: which values work?"),
        ("size", ["each = 2 GB", "count = 3"], "Size of all: what is the value?"),
        (["size", "half"], ["each = 2 GB", "count = 3"], "Size of all and half of it: what are their values?"),
        (["each", "MFU"], ["size = 6 GB"], "Size of one and MFU of all: which values work together?"),
        ("bare", ["bare <= 3"], "bare: which values work?"),
        ([], ["each = 2 GB", "count = 3"], "Size of all: what is the value?"),
    ],
)
def test_a_question_without_a_text_has_a_title_in_words(unknown: str | list[str], where: list[str], title: str) -> None:
    assert headline(ask(Undocumented(), unknown, where)) == title


def test_a_title_names_what_is_asked_by_its_meaning() -> None:
    chips = ask(sheet("ffn_memory"), "chip", ["d_model = 8", "device_memory <= chip.memory"])
    assert headline(chips) == "Chip that holds the training state: which work?"
    many = ask(sheet("ffn_memory"), [], [], show=["params", "state_memory", "device_memory", "d_ff", "batch"])
    assert headline(many).endswith(" and 2 more: what are their values?")
    assert "_" not in headline(many)


class Wide(Sheet):
    """Cells that all rest on one that nobody gives."""

    lacking = given("Not given", example=1)
    a_out = formula(lacking, "", "First")
    b_out = formula(2 * lacking, "", "Second")
    c_out = formula(3 * lacking, "", "Third")
    d_out = formula(4 * lacking, "", "Fourth")
    e_out = formula(5 * lacking, "", "Fifth")
    f_out = formula(6 * lacking, "", "Sixth")
    known = given("Given", example=1)
    twice = formula(2 * known, "", "Twice")


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_page_folds_long_lists_in_warnings(form: str) -> None:
    answer = solve(Wide, where=["known = 1"])
    page = write_up(answer, "page", form).replace("\\", "")
    assert answer.cautions == ["Not computed: a_out, b_out, c_out, d_out, e_out and f_out. Not given: lacking."]
    assert "Not computed: a_out, b_out, c_out, 2 others and f_out." in page


def test_results_stand_in_where_nothing_is_marked() -> None:
    answer = solve(Embedding, where={"total.each": "2 GB", "total.count": 3})
    page = answer.derivation("page")
    assert "(twice): 12 GB" in page.partition("## ")[0]
    assert "(`twice`)" in page.partition("## Steps")[2]


def test_many_limits_are_folded_and_two_values_joined() -> None:
    where = ["model = llama-3-70b", "chip = h100-sxm", "dataset_tokens = 15T", "batch = 2048", "seq_len = 8192"]
    answer = solve("training_plan", "n_chips", [*where, "n_tp = 8", "n_pp = 4", "train_time <= 60 day"])
    line = answer.derivation("page").partition("**")[2].partition("**")[0]
    assert "(n_chips): 32,768 or 65,536 chips (limits " in line
    assert len(answer.outcomes["n_chips"].limits) == 2 + int(line.split(" others)")[0].split()[-1])


def test_a_range_with_two_ends_is_told_from_one_to_the_other() -> None:
    answer = solve(Total, "each", ["count = 3", "size >= 1 GB", "size <= 6 GB"])
    assert "**Size of one (each): 0.3333 GB to 2 GB" in answer.derivation("page")


def test_what_has_no_answer_is_brief_too() -> None:
    """One reason, once, and no relation that it states already."""
    where = ["n_blocks = 80", "d_model = 8192", "d_ff = 28672", "seq_len = 4096", "chip = h100-sxm"]
    answer = solve("ffn_memory", ["n_fsdp", "batch"], [*where, "n_fsdp <= 8", "batch >= 64", "device_memory <= 1 GiB"])
    text = answer.derivation("brief")
    assert text.startswith("No n_fsdp and batch work together; ")
    assert "bound by" not in text
    assert text.count("meet all relations at once") == 1


class Layer(Sheet):
    """A layer, of which nothing is marked."""

    width = given("Width", example=8, integer=True)
    depth = given("Depth", example=3, integer=True)
    n_experts = given("Layers with experts", default=1, integer=True)
    dense_layers = formula(depth - n_experts, "", "Layers without experts")
    in_params = formula(width * depth, "param", "Matrix in")
    out_params = formula(width * width, "param", "Matrix out")
    bias_params = formula(width + depth, "param", "Biases")
    scale_params = formula(2 * width, "param", "Norms")
    layer_params = formula(in_params + out_params + bias_params + scale_params, "param", "Parameters of the layer")


def test_a_count_that_nothing_uses_is_no_headline_beside_what_sums_up_the_sheet() -> None:
    page = solve(Layer, where={"width": 8, "depth": 3}).derivation("page")
    assert "\n**Parameters of the layer (layer_params): 115 params.**\n" in page


def test_a_ranked_question_says_what_ranks() -> None:
    answer = solve(Total, ["each", "count"], ["size = 6 GB", "count <= 3", "each >= 1 GB"], best="min:half")
    assert ", ranked by half, the smallest first?" in answer.derivation("page")


def test_a_value_beside_which_others_are_open_says_so() -> None:
    answered = solve(Total, "each", {"count": 3, "size": "6 GB"}).outcomes["each"]
    assert "perhaps" not in outcome_text(answered)
    left = replace(answered, open=(Interval(1, 2),))
    assert " and perhaps others" in outcome_text(left)


def test_a_headline_that_cannot_be_computed_says_what_to_give() -> None:
    text = headline_text(solve("serving", (), ["model = llama-3-70b", "chip = h100-sxm", "n_tp = 8"]))
    assert text == "token_cost and first_token_time cannot be computed: give prompt_len, output_len and arrival_rate."
    assert headline_text(solve(Total(), (), ["each = 1 GB"])) == "size cannot be computed: give count."
    text = headline_text(solve("roofline"))  # the chip gives the bandwidth that is inferred from it
    assert text == "operator_time, operator_rate and utilization cannot be computed: give chip, n_rows, d_in and d_out."
