from flopsheet import Chip, Sheet, choice, formula, part, select


class ChipPeak(Sheet):
    """Peak rate of a chip at a precision of its matrix units."""

    chip = part(Chip, "Chip that does the computation", example="h100-sxm")
    precision = choice("bf16", "fp8", doc="Number format of the matrix units", default="bf16")

    peak_rate = formula(
        select(precision, bf16=chip.flops.bf16, fp8=chip.flops.fp8),
        "TFLOP/s",
        "Peak dense rate of one chip at this precision",
    )

    assumptions = ("Rates are dense: no sparsity.",)
