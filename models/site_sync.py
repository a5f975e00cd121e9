from flopsheet import ceil, choice, formula, given, indicator, limit, max_, min_, select
from flopsheet.builtin.models.chip_peak import WIDTHS
from flopsheet.builtin.models.model_shape import ModelShape

LOCAL = ("diloco", "streaming")
SYNCED = ("every_step", *LOCAL)


class SiteSync(ModelShape):
    """Time that sites of a training run wait for each other: at every step, or in DiLoCo and Streaming DiLoCo rarely.

    Each site has a replica of the model. All-reduces between the sites take the latency of their hops and the time to
    send their bytes; computation hides a part of it, and chips wait for the rest.
    """

    # The sites
    n_sites = given("Sites that train together", "site", example=3, integer=True)
    site_bandwidth = given("Bandwidth of one site to the others, one way", "Gbit/s", example=5)
    site_distance = given("Length of the fibre between two sites", "km", example=1000, minimum=0)
    refractive_index = given("Refractive index of fibre", default=1.468, source="corning-smf28", minimum=1)
    speed_of_light = given("Speed of light in vacuum", "m/s", default=299792458, fixed=True, source="si-brochure")

    site_latency = given(
        "Latency between two sites, one way: that of light in the fibre, unless measured",
        "ms",
        inferred=site_distance * refractive_index / speed_of_light,
        minimum=0,
    )

    # The run
    params = given("Parameters of the model", "param", inferred=model.params, example=405e9)
    synced_params = given(
        "Parameters that sites synchronize: all unless stated", "param", inferred=params, example=405e9
    )
    step_time = given("Time of a step without synchronization between sites", "second", example=26)
    sync_method = choice(
        *SYNCED,
        "none",
        doc="What sites synchronize: gradients of every step, outer gradients, those of fragments in turn, or nothing",
        default="every_step",
        example="streaming",
    )
    n_inner_steps = given(
        "Steps from one synchronization of a parameter to the next", "step", example=100, integer=True
    )
    n_fragments = given("Fragments of the model that are synchronized in turn", example=18, integer=True)

    sync_fragments = formula(
        select(sync_method, none=1, every_step=1, diloco=1, streaming=n_fragments),
        "",
        "Fragments of the model, one a synchronization: 1 if all is sent at once",
    )
    sync_interval = formula(
        select(sync_method, none=1, every_step=1, **dict.fromkeys(LOCAL, n_inner_steps)) / sync_fragments,
        "step",
        "Steps from one synchronization to the next",
    )

    # What a site sends
    sync_precision = choice(*WIDTHS, doc="Number format in which parameters are sent", default="bf16")
    one_byte = given(
        "Bytes of an 8-bit number", "byte/param", default=1, fixed=True, source="fp8-formats", symbol=r"\beta_{8}"
    )
    bytes_per_synced_param = given(
        "Bytes sent of one parameter", "byte/param", inferred=one_byte * select(sync_precision, **WIDTHS)
    )
    site_reduction = choice(
        "ring", "direct", doc="Route of an all-reduce: around a ring of sites, or to all others at once", default="ring"
    )

    reduction_factor = formula(
        2 * (n_sites - 1) / n_sites,
        "",
        "Traffic of a site over what it reduces: it sends 2 (n - 1) of n pieces",
        source="ring-allreduce",
    )
    sync_size = formula(
        reduction_factor * bytes_per_synced_param * synced_params / sync_fragments,
        "GB",
        "Bytes sent by one site per synchronization",
    )
    sync_hops = formula(
        select(site_reduction, ring=2 * (n_sites - 1), direct=2 * indicator(n_sites > 1)),
        "",
        "Hops between sites, one after the other, of a synchronization",
    )

    # One synchronization
    sync_latency = formula(sync_hops * site_latency, "ms", "Latency of all hops of a synchronization")
    site_transfer_time = formula(sync_size / site_bandwidth, "second", "Time to send its bytes")
    sync_time = formula(sync_latency + site_transfer_time, "second", "Time of one synchronization", headline=True)

    # What computation hides of it
    backward_overlap = choice(
        "layers",
        "none",
        doc="Whether a layer is sent as soon as the backward pass has its gradient, or all layers after the pass",
        default="layers",
    )
    backward_share = given(
        "Share of a pass that goes backward: two thirds, three quarters with full recomputation",
        default="2/3",
        source="kaplan",
        maximum=1,
    )
    n_sync_parts = given(
        "Parts in which the gradients of the model are sent: its layers", inferred=n_blocks, example=126, integer=True
    )
    overlapped_steps = given(
        "Steps computed while a fragment of Streaming DiLoCo is sent, before its result is used",
        "step",
        default=1,
        example=2,
        integer=True,
        minimum=0,
        source="streaming-diloco",
    )

    hidden_steps = formula(
        select(sync_method, none=0, every_step=0, diloco=0, streaming=overlapped_steps),
        "step",
        "Whole steps that hide a synchronization",
    )
    last_pass_time = formula(
        step_time,
        "second",
        "Time of the last micro-batch in all layers, forward and backward: the step, unless it has several",
    )
    layer_pass_time = formula(
        backward_share * last_pass_time / n_sync_parts, "second", "Time of the backward pass of one layer"
    )
    layer_lag = formula(
        layer_pass_time + (1 - indicator(hidden_steps > 0)) * (1 - backward_share) * last_pass_time / n_sync_parts,
        "second",
        "Time that a fragment gains if it begins one layer later: sent earlier, and needed later by the next step",
        source="streaming-diloco",
    )
    fragment_wait = formula(
        select(
            backward_overlap,
            layers=max_(
                sync_time - backward_share * last_pass_time + sync_fragments * layer_pass_time,
                sync_latency + site_transfer_time * sync_fragments / n_sync_parts,
            ),
            none=sync_time,
        )
        - hidden_steps * step_time,
        "second",
        "Time by which the fragment with the first layer is late: negative where computation hides it",
        signed=True,
    )
    late_fragments = formula(
        select(
            backward_overlap,
            layers=min_(sync_fragments, max_(0, ceil(fragment_wait / layer_lag))),
            none=sync_fragments * indicator(fragment_wait > 0),
        ),
        "",
        "Fragments that chips wait for: each is late by a layer less than the one before it",
    )
    sync_wait_time = formula(
        select(
            sync_method,
            **dict.fromkeys(("none", "every_step", "diloco"), max_(0, fragment_wait)),
            streaming=select(
                backward_overlap,
                layers=late_fragments * (fragment_wait - (late_fragments - 1) * layer_lag / 2) / sync_fragments,
                none=max_(0, fragment_wait),
            ),
        ),
        "second",
        "Time that chips wait for one synchronization, on average over fragments",
    )

    # A step
    step_sync_time = formula(
        select(sync_method, none=0, **dict.fromkeys(SYNCED, sync_time / sync_interval)),
        "second",
        "Synchronization time per step, on average, hidden or not",
    )
    exposed_sync_time = formula(
        select(sync_method, none=0, **dict.fromkeys(SYNCED, sync_wait_time / sync_interval)),
        "second",
        "Time that chips wait per step, on average",
    )
    site_step_time = formula(step_time + exposed_sync_time, "second", "Time of a step with synchronization, on average")
    sync_fraction = formula(
        exposed_sync_time / site_step_time,
        "",
        "Share of the run spent waiting for synchronization",
        headline=True,
    )
    compute_utilization = formula(step_time / site_step_time, "", "Share of the run spent computing")
    synchronized = limit(
        select(sync_method, none=n_sites, **dict.fromkeys(SYNCED, 1)) <= 1, "Several sites synchronize"
    )
    in_turn = limit(
        select(sync_method, streaming=overlapped_steps + 1, none=1, every_step=1, diloco=1) <= sync_interval,
        "A synchronization is over before the next begins",
    )
    within_layers = limit(
        select(backward_overlap, layers=sync_fragments / n_sync_parts, none=0) <= 1, "Fragments are one layer or more"
    )

    # Memory of a site beside that of training
    bytes_per_outer_copy = given(
        "Bytes of a parameter as last synchronized: fp32", "byte/param", default=4, source="diloco"
    )
    bytes_per_outer_momentum = given(
        "Bytes of the momentum of its outer optimizer: fp32", "byte/param", default=4, source="diloco"
    )
    bytes_per_state = given(
        "Bytes of weights, gradients and optimizer state per parameter", "byte/param", default=16, source="zero"
    )
    site_state_memory = formula(
        params * bytes_per_state, "GiB", "Memory of weights, gradients and optimizer state of a site"
    )
    outer_memory = formula(
        select(sync_method, none=0, every_step=0, **dict.fromkeys(LOCAL, synced_params))
        * (bytes_per_outer_copy + bytes_per_outer_momentum),
        "GiB",
        "Memory of parameters as last synchronized and of the outer momentum of a site",
    )
    fragment_memory = formula(
        outer_memory / sync_fragments,
        "GiB",
        "Part of the outer memory that one synchronization uses; the rest can be in host memory",
    )
    fragment_share = formula(
        fragment_memory / site_state_memory,
        "percent",
        "Part that one synchronization uses over the memory of weights, gradients and optimizer state",
    )

    assumptions = (
        "Each site trains one replica of the model.",
        "Sites are equally fast, and the links between them alike.",
        "site_distance is the length of the fibre, which is longer than the great circle; switches add no delay.",
        "Links carry nothing else, and enough connections fill them in spite of the latency.",
        "Layers take equally long, and a fragment is every n_fragments-th layer, from the first to the last.",
        "What is sent over whole steps is waited for between two of them; otherwise each layer of the next step waits.",
        "The outer optimizer takes no time.",
    )
    notes = (
        "The simulations of the papers send layers during the backward pass, of DiLoCo too.",
        "Clipping by the norm of all gradients needs the whole backward pass first: backward_overlap = none.",
        "Outer gradients are as many as parameters; Streaming DiLoCo sends them in 4 bits: sync_precision = fp4.",
        "With a bandwidth per link and several links per site, site_bandwidth is their sum.",
        "The outer state of fragments that are not being sent can be in host memory, as in Streaming DiLoCo.",
    )
    sources = ("diloco", "streaming-diloco", "diloco-scaling", "ring-allreduce", "corning-smf28", "kaplan")
