"""The supported families of Hugging Face models: how each names its values, and what it implies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flopsheet.errors import RegistryError

LARGEST = 10**9
MOST_SHOWN = 40
_ALL_BIASES = {"qkv_bias": 1, "output_bias": 1, "ffn_bias": 1}
_PLAIN = {"ffn_matrices": 2, "norm_vectors": 2}
_ATTENTION_BIAS = {"qkv_bias": "attention_bias", "output_bias": "attention_bias"}


class Config:
    """The keys of a configuration, or of a part of one.

    Args:
        data: the keys and their values; null means absent.
        where: the place that errors name.
        defaults: values of absent keys.
    """

    def __init__(self, data: Mapping[str, object], where: str, defaults: Mapping[str, int]) -> None:
        self.data, self.where, self.defaults = data, where, defaults

    def number(self, *keys: str, default: int | None = None, least: int = 1) -> int:
        """Return the whole number under the first of these keys that is there."""
        key = next((key for key in keys if self.data.get(key) is not None), None)
        if key is not None:
            return self._whole(key, self.data[key], least)
        value = next((self.defaults[key] for key in keys if key in self.defaults), default)
        if value is None:
            fix = f"It may also be called {' or '.join(keys[1:])}." if keys[1:] else ""
            raise RegistryError(self.where, f"The key '{keys[0]}' is missing.", fix)
        return value

    def numbers(self, key: str) -> list[int]:
        """Return the whole numbers in the list under a key; none if it is absent."""
        items = self.data.get(key)
        if items is None:
            return []
        if not isinstance(items, list):
            raise self.error(key, f"{_shown(items)} is not a list.")
        return [self._whole(key, item, 0) for item in items]

    def flag(self, key: str, *, default: bool = False) -> int:
        """Return 1 where a key is true, else 0."""
        value = self.data.get(key)
        if value is None:
            return int(default)
        if not isinstance(value, bool):
            raise self.error(key, f"{_shown(value)} is neither true nor false.")
        return int(value)

    def reject(self, key: str, what: str) -> None:
        """Reject a configuration in which a key is true."""
        if self.flag(key):
            raise self.error(key, f"Models with {what} are not supported.")

    def inner(self, key: str) -> Config:
        """Return the part under a key; an empty one if it is absent."""
        part = self.data.get(key)
        if not isinstance(part, Mapping | None):
            raise self.error(key, f"{_shown(part)} is not an object.")
        return Config(part or {}, f"{self.where}, key '{key}'", {})

    def error(self, key: str, problem: str, fix: str = "") -> RegistryError:
        """Return the error that names a key."""
        return RegistryError(f"{self.where}, key '{key}'", problem, fix)

    def _whole(self, key: str, value: object, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
            raise self.error(key, f"{_shown(value)} is not a whole number from {least} to {LARGEST:,}.")
        return value


def experts_in(config: Config, key: str) -> dict[str, int]:
    """Return how many experts there are, and how many a token passes."""
    experts, routed = config.number(key), config.number("num_experts_per_tok")
    if routed > experts:
        raise config.error("num_experts_per_tok", f"A token cannot pass {routed} of {experts} experts.")
    return {"n_experts": experts, "n_routed": routed}


def latent_heads(config: Config, known: Mapping[str, int]) -> dict[str, int]:
    """Return the ranks and widths of latent attention."""
    rope = config.number("qk_rope_head_dim")
    return {
        "n_kv_heads": known["n_heads"],
        "d_head": config.number("qk_nope_head_dim") + rope,
        "d_value": config.number("v_head_dim"),
        "q_rank": config.number("q_lora_rank", default=0),
        "kv_rank": config.number("kv_lora_rank"),
        "d_rope": rope,
    }


def default_head(config: Config, known: Mapping[str, int]) -> int:
    """Return the width of a head where no key gives it: the heads divide the residual stream."""
    width, rest = divmod(known["d_model"], known["n_heads"])
    if rest:
        problem = f"{known['n_heads']} heads do not divide a width of {known['d_model']}."
        raise config.error("head_dim", problem, "Add head_dim.")
    return width


def _shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return "A number this large" if value > 0 else "A number this small"
    return shortened(json.dumps(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__)


def shortened(text: str) -> str:
    """Return the first characters of a text, for messages."""
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


@dataclass(frozen=True)
class Family:
    """How the configurations of a family are read."""

    title: str  # its name in records
    tied: bool = False  # whether the output layer shares the embedding's matrix where the configuration does not say
    figures: Mapping[str, int] = field(default_factory=dict)  # fields that all its models have
    flags: Mapping[str, str] = field(default_factory=dict)  # fields that are 1 where this key is true
    defaults: Mapping[str, int] = field(default_factory=dict)  # of the transformers library, for absent keys
    wide: int = 0  # default width of the feed-forward layer in widths of the residual stream; 0 where it is required
    # Fields that need a rule, from the configuration and the fields so far.
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
    sparse = sum(block >= first and block % step == 0 for block in range(blocks))
    width = config.number("moe_intermediate_size")
    shared = width * config.number("n_shared_experts", default=0, least=0)
    values = {"n_moe_blocks": sparse, "d_expert": width, "d_shared": shared, **experts_in(config, "n_routed_experts")}
    return {**values, **latent_heads(config, known), **({"d_ff": 0} if sparse == blocks else {})}


def _gpt_neox(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    bias = config.flag("attention_bias", default=True)
    return {"qkv_bias": bias, "output_bias": bias}


def _gpt2(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    return {"n_positions": config.number("n_positions", "n_ctx")}


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
    "bloom": Family("BLOOM", tied=True, figures={**_BIASED_GPT, "outer_norms": 2}, wide=4),
    "falcon": Family(
        "Falcon", tied=True, figures=_PLAIN, flags=dict.fromkeys(_ALL_BIASES, "bias"), wide=4, more=_falcon
    ),
    "mpt": Family("MPT", tied=True, figures={"ffn_matrices": 2}, wide=4, more=_mpt),
    "olmo2": Family("OLMo 2", figures={"wide_norm": 1}, flags=_ATTENTION_BIAS),
    "phi3": Family("Phi"),
}
