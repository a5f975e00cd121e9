from flopsheet import choice, formula, given, select
from flopsheet.builtin.models.chip_peak import WIDTHS
from flopsheet.builtin.models.training_run import TrainingRun


class GradientSync(TrainingRun):
    """Time and cost of synchronizing gradients between sites, at every step or, as in DiLoCo, every few.

    The sites share one link, each with an equal part of its bandwidth, and may be far apart. Chips wait while gradients
    are sent. For sites with links of their own, set `site_bandwidth`.
    """

    # What is sent
    gradient_precision = choice(*WIDTHS, doc="Number format in which gradients are sent", default="bf16")
    one_byte = given(
        "Bytes of an 8-bit gradient", "byte/param", default=1, fixed=True, source="fp8-formats", symbol=r"\beta_{8}"
    )

    bytes_per_gradient = formula(
        one_byte * select(gradient_precision, **WIDTHS), "byte/param", "Bytes of one gradient at this precision"
    )
    gradient_memory = formula(params * bytes_per_gradient, "GB", "Size of all gradients")

    # The sites and the link between them
    n_sites = given("Sites that train together and share the link", "site", example=10, integer=True)
    link_bandwidth = given(
        "Bandwidth of the link that all sites share, one direction",
        "GB/s",
        example="10 GiB/s",
        symbol=r"W_{\text{sites}}",
    )
    reduction = choice(
        "ring", "none", doc="Traffic of a site: that of a ring all-reduce, or its gradients once", default="ring"
    )

    site_bandwidth = formula(link_bandwidth / n_sites, "GB/s", "Bandwidth of one site", symbol=r"W_{\text{site}}")
    reduction_factor = formula(
        select(reduction, ring=2 * (n_sites - 1) / n_sites, none=1),
        "",
        "Traffic of a site over its gradients: a ring all-reduce sends 2 (n - 1) of n pieces",
        source="ring-allreduce",
        symbol=r"\kappa_{\text{red}}",
    )
    sync_size = formula(
        reduction_factor * gradient_memory,
        "GB",
        "Bytes sent by one site per synchronization",
        symbol=r"V_{\text{sync}}",
    )

    site_latency = given(
        "Latency between two sites, one way: none unless stated", "ms", default=0, example=5, minimum=0
    )
    sync_hops = formula(
        select(reduction, ring=2 * (n_sites - 1), none=1),
        "",
        "Hops between sites, one after the other, of a synchronization",
        source="ring-allreduce",
    )
    sync_latency = formula(sync_hops * site_latency, "ms", "Latency of all hops of a synchronization")

    # Synchronizations of the run
    n_inner_steps = given(
        "Steps between synchronizations: one is every step",
        "step",
        default=1,
        example=500,
        integer=True,
        symbol=r"n_{\text{inner}}",
    )

    sync_time = formula(
        sync_size / site_bandwidth + sync_latency,
        "second",
        "Time of one synchronization",
        symbol=r"t_{\text{sync}}",
        headline=True,
    )
    step_sync_time = formula(
        sync_time / n_inner_steps,
        "second",
        "Synchronization time per step, on average",
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
        "Share of the run spent on synchronization",
        symbol=r"q_{\text{sync}}",
        headline=True,
    )
    idle_chip_time = formula(n_chips * total_sync_time, "hour", "Chip-hours spent waiting")
    idle_cost = formula(idle_chip_time * chip_price, "USD", "Cost of the waiting chips")

    lifted = ("The utilization is that of the whole run, with waiting, communication and restarts.",)
    assumptions = (
        "The utilization is that of computing at a site; synchronization between sites comes on top, without overlap.",
        "Links carry nothing else; site_sync takes latency from the distance and overlaps it with computation.",
        "Steps between synchronizations need not divide the steps of the run.",
    )
    notes = (
        "The source sends the gradients once, without the return of an all-reduce; reduction = none does the same.",
        "The source divides idle chip-hours by the price; here they are multiplied.",
        "The source uses the chips of another row for all rows; here they are those of the run.",
        "The source prints days for bf16 beside years for fp8, and labels fp8 DiLoCo figures bf16.",
        "The source drops the last, partial batch; last_batch = drop does the same.",
    )
    sources = ("diloco-notebook", "diloco", "ring-allreduce", "kaplan")
