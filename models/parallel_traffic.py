from flopsheet import ceil, choice, equal, floor, formula, given, indicator, limit, max_, mod, override, select
from flopsheet.builtin.models.chip_peak import ChipPeak
from flopsheet.builtin.models.global_batch import GlobalBatch
from flopsheet.builtin.models.training_steps import TrainingSteps
from flopsheet.builtin.models.transformer_words import TransformerWords


class ParallelTraffic(TransformerWords, GlobalBatch, TrainingSteps, ChipPeak):
    """Computation and communication of a training run in six dimensions of parallelism, counted word by word.

    A cluster computes as one: a chip, or many chips behind one link to the others. With `microbatch` as the unknown and
    its limits as relations, the answer is every efficient micro-batch.
    """

    # The run
    batch = override(example=1024)
    dataset_tokens = override(example=2e12)
    n_experts = override(example=4)
    block_experts = formula(
        max_(1, n_experts), "", "Experts of a layer, of which a token uses one: one in a dense model", integer=True
    )
    n_clusters = formula(n_dp * n_pp * n_ep * n_cp * n_tp, "", "Number of clusters", symbol=r"n_{\text{cluster}}")

    # Weights: the ranks that share them gather them for each step, and add up the gradients
    attention_weights = formula(
        2 * d_model * d_attn, "", "Query and output weights of an expert", symbol=r"W_{\text{att}}"
    )
    kv_weights = formula(2 * d_model * d_kv, "", "Key and value weights of an expert", symbol=r"W_{\text{kv}}")
    ffn_weights = formula(
        (n_ffn_in + 1) * d_model * d_ff, "", "Feed-forward weights of an expert", symbol=r"W_{\text{ffn}}"
    )
    params = formula(
        n_blocks * block_experts * (attention_weights + kv_weights + ffn_weights), "param", "Weights of all experts"
    )
    active_params = formula(params / block_experts, "param", "Weights used for one token")
    weight_ranks = formula(n_dp * n_cp, "", "Ranks with the same weights")
    kv_weight_ranks = formula(
        select(attention, multi_query=weight_ranks * n_tp_hidden, multi_head=weight_ranks),
        "",
        "Ranks that share a key or value weight",
        symbol=r"k_{\text{weight,kv}}",
    )
    weights_sent_forward = formula(
        n_blocks
        * block_experts
        * (
            (attention_weights + ffn_weights) * indicator(weight_ranks > 1)
            + kv_weights * indicator(kv_weight_ranks > 1)
        ),
        "",
        "Words of weights sent forward per step",
        symbol=r"x_{\text{weight}}",
    )
    weights_received = formula(
        n_blocks
        * block_experts
        * ((attention_weights + ffn_weights) * (weight_ranks - 1) + kv_weights * (kv_weight_ranks - 1)),
        "",
        "Words of weights received per step; as many words of gradients are sent, received and added",
        symbol=r"y_{\text{weight}}",
    )

    # The whole run
    operation_work = given(
        "Computation of one operation: one multiplication or addition", "FLOP", default=1, fixed=True, symbol="F_1"
    )
    recompute = choice("none", "full", doc="Whether the backward pass repeats the forward pass", default="none")
    passes = choice("training", "forward", doc="Whether the run has a backward pass", default="training")

    token_layers = formula(
        batch * context_len * n_blocks, "", "Passes of a token through a layer per step", symbol=r"n_{\text{pass}}"
    )
    forward_work = formula(
        operation_work * n_steps * token_layers * layer_forward,
        "EFLOP",
        "Forward computation",
        symbol=r"F_{\text{fwd}}",
    )
    backward_work = formula(
        operation_work * n_steps * (token_layers * layer_backward + weights_received)
        + select(recompute, none=0, full=forward_work),
        "EFLOP",
        "Backward computation",
        symbol=r"F_{\text{bwd}}",
    )
    total_work = formula(
        select(passes, training=forward_work + backward_work, forward=forward_work), "EFLOP", "Computation of the run"
    )
    sent_forward = formula(
        n_steps * (token_layers * layer_sent_forward + weights_sent_forward),
        "",
        "Words sent forward",
        symbol=r"X_{\text{fwd}}",
    )
    sent_backward = formula(
        n_steps * (token_layers * layer_sent_backward + weights_received)
        + select(recompute, none=0, full=sent_forward),
        "",
        "Words sent backward",
        symbol=r"X_{\text{bwd}}",
    )
    sent = formula(
        select(passes, training=sent_forward + sent_backward, forward=sent_forward), "", "Words sent", symbol="X"
    )
    received_forward = formula(
        n_steps * (token_layers * layer_received + weights_received),
        "",
        "Words received forward",
        symbol=r"Y_{\text{fwd}}",
    )
    received_backward = formula(
        select(recompute, none=received_forward, full=2 * received_forward),
        "",
        "Words received backward",
        symbol=r"Y_{\text{bwd}}",
    )
    received = formula(
        select(passes, training=received_forward + received_backward, forward=received_forward),
        "",
        "Words received",
        symbol="Y",
    )
    traffic_forward = formula(
        sent_forward + received_forward, "", "Words sent and received forward", symbol=r"Z_{\text{fwd}}"
    )
    traffic_backward = formula(
        sent_backward + received_backward, "", "Words sent and received backward", symbol=r"Z_{\text{bwd}}"
    )
    traffic = formula(sent + received, "", "Words sent and received", symbol="Z", headline=True)

    # Rates at which no cluster waits
    bytes_per_word = given("bf16 word", "byte", default=2, source="bfloat16", symbol=r"\beta_{\text{word}}")
    cluster_chips = given(
        "Chips of a cluster: one if each communicates on its own",
        "chip",
        default=1,
        inferred=system.n_chips,
        integer=True,
        symbol="n_1",
    )
    utilization = given("Share of the peak rate that a cluster reaches", example=0.4, maximum=1)
    cluster_rate = given(
        "Sustained rate of a cluster",
        "TFLOP/s",
        inferred=utilization * cluster_chips * peak_rate,
        example=1000,
        symbol=r"C_{\text{cluster}}",
    )

    cluster_sent_rate = formula(
        bytes_per_word * sent / total_work * cluster_rate,
        "GB/s",
        "Send rate of a cluster",
        symbol=r"\dot{X}_{\text{cluster}}",
    )
    cluster_received_rate = formula(
        bytes_per_word * received / total_work * cluster_rate,
        "GB/s",
        "Receive rate of a cluster",
        symbol=r"\dot{Y}_{\text{cluster}}",
    )
    cluster_traffic_rate = formula(
        cluster_sent_rate + cluster_received_rate,
        "GB/s",
        "Send and receive rate of a cluster",
        symbol=r"\dot{Z}_{\text{cluster}}",
    )
    run_rate = formula(n_clusters * cluster_rate, "EFLOP/s", "Compute rate of all clusters", symbol=r"C_{\text{run}}")
    sent_rate = formula(n_clusters * cluster_sent_rate, "TB/s", "Send rate of all clusters", symbol=r"\dot{X}")
    received_rate = formula(
        n_clusters * cluster_received_rate, "TB/s", "Receive rate of all clusters", symbol=r"\dot{Y}"
    )
    traffic_rate = formula(
        sent_rate + received_rate, "TB/s", "Send and receive rate of all clusters", symbol=r"\dot{Z}", headline=True
    )
    train_time = formula(total_work / run_rate, "day", "Time of the run", headline=True)

    # What is efficient: a batch above the noise, short pipeline bubbles, large matrix products
    max_expert_batch = given(
        "Largest useful batch of an expert",
        "token",
        default=8388608,
        source="ml-par-sim-words",
        symbol=r"B_{e,\text{max}}",
    )
    microbatches_per_stage = given(
        "Micro-batches per stage that fill the pipeline",
        default=4,
        integer=True,
        source="ml-par-sim-words",
        symbol=r"k_{\text{stage}}",
    )
    matmul_tokens = given(
        "Tokens from which a matrix product is efficient",
        "token",
        default=1024,
        source="ml-par-sim-words",
        symbol=r"B_{\text{mm}}",
    )
    matmul_width = given(
        "Width from which a matrix product is efficient",
        default=1024,
        integer=True,
        source="ml-par-sim-words",
        symbol=r"d_{\text{mm}}",
    )
    microbatch = given(
        "Sequences in a micro-batch, all replicas together",
        "sequence",
        example=16,
        integer=True,
        symbol=r"b_{\text{micro}}",
    )

    expert_len = formula(context_len / block_experts, "token", "Tokens of a sequence per expert", symbol=r"\ell_{e}")
    expert_batch = formula(batch * expert_len, "token", "Tokens of a batch per expert", symbol="B_{e}")
    min_microbatches = formula(
        max_(1, microbatches_per_stage * n_pp * indicator(n_pp > 1)),
        "",
        "Fewest micro-batches of a step; one without a pipeline",
        symbol=r"k_{\text{min}}",
    )
    min_microbatch = formula(
        n_dp * ceil(matmul_tokens * n_cp / expert_len),
        "sequence",
        "Smallest micro-batch with efficient matrix products",
        symbol=r"b_{\text{min}}",
    )
    max_microbatch = formula(
        floor(batch / min_microbatches), "sequence", "Largest micro-batch with short bubbles", symbol=r"b_{\text{max}}"
    )

    batch_is_useful = limit(expert_batch <= max_expert_batch, "The batch of an expert is useful")
    bubble_is_short = limit(batch / n_dp >= min_microbatches, "A replica has enough sequences for its micro-batches")
    microbatch_exists = limit(min_microbatch <= max_microbatch, "Some micro-batch is neither too small nor too large")
    microbatch_is_large = limit(microbatch >= min_microbatch, "Matrix products of the micro-batch are efficient")
    microbatch_is_small = limit(microbatch <= max_microbatch, "Bubbles of the micro-batch are short")
    microbatch_divides = limit(equal(mod(microbatch, n_dp), 0), "Replicas get equal parts of the micro-batch")
    microbatches_are_whole = limit(equal(mod(batch, microbatch), 0), "Micro-batches divide the batch")
    ffn_is_wide = limit(n_tp_hidden * matmul_width <= d_ff, "Shards of the hidden layer are wide enough")
    heads_are_wide = limit(n_tp_hidden * matmul_width <= d_attn, "Shards of the heads are wide enough")
    residual_is_wide = limit(n_tp_residual * matmul_width <= d_model, "Shards of the residual stream are wide enough")

    # Divisibility
    experts_divide = limit(equal(mod(context_len, block_experts), 0), "Experts get equal parts of a sequence")
    batch_divides = limit(equal(mod(batch, n_dp), 0), "Replicas get equal parts of a batch")
    layers_divide = limit(equal(mod(n_blocks, n_pp), 0), "Stages get equal numbers of layers")
    expert_ranks_divide = limit(equal(mod(block_experts, n_ep), 0), "Ranks get equal numbers of experts")
    sequence_divides = limit(equal(mod(context_len, block_experts * n_cp), 0), "Ranks get equal parts of a sequence")
    keys_divide = limit(equal(mod(context_len, block_experts * n_tp_residual), 0), "Ranks get equal numbers of keys")
    residual_divides = limit(equal(mod(d_model, n_tp_residual), 0), "Ranks get equal parts of the residual stream")
    ffn_divides = limit(equal(mod(d_ff, n_tp_hidden), 0), "Ranks get equal parts of the hidden layer")
    heads_divide = limit(equal(mod(n_heads, n_tp_hidden), 0), "Ranks get equal numbers of heads")
    attention_shards_divide = limit(
        equal(mod(block_experts * d_model * d_attn, n_ep * n_tp_residual * n_tp_hidden * weight_ranks), 0),
        "Ranks share query and output weights equally",
    )
    kv_shards_divide = limit(
        equal(mod(block_experts * d_model * d_kv, n_ep * n_tp_residual * n_tp_hidden * weight_ranks), 0),
        "Ranks share key and value weights equally",
    )
    ffn_shards_divide = limit(
        equal(mod(block_experts * d_model * d_ff, n_ep * n_tp_residual * n_tp_hidden * weight_ranks), 0),
        "Ranks share feed-forward weights equally",
    )

    assumptions = (
        "Embeddings, norms, the router and the addition to the residual stream are left out.",
        "Every token attends to all positions: a causal mask saves nothing.",
        "A broadcast sends a word once, however many ranks receive it; a sum sends each of its parts.",
        "Communication and pipeline bubbles take no time of their own.",
    )
    notes = (
        "The source rounds steps to the nearest whole number, halves to even; last_batch = nearest rounds halves up.",
        "The source tests the batch of an expert against 4096 * 2048 tokens, as here; its message says 2048 * 2048.",
        "The source counts recomputation once more each time it prints; here it is counted once.",
    )
    sources = ("ml-par-sim-words", "bfloat16")
