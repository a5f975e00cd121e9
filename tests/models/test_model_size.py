"""Every architecture counts to what its record states, and to what was published."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.cases import each
from tests.stored import read_yaml

from flopsheet import Answer, records, sheet, solve
from flopsheet.registry.store import sources

PUBLISHED: dict[str, Any] = read_yaml(Path(__file__).parent / "architectures.yaml")
FILES: dict[str, Any] = read_yaml(Path(__file__).parent / "files.yaml")
MODELS = sorted(records("architecture"))
EXACT = [
    (name, cell, count)
    for cell in ("params", "embedding_params", "non_embedding_params")
    for name, count in PUBLISHED[cell].items()
]
BUILT: dict[str, int] = PUBLISHED["built"]
ROUNDED = [(name, cell, count) for cell, counts in PUBLISHED["millions"].items() for name, count in counts.items()]
PRINTED = [(name, cell, text) for cell, counts in PUBLISHED["printed"].items() for name, text in counts.items()]
# Active parameters as authors print them are rounded, and most leave out a part of the embedding.
NEAR = 0.02


@cache
def at(name: str) -> Answer:
    """Return the sheet evaluated at a model."""
    return solve(sheet("model_size"), (), [f"model = {name}"])


def value(name: str, cell: str) -> Any:
    """Return the value of a cell at a model [base units]."""
    return at(name).cells[cell].si


@each(MODELS)
def test_the_count_is_what_the_record_states(name: str) -> None:
    assert value(name, "params") == records("architecture")[name].values["params"].si


@each(MODELS)
def test_a_record_names_sources_that_exist_and_says_why_a_figure_is_unverified(name: str) -> None:
    record = records("architecture")[name]
    assert {*record.sources} <= {*sources()}
    assert record.note or all(record.values[figure].note for figure in record.unverified)


@pytest.mark.parametrize("name", FILES)
def test_published_files_are_met_exactly(name: str) -> None:
    file, beside = FILES[name], {"mtp": "mtp_params", "encoder": "encoder_params", "scales": "scale_params"}
    total = value(name, "params") + sum(value(name, beside[part]) for part in file["beside"])
    assert total + file.get("more", 0) == file["elements"]
    stated = records("architecture")[name].values.get("file_params")
    assert stated is None or stated.si == file["elements"]


@pytest.mark.parametrize(("name", "cell", "count"), EXACT)
def test_published_counts_are_met_exactly(name: str, cell: str, count: int) -> None:
    assert value(name, cell) == count


@pytest.mark.parametrize("name", BUILT)
def test_counts_are_those_of_the_models_that_transformers_builds(name: str) -> None:
    assert value(name, "params") == BUILT[name]


@pytest.mark.parametrize(("name", "cell", "millions"), ROUNDED)
def test_published_counts_are_met_to_the_million(name: str, cell: str, millions: int) -> None:
    assert round(value(name, cell) / 1_000_000) == millions


@pytest.mark.parametrize(("name", "cell", "billions"), PRINTED)
def test_printed_counts_are_met_to_their_last_digit(name: str, cell: str, billions: str) -> None:
    digits = len(billions.partition(".")[2])
    assert f"{value(name, cell) / 1e9:.{digits}f}" == billions


@pytest.mark.parametrize(
    "name", [model for model in MODELS if "active_params" in records("architecture")[model].values]
)
def test_active_parameters_are_near_what_authors_print(name: str) -> None:
    stated, computed = records("architecture")[name].values["active_params"].si, value(name, "active_params")
    embedding = value(name, "embedding_params")
    assert computed - embedding < stated * (1 + NEAR)
    assert stated < computed * (1 + NEAR)


def test_models_with_idle_experts_state_their_active_parameters() -> None:
    """Sheets that know no architecture would take such a model for a dense one."""
    experts = {name: record.values for name, record in records("architecture").items() if "n_routed" in record.values}
    idle = [name for name, figures in experts.items() if figures["n_experts"].si > figures["n_routed"].si]
    assert len(idle) > 20
    assert [name for name in idle if "active_params" not in experts[name]] == []


def test_the_active_parameters_of_deepseek_v3_but_for_its_embedding() -> None:
    assert value("deepseek-v3", "active_params") - value("deepseek-v3", "embedding_params") / 2 == 36_625_618_432


@each(MODELS)
def test_parts_make_the_whole(name: str) -> None:
    figures = records("architecture")[name].values
    lookups = figures["layer_embedding_params"].si if "layer_embedding_params" in figures else 0
    parts = ("embedding_params", "position_params", "non_embedding_params")
    assert sum(value(name, part) for part in parts) + lookups == value(name, "params")
    assert value(name, "active_params") + value(name, "idle_params") == value(name, "params")
    assert (figures["n_experts"].si > figures["n_routed"].si) is (value(name, "idle_params") > lookups)


@pytest.mark.parametrize(("name", "billions"), [("gemma-3n-e2b", "1.91"), ("gemma-3n-e4b", "4.0")])
def test_effective_parameters_leave_out_all_embeddings(name: str, billions: str) -> None:
    """Google prints 1.91B for E2B, and rounds that of E4B to its name."""
    effective = value(name, "active_params") - value(name, "embedding_params")
    assert effective == value(name, "non_embedding_params")
    assert f"{effective / 1e9:.{len(billions) - 2}f}" == billions


def test_a_question_turns_the_count_round() -> None:
    goals = ["model = llama-3.1-8b", "params <= 10000000000 param"]
    assert solve(sheet("model_size"), ["model.n_blocks"], goals).solved


def _matrices(name: str) -> list[tuple[int, int, int]]:
    """Return rows, columns and number of the matrices of the blocks that are quantised, those of modules included."""
    known = records("architecture")[name].values
    at = {field: int(value.si) for field, value in known.items()}
    width, heads, modules = at["d_model"], at["n_heads"], at.get("mtp.n_modules", 0)
    blocks, sparse = at["n_blocks"] + modules, at["n_moe_blocks"] + modules
    if at.get("kv_rank"):
        unrotated, rank = at["d_head"] - at["d_rope"], at["kv_rank"]
        attention = [(at["q_rank"], width), (heads * at["d_head"], at["q_rank"]), (rank + at["d_rope"], width)]
        attention += [(heads * (unrotated + at["d_value"]), rank), (width, heads * at["d_value"])]
    else:
        keys = at["n_kv_heads"] * at["d_head"]
        attention = [(heads * at["d_head"], width), (keys, width), (keys, width), (width, heads * at["d_head"])]
    if at.get("indexer.d_head"):
        attention += [(at["indexer.n_heads"] * at["indexer.d_head"], at["q_rank"]), (at["indexer.d_head"], width)]
    parts = [(at.get("d_ff", 0), blocks - sparse), (at["d_expert"], sparse * at["n_experts"])]
    parts += [(at.get("d_shared", 0), sparse)]
    return [(*matrix, blocks) for matrix in attention] + [(hidden, width, 3 * count) for hidden, count in parts]


@pytest.mark.parametrize("name", ["deepseek-v3", "deepseek-v3.2", "kimi-k2", "minimax-m2"])
def test_scales_are_one_for_each_tile_of_128(name: str) -> None:
    tiles = sum(-(-rows // 128) * -(-columns // 128) * count for rows, columns, count in _matrices(name))
    assert records("architecture")[name].values["scale_params"].si == tiles


@pytest.mark.parametrize(
    ("name", "expert", "block"), [("gpt-oss-120b", 4.25 / 8, 2), ("llama-3.1-8b", 2, 2), ("olmo-2-7b", 4, 4)]
)
def test_the_bytes_of_the_weights(name: str, expert: float, block: float) -> None:
    experts = value(name, "expert_stack_params")
    rest = value(name, "params") - experts
    assert value(name, "weight_memory") == pytest.approx(experts * expert + rest * block, rel=1e-12)
