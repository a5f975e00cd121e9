"""Time and money to synchronize gradients between sites, at every step or, as DiLoCo does, every few."""

from flopsheet import choice, formula, given, select
from flopsheet.builtin.models.training_run import TrainingRun


class GradientSync(TrainingRun):
    """Time and money to synchronize gradients between sites, at every step or, as DiLoCo does, every few.

    The sites share one link: each has its part of the bandwidth. Nothing is computed while gradients are sent, so
    chips wait. Sites with links of their own are had by giving `site_bandwidth`.
    """

    # What is sent
    gradient_precision = choice("bf16", "fp8", "fp32", doc="Numbers in which gradients are sent", default="bf16")
    bf16_bytes = given("bf16 gradient", "byte/param", default=2, source="bfloat16", symbol=r"\beta_{\text{bf16}}")
    fp8_bytes = given("fp8 gradient", "byte/param", default=1, source="fp8-formats", symbol=r"\beta_{\text{fp8}}")
    fp32_bytes = given("fp32 gradient", "byte/param", default=4, source="ieee-754", symbol=r"\beta_{\text{fp32}}")

    bytes_per_gradient = formula(
        select(gradient_precision, bf16=bf16_bytes, fp8=fp8_bytes, fp32=fp32_bytes),
        "byte/param",
        "Bytes of one gradient in this precision",
    )
    gradient_memory = formula(params * bytes_per_gradient, "GB", "Gradients of all parameters")

    # The sites and the link between them
    n_sites = given("Sites that train together and share the link", "site", example=10, integer=True)
    link_bandwidth = given(
        "Bandwidth of the link that all sites share, one way", "GB/s", example="10 GiB/s", symbol=r"W_{\text{sites}}"
    )
    reduction = choice(
        "ring", "none", doc="Whether a site sends what a ring all-reduce sends, or its gradients once", default="ring"
    )

    site_bandwidth = formula(link_bandwidth / n_sites, "GB/s", "Part of a site in the link", symbol=r"W_{\text{site}}")
    reduction_factor = formula(
        select(reduction, ring=2 * (n_sites - 1) / n_sites, none=1),
        "",
        "How many times its gradients a site sends: a ring all-reduce sends 2 (n - 1) of n pieces",
        source="ring-allreduce",
        symbol=r"\kappa_{\text{red}}",
    )
    sync_size = formula(
        reduction_factor * gradient_memory, "GB", "Sent by a site to synchronize once", symbol=r"V_{\text{sync}}"
    )

    # Synchronizations of the run
    n_inner_steps = given(
        "Steps from one synchronization to the next: one is every step",
        "step",
        default=1,
        example=500,
        integer=True,
        symbol=r"n_{\text{inner}}",
    )

    sync_time = formula(sync_size / site_bandwidth, "second", "Time of a synchronization", symbol=r"t_{\text{sync}}")
    step_sync_time = formula(
        sync_time / n_inner_steps,
        "second",
        "Time of synchronization for each step, on average",
        symbol=r"t_{\text{sync,step}}",
    )
    n_syncs = formula(n_steps / n_inner_steps, "", "Synchronizations of the run", symbol=r"S_{\text{sync}}")
    total_sync_time = formula(n_syncs * sync_time, "day", "Time of all synchronizations", symbol=r"T_{\text{sync}}")

    # What they cost
    total_time = formula(
        train_time + total_sync_time, "day", "Time of the run with synchronization", symbol=r"T_{\text{total}}"
    )
    sync_fraction = formula(
        step_sync_time / (step_time + step_sync_time),
        "",
        "Share of synchronization in that time",
        symbol=r"q_{\text{sync}}",
    )
    idle_chip_time = formula(n_chips * total_sync_time, "hour", "Time that all chips together wait")
    idle_cost = formula(idle_chip_time * chip_price, "USD", "Price of the chips while they wait")

    assumptions = (
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
        "The utilization is that of computing at a site; synchronization between sites comes on top, without overlap.",
        "Synchronizing takes bandwidth only: the latency between sites is in the sheet site_latency.",
        "Steps between synchronizations need not divide the steps of the run.",
    )
    notes = (
        "The source sends the gradients once, without the way back of an all-reduce: reduction = none does the same.",
        "The source divides waiting chip-hours by the price: here they multiply.",
        "The source takes chips left over from another row for all rows: here they are those of the run.",
        "The source prints days of bf16 beside years of fp8, and calls fp8 DiLoCo figures bf16.",
        "The source leaves out the last, partial batch: last_batch = drop does the same.",
    )
    sources = ("diloco-notebook", "diloco", "ring-allreduce", "kaplan")
