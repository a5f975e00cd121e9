"""Elasticities against central differences: the question solved again with each input a little larger and smaller."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_more import AllReduce, Globe, Rectangle, Transformer
from tests.answer.worked_sheets import Batches, Checkpoints, Exchange, Pipeline, Roofline, ScalingLaw, SolarTime

from flopsheet import Sheet, ceil, formula, given, max_, min_, sheet, solve
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.cell import POSITIVE, Cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Answer

SHARE = Decimal("1e-5")
STEP = math.log1p(1e-5) - math.log1p(-1e-5)


@dataclass(frozen=True)
class Asked:
    """A question whose inputs can be shifted.

    Args:
        sheet: the sheet.
        unknown: what is asked for.
        given: the value of each given cell as text.
        goals: other relations, whose quantities can be shifted too.
        near: of several answers, the one near this.
        name: the cell whose elasticities are looked at; the unknown if empty.
        lifted: the limits of the sheet that are lifted.
    """

    sheet: Sheet
    unknown: Any
    given: Mapping[str, str]
    goals: tuple[str, ...] = ()
    near: Any = None
    name: str = ""
    lifted: tuple[str, ...] = ()

    def answer(self) -> Answer:
        relations = [text if "=" in text else f"{name} = {text}" for name, text in self.given.items()]
        return solve(self.sheet, self.unknown, [*relations, *self.goals], self.near, without=self.lifted)

    def value(self) -> float:
        """Return the value of the cell: of a range, where it begins or ends."""
        answer, name = self.answer(), self.name or self.unknown
        outcome = answer.outcomes.get(name)
        if outcome is None:
            return float(answer.cells[name].si)
        return float(outcome.si or 0) if outcome.boundary is None else float(outcome.boundary)

    def elasticities(self) -> dict[str, float]:
        return self.answer().elasticities(self.name)

    def shifted(self, name: str, text: str) -> Asked:
        """Return the question with another value of a cell; a count that is no whole number hides in an equation."""
        if name in self.sheet.cells:
            integer = self.sheet.cells[name].integer
            return replace(self, given={**self.given, name: f"2 * {name} = 2 * {text}" if integer else text})
        return replace(self, goals=tuple(goal.replace(name, text) for goal in self.goals))

    def inputs(self) -> dict[str, str]:
        """Return every input that could matter: given cells, defaults, figures of the record, literals."""
        answer = self.answer()
        values = [value for value in answer.cells.values() if value.cell.name not in self.given]
        others = [value for value in values if value.origin in ("default", "record")]
        texts = {value.cell.name: f"{float(value.value)!r} {value.cell.unit.text}" for value in others}
        relations = answer.question.relations
        literals = {name: name for relation in relations for name in relation.literals}
        return {**{name: text for name, text in self.given.items() if name in self.sheet.cells}, **texts, **literals}

    def by_differences(self) -> dict[str, float]:
        """Return d ln value / d ln input for each input."""
        ratios = {}
        for name, text in self.inputs().items():
            number, _, unit = text.partition(" ")
            logs = []
            for factor in (1 + SHARE, 1 - SHARE):
                shifted = self.shifted(name, f"{Decimal(number) * factor:f} {unit}".strip())
                logs.append(math.log(abs(shifted.value())))
            ratios[name] = (logs[0] - logs[1]) / STEP
        return ratios


def agrees(asked: Asked) -> dict[str, float]:
    """Return the elasticities, once they were found to be those of the differences, and in their order."""
    elasticities, expected = asked.elasticities(), asked.by_differences()
    assert elasticities
    assert [*map(abs, elasticities.values())] == sorted(map(abs, elasticities.values()), reverse=True)
    assert elasticities == pytest.approx({name: expected.get(name, 0) for name in elasticities}, rel=1e-5, abs=1e-7)
    missing = {name: value for name, value in expected.items() if name not in elasticities}
    assert missing == pytest.approx(dict.fromkeys(missing, 0), abs=1e-7)
    assert asked.answer().condition(asked.name) == max(map(abs, elasticities.values()))
    return elasticities


ROOFLINE = {
    "work": "1200 TFLOP",
    "traffic": "4 TB",
    "exchanged": "50 GB",
    "flop_rate": "400 TFLOP/s",
    "memory_bandwidth": "2 TB/s",
    "link_bandwidth": "50 GB/s",
}
SITES = {"latitude_a": "60.17 degree", "latitude_b": "50.11 degree", "longitude_b": "8.68 degree"}
WIDE = {"vocabulary": "128000", "context": "8192 token"}
DEEP = {**WIDE, "aspect": "100", "memory": "80 GiB"}
STAGES = {"work": "4000 TFLOP", "fp8_rate": "800 TFLOP/s", "bubble": "1 second"}
EXCHANGE = {"work": "1200 TFLOP", "exchanged": "50 GB", "link_bandwidth": "50 GB/s"}
RING = {"message": "2 GB", "bandwidth": "50 GB/s", "hop": "5 ms"}
RUN = {"write_time": "60 second", "time_to_failure": "4 hour"}
SIDES = {"area": "12 m^2", "perimeter": "14 m"}


def without(cells: Mapping[str, str], name: str, **more: str) -> dict[str, str]:
    return {cell: text for cell, text in {**cells, **more}.items() if cell != name}


SMOOTH: dict[str, Asked] = {
    "product": Asked(TOY, "twice", {"x": "3"}),
    "backwards": Asked(TOY, "x", {"twice": "90"}),
    "root": Asked(TOY, "x", {"y": "1"}, ("bowl = y",)),
    "other root": Asked(TOY, "x", {"y": "1"}, ("bowl = y",), near=0),
    "lower end": Asked(TOY, "x", {"y": "1"}, ("bowl <= y",)),
    "beyond": Asked(TOY, "x", {"y": "1"}, ("x >= 2", "bowl >= y")),
    "logarithm": Asked(TOY, "order", {"x": "7"}),
    "power": Asked(TOY, "n", {"size": "12345"}),
    "max": Asked(Roofline(), "step_time", ROOFLINE),
    "max backwards": Asked(Roofline(), "flop_rate", without(ROOFLINE, "flop_rate", step_time="4 second")),
    "literal": Asked(Roofline(), "work", without(ROOFLINE, "work"), ("step_time <= 3.5 second",)),
    "two literals": Asked(Roofline(), "work", without(ROOFLINE, "work"), ("step_time <= 50 % * 7 second",)),
    "chain of backwards": Asked(Exchange(), "flop_rate", {**EXCHANGE, "step_time": "4 second"}),
    "on the way": Asked(Exchange(), (), {**EXCHANGE, "step_time": "4 second"}, name="flop_rate"),
    "behind it": Asked(Exchange(), (), {**EXCHANGE, "step_time": "4 second"}, name="compute_time"),
    "ring": Asked(AllReduce(), "total_time", {**RING, "n_devices": "64 device"}),
    "ring backwards": Asked(AllReduce(), "n_devices", {**RING, "total_time": "124 ms"}),
    "angles": Asked(Globe(), "distance", {**SITES, "longitude_a": "24.94 degree"}),
    "angles backwards": Asked(Globe(), "longitude_a", {**SITES, "distance": "3000 km"}),
    "remainder": Asked(SolarTime(), "solar_time", {"clock": "20 hour", "longitude": "100 degree"}),
    "remainder backwards": Asked(SolarTime(), "longitude", {"clock": "20 hour", "solar_time": "3 hour"}),
    "select": Asked(Pipeline(), "batch_time", {**STAGES, "stages": "4"}, ("precision = fp8",)),
    "indicator": Asked(Pipeline(), "stages", STAGES, ("precision = fp8", "batch_time <= 2 second")),
    "polynomial": Asked(Transformer(), "width", {**WIDE, "n_layers": "32", "memory": "80 GiB"}),
    "layers": Asked(Transformer(), "n_layers", {**WIDE, "width": "4096"}, ("memory <= 80 GiB",)),
    "two together": Asked(Transformer(), ["width", "n_layers"], DEEP, name="width"),
    "from two together": Asked(Transformer(), (), DEEP, name="activations"),
    "block": Asked(Rectangle(), ["side_a", "side_b"], SIDES, name="side_a"),
    "block, other": Asked(Rectangle(), ["side_a", "side_b"], SIDES, name="side_b"),
    "from a block": Asked(Rectangle(), ["side_a", "side_b"], SIDES, name="diagonal"),
    "after a block": Asked(Rectangle(), "diagonal", SIDES),
    "distance": Asked(Rectangle(), "imbalance", {"side_a": "2 m", "side_b": "3 m"}),
    "law": Asked(ScalingLaw(), "tokens", {"params": "7e10 param", "loss": "1.95"}),
    "law, larger": Asked(ScalingLaw(), "params", {"compute": "1e24 FLOP", "loss": "1.95"}),
    "interval": Asked(Checkpoints(), "interval", RUN, ("wasted <= 15 %",)),
    "share": Asked(Checkpoints(), "write_time", without(RUN, "write_time", interval="20 minute", wasted="0.1")),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_an_elasticity_is_that_of_the_question_solved_again(name: str) -> None:
    agrees(SMOOTH[name])


MODEL = {"d_model": "16384", "d_ff": "53248", "n_blocks": "126", "batch": "128 sequence", "seq_len": "1024 token"}
WITH_DEVICES = {**MODEL, "n_fsdp": "50"}
FFN = [
    ("device_memory", WITH_DEVICES, ()),
    ("total_memory", WITH_DEVICES, ()),
    ("n_fsdp", MODEL, ("device_memory <= chip.memory",)),
    ("n_fsdp", MODEL, ("device_memory <= 90 % * chip.memory",)),
    ("n_fsdp", MODEL, ("device_memory <= 70 GiB + 5 GiB", "device_memory >= 10 GiB")),
    ("d_model", without(WITH_DEVICES, "d_model", device_memory="80 GiB"), ()),
    ("d_ff", without(WITH_DEVICES, "d_ff"), ("total_memory <= 4000 GiB",)),
    ("n_blocks", without(WITH_DEVICES, "n_blocks"), ("device_memory < chip.memory",)),
    ("batch", without(WITH_DEVICES, "batch"), ("device_memory <= chip.memory",)),
    ("seq_len", without(WITH_DEVICES, "seq_len", activation_memory="3 TiB"), ()),
    ("tokens", without(without(WITH_DEVICES, "batch"), "seq_len"), ("device_memory = chip.memory",)),
    ("chip.memory", WITH_DEVICES, ("device_memory <= chip.memory",)),
    ("bytes_per_moment", {**WITH_DEVICES, "total_memory": "5 TiB"}, ()),
    ("replicated_activation_fraction", WITH_DEVICES, ("device_memory <= chip.memory",)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("unknown", "cells", "goals"), FFN, ids=[f"{case[0]} {case[2]}" for case in FFN])
def test_every_input_of_the_worked_sheet(unknown: str, cells: dict[str, str], goals: tuple[str, ...]) -> None:
    asked = Asked(sheet("ffn_memory"), unknown, cells, goals)
    if unknown != "chip.memory":
        lifted = ("fits",) if unknown == "seq_len" else ()  # 3 TiB of activations are more than 50 chips hold
        asked = replace(asked, goals=(*goals, "chip = tpu-v5p"), lifted=lifted)
    elasticities = agrees(asked)
    assert len(elasticities) >= 8 or unknown == "seq_len"


class Rough(Sheet):
    """Formulas that do not move, or have no slope where they stand."""

    x = given("First", example=2)
    y = given("Second", example=5)
    steps = formula(ceil(x / 3), "", "Rounded up", integer=True)
    capped = formula(min_(x, 4) * y, "", "Capped")
    apart = formula(abs(x - y), "", "Distance")
    paid = formula(ceil(x / 3) * y, "", "Rounded up, times second")
    difference = formula(x - y, "", "Difference", signed=True)


def test_a_rounding_stands_still_and_its_factor_moves() -> None:
    assert agrees(Asked(Rough(), "paid", {"x": "7", "y": "5"})) == {"y": 1}
    assert agrees(Asked(Rough(), "capped", {"x": "7", "y": "5"})) == {"y": 1}
    assert agrees(Asked(Rough(), "capped", {"x": "3", "y": "5"})) == {"x": 1, "y": 1}
    assert agrees(Asked(Rough(), "apart", {"x": "3", "y": "5"})) == {"x": -1.5, "y": 2.5}
    assert agrees(Asked(Rough(), "difference", {"x": "3", "y": "5"})) == {"x": -1.5, "y": 2.5}


STILL: list[tuple[Sheet, Any, list[str]]] = [
    (Rough(), "steps", ["x = 7"]),
    (Rough(), "difference", ["x = 5", "y = 5"]),
    (Rough(), "x", ["steps = 3"]),
    (Batches(), "n_steps", ["tokens = 1e8 token", "batch_tokens = 3e6 token"]),
    (TOY, "x", ["hill = 4"]),
    (TOY, "x", ["hill = 5"]),
    (TOY, "n", ["mod(30, n) = 0"]),
    (TOY, "n", ["mod(n, 5) = 2"]),
]


@pytest.mark.parametrize(("of", "unknown", "relations"), STILL)
def test_nothing_moves_on_a_plateau_at_a_fold_or_in_a_search(of: Sheet, unknown: str, relations: list[str]) -> None:
    answer = solve(of, unknown, relations)
    assert answer.elasticities() == {}
    assert answer.condition() is None


@pytest.mark.parametrize(
    ("relation", "near", "value", "elasticity"),
    [
        ("bowl <= y", 0, 1, -1 / 2),
        ("bowl <= y", 4, 3, 1 / 6),
        ("bowl >= y", 1.5, 1, -1 / 2),
        ("bowl >= y", 2.5, 3, 1 / 6),
    ],
)
def test_the_end_near_a_value_is_the_one_that_moves(relation: str, near: float, value: int, elasticity: float) -> None:
    answer = solve(TOY, "x", [relation, "y = 1"], near=near)
    assert answer.value == value
    assert answer.elasticities() == {"y": pytest.approx(elasticity)}


BEHIND = {
    "scaled": {"rate": 1, "y": -0.5},
    "bowl": {"y": 1},
    "area": {"y": 0.5},
    "hill": {"y": -1 / 3},
    "steps_needed": {},
}


@pytest.mark.parametrize("name", BEHIND)
def test_a_cell_behind_a_range_moves_as_at_its_end_or_not_at_all(name: str) -> None:
    elasticities = solve(TOY, "x", ["bowl <= y", "y = 1"]).elasticities(name)
    assert elasticities in ({}, pytest.approx(BEHIND[name]))


@pytest.mark.parametrize("asked", ["tokens", "dataset_tokens", "trained_tokens"])
def test_beside_an_unknown_without_a_value_elasticities_are_those_of_cells_that_have_one(asked: str) -> None:
    relations = ["n_steps <= 38154", "n_steps = 76308", "dataset_tokens <= 1831400000000 token"]
    answer = solve(sheet("training_steps"), ["tokens", "dataset_tokens", "trained_tokens"], relations)
    assert {outcome.kind for outcome in answer.outcomes.values()} == {"none"}
    assert all(map(math.isfinite, answer.elasticities(asked).values()))
    assert answer.derivation()


def test_beside_an_unknown_without_a_value_one_that_does_not_rest_on_it_keeps_its_elasticities() -> None:
    given = ["d_model = 16384", "n_blocks = 126", "batch = 128", "seq_len = 1024", "replicated_activation_fraction = 1"]
    answer = solve("ffn_memory", ["n_fsdp", "d_ff"], [*given, "params = 219848638464", "device_memory <= 95 GiB"])
    assert {name: outcome.kind for name, outcome in answer.outcomes.items()} == {"n_fsdp": "none", "d_ff": "value"}
    assert answer.elasticities("d_ff") == pytest.approx({"params": 1, "d_model": -1, "n_blocks": -1})
    assert answer.derivation()


def test_where_terms_are_equal_the_branches_are_those_of_one_point() -> None:
    """The larger times the smaller of two numbers is their product, also where they are equal."""
    model = Sheet("sides")
    for name in ("x", "y"):
        model.rows.add_cell(Cell(name, "A number", bounds=POSITIVE))
    x, y, larger, smaller = map(symbol, ("x", "y", "larger", "smaller"))
    model.rows.add_cell(Cell("larger", "The larger one", formula=max_(x, y)))
    model.rows.add_cell(Cell("smaller", "The smaller one", formula=min_(x, y)))
    model.rows.add_cell(Cell("product", "Their product", formula=larger * smaller))
    answer = solve(model, "product", ["x = 3", "y = 3"])
    assert answer.elasticities() == pytest.approx({"x": 1, "y": 1})


def test_at_the_end_of_a_range_the_other_unknowns_follow() -> None:
    """They were held at what they are at the whole number, which contradicts the end, so the range had none."""
    given = ["model = llama-3-70b", "chip = h200-sxm", "n_tp = 4", "weight_format = fp8", "precision = fp8"]
    given += ["prompt_len = 2000 token", "output_len = 500 token", "chip_price = 2.5 USD/hour", "peak_load = 1"]
    answers = [
        solve(
            "serving", ["n_sequences", "token_cost"], [*given, "load_factor = 50 %", f"full_token_latency <= {ms} ms"]
        )
        for ms in ("49.9995", "50", "50.0005")
    ]
    low, _, high = (math.log(answer.outcomes["n_sequences"].boundary or math.nan) for answer in answers)
    slope = (high - low) / (math.log(50.0005) - math.log(49.9995))
    assert answers[1].elasticities("n_sequences")["50 ms"] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("tokens", ["1.4e12", "1.5e12"])  # the first is what 20 tokens per parameter are, by default
def test_a_given_value_that_agrees_with_a_default_stays_given(tokens: str) -> None:
    answer = solve("training_run", [], ["params = 70e9", f"dataset_tokens = {tokens} token"])
    expected = {"params": 1, "dataset_tokens": 1, "work_per_param_token": 1}
    assert answer.elasticities("total_work") == pytest.approx(expected)


def test_what_a_listed_divisor_decides_moves_as_if_the_divisor_was_given() -> None:
    """A number of stages is one of several; what it is compared with moves with all other inputs."""
    shape = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
    listed = solve("ffn_memory", "n_fsdp", [*shape, "mod(256, n_fsdp) = 0", "device_memory <= 90 GiB"])
    assert listed.elasticities("n_fsdp") == {}
    assert listed.value == 64
    at_once = solve("ffn_memory", (), [*shape, "n_fsdp = 64"]).elasticities("device_memory")
    assert listed.elasticities("device_memory") == {name: at for name, at in at_once.items() if name != "n_fsdp"}
    assert at_once["d_ff"] > 0.9


def test_a_divisor_of_an_input_stays_where_the_input_grows_by_one_percent() -> None:
    """129.28 sequences have no divisor; what is computed from the divisor moves as with the divisor given."""
    shape = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
    listed = solve("ffn_memory", "n_fsdp", [*shape, "mod(batch, n_fsdp) = 0", "device_memory <= 90 GiB"])
    assert listed.value == 64
    assert listed.elasticities("n_fsdp") == {}
    at_once = solve("ffn_memory", (), [*shape, "n_fsdp = 64"]).elasticities("device_memory")
    assert listed.elasticities("device_memory") == {name: at for name, at in at_once.items() if name != "n_fsdp"}
    assert at_once["batch"] > 0.2


@pytest.mark.parametrize("asked", ["loss <= 1.99", "1.99 >= loss"])
def test_a_pure_number_in_a_bound_is_an_input(asked: str) -> None:
    answer = solve("loss_fit", "params", ["dataset_tokens = 15e12", asked])
    above = solve("loss_fit", "params", ["dataset_tokens = 15e12", "loss <= 1.9900199"])
    first, second = (own.outcomes["params"].boundary for own in (answer, above))
    assert first is not None
    assert second is not None
    by = (float(second) / float(first) - 1) / 1e-5
    assert answer.elasticities("params")["1.99"] == pytest.approx(by, rel=1e-3)
    assert "1 % above `1.99`" in answer.derivation("page")
