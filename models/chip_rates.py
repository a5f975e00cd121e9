"""Rates at which one chip computes, reads its memory and communicates, from its quoted 8-bit peak rate."""

from flopsheet import Chip, Sheet, choice, formula, given, part, select


class ChipRates(Sheet):
    """Rates at which one chip computes, reads its memory and communicates, from its quoted 8-bit peak rate.

    A hot chip keeps a share of its peak rates of computation and memory; its links it has in full. Sheets that time
    the layers of a model extend this one.
    """

    # The chip, and the width of the numbers that it multiplies
    chip = part(Chip, "Computes, reads its memory and communicates", example="h100-sxm")
    quoted_rate = choice("int8", "fp8", doc="Peak rate of the chip that is divided by the bytes", default="int8")
    quoted_bytes_per_param = given("8-bit weight, which the quoted rate is for: one byte", "byte/param", default=1)
    bytes_per_param = given("bf16 weight", "byte/param", default=2, source="bfloat16")

    peak_rate = formula(
        select(quoted_rate, int8=chip.flops.int8, fp8=chip.flops.fp8) * quoted_bytes_per_param / bytes_per_param,
        "TFLOP/s",
        "Peak rate of a chip at the width of a weight",
    )

    # What is left of the peak rates
    base_utilization = given(
        "Share of the peak rates of computation and memory that a chip keeps when hot",
        default=0.8,
        maximum=1,
        source="run-optimizer",
    )
    link_directions = given(
        "Directions of a link that carry traffic at once: 2, because what is sent and what is received both count",
        default=2,
    )

    chip_rate = formula(base_utilization * peak_rate, "TFLOP/s", "Rate at which a chip computes")
    memory_rate = formula(
        base_utilization * chip.memory_bandwidth, "TB/s", "Rate at which a chip reads and writes memory"
    )
    network_rate = formula(link_directions * chip.link.bandwidth, "GB/s", "Rate at which a chip sends and receives")

    assumptions = ("The rate at another width is the 8-bit rate divided by the bytes of a weight.",)
    notes = (
        "Where a chip is no faster with 8 bits than with bf16, as TPU v4, set quoted_bytes_per_param = 2 byte/param.",
        "The source counts what is sent and received against one rate, 900 GB/s: both directions of 450 GB/s.",
    )
    sources = ("run-optimizer", "bfloat16")
