"""The built-in datacenters: places on the globe, figures in their ranges, sources, and two that lie close together."""

from __future__ import annotations

import pytest

import flopsheet
from flopsheet import record, records
from flopsheet.registry.store import sources
from flopsheet.units import in_unit, unit

DATACENTERS = list(records("datacenter"))
EXPECTED = {"jean-zay", "joliot-curie", "el-capitan"}
SANE = {
    "latitude": ("degree", -90, 90),
    "longitude": ("degree", -180, 180),
    "power": ("MW", 0.01, 10_000),
    "pue": ("", 1, 2),
    "grid_carbon": ("gram/kWh", 1, 1500),
    "energy_price": ("USD/kWh", 0.01, 1),
}

every_datacenter = pytest.mark.parametrize("name", DATACENTERS)


def distance(here: str, there: str) -> float:
    """Return the great-circle distance of two datacenters [km]."""
    answer = flopsheet.solve("site_latency", "distance", (f"here = {here}", f"there = {there}"))
    found = answer.outcomes["distance"].si
    assert found is not None
    return float(in_unit(found, unit("km")))


def test_the_expected_datacenters_are_there() -> None:
    assert set(DATACENTERS) >= EXPECTED


@every_datacenter
def test_a_datacenter_lies_somewhere(name: str) -> None:
    assert {"latitude", "longitude"} <= set(record("datacenter", name, "test").values)


@every_datacenter
@pytest.mark.parametrize("field", SANE)
def test_figures_are_in_their_ranges(name: str, field: str) -> None:
    values = record("datacenter", name, "test").values
    shown, low, high = SANE[field]
    assert field not in values or low <= in_unit(values[field].quantity.si, unit(shown)) <= high


@every_datacenter
def test_every_source_is_listed(name: str) -> None:
    found = record("datacenter", name, "test")
    assert found.source
    assert {*found.sources, *(key for value in found.values.values() for key in value.sources)} <= set(sources())


@every_datacenter
def test_a_figure_that_nobody_verified_says_why(name: str) -> None:
    values = record("datacenter", name, "test").values
    assert [field for field, value in values.items() if not (value.verified or value.note)] == []


def test_nobody_claims_to_have_read_where_joliot_curie_stands() -> None:
    values = record("datacenter", "joliot-curie", "test").values
    assert not any(values[field].verified for field in ("latitude", "longitude"))


def test_joliot_curie_stands_near_jean_zay_and_not_in_lyon() -> None:
    assert distance("jean-zay", "joliot-curie") == pytest.approx(12, abs=0.5)


def test_el_capitan_is_far_from_both() -> None:
    assert distance("jean-zay", "el-capitan") == pytest.approx(8931, rel=0.002)
    assert distance("el-capitan", "jean-zay") == pytest.approx(distance("jean-zay", "el-capitan"), rel=1e-12)
