"""Refused spellings of units: the message holds what was probably meant."""

from __future__ import annotations

import pytest

from flopsheet.errors import UnknownUnitError
from flopsheet.units import unit

REFUSED = [
    ("Gbps", ["'Gbit/s'", "'GB/s'"]),
    ("bps", ["'bit/s'", "'B/s'"]),
    ("Kbps", ["'kbit/s'", "'kB/s'"]),
    ("GBps", ["'GB/s'"]),
    ("gb", ["'GB'", "'Gbit'"]),
    ("Gb", ["'GB'", "'Gbit'"]),
    ("Mb", ["'MB'", "'Mbit'"]),
    ("mb", ["'MB'", "'Mbit'"]),
    ("Gib", ["'GiB'", "'Gibit'"]),
    ("b", ["'bit'", "'byte'"]),
    ("K", ["KiB", "kB"]),
    ("T", ["TB", "TFLOP"]),
    ("KB", ["'kB'", "'KiB'"]),
    ("kb", ["'kB'", "'kbit'"]),
    ("MIB", ["'MiB'"]),
    ("GBs", ["'GB'", "'GB/s'"]),
    ("KiBs", ["'KiB'"]),
    ("GB/sec", ["'s'"]),
    ("USD/hr", ["'h'"]),
    ("FLOPS", ["'FLOP/s'", "'FLOP'"]),
    ("FLOPs", ["'FLOP/s'", "'FLOP'"]),
    ("TFLOPS", ["'TFLOP/s'", "'TFLOP'"]),
    ("TFLOPs", ["'TFLOP/s'", "'TFLOP'"]),
    ("tflop/s", ["'TFLOP'"]),
    ("GFlop", ["'GFLOP'"]),
    ("TOPS", ["'TFLOP/s'"]),
    ("kchip", ["'chip'"]),
    ("GPU", ["'chip'"]),
    ("USD/hour/gpu", ["'chip'"]),
    ("seq", ["'sequence'"]),
    ("req/s", ["'request'"]),
    ("rps", ["'request/s'"]),
    ("QPS", ["'request/s'"]),
    ("tok/s", ["'token'"]),
    ("tps", ["'token/s'"]),
    ("$", ["'USD'"]),
    ("usd", ["'USD'"]),
    ("dollars", ["'USD'"]),
    ("parameters", ["'param'"]),
    ("m2", ["'m^2'"]),
    ("tokenz", ["'token'"]),
    ("gigabit/seconde", ["'second'"]),
]


@pytest.mark.parametrize(("text", "meant"), REFUSED)
def test_the_message_suggests_what_was_meant(text: str, meant: list[str]) -> None:
    with pytest.raises(UnknownUnitError, match=r"Did you mean|as in") as caught:
        unit(text)
    assert [spelling for spelling in meant if spelling not in caught.value.fix] == []


@pytest.mark.parametrize("text", ["xyz", "furlong", "gCO2", "é", "ΩΩΩ"])
def test_an_unknown_unit_without_a_neighbour_gets_examples(text: str) -> None:
    with pytest.raises(UnknownUnitError, match="Units look like GiB, GB/s"):
        unit(text)


@pytest.mark.parametrize("text", ["kilos", "chipss", "Whs", "USDs", "GiBs", "kgs", "Hzs"])
def test_plurals_of_symbols_and_mixed_forms_are_refused(text: str) -> None:
    with pytest.raises(UnknownUnitError, match=f"'{text}'"):
        unit(text)


@pytest.mark.parametrize("text", ["khour", "Mday", "kpercent", "Glayer", "kstep", "Msite", "kchips", "milliyear"])
def test_counts_and_calendar_units_take_no_prefix(text: str) -> None:
    with pytest.raises(UnknownUnitError, match=f"'{text}'"):
        unit(text)


def test_a_long_name_is_shortened_in_the_message() -> None:
    with pytest.raises(UnknownUnitError, match=r"'x{24}…' is not a unit"):
        unit("x" * 70)
