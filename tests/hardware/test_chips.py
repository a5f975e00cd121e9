"""The built-in chips: key figures as published, and orders of magnitude that no chip breaks."""

from __future__ import annotations

import itertools
import re

import pytest
from tests.cases import check_each, each
from tests.hardware.chip_figures import (
    BANDWIDTHS,
    CUT,
    EXPECTED,
    FASTER,
    HALF_RATE,
    HALVES_APART,
    LINK_RATES,
    LINKS_ONE_WAY,
    NO_HALVES,
    ON_CHIP,
    OTHER_FP4,
    OTHER_FP8,
    RATIOS,
    SANE,
    SHORT_NAMES,
    SLOW_INTEGERS,
    SPECIAL_RATIOS,
    SPECIAL_SANE,
)
from tests.hardware.torus_sides import sides_of

from flopsheet import Quantity, quantity, record, records
from flopsheet.registry.store import sources

CHIPS = list(records("chip"))

CARD = re.compile("GeForce|^NVIDIA RTX|^NVIDIA (T4|A2|A30|A40|L20|L40) ")  # records that name their clock

BITS = ("flops.fp8", "flops.bf16", OTHER_FP8), ("flops.fp4", "flops.fp8", OTHER_FP4)

every_chip = each(CHIPS)


def figure(chip: str, name: str) -> Quantity:
    return record("chip", chip, "test").values[name].quantity


def size(chip: str, name: str) -> float | None:
    """Return a figure in base units; `flops` is the best rate of a 16-bit format, or fp32 where there is none."""
    values = record("chip", chip, "test").values
    names = ["flops.bf16", "flops.fp16", "flops.fp32"] if name == "flops" else [name]
    figures = [float(values[name].quantity.si) for name in names if name in values]
    return figures[0] if figures else None


def groups(chip: str) -> list[str]:
    """Return what is special about a chip: memory on the chip, a card without links, memory that a processor shares."""
    chip_record = record("chip", chip, "test")
    features = {
        "on chip": chip in ON_CHIP,
        "card": chip_record.labels.get("link.name", "").startswith("PCIe"),
        "shared": chip_record.labels["memory_type"].startswith("LPDDR"),
    }
    return [name for name, is_so in features.items() if is_so]


def test_the_expected_chips_are_there() -> None:
    assert set(EXPECTED) <= set(records("chip"))


def test_the_catalogue_covers_what_people_use() -> None:
    assert len(CHIPS) >= 120


@each(
    [
        ("NVIDIA", 60),
        ("AMD", 15),
        ("Google", 9),
        ("AWS", 4),
        ("Intel", 5),
        ("Groq", 1),
        ("Cerebras", 1),
        ("Apple", 18),
        ("Huawei", 4),
        ("Microsoft", 2),
    ],
)
def test_no_vendor_lost_a_chip(vendor: str, least: int) -> None:
    assert sum(chip_record.vendor == vendor for chip_record in records("chip").values()) >= least


@each([(chip, name, text) for chip, row in EXPECTED.items() for name, text in row.items()])
def test_key_figures(chip: str, name: str, text: str) -> None:
    assert figure(chip, name).si == quantity(text).si


@each(LINKS_ONE_WAY.items())
def test_links_are_counted_one_way(chip: str, text: str) -> None:
    assert figure(chip, "link.bandwidth").si == quantity(text).si


@every_chip
def test_links_share_the_bandwidth(chip: str) -> None:
    chip_record = record("chip", chip, "test")
    rate = LINK_RATES.get(chip_record.labels.get("link.name", ""))
    if rate is None or "link.links" not in chip_record.values:
        return
    assert figure(chip, "link.bandwidth").si == quantity(rate).si * figure(chip, "link.links").si


@every_chip
def test_the_topology_says_how_many_dimensions_a_torus_has(chip: str) -> None:
    chip_record = record("chip", chip, "test")
    values, topology = chip_record.values, chip_record.labels.get("link.topology", "")
    torus = re.match(r"(\d)D torus(?: (\d+(?:x\d+)+))?", topology)
    dimensions = 1 if topology == "ring" else int(torus[1]) if torus else None
    assert ("link.dimensions" in values) is (dimensions is not None)
    if dimensions is not None:
        assert figure(chip, "link.dimensions").si == dimensions
    if dimensions is not None and "link.links" in values:
        assert figure(chip, "link.links").si == 2 * dimensions
    assert sides_of("chip", chip) == (sorted(map(int, torus[2].split("x")), reverse=True) if torus and torus[2] else [])


@each(SHORT_NAMES.items())
def test_short_names(alias: str, chip: str) -> None:
    assert record("chip", alias, "test").key == chip


@every_chip
def test_fewer_bits_are_never_slower(chip: str) -> None:
    values = record("chip", chip, "test").values
    rates = [values[f"flops.{name}"].quantity.si for name in FASTER if f"flops.{name}" in values]
    assert rates or "flops.fp16" in values
    assert all(fast >= slow for fast, slow in itertools.pairwise(rates))


@every_chip
def test_half_precisions_agree(chip: str) -> None:
    values = record("chip", chip, "test").values
    rates = {values[name].quantity.si for name in ("flops.bf16", "flops.fp16") if name in values}
    assert len(rates) == (0 if chip in NO_HALVES else 2 if chip in HALVES_APART else 1)


@every_chip
def test_integers_are_no_slower_than_half_precision(chip: str) -> None:
    values = record("chip", chip, "test").values
    if "flops.int8" in values:
        half = values.get("flops.bf16") or values["flops.fp16"]
        assert (values["flops.int8"].quantity.si < half.quantity.si) is (chip in SLOW_INTEGERS)


@each((chip, *row) for chip in CHIPS for row in BITS)
def test_half_the_bits_double_the_rate(chip: str, fast: str, slow: str, others: dict[str, tuple[float, str]]) -> None:
    values = record("chip", chip, "test").values
    if fast in values and slow in values:
        times = float(values[fast].quantity.si / values[slow].quantity.si)
        assert times == pytest.approx(others.get(chip, (2, ""))[0], rel=2e-3)


@each(["h100-sxm", "h200-sxm"])
def test_rates_are_dense(chip: str) -> None:
    by_cores = figure(chip, "cores").si * figure(chip, "clock").si * 4 * 1024
    assert float(figure(chip, "flops.bf16").si) == pytest.approx(float(by_cores), rel=1e-4)


@each([chip for chip in CHIPS if CARD.search(record("chip", chip, "test").name)])
def test_rates_of_cards_are_cores_times_clock(chip: str) -> None:
    values = record("chip", chip, "test").values
    each = 512 if "GeForce" in record("chip", chip, "test").name or chip in HALF_RATE else 1024
    rate = values.get("flops.bf16") or values["flops.fp16"]
    cores = figure(chip, "cores").si * figure(chip, "clock").si
    assert float(rate.quantity.si / cores) == pytest.approx(each * 2 if chip == "a30-24gb" else each, rel=1e-3)


@every_chip
def test_fp16_accumulation_doubles_the_rate_of_cards_that_halve_fp32(chip: str) -> None:
    values = record("chip", chip, "test").values
    halves = chip in HALF_RATE or "GeForce" in record("chip", chip, "test").name
    assert ("flops_acc16.fp16" in values) is halves
    for name in ("fp16", "fp8"):
        if f"flops_acc16.{name}" in values:
            times = values[f"flops_acc16.{name}"].quantity.si / values[f"flops.{name}"].quantity.si
            assert float(times) == pytest.approx(2, rel=1e-3)


@every_chip
def test_software_gets_a_little_less_than_the_nominal_memory(chip: str) -> None:
    memory = record("chip", chip, "test").values["memory"]
    if memory.usable:
        assert 0.89 < memory.usable.quantity.si / memory.quantity.si <= 1


@every_chip
def test_measured_rates_are_below_the_peak(chip: str) -> None:
    values = record("chip", chip, "test").values
    figures = [value for name, value in values.items() if name.startswith("flops") and value.measured]
    assert [value for value in figures if value.measured and value.measured.quantity.si > value.quantity.si] == []


@every_chip
def test_memory_bandwidth_fits_the_type_of_memory(chip: str) -> None:
    low, high = BANDWIDTHS[record("chip", chip, "test").labels["memory_type"]]
    assert quantity(low).si <= figure(chip, "memory_bandwidth").si <= quantity(high).si


@every_chip
def test_memory_is_between_the_label_in_gb_and_in_gib(chip: str) -> None:
    label = re.search(r" (\d+)GB$", record("chip", chip, "test").name)
    if label:
        assert int(label[1]) * 10**9 <= figure(chip, "memory").si <= int(label[1]) * 2**30


@every_chip
def test_orders_of_magnitude(chip: str) -> None:
    bounds = dict(SANE)
    for group in groups(chip):
        bounds |= SPECIAL_SANE[group]

    def check(name: str) -> None:
        value = size(chip, name)
        low, high = (quantity(text).si for text in bounds[name])
        assert value is None or low <= value <= high

    check_each(SANE, check)


@every_chip
def test_figures_fit_each_other(chip: str) -> None:
    bounds = dict(RATIOS)
    for group in groups(chip):
        bounds |= SPECIAL_RATIOS[group]

    def check(pair: tuple[str, str]) -> None:
        most, least = (size(chip, name) for name in pair)
        if most is not None and least is not None:
            low, high = bounds[pair]
            low = low / 2 if chip in CUT and pair == ("flops", "memory_bandwidth") else low
            assert low <= most / least <= high

    check_each(RATIOS, check)


@every_chip
def test_every_source_is_listed(chip: str) -> None:
    chip_record = record("chip", chip, "test")
    named = {*chip_record.sources, *(key for value in chip_record.values.values() for key in value.sources)}
    assert named - set(sources()) == set()


@every_chip
def test_a_record_says_what_it_is(chip: str) -> None:
    chip_record = record("chip", chip, "test")
    assert chip_record.name.startswith(f"{chip_record.vendor} ")
    assert len(chip_record.released) == len("2022-09-20") or "nobody read" in chip_record.note
    assert chip_record.spot.line > 1
    assert chip_record.labels["memory_type"]


@every_chip
def test_a_figure_that_nobody_verified_says_why(chip: str) -> None:
    values = record("chip", chip, "test").values
    assert [name for name, value in values.items() if not (value.verified or value.note)] == []
