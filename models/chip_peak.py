"""Peak rate of a chip in a precision of its matrix units."""

from flopsheet import Chip, Sheet, choice, formula, part, select


class ChipPeak(Sheet):
    """Peak rate of a chip in a precision of its matrix units."""

    chip = part(Chip, "Does the computation", example="h100-sxm")
    precision = choice("bf16", "fp8", doc="Numbers that the matrix units multiply", default="bf16")

    peak_rate = formula(
        select(precision, bf16=chip.flops.bf16, fp8=chip.flops.fp8), "TFLOP/s", "Peak rate of a chip in this precision"
    )

    assumptions = ("Rates are dense: no sparsity.",)
