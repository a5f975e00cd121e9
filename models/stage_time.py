from flopsheet import formula, given, max_, override, ratio, select
from flopsheet.builtin.models.sustained_rates import SustainedRates
from flopsheet.builtin.models.training_memory import TrainingMemory
from flopsheet.builtin.models.training_recipe import ADAPTERS, FULL
from flopsheet.builtin.models.transformer import Transformer


class StageTime(SustainedRates, TrainingMemory, Transformer):
    """Time that the slowest pipeline stage computes for one micro-batch, forward and backward.

    Matrix products run at a share of the peak rate; what is between them moves the activations of a layer through
    memory. Both are counted for one layer and for the output layer on one chip, then for the layers of a stage.
    """

    model = override(example="llama-3-70b")
    seq_len = override(example=8192)
    batch = override(example=512)
    backward_ratio = override(doc="Backward over forward pass, in computation and in time")
    recomputed_share = override(default=1)
    n_trained_mtp = override(
        doc="Trained modules that predict a further token: those that count", default=None, inferred=n_counted_mtp
    )

    # Beside adapters, matrices are frozen: the backward pass computes gradients of inputs alone
    matmul_backward = formula(
        backward_ratio * select(recipe, **dict.fromkeys(FULL, 1), **dict.fromkeys(ADAPTERS, 1 - weight_share)),
        "",
        "Backward over forward pass of matrices: without gradients of weights where these are frozen beside adapters",
    )
    weight_time = override(
        select(recipe, **dict.fromkeys(FULL, weight_share * backward_ratio), **dict.fromkeys(ADAPTERS, 0))
    )
    backward_work_per_token = override(
        matmul_backward
        * (
            forward_work_per_token
            - pair_work_per_token
            - select(work_rule, exact=single_pass_work, six_n=0, six_n_scores=0, deepseek=0)
        )
        + backward_ratio * pair_work_per_token
    )

    # Rates of a chip in training
    wide_matmul_efficiency = given(
        "Share of the peak rate that products reach in 16 or 32 bits: 0.65 to 0.75 in measured layers on an A100",
        default=0.7,
        maximum=1,
        source="korthikanti",
    )
    narrow_matmul_efficiency = given(
        "Share in 8 bits or fewer: in measured layers of DeepSeek-V3 on an H800, which adds partial sums in its cores",
        default=0.47,
        maximum=1,
        source="deepseek-profile",
    )
    matmul_efficiency = override(
        doc="Share of the peak rate that matrix products of training reach",
        default=None,
        inferred=select(
            precision,
            **dict.fromkeys(("fp32", "tf32", "bf16", "fp16"), wide_matmul_efficiency),
            **dict.fromkeys(("fp8", "int8", "fp6", "fp4"), narrow_matmul_efficiency),
        ),
        example=0.7,
    )
    computing_share = given(
        "Share of the cores of a chip that compute: all, or fewer where others exchange activations meanwhile",
        default=1,
        maximum=1,
    )
    sustained_matmul_rate = override(computing_share * matmul_efficiency * peak_rate)
    sustained_attention_rate = override(computing_share * attention_efficiency * attention_peak_rate)

    # Computation of a token in one layer, and how often training passes it
    layer_pair_work = formula(
        (score_work_per_token + mixing_work_per_token + indexing_work_per_token) / n_blocks,
        "GFLOP/token",
        "Pairs of tokens of one layer, forward: the mean",
    )
    layer_matmul_work = formula(
        (block_work_per_token + (capacity_factor - 1) * expert_work_per_token) / n_blocks,
        "GFLOP/token",
        "All else of one layer, forward: the mean, with modules for further tokens and what experts pad",
    )
    undivided_work = formula(
        (
            router_work_per_token
            + latent_expert_work_per_token
            + forward_work_per_param_token
            * n_worked_attention
            * select(latent_inputs, copied=latent_input_matrix_params + indexer_matrix_params, divided=0)
        )
        / n_blocks,
        "GFLOP/token",
        "Work of a layer that each tensor-parallel rank computes for its stream: routers, and copied matrices",
    )
    copied_key_work = formula(
        forward_work_per_param_token
        * (
            copied_key_params * d_model / (d_model + qkv_bias)
            + state.n_blocks
            / n_blocks
            * copied_state_params
            * (d_model + state.d_conv)
            / (d_model + state.d_conv + state.conv_bias)
        ),
        "GFLOP/token",
        "Work of a layer in keys, values and keys of states that a chip has beyond an even share",
    )
    repeated_work = formula(
        (1 - kept_heads)
        * select(recomputation, none=1, selective=1, full=1 - recomputed_share)
        * forward_work_per_param_token
        * latent_head_matrix_params
        * n_worked_attention
        / n_blocks,
        "GFLOP/token",
        "Latent queries, keys and values of heads that one layer computes again where it does not keep them",
    )
    matmul_passes = formula(
        1 + matmul_backward + select(recomputation, none=0, selective=0, full=recomputed_share),
        "",
        "Passes over matrices of a layer: forward, backward and again",
    )
    pass_time = override(matmul_passes)
    pair_passes = formula(
        1 + backward_ratio + select(recomputation, none=0, selective=pair_repeats, full=recomputed_share),
        "",
        "Passes over pairs of tokens",
    )
    head_passes = formula(
        1
        + matmul_backward
        + select(recomputation, none=0, selective=0, full=recomputed_share * select(head_recomputed, no=0, yes=1)),
        "",
        "Passes over the output layer",
    )

    # Activations that move between products, while the chip reads and writes them
    forward_moves = given("Moves of an activation in a forward pass: written and read", default=2)
    backward_moves = given(
        "Moves of an activation in a backward pass: read, and its gradient written and read", default=3
    )
    cast_moves = given(
        "Moves that casts to 8 bits or fewer add in each pass: read, and written by rows and by columns, each half",
        inferred=select(
            precision,
            **dict.fromkeys(("fp32", "tf32", "bf16", "fp16"), 0),
            **dict.fromkeys(("fp8", "int8", "fp6", "fp4"), 2),
        ),
        example=0,
        minimum=0,
    )
    moved_memory = formula(
        computed_memory + repeated_memory, "GB", "Activations of a layer that move in a pass, kept or not"
    )
    layer_moves = formula(
        (forward_moves + backward_moves + 2 * cast_moves) * moved_memory
        + (forward_moves + cast_moves)
        * (
            repeated_memory
            + select(recomputation, none=0, selective=score_memory, full=recomputed_share * computed_memory)
        ),
        "GB",
        "Activations of a layer that move in all passes",
    )
    head_moves = formula(
        (forward_moves + backward_moves) * head_memory,
        "GB",
        "Activations of the output layer and the loss that move in all passes",
    )

    # A micro-batch on one chip: a layer, and the output layer
    layer_time = formula(
        local_tokens
        / n_tp
        * (
            ((layer_matmul_work - undivided_work) * matmul_passes + repeated_work) / sustained_matmul_rate
            + layer_pair_work * pair_passes / sustained_attention_rate
        )
        + (stream_tokens * undivided_work + local_tokens * copied_key_work) * matmul_passes / sustained_matmul_rate
        + layer_moves / memory_rate,
        "ms",
        "Time of a layer, forward and backward",
    )
    head_time = formula(
        local_tokens / n_tp * head_work_per_token * head_passes / sustained_matmul_rate + head_moves / memory_rate,
        "ms",
        "Time of the output layer and the loss, forward and backward",
    )

    # The slowest stage: both ends of a V are a first and a last stage; in DualPipe one chip is the first stage of
    # half of the micro-batches, and the last one of the others
    n_last_blocks = formula(
        max_(1, n_blocks - (n_pp - 1) * n_stage_blocks),
        "",
        "Layers of the last stage: what full ones before it leave, or one, and others have fewer too",
    )
    shared_stage_time = formula(
        (n_blocks * layer_time + head_time) / n_pp, "ms", "Time of a stage if all take equal times"
    )
    end_blocks = formula(
        select(
            schedule,
            **dict.fromkeys(("one_f_one_b", "gpipe", "interleaved", "zb_h1", "zb_h2", "zb_v"), n_last_blocks),
            dualpipe=(n_stage_blocks + n_last_blocks) / 2,
        ),
        "",
        "Layers of the chip that has the output layer, for one micro-batch",
    )
    end_heads = formula(
        select(
            schedule,
            **dict.fromkeys(("one_f_one_b", "gpipe", "interleaved", "zb_h1", "zb_h2", "zb_v"), 1),
            dualpipe=ratio(1, 2),
        ),
        "",
        "Output layers of that chip for one micro-batch",
    )
    end_stage_time = formula(
        end_blocks * layer_time + end_heads * head_time, "ms", "Time of the chip that has the output layer"
    )
    stage_compute_time = formula(
        max_(n_stage_blocks * layer_time, end_stage_time), "ms", "Time that the slowest stage computes", headline=True
    )
    stage_balance = formula(
        shared_stage_time / stage_compute_time,
        "",
        "Time of a mean stage over that of the slowest: 1 if all are equal",
        headline=True,
    )

    lifted = ("Stages take equal times, and transfers between them none.",)
    assumptions = (
        "Products of a micro-batch are large: reading their weights takes no time of its own.",
        "Kernels follow each other without gaps, and what fused attention computes again is in its rate.",
        "What is computed again one by one, as norms, products and heads, moves once more, and heads multiply again.",
        "Layers take the same time, in which modules that predict further tokens are spread over all of them.",
        "The computation of adapters themselves is left out: 6 FLOP for each of their parameters and token.",
    )
    notes = (
        "A recipe says in what bytes weights are held; with precision = fp8 matrices are multiplied in fp8 too.",
        "Ranks wait for the most loaded experts: capacity_factor is then their tokens over the mean.",
        "DeepSeek-V3 leaves 20 of the 132 cores of an H800 to exchanges: computing_share = 112/132.",
    )
    sources = (
        "babelstream",
        "flash-attention-2",
        "deepseek-profile",
    )
