"""The chips that hold the worked feed-forward model, by plain arithmetic: whichever chips the registry has."""

from __future__ import annotations

import math
from fractions import Fraction

from flopsheet import records

TOTAL = 3276 + 2142 // 2  # GiB of state and of activations that the devices share, at 16384, 53248, 126, 128 and 1024


def count() -> int:
    """Return the number of chips in the registry."""
    return len(records("chip"))


def shares() -> dict[str, Fraction]:
    """Return the least n_fsdp at which each chip holds its part, in the order of the registry."""
    return {
        key: Fraction(TOTAL * 2**30) / Fraction(chip.values["memory"].quantity.si)
        for key, chip in records("chip").items()
    }


def fitting(most: int) -> dict[str, int]:
    """Return the least whole n_fsdp of each chip for which `n_fsdp <= most` is enough, the smallest first."""
    wholes = {key: math.ceil(share) for key, share in shares().items()}
    return {key: wholes[key] for key in sorted(wholes, key=wholes.__getitem__) if wholes[key] <= most}


def failing(most: int) -> list[str]:
    """Return the other chips, in the order of the registry: those together whose least n_fsdp reads the same."""
    together: dict[str, list[str]] = {}
    for key, share in shares().items():
        if share > most:
            together.setdefault(f"{float(share):.4g}", []).append(key)
    return [", ".join(keys) for keys in together.values()]
