from flopsheet import choice, formula, given, max_, override, ratio, select
from flopsheet.builtin.models.chip_links import ChipLinks
from flopsheet.builtin.models.inference_memory import InferenceMemory
from flopsheet.builtin.models.matrix_work import MatrixWork
from flopsheet.builtin.models.sustained_rates import SustainedRates


class ServedModel(ChipLinks, SustainedRates, InferenceMemory, MatrixWork):
    """A language model on the chips that serve it: memory, rates, links, computation of a token, and gaps.

    Sheets that time passes extend this one. Those that time several, as a prefill and a step of decoding, share it.
    """

    model = override(example="llama-3-70b")
    chip = override(example="h100-sxm")

    single_token = given("One token: that which a sequence computes in a step", "token", default=1, fixed=True)
    dense_memory_time = formula(
        rank_block_weights / memory_rate, "ms", "Time to read the weights of a stage, experts aside"
    )
    all_experts_time = formula(rank_expert_weights / memory_rate, "ms", "Time to read all experts of a stage")

    # Experts on several chips
    expert_imbalance = given(
        "Tokens of the most loaded group of experts over the mean: even", default=1, minimum=1, example=ratio(5, 4)
    )
    group_reach = formula(
        1 - max_(0, 1 - n_experts / (n_ep * (n_experts + n_empty_experts - (n_routed - 1) / 2))) ** n_routed,
        "",
        "Share of the groups of experts that hold one of a token's: about that which even choices are expected to have",
    )
    sent_copies = given(
        "Copies of a token that leave its chip: one for each group with an expert of it",
        inferred=n_ep * group_reach,
        example=1,
        minimum=0,
    )
    bytes_per_dispatched = given(
        "Bytes of a value on the way to an expert: bf16", "byte/token", default=2, source="bfloat16"
    )

    # Gaps
    launches_per_block = given(
        "Kernels of a layer that start one after the other: about a dozen", default=12, minimum=0, integer=True
    )
    launches = choice(
        "graph",
        "eager",
        doc="Kernels start from a graph, or one by one from the host while others run",
        default="graph",
    )
    launch_time = given("Gap between a kernel and the next: about 3 us", "us", default=3, minimum=0)
    host_launch_time = given(
        "Time in which the host starts a kernel, without a graph: 30 to 65 us measured", "us", default=30, minimum=0
    )
    host_time = given("Time of the scheduler per step: about 1 ms", "ms", default=1, minimum=0)
    sequence_host_time = given(
        "Time of the scheduler and of sampling per sequence of a step: about 10 us; 75 us in vLLM of 2024",
        "us",
        default=10,
        minimum=0,
    )
    exchange_launch_time = given(
        "Time to start an exchange, beside the latency of its hops: about 10 us in NCCL", "us", default=10, minimum=0
    )
    launch_overhead = formula(
        n_stage_blocks * launches_per_block * launch_time, "ms", "Gaps between kernels of a stage"
    )
    host_overhead = formula(
        select(launches, graph=0, eager=n_stage_blocks * launches_per_block * host_launch_time),
        "ms",
        "Time in which the host starts the kernels of a stage",
    )
    overlap = choice("none", "full", doc="Whether exchanges run beside computation, or add to it", default="none")

    notes = (
        (
            "A plain roofline has launch_time = 0 us, host_time = 0 ms, sequence_host_time = 0 us and "
            "exchange_launch_time = 0 us."
        ),
        "A chip whose matrix units multiply in fp8 has precision = fp8; weights that are read in fewer bits need not.",
    )
