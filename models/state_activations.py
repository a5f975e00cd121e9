from flopsheet import choice, formula, given, indicator, override, select
from flopsheet.builtin.models.layer_input import LayerInput
from flopsheet.builtin.models.state_share import StateShare


class StateActivations(LayerInput, StateShare):
    """Activations of one recurrent mixer that the backward pass needs: state space, gated delta net, linear attention.

    A mixer reads tokens in chunks. Kernels compute the states between chunks again, or keep them.
    """

    model = override(example="qwen3-next-80b-a3b")

    chunk_states = choice(
        "recomputed", "kept", doc="Whether states between chunks are computed again, or kept", default="recomputed"
    )
    chunk_len = given("Tokens of a chunk", "token", default=64, source="gated-delta-net", integer=True)
    bytes_per_state_value = given("Bytes of a value of a recurrent state", "byte", default=4, source="ieee-754")
    bytes_per_scalar = given(
        "Bytes of an fp32 step, decay or rate of one token", "byte/token", default=4, source="mamba-2"
    )

    conv_memory = formula(
        2
        * local_tokens
        * (2 * local_state_groups * state.d_state + state.n_heads * state.d_head / n_tp)
        * bytes_per_activation,
        "MiB",
        "Keys, queries and values before and after the short convolution",
    )
    selection_memory = formula(
        local_tokens
        * (
            state.token_scalars * state.n_heads / n_tp * bytes_per_scalar
            + indicator(state.step_rank > 0)
            * (state.step_rank + 2 * state.d_state + state.n_heads * state.d_head / n_tp)
            * bytes_per_activation
            + indicator(state.gate_rank > 0)
            * (2 * state.gate_rank + local_state_groups * state.d_state)
            * bytes_per_activation
        ),
        "MiB",
        "Steps, decays and rates of heads, and those of channels with what they are computed from",
    )
    state_output_memory = formula(
        3 * local_tokens * state.n_heads * state.d_head / n_tp * bytes_per_activation,
        "MiB",
        "Output of the state, its gate, and their product: input of the output matrix",
    )
    chunk_memory = formula(
        select(chunk_states, recomputed=0, kept=1)
        * (local_tokens / chunk_len)
        * (state.n_heads * state.d_head * state.d_state / n_tp)
        * bytes_per_state_value,
        "MiB",
        "States between chunks",
    )
    mixer_memory = formula(
        part_input_memory + conv_memory + selection_memory + state_output_memory + chunk_memory + mask_memory,
        "MiB",
        "Activations of one recurrent mixer",
        headline=True,
    )

    assumptions = (
        "Convolution and nonlinearity are fused, and so are the steps inside a chunk.",
        "Every mixer has a gate as wide as its values.",
    )
    sources = ("mamba", "mamba-2", "gated-delta-net", "kimi-linear")
