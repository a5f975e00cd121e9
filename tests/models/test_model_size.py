"""Every architecture counts to what its record states, and to what was published."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from flopsheet import Answer, records, sheet, solve
from flopsheet.registry.store import sources

PUBLISHED: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "architectures.yaml").read_text(encoding="utf-8"))
FILES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "files.yaml").read_text(encoding="utf-8"))
MODELS = sorted(records("architecture"))
EXACT = [
    (name, cell, count)
    for cell in ("params", "embedding_params", "non_embedding_params")
    for name, count in PUBLISHED[cell].items()
]
ROUNDED = [(name, cell, count) for cell, counts in PUBLISHED["millions"].items() for name, count in counts.items()]
# Active parameters as authors print them are rounded, and most leave out a part of the embedding.
NEAR = 0.02


@cache
def at(name: str) -> Answer:
    """Return the sheet evaluated at a model."""
    return solve(sheet("model_size"), (), [f"model = {name}"])


def value(name: str, cell: str) -> Any:
    """Return the value of a cell at a model [base units]."""
    return at(name).cells[cell].si


@pytest.mark.parametrize("name", MODELS)
def test_the_count_is_what_the_record_states(name: str) -> None:
    assert value(name, "params") == records("architecture")[name].values["params"].si


@pytest.mark.parametrize("name", MODELS)
def test_a_record_names_sources_that_exist_and_says_why_a_figure_is_unverified(name: str) -> None:
    record = records("architecture")[name]
    assert {*record.sources} <= {*sources()}
    assert record.note or all(record.values[figure].note for figure in record.unverified)


@pytest.mark.parametrize("name", FILES)
def test_published_files_are_met_exactly(name: str) -> None:
    file, beside = FILES[name], {"mtp": "mtp_params", "encoder": "model.encoder_params", "scales": "model.scale_params"}
    total = value(name, "params") + sum(value(name, beside[part]) for part in file["beside"])
    assert total + file.get("more", 0) == file["elements"]
    stated = records("architecture")[name].values.get("file_params")
    assert stated is None or stated.si == file["elements"]


@pytest.mark.parametrize(("name", "cell", "count"), EXACT)
def test_published_counts_are_met_exactly(name: str, cell: str, count: int) -> None:
    assert value(name, cell) == count


@pytest.mark.parametrize(("name", "cell", "millions"), ROUNDED)
def test_published_counts_are_met_to_the_million(name: str, cell: str, millions: int) -> None:
    assert round(value(name, cell) / 1_000_000) == millions


@pytest.mark.parametrize(
    "name", [model for model in MODELS if "active_params" in records("architecture")[model].values]
)
def test_active_parameters_are_near_what_authors_print(name: str) -> None:
    stated, computed = records("architecture")[name].values["active_params"].si, value(name, "active_params")
    embedding = value(name, "embedding_params")
    assert computed - embedding < stated * (1 + NEAR)
    assert stated < computed * (1 + NEAR)


def test_the_active_parameters_of_deepseek_v3_but_for_its_embedding() -> None:
    assert value("deepseek-v3", "active_params") - value("deepseek-v3", "embedding_params") / 2 == 36_625_618_432


@pytest.mark.parametrize("name", MODELS)
def test_parts_make_the_whole(name: str) -> None:
    parts = ("embedding_params", "position_params", "non_embedding_params")
    assert sum(value(name, part) for part in parts) == value(name, "params")
    assert value(name, "active_params") + value(name, "idle_params") == value(name, "params")
    figures = records("architecture")[name].values
    assert (figures["n_experts"].si > figures["n_routed"].si) is (value(name, "idle_params") > 0)


def test_a_question_turns_the_count_round() -> None:
    goals = ["model = llama-3.1-8b", "params <= 10000000000 param"]
    assert solve(sheet("model_size"), ["model.n_blocks"], goals).solved
