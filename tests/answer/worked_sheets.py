"""Small sheets about training runs, as a textbook would set them, for the worked questions of this folder."""

from __future__ import annotations

from flopsheet import Sheet, ceil, choice, floor, formula, given, indicator, max_, mod, select


class Roofline(Sheet):
    """Time of a training step, set by the slowest of three resources."""

    work = given("Computation of a step on one chip", "TFLOP", example=1200)
    traffic = given("Data between a chip and its memory in a step", "TB", example=4)
    exchanged = given("Data between a chip and the others in a step", "GB", example=50)
    flop_rate = given("Computation that a chip does", "TFLOP/s", example=400)
    memory_bandwidth = given("Bandwidth of a chip's memory", "TB/s", example=2)
    link_bandwidth = given("Bandwidth of a chip's links", "GB/s", example=50)
    compute_time = formula(work / flop_rate, "second", "Time to compute")
    memory_time = formula(traffic / memory_bandwidth, "second", "Time to read and write memory")
    network_time = formula(exchanged / link_bandwidth, "second", "Time to exchange data")
    step_time = formula(max_(compute_time, memory_time, network_time), "second", "Time of a step, all overlapped")


class Exchange(Sheet):
    """Time of a training step whose communication waits for the computation."""

    work = given("Computation of a step on one chip", "TFLOP", example=1200)
    flop_rate = given("Computation that a chip does", "TFLOP/s", example=400)
    exchanged = given("Data between a chip and the others in a step", "GB", example=50)
    link_bandwidth = given("Bandwidth of a chip's links", "GB/s", example=50)
    compute_time = formula(work / flop_rate, "second", "Time to compute")
    comm_time = formula(exchanged / link_bandwidth, "second", "Time to exchange data")
    step_time = formula(compute_time + comm_time, "second", "Time of a step, nothing overlapped")


class TrainingRun(Sheet):
    """Time and cost of a training run whose communication grows with the number of chips."""

    work = given("Computation of the run", "FLOP", example=3.8e25)
    flop_rate = given("Computation that a chip does", "TFLOP/s", example=400)
    price = given("Price of a chip", "USD/hour/chip", example=2)
    penalty = given("Communication of one chip as a share of its computation", "", example=0.001)
    growth = given("Exponent with which that share grows with chips", "", example=0.5)
    n_chips = given("Chips that share the run", "chip", example=10000, integer=True)
    compute_time = formula(work / (n_chips * flop_rate), "day", "Time without communication")
    slowdown = formula(1 + penalty * n_chips**growth, "", "Factor that communication adds")
    train_time = formula(compute_time * slowdown, "day", "Time of the run")
    cost = formula(price * n_chips * train_time, "USD", "Price of all chips over the run")


class Checkpoints(Sheet):
    """Share of a run that checkpoints and lost work take, after Young (1974)."""

    write_time = given("Time to write a checkpoint", "second", example=60)
    time_to_failure = given("Mean time between failures", "hour", example=4)
    interval = given("Time between checkpoints", "minute", example=15, minimum="3 minute", maximum="2 hour")
    wasted = formula(write_time / interval + interval / (2 * time_to_failure), "", "Share of the run that is lost")


class Batches(Sheet):
    """How a global batch falls into micro-batches and steps."""

    tokens = given("Tokens of the data set, as a measure", "token", example=1e8)
    whole_tokens = given("Tokens of the data set, counted", "token", example=100_000_000, integer=True)
    batch_tokens = given("Tokens in a batch", "token", example=1_000_000)
    batch = given("Sequences in a batch", "sequence", example=3840, integer=True)
    micro_batch = given("Sequences that a device takes at once", "sequence", example=32, integer=True)
    dp = given("Data-parallel degree", "", example=4, integer=True)
    n_steps = formula(ceil(tokens / batch_tokens), "step", "Steps through the data, the last one partly full")
    full_steps = formula(floor(tokens / batch_tokens), "step", "Full steps through the data")
    counted_steps = formula(ceil(whole_tokens / batch_tokens), "step", "Steps through counted tokens")


class ScalingLaw(Sheet):
    """Loss of a language model by its parameters and tokens, after Hoffmann et al. (2022)."""

    params = given("Parameters", "param", example=70e9)
    tokens = given("Training tokens", "token", example=1.4e12)
    one_param = given("Makes parameters a pure number", "param", default=1, source="by definition")
    one_token = given("Makes tokens a pure number", "token", default=1, source="by definition")
    entropy = given("Loss of an ideal model", "", default=1.69, source="Hoffmann et al. (2022)")
    params_scale = given("A of the law", "", default=406.4, source="Hoffmann et al. (2022)")
    tokens_scale = given("B of the law", "", default=410.7, source="Hoffmann et al. (2022)")
    params_power = given("Exponent of the parameters", "", default=0.34, source="Hoffmann et al. (2022)")
    tokens_power = given("Exponent of the tokens", "", default=0.28, source="Hoffmann et al. (2022)")
    work_each = given("Computation for a token and a parameter", "FLOP/param/token", default=6, source="by counting")
    params_loss = formula(params_scale / (params / one_param) ** params_power, "", "Loss for want of parameters")
    tokens_loss = formula(tokens_scale / (tokens / one_token) ** tokens_power, "", "Loss for want of tokens")
    loss = formula(entropy + params_loss + tokens_loss, "", "Loss")
    compute = formula(work_each * params * tokens, "FLOP", "Computation of the training run")


class Pipeline(Sheet):
    """Time of a batch in a pipeline of stages, with its bubble, in one of two precisions."""

    precision = choice("bf16", "fp8", doc="Number format of the multiplications")
    work = given("Computation of a batch", "TFLOP", example=4000)
    bf16_rate = given("Computation of a stage in bf16", "TFLOP/s", example=400)
    fp8_rate = given("Computation of a stage in fp8", "TFLOP/s", example=800)
    bubble = given("Time lost to filling and draining", "second", example=1)
    stages = given("Stages of the pipeline", "", example=4, integer=True)
    target_time = given("Time that was planned", "second", example=3)
    rate = formula(select(precision, bf16=bf16_rate, fp8=fp8_rate), "TFLOP/s", "Computation of a stage")
    batch_time = formula(work / (rate * stages) + indicator(stages > 1) * bubble, "second", "Time of a batch")


class SolarTime(Sheet):
    """Local solar time of a site, that decides when its panels give power."""

    clock = given("Time since midnight in Greenwich", "hour", example=12, minimum=0, maximum=72)
    longitude = given("Degrees east", "degree", example=11, minimum=-180, maximum=180)
    day_length = given("Time of a full turn of the earth against the sun", "hour", default=24, source="by definition")
    full_turn = given("Angle of a full turn", "degree", default=360, source="by definition")
    noon = given("Solar time at which the sun stands highest", "hour", default=12, source="by definition")
    solar_time = formula(mod(clock + day_length * longitude / full_turn, day_length), "hour", "Solar time at the site")
