from flopsheet import ceil, choice, exp, formula, given, limit, min_, override, select, sqrt
from flopsheet.builtin.models.chip_hours import ChipHours
from flopsheet.builtin.models.machine import Machine
from flopsheet.builtin.models.model_shape import ModelShape


class Goodput(Machine, ModelShape, ChipHours):
    """Share of the time of a run that trains, between failures, checkpoints and restarts, and the spare nodes it needs.

    A failure of any chip stops the run, which starts again from its last checkpoint on spare nodes.
    """

    # Failures
    n_chips = override(example=16384)
    chips_per_node = given(
        "Chips of a node: 8, as in most servers", "chip", inferred=system.n_chips, default=8, integer=True
    )
    chips_per_host = given(
        "Most chips that share a host: 8, as in most servers, in racks and pods too", "chip", default=8, integer=True
    )
    chip_mtbf = given(
        "Mean time between failures of a chip with its share of node and network: 419 in 54 days of 16,384 chips",
        "hour",
        default=50677,
        source="llama-3",
    )

    failed_chips = formula(
        min_(chips_per_node, chips_per_host),
        "chip",
        "Chips that a failure takes out: those of a node, of one host where a node is a rack or a pod",
        integer=True,
    )
    node_mtbf = formula(chip_mtbf / chips_per_node, "day", "Mean time between failures of a node")
    run_mtbf = formula(chip_mtbf / n_chips, "hour", "Mean time between failures of the run")

    # Checkpoints
    params = given("Parameters of the model", "param", inferred=model.params, example=405e9)
    bytes_per_checkpoint = given(
        "Bytes saved of one parameter: 2 of its weight, 4 of its fp32 copy, 4 of each moment",
        "byte/param",
        default=14,
        source="mixed-precision",
    )
    write_bandwidth = given("Bandwidth at which all chips together write", "TB/s", default=2, source="llama-3")
    read_bandwidth = given("Bandwidth at which they read", "TB/s", inferred=write_bandwidth)
    blocking_share = given(
        "Share of the writing for which training waits: all, or the copy to host memory alone",
        default=1,
        example=0.2,
        maximum=1,
    )

    checkpoint_memory = formula(params * bytes_per_checkpoint, "TB", "Bytes of a checkpoint")
    checkpoint_time = formula(checkpoint_memory / write_bandwidth, "second", "Time to write a checkpoint")
    stall_time = formula(blocking_share * checkpoint_time, "second", "Time that training waits for a checkpoint")

    # Interval: training time between checkpoints
    interval_rule = choice(
        "young", "daly", "given", doc="Interval of least loss by Young, by Daly, or the given one", default="daly"
    )
    given_interval = given("Interval that is given", "minute", example=30)

    young_interval = formula(sqrt(2 * stall_time * run_mtbf), "minute", "Interval by Young's first-order law")
    stall_ratio = formula(stall_time / (2 * run_mtbf), "", "Time of a checkpoint over twice the time between failures")
    # Daly's sqrt(2 d M) (1 + sqrt(x) / 3 + x / 9) - d, with x = d / (2 M), is the product of Young's and a square.
    daly_interval = formula(
        young_interval * (1 - sqrt(stall_ratio) / 3) ** 2,
        "minute",
        "Interval by Daly's higher-order law",
    )
    checkpoint_interval = formula(
        select(interval_rule, young=young_interval, daly=daly_interval, given=given_interval),
        "minute",
        "Training time between two checkpoints",
    )
    rare_failures = limit(stall_time < 2 * run_mtbf, "A checkpoint takes less than twice the time between failures")
    written_in_time = limit(
        checkpoint_time <= checkpoint_interval + stall_time, "A checkpoint is written before the next"
    )

    # Recovery from a failure
    detection_time = given("Time to notice a failure and find its node", "minute", default=10, source="megascale")
    restart_time = given("Time to start the run again", "second", default=30, source="megascale")

    load_time = formula(checkpoint_memory / read_bandwidth, "second", "Time to read a checkpoint")
    unsaved_time = formula(
        (1 - blocking_share) * checkpoint_time,
        "second",
        "Training time lost with a checkpoint that is being written",
    )
    recovery_time = formula(
        detection_time + restart_time + load_time + unsaved_time,
        "minute",
        "Time from a failure until training resumes, and the training lost with a checkpoint that was being written",
    )
    lost_time = formula(
        (checkpoint_interval + stall_time) / 2,
        "minute",
        "Time since the last checkpoint, lost with a failure on average",
    )

    # Goodput
    failure_model = choice(
        "exponential",
        "first_order",
        doc="Failures at any time, in recovery too, or at most one between two checkpoints",
        default="exponential",
    )

    slowdown = formula(
        select(
            failure_model,
            exponential=run_mtbf
            / checkpoint_interval
            * exp(recovery_time / run_mtbf)
            * (exp((checkpoint_interval + stall_time) / run_mtbf) - 1),
            first_order=(1 + stall_time / checkpoint_interval) * (1 + (lost_time + recovery_time) / run_mtbf),
        ),
        "",
        "Time of the run over its training time",
    )
    goodput = formula(1 / slowdown, "percent", "Share of the time of the run that trains", headline=True)

    # The run
    ideal_time = given("Time of the run without failures and checkpoints", "day", example=50)

    train_time = override(slowdown * ideal_time)
    n_failures = formula(train_time / run_mtbf, "", "Failures of the run")

    # Spare nodes
    hardware_share = given("Share of the failures that take a node out", default=0.78, maximum=1, source="llama-3")
    repair_time = given("Time until a failed node is back: a day", "hour", default=24)
    spare_quantile = given(
        "Standard deviations that spares cover: 2.326 for 99 % of the time by the normal distribution", default=2.326
    )

    down_nodes = formula(hardware_share * repair_time / run_mtbf, "", "Nodes in repair on average")
    spare_nodes = formula(
        ceil(down_nodes + spare_quantile * sqrt(down_nodes)),
        "",
        "Nodes that replace those in repair",
        integer=True,
    )
    total_chips = formula(n_chips + spare_nodes * failed_chips, "chip", "Chips of the run and its spare nodes")

    assumptions = (
        "Failures are independent, at a constant rate, and each stops the whole run.",
        "Nodes in repair are a Poisson count, of which the normal distribution gives the spares.",
        "Evaluation, planned maintenance and slow chips are left out, as is the write of other files.",
    )
    notes = (
        "first_order is Young's cost of checkpoints and failures; both models agree where failures are rare.",
        "Checkpoints in host memory of other nodes are write_bandwidth of the network, or blocking_share.",
    )
    sources = ("young-checkpoint", "daly-checkpoint", "llama-3", "megascale", "mixed-precision")
