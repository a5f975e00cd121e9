from flopsheet import choice, formula, indicator, override, select
from flopsheet.builtin.models.attention_size import AttentionSize
from flopsheet.builtin.models.feed_forward_size import FeedForwardSize
from flopsheet.builtin.models.low_rank_adapters import LowRankAdapters


class AdapterSize(LowRankAdapters, AttentionSize, FeedForwardSize):
    """Parameters of low-rank adapters (LoRA) of a language model, from its architecture."""

    model = override(example="deepseek-v3")
    adapted = choice(
        "queries_values",
        "attention",
        "all",
        doc="Matrices with adapters: of queries and values, all of attention, or those of feed-forward parts too",
        default="all",
    )

    # Inputs and outputs of the matrices of one layer; latent attention has two of queries and two of keys and values
    query_width = formula(d_model + d_attn + 2 * q_rank, "", "Inputs and outputs of queries")
    key_width = formula(direct_keys * (d_model + d_keys), "", "Inputs and outputs of keys of their own")
    value_width = formula(
        direct_keys * (d_model + d_values)
        + (1 - direct_keys) * (d_model + 2 * kv_rank + d_rope + n_heads * d_unrotated + d_mixed),
        "",
        "Inputs and outputs of values, with the keys in latent attention",
    )
    output_width = formula(d_mixed + d_model, "", "Inputs and outputs of the output of attention")
    attention_width = formula(
        query_width
        + value_width
        + select(adapted, queries_values=0, attention=key_width + output_width, all=key_width + output_width),
        "",
        "Inputs and outputs of the adapted matrices of the attention of a layer",
    )
    ffn_width = formula(ffn_matrices * (d_model + d_ff), "", "Inputs and outputs of a dense feed-forward part")
    expert_width = formula(
        n_experts * ffn_matrices * (d_expert_in + d_expert), "", "Inputs and outputs of all routed experts of a layer"
    )
    moe_width = formula(
        expert_width
        + ffn_matrices * (indicator(d_shared > 0) * d_model + d_shared)
        + 2 * (latent_experts * d_model + d_latent)
        + dense_branch * ffn_width,
        "",
        "Inputs and outputs of all experts of a layer, shared ones and a dense part beside them included",
    )

    # The whole model
    adapter_params = override(headline=True)
    adapted_width = override(
        n_attention_blocks * attention_width
        + select(adapted, queries_values=0, attention=0, all=n_dense_blocks * ffn_width + n_moe_blocks * moe_width),
    )
    expert_adapter_params = formula(
        lora_rank * n_moe_blocks * select(adapted, queries_values=0, attention=0, all=expert_width),
        "param",
        "Parameters of the adapters of routed experts",
    )

    assumptions = (
        "Embeddings, output matrix, routers, indexers, gates of attention and recurrent mixers have no adapters.",
        "Each expert has adapters of its own, and shared experts have one set together.",
        "Layers that share keys and values with others count as if they had their own.",
    )
    notes = ("LoRA adapts queries and values, QLoRA all matrices of the layers.",)
    sources = ("qlora",)
