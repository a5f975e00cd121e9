from flopsheet import choice, formula, given, select
from flopsheet.builtin.models.chip_peak import WIDTHS
from flopsheet.builtin.models.scale_up_links import ScaleUpLinks


class ChipRates(ScaleUpLinks):
    """Compute, memory and network rates of one chip, from its peak rates.

    A hot chip sustains a share of its peak compute and memory rates, and the full rate of its links. Sheets that time
    the layers of a model extend this one.
    """

    # The bytes of a number in this format
    quoted_bytes_per_param = given("Bytes of an 8-bit weight: one", "byte/param", default=1, fixed=True)
    precision_bytes = formula(
        quoted_bytes_per_param * select(precision, **WIDTHS),
        "byte/param",
        "Bytes of a number in this format; tf32 is stored as fp32",
    )
    bytes_per_param = given("Bytes of a weight", "byte/param", inferred=precision_bytes)

    # The peak rate
    rate_basis = choice(
        "precision",
        "scaled_int8",
        "scaled_fp8",
        doc="Whether the peak rate is that of the precision, or an 8-bit rate divided by the bytes of a weight",
        default="precision",
    )

    matmul_rate = formula(
        select(
            rate_basis,
            precision=peak_rate,
            scaled_int8=chip.flops.int8 * quoted_bytes_per_param / bytes_per_param,
            scaled_fp8=chip.flops.fp8 * quoted_bytes_per_param / bytes_per_param,
        ),
        "TFLOP/s",
        "Peak rate of matrix products on one chip",
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

    chip_rate = formula(base_utilization * matmul_rate, "TFLOP/s", "Sustained compute rate of one chip")
    memory_rate = formula(
        base_utilization * chip.memory_bandwidth, "TB/s", "Sustained memory rate of one chip, reads and writes together"
    )
    network_rate = formula(
        link_directions * scale_up_bandwidth, "GB/s", "Network rate of one chip, sending and receiving together"
    )

    notes = (
        "The source divides the 8-bit rate by the bytes of a weight; rate_basis = scaled_int8 does the same.",
        "That is wrong for a chip such as gb300, tpu-v4 or mi250x, whose bf16 rate is not half of its int8 rate.",
        "The source counts both directions of traffic against one rate of 900 GB/s, twice 450 GB/s.",
    )
    sources = ("run-optimizer",)
