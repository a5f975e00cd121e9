"""Sheets whose cells depend on each other, in the round trip of every sheet, against a solution of their own."""

from __future__ import annotations

import math

import pytest
from tests.models.points import Point, given, pin
from tests.models.round_trip import check_input, check_values

from flopsheet import solve
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet

OVERHEAD = """sheet: overhead
title: Cost of a project with overheads on its total.
implicit: true
cells:
  base: {unit: USD, doc: Cost of the work, example: 90 USD}
  share: {doc: Share of the total, default: 1/10}
  fee: {doc: Share of base and overhead, example: 1/50}
  overhead: {formula: share*total, unit: USD, doc: Overhead}
  charge: {formula: fee*(base + overhead), unit: USD, doc: Charge of the bank}
  total: {formula: base + overhead + charge, unit: USD, doc: Total}
  yearly: {formula: 12*total, unit: USD, doc: Cost of a year}
"""
LEAKAGE = """sheet: leakage
title: Chip whose leakage grows with its temperature, which grows with its power.
implicit: true
cells:
  inlet: {doc: Temperature of the air, example: 30}
  conductance: {unit: W, doc: Power that a degree carries away, example: 20 W}
  work: {unit: W, doc: Power without leakage, example: 600 W}
  leak: {unit: W, doc: Leakage at 30 degrees, example: 50 W}
  power: {formula: work + leak*exp((temperature - 30)/30), unit: W, doc: Power}
  temperature: {formula: inlet + power/conductance, doc: Temperature of the chip, maximum: 90}
  cooling: {formula: 3*power/10, unit: W, doc: Power of the cooling}
"""
MARKET = """sheet: market
title: Price that grows with the volume that is sold, which falls with the price.
implicit: true
cells:
  demand: {doc: Volume at a price of one, example: 1000}
  lowest: {doc: Lowest price, example: 3/2}
  price: {formula: lowest + sqrt(volume)/10, doc: Price}
  volume: {formula: demand/price**2, doc: Volume}
  revenue: {formula: price*volume, doc: Revenue}
"""
TEXTS = {"overhead": OVERHEAD, "leakage": LEAKAGE, "market": MARKET}
SHEETS = {name: parse_sheet(text, name) for name, text in TEXTS.items()}
POINTS = {
    name: Point(solve(model, (), [pin(model.cells[cell], si) for cell, si in given(model).items()]))
    for name, model in SHEETS.items()
}
PAIRS = [(name, free, output) for name, point in POINTS.items() for free, output in point.pairs]


@pytest.mark.parametrize("name", SHEETS)
def test_its_cells_agree_with_newtons_method(name: str) -> None:
    point = POINTS[name]
    for cell in point.formulas:
        assert float(point.value(cell)) == pytest.approx(float(point.independent[cell]), rel=1e-12)
    assert as_yaml(parse_sheet(as_yaml(SHEETS[name]), name)) == as_yaml(SHEETS[name])


@pytest.mark.parametrize(("name", "free", "output"), PAIRS)
def test_each_input_is_solved_back_from_each_output(name: str, free: str, output: str) -> None:
    point = POINTS[name]
    for goal in (point.exactly(output), point.pasted(output)):
        answer = point.asked_back([free], [goal])
        check_input(answer, point, free, output)
        check_values(answer, point, free, output)
        assert not answer.outcomes[free].open
    for sign in ("<=", ">="):
        check_input(point.asked_back([free], [point.exactly(output, sign)]), point, free, output)


def test_an_input_may_be_endless() -> None:
    """However good the cooler is, the chip stays warmer than the air: the values begin at a pole."""
    point = POINTS["leakage"]
    (part,) = point.asked_back(["conductance"], [point.exactly("temperature", "<=")]).outcomes["conductance"].solutions
    assert float(part.lower) == pytest.approx(20, rel=1e-9)
    assert part.upper == math.inf
