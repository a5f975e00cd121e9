"""Texts of records in a question: which records are tried, and what is no text of any."""

from __future__ import annotations

import pytest

import flopsheet
from flopsheet.errors import QuestionError, UnknownNameError
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


@pytest.mark.parametrize("segment", ["data center", "workstation", "consumer", "embedded"])
def test_only_chips_of_the_segment_are_tried(segment: str) -> None:
    ranking = _tried(f"chip.segment = {segment}").ranking
    assert ranking is not None
    keys = {candidate.options["chip"] for candidate in (*ranking.working, *ranking.rejected)}
    assert keys == {key for key, record in records("chip").items() if record.labels.get("segment") == segment}
    assert len(keys) >= 5


def test_each_chip_has_a_segment() -> None:
    assert [key for key, record in records("chip").items() if "segment" not in record.labels] == []
    assert records("chip")["rtx-4090"].labels["segment"] == "consumer"
    assert records("chip")["h100-sxm"].labels["segment"] == "data center"


def test_a_segment_near_to_one_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'data center'"):
        _tried("chip.segment = datacenter")


def test_a_vendor_that_no_record_has_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'NVIDIA'"):
        _tried("chip.vendor = NVIDEA")


def test_there_is_nothing_to_filter_where_no_record_is_asked_for() -> None:
    with pytest.raises(QuestionError, match="'chip' is not asked for"):
        flopsheet.solve("ffn_memory", "params", [*WHERE[:3], "chip.vendor = NVIDIA"])
