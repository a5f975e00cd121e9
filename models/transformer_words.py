from flopsheet import choice, formula, given, indicator, max_, override, select
from flopsheet.builtin.models.tensor_mesh import TensorMesh
from flopsheet.builtin.models.transformer_shape import TransformerShape


class TransformerWords(TransformerShape, TensorMesh):
    """Operations and words of a token in one layer of a transformer, with tensors sharded over ranks.

    A word is one element of a tensor. A sum over ranks sends its parts to the rank that adds them, and the sum back to
    all. The backward pass mirrors it, and receives as many words as the forward pass.
    """

    # The model
    n_blocks = override(example=64)
    d_model = override(example=8192)
    d_ff = override(example=32768)
    n_heads = override(example=128)
    d_head = override(default=64, source="ml-par-sim-words")
    context_len = given("Positions of a sequence: its length in tokens", example=4096, integer=True)
    attention = choice("multi_query", "multi_head", doc="Whether heads share a key and a value", default="multi_query")
    ffn = choice("plain", "glu", doc="Whether a second matrix gates the hidden layer", default="plain")
    order = choice(
        "parallel",
        "consecutive",
        doc="Whether the feed-forward network runs beside attention or after it",
        default="parallel",
    )

    seq_len = formula(context_len, "token", "Tokens in a sequence")
    d_attn = formula(n_heads * d_head, "", "Width of the queries")
    d_kv = formula(select(attention, multi_query=d_head, multi_head=d_attn), "", "Width of the keys, and of the values")
    n_ffn_in = formula(select(ffn, plain=1, glu=2), "", "Matrices that lead into the hidden layer")

    # The ranks
    n_ep = given("Shards of the experts: one for no expert parallelism", default=1, example=2, integer=True)
    n_cp = given("Shards of a sequence: one for no sequence parallelism", default=1, example=2, integer=True)
    n_tp_hidden = override(example=4)
    kv_ranks = formula(n_cp * n_ep, "", "Ranks that exchange keys and values")
    d_kv_ranks = formula(
        select(attention, multi_query=n_tp_hidden * d_kv, multi_head=d_kv),
        "",
        "Width of the keys with their copies on all ranks",
    )
    crossing_fraction = formula(
        1 - (1 - (n_pp - 1) / n_blocks) / n_ep, "", "Share of tokens that move to another stage or expert rank"
    )

    # What an operation and a sum over ranks cost
    backward_operations = given(
        "Backward operations of a multiplication: two products, each added up", default=4, source="ml-par-sim-words"
    )
    wide_sum_sent = formula(
        n_tp_residual - 1 + indicator(n_tp_residual > 1), "", "Words sent to sum over shards of the residual stream"
    )
    wide_sum_received = formula(2 * (n_tp_residual - 1), "", "Words received to sum over shards of the residual stream")
    head_sum_sent = formula(
        n_tp_hidden - 1 + indicator(n_tp_hidden > 1), "", "Words sent to sum over shards of the heads"
    )
    head_sum_received = formula(2 * (n_tp_hidden - 1), "", "Words received to sum over shards of the heads")

    # Query
    query_forward = formula(d_model * d_attn + d_attn * (d_model - 1), "", "Query, forward operations")
    query_backward = formula(
        backward_operations * d_model * d_attn + d_attn * (n_tp_residual - 1), "", "Query, backward operations"
    )
    query_sent = formula(d_attn * wide_sum_sent, "", "Query, words sent either way")
    query_received = formula(d_attn * wide_sum_received, "", "Query, words received either way")

    # Key and value, which ranks with other positions and experts need too
    kv_forward = formula(
        2 * (d_model * d_kv_ranks + d_kv_ranks * (d_model - 1)), "", "Key and value, forward operations"
    )
    kv_backward = formula(
        2 * (backward_operations * d_model * d_kv_ranks + d_kv_ranks * (kv_ranks - 1)),
        "",
        "Key and value, backward operations",
    )
    kv_sent_forward = formula(
        2 * (d_kv_ranks * (n_tp_residual - 1) + d_kv * indicator(kv_ranks > 1)), "", "Key and value, words sent forward"
    )
    kv_sent_backward = formula(
        2 * (d_kv_ranks * indicator(n_tp_residual > 1) + d_kv_ranks * (kv_ranks - 1)),
        "",
        "Key and value, words sent backward",
    )
    kv_received = formula(
        2 * d_kv_ranks * (n_tp_residual - 1 + kv_ranks - 1), "", "Key and value, words received either way"
    )

    # Scores, softmax, mixed values
    score_forward = formula(
        d_attn * context_len + n_heads * context_len * (d_head - 1), "", "Scores, forward operations"
    )
    score_backward = formula(backward_operations * d_attn * context_len, "", "Scores, backward operations")
    softmax_forward = formula(n_heads * (context_len - 1), "", "Softmax denominator, forward operations")
    softmax_backward = formula(n_heads * (n_tp_residual - 1), "", "Softmax denominator, backward operations")
    softmax_sent = formula(n_heads * wide_sum_sent, "", "Softmax denominator, words sent either way")
    softmax_received = formula(n_heads * wide_sum_received, "", "Softmax denominator, words received either way")
    normalise_forward = formula(n_heads * context_len, "", "Normalised scores, forward operations")
    normalise_backward = formula(
        backward_operations * n_heads * context_len, "", "Normalised scores, backward operations"
    )
    mix_forward = formula(d_attn * context_len + d_attn * (context_len - 1), "", "Mixed values, forward operations")
    mix_backward = formula(
        backward_operations * d_attn * context_len + d_attn * (n_tp_residual - 1),
        "",
        "Mixed values, backward operations",
    )
    mix_sent = formula(d_attn * wide_sum_sent, "", "Mixed values, words sent either way")
    mix_received = formula(d_attn * wide_sum_received, "", "Mixed values, words received either way")

    # Output projection; heads are summed here where the network waits for them
    output_forward = formula(
        d_model * d_attn + d_model * n_heads * (d_head - 1), "", "Output projection, forward operations"
    )
    output_backward = formula(backward_operations * d_model * d_attn, "", "Output projection, backward operations")
    join_forward = formula(
        select(order, parallel=0, consecutive=d_model * (n_heads - 1)), "", "Sum of heads, forward operations"
    )
    join_backward = formula(
        select(order, parallel=0, consecutive=d_model * (n_tp_hidden - 1)), "", "Sum of heads, backward operations"
    )
    join_sent = formula(
        select(order, parallel=0, consecutive=d_model * head_sum_sent), "", "Sum of heads, words sent either way"
    )
    join_received = formula(
        select(order, parallel=0, consecutive=d_model * head_sum_received),
        "",
        "Sum of heads, words received either way",
    )

    # Feed-forward network
    ffn_in_forward = formula(n_ffn_in * (d_model * d_ff + d_ff * (d_model - 1)), "", "Hidden layer, forward operations")
    ffn_in_backward = formula(
        n_ffn_in * (backward_operations * d_model * d_ff + d_ff * (n_tp_residual - 1)),
        "",
        "Hidden layer, backward operations",
    )
    ffn_in_sent = formula(n_ffn_in * d_ff * wide_sum_sent, "", "Hidden layer, words sent either way")
    ffn_in_received = formula(n_ffn_in * d_ff * wide_sum_received, "", "Hidden layer, words received either way")
    gate_forward = formula(select(ffn, plain=0, glu=d_ff * n_tp_residual), "", "Gate, forward operations")
    gate_backward = formula(
        select(ffn, plain=0, glu=backward_operations * d_ff * n_tp_residual), "", "Gate, backward operations"
    )
    ffn_out_forward = formula(d_model * d_ff, "", "Network output, forward operations")
    ffn_out_backward = formula(backward_operations * d_model * d_ff, "", "Network output, backward operations")

    # The sum that goes into the residual stream, and on to the next stage or expert
    residual_terms = formula(select(order, parallel=n_heads + d_ff, consecutive=d_ff), "", "Terms of the residual sum")
    residual_forward = formula(d_model * (residual_terms - 1), "", "Residual sum, forward operations")
    residual_backward = formula(
        d_model * (n_tp_hidden + crossing_fraction - 1), "", "Residual sum, backward operations"
    )
    residual_sent_forward = formula(
        d_model * (n_tp_hidden - 1 + max_(indicator(n_tp_hidden > 1), crossing_fraction)),
        "",
        "Residual sum, words sent forward",
    )
    residual_sent_backward = formula(
        d_model * (indicator(n_tp_hidden > 1) + n_tp_hidden + crossing_fraction - 1),
        "",
        "Residual sum, words sent backward",
    )
    residual_received = formula(
        d_model * (2 * (n_tp_hidden - 1) + crossing_fraction), "", "Residual sum, words received either way"
    )

    # All of the layer
    attention_forward = formula(
        query_forward + kv_forward + score_forward + softmax_forward + normalise_forward + mix_forward + output_forward,
        "",
        "Attention, forward operations",
    )
    attention_backward = formula(
        query_backward
        + kv_backward
        + (score_backward + softmax_backward + normalise_backward + mix_backward)
        + output_backward,
        "",
        "Attention, backward operations",
    )
    layer_forward = formula(
        attention_forward + join_forward + ffn_in_forward + gate_forward + ffn_out_forward + residual_forward,
        "",
        "Layer, forward operations",
        headline=True,
    )
    layer_backward = formula(
        attention_backward + join_backward + ffn_in_backward + gate_backward + ffn_out_backward + residual_backward,
        "",
        "Layer, backward operations",
        headline=True,
    )
    layer_sent_forward = formula(
        query_sent + kv_sent_forward + softmax_sent + mix_sent + join_sent + ffn_in_sent + residual_sent_forward,
        "",
        "Layer, words sent forward",
    )
    layer_sent_backward = formula(
        query_sent + kv_sent_backward + softmax_sent + mix_sent + join_sent + ffn_in_sent + residual_sent_backward,
        "",
        "Layer, words sent backward",
    )
    layer_received = formula(
        (query_received + kv_received + softmax_received + mix_received + join_received)
        + (ffn_in_received + residual_received),
        "",
        "Layer, words received either way",
        headline=True,
    )

    assumptions = (
        "Embeddings, norms, the router and the addition to the residual stream are left out.",
        "Every token attends to all positions: a causal mask saves nothing.",
        "A broadcast sends a word once, however many ranks receive it; a sum sends each of its parts.",
    )
    notes = ("Multi-query attention computes the shared key and value once per shard of the heads.",)
    sources = ("ml-par-sim-words",)
