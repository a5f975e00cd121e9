from flopsheet import formula, indicator, max_, min_, override
from flopsheet.builtin.models.model_blocks import ModelBlocks
from flopsheet.builtin.models.parallel_layout import ParallelLayout


class StateShare(ModelBlocks, ParallelLayout):
    """What tensor-parallel ranks have of a recurrent mixer, and the sums that they need inside parts of layers."""

    model = override(example="granite-4.0-h-small")

    # Ranks divide the heads of a state; where they are more than its keys, several of them have the same
    local_state_groups = formula(
        max_(state.n_groups / n_tp, min_(1, state.n_groups)),
        "",
        "Key heads of a state on one chip: at least one, copied if need be",
    )
    copied_state_keys = formula(
        2 * (local_state_groups - state.n_groups / n_tp) * state.d_state,
        "",
        "Width of keys and queries of a state that a chip has beyond an even share",
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

    assumptions = (
        *ModelBlocks.assumptions,
        *ParallelLayout.assumptions,
        "Norms of Mamba-2 are over the channels of a group.",
    )
    sources = ("mamba-2", "minimax-01")
