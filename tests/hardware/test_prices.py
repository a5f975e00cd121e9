"""The built-in prices: of what there is, dated, in usual ranges, and the one that a chip takes by default."""

from __future__ import annotations

import pytest
from tests.cases import each

from flopsheet import record, records
from flopsheet.registry.kinds import TERMS
from flopsheet.units import in_unit, unit

PRICES = list(records("price"))
# Chips that clouds rent.
RENTED = (
    *("a100-sxm4-40gb", "a100-sxm4-80gb", "a100-pcie-80gb", "h100-sxm", "h100-pcie-80gb", "h100-nvl-94gb", "h200-sxm"),
    *(
        "b200-sxm",
        "b300-sxm",
        "gb200",
        "gb300",
        "gh200-96gb",
        "l4-24gb",
        "l40s-48gb",
        "l40-48gb",
        "a10-24gb",
        "t4-16gb",
    ),
    *(
        "v100-sxm2-16gb",
        "rtx-3090",
        "rtx-4090",
        "rtx-5090",
        "rtx-6000-ada",
        "rtx-a6000",
        "rtx-pro-6000-blackwell-server",
    ),
    *("mi300x", "mi325x", "mi350x", "mi355x", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7x"),
    *("trainium1", "trainium2", "inferentia2"),
)
SANE: dict[str, dict[str, tuple[float, float]]] = {
    "chip": {"hourly_price": (0.05, 30), "price": (200, 60_000)},
    "system": {"hourly_price": (5, 500), "price": (1000, 1e7)},
}
UNITS = {"hourly_price": "USD/hour", "price": "USD"}

every_price = each(PRICES)


def amounts(key: str) -> dict[str, float]:
    """Return the figures of a price [USD/hour, USD]."""
    values = record("price", key, "test").values
    return {name: float(in_unit(value.si, unit(UNITS[name]))) for name, value in values.items()}


def test_no_price_is_lost() -> None:
    assert len(PRICES) >= 300


@every_price
def test_a_price_is_of_a_known_thing(key: str) -> None:
    ((kind, name),) = record("price", key, "test").references.items()
    assert record(kind, name, "test").key == name
    assert key.startswith(name)


@every_price
def test_prices_are_in_their_ranges(key: str) -> None:
    (kind,) = record("price", key, "test").references
    for name, amount in amounts(key).items():
        low, high = SANE[kind][name]
        assert low <= amount <= high


@every_price
def test_a_price_has_terms_and_a_date_that_has_passed(key: str) -> None:
    labels = record("price", key, "test").labels
    assert labels["terms"] in TERMS
    assert "2024" <= labels["date"] <= "2026-11-23"
    assert (labels["terms"] == "purchase") is ("price" in amounts(key))


@every_price
def test_a_price_that_nobody_verified_says_where_it_was_seen(key: str) -> None:
    shown = record("price", key, "test")
    assert shown.source
    assert all(value.verified or value.note or "note" in value.source for value in shown.values.values())


@each(RENTED)
def test_a_rented_chip_has_a_price_and_says_of_what(chip: str) -> None:
    value = record("chip", chip, "test").values["hourly_price"]
    offer = record("price", value.record, "test")
    assert offer.references == {"chip": chip}
    assert value.quantity == offer.values["hourly_price"].quantity
    assert value.note.startswith(
        ", ".join(filter(None, (offer.vendor, offer.labels.get("region"), offer.labels["terms"])))
    )
    assert offer.labels["date"] in value.note


def test_most_chips_that_people_buy_have_a_price() -> None:
    assert sum("price" in chip.values for chip in records("chip").values()) >= 50


def test_the_price_of_an_h100_is_the_median_on_demand() -> None:
    offers = [
        offer
        for offer in records("price").values()
        if offer.references.get("chip") == "h100-sxm"
        and (offer.labels["terms"], offer.labels["date"][:7]) == ("on demand", "2026-09")
    ]
    figures = sorted(offer.values["hourly_price"].si for offer in offers)
    value = record("chip", "h100-sxm", "test").values["hourly_price"]
    assert value.si == figures[(len(figures) - 1) // 2]
    assert value.note.endswith(f"median of {len(figures)} in 2026-09")


@each(["p5-48xlarge", "nd-h100-v5", "trn1-32xlarge", "p4d-24xlarge"])
def test_an_instance_costs_what_the_provider_asks_for_its_chips(system: str) -> None:
    values = record("system", system, "test").values
    whole, number = values["hourly_price"], values["n_chips"].si
    provider = record("price", whole.record, "test").vendor
    chip = record("system", system, "test").references["chip"]
    terms = [
        offer.values["hourly_price"].si
        for offer in records("price").values()
        if offer.references.get("chip") == chip and (offer.vendor, offer.labels["terms"]) == (provider, "on demand")
    ]
    assert float(whole.si) in [pytest.approx(float(number * amount)) for amount in terms]


@each(
    [("l4-24gb", "h100-sxm"), ("a100-sxm4-80gb", "h100-sxm"), ("h100-sxm", "b200-sxm"), ("rtx-3090", "rtx-5090")],
)
def test_better_chips_cost_more(cheap: str, dear: str) -> None:
    assert (
        record("chip", cheap, "test").values["hourly_price"].si < record("chip", dear, "test").values["hourly_price"].si
    )
