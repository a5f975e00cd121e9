"""Golden cases of the activations of one layer, tensor by tensor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe

from flopsheet.units import in_unit, unit

if TYPE_CHECKING:
    from flopsheet import Answer

# The cells that make each tensor of the source; it counts values with the scores that weigh them.
TENSORS = {
    "linear_proj_input": ["projection_memory"],
    "attn_qkv_matmul": ["qkv_memory"],
    "attn_qk_scores": ["query_key_memory"],
    "attn_softmax": ["softmax_memory"],
    "attn_dropout": ["dropout_memory"],
    "attn_v": ["weighting_memory", "value_memory"],
    "attn_drop_mask": ["mask_memory"],
    "mlp": ["mlp_memory"],
    "ln": ["norm_memory"],
}


def _relations(inputs: Inputs) -> list[str]:
    width, heads = inputs["hidden_size"], inputs["n_heads"]
    return [
        f"d_model = {width}",
        f"n_heads = {heads}",
        f"d_ff = {4 * width}",
        "ffn_matrices = 2",
        "n_blocks = 1",
        "vocab = 1",
        f"seq_len = {inputs['ctx_length']} token",
        f"micro_batch = {inputs['batch']} sequence",
        "attention_kernel = unfused",
        "dropout = yes",
    ]


def _probes(_: Inputs) -> dict[str, Probe]:
    bytes_of = {name: Probe("", read=partial(_bytes, cells)) for name, cells in TENSORS.items()}
    shares = {f"{name}_pct": Probe("", read=partial(_share, cells), digits=2) for name, cells in TENSORS.items()}
    return {**bytes_of, **shares}


def _bytes(cells: list[str], answer: Answer) -> object:
    return in_unit(sum(answer.cells[cell].si for cell in cells), unit("byte"))


def _share(cells: list[str], answer: Answer) -> object:
    return 100 * sum(answer.cells[cell].si for cell in cells) / answer.cells["layer_memory"].si


ADAPTERS: dict[str, Adapter] = {
    "activation_breakdown_per_layer": Adapter("activation_memory", _relations, _probes),
}
