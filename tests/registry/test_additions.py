"""Figures that records of other kinds give: a price to a chip, carbon and price of energy to a site from its grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import record, records, solve
from flopsheet.registry import store
from flopsheet.registry.packs import Pack
from flopsheet.report.records import missing
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Write = Callable[..., None]

CHIP = """\
base: {name: V Base, vendor: V, source: s, aliases: [b], memory: 1 GiB, memory_bandwidth: 1 TB/s,
  flops: {bf16: 1 TFLOP/s}}
wide: {extends: base, name: V Wide, source: s, memory: 2 GiB}
own: {extends: base, name: V Own, source: s, hourly_price: 9 USD/hour}
"""
SYSTEM = "rack: {name: V Rack, vendor: V, source: s, chip: base, n_chips: 4}\n"
GRID = """\
us-va: {name: Virginia, source: g, aliases: [virginia], carbon: 245 gram/kWh, carbon_scope: direct combustion,
  carbon_year: 2023, energy_price: {value: 0.09 USD/kWh, note: industrial mean, verified: false}}
bare: {name: Nowhere, source: g}
fr: {name: France, source: g, carbon: {value: 56 gram/kWh, note: nuclear}, carbon_scope: life cycle, carbon_year: 2023}
"""
SITES = """\
there: {name: There, source: s, grid: us-va, pue: 1.2, power: 1 MW}
own: {name: Own, source: s, grid: virginia, grid_carbon: 100 gram/kWh}
moved: {extends: there, name: Moved, grid: fr}
bare: {name: Bare, source: s, grid: bare}
none: {name: None, source: s}
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write files of two packs: `one/...` and `two/...`; a chip and its kin are there."""

    def written(name: str, text: str) -> None:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        SESSION.drop_files()

    packs = (Pack("one", tmp_path / "one"), Pack("two", tmp_path / "two"))
    monkeypatch.setattr(store, "packs", lambda: packs)
    written("one/hardware/chips/v.yaml", CHIP)
    yield written
    SESSION.drop_files()


def price(key: str, amount: float, terms: str, date: str, **more: str) -> str:
    """Return a record of a price."""
    entries = {"chip": "base", "provider": key, "source": "s", **more}
    named = ", ".join(f"{name}: {value}" for name, value in entries.items() if value)
    return f"{key}: {{name: {key}, {named}, terms: {terms}, date: {date}, hourly_price: {amount} USD/hour}}\n"


PRICES = {
    "the only one": ([price("a", 3, "spot", "2024")], "3 USD/hour", "a, spot, 2024"),
    "the newest month": (
        [price("a", 3, "on demand", "2026-09-01"), price("b", 1, "on demand", "2026-08-31")],
        "3 USD/hour",
        "a, on demand, 2026-09-01",
    ),
    "a month is newer than its year": (
        [price("a", 3, "on demand", "2026"), price("b", 4, "on demand", "2026-01")],
        "4 USD/hour",
        "b, on demand, 2026-01",
    ),
    "on demand before newer ones": (
        [price("a", 3, "on demand", "2025"), price("b", 1, "spot", "2026"), price("c", 2, "reserved 1 year", "2026")],
        "3 USD/hour",
        "a, on demand, 2025",
    ),
    "the median of a month": (
        [
            price(name, amount, "on demand", f"2026-09-{day}")
            for name, amount, day in zip("abc", (9, 2, 5), (30, 10, 20), strict=True)
        ],
        "5 USD/hour",
        "c, on demand, 2026-09-20; median of 3 in 2026-09",
    ),
    "the lower one of two": (
        [price("a", 3, "on demand", "2026-09"), price("b", 2, "on demand", "2026-09", region="us-east-1")],
        "2 USD/hour",
        "b, us-east-1, on demand, 2026-09; median of 2 in 2026-09",
    ),
    "by name and by alias": (
        [price("a", 3, "on demand", "2026-08"), price("b", 2, "on demand", "2026-09", chip="b")],
        "2 USD/hour",
        "b, on demand, 2026-09",
    ),
}


@pytest.mark.parametrize("case", PRICES)
def test_a_chip_takes_its_price(case: str, write: Write) -> None:
    texts, expected, note = PRICES[case]
    write("one/hardware/prices/p.yaml", "".join(texts))
    value = record("chip", "base").values["hourly_price"]
    assert (str(value.quantity), value.note) == (expected, note)
    assert (value.record, value.sources) == (note.partition(",")[0], ("s",))
    assert value.spot.file.endswith("hardware/prices/p.yaml")
    assert store.problems() == []


def test_prices_of_a_later_pack_come_first(write: Write) -> None:
    write("one/hardware/prices/p.yaml", price("a", 3, "on demand", "2026-09"))
    write("two/hardware/prices/p.yaml", price("b", 1, "reserved", "2025-01"))
    assert str(record("chip", "base").values["hourly_price"].quantity) == "1 USD/hour"


def test_what_a_record_states_itself_stays(write: Write) -> None:
    write("one/hardware/prices/p.yaml", price("a", 3, "spot", "2026", chip="own") + price("b", 4, "spot", "2026"))
    assert str(record("chip", "own").values["hourly_price"].quantity) == "9 USD/hour"
    assert "hourly_price" not in record("chip", "wide").values


def test_a_record_that_overrides_one_takes_its_price(write: Write) -> None:
    write("one/hardware/prices/p.yaml", price("a", 3, "spot", "2026"))
    write("two/hardware/chips/v.yaml", "base: {extends: base, override: true, name: V, source: s, power: 5 W}\n")
    values = record("chip", "base").values
    assert str(values["hourly_price"].quantity) == "3 USD/hour"
    assert str(values["power"].quantity) == "5 W"


def test_a_system_takes_its_own_price_and_names_that_of_its_chip(write: Write) -> None:
    write("one/hardware/systems/v.yaml", SYSTEM)
    rack = price("b", 12, "on demand", "2026", chip="", system="rack")
    write("one/hardware/prices/p.yaml", price("a", 3, "on demand", "2026") + rack)
    values = record("system", "rack").values
    assert str(values["hourly_price"].quantity) == "12 USD/hour"
    assert str(values["chip.hourly_price"].quantity) == "3 USD/hour"


def test_purchase_and_rent_are_chosen_apart(write: Write) -> None:
    bought = price("b", 1, "purchase", "2026").replace("hourly_price: 1 USD/hour", "price: 300 USD")
    write("one/hardware/prices/p.yaml", price("a", 3, "spot", "2025") + bought)
    values = record("chip", "base").values
    assert (str(values["hourly_price"].quantity), str(values["price"].quantity)) == ("3 USD/hour", "300 USD")


def test_a_price_of_no_chip_is_a_problem(write: Write) -> None:
    write("one/hardware/prices/p.yaml", price("a", 3, "spot", "2026", chip="basis"))
    message = "p.yaml:1:4, key 'a.chip': There is no chip 'basis'. Did you mean 'base'?"
    (problem,) = store.problems()
    assert message in str(problem)
    assert list(records("chip")) == ["base", "wide", "own"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (price("a", 3, "hourly", "2026"), "key 'a.terms': 'hourly' is none of its values. Write one of on demand,"),
        (price("a", 3, "spott", "2026"), "'spott' is none of its values. Did you mean 'spot'?"),
        (price("a", 3, "spot", "2026-13"), "'2026-13' is not a date. Write it as 2022-09-20, 2022-09 or 2022."),
        (price("a", 3, "spot", "2026-02-30"), "'2026-02-30' is not a date"),
        (price("a", 3, "spot", "September"), "'September' is not a date"),
        (
            price("a", 3, "spot", "2026", chip=""),
            "It names no chip or system. Write one of 'chip: ...' or 'system: ...'",
        ),
        (price("a", 3, "spot", "2026", system="x"), "It names chip and system."),
        (
            price("a", 3, "spot", "2026").replace(", hourly_price: 3 USD/hour", ""),
            "Write one of hourly_price or price.",
        ),
        (price("a", 3, "spot", "2026").replace("3 USD/hour", "3 USD"), "'3 USD' is currency, but"),
        (
            "a: {name: A, chip: base, source: s, hourly_price: 1 USD/hour}",
            "The keys provider, terms and date are missing",
        ),
    ],
)
def test_mistakes_of_a_price_are_named(text: str, message: str, write: Write) -> None:
    write("one/hardware/prices/p.yaml", text)
    assert message in " ".join(map(str, store.problems()))
    assert "hourly_price" not in record("chip", "base").values


def test_a_site_takes_carbon_and_price_from_its_grid(write: Write) -> None:
    write("one/hardware/grids/g.yaml", GRID)
    write("one/hardware/datacenters/d.yaml", SITES)
    values = record("datacenter", "there").values
    carbon, cost = values["grid_carbon"], values["energy_price"]
    assert (str(carbon.quantity), carbon.note) == ("245 gram/kWh", "direct combustion, 2023")
    assert (carbon.record, carbon.sources, carbon.spot.line) == ("us-va", ("g",), 1)
    assert carbon.spot.file.endswith("hardware/grids/g.yaml")
    assert (str(cost.quantity), cost.note, cost.verified) == ("0.09 USD/kWh", "industrial mean", False)
    assert values["grid.carbon"] == carbon


@pytest.mark.parametrize(
    ("site", "carbon", "note", "lacking"),
    [
        ("own", "100 gram/kWh", "", ["power", "pue"]),
        ("moved", "56 gram/kWh", "life cycle, 2023; nuclear", ["energy_price"]),
        ("bare", "", "", ["power", "pue", "grid_carbon", "energy_price"]),
        ("none", "", "", ["power", "pue", "grid_carbon", "energy_price"]),
    ],
)
def test_what_a_site_has_and_lacks(site: str, carbon: str, note: str, lacking: list[str], write: Write) -> None:
    write("one/hardware/grids/g.yaml", GRID)
    write("one/hardware/datacenters/d.yaml", SITES)
    shown = record("datacenter", site)
    value = shown.values.get("grid_carbon")
    assert (str(value.quantity) if value else "", value.note if value else "") == (carbon, note)
    assert missing(shown) == lacking


def test_a_site_of_an_unknown_grid_is_left_out(write: Write) -> None:
    write("one/hardware/grids/g.yaml", GRID)
    write("one/hardware/datacenters/d.yaml", SITES + "lost: {name: Lost, source: s, grid: us-vb}\n")
    (problem,) = store.problems()
    assert "key 'lost.grid': There is no grid 'us-vb'. Did you mean 'us-va'?" in str(problem)
    assert "lost" not in records("datacenter")


def test_a_sheet_computes_with_the_figures_of_a_grid() -> None:
    run = {"params": "70e9 param", "dataset_tokens": "15e12 token", "n_chips": 4096, "chip": "h100-sxm"}
    answer = solve("electricity", "carbon", {**run, "site": "colossus-1", "site.pue": 1.2})
    cell = answer.cells["site.grid_carbon"]
    assert cell.figure is not None
    assert (cell.said_by, cell.figure.note.partition(";")[0]) == ("us-tn", "direct combustion, 2023")
    assert answer.cells["carbon"].si == cell.si * answer.cells["site_energy"].si
    assert "CO2 of a unit of energy from the grid, mean of a year (direct combustion, 2023)" in answer.derivation()
