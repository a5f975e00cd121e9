"""The kind of record `chip`: one accelerator, as software addresses it."""

from flopsheet.registry.records import RecordType, fields

Chip = RecordType(
    kind="chip",
    folder="hardware/chips",
    fields=fields(
        ("memory", "GiB", r"M_{\text{chip}}", "Memory of one chip, as the device reports it"),
        ("memory_bandwidth", "TB/s", r"W_{\text{mem}}", "Rate at which one chip reads its memory, decimal"),
        ("flops.fp32", "TFLOP/s", r"C_{\text{fp32}}", "Peak fp32 rate outside the matrix units"),
        ("flops.fp32_matrix", "TFLOP/s", r"C_{\text{fp32m}}", "Peak dense fp32 rate of the matrix units"),
        ("flops.tf32", "TFLOP/s", r"C_{\text{tf32}}", "Peak dense tf32 rate"),
        ("flops.bf16", "TFLOP/s", r"C_{\text{bf16}}", "Peak dense bf16 rate"),
        ("flops.fp16", "TFLOP/s", r"C_{\text{fp16}}", "Peak dense fp16 rate"),
        ("flops.fp8", "TFLOP/s", r"C_{\text{fp8}}", "Peak dense fp8 rate"),
        ("flops.int8", "TFLOP/s", r"C_{\text{int8}}", "Peak dense int8 rate, one operation counted as one FLOP"),
        ("flops.fp6", "TFLOP/s", r"C_{\text{fp6}}", "Peak dense fp6 rate"),
        ("flops.fp4", "TFLOP/s", r"C_{\text{fp4}}", "Peak dense fp4 rate"),
        (
            "link.bandwidth",
            "GB/s",
            r"W_{\text{link}}",
            "Chip-to-chip bandwidth one way, all links of one chip together",
        ),
        ("link.links", "count", r"n_{\text{links}}", "Chip-to-chip links of one chip"),
        ("link.domain", "count", r"n_{\text{domain}}", "Chips that these links join directly or by switch"),
        ("power", "W", r"P_{\text{chip}}", "Largest sustained power of one chip"),
        ("price", "USD", r"K_{\text{chip}}", "Price of one chip"),
        ("hourly_price", "USD/hour", r"p_{\text{chip}}", "Price of renting one chip"),
        ("sram.l2", "MiB", r"M_{\text{L2}}", "Cache that all cores of one chip share"),
        ("sram.last_level", "MiB", r"M_{\text{LLC}}", "Cache behind that, before the memory"),
        ("sram.per_core", "KiB", r"M_{\text{core}}", "Fast memory of one core: shared memory and first cache"),
        ("sram.on_chip", "MiB", r"M_{\text{sram}}", "Fast memory of one chip that programs address"),
        ("cores", "count", r"n_{\text{core}}", "Cores: streaming multiprocessors, compute units, tensor cores"),
        ("clock", "GHz", r"f_{\text{chip}}", "Clock at which the peak rates are quoted"),
    ),
    labels=("link.name", "link.topology", "memory_type"),
    required=("name", "vendor", "source", "memory", "memory_bandwidth", "flops"),
    columns=("memory", "memory_bandwidth", "flops.bf16", "link.bandwidth", "power"),
)
