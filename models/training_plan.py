from flopsheet import choice, floor, formula, indicator, limit, min_, override, ratio, select
from flopsheet.builtin.models.batch_ramp import BatchRamp
from flopsheet.builtin.models.goodput import Goodput
from flopsheet.builtin.models.site_sync import SiteSync
from flopsheet.builtin.models.training_recipe import ADAPTERS, FULL
from flopsheet.builtin.models.training_step import TrainingStep


class TrainingPlan(TrainingStep, SiteSync, BatchRamp, Goodput):
    """Plan of a whole training run: model, layout, memory, step, ramp of the batch, failures, sites, power and money.

    Each site trains the same way, with replicas, a batch and chips of its own; `n_sites = 1` is a run at one site. Any
    cell can be asked for: the chips for a date, the model for a budget, the bandwidth between sites, the spare nodes.
    """

    model = override(example="llama-3.1-405b")
    site = override(example="meta-24k-roce")
    seq_len = override(example=8192)
    batch = override(example=2048)
    n_pp = override(example=16)
    n_dp = override(example=128)
    n_cp = override(example=1)
    n_etp = override(example=1)
    sequence_parallel = override(example="yes")
    recomputation = override(example="selective")
    sharding = override(example="gradients")
    dataset_tokens = override(example=15.6e12)

    # Sites: each has the chips and the batch of a step
    n_sites = override(doc="Sites that train together: one", default=1, example=1)
    sync_method = override(default="none", example="none")
    backward_share = override(default=None, inferred=1 - 1 / matmul_passes)
    synced_params = override(doc="Parameters that sites synchronize: those that are trained", inferred=trained_params)
    last_pass_time = override(min_(step_time, n_pp * microbatch_time))
    run_chips = formula(n_sites * n_chips, "chip", "Chips that train, at all sites", integer=True)
    run_tokens = formula(n_sites * tokens, "token", "Tokens of a step, at all sites", integer=True)

    outer_state = choice(
        "chips",
        "hosts",
        doc="Where a site keeps the outer state of DiLoCo: on its chips, or with hosts but for what is being sent",
        default="chips",
    )
    outer_chip_memory = formula(
        select(outer_state, chips=outer_memory, hosts=fragment_memory) / n_chips,
        "GiB",
        "Outer state of DiLoCo on one chip: all chips of a site share it",
    )
    tensor_memory = override(
        model_memory + peak_activation_memory + new_gradient_memory - freed_memory + outer_chip_memory
    )

    # Steps: those of the ramp, then those of the full batch
    final_batch = override(n_sites * batch)
    start_batch = override(doc="Sequences in the first global batch: all, without a ramp", inferred=n_sites * batch)
    ramp_samples = override(doc="Sequences of the whole ramp: none without one", default=0, example=200000)
    exact_full_steps = formula(
        (dataset_tokens - ramp_tokens) / final_tokens, "step", "Steps at the full batch, not rounded", signed=True
    )
    full_steps = override(
        select(
            last_batch,
            partial=exact_full_steps,
            drop=floor(exact_full_steps),
            nearest=floor(exact_full_steps + ratio(1, 2)),
        )
    )
    ramp_has_sequences = limit(
        (final_batch - start_batch) * indicator(ramp_samples <= 0) <= 0,
        "A batch that starts smaller grows over some sequences: ramp_samples",
    )
    n_steps = override(ramp_steps + full_steps)
    trained_tokens = override(ramp_tokens + full_steps * final_tokens)
    ramp_time = formula(
        ramp_samples / final_batch * pipeline_time + ramp_steps * (site_step_time - pipeline_time),
        "day",
        "Time of the ramp: micro-batches take as long as later, and so does what each step adds, its bubble included",
    )

    # Failures: a failure of any chip stops the run at all sites
    chips_per_node = override(inferred=system.n_chips)
    bytes_per_checkpoint = override(
        doc="Bytes of a trained parameter in a checkpoint: its weight and its optimizer state",
        default=None,
        inferred=bytes_per_optimizer
        + select(
            recipe, **dict.fromkeys(FULL, bytes_per_sent_param), **dict.fromkeys(ADAPTERS, bytes_per_adapter_param)
        ),
    )
    checkpoint_memory = override(trained_params * bytes_per_checkpoint)
    run_mtbf = override(chip_mtbf / run_chips)
    ideal_time = override(ramp_time + full_steps * site_step_time)
    train_time = override(slowdown * ideal_time, headline=True)
    train_cost = override(headline=True)
    total_chips = override(run_chips + spare_nodes * failed_chips)

    # Rates, money and power of the whole run
    run_utilization = formula(
        model_work_per_token * dataset_tokens / (run_chips * peak_rate * train_time),
        "",
        "MFU of the whole run: ramp, synchronization, failures and checkpoints included",
    )
    chip_time = override(total_chips * train_time)
    run_power = override(total_chips * power_per_chip)
    facility_power = formula(run_power * site.pue / n_sites, "MW", "Power of one site with cooling and losses")
    cost_per_token = formula(train_cost / dataset_tokens, "USD/token", "Cost of a token of the run")
    sites_have_power = limit(facility_power <= site.power, "Each site can power its chips and its cooling")

    lifted = (
        "The run has no failures and no checkpoints: the sheet training_plan has them.",
        "Each token is seen once, and all batches but the last are full.",
        "Each site trains one replica of the model.",
    )
    assumptions = (
        "Each token is seen once; after a ramp, all batches but the last are full.",
        "Sites are alike; the price and the carbon of energy are those of one of them.",
        "Spare nodes are rented and powered like those that train.",
    )
