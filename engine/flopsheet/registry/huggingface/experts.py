"""Rules of families with experts, and of latent attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.registry.huggingface.keys import Config


def experts_in(config: Config, key: str, routed_key: str = "num_experts_per_tok") -> dict[str, int]:
    """Return how many experts there are, and how many a token passes."""
    experts, routed = config.number(key), config.number(routed_key)
    if routed > experts:
        raise config.error(routed_key, f"A token cannot pass {routed} of {experts} experts.")
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


def _dense(config: Config, known: Mapping[str, int], sparse: int, *keys: str) -> dict[str, int]:
    """Return how many blocks have experts, and the width of the others' dense part."""
    width = 0 if sparse == known["n_blocks"] else config.number(*(keys or ("intermediate_size",)))
    return {"n_moe_blocks": sparse, "d_ff": width}


def mixtral(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Mixtral, whose blocks all have experts."""
    width = config.number("intermediate_size")
    return {"n_moe_blocks": known["n_blocks"], "d_ff": 0, "d_expert": width, **experts_in(config, "num_local_experts")}


def qwen_moe(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Qwen with experts: in each block, but for those that the configuration names."""
    step, dense = config.number("decoder_sparse_step", default=1), set(config.numbers("mlp_only_layers"))
    sparse = sum((block + 1) % step == 0 and block not in dense for block in range(known["n_blocks"]))
    values = {**_dense(config, known, sparse), "d_expert": config.number("moe_intermediate_size")}
    return {**values, **experts_in(config, "num_experts")}


def qwen2_moe(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Qwen1.5 and Qwen2 with experts, one of them shared."""
    shared = config.number("shared_expert_intermediate_size")
    return {**qwen_moe(config, known), "d_shared": shared, "qkv_bias": config.flag("qkv_bias", default=True)}


def _routed(config: Config, known: Mapping[str, int]) -> dict[str, int]:
    """Return the figures of experts as DeepSeek and GLM name them: shared ones, and dense blocks at the start."""
    first = config.number("first_k_dense_replace", default=0, least=0)
    step, blocks = config.number("moe_layer_freq", default=1), known["n_blocks"]
    sparse = sum(block >= first and block % step == 0 for block in range(blocks))
    width = config.number("moe_intermediate_size")
    shared = width * config.number("n_shared_experts", default=0, least=0)
    values = {**_dense(config, known, sparse), "d_expert": width, "d_shared": shared}
    return {**values, **experts_in(config, "n_routed_experts")}


def _module(config: Config, key: str, **more: int) -> dict[str, int]:
    """Return the figures of modules that predict further tokens, if there are any."""
    modules = config.number(key, default=0, least=0)
    values = {"n_modules": modules, "experts": 1, "norms": 3, "matrices": 0, **more}
    return {f"mtp.{name}": value for name, value in values.items()} if modules else {}


def deepseek(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of DeepSeek: latent attention, experts, and in V3.2 an indexer."""
    config.reject("attention_bias", "biases in latent attention")
    values = {**_routed(config, known), **latent_heads(config, known)}
    if config.number("index_n_heads", default=0, least=0):
        values |= {
            "indexer.n_heads": config.number("index_n_heads"),
            "indexer.d_head": config.number("index_head_dim"),
            "indexer.top_k": config.number("index_topk"),
        }
    return {**values, **_module(config, "num_nextn_predict_layers", matrices=2)}


def deepseek_moe(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of DeepSeekMoE: experts beside plain attention."""
    return _routed(config, known)


def olmoe(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of OLMoE, whose blocks all have experts."""
    values = {"n_moe_blocks": known["n_blocks"], "d_ff": 0, "d_expert": config.number("intermediate_size")}
    return {**values, **experts_in(config, "num_experts")}


def glm4_moe(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of GLM-4.5 and 4.6."""
    bias = config.flag("attention_bias")
    values = {**_routed(config, known), "qkv_bias": bias, "head_norm": config.flag("use_qk_norm")}
    return {**values, **_module(config, "num_nextn_predict_layers", matrices=2)}


def llama4(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of Llama 4: an expert that all tokens pass beside one that the router chooses."""
    step, blocks = config.number("interleave_moe_layer_step", default=1), known["n_blocks"]
    sparse = len(config.numbers("moe_layers")) or blocks // step
    width = config.number("intermediate_size")
    values = {**_dense(config, known, sparse, "intermediate_size_mlp"), "d_expert": width, "d_shared": width}
    chunked = int(config.number("attention_chunk_size", default=0) > 0)
    return {**values, "chunked": chunked, **experts_in(config, "num_local_experts")}


def minimax_m2(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of MiniMax-M2. Its files hold none of the modules that the configuration names."""
    return {**mixtral(config, known), "wide_norm": config.flag("use_qk_norm")}


def dbrx(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of DBRX, whose parts have objects of their own."""
    attention, ffn = config.inner("attn_config"), config.inner("ffn_config")
    values = {"n_moe_blocks": known["n_blocks"], "d_ff": 0, "d_expert": ffn.number("ffn_hidden_size")}
    values["n_kv_heads"] = attention.number("kv_n_heads", default=known["n_heads"])
    return {**values, **experts_in(ffn, "moe_num_experts", "moe_top_k")}


def ernie(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of ERNIE 4.5 with experts, some of them shared."""
    start = config.number("moe_layer_start_index", default=0, least=0)
    end = config.number("moe_layer_end_index", default=known["n_blocks"] - 1, least=-1)
    end = known["n_blocks"] - 1 if end == -1 else end
    step = config.number("moe_layer_interval", default=1)
    sparse = sum(start <= block <= end and (block + 1) % step == 0 for block in range(known["n_blocks"]))
    width = config.number("moe_intermediate_size")
    shared = width * config.number("moe_num_shared_experts", default=0, least=0)
    values = {**_dense(config, known, sparse), "d_expert": width, "d_shared": shared}
    module = _module(config, "num_nextn_predict_layers", experts=0, norms=2)
    return {**values, **experts_in(config, "moe_num_experts", "moe_k"), **module}


def longcat(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of LongCat-Flash: each of its layers is two blocks of ours beside one set of experts."""
    layers, width = known["n_blocks"], config.number("ffn_hidden_size")
    values = {"n_blocks": 2 * layers, "n_moe_blocks": layers, "dense_branch": 1, "d_ff": width}
    values |= {"d_expert": config.number("expert_ffn_hidden_size")}
    values |= {"n_empty_experts": config.number("zero_expert_num", default=0, least=0), **latent_heads(config, known)}
    return {**values, **experts_in(config, "n_routed_experts", "moe_topk")}


def qwen3_hybrid(config: Config, known: Mapping[str, int]) -> Mapping[str, int]:
    """Return the figures of experts of Qwen3-Next and Qwen3.5, one of them shared behind a gate, or the dense width."""
    module = _module(config, "mtp_num_hidden_layers", experts=int(config.data.get("num_experts") is not None))
    if config.data.get("num_experts") is None:
        return {"d_ff": config.number("intermediate_size"), **module}
    shared = config.number("shared_expert_intermediate_size")
    return {**qwen_moe(config, known), "d_shared": shared, "shared_gate": 1, **module}
