from flopsheet import formula, given, indicator, max_
from flopsheet.builtin.models.state_share import StateShare


class TensorSums(StateShare):
    """Sums over tensor-parallel ranks that a layer needs in one pass: of outputs, and inside its parts."""

    # Outputs of attention, mixers and feed-forward parts
    expert_sums = given(
        "1 if tensor-parallel ranks sum the outputs of experts, 0 if each expert is whole on its rank",
        example=1,
        minimum=0,
        maximum=1,
        integer=True,
    )
    joined_mixers = formula(
        max_(0, n_attention_blocks + state.n_blocks - n_blocks),
        "",
        "Blocks with attention and a recurrent mixer beside each other, whose outputs are added up at once",
    )
    layer_sums = formula(
        (
            n_attention_blocks
            + state.n_blocks
            - joined_mixers
            + n_summed_blocks
            + n_moe_blocks * max_(expert_sums, indicator(d_shared > 0), dense_branch)
        )
        / n_blocks,
        "",
        "Sums of a layer: attention, feed-forward part (at once if parallel), shared experts, experts",
    )

    # Sums that divided heads and channels need before the output of their part
    state_norm_sums = formula(
        max_(
            state.wide_norm,
            indicator(state.d_norm > 0)
            * indicator(state.d_norm >= state.n_heads * state.d_head)
            * indicator(state.n_groups < n_tp),
        ),
        "",
        "1 if the norm of a mixer needs a sum over ranks: it is over all heads, or over groups that ranks divide",
    )
    n_inner_sums = formula(
        wide_norm * (1 - norm_per_head) * n_attention_blocks
        + max_(indicator(state.step_rank > 0), state_norm_sums) * state.n_blocks,
        "",
        "Sums over tensor-parallel ranks inside parts of layers: norms over all heads, and what selects in Mamba-1",
    )
    inner_streams = formula(
        indicator(state.step_rank > 0) * state.n_blocks * (state.step_rank + 2 * state.d_state) / d_model,
        "",
        "What they sum, in residual streams: steps, keys and queries of Mamba-1; a norm sums one number or two",
    )

    tp_sums = formula(layer_sums + n_inner_sums / n_blocks, "", "Sums of a layer, those inside its parts too")
    tp_streams = formula(layer_sums + inner_streams / n_blocks, "", "What they sum, in residual streams")

    assumptions = (
        "Tensor parallelism adds up parallel parts of a block at once; parallel_blocks = 0 has each by itself.",
        "Norms of Mamba-2 are over the channels of a group.",
    )
    sources = ("mamba-2", "minimax-01")
