"""The supported families of Hugging Face models: how each names its values, and what it implies."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flopsheet.registry.huggingface import experts, plain, recurrent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.registry.huggingface.keys import Config


@dataclass(frozen=True)
class Family:
    """How the configurations of a family are read."""

    title: str  # its name in records
    tied: bool = False  # whether the output layer shares the embedding's matrix where the configuration does not say
    figures: Mapping[str, int] = field(default_factory=dict)  # fields that all its models have
    flags: Mapping[str, str] = field(default_factory=dict)  # fields that are 1 where this key is true
    defaults: Mapping[str, int] = field(default_factory=dict)  # of the transformers library, for absent keys
    wide: int = 0  # default width of the feed-forward layer in widths of the residual stream; 0 where it is required
    # Blocks of a period: the last attends to everything, the others to a window. 1: all have windows, 0: none has.
    period: int = 0
    attention: bool = True  # whether blocks have heads
    # Fields that need a rule, from the configuration and the fields so far.
    more: Callable[[Config, Mapping[str, int]], Mapping[str, int]] | None = None


_ALL_BIASES = {"qkv_bias": 1, "output_bias": 1, "ffn_bias": 1}
_PLAIN = {"ffn_matrices": 2, "norm_vectors": 2}
_BIASED_GPT = {**_ALL_BIASES, **_PLAIN}
_PARALLEL = {"block_norms": 1, "parallel_blocks": 1}
_ATTENTION_BIAS = {"qkv_bias": "attention_bias", "output_bias": "attention_bias"}
_LLAMA_BIAS = {**_ATTENTION_BIAS, "ffn_bias": "mlp_bias"}
_GEMMA = {"head_dim": 256}
_GEMMA3 = {**_GEMMA, "vocab_size": 262208, "num_attention_heads": 8, "num_key_value_heads": 4}
_GPT_OSS = {"sinks": 1, "router_bias": 1, "ffn_bias": 1}
_MIXTRAL = {"num_local_experts": 8, "num_experts_per_tok": 2}
_HEAD_NORM = {"head_norm": 1}
_DELTA_NET = {"head_norm": 1, "output_gate": 1}

_LLAMA4 = Family("Llama 4", flags=_ATTENTION_BIAS, period=4, more=experts.llama4)
_MISTRAL = Family("Mistral", period=1)
_QWEN3 = Family("Qwen3", figures=_HEAD_NORM, flags=_ATTENTION_BIAS, defaults={"head_dim": 128})
_QWEN3_MOE = Family("Qwen3", figures=_HEAD_NORM, flags=_ATTENTION_BIAS, more=experts.qwen_moe)
_QWEN35 = Family("Qwen3.5", figures=_DELTA_NET, flags=_ATTENTION_BIAS, more=recurrent.gated_delta)
_GEMMA_3 = Family(
    "Gemma 3", tied=True, figures={"block_norms": 4, **_HEAD_NORM}, flags=_ATTENTION_BIAS, defaults=_GEMMA3, period=6
)
_DEEPSEEK_V3 = Family("DeepSeek-V3", figures={"router_bias": 1}, more=experts.deepseek)
_MINIMAX = Family("MiniMax", more=recurrent.minimax)
_GLM = Family("GLM-4", flags={"qkv_bias": "attention_bias"}, defaults={"head_dim": 128})
_INTERNLM = {"qkv_bias": "bias", "output_bias": "bias"}
_MAMBA = Family("Mamba", tied=True, attention=False, more=recurrent.mamba)

FAMILIES: Mapping[str, Family] = {
    # Transformers with a dense feed-forward part
    "llama": Family("Llama", flags=_LLAMA_BIAS),
    "smollm3": Family("SmolLM3", tied=True, flags=_LLAMA_BIAS),
    "granite": Family("Granite", tied=True, flags=_LLAMA_BIAS),
    "mistral": _MISTRAL,
    "ministral3": _MISTRAL,
    "qwen2": Family("Qwen2", figures={"qkv_bias": 1}),
    "qwen3": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "gemma": Family("Gemma", tied=True, flags=_ATTENTION_BIAS, defaults=_GEMMA),
    "gemma2": Family(
        "Gemma 2", tied=True, figures={"block_norms": 4}, flags=_ATTENTION_BIAS, defaults=_GEMMA, period=2
    ),
    "gemma3": _GEMMA_3,
    "gemma3_text": _GEMMA_3,
    "gpt2": Family("GPT-2", tied=True, figures=_BIASED_GPT, wide=4, more=plain.gpt2),
    "gptj": Family("GPT-J", figures={**_PARALLEL, **_PLAIN, "ffn_bias": 1, "head_bias": 1}, wide=4),
    "gpt_neox": Family("GPT-NeoX", figures={"ffn_bias": 1, **_PLAIN}, more=plain.gpt_neox),
    "opt": Family("OPT", tied=True, figures=_PLAIN, more=plain.opt),
    "bloom": Family("BLOOM", tied=True, figures={**_BIASED_GPT, "outer_norms": 2}, wide=4),
    "falcon": Family(
        "Falcon", tied=True, figures=_PLAIN, flags=dict.fromkeys(_ALL_BIASES, "bias"), wide=4, more=plain.falcon
    ),
    "mpt": Family("MPT", tied=True, figures={"ffn_matrices": 2}, wide=4, more=plain.mpt),
    "olmo2": Family("OLMo 2", figures={"wide_norm": 1}, flags=_ATTENTION_BIAS),
    "olmo3": Family("OLMo 3", figures={"wide_norm": 1}, flags=_ATTENTION_BIAS, period=4),
    "phi": Family("Phi", figures={**_BIASED_GPT, **_PARALLEL, "head_bias": 1}),
    "phi3": Family("Phi", period=1),
    "starcoder2": Family("StarCoder2", tied=True, figures=_PLAIN, period=1, more=plain.starcoder2),
    "cohere": Family("Command", tied=True, figures=_PARALLEL, flags=_ATTENTION_BIAS, more=plain.cohere),
    "cohere2": Family("Command", tied=True, figures=_PARALLEL, flags=_ATTENTION_BIAS, period=4),
    "ernie4_5": Family("ERNIE 4.5", tied=True, flags=dict.fromkeys(_ALL_BIASES, "use_bias")),
    "gpt_neo": Family(
        "GPT-Neo", tied=True, figures={"output_bias": 1, "ffn_bias": 1, **_PLAIN}, wide=4, more=plain.gpt_neo
    ),
    "gpt_bigcode": Family("StarCoder", tied=True, figures=_BIASED_GPT, wide=4, more=plain.gpt_bigcode),
    "olmo": Family("OLMo", figures={"norm_vectors": 0}, flags=_ATTENTION_BIAS),
    "stablelm": Family(
        "StableLM", figures={"norm_vectors": 2}, flags={"qkv_bias": "use_qkv_bias"}, more=plain.stablelm
    ),
    "glm": _GLM,
    "glm4": replace(_GLM, figures={"block_norms": 4}),
    "chatglm": Family("GLM-4", flags={"qkv_bias": "add_qkv_bias"}, more=plain.chatglm),
    "internlm": Family("InternLM", flags=_INTERNLM),
    "internlm2": Family("InternLM2", flags=_INTERNLM),
    "internlm3": Family("InternLM3", flags={**_INTERNLM, "qkv_bias": "qkv_bias", "ffn_bias": "bias"}),
    "baichuan": Family("Baichuan"),
    "qwen": Family("Qwen", figures={"qkv_bias": 1}, more=plain.qwen),
    "exaone": Family("EXAONE"),
    "seed_oss": Family(
        "Seed-OSS",
        flags={"qkv_bias": "attention_bias", "output_bias": "attention_out_bias", "ffn_bias": "mlp_bias"},
        defaults={"head_dim": 128},
    ),
    "nemotron": Family("Nemotron", figures=_PLAIN, flags=_LLAMA_BIAS),
    # Transformers with experts
    "mixtral": Family("Mixtral", defaults=_MIXTRAL, period=1, more=experts.mixtral),
    "qwen2_moe": Family("Qwen2", figures={"shared_gate": 1}, more=experts.qwen2_moe),
    "qwen3_moe": _QWEN3_MOE,
    "qwen3_vl_moe_text": _QWEN3_MOE,
    "deepseek_v2": Family("DeepSeek-V2", more=experts.deepseek),
    "deepseek_v3": _DEEPSEEK_V3,
    "deepseek_v32": _DEEPSEEK_V3,
    "kimi_k2": Family("Kimi K2", figures={"router_bias": 1}, more=experts.deepseek),
    "deepseek": Family("DeepSeekMoE", more=experts.deepseek_moe),
    "olmoe": Family("OLMoE", figures={"wide_norm": 1}, flags=_ATTENTION_BIAS, more=experts.olmoe),
    "phimoe": Family(
        "Phi",
        figures={"norm_vectors": 2},
        flags={**_ATTENTION_BIAS, "head_bias": "lm_head_bias"},
        period=1,
        more=experts.mixtral,
    ),
    "glm4_moe_lite": Family("GLM-4.5", figures={"router_bias": 1}, more=experts.deepseek),
    "glm_moe_dsa": Family("GLM-5", figures={"router_bias": 1}, more=experts.deepseek),
    "glm4_moe": Family("GLM-4.5", figures={"router_bias": 1}, more=experts.glm4_moe),
    "gpt_oss": Family("gpt-oss", figures=_GPT_OSS, flags=_ATTENTION_BIAS, period=2, more=experts.mixtral),
    "llama4": _LLAMA4,
    "llama4_text": _LLAMA4,
    "minimax_m2": Family("MiniMax", flags={"router_bias": "use_routing_bias"}, more=experts.minimax_m2),
    "dbrx": Family("DBRX", more=experts.dbrx),
    "ernie4_5_moe": Family("ERNIE 4.5", tied=True, figures={"router_bias": 1}, more=experts.ernie),
    "longcat_flash": Family("LongCat-Flash", figures={"router_bias": 1}, more=experts.longcat),
    # Recurrent states, alone or in some blocks
    "mamba": _MAMBA,
    "falcon_mamba": _MAMBA,
    "mamba2": Family("Mamba-2", attention=False, more=recurrent.mamba2),
    "jamba": Family("Jamba", more=recurrent.jamba),
    "nemotron_h": Family("Nemotron", figures={"ffn_matrices": 2, "block_norms": 1}, more=recurrent.nemotron),
    "granitemoehybrid": Family("Granite 4.0", tied=True, flags=_ATTENTION_BIAS, more=recurrent.granite),
    "falcon_h1": Family("Falcon-H1", flags=_ATTENTION_BIAS, more=recurrent.falcon_h1),
    "qwen3_next": Family("Qwen3-Next", figures=_DELTA_NET, flags=_ATTENTION_BIAS, more=recurrent.gated_delta),
    "qwen3_5_text": _QWEN35,
    "qwen3_5_moe_text": _QWEN35,
    "kimi_linear": Family("Kimi Linear", figures={"router_bias": 1}, more=recurrent.kimi_linear),
    "minimax": _MINIMAX,
    "minimax_m1": _MINIMAX,
}
