from flopsheet import choice, formula, ratio, select
from flopsheet.builtin.models.machine import Machine

# The number formats of all sheets, each with the bytes of a number over those of an 8-bit one; tf32 is stored as fp32.
WIDTHS = {"fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1, "fp6": ratio(3, 4), "fp4": ratio(1, 2)}


class ChipPeak(Machine):
    """Peak rate of a chip at a precision of its matrix units."""

    precision = choice(*WIDTHS, doc="Number format in which the chip multiplies", default="bf16")

    peak_rate = formula(
        select(
            precision,
            fp32=chip.flops.fp32,
            tf32=chip.flops.tf32,
            bf16=chip.flops.bf16,
            fp16=chip.flops.fp16,
            fp8=chip.flops.fp8,
            int8=chip.flops.int8,
            fp6=chip.flops.fp6,
            fp4=chip.flops.fp4,
        ),
        "TFLOP/s",
        "Peak dense rate of one chip at this precision",
    )

    assumptions = ("Rates are dense: no sparsity.",)
