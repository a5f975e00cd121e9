from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.model_blocks import ModelBlocks
from flopsheet.builtin.models.parallel_degrees import ParallelDegrees


class LayerInput(ModelBlocks, ParallelDegrees):
    """Activations that enter a layer and its parts: tokens on one chip, bytes of a value, and what is recomputed."""

    model = override(example="llama-3-70b")

    # Tokens of one chip
    seq_len = given("Tokens in a sequence", "token", example=8192, maximum=10**9, integer=True)
    micro_batch = given(
        "Sequences that a chip trains on at once",
        "sequence",
        default=1,
        maximum=10**6,
        source="megatron-lm",
        integer=True,
    )
    sequence_parallel = choice(
        "no", "yes", doc="Whether tensor-parallel chips also share norms, masks and inputs", default="no"
    )

    microbatch_tokens = formula(micro_batch * seq_len, "token", "Tokens in a micro-batch", integer=True)
    local_tokens = formula(microbatch_tokens / n_cp, "token", "Tokens of a micro-batch on one chip")
    n_sp = formula(select(sequence_parallel, no=1, yes=n_tp), "chip", "Chips that share norms, masks and inputs")
    stream_tokens = formula(local_tokens / n_sp, "token", "Tokens whose residual stream one chip keeps")

    # Bytes of a value
    bytes_per_activation = given("Bytes of a bf16 activation of one token", "byte/token", default=2, source="bfloat16")
    bytes_per_matmul_input = given(
        "Bytes of an input of a matrix product of one token: fewer where products are in fp8",
        "byte/token",
        inferred=bytes_per_activation,
        example=2,
    )
    dropout = choice("no", "yes", doc="Whether training drops values and keeps masks of them", default="no")
    bytes_per_mask = given(
        "Bytes of the dropout mask of one value", "byte/token", default=1, source="korthikanti", minimum=0
    )
    masks = formula(select(dropout, no=0, yes=1), "", "1 with dropout, else 0")

    # What the backward pass computes again, in each layer
    recompute_norms = choice("no", "yes", doc="Whether outputs of norms are computed again", default="no")
    recompute_products = choice(
        "no", "yes", doc="Whether outputs of the nonlinearity are computed again from its inputs", default="no"
    )
    kept_norms = formula(select(recompute_norms, no=1, yes=0), "", "1 if outputs of norms are kept, else 0")
    kept_products = formula(select(recompute_products, no=1, yes=0), "", "1 if outputs of the nonlinearity are kept")

    # Tensors as wide as the residual stream
    input_memory = formula(
        stream_tokens * d_model * bytes_per_activation,
        "MiB",
        "Input of a layer, or another tensor as large",
        headline=True,
    )
    norm_output_memory = formula(
        stream_tokens * d_model * bytes_per_matmul_input,
        "MiB",
        "Output of a norm: what the matrices of a part of a layer read",
    )
    part_input_memory = formula(
        kept_norms * norm_output_memory, "MiB", "Output of a norm where it is kept", headline=True
    )
    mask_memory = formula(
        masks * stream_tokens * d_model * bytes_per_mask, "MiB", "Dropout mask after a part of a layer"
    )

    sources = ("korthikanti", "deepseek-v3")
