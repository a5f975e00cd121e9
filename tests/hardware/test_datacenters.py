"""The built-in datacenters: places on the globe, chips, figures in their ranges, sources, and two close together."""

from __future__ import annotations

import pytest
from tests.cases import check_each, each

import flopsheet
from flopsheet import record, records
from flopsheet.registry.store import sources
from flopsheet.units import in_unit, unit

DATACENTERS = list(records("datacenter"))
EXPECTED = {
    *("jean-zay", "jean-zay-p3", "joliot-curie", "leonardo", "lumi", "marenostrum5", "alps", "isambard-ai", "jupiter"),
    *("el-capitan", "frontier", "aurora", "summit", "sierra", "perlmutter", "polaris", "esif"),
    *(
        "selene",
        "eos",
        "eos-dfw",
        "colossus-1",
        "colossus-1-phase-2",
        "meta-24k-roce",
        "meta-24k-ib",
        "meta-rsc",
        "eagle",
    ),
    *("gpt4-des-moines", "goodyear", "google-oklahoma-v4", "google-georgia-v3", "rainier", "abilene"),
    *("tpu-v4-pod", "tpu-v5p-pod", "colossus-1-phase-2", "tuolumne", "venado", "cortex", "prince-george", "pegaso"),
    *(
        "fugaku",
        "abci-3",
        "abci-q",
        "tsubame4",
        "miyabi",
        "chie-4",
        "naver-sejong",
        "nhn-gwangju",
        "taipei-1",
        "ubilink",
    ),
    *("yotta-nm1", "reliance-jamnagar", "smc-singapore", "greennode-bangkok", "ytl-johor"),
    *("shaheen-3", "dammam-7", "aramco-groq", "humain-1", "stargate-uae", "israel-1"),
    *("hpc6", "juwels-booster", "gefion", "helios", "snellius", "hyperstack-honefoss", "nebius-mantsala"),
}
NOWHERE = {
    **dict.fromkeys(("eos", "meta-24k-roce", "meta-24k-ib", "eagle"), "its owner does not publish where it stands"),
    **dict.fromkeys(
        ("chie-2", "chie-3", "chie-4", "humain-1", "israel-1", "gefion"), "the source names its country only"
    ),
    **dict.fromkeys(("tpu-v4-pod", "tpu-v5p-pod"), "a pod as built in many places"),
}
NO_CHIP = {
    "fugaku": "no record of the A64FX",
    "marenostrum5": "no record of its H100 with 64 GB",
    "esif": "its source names no chips",
}
COUNTRIES = {
    "AE": ((22.5, 26.2), (51.0, 56.5)),
    "BR": ((-33.8, 5.3), (-74.0, -34.7)),
    "CA": ((41.6, 83.2), (-141.1, -52.6)),
    "DK": ((54.5, 57.8), (8.0, 15.2)),
    "IL": ((29.4, 33.4), (34.2, 35.9)),
    "IN": ((6.5, 35.7), (68.1, 97.5)),
    "JP": ((24.0, 45.6), (122.9, 146.0)),
    "KR": ((33.0, 38.7), (124.5, 131.0)),
    "MY": ((0.8, 7.4), (99.6, 119.3)),
    "NL": ((50.7, 53.6), (3.3, 7.3)),
    "NO": ((57.9, 71.3), (4.5, 31.2)),
    "PL": ((49.0, 54.9), (14.1, 24.2)),
    "SA": ((16.3, 32.2), (34.5, 55.7)),
    "SG": ((1.15, 1.48), (103.6, 104.1)),
    "TH": ((5.6, 20.5), (97.3, 105.7)),
    "TW": ((21.8, 25.4), (119.9, 122.1)),
    "CH": ((45.8, 47.9), (5.9, 10.5)),
    "DE": ((47.2, 55.1), (5.8, 15.1)),
    "ES": ((35.9, 43.9), (-9.4, 4.4)),
    "FI": ((59.7, 70.1), (20.5, 31.6)),
    "FR": ((41.3, 51.1), (-5.2, 9.6)),
    "GB": ((49.8, 60.9), (-8.7, 1.8)),
    "IT": ((35.4, 47.1), (6.6, 18.6)),
    "US": ((24.5, 49.4), (-124.8, -66.9)),
}
SITE_POWER_PER_CHIP = 200, 4000
PROCESSORS = {"fugaku": "built of processors, which draw less than 200 W"}
SANE = {
    "latitude": ("degree", -90, 90),
    "longitude": ("degree", -180, 180),
    "n_chips": ("", 100, 1_000_000),
    "power": ("MW", 0.01, 10_000),
    "measured_power": ("MW", 0.01, 100),
    "pue": ("", 1, 2),
    "grid_carbon": ("gram/kWh", 1, 1500),
    "energy_price": ("USD/kWh", 0.01, 1),
    "network.bandwidth": ("GB/s", 1, 100),
}

every_datacenter = each(DATACENTERS)


def distance(here: str, there: str) -> float:
    """Return the great-circle distance of two datacenters [km]."""
    answer = flopsheet.solve("site_latency", "distance", (f"here = {here}", f"there = {there}"))
    distance = answer.outcomes["distance"].si
    assert distance is not None
    return float(in_unit(distance, unit("km")))


def figure(name: str, field: str, shown: str) -> float | None:
    """Return a figure of a datacenter in a unit, or None where it has none."""
    value = record("datacenter", name, "test").values.get(field)
    return None if value is None else float(in_unit(value.quantity.si, unit(shown)))


def others(name: str) -> list[tuple[int, str]]:
    """Return number and key of the chips of a datacenter beside those of the main kind."""
    label = record("datacenter", name, "test").labels.get("other_chips", "")
    pairs = [entry.split(" ") for entry in label.split(", ") if entry]
    return [(int(number), key) for number, key in pairs]


def test_the_expected_datacenters_are_there() -> None:
    assert set(DATACENTERS) >= EXPECTED


@every_datacenter
def test_a_datacenter_lies_somewhere(name: str) -> None:
    coordinates = {"latitude", "longitude"} & set(record("datacenter", name, "test").values)
    assert len(coordinates) == (0 if name in NOWHERE else 2)


@every_datacenter
def test_it_lies_in_its_country(name: str) -> None:
    country = record("datacenter", name, "test").labels.get("country")
    assert country in COUNTRIES or name == "tpu-v5p-pod"
    if country and name not in NOWHERE:
        for field, (low, high) in zip(("latitude", "longitude"), COUNTRIES[country], strict=True):
            place = figure(name, field, "degree")
            assert place is not None
            assert low <= place <= high


@every_datacenter
def test_it_stands_in_the_country_of_its_grid(name: str) -> None:
    site = record("datacenter", name, "test")
    grid = site.references.get("grid")
    assert (grid is None) is (name == "tpu-v5p-pod")
    if grid is not None:
        assert record("grid", grid, "test").labels["country"] == site.labels["country"]


@every_datacenter
def test_it_knows_carbon_and_price_of_its_energy(name: str) -> None:
    site = record("datacenter", name, "test")
    assert {"grid_carbon", "energy_price"} <= set(site.values) or name == "tpu-v5p-pod"


@each([(("JP", "KR", "TW", "IN", "SG", "TH", "MY"), 15), (("SA", "AE", "IL"), 6)])
def test_no_region_lost_a_site(countries: tuple[str, ...], least: int) -> None:
    assert len(DATACENTERS) >= 70
    assert sum(site.labels.get("country") in countries for site in records("datacenter").values()) >= least


@every_datacenter
def test_it_names_its_chip_and_how_many(name: str) -> None:
    site = record("datacenter", name, "test")
    assert ("chip" in site.references) == (name not in NO_CHIP)
    assert ("n_chips" in site.values) == (name != "esif")


@every_datacenter
def test_its_other_chips_are_known(name: str) -> None:
    assert all(number > 0 and key in records("chip") for number, key in others(name))
    assert record("datacenter", name, "test").references.get("chip") not in {key for _, key in others(name)}


@each((name, field) for name in DATACENTERS for field in ("power", "measured_power"))
def test_power_fits_its_chips(name: str, field: str) -> None:
    chips, drawn = figure(name, "n_chips", ""), figure(name, field, "W")
    if chips is not None and drawn is not None:
        low, high = SITE_POWER_PER_CHIP
        low //= 2 if name in PROCESSORS else 1
        assert low <= drawn / (chips + sum(number for number, _ in others(name))) <= high


@every_datacenter
def test_it_drew_no_more_than_it_can(name: str) -> None:
    capacity, drawn = figure(name, "power", "MW"), figure(name, "measured_power", "MW")
    if capacity is not None and drawn is not None:
        assert drawn <= capacity


@every_datacenter
def test_figures_are_in_their_ranges(name: str) -> None:
    values = record("datacenter", name, "test").values

    def check(field: str) -> None:
        shown, low, high = SANE[field]
        assert field not in values or low <= in_unit(values[field].quantity.si, unit(shown)) <= high

    check_each(SANE, check)


@every_datacenter
def test_every_source_is_listed(name: str) -> None:
    site = record("datacenter", name, "test")
    assert site.source
    assert {*site.sources, *(key for value in site.values.values() for key in value.sources)} <= set(sources())


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
