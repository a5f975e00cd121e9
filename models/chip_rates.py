from flopsheet import Chip, Sheet, choice, formula, given, part, select


class ChipRates(Sheet):
    """Compute, memory and network rates of one chip, from its quoted 8-bit peak rate.

    A hot chip sustains a share of its peak compute and memory rates, and the full rate of its links. Sheets that time
    the layers of a model extend this one.
    """

    # The chip and its number format
    chip = part(Chip, "Chip whose rates are derived", example="h100-sxm")
    quoted_rate = choice("int8", "fp8", doc="Quoted 8-bit rate from which the peak rate is scaled", default="int8")
    quoted_bytes_per_param = given(
        "Bytes of the 8-bit weight that the quoted rate refers to: one", "byte/param", default=1
    )
    bytes_per_param = given("Bytes of a bf16 weight", "byte/param", default=2, source="bfloat16")

    peak_rate = formula(
        select(quoted_rate, int8=chip.flops.int8, fp8=chip.flops.fp8) * quoted_bytes_per_param / bytes_per_param,
        "TFLOP/s",
        "Peak rate of one chip at the width of a weight",
    )

    # Sustained rates
    base_utilization = given(
        "Share of the peak compute and memory rates that a hot chip sustains",
        default=0.8,
        maximum=1,
        source="run-optimizer",
    )
    link_directions = given(
        "Directions of a link that carry traffic at once: 2, as sending and receiving both count",
        default=2,
    )

    chip_rate = formula(base_utilization * peak_rate, "TFLOP/s", "Sustained compute rate of one chip")
    memory_rate = formula(
        base_utilization * chip.memory_bandwidth, "TB/s", "Sustained memory rate of one chip, reads and writes together"
    )
    network_rate = formula(
        link_directions * chip.link.bandwidth, "GB/s", "Network rate of one chip, sending and receiving together"
    )

    assumptions = ("The rate at another width is the 8-bit rate divided by the bytes of a weight.",)
    notes = (
        "For a chip that is no faster at 8 bits than at bf16, as TPU v4, set quoted_bytes_per_param = 2 byte/param.",
        "The source counts both directions of traffic against one rate of 900 GB/s, twice 450 GB/s.",
    )
    sources = ("run-optimizer", "bfloat16")
