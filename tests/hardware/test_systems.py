"""The built-in systems: key figures as published, and sums and bounds that tie a system to its chips."""

from __future__ import annotations

import math
import re

import pytest
from tests.cases import check_each, each
from tests.hardware.torus_sides import sides_of

from flopsheet import Quantity, quantity, record, records, solve
from flopsheet.registry.store import sources

SYSTEMS = list(records("system"))
EXPECTED = {
    "dgx-a100": {"n_chips": "8", "memory": "640 GiB", "network.bandwidth": "25 GB/s", "power": "6.5 kW"},
    "dgx-h100": {"n_chips": "8", "memory": "640 GiB", "network.bandwidth": "50 GB/s", "power": "10.2 kW"},
    "dgx-h200": {"n_chips": "8", "memory": "1128 GiB", "network.bandwidth": "50 GB/s"},
    "dgx-b200": {"n_chips": "8", "memory": "1440 GiB", "link.bandwidth": "900 GB/s", "power": "14.3 kW"},
    "gb200-nvl72": {"n_chips": "72", "link.domain": "72", "host.cpus": "36", "power": "120 kW"},
    "gb300-nvl72": {"n_chips": "72", "link.domain": "72", "network.bandwidth": "100 GB/s", "power": "142 kW"},
    "gh200-jupiter-node": {"n_chips": "4", "host.memory": "480 GB", "network.bandwidth": "25 GB/s"},
    "mi300x-platform": {"n_chips": "8", "memory": "1536 GiB", "link.bandwidth": "448 GB/s"},
    "tpu-v4-4096": {"n_chips": "4096", "link.dimensions": "3"},
    "tpu-v5e-pod": {"n_chips": "256", "link.dimensions": "2", "network.bandwidth": "25 Gbit/s"},
    "tpu-v5p-8960": {"n_chips": "8960", "network.bandwidth": "50 Gbit/s"},
    "tpu-v7x-pod": {"n_chips": "9216", "network.bandwidth": "100 Gbit/s"},
    "trn1-32xlarge": {"n_chips": "16", "memory": "512 GiB", "network.bandwidth": "50 Gbit/s"},
    "trn2-ultraserver": {"n_chips": "64", "memory": "6144 GiB", "host.memory": "8192 GiB"},
    "gaudi3-8": {"n_chips": "8", "network.bandwidth": "600 Gbit/s"},
    "cs-3": {"n_chips": "1", "power": "23 kW"},
    "vera-rubin-nvl72": {"n_chips": "72", "link.bandwidth": "1.8 TB/s", "host.cpus": "36", "power": "230 kW"},
    "cloudmatrix-384": {"n_chips": "384", "memory": "48 TiB", "power": "559 kW"},
    "helios": {"n_chips": "72", "link.domain": "72", "host.cpus": "18"},
    "p5-48xlarge": {"n_chips": "8", "network.bandwidth": "400 Gbit/s", "host.memory": "2048 GiB"},
    "p4d-24xlarge": {"memory": "320 GiB", "network.bandwidth": "50 Gbit/s", "host.memory": "1152 GiB"},
    "a3-megagpu-8g": {"memory": "640 GiB", "network.bandwidth": "200 Gbit/s"},
    "nd-h100-v5": {"memory": "640 GiB", "network.bandwidth": "400 Gbit/s", "host.memory": "1900 GiB"},
    "g6e-48xlarge": {"n_chips": "8", "link.domain": "8", "host.memory": "1536 GiB"},
    "dgx-spark": {"n_chips": "1", "memory": "128 GiB", "power": "240 W"},
}
SHORT_NAMES = {
    "dgx-a100-80gb": "dgx-a100",
    "nvl72": "gb200-nvl72",
    "v5e-256": "tpu-v5e-pod",
    "v5p-128": "tpu-v5p-4x4x4",
    "trn2-ultra": "trn2-ultraserver",
    "cs3": "cs-3",
    "p5.48xlarge": "p5-48xlarge",
    "standard_nd96isr_h100_v5": "nd-h100-v5",
}
OTHER_LINKS = {
    "tpu-v5e-2x4": "an open mesh: chips at the corners use two of four links",
    "tpu-v6e-2x4": "an open mesh: chips at the corners use two of four links",
    "trn1n-32xlarge": "twice the links of a trn1.32xlarge, which the chip's record describes",
    "trn2-48xlarge": "the links of the third axis leave the instance",
    "2x-rtx-3090": "a bridge joins the cards, which the chip's record only notes",
}
LARGER_DOMAINS = {"dgx-2": "the chip's record describes a board of eight"}
SANE = {
    "n_chips": ("1", "10000"),
    "memory": ("40 GB", "2.5 PB"),
    "link.bandwidth": ("16 GB/s", "2 TB/s"),
    "network.bandwidth": ("0.3 GB/s", "300 GB/s"),
    "network.ports": ("2", "100"),
    "host.bandwidth": ("16 GB/s", "500 GB/s"),
    "host.memory": ("250 GB", "50 TiB"),
    "host.cpus": ("1", "192"),
    "power": ("240 W", "10 MW"),
    "price": ("3000 USD", "5000000 USD"),
}
LARGEST_DOMAIN = 9600
WHOLE_WAFERS = {"cs-3": "its chip is a wafer of 23 kW"}

every_system = each(SYSTEMS)


def figure(system: str, name: str) -> Quantity | None:
    value = record("system", system, "test").values.get(name)
    return value.quantity if value else None


def size(system: str, name: str) -> float | None:
    """Return a figure in base units, if it is known."""
    value = figure(system, name)
    return None if value is None else float(value.si)


def known(system: str, name: str) -> float:
    """Return a figure in base units."""
    number = size(system, name)
    assert number is not None
    return number


def of_cards(system: str) -> bool:
    """Return whether the chips are cards without links, which the host bus or a cable joins."""
    return (
        record("chip", record("system", system, "test").references["chip"], "test").values["link.domain"].quantity.si
        <= 2
    )


def test_the_expected_systems_are_there() -> None:
    assert set(EXPECTED) <= set(SYSTEMS)


def test_the_catalogue_covers_what_people_use() -> None:
    assert len(SYSTEMS) >= 70


@each([(system, name, text) for system, row in EXPECTED.items() for name, text in row.items()])
def test_key_figures(system: str, name: str, text: str) -> None:
    value = figure(system, name)
    assert value is not None
    assert value.si == quantity(text).si


@each(SHORT_NAMES.items())
def test_short_names(alias: str, system: str) -> None:
    assert record("system", alias, "test").key == system


def test_no_name_means_a_chip_and_a_system() -> None:
    chips, systems = (
        {name for machine in records(kind).values() for name in (machine.key, *machine.aliases)}
        for kind in ("chip", "system")
    )
    assert chips & systems == set()


@every_system
def test_the_memory_is_that_of_its_chips(system: str) -> None:
    assert known(system, "memory") == known(system, "n_chips") * known(system, "chip.memory")


@every_system
def test_the_links_are_those_of_its_chips(system: str) -> None:
    here, there = size(system, "link.bandwidth"), size(system, "chip.link.bandwidth")
    if here is not None:
        assert (here != there) is (system in OTHER_LINKS)


@every_system
def test_one_domain_holds_the_whole(system: str) -> None:
    domain = size(system, "link.domain")
    if domain is not None:
        assert domain == known(system, "n_chips") <= LARGEST_DOMAIN
        assert of_cards(system) or (domain > known(system, "chip.link.domain")) is (system in LARGER_DOMAINS)


@every_system
def test_the_sides_of_a_torus_make_its_chips(system: str) -> None:
    topology = record("system", system, "test").labels.get("link.topology", "")
    sides = re.search(r"\b(\d)D (?:torus|mesh)(?: (\d+(?:x\d+)+))?", topology)
    assert (sides is None) is (size(system, "link.dimensions") is None)
    if sides:
        assert known(system, "link.dimensions") == int(sides[1])
    if sides and sides[2]:
        lengths = [int(side) for side in sides[2].split("x")]
        assert (len(lengths), math.prod(lengths)) == (int(sides[1]), known(system, "n_chips"))
        assert sides_of("system", system) == sorted(lengths, reverse=True)
    else:
        assert sides_of("system", system) == []


@every_system
def test_the_whole_draws_what_its_chips_draw_and_not_much_more(system: str) -> None:
    whole, chip = size(system, "power"), size(system, "chip.power")
    if whole is not None and chip is not None:
        assert 1 <= whole / (known(system, "n_chips") * chip) <= 2.1


@every_system
def test_the_share_of_a_chip_in_the_power_is_that_of_a_chip(system: str) -> None:
    whole = size(system, "power")
    if whole is not None:
        assert (200 <= whole / known(system, "n_chips") <= 3500) is (system not in WHOLE_WAFERS)


@every_system
def test_the_network_is_slower_than_the_links(system: str) -> None:
    inside, outside = size(system, "link.bandwidth"), size(system, "network.bandwidth")
    if inside is not None and outside is not None:
        assert outside < (inside if of_cards(system) else inside / 4)


@every_system
def test_orders_of_magnitude(system: str) -> None:
    def check(name: str) -> None:
        value = size(system, name)
        low, high = (float(quantity(text).si) for text in SANE[name])
        assert value is None or low <= value <= high

    check_each(SANE, check)


@every_system
def test_every_source_is_listed(system: str) -> None:
    machine = record("system", system, "test")
    assert machine.source
    assert {*machine.sources, *(key for value in machine.values.values() for key in value.sources)} <= set(sources())


@every_system
def test_a_record_says_what_it_is(system: str) -> None:
    machine = record("system", system, "test")
    assert machine.name.startswith(f"{machine.vendor} ")
    assert machine.references["chip"] in records("chip")


@every_system
def test_a_figure_that_nobody_verified_says_why(system: str) -> None:
    values = record("system", system, "test").values
    assert [name for name, value in values.items() if not (value.verified or value.note)] == []


WITH_SERVERS = [name for name, chip in records("chip").items() if "server_power" in chip.values]


@pytest.mark.parametrize("chip", WITH_SERVERS)
def test_a_chip_has_the_share_of_its_server(chip: str) -> None:
    """Named alone it takes as much as in the largest system that it comes in, to the digits printed."""
    figures = records("chip")[chip].values
    systems = [each.values for each in records("system").values() if each.references["chip"] == chip]
    largest = max((each for each in systems if "power" in each), key=lambda each: each["n_chips"].si)
    answer = solve("chip_power", (), [f"chip = {chip}"]).cells["power_per_chip"]
    assert answer.si == figures["server_power"].si
    share = float(largest["power"].si / largest["n_chips"].si)
    assert float(figures["server_power"].si) == pytest.approx(share, abs=0.5)


def test_racks_are_no_servers_of_eight() -> None:
    racks = {each.references["chip"] for each in records("system").values() if each.values["n_chips"].si >= 64}
    known = {name for name in racks if "power" in records("chip")[name].values}
    powered = {each.references["chip"] for each in records("system").values() if "power" in each.values}
    assert known & powered <= {*WITH_SERVERS}
