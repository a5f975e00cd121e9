from flopsheet import ceil, choice, floor, formula, given, override, select
from flopsheet.builtin.models.run_cost import RunCost
from flopsheet.builtin.models.training_time import TrainingTime


class TrainingRun(TrainingTime, RunCost):
    """Time, chips and cost of a training run, from its model, its data and its batch.

    `target_chips` are the chips for a target step time; `n_chips = target_chips` trains on these. Accumulating
    gradients does the same work on fewer chips in more time.
    """

    # The rate of a chip
    utilization = override(default=0.4, source="diloco-notebook")

    # Chips for a step time
    rounding = choice("up", "down", doc="How the chips for a step time are rounded", default="up")
    target_step_time = given("Target time of a step", "second", default=1, source="diloco-notebook")
    exact_chips = formula(
        step_work / (chip_rate * target_step_time), "chip", "Chips for the target step time, not rounded"
    )
    target_chips = formula(
        select(rounding, up=ceil(exact_chips), down=floor(exact_chips)), "chip", "Whole chips for the target step time"
    )

    # The same work on fewer chips
    n_accumulation = given("Micro-batches accumulated per step: one for no accumulation", default=1, integer=True)
    accumulation_chips = formula(n_chips / n_accumulation, "chip", "Chips that process one micro-batch at a time")
    accumulation_time = formula(n_accumulation * train_time, "year", "Time of the run with accumulation")

    notes = (
        "The source drops the last, partial batch; last_batch = drop does the same.",
        "The source rounds chips down, to none for small batches; rounding = down does the same.",
        "The source calls a single micro-batch zero gradient accumulation.",
    )
    sources = ("diloco-notebook", "chinchilla", "kaplan")
