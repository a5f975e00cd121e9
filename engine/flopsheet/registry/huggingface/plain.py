"""Rules of dense families: the figures that a configuration gives beside widths and depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.registry.huggingface.keys import Config


def gpt_neox(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of GPT-NeoX: biases of attention and parallel parts of blocks where nothing is said."""
    bias, parallel = config.flag("attention_bias", default=True), config.flag("use_parallel_residual", default=True)
    return {"qkv_bias": bias, "output_bias": bias, "parallel_blocks": parallel}


def gpt2(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of GPT-2: each position has an embedding."""
    return {"n_positions": config.number("n_positions", "n_ctx")}


def gpt_neo(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of GPT-Neo: each position has an embedding, and every second block a window."""
    kinds = config.texts("attention_layers")
    local = kinds.count("local") if kinds else known["n_blocks"] // 2
    window = {"n_window_blocks": local, "window": config.number("window_size", default=256)} if local else {}
    return {"n_positions": known["context_len"], **window}


def gpt_bigcode(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of StarCoder: GPT-2 whose heads share one key where nothing is said."""
    shared = config.flag("multi_query", default=True)
    return {**gpt2(config, known), "n_kv_heads": 1 if shared else known["n_heads"]}


def opt(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of OPT: each position has an embedding, and two more do that no token uses."""
    if not config.flag("do_layer_norm_before", default=True):
        raise config.error("do_layer_norm_before", "OPT models with norms after their layers are not supported.")
    if config.number("word_embed_proj_dim", default=known["d_model"]) != known["d_model"]:
        raise config.error("word_embed_proj_dim", "Embeddings of another width are not supported.")
    bias = config.flag("enable_bias", default=True)
    return {"n_positions": known["context_len"] + 2, "qkv_bias": bias, "output_bias": bias, "ffn_bias": bias}


def falcon(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Falcon: how heads share keys, and which norms blocks have."""
    heads, grouped = known["n_heads"], config.flag("new_decoder_architecture")
    shared = 1 if config.flag("multi_query", default=True) else heads
    keys = config.number("num_kv_heads", "n_head_kv", default=heads) if grouped else shared
    parallel = config.flag("parallel_attn", default=True)
    norms = config.number("num_ln_in_parallel_attn", default=2) if grouped else 2 - parallel
    return {"n_kv_heads": keys, "block_norms": norms, "parallel_blocks": parallel}


def mpt(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of MPT: the width of the feed-forward part, and heads that share keys."""
    attention = config.inner("attn_config")
    attention.reject("qk_ln", "norms of queries and keys in MPT")
    if not config.flag("no_bias", default=True):
        raise config.error("no_bias", "MPT models with biases are not supported.")
    ratio = config.number("expansion_ratio", default=4)
    return {"d_ff": ratio * known["d_model"], "n_kv_heads": attention.number("kv_n_heads", default=known["n_heads"])}


def starcoder2(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of StarCoder2: biases everywhere where nothing is said."""
    bias = config.flag("use_bias", default=True)
    return {"qkv_bias": bias, "output_bias": bias, "ffn_bias": bias}


def stablelm(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of StableLM: one norm where attention and the feed-forward part run beside each other."""
    config.reject("qk_layernorm", "norms of each head in StableLM")
    parallel = config.flag("use_parallel_residual")
    return {"block_norms": 2 - parallel, "parallel_blocks": parallel}


def chatglm(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of ChatGLM and GLM-4 by the names of their first configurations."""
    shared = config.flag("multi_query_attention")
    keys = config.number("multi_query_group_num", default=1) if shared else known["n_heads"]
    return {"n_kv_heads": keys, "d_head": config.number("kv_channels")}


def qwen(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of the first Qwen, whose configuration counts both halves of the gated layer."""
    return {"d_ff": config.number("intermediate_size") // 2, "d_head": config.number("kv_channels")}


def cohere(config: Config, _: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Command R: norms of queries and keys, of which each head has its own."""
    norms = config.flag("use_qk_norm")
    return {"wide_norm": norms, "norm_per_head": norms}
