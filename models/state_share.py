from flopsheet import formula, max_, min_, override
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

    assumptions = ("Norms of Mamba-2 are over the channels of a group.",)
    sources = ("mamba-2", "minimax-01")
