"""Bytes of weights in every format, for every model, counted tensor by tensor from the elements that share a scale."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.models.tensors import Tensor, tensors

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
FORMATS = (*WHOLE, *SCALED, "int8")
# Outputs and inputs of a block, bits of its scale, and how far the scales of padded blocks may go beyond ours
PADDED = {
    "fp8_block": (128, 128, 32, 3e-5),
    "int4": (1, 128, 20, 1.6e-3),
    "mxfp4": (1, 32, 8, 1.5e-4),
    "nvfp4": (1, 16, 8, 0),
}
MODELS = sorted(records("architecture"))


def values(*relations: str, sheet: str = "weight_format") -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    return {name: cell.si for name, cell in solve(sheet, (), relations).cells.items()}


def bits(tensor: Tensor, weight_format: str) -> Fraction:
    """Return the bits of all such tensors in a format."""
    if weight_format in WHOLE:
        return Fraction(WHOLE[weight_format] * tensor.elements)
    if not tensor.quantized:
        return Fraction(16 * tensor.elements)
    if weight_format == "int8":
        return Fraction(8 * tensor.elements + 32 * tensor.outputs * tensor.count)
    return SCALED[weight_format] * tensor.elements


@pytest.mark.parametrize("name", MODELS)
def test_the_tensors_are_all_of_the_model(name: str) -> None:
    assert sum(tensor.elements for tensor in tensors(name)) == records("architecture")[name].values["params"].si


@pytest.mark.slow
@pytest.mark.parametrize("weight_format", FORMATS)
def test_bytes_are_those_of_all_tensors(weight_format: str) -> None:
    for model in MODELS:
        cells = values(f"model = {model}", f"weight_format = {weight_format}")
        assert cells["format_memory"] * 8 == sum(bits(tensor, weight_format) for tensor in tensors(model)), model


@pytest.mark.slow
@pytest.mark.parametrize(("weight_format", "n_tp"), [("int8", 1), ("nvfp4", 2), ("nvfp4", 8), ("bf16", 8)])
def test_bytes_on_a_chip_are_those_of_its_part_of_all_tensors(weight_format: str, n_tp: int) -> None:
    for model in MODELS:
        known = (f"model = {model}", f"weight_format = {weight_format}", f"n_tp = {n_tp}", "chip = h200-sxm")
        cells = values(*known, "seq_len = 64 token", "n_sequences = 1", sheet="inference_memory")
        held = sum(bits(tensor, weight_format) * tensor.share(n_tp) for tensor in tensors(model))
        assert cells["served_memory"] * 8 == held, model


@pytest.mark.slow
@pytest.mark.parametrize("n_tp", [1, 2, 8])
def test_frozen_weights_in_4_bits_leave_vectors_and_routers_in_bf16(n_tp: int) -> None:
    """QLoRA: experts and adapters, which the sheet has apart, and rotary frequencies are not compared."""
    for model in MODELS:
        known = (f"model = {model}", "recipe = qlora", f"n_tp = {n_tp}", "n_dp = 1", "chip = h200-sxm")
        cells = values(*known, "batch = 1", "seq_len = 64 token", sheet="training_memory")
        of_chip = [tensor for tensor in tensors(model) if not tensor.expert]
        held = sum(bits(tensor, "nf4") * tensor.share(n_tp) for tensor in of_chip)
        frequencies = cells["stored_rope_params"] * 16 * (1 - Fraction(1, n_tp))  # divided there
        adapters = cells["rank_adapter_params"] * cells["bytes_per_adapter_param"]
        assert (cells["rank_weights"] - adapters) * 8 == held - frequencies, model


@pytest.mark.parametrize("weight_format", PADDED)
def test_scales_of_padded_blocks_are_few(weight_format: str) -> None:
    """The assumption states these bounds."""
    outputs, inputs, scale, most = PADDED[weight_format]
    for model in MODELS:
        matrices = [tensor for tensor in tensors(model) if tensor.quantized]
        padded = sum(-(-each.outputs // outputs) * -(-each.inputs // inputs) * each.count for each in matrices)
        missing = padded - Fraction(sum(each.elements for each in matrices), outputs * inputs)
        assert 0 <= missing * scale <= most * sum(bits(each, weight_format) for each in tensors(model)), model


def test_as_stored_weights_take_what_the_files_take() -> None:
    for model in MODELS:
        cells = values(f"model = {model}")
        assert cells["format_memory"] == cells["weight_memory"], model


@pytest.mark.parametrize("name", MODELS)
def test_files_hold_matrices_in_their_format_and_the_rest_beside(name: str) -> None:
    figures = records("architecture")[name].values
    block, expert, other = (figures[f"stored.{part}"].quantity.exact for part in ("block", "expert", "other"))
    held = sum(
        tensor.elements * ((expert if tensor.expert else block) if tensor.quantized else other)
        for tensor in tensors(name)
    )
    assert values(f"model = {name}")["weight_memory"] == held


# Bytes of all tensors as the index of the published files states them: the language model alone
@pytest.mark.parametrize(("name", "published"), [("gpt-oss-20b", 13761264768), ("gpt-oss-120b", 65248815744)])
def test_the_bytes_of_published_files(name: str, published: int) -> None:
    assert values(f"model = {name}")["weight_memory"] == published


@pytest.mark.parametrize("name", ["kimi-k2", "minimax-m2"])
def test_the_bytes_of_files_in_fp8_with_their_scales(name: str) -> None:
    """One fp32 scale for each tile that a matrix fills at least in part."""
    matrices = [tensor for tensor in tensors(name) if tensor.quantized]
    tiles = sum(-(-each.outputs // 128) * -(-each.inputs // 128) * each.count for each in matrices)
    assert tiles == records("architecture")[name].values["scale_params"].si
    held = sum(each.elements * (1 if each.quantized else 2) for each in tensors(name)) + 4 * tiles
    assert values(f"model = {name}")["weight_memory"] == pytest.approx(held, rel=1e-8)


@pytest.mark.parametrize("model", ["gemma-2-9b", "olmo-2-13b", "mamba-2.8b", "llama-3-8b", "deepseek-v3"])
def test_servers_load_files_in_fp32_in_16_bits(model: str) -> None:
    asked = [f"model = {model}", "chip = h100-sxm", "n_sequences = 1", "seq_len = 1024"]
    default, kept, bf16 = (
        solve("inference_memory", (), [*asked, *more], without=["fits", "weights_fit"]).cells["bytes_per_param"].si
        for more in ([], ["fp32_weights = kept"], ["weight_format = bf16"])
    )
    stored = values(f"model = {model}")["bytes_per_param"]
    assert kept == stored
    assert default == min(stored, bf16)
