"""Rules of families with recurrent states: state spaces and linear attention, alone or in some blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.registry.huggingface.experts import deepseek, experts_in, qwen3_hybrid
from flopsheet.registry.huggingface.keys import Config

if TYPE_CHECKING:
    from collections.abc import Mapping

_NO_HEADS = {"n_heads": 0, "n_kv_heads": 0, "d_head": 0, "d_value": 0}


def _state(**figures: int) -> dict[str, int]:
    return {f"state.{name}": value for name, value in figures.items()}


def _only_states(known: Mapping[str, int]) -> dict[str, int]:
    """Return the figures of a stack without attention and feed-forward parts."""
    blocks = known["n_blocks"]
    return {**_NO_HEADS, "n_attention_free_blocks": blocks, "n_ffn_free_blocks": blocks, "d_ff": 0, "block_norms": 1}


def _mamba1(config: Config, known: Mapping[str, int], blocks: int, prefix: str, *, norms: bool) -> dict[str, int]:
    """Return the figures of Mamba-1: its heads are channels."""
    size = config.number(*((f"{prefix}d_state",) if prefix else ("state_size",)), default=16)
    channels = config.number(f"{prefix}expand", default=2) * known["d_model"]
    if not prefix:  # Falcon Mamba states an expansion of 16 beside channels that are twice as wide as the stream
        channels = config.number("intermediate_size", default=channels)
    rank_key = f"{prefix}dt_rank" if prefix else "time_step_rank"
    automatic = config.data.get(rank_key) in (None, "auto")
    rank = -(-known["d_model"] // 16) if automatic else config.number(rank_key)
    return _state(
        n_blocks=blocks,
        n_heads=channels,
        d_head=1,
        d_state=size,
        d_conv=config.number(f"{prefix}d_conv" if prefix else "conv_kernel", default=4),
        conv_bias=config.flag(f"{prefix}conv_bias" if prefix else "use_conv_bias", default=True),
        head_scalars=size + 2,
        d_norm=norms * (rank + 2 * size),
        step_rank=rank,
    )


def _mamba2(config: Config, blocks: int, keys: Mapping[str, str], *, norm: bool = True) -> dict[str, int]:
    """Return the figures of Mamba-2; `keys` are the names of its figures in the configuration."""
    heads, width = config.number(keys["n_heads"]), config.number(keys["d_head"])
    groups = config.number(keys["n_groups"], default=1)
    return _state(
        n_blocks=blocks,
        n_heads=heads,
        d_head=width,
        n_groups=groups,
        d_state=config.number(keys["d_state"]),
        d_conv=config.number(keys["d_conv"], default=4),
        conv_bias=config.flag(keys["conv_bias"], default=True),
        token_scalars=1,
        head_scalars=3,
        d_norm=norm * heads * width,
        wide_norm=int(norm and groups == 1),
    )


_MAMBA2 = {"n_heads": "num_heads", "d_head": "head_dim", "n_groups": "n_groups", "d_state": "state_size"}
_MAMBA2 |= {"d_conv": "conv_kernel", "conv_bias": "use_conv_bias"}
_NEMOTRON = {**_MAMBA2, "n_heads": "mamba_num_heads", "d_head": "mamba_head_dim", "d_state": "ssm_state_size"}
_GRANITE = {name: f"mamba_{name}" for name in _MAMBA2}


def mamba(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Mamba and Falcon Mamba."""
    config.reject("use_bias", "biases in Mamba")
    return {**_only_states(known), **_mamba1(config, known, known["n_blocks"], "", norms=False)}


def mamba2(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Mamba-2."""
    config.reject("use_bias", "biases in Mamba")
    return {**_only_states(known), **_mamba2(config, known["n_blocks"], _MAMBA2)}


def jamba(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Jamba: attention in one block of a period, experts in one of another."""
    blocks = range(known["n_blocks"])
    period, offset = (
        config.number("attn_layer_period", default=8),
        config.number("attn_layer_offset", default=4, least=0),
    )
    free = sum((block - offset) % period != 0 for block in blocks)
    step, first = (
        config.number("expert_layer_period", default=2),
        config.number("expert_layer_offset", default=1, least=0),
    )
    sparse = sum((block - first) % step == 0 for block in blocks)
    width = config.number("intermediate_size")
    values = {"n_attention_free_blocks": free, "n_moe_blocks": sparse, "d_expert": width, "d_ff": width}
    return {**values, **experts_in(config, "num_experts"), **_mamba1(config, known, free, "mamba_", norms=True)}


def nemotron(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Nemotron-H: a letter says which one part a block has."""
    pattern = config.text("hybrid_override_pattern")
    if len(pattern) != known["n_blocks"] or set(pattern) - set("M*-E"):
        problem = f"It is not {known['n_blocks']} of the letters M, *, - and E."
        raise config.error("hybrid_override_pattern", problem)
    states, dense, sparse = (pattern.count(letter) for letter in "M-E")
    attention = pattern.count("*")
    values = {
        "n_attention_free_blocks": known["n_blocks"] - attention,
        "n_ffn_free_blocks": states + attention,
        "d_ff": config.number("intermediate_size") if dense else 0,
        "n_moe_blocks": sparse,
    }
    if sparse:
        values |= {
            "d_expert": config.number("moe_intermediate_size"),
            "d_latent": config.number("moe_latent_size", default=0),
            "d_shared": config.number("moe_shared_expert_intermediate_size", default=0),
            "router_bias": 1,
            **experts_in(config, "n_routed_experts"),
        }
    if modules := config.number("num_nextn_predict_layers", default=0, least=0):
        values |= {"mtp.n_modules": modules, "mtp.experts": int(sparse > 0), "mtp.norms": 4}
    return {**values, **(_mamba2(config, states, _NEMOTRON) if states else {})}


def granite(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Granite 4.0: the kind of each block is in a list, and experts share a dense one."""
    kinds = config.texts("layer_types")
    free = kinds.count("mamba")
    width = config.number("shared_intermediate_size", default=0) or config.number("intermediate_size")
    values = {"n_attention_free_blocks": free, "d_ff": width}
    if config.number("num_local_experts", default=0, least=0):
        sparse = {"n_moe_blocks": known["n_blocks"], "d_expert": config.number("intermediate_size")}
        values |= {**sparse, "d_ff": 0, "d_shared": width, **experts_in(config, "num_local_experts")}
    return {**values, **(_mamba2(config, free, _GRANITE) if free else {})}


def falcon_h1(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Falcon-H1: each block has attention and a state beside each other."""
    return _mamba2(config, known["n_blocks"], _GRANITE, norm=bool(config.flag("mamba_rms_norm")))


def _linear_blocks(config: Config, known: Mapping[str, int]) -> int:
    kinds = config.texts("layer_types")
    return kinds.count("linear_attention") or known["n_blocks"] - known["n_blocks"] // config.number(
        "full_attention_interval", default=4
    )


def gated_delta(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Qwen3-Next and Qwen3.5: a gated delta net in three of four blocks."""
    blocks, width = _linear_blocks(config, known), config.number("linear_value_head_dim", default=128)
    state = _state(
        n_blocks=blocks,
        n_heads=config.number("linear_num_value_heads"),
        d_head=width,
        n_groups=config.number("linear_num_key_heads"),
        d_state=config.number("linear_key_head_dim", default=128),
        d_conv=config.number("linear_conv_kernel_dim", default=4),
        token_scalars=2,
        delta_rule=1,
        head_scalars=2,
        d_norm=width,
    )
    return {"n_attention_free_blocks": blocks, **state, **qwen3_hybrid(config, known)}


def kimi_linear(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Kimi Linear: its attention is latent, its experts are those of DeepSeek by other names."""
    linear = config.inner("linear_attn_config")
    blocks, heads, width = len(linear.numbers("kda_layers")), linear.number("num_heads"), linear.number("head_dim")
    names = {"num_experts": "n_routed_experts", "num_experts_per_token": "num_experts_per_tok"}
    names |= {"num_shared_experts": "n_shared_experts"}
    renamed = Config({**config.data, **{names[key]: config.data.get(key) for key in names}}, config.where, {})
    state = _state(
        n_blocks=blocks,
        n_heads=heads,
        d_head=width,
        n_groups=heads,
        d_state=width,
        d_conv=linear.number("short_conv_kernel_size", default=4),
        token_scalars=1,
        delta_rule=1,
        head_scalars=1,
        d_norm=width,
        gate_rank=width,
    )
    return {**deepseek(renamed, known), "n_attention_free_blocks": blocks, **state}


def minimax(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of MiniMax-01 and M1: lightning attention where the list of kinds has 0."""
    blocks = config.numbers("attn_type_list").count(0) or config.texts("layer_types").count("linear_attention")
    heads, width = known["n_heads"], config.number("head_dim")
    state = _state(n_blocks=blocks, n_heads=heads, d_head=width, n_groups=heads, d_state=width)
    state |= _state(d_norm=heads * width, wide_norm=1)
    values = {"n_moe_blocks": known["n_blocks"], "d_ff": 0, "d_expert": config.number("intermediate_size")}
    return {**values, **experts_in(config, "num_local_experts"), "n_attention_free_blocks": blocks, **state}
