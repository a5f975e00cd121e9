"""Texts of records in a question: which records are tried, and what is no text of any."""

from __future__ import annotations

import pytest

import flopsheet
from flopsheet.errors import FormulaError, QuestionError, UnknownNameError
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.store import records

WHERE = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "batch = 256", "seq_len = 4096", "n_fsdp <= 16"]
FITS = "device_memory <= 90 % * chip.memory"


def _tried(*labels: str) -> flopsheet.Answer:
    return flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], [*WHERE, FITS, *labels])


def test_only_chips_of_the_vendor_are_tried() -> None:
    ranking = _tried("chip.vendor = NVIDIA").ranking
    assert ranking is not None
    keys = {candidate.options["chip"] for candidate in (*ranking.working, *ranking.rejected)}
    assert keys == {key for key, record in records("chip").items() if record.vendor == "NVIDIA"}
    assert "chips with vendor = NVIDIA meet" in ranking.why


def test_texts_are_joined_and_capital_letters_are_the_same() -> None:
    ranking = _tried("chip.vendor = amd", "chip.memory_type = hbm3e").ranking
    assert ranking is not None
    assert [candidate.options["chip"] for candidate in ranking.working] == ["mi350x", "mi355x", "mi325x"]
    assert "chips with vendor = AMD and memory_type = HBM3e" in ranking.why


def test_a_given_record_must_have_the_text() -> None:
    where = [*WHERE, FITS, "chip = h100-sxm"]
    assert flopsheet.solve("ffn_memory", "n_fsdp", [*where, "chip.vendor = NVIDIA"]).question.records["chip"]
    with pytest.raises(QuestionError, match=r"The vendor of h100-sxm is NVIDIA\."):
        flopsheet.solve("ffn_memory", "n_fsdp", [*where, "chip.vendor = AMD"])


OPTIONS = [(label, option) for label, options in KINDS["chip"].options.items() for option in options]


@pytest.mark.parametrize(("label", "option"), OPTIONS, ids=str)
def test_only_chips_of_the_segment_or_kind_are_tried(label: str, option: str) -> None:
    ranking = _tried(f"chip.{label} = {option}").ranking
    assert ranking is not None
    keys = {candidate.options["chip"] for candidate in (*ranking.working, *ranking.rejected)}
    assert keys == {key for key, record in records("chip").items() if record.labels.get(label) == option}
    assert len(keys) >= 5


@pytest.mark.parametrize(
    ("chip", "segment", "kind"),
    [
        ("rtx-4090", "consumer", "GPU"),
        ("h100-sxm", "data center", "GPU"),
        ("tpu-v5p", "data center", "ASIC"),
        ("wse-3", "data center", "ASIC"),
        ("apple-m3-ultra", "consumer", "SoC"),
        ("strix-halo", "consumer", "SoC"),
    ],
)
def test_each_chip_has_a_segment_and_a_kind(chip: str, segment: str, kind: str) -> None:
    assert [key for key, record in records("chip").items() if not {"segment", "kind"} <= record.labels.keys()] == []
    assert records("chip")[chip].labels["segment"] == segment
    assert records("chip")[chip].labels["kind"] == kind


def test_a_segment_is_found_as_others_write_it() -> None:
    for written in ("datacenter", "Data-Center"):
        assert _tried(f"chip.segment = {written}").question.labels[0].wanted == "data center"


def test_a_text_that_no_record_has_names_those_that_some_have() -> None:
    with pytest.raises(UnknownNameError, match=r"There is no kind 'quantum'\. Known: ASIC, GPU, SoC\."):
        _tried("chip.kind = quantum")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'GPU'\? Known: GPU, ASIC, SoC\."):
        _tried("chip.kind = TPU")


@pytest.mark.parametrize(
    ("relation", "nearest"),
    [
        ("chip.vendr = NVIDIA", "chip.vendor"),
        ("chip.sgment = consumer", "chip.segment"),
        ("chip.kin = GPU", "chip.kind"),
    ],
)
def test_a_field_that_is_misspelt_names_the_nearest_text(relation: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean '{nearest}'"):
        _tried(relation)


def test_a_field_unlike_any_names_the_texts_of_the_record() -> None:
    texts = "chip.vendor, chip.segment, chip.kind, chip.link.name, chip.link.topology, chip.memory_type"
    with pytest.raises(UnknownNameError, match=f"There is no text field 'chip.quux'. Known: {texts}"):
        _tried("chip.quux = GPU")


def test_a_vendor_that_no_record_has_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'NVIDIA'"):
        _tried("chip.vendor = NVIDEA")


def test_there_is_nothing_to_filter_where_no_record_is_asked_for() -> None:
    with pytest.raises(QuestionError, match="'chip' is not asked for"):
        flopsheet.solve("ffn_memory", "params", [*WHERE[:3], "chip.vendor = NVIDIA"])


def test_a_text_that_records_must_not_have_keeps_those_that_are_known_to_have_another() -> None:
    ranking = _tried("chip.kind != GPU", "chip.vendor != apple").ranking
    assert ranking is not None
    keys = {candidate.options["chip"] for candidate in (*ranking.working, *ranking.rejected)}
    chips = records("chip").items()
    known = {
        key for key, record in chips if record.labels.get("kind") not in (None, "GPU") and record.vendor != "Apple"
    }
    assert keys == known
    assert "chips with kind != GPU and vendor != Apple meet" in ranking.why
    with pytest.raises(QuestionError, match=r"The kind of h100-sxm is GPU\."):
        flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, FITS, "chip = h100-sxm", "chip.kind != GPU"])
    with pytest.raises(FormulaError, match="'!=' is not an operator of relations"):
        flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, FITS, "chip = h100-sxm", "n_blocks != 12"])
