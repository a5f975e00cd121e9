from flopsheet import choice, formula, given, indicator, override, select
from flopsheet.builtin.models.model_blocks import ModelBlocks
from flopsheet.builtin.models.pipeline_schedule import PipelineSchedule


class ActivationEstimates(ModelBlocks, PipelineSchedule):
    """Published estimates of the activations of a plain transformer: Korthikanti et al. and Megatron-LM.

    They know two matrices in the feed-forward part, as many key and value heads as query heads, dropout, and scores
    that are written. Use activation_memory for other models.
    """

    model = override(example="gpt3-175b")
    n_tp = override(default=1, example=8)

    seq_len = given("Tokens in a sequence", "token", example=2048, maximum=10**9, integer=True)
    micro_batch = given(
        "Sequences that a chip trains on at once", "sequence", default=1, source="megatron-lm", integer=True
    )
    one_byte = given(
        "Bytes of an 8-bit value of one token",
        "byte/token",
        default=1,
        fixed=True,
        source="fp8-formats",
        symbol=r"\beta_{1}",
    )
    microbatch_tokens = formula(micro_batch * seq_len, "token", "Tokens in a micro-batch", integer=True)
    stream_bytes = formula(
        microbatch_tokens * d_model * one_byte, "MiB", "One byte for each value of the residual stream"
    )

    # Korthikanti et al.: one layer, by what chips share and what is computed again (their table 2)
    saving = choice(
        "none",
        "tensor_parallel",
        "sequence_parallel",
        "selective",
        "sequence_parallel_selective",
        "full",
        doc="What reduces the activations of a layer",
        default="sequence_parallel_selective",
    )
    replicated_bytes = given(
        "Bytes per value that tensor parallelism does not divide", default=10, source="korthikanti"
    )
    divided_bytes = given("Bytes per value that tensor parallelism divides", default=24, source="korthikanti")
    bytes_per_pair = given(
        "Bytes of softmax, dropout mask and dropped scores of a pair of tokens",
        "byte/token^2",
        default=5,
        source="korthikanti",
    )
    input_bytes = given("Bytes per value of the input of a layer", default=2, source="korthikanti")

    score_memory = formula(
        bytes_per_pair * n_heads * micro_batch * seq_len**2, "MiB", "Scores of a layer, on all chips together"
    )
    score_ratio = formula(score_memory / stream_bytes, "", "Bytes of scores per value of the residual stream")
    serial_memory = formula(
        (replicated_bytes + divided_bytes) * stream_bytes + score_memory, "MiB", "A layer without parallelism"
    )
    tensor_parallel_memory = formula(
        (replicated_bytes + divided_bytes / n_tp) * stream_bytes + score_memory / n_tp,
        "MiB",
        "A layer with tensor parallelism",
    )
    sequence_parallel_memory = formula(serial_memory / n_tp, "MiB", "A layer with sequence parallelism too")
    selective_memory = formula(
        (replicated_bytes + divided_bytes / n_tp) * stream_bytes,
        "MiB",
        "A layer with tensor parallelism, scores computed again",
    )
    sequence_selective_memory = formula(
        (replicated_bytes + divided_bytes) * stream_bytes / n_tp,
        "MiB",
        "A layer with sequence parallelism too, scores computed again",
    )
    full_memory = formula(input_bytes * stream_bytes, "MiB", "A layer that is computed again from its input")
    layer_memory = formula(
        select(
            saving,
            none=serial_memory,
            tensor_parallel=tensor_parallel_memory,
            sequence_parallel=sequence_parallel_memory,
            selective=selective_memory,
            sequence_parallel_selective=sequence_selective_memory,
            full=full_memory,
        ),
        "MiB",
        "Activations of a layer that are kept",
    )
    score_share = formula(
        score_memory / serial_memory, "percent", "Share of the activations of a layer that scores take"
    )
    kept_share = formula(
        layer_memory / tensor_parallel_memory,
        "percent",
        "Activations of a layer over those with tensor parallelism only",
    )
    stage_memory = formula(
        n_in_flight * n_blocks / n_pp * layer_memory,
        "GiB",
        "Layers of the first stage, all micro-batches in flight",
    )

    # What both add to the layers: the last norm, the output layer and the loss where there is one stage only
    bytes_per_logit = given(
        "Bytes of an fp32 logit of one token", "byte/token", default=4, source="korthikanti", minimum=0
    )
    end_memory = formula(
        indicator(n_pp <= 1) * microbatch_tokens / n_tp * bytes_per_logit * (d_model + vocab),
        "GiB",
        "Last norm, output layer and loss, of a single stage",
    )
    first_stage_memory = formula(
        stage_memory + n_in_flight * stream_bytes / n_tp + end_memory,
        "GiB",
        "Korthikanti et al.: activations of the first stage",
        headline=True,
    )

    # Megatron-LM, theoretical_memory_usage.py: with sequence parallelism and selective recomputation, or with neither
    megatron_form = choice(
        "sequence_parallel",
        "tensor_parallel",
        doc="Megatron-LM's estimate: for sequence parallelism with recomputed scores, or for all else",
        default="sequence_parallel",
    )
    megatron_stream_bytes = given(
        "Bytes per value of the residual stream in a layer", default=18, source="megatron-theoretical-memory"
    )
    megatron_hidden_bytes = given(
        "Bytes per hidden unit of one token", "byte/token", default=4, source="megatron-theoretical-memory"
    )
    bytes_per_token_id = given(
        "Bytes of a token and its position", "byte/token", default=8, source="megatron-theoretical-memory"
    )
    megatron_d_ff = given(
        "Feed-forward width that Megatron-LM is told",
        inferred=d_ff,
        minimum=0,
        integer=True,
    )
    megatron_layer_memory = formula(
        (megatron_stream_bytes * stream_bytes + megatron_hidden_bytes * microbatch_tokens * megatron_d_ff) / n_tp,
        "MiB",
        "Megatron-LM: activations of a layer",
    )
    bytes_per_stored_logit = given(
        "Bytes of a 16-bit logit of one token, where sequences are not parallel",
        "byte/token",
        default=2,
        source="megatron-theoretical-memory",
    )
    megatron_spare_share = given(
        "Share of the activations that is added for buffers where sequences are not parallel",
        default=0.05,
        minimum=0,
        source="megatron-theoretical-memory",
    )
    megatron_end_memory = formula(
        indicator(n_pp <= 1) * microbatch_tokens * bytes_per_stored_logit * (d_model + vocab / n_tp),
        "GiB",
        "Megatron-LM: last norm and logits of a single stage without sequence parallelism",
    )
    megatron_memory = formula(
        select(
            megatron_form,
            sequence_parallel=n_in_flight
            * (n_blocks / n_pp * megatron_layer_memory + (bytes_per_token_id * microbatch_tokens + stream_bytes) / n_tp)
            + end_memory,
            tensor_parallel=(1 + megatron_spare_share)
            * (
                n_in_flight
                * (n_blocks / n_pp * selective_memory + bytes_per_token_id * microbatch_tokens + stream_bytes)
                + megatron_end_memory
            ),
        ),
        "GiB",
        "Megatron-LM: activations of the first stage",
        headline=True,
    )

    assumptions = ("Activations are those of two matrices without experts, and of keys and values as wide as queries.",)
    notes = (
        "Without sequence parallelism Megatron-LM leaves out scores, whether they are computed again or not.",
        "Megatron-LM takes the experts of a layer for one dense part, whatever a token passes.",
        "EleutherAI's cookbook takes selective_memory without parallelism for all layers.",
    )
    sources = ("korthikanti", "megatron-theoretical-memory")
