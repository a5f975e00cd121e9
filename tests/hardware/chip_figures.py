"""Figures of chips as published, by hand, and between what a figure of any chip lies."""

from __future__ import annotations

import re

from flopsheet import records

EXPECTED = {
    "v100-sxm2-16gb": {"memory": "16 GiB", "memory_bandwidth": "900 GB/s", "flops.fp16": "125 TFLOP/s"},
    "a100-sxm4-40gb": {"memory": "40 GiB", "memory_bandwidth": "1.555 TB/s", "flops.bf16": "312 TFLOP/s"},
    "a100-sxm4-80gb": {"memory": "80 GiB", "memory_bandwidth": "2.039 TB/s", "flops.bf16": "312 TFLOP/s"},
    "a100-pcie-80gb": {"memory": "80 GiB", "memory_bandwidth": "1.935 TB/s", "power": "300 W"},
    "h100-sxm": {"memory": "80 GiB", "memory_bandwidth": "3.35 TB/s", "flops.bf16": "989.4 TFLOP/s"},
    "h100-pcie-80gb": {"memory_bandwidth": "2 TB/s", "flops.bf16": "756.5 TFLOP/s", "power": "350 W"},
    "h200-sxm": {"memory": "141 GiB", "memory_bandwidth": "4.8 TB/s", "flops.bf16": "989.4 TFLOP/s"},
    "b200-sxm": {"memory": "180 GiB", "flops.bf16": "2250 TFLOP/s", "flops.fp4": "9 PFLOP/s", "power": "1 kW"},
    "gb200": {"memory_bandwidth": "8 TB/s", "flops.bf16": "2500 TFLOP/s", "link.domain": "72"},
    "b300-sxm": {"memory": "275040 MiB", "flops.fp8": "4500 TFLOP/s", "flops.fp4": "13.5 PFLOP/s"},
    "l4-24gb": {"memory": "24 GiB", "flops.bf16": "121 TFLOP/s", "power": "72 W"},
    "l40s-48gb": {"memory": "48 GiB", "memory_bandwidth": "864 GB/s", "flops.bf16": "362.05 TFLOP/s"},
    "mi250x": {"memory": "128 GiB", "flops.bf16": "383 TFLOP/s", "power": "560 W"},
    "mi300x": {"memory": "192 GiB", "memory_bandwidth": "5.3 TB/s", "flops.bf16": "1307.4 TFLOP/s"},
    "mi325x": {"memory": "256 GiB", "memory_bandwidth": "6 TB/s", "flops.bf16": "1307.4 TFLOP/s"},
    "mi355x": {"memory": "288 GiB", "memory_bandwidth": "8 TB/s", "flops.bf16": "2516.6 TFLOP/s"},
    "tpu-v3": {"memory": "32 GiB", "memory_bandwidth": "900 GB/s", "flops.bf16": "123 TFLOP/s"},
    "tpu-v4": {"memory": "32 GiB", "memory_bandwidth": "1.2 TB/s", "flops.bf16": "275 TFLOP/s"},
    "tpu-v5e": {"memory": "16 GiB", "memory_bandwidth": "819 GB/s", "flops.bf16": "197 TFLOP/s"},
    "tpu-v5p": {"memory": "95 GiB", "memory_bandwidth": "2.765 TB/s", "flops.bf16": "459 TFLOP/s"},
    "tpu-v6e": {"memory": "32 GiB", "memory_bandwidth": "1.64 TB/s", "flops.bf16": "918 TFLOP/s"},
    "tpu-v7x": {"memory": "192 GiB", "memory_bandwidth": "7.38 TB/s", "flops.bf16": "2307 TFLOP/s"},
    "trainium1": {"memory": "32 GiB", "memory_bandwidth": "820 GB/s", "flops.bf16": "190 TFLOP/s"},
    "trainium2": {"memory": "96 GiB", "memory_bandwidth": "2.9 TB/s", "flops.bf16": "667 TFLOP/s"},
    "trainium3": {"memory": "144 GiB", "memory_bandwidth": "4.9 TB/s", "flops.bf16": "671 TFLOP/s"},
    "gaudi3": {"memory": "128 GB", "memory_bandwidth": "3.7 TB/s", "flops.bf16": "1678 TFLOP/s"},
    "groq-lpu-v1": {"memory": "230 MB", "memory_bandwidth": "80 TB/s", "flops.fp16": "188 TFLOP/s"},
    "wse-3": {"memory": "44 GB", "memory_bandwidth": "21 PB/s", "flops.fp16": "125 PFLOP/s"},
    "apple-m4-max": {"memory": "128 GiB", "memory_bandwidth": "546 GB/s", "flops.fp32": "18.4 TFLOP/s"},
    "rtx-3090": {"memory": "24 GiB", "memory_bandwidth": "936.2 GB/s", "flops.bf16": "71.16 TFLOP/s"},
    "rtx-4090": {"flops.bf16": "165.2 TFLOP/s", "flops.fp8": "330.3 TFLOP/s", "flops_acc16.fp16": "330.3 TFLOP/s"},
    "rtx-5090": {"memory": "32 GiB", "memory_bandwidth": "1792 GB/s", "flops.fp4": "1676 TFLOP/s", "power": "575 W"},
    "rtx-6000-ada": {"memory": "48 GiB", "flops.bf16": "364.2 TFLOP/s", "power": "300 W"},
    "rtx-pro-6000-blackwell": {"memory": "96 GiB", "memory_bandwidth": "1792 GB/s", "power": "600 W"},
    "gb10": {"memory": "128 GiB", "memory_bandwidth": "273 GB/s", "flops.fp4": "500 TFLOP/s", "power": "140 W"},
    "rx-7900-xtx": {"memory": "24 GiB", "memory_bandwidth": "960 GB/s", "flops.fp16": "122.8 TFLOP/s"},
    "strix-halo": {"memory": "128 GiB", "memory_bandwidth": "256 GB/s", "power": "120 W"},
    "apple-m5-max": {"memory": "128 GiB", "memory_bandwidth": "614 GB/s", "flops.fp32": "22.8 TFLOP/s"},
    "t4-16gb": {"memory_bandwidth": "320 GB/s", "flops.fp16": "65.13 TFLOP/s", "power": "70 W"},
}
LINKS_ONE_WAY = {
    "v100-sxm2-16gb": "150 GB/s",
    "a100-sxm4-40gb": "300 GB/s",
    "a100-sxm4-80gb": "300 GB/s",
    "a800-sxm4-80gb": "200 GB/s",
    "h100-sxm": "450 GB/s",
    "h100-pcie-80gb": "64 GB/s",
    "h200-sxm": "450 GB/s",
    "h800-sxm5-80gb": "200 GB/s",
    "b200-sxm": "900 GB/s",
    "gb300": "900 GB/s",
    "mi300x": "448 GB/s",
    "mi355x": "537.6 GB/s",
    "tpu-v4": "300 GB/s",
    "tpu-v5e": "200 GB/s",
    "tpu-v5p": "600 GB/s",
    "tpu-v6e": "400 GB/s",
    "tpu-v7x": "600 GB/s",
    "trainium2": "640 GB/s",
    "gaudi3": "525 GB/s",
}
LINK_RATES = {
    "NVLink 2": "25 GB/s",
    "NVLink 3": "25 GB/s",
    "NVLink 3, cut": "25 GB/s",
    "NVLink 4": "25 GB/s",
    "NVLink 4, cut": "25 GB/s",
    "NVLink 5": "50 GB/s",
    "NVLink 6": "50 GB/s",
    "RoCE 24x100GbE": "12.5 GB/s",
    "RoCE 24x200GbE": "25 GB/s",
}
SHORT_NAMES = {
    "v100": "v100-sxm2-16gb",
    "a100": "a100-sxm4-80gb",
    "h100": "h100-sxm",
    "h200": "h200-sxm",
    "b200": "b200-sxm",
    "l40s": "l40s-48gb",
    "trn2": "trainium2",
    "inf2": "inferentia2",
    "ironwood": "tpu-v7x",
    "trillium": "tpu-v6e",
    "4090": "rtx-4090",
    "geforce-rtx-5090": "rtx-5090",
    "rtx-pro-6000": "rtx-pro-6000-blackwell",
    "t4": "t4-16gb",
    "m4-max": "apple-m4-max",
    "jetson-thor": "jetson-agx-thor",
}
FASTER = ("fp4", "fp6", "fp8", "bf16", "tf32", "fp32_matrix", "fp32")
HALVES_APART = {"gaudi3": "its matrix units are built for bf16 and fp8; fp16 runs at the tf32 rate"}
NO_HALVES = {"apple-m5", "apple-m5-pro", "apple-m5-max", "tpu-8t", "tpu-8i", "ascend-950pr", "maia-200"}
SLOW_INTEGERS = {
    "b300-sxm": "Blackwell Ultra cut these units",
    "gb300": "Blackwell Ultra cut these units",
    "rubin": "Rubin cut these units",
}
OTHER_FP8 = {
    "tpu-v5p": (1, "fp8 is printed no faster than bf16"),
    "tpu-v6e": (1, "fp8 is printed no faster than bf16"),
    "trainium1": (1, "configurable fp8 runs at the bf16 rate"),
    "inferentia2": (1, "configurable fp8 runs at the bf16 rate"),
    "gaudi3": (1, "bf16 runs at the fp8 rate"),
    "trainium2": (1.947, "as printed, 1,299 over 667"),
    "l40s-48gb": (2.0246, "as printed, 733 over 362.05"),
    "trainium3": (3.751, "as printed, 2,517 of mxfp8 over 671"),
    "rubin": (4.375, "Rubin widened fp8 and fp4 alone"),
    "ascend-950dt": (1.891, "as printed, 58.8 over 31.1 for 64 chips"),
}
OTHER_FP4 = {
    "b300-sxm": (3, "Blackwell Ultra widened fp4 alone"),
    "gb300": (3, "Blackwell Ultra widened fp4 alone"),
    "trainium3": (1, "mxfp4 runs at the mxfp8 rate"),
    "ascend-950dt": (1.940, "as printed, 114.1 over 58.8 for 64 chips"),
    **{
        chip: (4, "fp8 is with fp32 accumulation, at half the rate")
        for chip in records("chip")
        if re.match(r"rtx-50\d0(-|$)", chip)
    },
}
ON_CHIP = {"groq-lpu-v1", "wse-3"}
CUT = {
    "h20-sxm-96gb": "cut to a seventh of the H100's rate, with more memory bandwidth than it",
    "mi308x": "cut to a quarter of the MI300X's rate, with its memory bandwidth",
}
HALF_RATE = {
    "l40-48gb": "accumulates fp32 at half the rate, as GeForce cards do",
    "l20-48gb": "accumulates fp32 at half the rate, as GeForce cards do",
}
BANDWIDTHS = {  # memory bandwidth of a whole chip, by the type of its memory
    "GDDR6": ("190 GB/s", "1 TB/s"),
    "GDDR6X": ("600 GB/s", "1.1 TB/s"),
    "GDDR7": ("400 GB/s", "1.8 TB/s"),
    "HBM": ("500 GB/s", "750 GB/s"),
    "HBM2": ("800 GB/s", "1.6 TB/s"),
    "HBM2e": ("800 GB/s", "3.8 TB/s"),
    "HBM3": ("1.5 TB/s", "5.5 TB/s"),
    "HBM3e": ("4.5 TB/s", "9 TB/s"),
    "HBM4": ("19 TB/s", "24 TB/s"),
    "HiBL": ("1.5 TB/s", "2 TB/s"),
    "HiZQ": ("3.5 TB/s", "4.5 TB/s"),
    "LPDDR4X": ("60 GB/s", "70 GB/s"),
    "LPDDR5": ("68 GB/s", "820 GB/s"),
    "LPDDR5X": ("100 GB/s", "620 GB/s"),
    "SRAM": ("50 TB/s", "50 PB/s"),
}
SANE = {
    "memory": ("16 GiB", "512 GiB"),
    "memory_bandwidth": ("300 GB/s", "25 TB/s"),
    "flops.bf16": ("40 TFLOP/s", "10 PFLOP/s"),
    "flops.fp32": ("3 TFLOP/s", "320 TFLOP/s"),
    "link.bandwidth": ("100 GB/s", "2 TB/s"),
    "power": ("70 W", "2 kW"),
    "link.domain": ("4", "10000"),
    "sram.l2": ("4 MiB", "408 MiB"),
    "sram.last_level": ("64 MiB", "512 MiB"),
    "sram.per_core": ("64 KiB", "512 KiB"),
    "sram.on_chip": ("16 MiB", "512 MiB"),
    "cores": ("1", "400"),
    "clock": ("1 GHz", "3 GHz"),
}
SPECIAL_SANE: dict[str, dict[str, tuple[str, str]]] = {
    "on chip": {
        "memory": ("100 MB", "100 GB"),
        "memory_bandwidth": ("50 TB/s", "50 PB/s"),
        "power": ("200 W", "25 kW"),
        "link.domain": ("1", "1"),
        "cores": ("100", "1000000"),
    },
    "card": {
        "memory": ("10 GiB", "141 GiB"),
        "memory_bandwidth": ("200 GB/s", "5 TB/s"),
        "flops.bf16": ("18 TFLOP/s", "1 PFLOP/s"),
        "link.bandwidth": ("16 GB/s", "64 GB/s"),
        "link.domain": ("1", "1"),
        "power": ("60 W", "600 W"),
        "sram.l2": ("2 MiB", "128 MiB"),
    },
    "shared": {
        "memory": ("8 GiB", "512 GiB"),
        "memory_bandwidth": ("60 GB/s", "1 TB/s"),
        "flops.bf16": ("3 TFLOP/s", "300 TFLOP/s"),
        "flops.fp32": ("1.5 TFLOP/s", "40 TFLOP/s"),
        "link.bandwidth": ("25 GB/s", "32 GB/s"),
        "link.domain": ("1", "2"),
        "power": ("15 W", "180 W"),
        "sram.l2": ("2 MiB", "64 MiB"),
        "clock": ("0.9 GHz", "3 GHz"),
    },
}
# Times a second that a chip reads its whole memory, FLOP for a byte of memory and of links, joule for a FLOP.
RATIOS: dict[tuple[str, str], tuple[float, float]] = {
    ("memory_bandwidth", "memory"): (10, 80),
    ("flops", "memory_bandwidth"): (70, 600),
    ("flops", "link.bandwidth"): (150, 5000),
    ("power", "flops"): (0.4e-12, 7e-12),
}
SPECIAL_RATIOS: dict[str, dict[tuple[str, str], tuple[float, float]]] = {
    "on chip": {
        ("memory_bandwidth", "memory"): (1e5, 1e6),
        ("flops", "memory_bandwidth"): (1, 10),
        ("power", "flops"): (0.1e-12, 2e-12),
    },
    "card": {("flops", "link.bandwidth"): (500, 15000), ("memory_bandwidth", "memory"): (10, 75)},
    "shared": {("memory_bandwidth", "memory"): (1, 13), ("flops", "memory_bandwidth"): (25, 1000)},
}
