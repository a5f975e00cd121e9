"""The supported families of Hugging Face models: how each names its values, and what it implies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.registry.imports.config import Config, experts_in, latent_heads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ALL_BIASES = {"qkv_bias": 1, "output_bias": 1, "ffn_bias": 1}
_PLAIN = {"ffn_matrices": 2, "norm_vectors": 2}
_ATTENTION_BIAS = {"qkv_bias": "attention_bias", "output_bias": "attention_bias"}


@dataclass(frozen=True)
class Family:
    """How the configurations of a family are read.

    Args:
        title: its name in records.
        tied: whether the output layer shares the embedding's matrix where the configuration does not say.
        figures: fields that all its models have.
        flags: fields that are 1 where a key of the configuration is true, which is false by default.
        defaults: values that the transformers library assumes for absent keys.
        wide: default width of the feed-forward layer in widths of the residual stream; 0 where it is required.
        more: fields that need a rule, from the configuration and the fields so far.
    """

    title: str
    tied: bool = False
    figures: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, int] = field(default_factory=dict)
    wide: int = 0
    more: Callable[[Config, Mapping[str, int]], Mapping[str, int]] | None = None


def _mixtral(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    width = config.number("intermediate_size")
    return {"n_moe_blocks": known["n_blocks"], "d_ff": 0, "d_expert": width, **experts_in(config, "num_local_experts")}


def _qwen_moe(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    step, dense = config.number("decoder_sparse_step", default=1), set(config.numbers("mlp_only_layers"))
    sparse = sum((block + 1) % step == 0 and block not in dense for block in range(known["n_blocks"]))
    values = {"n_moe_blocks": sparse, "d_expert": config.number("moe_intermediate_size")}
    return {**values, **experts_in(config, "num_experts"), **({"d_ff": 0} if sparse == known["n_blocks"] else {})}


def _qwen2_moe(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    shared = config.number("shared_expert_intermediate_size")
    return {**_qwen_moe(config, known), "d_shared": shared, "qkv_bias": config.flag("qkv_bias", default=True)}


def _deepseek(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    config.reject("attention_bias", "biases in latent attention")
    first = config.number("first_k_dense_replace", default=0, least=0)
    step, blocks = config.number("moe_layer_freq", default=1), known["n_blocks"]
    sparse = sum(each >= first and each % step == 0 for each in range(blocks))
    width = config.number("moe_intermediate_size")
    shared = width * config.number("n_shared_experts", default=0, least=0)
    values = {"n_moe_blocks": sparse, "d_expert": width, "d_shared": shared, **experts_in(config, "n_routed_experts")}
    return {**values, **latent_heads(config, known), **({"d_ff": 0} if sparse == blocks else {})}


def _gpt_neox(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    bias = config.flag("attention_bias", default=True)
    return {"qkv_bias": bias, "output_bias": bias, "n_kv_heads": known["n_heads"]}


def _gpt2(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    return {"n_positions": config.number("n_positions", "n_ctx"), "n_kv_heads": known["n_heads"]}


def _bloom(_: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    return {"n_kv_heads": known["n_heads"]}


def _falcon(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    heads, grouped = known["n_heads"], config.flag("new_decoder_architecture")
    shared = 1 if config.flag("multi_query", default=True) else heads
    keys = config.number("num_kv_heads", "n_head_kv", default=heads) if grouped else shared
    parallel = config.flag("parallel_attn", default=True)
    norms = config.number("num_ln_in_parallel_attn", default=2) if grouped else 2 - parallel
    return {"n_kv_heads": keys, "block_norms": norms}


def _mpt(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    attention = config.inner("attn_config")
    attention.reject("qk_ln", "norms of queries and keys in MPT")
    if not config.flag("no_bias", default=True):
        raise config.error("no_bias", "MPT models with biases are not understood.")
    ratio = config.number("expansion_ratio", default=4)
    return {"d_ff": ratio * known["d_model"], "n_kv_heads": attention.number("kv_n_heads", default=known["n_heads"])}


_GEMMA = {"head_dim": 256}
_GEMMA3 = {**_GEMMA, "vocab_size": 262208, "num_attention_heads": 8, "num_key_value_heads": 4}
_GEMMA3_NORMS = {"block_norms": 4, "head_norm": 1}
_BIASED_GPT = {**_ALL_BIASES, **_PLAIN}

FAMILIES: Mapping[str, Family] = {
    "llama": Family("Llama", flags={**_ATTENTION_BIAS, "ffn_bias": "mlp_bias"}),
    "smollm3": Family("SmolLM3", tied=True, flags={**_ATTENTION_BIAS, "ffn_bias": "mlp_bias"}),
    "mistral": Family("Mistral"),
    "mixtral": Family("Mixtral", defaults={"num_local_experts": 8, "num_experts_per_tok": 2}, more=_mixtral),
    "qwen2": Family("Qwen2", figures={"qkv_bias": 1}),
    "qwen2_moe": Family("Qwen2", figures={"shared_gate": 1}, more=_qwen2_moe),
    "qwen3": Family("Qwen3", figures={"head_norm": 1}, flags=_ATTENTION_BIAS, defaults={"head_dim": 128}),
    "qwen3_moe": Family("Qwen3", figures={"head_norm": 1}, flags=_ATTENTION_BIAS, more=_qwen_moe),
    "gemma": Family("Gemma", tied=True, flags=_ATTENTION_BIAS, defaults=_GEMMA),
    "gemma2": Family("Gemma 2", tied=True, figures={"block_norms": 4}, flags=_ATTENTION_BIAS, defaults=_GEMMA),
    "gemma3": Family("Gemma 3", tied=True, figures=_GEMMA3_NORMS, flags=_ATTENTION_BIAS, defaults=_GEMMA3),
    "gemma3_text": Family("Gemma 3", tied=True, figures=_GEMMA3_NORMS, flags=_ATTENTION_BIAS, defaults=_GEMMA3),
    "deepseek_v2": Family("DeepSeek-V2", more=_deepseek),
    "deepseek_v3": Family("DeepSeek-V3", figures={"router_bias": 1}, more=_deepseek),
    "gpt2": Family("GPT-2", tied=True, figures=_BIASED_GPT, wide=4, more=_gpt2),
    "gpt_neox": Family("GPT-NeoX", figures={"ffn_bias": 1, **_PLAIN}, more=_gpt_neox),
    "bloom": Family("BLOOM", tied=True, figures={**_BIASED_GPT, "outer_norms": 2}, wide=4, more=_bloom),
    "falcon": Family(
        "Falcon", tied=True, figures=_PLAIN, flags=dict.fromkeys(_ALL_BIASES, "bias"), wide=4, more=_falcon
    ),
    "mpt": Family("MPT", tied=True, figures={"ffn_matrices": 2}, wide=4, more=_mpt),
    "olmo2": Family("OLMo 2", figures={"wide_norm": 1}, flags=_ATTENTION_BIAS),
    "phi3": Family("Phi"),
}
