from flopsheet import formula, max_, override
from flopsheet.builtin.models.model_shape import ModelShape


class ModelBlocks(ModelShape):
    """How many blocks of a language model have which parts."""

    model = override(example="gemma-3-27b")

    n_attention_blocks = formula(n_blocks - n_attention_free_blocks, "", "Blocks that have attention")
    n_global_blocks = formula(n_attention_blocks - n_window_blocks, "", "Blocks that attend to all of the past")
    n_full_caches = formula(n_global_blocks - n_shared_kv_blocks, "", "Blocks that keep all tokens")
    n_window_caches = formula(n_window_blocks - n_shared_window_blocks, "", "Blocks that keep a window of tokens")
    n_dense_blocks = formula(n_blocks - n_ffn_free_blocks - n_moe_blocks, "", "Blocks with a dense part and no experts")

    n_summed_blocks = formula(
        (1 - parallel_blocks) * n_dense_blocks,
        "",
        "Blocks whose dense part is added up by itself, not together with attention",
    )

    computed_experts = formula(
        n_routed * n_experts / max_(n_experts + n_empty_experts, 1),
        "",
        "Experts that compute a token, empty ones left out",
    )

    assumptions = ("Blocks with attention differ only in how far they look back.",)
    sources = ("gemma-3",)
