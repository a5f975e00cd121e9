from flopsheet import choice, formula, given, indicator, max_, select
from flopsheet.builtin.models.chip_peak import WIDTHS, ChipPeak

FORMATS = ("precision", *WIDTHS)


class Roofline(ChipPeak):
    """Time of one operator on one chip, from its FLOP and the bytes it moves, and which of the two bounds it.

    The operator is a matrix product [m, k] x [k, n], where m is n_rows, k is d_in and n is d_out, or another that is
    stated by its FLOP and bytes. The batch at which it becomes compute-bound is n_rows at compute_time = memory_time.
    """

    # A matrix product, or several of one shape
    n_rows = given(
        "Rows of the left operand: tokens, where the right one holds weights; fractional where they are a mean, as "
        "those of an expert",
        example=512,
    )
    d_in = given("Columns of the left operand, rows of the right one", example=4096, integer=True)
    d_out = given("Columns of the right operand", example=8192, integer=True)
    n_matmuls = given("Products of one shape, each with operands of its own: one is no batch", default=1, integer=True)
    work_per_term = given("FLOP per term of a sum: a multiplication and an addition", "FLOP", default=2, fixed=True)

    matmul_work = formula(work_per_term * n_matmuls * n_rows * d_in * d_out, "GFLOP", "Computation of the products")

    # Its bytes
    left_format = choice(*FORMATS, doc="Number format of the left operand", default="precision")
    right_format = choice(*FORMATS, doc="Number format of the right operand", default="precision")
    result_format = choice(*FORMATS, doc="Number format of the result", default="precision")
    byte_of_8_bits = given("Bytes of an 8-bit number", "byte", default=1, fixed=True, source="fp8-formats")

    precision_width = formula(
        select(precision, **WIDTHS), "", "Bytes of a number at this precision over those of an 8-bit one"
    )
    bytes_per_left = given(
        "Bytes of a number of the left operand: 0 if it stays on the chip",
        "byte",
        inferred=byte_of_8_bits * select(left_format, precision=precision_width, **WIDTHS),
        minimum=0,
    )
    bytes_per_right = given(
        "Bytes of a number of the right operand: 0 if it stays on the chip",
        "byte",
        inferred=byte_of_8_bits * select(right_format, precision=precision_width, **WIDTHS),
        minimum=0,
    )
    bytes_per_result = given(
        "Bytes of a number of the result: 0 if it stays on the chip",
        "byte",
        inferred=byte_of_8_bits * select(result_format, precision=precision_width, **WIDTHS),
        minimum=0,
    )

    left_traffic = formula(n_matmuls * n_rows * d_in * bytes_per_left, "MB", "Bytes of the left operands, read once")
    right_traffic = formula(n_matmuls * d_in * d_out * bytes_per_right, "MB", "Bytes of the right operands, read once")
    result_traffic = formula(n_matmuls * n_rows * d_out * bytes_per_result, "MB", "Bytes of the results, written once")

    # The operator
    operator = choice("matmul", "stated", doc="Whether the operator is the product, or stated", default="matmul")
    stated_work = given("FLOP of the stated operator", "GFLOP", example=1)
    stated_traffic = given("Bytes that the stated operator reads and writes", "MB", example=12)

    operator_work = formula(
        select(operator, matmul=matmul_work, stated=stated_work), "GFLOP", "Computation of the operator"
    )
    operator_traffic = formula(
        select(operator, matmul=left_traffic + right_traffic + result_traffic, stated=stated_traffic),
        "MB",
        "Bytes that the operator reads and writes",
    )
    intensity = formula(operator_work / operator_traffic, "FLOP/byte", "Arithmetic intensity: FLOP per byte moved")

    # The chip
    operand_bandwidth = given(
        "Bandwidth of the memory, or the link, through which the bytes pass", "TB/s", inferred=chip.memory_bandwidth
    )
    compute_share = given("Share of the peak rate that is sustained", default=1, maximum=1, source="roofline")
    memory_share = given("Share of the bandwidth that is sustained", default=1, maximum=1, source="roofline")

    chip_rate = formula(compute_share * peak_rate, "TFLOP/s", "Sustained compute rate of one chip")
    memory_rate = formula(memory_share * operand_bandwidth, "TB/s", "Sustained memory rate of one chip")
    ridge_point = formula(chip_rate / memory_rate, "FLOP/byte", "Intensity above which an operator is compute-bound")
    critical_rows = formula(
        ridge_point * bytes_per_right / work_per_term,
        "",
        "Rows above which a product is compute-bound whose right operand is far larger than the others",
    )

    # Its time
    overlap = choice("full", "none", doc="Whether the chip computes while bytes move", default="full")
    launch_time = given("Time to start the operator: none at the roofline", "us", default=0, minimum=0)

    compute_time = formula(operator_work / chip_rate, "us", "Time of the computation")
    memory_time = formula(operator_traffic / memory_rate, "us", "Time of the memory traffic")
    compute_bound = formula(
        indicator(compute_time >= memory_time), "", "1 if the operator is compute-bound, 0 if it is memory-bound"
    )
    operator_time = formula(
        launch_time + select(overlap, full=max_(compute_time, memory_time), none=compute_time + memory_time),
        "us",
        "Time of the operator",
        headline=True,
    )

    # What it reaches
    operator_rate = formula(operator_work / operator_time, "TFLOP/s", "Rate that the operator reaches", headline=True)
    utilization = formula(
        operator_rate / peak_rate,
        "percent",
        "Share of peak_rate that the operator reaches: of the measured rate with --measured",
        headline=True,
    )
    bandwidth_utilization = formula(
        operator_traffic / (operator_time * operand_bandwidth), "percent", "Share of the bandwidth that it reaches"
    )

    assumptions = (
        "Each operand is read once and each result written once: tiles that are read again count in stated_traffic.",
        "The whole chip works on the operator, whatever its shape.",
        "A stated operator runs at the rate of the matrix units: for vector units, lower compute_share.",
    )
    notes = (
        "Shares of 1 give the least time that the chip allows.",
        "With --measured, peak_rate is what products were measured to reach, and compute_share is a share of that.",
        "A link is a roofline too: state its bandwidth as operand_bandwidth, and 0 bytes for what does not pass it.",
        "The scaling book calls critical_rows the critical batch: 240 on a TPU v5e. Finite shapes need more rows.",
        "overlap = none is the upper bound of the scaling book.",
    )
    sources = ("roofline", "scaling-book-roofline")
