"""The built-in chips: key figures as published, and orders of magnitude that no chip breaks."""

from __future__ import annotations

import itertools

import pytest

from flopsheet import Quantity, quantity, record, records
from flopsheet.registry.store import sources

CHIPS = list(records("chip"))
EXPECTED = {
    "v100-sxm2-16gb": {"memory": "16 GiB", "memory_bandwidth": "900 GB/s", "flops.fp16": "125 TFLOP/s"},
    "a100-sxm4-40gb": {"memory": "40 GiB", "memory_bandwidth": "1.555 TB/s", "flops.bf16": "312 TFLOP/s"},
    "a100-sxm4-80gb": {"memory": "80 GiB", "memory_bandwidth": "2.039 TB/s", "flops.bf16": "312 TFLOP/s"},
    "h100-sxm": {"memory": "80 GiB", "memory_bandwidth": "3.35 TB/s", "flops.bf16": "989.4 TFLOP/s"},
    "h200-sxm": {"memory": "141 GiB", "memory_bandwidth": "4.8 TB/s", "flops.bf16": "989.4 TFLOP/s"},
    "tpu-v4": {"memory": "32 GiB", "memory_bandwidth": "1.2 TB/s", "flops.bf16": "275 TFLOP/s"},
    "tpu-v5e": {"memory": "16 GiB", "memory_bandwidth": "819 GB/s", "flops.bf16": "197 TFLOP/s"},
    "tpu-v5p": {"memory": "95 GiB", "memory_bandwidth": "2.765 TB/s", "flops.bf16": "459 TFLOP/s"},
}
LINKS_ONE_WAY = {
    "v100-sxm2-16gb": "150 GB/s",
    "a100-sxm4-40gb": "300 GB/s",
    "a100-sxm4-80gb": "300 GB/s",
    "h100-sxm": "450 GB/s",
    "h200-sxm": "450 GB/s",
    "tpu-v4": "270 GB/s",
    "tpu-v5e": "180 GB/s",
    "tpu-v5p": "540 GB/s",
}
FASTER = ("fp8", "bf16", "tf32", "fp32")
SANE = {
    "memory": ("8 GiB", "512 GiB"),
    "memory_bandwidth": ("300 GB/s", "20 TB/s"),
    "flops.bf16": ("50 TFLOP/s", "10 PFLOP/s"),
    "link.bandwidth": ("50 GB/s", "2 TB/s"),
    "power": ("75 W", "2 kW"),
    "link.domain": ("2", "10000"),
}


def figure(chip: str, name: str) -> Quantity:
    return record("chip", chip, "test").values[name].quantity


def test_the_expected_chips_are_there() -> None:
    assert set(EXPECTED) <= set(records("chip"))


@pytest.mark.parametrize(
    ("chip", "name", "text"), [(chip, name, text) for chip, row in EXPECTED.items() for name, text in row.items()]
)
def test_key_figures(chip: str, name: str, text: str) -> None:
    assert figure(chip, name).si == quantity(text).si


@pytest.mark.parametrize(("chip", "text"), LINKS_ONE_WAY.items())
def test_links_are_counted_one_way(chip: str, text: str) -> None:
    assert figure(chip, "link.bandwidth").si == quantity(text).si


@pytest.mark.parametrize(
    ("alias", "chip"),
    [("v100", "v100-sxm2-16gb"), ("a100", "a100-sxm4-80gb"), ("h100", "h100-sxm"), ("h200", "h200-sxm")],
)
def test_short_names(alias: str, chip: str) -> None:
    assert record("chip", alias, "test").key == chip


@pytest.mark.parametrize("chip", CHIPS)
def test_fewer_bits_are_never_slower(chip: str) -> None:
    values = record("chip", chip, "test").values
    rates = [values[f"flops.{name}"].quantity.si for name in FASTER if f"flops.{name}" in values]
    assert rates
    assert all(fast >= slow for fast, slow in itertools.pairwise(rates))


@pytest.mark.parametrize("chip", CHIPS)
def test_half_precisions_agree(chip: str) -> None:
    values = record("chip", chip, "test").values
    rates = {values[name].quantity.si for name in ("flops.bf16", "flops.fp16") if name in values}
    assert len(rates) == 1


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", SANE)
def test_orders_of_magnitude(chip: str, name: str) -> None:
    values = record("chip", chip, "test").values
    low, high = (quantity(text).si for text in SANE[name])
    assert name not in values or low <= values[name].quantity.si <= high


@pytest.mark.parametrize("chip", CHIPS)
def test_every_source_is_listed(chip: str) -> None:
    found = record("chip", chip, "test")
    named = {*found.sources, *(key for value in found.values.values() for key in value.sources)}
    assert named - set(sources()) == set()


@pytest.mark.parametrize("chip", CHIPS)
def test_a_record_says_what_it_is(chip: str) -> None:
    found = record("chip", chip, "test")
    assert found.name.startswith(f"{found.vendor} ")
    assert len(found.released) == len("2022-09-20")
    assert found.spot.line > 1


@pytest.mark.parametrize("chip", CHIPS)
def test_a_figure_that_nobody_verified_says_why(chip: str) -> None:
    values = record("chip", chip, "test").values
    assert [name for name, value in values.items() if not (value.verified or value.note)] == []
