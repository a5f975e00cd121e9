"""The built-in grids: of each site's country, in usual ranges, each figure with its year and what it counts."""

from __future__ import annotations

import re

from tests.cases import each

from flopsheet import record, records
from flopsheet.registry.kinds import CARBON_SCOPES
from flopsheet.units import in_unit, unit

GRIDS = list(records("grid"))
EXPECTED = {
    "us-va": ("244.8", "0.0892"),
    "us-tx": ("349.8", "0.066"),
    "us-or": ("165.5", "0.0752"),
    "fr": ("56", "0.1663"),
    "ie": ("290.8", "0.2767"),
    "sa": ("706.8", "0.0534"),
    "in": ("713.4", "0.12"),
}

every_grid = each(GRIDS)


def figure(key: str, name: str) -> float | None:
    """Return a figure of a grid [gram/kWh, USD/kWh]."""
    value = record("grid", key, "test").values.get(name)
    return None if value is None else float(in_unit(value.si, unit({"carbon": "gram/kWh"}.get(name, "USD/kWh"))))


def test_no_grid_is_lost() -> None:
    assert len(GRIDS) >= 97
    assert sum(key.startswith("us-") for key in GRIDS) >= 39


@each(EXPECTED)
def test_key_figures(key: str) -> None:
    carbon, price = EXPECTED[key]
    assert (figure(key, "carbon"), figure(key, "energy_price")) == (float(carbon), float(price))


@every_grid
def test_figures_are_in_their_ranges(key: str) -> None:
    carbon, price = figure(key, "carbon"), figure(key, "energy_price")
    assert carbon is not None
    assert 5 <= carbon <= 1000
    assert price is None or 0.03 <= price <= 0.5


@every_grid
def test_a_grid_says_when_and_what(key: str) -> None:
    grid = record("grid", key, "test")
    assert key.partition("-")[0] == grid.labels["country"].lower()
    assert ("region" in grid.labels) is ("-" in key)
    assert grid.labels["carbon_scope"] in CARBON_SCOPES
    assert (grid.labels["carbon_scope"] == "direct combustion") is key.startswith("us-")
    assert re.fullmatch(r"202\d", grid.labels["carbon_year"])
    for label in ("customers", "price_year"):
        assert (label in grid.labels) is ("energy_price" in grid.values)


@every_grid
def test_a_figure_that_nobody_verified_says_why(key: str) -> None:
    values = record("grid", key, "test").values
    assert [name for name, value in values.items() if not (value.verified or value.note)] == []


def test_a_site_keeps_what_it_says_itself() -> None:
    values = record("datacenter", "jean-zay", "test").values
    assert (values["grid_carbon"].record, values["grid.carbon"].record) == ("", "fr")
    assert values["grid_carbon"].si != values["grid.carbon"].si
