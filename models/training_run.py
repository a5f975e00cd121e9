"""Time, chips and money of a training run, from its model, its data and its batch."""

from flopsheet import Chip, Sheet, ceil, choice, floor, formula, given, part, select


class TrainingRun(Sheet):
    """Time, chips and money of a training run, from its model, its data and its batch.

    Chips for a target step time are a row of their own; `n_chips = target_chips` trains on these. Accumulating
    gradients does the same work on fewer chips in more time.
    """

    # The model and its data
    params = given("Parameters of the model", "param", example=70e9)
    tokens_per_param = given("Training tokens per parameter", "token/param", default=20, source="chinchilla")
    tokens = given("Tokens in a global batch", "token", example=4e6)
    last_batch = choice(
        "partial", "drop", doc="Whether what is left of the data makes a part of a step, or none", default="partial"
    )

    dataset_tokens = formula(tokens_per_param * params, "token", "Tokens that the model is trained on")
    n_steps = formula(
        select(last_batch, partial=dataset_tokens / tokens, drop=floor(dataset_tokens / tokens)),
        "step",
        "Steps through the data",
    )

    # The computation
    work_per_param_token = given(
        "Computation of a parameter for a token: two forward, four backward",
        "FLOP/param/token",
        default=6,
        source="kaplan",
    )

    total_work = formula(work_per_param_token * params * dataset_tokens, "EFLOP", "Computation of the run")
    step_work = formula(work_per_param_token * params * tokens, "PFLOP", "Computation of a step")

    # The rate of a chip
    chip = part(Chip, "Does the computation", example="h100-sxm")
    precision = choice("bf16", "fp8", doc="Numbers that the matrix units multiply", default="bf16")
    utilization = given("Share of the peak rate that the run reaches", default=0.4, maximum=1, source="diloco-notebook")

    peak_rate = formula(
        select(precision, bf16=chip.flops.bf16, fp8=chip.flops.fp8), "TFLOP/s", "Peak rate of a chip in this precision"
    )
    chip_rate = formula(utilization * peak_rate, "TFLOP/s", "Rate that a chip sustains")

    # Chips, time and money
    n_chips = given("Chips that train the model", "chip", example=4247, integer=True)
    chip_price = given("Price of a chip for an hour", "USD/hour", example=2)

    step_time = formula(step_work / (n_chips * chip_rate), "second", "Time of a step")
    train_time = formula(n_steps * step_time, "day", "Time of the run")
    chip_time = formula(n_steps * step_work / chip_rate, "hour", "Time of all chips together: chip-hours")
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
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
        "The utilization is that of the whole run: waiting, communication and restarts are in it.",
    )
    notes = (
        "The source leaves out the last, partial batch: last_batch = drop does the same.",
        "The source rounds chips down, to none for small batches: rounding = down does the same.",
        "The source calls one micro-batch zero gradient accumulation.",
    )
    sources = ("diloco-notebook", "chinchilla", "kaplan")
