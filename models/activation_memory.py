from flopsheet import ceil, choice, equal, formula, given, indicator, limit, max_, min_, mod, override, select
from flopsheet.builtin.models.attention_activations import AttentionActivations
from flopsheet.builtin.models.feed_forward_activations import FeedForwardActivations
from flopsheet.builtin.models.pipeline_schedule import PipelineSchedule
from flopsheet.builtin.models.state_activations import StateActivations


class ActivationMemory(AttentionActivations, StateActivations, FeedForwardActivations, PipelineSchedule):
    """Activations that the most loaded chip keeps for the backward pass, of any language model.

    Tensors of each part of a layer, then layers of a stage for all micro-batches in flight, then embedding and loss.
    """

    model = override(example="deepseek-v3")
    n_pp = override(example=16)

    # One layer, on average over layers of several kinds
    recomputation = choice(
        "none",
        "selective",
        "full",
        doc="What the backward pass computes again: nothing, scores, or whole layers from their inputs",
        default="none",
    )
    checkpoints_per_block = given(
        "Inputs that full recomputation keeps per block: one, or fewer where it keeps every second or third", default=1
    )
    recomputed_share = given("Share of the blocks that full recomputation covers: all", default=1, maximum=1)

    norm_memory = formula(block_norms * input_memory, "MiB", "Inputs of the norms of a layer")
    repeated_inputs = formula(
        (n_attention_blocks + state.n_blocks + n_blocks - n_ffn_free_blocks)
        - (min_(block_norms, 2) * n_blocks - indicator(block_norms > 1) * n_ffn_free_blocks),
        "",
        "Parts of all layers that read the same norm as another part beside them",
    )
    token_memory = formula(
        norm_memory
        + (
            n_attention_blocks * attention_memory
            + state.n_blocks * mixer_memory
            + n_dense_blocks * mlp_memory
            + n_moe_blocks * moe_memory
            - repeated_inputs * part_input_memory
        )
        / n_blocks,
        "MiB",
        "Activations of a layer that grow with tokens",
    )
    computed_memory = formula(
        token_memory + n_attention_blocks / n_blocks * score_memory, "MiB", "All activations of a layer"
    )
    repeated_memory = formula(
        (
            n_attention_blocks * repeated_attention_memory
            + n_dense_blocks * repeated_mlp_memory
            + n_moe_blocks * repeated_moe_memory
            + (state.n_blocks - repeated_inputs) * (1 - kept_norms) * norm_output_memory
        )
        / n_blocks,
        "MiB",
        "Activations of a layer that are computed again, not kept, whatever the recomputation of layers",
    )
    layer_memory = formula(
        select(
            recomputation,
            none=computed_memory,
            selective=token_memory,
            full=recomputed_share * checkpoints_per_block * input_memory + (1 - recomputed_share) * computed_memory,
        ),
        "MiB",
        "Activations of a layer that are kept",
    )

    # After the last layer
    bytes_per_logit = given(
        "Bytes of an fp32 logit of one token", "byte/token", default=4, source="korthikanti", minimum=0
    )
    loss_chunks = given("Parts in which logits and loss are computed: one", default=1, integer=True)
    n_trained_mtp = given("Trained modules that predict a further token: none", default=0, example=1, minimum=0)

    logit_memory = formula(
        local_tokens * vocab / n_tp * bytes_per_logit / loss_chunks, "GiB", "Logits, which the loss keeps"
    )
    head_memory = formula(
        min_(outer_norms, 1) * input_memory + part_input_memory + logit_memory,
        "GiB",
        "Input and output of the last norm, and logits",
    )
    n_stage_blocks = given("Blocks of the most loaded stage", inferred=ceil(n_blocks / n_pp))
    chunks_have_layers = limit(
        equal(indicator(n_pp > 1) * mod(ceil(n_blocks / n_pp), stage_chunks), 0),
        "The chunks of a full stage have the same number of layers, one or more",
    )
    free_places = formula(
        max_(0, n_pp * n_stage_blocks - n_blocks), "", "Blocks that the last stages have fewer than the most loaded one"
    )
    further_mtp = formula(
        max_(0, n_trained_mtp - free_places),
        "",
        "Modules that predict a further token and that the most loaded stage has beside its blocks",
    )
    mtp_memory = formula(
        further_mtp * layer_memory + n_trained_mtp * (2 * input_memory + head_memory),
        "GiB",
        "Modules that predict further tokens",
    )

    # The first and the last stage

    stage_outputs = choice(
        "freed",
        "kept",
        doc="Whether stages free outputs that they have sent, or keep them until backward",
        default="freed",
    )
    kept_outputs = formula(
        select(stage_outputs, freed=0, kept=indicator(n_pp > 1)),
        "",
        "1 if a stage keeps what it sent to the next, else 0",
    )

    stage_memory = formula(
        n_in_flight * n_stage_blocks * layer_memory, "GiB", "Layers of the first stage, all micro-batches in flight"
    )
    end_memory = formula(n_loss_in_flight * (head_memory + mtp_memory), "GiB", "What is kept after the last layer")
    embedding_memory = formula(
        mask_memory + max_(outer_norms - 1, 0) * input_memory,
        "MiB",
        "After the embedding: dropout mask, and input of its norm where it has one",
    )
    first_stage_memory = formula(
        stage_memory + n_in_flight * (embedding_memory + kept_outputs * input_memory) + joined_ends * end_memory,
        "GiB",
        "Activations of the first stage, with what is kept of the embedding and of outputs",
    )
    last_stage_memory = formula(
        n_last_in_flight * n_stage_blocks * layer_memory + end_memory, "GiB", "Activations of the last stage"
    )
    activation_memory = formula(
        max_(first_stage_memory, last_stage_memory), "GiB", "Activations of the most loaded chip"
    )

    # Beside them, while one layer is computed backward
    recomputed_memory = formula(
        select(
            recomputation,
            none=0,
            selective=score_memory,
            full=indicator(recomputed_share > 0) * computed_memory / checkpoints_per_block,
        ),
        "GiB",
        "Activations that are computed again before a layer is computed backward",
    )
    hidden_gradient_memory = formula(
        max_(
            indicator(n_dense_blocks > 0) * hidden_memory,
            indicator(n_moe_blocks > 0) * (expert_hidden_memory + routed_input_memory),
        ),
        "GiB",
        "Gradients of the widest tensors of a layer",
    )
    peak_activation_memory = formula(
        activation_memory + recomputed_memory + hidden_gradient_memory,
        "GiB",
        "Activations at the peak: those kept, those computed again, and gradients of a hidden layer",
        headline=True,
    )

    assumptions = (
        "Layers of several kinds are spread evenly over the stages.",
        "Token ids are left out.",
        "Buffers of communication and fragmentation are left out.",
    )
    notes = (
        "A fused loss keeps bf16 logits: bytes_per_logit = 2 byte/token. Others keep fp32 logits and their softmax: 8.",
        "Gradients of logits take the memory of logits or of their softmax.",
        "With expert_weights = outputs, as in most implementations without fused kernels, outputs of experts are kept.",
        (
            "In fp8, bytes_per_matmul_input = 1 byte/token. DeepSeek-V3 has bytes_per_nonlinear_input = 1 byte/token "
            "and bytes_per_head_output = 1.5 byte/token, and computes norms, products and latent heads again."
        ),
        "Megatron-LM frees the outputs of a stage once they are sent; DeepSpeed keeps them: stage_outputs = kept.",
    )
    sources = (
        "korthikanti",
        "flash-attention",
        "megatron-core-moe",
        "deepseek-v3",
        "mamba-2",
        "gated-delta-net",
        "deepspeed-engine",
    )
