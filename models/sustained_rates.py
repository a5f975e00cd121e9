from flopsheet import choice, formula, given, select
from flopsheet.builtin.models.chip_peak import ChipPeak


class SustainedRates(ChipPeak):
    """Rates that one chip sustains: matrix products, pairs of tokens, and its memory, as shares of its peak rates."""

    matmul_efficiency = given(
        "Share of the peak rate that large matrix products reach: 0.65 to 0.75 in layers measured on an A100",
        default=0.7,
        maximum=1,
        source="korthikanti",
    )
    attention_efficiency = given(
        "Share of the peak rate that pairs of tokens reach: half in fused kernels, forward and backward",
        default=0.5,
        maximum=1,
        source="flash-attention-2",
    )
    memory_efficiency = given(
        "Share of the bandwidth of the chip's memory that is reached", default=0.8, maximum=1, source="babelstream"
    )
    sustained_matmul_rate = formula(matmul_efficiency * peak_rate, "TFLOP/s", "Rate of matrix products on one chip")
    attention_format = choice(
        "half",
        "matrices",
        doc="Format in which pairs of tokens are multiplied: 16 bits where matrices have fewer, or that of matrices",
        default="half",
    )
    attention_peak_rate = formula(
        select(
            attention_format,
            half=select(
                precision,
                fp32=chip.flops.fp32,
                tf32=chip.flops.tf32,
                fp16=chip.flops.fp16,
                **dict.fromkeys(("bf16", "fp8", "int8", "fp6", "fp4"), chip.flops.bf16),
            ),
            matrices=peak_rate,
        ),
        "TFLOP/s",
        "Peak dense rate of one chip for pairs of tokens",
    )
    sustained_attention_rate = formula(
        attention_efficiency * attention_peak_rate, "TFLOP/s", "Rate of pairs of tokens on one chip"
    )
    memory_rate = formula(
        memory_efficiency * chip.memory_bandwidth, "TB/s", "Rate at which a chip moves bytes of its memory"
    )

    sources = ("korthikanti", "flash-attention-2", "babelstream")
