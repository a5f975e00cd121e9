from flopsheet import formula, indicator, override
from flopsheet.builtin.models.model_blocks import ModelBlocks


class StateSize(ModelBlocks):
    """Parameters of one recurrent mixer: Mamba 1 and 2, gated delta net, Kimi delta attention, lightning attention.

    They are one layer with different parts: a token gives keys, queries, values and a gate, a short convolution mixes
    neighbours, each head keeps a state, and a matrix leads back. Mamba-2 calls keys and queries B and C, its key heads
    groups. Mamba-1 has channels in place of heads and computes B, C and steps from them.
    """

    model = override(example="qwen3-next-80b-a3b")

    # Widths of all heads together
    d_state_keys = formula(state.n_groups * state.d_state, "", "Width of the keys of all heads of a state")
    d_state_values = formula(state.n_heads * state.d_head, "", "Width of the values of all heads of a state")
    d_state_conv = formula(2 * d_state_keys + d_state_values, "", "Width that the short convolution mixes")

    # Into the layer: queries, keys, values and numbers a head
    state_in_params = formula(
        d_model * (d_state_conv + state.token_scalars * state.n_heads),
        "param",
        "Matrices of queries, keys, values and numbers of a token",
    )
    conv_params = formula(d_state_conv * (state.d_conv + state.conv_bias), "param", "Short convolution")

    # Gate: one matrix, or a rank between two, which then also serves the decay of each channel of the keys
    low_rank_gate = formula(indicator(state.gate_rank > 0), "", "1 if a rank bounds gate and decay, else 0")
    full_gate_params = formula((1 - low_rank_gate) * d_model * d_state_values, "param", "Matrix of the gate")
    low_rank_gate_params = formula(
        state.gate_rank * (2 * d_model + d_state_values + d_state_keys) + low_rank_gate * d_state_keys,
        "param",
        "Gate and decay through a rank, and the shift of the decay",
    )

    # Steps, keys and queries of Mamba-1, from its channels
    selection_params = formula(
        indicator(state.step_rank > 0) * 2 * d_state_values * (state.step_rank + state.d_state),
        "param",
        "Steps, keys and queries of Mamba-1, and steps back to channels",
    )

    # Learned numbers, norms, output, and the sum
    state_head_params = formula(
        state.n_heads * state.head_scalars + state.d_norm, "param", "Numbers of each head, and norms"
    )
    state_out_params = formula(d_state_values * d_model, "param", "Matrix of the output")
    state_params = formula(
        (state_in_params + conv_params)
        + (full_gate_params + low_rank_gate_params + selection_params)
        + (state_head_params + state_out_params),
        "param",
        "Parameters of one recurrent mixer",
    )

    # Of these, what no format quantizes
    decay_shift_params = formula(low_rank_gate * d_state_keys, "param", "Shift of the decay of each key channel")
    state_vector_params = formula(
        conv_params + decay_shift_params + state_head_params,
        "param",
        "Convolution, shift of the decay, numbers of each head, and norms",
    )

    assumptions = ("Recurrent mixers of a model are alike.",)
    sources = ("mamba", "mamba-2", "gated-delta-net", "kimi-linear", "minimax-01")
