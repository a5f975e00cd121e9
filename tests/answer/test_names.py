"""Unknown names: every chip of the registry and every option is put in, those that work are ranked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.answer.served import BYTES, CHIPS, FP8, GB, GIB, LARGE, MEMORY, SHEET, by_room, names, number_of, ranking

from flopsheet import Chip, Sheet, formula, part, solve
from flopsheet.errors import FlopsheetError, OverdeterminedError, QuestionError, UnderdeterminedError
from flopsheet.registry.store import records
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from flopsheet import Answer


def test_the_answer_is_that_of_the_best_chip() -> None:
    answer = solve(SHEET, "chip", [*LARGE, "n = 2"])
    best = by_room(70 * GB, MEMORY)[0]
    assert (answer.value, answer.solved, answer.question.unknowns) == (best, True, ("chip",))
    assert answer.cells["chip.memory"].si == MEMORY[best]
    assert answer.cells["chip.memory"].origin == "record"


def test_warnings_are_those_of_the_best_name_and_told_of_the_others_when_asked() -> None:
    given_so_far = (*LARGE, "n = 2")
    answer = solve(SHEET, "chip", [*given_so_far, "chip.vendor = Intel"])
    assert answer.ranking is not None
    for candidate in answer.ranking.working:
        alone = solve(SHEET, (), [*given_so_far, f"chip = {candidate.text}"]).warnings
        assert candidate.answer is not None
        told = answer.warnings if candidate.text == answer.value else candidate.answer.derive_warnings()
        assert told == alone
        assert any("was not verified in its source" in warning for warning in told)


@pytest.mark.parametrize(("n", "works"), [(1, ["fp8"]), (2, ["fp8", "bf16"]), (4, ["fp8", "bf16"])])
def test_an_option_of_a_choice_is_asked_for(n: int, works: list[str]) -> None:
    assert [option for option in BYTES if 70 * GB * BYTES[option] / n <= 80 * GIB] == works[::-1]
    assert names(ranking("precision", "params = 7e10", "chip = h100-sxm", f"n = {n}")) == works


def test_chip_and_precision_are_tried_together() -> None:
    ranked = ranking(["chip", "precision"], "params = 7e10", "n = 2")
    room = {(chip, option): 1 - 35 * GB * BYTES[option] / MEMORY[chip] for chip in CHIPS for option in BYTES}
    working = sorted((pair for pair in room if room[pair] >= 0), key=lambda pair: -room[pair])
    assert [(candidate.options["chip"], candidate.options["precision"]) for candidate in ranked.working] == working
    assert len(ranked.rejected) == len(room) - len(working)
    answer = solve(SHEET, ["chip", "precision"], ["params = 7e10", "n = 2"])
    assert answer.value == dict(zip(("chip", "precision"), working[0], strict=True))


@pytest.mark.parametrize(
    ("sign", "size", "keeps"),
    [
        (">=", 80, lambda memory: memory >= 80 * GIB),
        ("<", 80, lambda memory: memory < 80 * GIB),
        ("=", 95, lambda memory: memory == 95 * GIB),
        ("=", 80, lambda memory: memory == 80 * GIB),
        ("=", 96, lambda memory: memory == 96 * GIB),
        (">", 200, lambda memory: memory > 200 * GIB),
    ],
)
def test_a_figure_of_the_record_filters(sign: str, size: int, keeps: Any) -> None:
    ranked = ranking("chip", *LARGE, "n = 4", f"chip.memory {sign} {size} GiB")
    fitting = {key: memory for key, memory in MEMORY.items() if keeps(memory)}
    room = {key: 1 if sign == "=" else abs(memory / (size * GIB) - 1) for key, memory in fitting.items()}
    assert names(ranked) == by_room(35 * GB, fitting, room.__getitem__)


def test_a_record_without_a_needed_figure_is_rejected_with_the_reason() -> None:
    ranked = ranking("chip", "params = 7e10", "precision = fp8", "n = 4", "rate >= 400 TFLOP/s")
    fits = by_room(17.5 * GB, MEMORY)
    fast = {key: MEMORY[key] for key in fits if FP8.get(key, 0) >= 4e14}
    assert names(ranked) == by_room(17.5 * GB, fast, lambda key: FP8[key] / 4e14 - 1)
    reasons = {candidate.text: candidate.why for candidate in ranked.rejected}
    assert "cannot be checked" in reasons["mi250x"]
    assert "held <= chip.memory" in reasons["tpu-v5e"]
    asked = ranking(["chip", "rate"], "params = 7e10", "precision = fp8", "n = 4")
    assert {*names(asked)} == FP8.keys() & {*fits}
    lacking = [candidate for candidate in asked.rejected if candidate.text not in FP8]
    assert lacking
    assert all("it has no chip.flops.fp8" in candidate.why for candidate in lacking)


def test_where_none_works_every_chip_has_its_reason() -> None:
    answer = solve(SHEET, "chip", [*LARGE, "n = 1", "rate >= 1e6 TFLOP/s"])
    assert answer.ranking is not None
    assert (answer.solved, answer.value, answer.ranking.working) == (False, None, ())
    assert {candidate.text for candidate in answer.ranking.rejected} == CHIPS.keys()
    assert all(candidate.why for candidate in answer.ranking.rejected)
    both: Answer = solve(SHEET, ["precision", "n"], ["params = 7e10", "chip = v100", "weights <= 1 GB", "n <= 4"])
    assert (both.solved, both.value) == (False, {"precision": None})


WRONG: list[tuple[Any, list[str], type[FlopsheetError], str]] = [
    ("chip", LARGE, UnderdeterminedError, "Nothing decides among the values of 'chip'"),
    ("precision", ["params = 7e10"], UnderdeterminedError, "Nothing decides among the values of 'precision'"),
    (["chip", "n"], ["precision = bf16", "held <= chip.memory"], UnderdeterminedError, "'params' is not given"),
    (["chip", "n"], [LARGE[0], "held = 1 GB"], UnderdeterminedError, "'precision' is not given"),
    ("chip", [*LARGE, "n = 2", "bf16_bytes = 2 byte/param", "weights = 1 GB"], OverdeterminedError, "weights"),
    ("chip", [*LARGE, "n = 2", "chip = h100"], QuestionError, "asked for and given at once"),
    ("chip", [*LARGE, "n = 2", "chip > h100"], QuestionError, "cannot be compared"),
    (["chip", "chip"], [*LARGE, "n = 2"], QuestionError, "asked for twice"),
]


@pytest.mark.parametrize(("unknown", "relations", "kind", "says"), WRONG)
def test_a_question_that_is_wrong_with_every_name_raises_its_own_error(
    unknown: Any, relations: list[str], kind: type[FlopsheetError], says: str
) -> None:
    with pytest.raises(kind, match=says):
        solve(SHEET, unknown, relations)


class ManyChips(Sheet):
    """Five chips in a row."""

    a = part(Chip)
    b = part(Chip)
    c = part(Chip)
    d = part(Chip)
    e = part(Chip)
    total = formula(a.memory + b.memory + c.memory + d.memory + e.memory, "GiB", "Memory of all")


def test_too_many_combinations_are_refused() -> None:
    assert len(CHIPS) ** 5 > 10_000
    with pytest.raises(QuestionError, match="combinations of names"):
        solve(ManyChips(), [*"abcde"], ["total >= 400 GiB"])
    ranked = solve(ManyChips(), "e", [*(f"{name} = h100" for name in "abcd"), "total >= 400 GiB"]).ranking
    assert ranked is not None
    assert names(ranked) == sorted((key for key in CHIPS if MEMORY[key] >= 80 * GIB), key=lambda key: -MEMORY[key])


SHORT: list[tuple[Any, list[str], str]] = [
    ("chip", [*LARGE, "held <= 1 GB"], "'held <= 1 GB' cannot be checked for any chip: 'n' is not given. Add 'n = 2'"),
    ("chip", [*LARGE, "held <= 1 GB", "chip.memory >= 1 GB"], "or ask for n too"),
    (
        "chip",
        ["params = 7e10", "held <= 1 GB", "n = 2"],
        "'precision' is not given. Add 'precision = bf16', or another",
    ),
    ("chip", [LARGE[1], "held <= 1 GB", "read_time <= 1 s"], "and 'read_time <= 1 s' cannot be checked for any chip"),
    (["chip", "precision"], ["held <= 1 GB", "n = 2"], "for any chip or precision: 'params' is not given"),
    (["chip", "n"], ["precision = bf16"], "with the limit 'held <= chip.memory', and give 'params = 70B param'"),
]


def test_a_figure_that_no_record_has_is_named_before_a_name_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    unpriced = {key: replace(chip, values={"memory": chip.values["memory"]}) for key, chip in records("chip").items()}
    monkeypatch.setattr("flopsheet.answer.shortage.records", lambda _: unpriced)
    monkeypatch.setattr("flopsheet.answer.names._substituted", lambda *_: pytest.fail("a name was tried"))
    with pytest.raises(UnderdeterminedError, match=re.escape("no figure for chip.price")):
        solve(SHEET, "chip", [*LARGE, "chip.memory >= 1 GB", "chip.price <= 1 USD"])


@pytest.mark.parametrize(("unknown", "relations", "says"), SHORT)
def test_a_question_that_is_short_says_so_before_a_name_is_tried(
    unknown: Any, relations: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flopsheet.answer.names._substituted", lambda *_: pytest.fail("a name was tried"))
    with pytest.raises(UnderdeterminedError, match=re.escape(says)):
        solve(SHEET, unknown, relations)


def test_a_figure_that_a_record_lacks_is_not_worked_out_to_make_it_work() -> None:
    answer = solve("chip_peak", "chip", ["peak_rate = 989.4 TFLOP/s"])
    assert answer.ranking is not None
    given = {key: chip["flops"].get("bf16") for key, chip in CHIPS.items()}
    assert {*names(answer.ranking)} == {key for key, rate in given.items() if rate and number_of(rate) == 989.4e12}
    reasons = {candidate.text: candidate.why for candidate in answer.ranking.rejected}
    assert "no figure for chip.flops.bf16" in reasons["apple-m1"]


def test_a_name_that_lacks_a_figure_is_not_asked_for_what_is_an_unknown() -> None:
    """Which chip and how many of it: the number is asked for, the price is what chips lack."""
    given = ["train_cost <= 2e6 USD", "train_time <= 60 day", "tokens = 4e6"]
    ranked = solve("training_run", ["chip", "params", "n_chips"], given, budget="60 s").ranking
    assert ranked is not None
    lacking = {candidate.text: candidate.why for candidate in ranked.rejected if "hourly_price" in candidate.why}
    assert set(lacking) >= {"mi250x", "gaudi3"}
    assert {re.sub(r" Add .*", "", why) for why in lacking.values()} == {
        "'params' cannot be found: 'chip_price' is not given, and it has no chip.hourly_price."
    }


def _options(formula: str, **more: Any) -> Any:
    """Return a sheet of a choice among three options that decides a cell `w`."""
    choices = {"p": {"options": ["o1", "o2", "o3"], "doc": "Options"}}
    cells = {"a": {"doc": "A"}, "e": {"doc": "E"}, "w": {"doc": "W", "formula": formula, "signed": True} | more}
    return parse_sheet(yaml.safe_dump({"sheet": "toy", "title": "Toy", "choices": choices, "cells": cells}), "toy")


def test_an_option_under_which_an_unknown_does_not_matter_is_not_excluded() -> None:
    sheet = _options("select(p, o1=a, o2=e, o3=4)")
    ranking = solve(sheet, ["p", "e"], ["w = 4", "a = 4"]).ranking
    assert ranking is not None
    assert names(ranking) == ["o1", "o2", "o3"]
    assert ranking.complete
    whys = [own.answer.outcomes["e"].why for own in ranking.working if own.answer is not None]
    assert [why.startswith("Every value of e works") for why in whys] == [True, False, True]


def test_options_meet_the_bounds_of_computed_cells() -> None:
    sheet = _options("select(p, o1=a, o2=2*a, o3=3*a)", maximum=7)
    ranking = solve(sheet, ["p"], ["a = 3", "e = 1"], best="max:a").ranking
    assert ranking is not None
    assert ranking.options("p") == ["o1", "o2"]
    assert [own.why for own in ranking.rejected] == ["w is 9, outside its bounds (at most 7)."]


def test_names_that_differ_in_what_nothing_reads_share_their_equations() -> None:
    """Chips have many sets of figures, and the sheet reads few: each has its figures in its answer all the same."""
    answer = solve(SHEET, "chip", [*LARGE, "n = 2"], best="min:read_time", budget=60)
    assert answer.ranking is not None
    answers = [own.answer for own in answer.ranking.working if own.answer is not None]
    figures = {frozenset(own.question.records["chip"].values) for own in answers}
    structures = {id(own.system.structure) for own in answers}
    assert len(figures) > 20
    assert len(structures) < 5
    for own in answers:
        chip = own.question.records["chip"]
        told = {name.partition(".")[2] for name, cell in own.cells.items() if cell.origin == "record"}
        assert told == {name for name in chip.values if f"chip.{name}" in own.question.used_cells}
        assert all(own.cells[f"chip.{name}"].si == chip.si_values[name] for name in told)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [0.3, 0.7])
def test_numbers_beside_names_that_were_not_found_in_time_are_not_told(budget: float) -> None:
    """Whatever the time suffices for: a chip is in the list with the replicas that it needs, or it is not."""
    given = ["model = llama-3-8b", "n_tp = 1", "n_pp = 1", "seq_len = 8192", "sharding = weights"]
    asked = [*given, "chip.vendor = Apple", "device_memory <= chip.memory"]
    few, all_of_them = (
        solve("training_memory", ["chip", "n_dp"], asked, best="min:n_dp", budget=time) for time in (budget, 60)
    )
    needed = _replicas(all_of_them)
    assert len(needed) > 5
    assert _replicas(few).items() <= needed.items()


def _replicas(answer: Answer) -> dict[str, Any]:
    assert answer.ranking is not None
    return {own.text: own.answer.cells["n_dp"].si for own in answer.ranking.working if own.answer is not None}


def test_the_row_of_a_name_is_that_of_the_number_that_ranks_it() -> None:
    """Of some chips every count works, and without a relation that bounds it from below the largest would be shown."""
    asked = ["model = qwen3-235b-a22b", "n_sequences = 8", "seq_len = 32768", "weight_format = fp8", "precision = fp8"]
    bounds = ["token_time <= 20 ms", "n_tp <= 8", "chip.vendor = AMD", "chip.memory >= 180 GB"]
    ranking = solve("decode", ["chip", "n_tp"], [*asked, *bounds], budget=30).ranking
    assert ranking is not None
    assert ranking.by == "n_tp, the smallest first"
    shown = [own.answer.outcomes["n_tp"] for own in ranking.working if own.answer is not None]
    assert [own.si for own in shown] == [own.listed[0].lower for own in shown]
    numbers = [own.si or 0 for own in shown]
    assert numbers == sorted(numbers)
    assert len({len(own.listed) for own in shown}) > 1
    first = ranking.working[0]
    beside = solve("decode", (), [*asked, f"chip = {first.text}", f"n_tp = {shown[0].si}"])
    assert first.answer is not None
    assert first.answer.cells["token_time"].si == beside.cells["token_time"].si


@pytest.mark.slow
def test_how_many_names_are_asked_for_more_than_they_were_made_for() -> None:
    asked = ["chip = h100-sxm", "n_sequences = 1", "seq_len = 100000"]
    answer = solve("inference_memory", "model", asked, best="max:cache_memory", budget=30)
    assert answer.ranking is not None
    over = [
        own for own in answer.ranking.working if records("architecture")[own.text].si_values["context_len"] < 100000
    ]
    assert len(over) > 1
    told = f"seq_len is more than model.context_len of {len(over)} of these {len(answer.ranking.working)}"
    assert any(text.startswith(told) for text in answer.warnings)
