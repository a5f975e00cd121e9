"""Figures that are unusual, pairs that contradict each other and unknown names: warnings that say what is usual."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cases import check_each

from flopsheet.authoring.check import check
from flopsheet.authoring.countries import CODES, OTHERS
from flopsheet.authoring.plausibility import ASCENDING, MEANT, doubts
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import Pack, packs
from flopsheet.registry.store import record, records
from flopsheet.units import quantity

if TYPE_CHECKING:
    from pathlib import Path

CHIP = {
    "memory": "80 GiB",
    "memory_bandwidth": "3.35 TB/s",
    "flops": "{bf16: 989 TFLOP/s, fp8: 1979 TFLOP/s}",
    "power": "700 W",
    "source": "nvidia-h100-datasheet-text",
}
SITE = {"country": "FR", "chip": "h100-sxm", "n_chips": "1456", "pue": "1.2", "source": "read in a paper"}


def warned(folder: Path, kind: str, figures: dict[str, str], changes: dict[str, str]) -> list[str]:
    """Return the warnings about a record with some figures changed."""
    about = {"name": "Mine", KINDS[kind].maker: "Me"}
    rows = "\n".join(f"  {key}: {value}" for key, value in {**about, **figures, **changes}.items())
    file = folder / "x.yaml"
    file.write_text(f"mine:\n{rows}\n", encoding="utf-8")
    findings = check([file], kind)
    assert findings.errors == []
    return [str(warning).removeprefix(str(file)) for warning in findings.warnings]


@pytest.mark.parametrize(
    ("kind", "changes", "warning"),
    [
        (
            "chip",
            {"memory": "80 TB"},
            ":4:11, key 'mine.memory': '80 TB' is unusual: a chip has 4 GiB to 2 TiB. Did",
        ),
        ("chip", {"memory": "80 TB"}, "Did you mean 80 GB?"),
        ("chip", {"memory_bandwidth": "3.35 GB/s"}, "'3.35 GB/s' is unusual: a chip has 30 GB/s to 50 TB/s. Did you"),
        ("chip", {"memory_bandwidth": "3.35 GB/s"}, "Did you mean 3.35 TB/s?"),
        ("chip", {"power": "700 kW"}, "'700 kW' is unusual: a chip has 5 W to 5 kW. Did you mean 700 W?"),
        ("chip", {"flops": "{bf16: 989 GFLOP/s}"}, "Did you mean 989 TFLOP/s?"),
        ("chip", {"flops": "{bf16: 1979 TFLOP/s, fp8: 989 TFLOP/s}"}, "flops.bf16 is 1979 TFLOP/s, and flops.fp8 only"),
        ("chip", {"source": "aiconfigurator"}, "There is no source 'aiconfigurator' in the list. Did you mean 'aiconf"),
        ("chip", {"memory": "{value: 80 GiB, source: zzzz}"}, "key 'mine.memory': There is no source 'zzzz' in the"),
        (
            "chip",
            {"memory": "{value: 80 GB, usable: 81559 MiB}"},
            "memory.usable': It is 81559 MiB, more than the nominal",
        ),
        ("chip", {"flops": "{bf16: {value: 989 TFLOP/s, sparse: 495 TFLOP/s}}"}, "495 TFLOP/s, less than the nominal"),
        ("chip", {"clock": "1.7 Hz"}, "Did you mean 1.7 GHz?"),
        ("chip", {"cores": "100000"}, "'100000' is unusual: a chip has 1 to 2000. Cores: streaming"),
        ("datacenter", {"pue": "2.9"}, "'2.9' is unusual: a datacenter has 1.02 to 2.5."),
        ("datacenter", {"country": "UK"}, "There is no country 'UK'. Did you mean 'GB'?"),
        ("datacenter", {"country": "France"}, "There is no country 'France'. Did you mean 'FR'?"),
        ("datacenter", {"country": "fr"}, "There is no country 'fr'. Did you mean 'FR'?"),
        ("datacenter", {"country": "XX"}, "There is no country 'XX'. Write its ISO label of two letters"),
        ("datacenter", {"other_chips": "12 rtx-9999"}, "There is no chip 'rtx-9999'. Did you mean 'rtx-"),
        ("datacenter", {"other_chips": "many h100"}, "'many h100' is no number of chips."),
        ("datacenter", {"power": "5 W"}, "'5 W' is unusual: a datacenter has 50 kW to 10 GW. Did you mean 5 MW?"),
        ("datacenter", {"power": "1 MW", "measured_power": "2 MW"}, "measured_power is 2 MW, and power only 1 MW"),
    ],
)
def test_what_is_unusual_is_a_warning(kind: str, changes: dict[str, str], warning: str, tmp_path: Path) -> None:
    figures = {"chip": {**CHIP, "source": "read in a datasheet"}, "datacenter": SITE}[kind]
    (text,) = warned(tmp_path, kind, figures, changes)
    assert warning in text


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("chip", {}),
        ("chip", {"memory": "80 GB", "memory_bandwidth": "8000 GB/s"}),
        ("chip", {"source": "[measured by us, aiconfigurator-systems]"}),
        ("datacenter", {}),
        ("datacenter", {"other_chips": "[416 a100, '1,024 built-in:h100-sxm']"}),
    ],
)
def test_what_is_usual_is_not(kind: str, changes: dict[str, str], tmp_path: Path) -> None:
    figures = {"chip": {**CHIP, "source": "read in a datasheet"}, "datacenter": SITE}[kind]
    assert warned(tmp_path, kind, figures, changes) == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_built_in_is_unusual_but_for_a_reason(kind: str) -> None:
    assert [str(doubt) for doubt in doubts(records(kind).values())] == []


def test_each_exception_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = dict(MEANT)
    for name, field in reasons:
        with monkeypatch.context() as without:
            without.delitem(MEANT, (name, field))
            assert doubts([record("chip", name)]) != [], (name, field)


def test_ranges_are_of_the_unit_of_their_field_and_rise() -> None:
    def check_range(case: tuple[str, str, str, tuple[str, str]]) -> None:
        _, _, unit, usual = case
        low, high = (quantity(text) for text in usual)
        assert low.dimension == high.dimension == (quantity(f"1 {unit}").dimension if unit else low.dimension)
        assert low.si < high.si

    check_each(
        [
            (kind, field.name, field.unit_text, field.usual)
            for kind, record_type in KINDS.items()
            for field in record_type.fields
            if field.usual is not None
        ],
        check_range,
    )


def test_rules_and_exceptions_name_fields() -> None:
    fields = {kind: {field.name for field in record_type.fields} for kind, record_type in KINDS.items()}
    assert all({*pair} <= fields[kind] for kind, pairs in ASCENDING.items() for pair in pairs)
    assert all(name in records("chip") and field in fields["chip"] for name, field in MEANT)
    assert len(CODES) == 249
    assert {*OTHERS.values()} <= CODES


def test_a_figure_of_the_record_that_is_extended_is_no_concern_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("mine: {extends: wse-3, name: Mine, source: read somewhere, clock: 1 GHz}\n", encoding="utf-8")
    assert [str(warning) for warning in check([file], "chip").warnings] == []
    assert isinstance(packs()[0], Pack)
