"""The precision in which the files of a model hold its weights."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.registry.huggingface.keys import shortened

if TYPE_CHECKING:
    from flopsheet.registry.huggingface.keys import Config

_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}
_NAMES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}
_MXFP4 = Fraction(1, 2) + Fraction(1, 32)  # 32 values share a scale of one byte


def stored(config: Config) -> tuple[dict[str, int | Fraction], str, str]:
    """Return bytes of elements by field, the name of the precision, and what is left out of them."""
    name = (config.text("torch_dtype") or config.text("dtype")).removeprefix("torch.")
    width = _BYTES.get(name, 2)
    values: dict[str, int | Fraction] = dict.fromkeys(("stored.other", "stored.block", "stored.expert"), width)
    quantized = config.inner("quantization_config")
    method = quantized.text("quant_method")
    if method == "mxfp4":
        return {**values, "stored.expert": _MXFP4}, "mxfp4", ""
    block = quantized.numbers("weight_block_size") if method == "fp8" else []
    if len(block) == 2 and all(block):
        element = 1 + Fraction(4, block[0] * block[1])
        return {**values, "stored.block": element, "stored.expert": element}, "fp8", ""
    left_out = f"quantization by {shortened(method) if method.isidentifier() else 'another method'}" if method else ""
    return values, _NAMES.get(name, ""), left_out
