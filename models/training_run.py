"""Time, chips and money of a training run, from its model, its data and its batch."""

from flopsheet import ceil, choice, floor, formula, given, override, select
from flopsheet.builtin.models.chip_peak import ChipPeak
from flopsheet.builtin.models.training_time import TrainingTime
from flopsheet.builtin.models.training_work import TrainingWork


class TrainingRun(TrainingTime, ChipPeak):
    """Time, chips and money of a training run, from its model, its data and its batch.

    Chips for a target step time are a row of their own; `n_chips = target_chips` trains on these. Accumulating
    gradients does the same work on fewer chips in more time.
    """

    # The rate of a chip
    utilization = given("Share of the peak rate that the run reaches", default=0.4, maximum=1, source="diloco-notebook")
    chip_rate = override(utilization * peak_rate)

    # Money
    chip_price = given("Price of a chip for an hour", "USD/hour", example=2)
    train_cost = formula(chip_time * chip_price, "USD", "Price of the run")

    # Chips for a step time
    rounding = choice("up", "down", doc="How chips for a step time become a whole number", default="up")
    target_step_time = given("Time in which a step should finish", "second", default=1, source="diloco-notebook")
    exact_chips = formula(step_work / (chip_rate * target_step_time), "chip", "Chips for that step time, exactly")
    target_chips = formula(
        select(rounding, up=ceil(exact_chips), down=floor(exact_chips)), "chip", "Whole chips for that step time"
    )

    # The same work on fewer chips
    n_accumulation = given(
        "Micro-batches whose gradients are added up before a step: one is no accumulation", default=1, integer=True
    )
    accumulation_chips = formula(n_chips / n_accumulation, "chip", "Chips that do one micro-batch at a time")
    accumulation_time = formula(n_accumulation * train_time, "year", "Time of the run on these")

    assumptions = (
        *TrainingWork.assumptions,
        *ChipPeak.assumptions,
        "The utilization is that of the whole run: waiting, communication and restarts are in it.",
    )
    notes = (
        "The source leaves out the last, partial batch: last_batch = drop does the same.",
        "The source rounds chips down, to none for small batches: rounding = down does the same.",
        "The source calls one micro-batch zero gradient accumulation.",
    )
    sources = ("diloco-notebook", "chinchilla", "kaplan")
