"""The nearest of known names."""

from __future__ import annotations

import pytest

from flopsheet import record, sheet
from flopsheet.answer.question_file import KEYS as QUESTION_KEYS
from flopsheet.nearest import CELLS, KEYS, SYNONYMS, nearest
from flopsheet.registry.kinds import KINDS
from flopsheet.report.records import texts_of
from flopsheet.sheets.catalogue import sheet_files
from flopsheet.sheets.yaml_rows import SECTIONS
from flopsheet.sheets.yaml_sheet import KEYS as SHEET_KEYS

FIELDS = ["power", "memory", "memory_bandwidth", "link.bandwidth", "flops.bf16", "cores"]


@pytest.mark.parametrize(
    ("name", "known", "result"),
    [
        ("tdp", FIELDS, ["power"]),
        ("TDP", FIELDS, ["power"]),
        ("chip.tdp", ["chip.power", "chip.memory"], ["chip.power"]),
        ("tdp", ["tdp", "power"], ["tdp"]),
        ("bandwidth", FIELDS, ["memory_bandwidth", "link.bandwidth"]),
        ("vram", ["d_model"], []),
        ("core", FIELDS, ["cores"]),
        ("powr", FIELDS, ["power"]),
        ("POWER", FIELDS, ["power"]),
        ("hidden_size", ["d_model", "hidden_time"], ["d_model"]),
        ("TTFT", ["first_token_time", "tensor"], ["first_token_time"]),
        ("context", ["prompt_len", "counted", "seq_len"], ["seq_len", "prompt_len"]),
        ("pue", ["site.pue", "pun"], ["site.pue"]),
        ("num_gpus", ["n_gpu_hours", "n_chips"], ["n_chips"]),
        ("acceptance_rate", ["acceptance", "plain.peak_rate"], ["acceptance"]),
        ("busbw", ["bus_bandwidth", "bus_factor"], ["bus_bandwidth"]),
        ("fsdp", ["none", "optimizer", "gradients", "weights"], ["weights"]),
        ("1F1B", ["one_f_one_b", "gpipe"], ["one_f_one_b"]),
        ("bfloat16", ["fp16", "bf16"], ["bf16"]),
        ("global_batch", ["last_batch", "batch"], ["batch"]),
        ("peak_memory", ["mask_memory", "inference_memory"], ["inference_memory"]),
        ("input_tokens", ["logit_tokens", "prompt_len"], ["prompt_len"]),
        ("n_replicas", ["answer_replicas", "n_dp"], ["n_dp"]),
        ("lower", ["formula", "minimum", "maximum"], ["minimum"]),
        ("solve_for", ["sheet", "unknown", "where"], ["unknown"]),
        ("n_fsdp", ["n_sp", "n_dp", "n_shard"], ["n_shard", "n_dp"]),
    ],
)
def test_nearest(name: str, known: list[str], result: list[str]) -> None:
    assert nearest(name, known) == result


def test_synonyms_are_of_fields_that_exist() -> None:
    fields = {name for kind in KINDS.values() for name in (*kind.all_fields, *texts_of(kind))}
    assert {name for ours in SYNONYMS.values() for name in ours} - fields == set()
    assert set(SYNONYMS) & fields == set()


def test_synonyms_are_of_cells_and_choices_that_exist() -> None:
    sheets = [sheet(name) for name in sheet_files()]
    names = {name for own in sheets for name in (*own.cells, *own.choices, *own.parts)}
    assert {name for ours in CELLS.values() for name in ours} - names == set()


def test_synonyms_are_of_keys_that_exist() -> None:
    keys = {*SHEET_KEYS, *QUESTION_KEYS, *(key for known, _ in SECTIONS.values() for key in known)}
    assert {name for ours in KEYS.values() for name in ours} - keys == set()


@pytest.mark.parametrize("name", ["H100-SXM", "h100-SXM", "H100"])
def test_records_are_found_in_any_case(name: str) -> None:
    assert record("chip", name).key == "h100-sxm"
