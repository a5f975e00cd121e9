from flopsheet import choice, formula, given, limit, max_, min_, override, select
from flopsheet.builtin.models.layer_exchanges import LayerExchanges
from flopsheet.builtin.models.run_cost import RunCost
from flopsheet.builtin.models.run_energy import RunEnergy
from flopsheet.builtin.models.stage_time import StageTime
from flopsheet.builtin.models.state_exchanges import StateExchanges
from flopsheet.builtin.models.step_rates import StepRates
from flopsheet.builtin.models.training_recipe import ADAPTERS, FULL
from flopsheet.builtin.models.training_steps import TrainingSteps


class TrainingStep(StageTime, StepRates, LayerExchanges, StateExchanges, TrainingSteps, RunCost, RunEnergy):
    """Time of a training step of any model on any machine, and how much of it computes: MFU and HFU.

    A step is its micro-batches in the slowest stage, the bubble of the schedule, the exchange of gradients and weights,
    and the optimizer. What of each exchange is hidden behind computation is stated part by part.
    """

    model = override(example="llama-3-70b")
    chip = override(example="h100-sxm")
    seq_len = override(example=8192)
    batch = override(example=512)
    n_tp = override(example=8)
    n_pp = override(example=4)
    n_dp = override(example=8)
    n_ep = override(example=1)
    n_accumulation = override(n_microbatches)
    n_buckets = override(inferred=n_stage_blocks)
    backward_ratio = override(default=2)
    recomputed_share = override(default=1)
    dataset_tokens = override(example=15.6e12)

    # What computation can hide
    overlap = choice(
        "shares",
        "none",
        "full",
        doc="Exchanges beside computation: the share of each, none (the plain sum), or all that there is time for",
        default="shares",
    )
    tp_overlap = given(
        "Share of tensor parallelism that can run beside computation: none, as a part waits for the sum before it",
        default=0,
        minimum=0,
        maximum=1,
    )
    cp_overlap = given(
        "Share of context parallelism: all, as a ring passes on keys while it computes with those it has",
        default=1,
        minimum=0,
        maximum=1,
        source="ring-attention",
    )
    ep_overlap = given(
        "Share of expert parallelism: none, but nearly all with DualPipe", default=0, minimum=0, maximum=1
    )
    pp_overlap = given("Share of the messages between stages: none", default=0, minimum=0, maximum=1)
    dp_overlap = given(
        "Share of the exchange of gradients and weights: all, layer by layer",
        default=1,
        minimum=0,
        maximum=1,
        source="pytorch-fsdp",
    )

    hidden_tp = formula(select(overlap, shares=tp_overlap, none=0, full=1), "", "Share of tensor parallelism to hide")
    hidden_cp = formula(select(overlap, shares=cp_overlap, none=0, full=1), "", "Share of context parallelism to hide")
    hidden_ep = formula(select(overlap, shares=ep_overlap, none=0, full=1), "", "Share of expert parallelism to hide")
    hidden_pp = formula(select(overlap, shares=pp_overlap, none=0, full=1), "", "Share of messages to hide")
    hidden_dp = formula(
        select(overlap, shares=dp_overlap, none=0, full=1), "", "Share of gradients and weights to hide"
    )

    host_time_counts = limit(
        select(offload, none=0, optimizer=1, all=1) <= 0,
        "No states are in the host: the time to send them and to update them there is not counted",
    )

    # A micro-batch in the slowest stage
    stage_tp_time = formula(n_stage_blocks * layer_tp_time, "ms", "Tensor parallelism of a stage and micro-batch")
    stage_cp_time = formula(n_stage_blocks * layer_cp_time, "ms", "Context parallelism of a stage and micro-batch")
    stage_ep_time = formula(n_stage_blocks * layer_ep_time, "ms", "Expert parallelism of a stage and micro-batch")
    hidden_time = formula(
        min_(
            hidden_tp * stage_tp_time
            + hidden_cp * stage_cp_time
            + hidden_ep * stage_ep_time
            + hidden_pp * microbatch_pp_time,
            stage_compute_time,
        ),
        "ms",
        "Exchange of activations that is hidden: at most while the stage computes",
    )
    exposed_time = formula(
        max_(
            (1 - hidden_tp) * stage_tp_time
            + (1 - hidden_cp) * stage_cp_time
            + (1 - hidden_ep) * stage_ep_time
            + (1 - hidden_pp) * microbatch_pp_time,
            stage_tp_time + stage_cp_time + stage_ep_time + microbatch_pp_time - stage_compute_time,
        ),
        "ms",
        "Exchange of activations that is not hidden",
    )
    microbatch_time = formula(
        stage_compute_time + exposed_time, "ms", "Time of a micro-batch in a stage, forward and backward"
    )

    # The step
    pipeline_time = formula(n_microbatches * microbatch_time, "second", "Time of all micro-batches")
    bubble_time = formula(bubble_ratio * pipeline_time, "second", "Time that a stage waits for others")
    backward_share = given(
        "Share of a step that is its backward pass, with what it computes again",
        inferred=1 - 1 / matmul_passes,
        maximum=1,
        source="kaplan",
    )
    window_passes = formula(
        select(
            sharding,
            none=backward_share,
            optimizer=1,
            gradients=n_microbatches,
            weights=n_microbatches,
        ),
        "",
        "Micro-batches beside which states are exchanged: the last backward pass for an all-reduce of gradients, the "
        "next forward pass too for sharded weights, all micro-batches where they send gradients one by one",
        source="pytorch-ddp",
    )
    dp_window = formula(
        (stage_compute_time - hidden_time) * window_passes,
        "second",
        "Computation beside which gradients and weights can be exchanged",
    )
    exposed_dp_time = formula(
        max_((1 - hidden_dp) * dp_time, dp_time - dp_window),
        "second",
        "Exchange of gradients and weights that is not hidden",
    )
    optimizer_time = formula(
        2
        * select(
            recipe,
            **dict.fromkeys(FULL, device_state_memory),
            **dict.fromkeys(
                ADAPTERS,
                (rank_adapter_params / param_ranks + rank_expert_adapter_params / expert_param_ranks)
                * bytes_per_adapter_param
                + gradient_memory
                + optimizer_memory,
            ),
        )
        / memory_rate,
        "second",
        "Time of the optimizer: it reads and writes the states of what is trained",
    )
    fixed_time = given(
        "Time of a step that no chip computes in: none, for instance loading of data",
        "second",
        default=0,
        minimum=0,
    )
    step_time = override(
        pipeline_time + bubble_time + exposed_dp_time + optimizer_time + fixed_time,
        headline=True,
    )
    model_utilization = override(headline=True)
    step_compute_share = formula(
        n_microbatches * stage_compute_time / step_time, "percent", "Share of the step that the slowest stage computes"
    )

    # The run
    train_time = override(n_steps * step_time)

    lifted = ("The work of the optimizer is left out.",)
    assumptions = (
        "The optimizer takes the time to read and to write its states; its FLOP are left out.",
        "The run has no failures and no checkpoints: the sheet training_plan has them.",
        "A schedule waits as long as bubble_ratio says also where passes exchange activations.",
        "Gradients and weights share the passes beside which they are sent: what one leaves, the other takes.",
    )
    notes = ("overlap = none is the plain sum of all parts; overlap = full bounds a step from below.",)
    sources = ("ring-attention",)
