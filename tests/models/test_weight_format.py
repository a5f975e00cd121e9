"""Bytes of weights in every format, for every model, counted from the elements that share a scale."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from flopsheet import records, solve

# Bits of a matrix element: its own, then those of scales over the elements that share them.
WHOLE = {"fp32": 32, "bf16": 16, "fp16": 16}
SCALED = {
    "fp8": Fraction(8),
    "fp8_block": 8 + Fraction(32, 128 * 128),
    "int4": 4 + Fraction(16 + 4, 128),
    "mxfp8": 8 + Fraction(8, 32),
    "mxfp6": 6 + Fraction(8, 32),
    "mxfp4": 4 + Fraction(8, 32),
    "nvfp4": 4 + Fraction(8, 16),
    "nf4": 4 + Fraction(8, 64) + Fraction(32, 64 * 256),
}


def values(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    return {name: cell.si for name, cell in solve("weight_format", (), relations).cells.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_sixteen_and_thirty_two_bits_hold_all_weights(name: str) -> None:
    found = {model: values(f"model = {model}", f"weight_format = {name}") for model in records("architecture")}
    assert {model: cells["bits_per_param"] * 8 for model, cells in found.items()} == dict.fromkeys(found, WHOLE[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", SCALED)
def test_fewer_bits_hold_the_matrices_of_the_layers_and_bf16_the_rest(name: str) -> None:
    for model in records("architecture"):
        cells = values(f"model = {model}", f"weight_format = {name}")
        matrices = cells["expert_stack_params"] + cells["block_stack_params"]
        bits = matrices * SCALED[name] + (cells["params"] - matrices) * 16
        assert cells["format_memory"] * 8 == bits, model


def test_as_stored_weights_take_what_the_files_take() -> None:
    for model in records("architecture"):
        cells = values(f"model = {model}")
        assert cells["format_memory"] == cells["weight_memory"], model
