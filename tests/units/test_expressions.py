"""Unit expressions: accepted spellings with their exact size, and what is no unit expression at all."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from tests.pace import at_most

import flopsheet
from flopsheet.errors import UnknownUnitError
from flopsheet.units import base_unit, is_unit_name, pint_registry, unit
from flopsheet.units.system import UNIT_FILE, unit_system

ACCEPTED = [
    ("", 1, "a pure number"),
    ("byte", 1, "information"),
    ("bytes", 1, "information"),
    ("B", 1, "information"),
    ("kB", 10**3, "information"),
    ("MB", 10**6, "information"),
    ("GB", 10**9, "information"),
    ("gigabyte", 10**9, "information"),
    ("gigabytes", 10**9, "information"),
    ("TB", 10**12, "information"),
    ("KiB", 2**10, "information"),
    ("MiB", 2**20, "information"),
    ("GiB", 2**30, "information"),
    ("gibibytes", 2**30, "information"),
    ("TiB", 2**40, "information"),
    ("PiB", 2**50, "information"),
    ("bit", Fraction(1, 8), "information"),
    ("Gbit", 125_000_000, "information"),
    ("Gibit", 2**27, "information"),
    ("GB/s", 10**9, "information / time"),
    ("Gbit/s", 125_000_000, "information / time"),
    ("GB/second", 10**9, "information / time"),
    ("FLOP", 1, "computation"),
    ("TFLOP/s", 10**12, "computation / time"),
    ("YFLOP", 10**24, "computation"),
    ("PFLOP/s-day", 86_400 * 10**15, "computation"),
    ("petaFLOP/s-days", 86_400 * 10**15, "computation"),
    ("EFLOP/s-hours", 3600 * 10**18, "computation"),
    ("FLOP/byte", 1, "computation / information"),
    ("FLOP/param/token", 1, "computation / parameter / token"),
    ("token", 1, "token"),
    ("tokens", 1, "token"),
    ("Mtoken", 10**6, "token"),
    ("params", 1, "parameter"),
    ("byte/param", 1, "information / parameter"),
    ("s", 1, "time"),
    ("ms", Fraction(1, 1000), "time"),
    ("us", Fraction(1, 10**6), "time"),
    ("µs", Fraction(1, 10**6), "time"),
    ("min", 60, "time"),
    ("hours", 3600, "time"),
    ("d", 86_400, "time"),
    ("week", 604_800, "time"),
    ("year", 31_557_600, "time"),
    ("month", 2_629_800, "time"),
    ("Hz", 1, "1 / time"),
    ("1/s", 1, "1 / time"),
    ("W", 1, "power"),
    ("MW", 10**6, "power"),
    ("J", 1, "power time"),
    ("kWh", 3_600_000, "power time"),
    ("W*h", 3600, "power time"),
    ("USD", 1, "currency"),
    ("USD/hour/chip", Fraction(1, 3600), "currency / time"),
    ("USD/kWh", Fraction(1, 3_600_000), "currency / power / time"),
    ("%", Fraction(1, 100), "a pure number"),
    ("percent", Fraction(1, 100), "a pure number"),
    ("chip", 1, "a pure number"),
    ("chips", 1, "a pure number"),
    ("m^2", 1, "length^2"),
    ("m**2", 1, "length^2"),
    ("km^-2", Fraction(1, 10**6), "1 / length^2"),
    ("kg", 1000, "mass"),
    ("tonne", 10**6, "mass"),
    ("°", 1, "angle"),
    ("GB * s", 10**9, "information time"),
    ("GB·s", 10**9, "information time"),
    ("  GB / s  ", 10**9, "information / time"),
]
NO_EXPRESSIONS = [
    *("1", "2/s", "s/1", "/s", "GB/", "GB*", "GB s", "GB//s", "GB*/s", "(GB)", "m^", "m^x", "m^1.5", "GB;", "GB\0"),
    *("USD/chip-hour", "GB-s", "GB/s-day", "PFLOP/s-", "PFLOP/s -day", "PFLOP/s-token", "PFLOP/s-2 day"),
    *("__import__('os')", "9**9**9", "m**9**9", "-GB", "²", "GB\n+ s"),
]


@pytest.mark.parametrize(("text", "factor", "dimension"), ACCEPTED)
def test_accepted_spellings_have_exact_size_and_dimension(text: str, factor: Fraction, dimension: str) -> None:
    result = unit(text)
    assert result.factor == factor
    assert isinstance(result.factor, Fraction)
    assert str(result.dimension) == dimension


@pytest.mark.parametrize("text", [text for text, *_ in ACCEPTED if "^" not in text and "**" not in text])
def test_pint_gives_the_same_size(text: str) -> None:
    root = pint_registry().Quantity(Fraction(1), unit(text).pint()).to_root_units()
    assert root.magnitude == unit(text).factor


def _every_name() -> list[str]:
    """Return each unit of the file with each prefix, singular and plural, also those that are refused."""
    system = unit_system()
    return [prefix + name + end for prefix in system.prefixes for name in system.names for end in ("", "s")]


def test_pint_reads_every_name_as_we_do() -> None:
    registry, accepted = pint_registry(), {name for name in _every_name() if is_unit_name(name)}
    assert len(accepted) > 1000
    for name in accepted - {"%"}:
        factor, base = registry.get_root_units(name)
        dimension = {key.strip("[]"): power for key, power in base.dimensionality.items()}
        assert (unit(name).factor, dict(unit(name).dimension.powers)) == (factor, dimension), name


@pytest.mark.parametrize(
    ("text", "known"),
    [
        *(("bytes", True), ("gigabytes", True), ("milliseconds", True), ("watt_hours", True), ("kilometre", True)),
        *(("GBs", False), ("Bs", False), ("kilob", False), ("gigaB", False), ("kchips", False), ("Mtokens", False)),
        *(("kilochips", False), ("milliyears", False), ("millibytes", False), ("mB", False), ("mbyte", False)),
    ],
)
def test_prefixes_and_plurals_go_with_long_names(text: str, known: bool) -> None:
    assert is_unit_name(text) is known


@pytest.mark.parametrize("text", NO_EXPRESSIONS)
def test_what_is_no_unit_expression_is_refused(text: str) -> None:
    with pytest.raises(UnknownUnitError):
        unit(text)


@pytest.mark.parametrize("text", ["m^99", "m^-99", "m**10", "GB/s^1000000000"])
def test_large_exponents_are_refused(text: str) -> None:
    with pytest.raises(UnknownUnitError, match="exponent"):
        unit(text)


@pytest.mark.parametrize("text", ["x" * 100_000, "GB*" * 40_000 + "GB", "Gi" * 50_000, "m^" + "9" * 100_000])
def test_long_texts_are_refused_at_once_and_not_repeated(text: str) -> None:
    with at_most(0.5), pytest.raises(UnknownUnitError) as caught:
        unit(text)
    assert len(str(caught.value)) < 300


def test_the_error_names_the_place() -> None:
    with pytest.raises(UnknownUnitError, match=r"^chips\.yaml:3: "):
        unit("xyz", "chips.yaml:3")


def test_a_unit_prints_as_written() -> None:
    assert str(unit(" USD/hour/chip ")) == "USD/hour/chip"


@pytest.mark.parametrize(
    ("name", "known"), [("GB", True), ("tokens", True), ("%", True), ("step_time", False), ("GB/s", False), ("", False)]
)
def test_is_unit_name(name: str, known: bool) -> None:
    assert is_unit_name(name) is known


def test_every_base_dimension_has_a_base_unit() -> None:
    lines = UNIT_FILE.read_text(encoding="utf-8").splitlines()
    named = {line.split(" = ")[0] for line in lines if re.search(r"^\w+ = \[\w+\]", line)}
    assert named == set(unit_system().base_units.values())


@pytest.mark.parametrize("text", ["byte/second", "FLOP/token/param", "1/second", "USD/second/watt", "metre^2", ""])
def test_base_units(text: str) -> None:
    result = base_unit(unit(text).dimension)
    assert (result.dimension, result.factor) == (unit(text).dimension, Fraction(1))


def test_a_root_of_a_dimension_has_a_base_unit_too() -> None:
    root = unit("byte").dimension ** Fraction(1, 2)
    assert (base_unit(root).text, base_unit(root).dimension) == ("byte^(1/2)", root)


def test_units_are_equal_that_are_spelled_alike() -> None:
    before = unit("GB/s")
    flopsheet.reload()
    after = unit("  GB/s ")
    assert after is not before
    assert after == before
    assert hash(after) == hash(before)
    assert unit("GB/s") != unit("MB/s")
    assert unit("GB/s") != "GB/s"
