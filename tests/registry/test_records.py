"""Records: figures with place and source, and each rule that a file can break."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flopsheet.errors import FlopsheetError, Place, RegistryError, UnknownNameError
from flopsheet.registry.kinds import Chip
from flopsheet.registry.reading import read_records
from flopsheet.registry.records import BASES, Record, fields
from flopsheet.registry.strict_yaml import parse

HEAD = "x1:\n  name: X One\n  vendor: V\n  source: paper\n"
FIGURES = "  memory: 80 GiB\n  memory_bandwidth: 1 TB/s\n  flops: {bf16: 1 TFLOP/s}\n"
WHOLE = HEAD + FIGURES


def records_of(text: str) -> list[Record]:
    return read_records(parse(text, "f.yaml"), Chip)


def test_a_record_holds_its_figures_with_place_and_source() -> None:
    extra = (
        "  released: 2022-09-20\n  aliases: [x, one]\n  note: N\n"
        "  link: {name: Net, bandwidth: {value: 90 GB/s, source: book, note: one way, verified: false}, domain: 8}\n"
    )
    (result,) = records_of(WHOLE + extra)
    assert (result.key, result.kind, result.name, result.vendor, result.released) == (
        "x1",
        "chip",
        "X One",
        "V",
        "2022-09-20",
    )
    assert (result.aliases, result.note, result.labels) == (("x", "one"), "N", {"link.name": "Net"})
    assert list(result.values) == ["memory", "memory_bandwidth", "flops.bf16", "link.bandwidth", "link.domain"]
    memory, link = result.values["memory"], result.values["link.bandwidth"]
    assert (memory.quantity.si, memory.source, memory.verified, memory.note) == (80 * 2**30, "paper", True, "")
    assert (link.quantity.si, link.source, link.verified, link.note) == (90 * 10**9, "book", False, "one way")
    assert (memory.spot, result.spot) == (Place("f.yaml", 5, 11), Place("f.yaml", 2, 3))


def test_records_are_in_the_order_of_the_file() -> None:
    assert [record.key for record in records_of(WHOLE + WHOLE.replace("x1", "a1"))] == ["x1", "a1"]


@pytest.mark.parametrize("key", ["name", "vendor", "source", "memory", "memory_bandwidth", "flops"])
def test_required_keys(key: str) -> None:
    lines = [line for line in WHOLE.splitlines() if not line.startswith(f"  {key}:")]
    with pytest.raises(
        RegistryError, match=rf"f\.yaml:2:3, key 'x1': The key '{key}' is missing\. Add '{key}: \.\.\.'"
    ):
        records_of("\n".join(lines))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("powr: 700 W", "f.yaml:8:3, key 'x1.powr': There is no such key. Did you mean 'power'?"),
        ("power: 700", "f.yaml:8:10, key 'x1.power': '700' has no unit, but power is needed. Write it in W"),
        ("power: 700 Wh", "key 'x1.power': '700 Wh' is power time, but power is needed."),
        ("power: 0 W", "key 'x1.power': '0 W' is not positive."),
        ("power: -5 W", "key 'x1.power': '-5 W' is not positive."),
        ("power: [700 W]", "f.yaml:8:10, key 'x1.power': Expected a quantity."),
        ("power:", "key 'x1.power': Expected a quantity."),
        ("power: {note: x}", "f.yaml:8:10, key 'x1.power': The key 'value' is missing."),
        (
            "power: {value: 5 W, verifed: true}",
            "f.yaml:8:23, key 'x1.power.verifed': There is no such key. Did you mean",
        ),
        ("power: {value: 5 W, verified: maybe}", "key 'x1.power.verified': 'maybe' is neither true nor false."),
        ("power: {value: {value: 5 W}}", "key 'x1.power.value': Expected a quantity."),
        ("link: 450 GB/s", "f.yaml:8:9, key 'x1.link': Expected a mapping."),
        ("link: {nam: x}", "f.yaml:8:10, key 'x1.link.nam': There is no such key. Did you mean 'name'?"),
        ("link: {domain: 8.5}", "key 'x1.link.domain': '8.5' is not a positive whole number."),
        ("link: {domain: 0}", "key 'x1.link.domain': '0' is not a positive whole number."),
        ("link: {domain: 8 GB}", "key 'x1.link.domain': '8 GB' is information, but a pure number is needed."),
        ("released: last year", "f.yaml:8:13, key 'x1.released': 'last year' is not a date."),
        ("aliases: {a: b}", "key 'x1.aliases': Expected a text."),
        ("aliases: ['']", "key 'x1.aliases': Expected a text."),
        ("aliases: [x, Not A Name]", "f.yaml:8:12, key 'x1.aliases', alias 'Not A Name': This cannot be the name of"),
        ("aliases: ../../x", "key 'x1.aliases', alias '../../x': This cannot be the name of a record."),
        ("note: ~", "f.yaml:8:9, key 'x1.note': Expected a text."),
        ("power: {value: 5 W, source: null}", "key 'x1.power.source': Expected a text."),
        ("power: {value: 5 W, source: [s, Null]}", "key 'x1.power.source': Expected a text."),
        ("cores: 5 %", "key 'x1.cores': '5 %' is not a positive whole number."),
        ("cores: 1/2", "key 'x1.cores': '0.5' is not a positive whole number."),
        ("link: {domain: 12.5 %}", "key 'x1.link.domain': '12.5 %' is not a positive whole number."),
        ("power: {value: 5 W, measured: 4 W}", "f.yaml:8:33, key 'x1.power.measured': A measured value needs its"),
        (
            "power: {value: 5 W, measured: {value: 4 W}}",
            "x1.power.measured': A measured value needs its condition.",
        ),
        (
            "power: {value: 5 W, measured: {value: 4 W, condition: ''}}",
            "measured.condition': Expected a text.",
        ),
        ("power: {value: 5 W, measured: {condition: x}}", "key 'x1.power.measured': The key 'value' is missing."),
        ("power: {value: 5 W, usable: 4 GB}", "f.yaml:8:31, key 'x1.power.usable': '4 GB' is information, but power"),
        ("power: {value: 5 W, usable: {value: 0 W}}", "f.yaml:8:31, key 'x1.power.usable': '0 W' is not positive."),
        ("power: {value: 5 W, usable: {value: 4 W, label: x}}", "key 'x1.power.usable.label': There is no such key."),
        ("power: {value: 5 W, sparse: 10 W}", "key 'x1.power.sparse': There is no such key."),
        ("power: {value: 5 W, read: today}", "key 'x1.power.read': 'today' is not a date."),
        ("power: {value: 5 W, condition: cold}", "key 'x1.power.condition': There is no such key."),
        ("cores: {value: 5, usable: 4}", "key 'x1.cores.usable': There is no such key."),
        ("name: again", "f.yaml:8:3: The key 'name' is also in line 2."),
    ],
)
def test_mistakes_name_the_place_and_the_fix(line: str, message: str) -> None:
    with pytest.raises(FlopsheetError) as caught:
        records_of(f"{WHOLE}  {line}\n")
    assert message in str(caught.value)


def test_a_chip_without_any_rate_is_refused() -> None:
    with pytest.raises(RegistryError, match=r"x1\.flops"):
        records_of(WHOLE.replace("{bf16: 1 TFLOP/s}", "{}"))


MEASURED = "{value: 600 GFLOP/s, condition: by a loop, source: run, read: 2026-02-03}"
RATE = f"{{value: 1 TFLOP/s, label: 2 TFLOPS sparse, sparse: 2 TFLOP/s, usable: 900 GFLOP/s, measured: {MEASURED}}}"
ON_BASES = WHOLE.replace("bf16: 1 TFLOP/s", f"bf16: {RATE}")


def test_a_figure_has_other_bases() -> None:
    rate = records_of(ON_BASES)[0].values["flops.bf16"]
    assert (rate.text, rate.label, rate.basis, rate.read) == ("1 TFLOP/s", "2 TFLOPS sparse", "nominal", "")
    usable, measured, sparse = rate.others
    assert [value.basis for value in rate.others] == ["usable", "measured", "sparse"]
    assert (usable.si, usable.source, usable.verified) == (9 * 10**11, "paper", True)
    assert (measured.si, measured.source, measured.condition) == (6 * 10**11, "run", "by a loop")
    assert (measured.read, measured.spot.line) == ("2026-02-03", 7)
    assert (sparse.si, sparse.text) == (2 * 10**12, "2 TFLOP/s")


@pytest.mark.parametrize(
    ("inner", "verified", "read"),
    [("usable: 8 W", False, "2025-01-01"), ("usable: {value: 8 W, source: book}", True, "")],
)
def test_a_value_without_a_source_is_as_verified_as_its_figure(inner: str, verified: bool, read: str) -> None:
    figure = f"  power: {{value: 9 W, verified: false, read: 2025-01-01, {inner}}}\n"
    usable = records_of(WHOLE + figure)[0].values["power"].usable
    assert usable is not None
    assert (usable.verified, usable.read) == (verified, read)


@pytest.mark.parametrize(("figures", "rate"), [("nominal", 10**12), ("usable", 9 * 10**11), ("measured", 6 * 10**11)])
def test_a_record_on_a_basis(figures: str, rate: int) -> None:
    base = records_of(ON_BASES)[0]
    chip = replace(base, values={name: value._replace(record="base") for name, value in base.values.items()})
    values = chip.at(figures).values
    assert (values["flops.bf16"].si, values["flops.bf16"].basis) == (rate, figures)
    assert (values["memory"].si, values["memory"].basis) == (80 * 2**30, "nominal")
    assert {value.record for value in values.values()} == {"base"}


def test_the_best_basis_up_to_the_wanted_one_counts() -> None:
    chip = records_of(f"{WHOLE}  power: {{value: 9 W, usable: 8 W}}\n")[0]
    assert [str(chip.at(figures).values["power"].quantity) for figures in BASES] == ["9 W", "8 W", "8 W"]
    with pytest.raises(UnknownNameError, match=r"There is no basis of figures 'mesured'\. Did you mean 'measured'"):
        chip.at("mesured")


@pytest.mark.parametrize(("text", "place"), [("- a", "f.yaml:1:1"), ("x1: 5", "f.yaml:1:5, key 'x1'")])
def test_a_file_is_a_mapping_of_mappings(text: str, place: str) -> None:
    with pytest.raises(RegistryError, match="Expected a mapping") as caught:
        records_of(text)
    assert caught.value.where == place


def test_fields_from_rows() -> None:
    count, rate = fields(("links", "count", "n", "Links"), ("rate", "GB/s", "W", "Rate"))
    assert (count.integer, count.unit.text, count.latex) == (True, "", "n")
    assert (rate.integer, rate.unit.text, rate.doc) == (False, "GB/s", "Rate")
