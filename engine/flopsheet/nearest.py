"""The nearest of known names: the same in other letters, what others call it, or the one that looks most alike."""

from __future__ import annotations

from heapq import nlargest
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_COMPARED = 200
# What others call the figures of records: the last part of a name, and ours.
SYNONYMS = {
    "tdp": ("power",),
    "tgp": ("power",),
    "watts": ("power",),
    "vram": ("memory",),
    "hbm": ("memory",),
    "capacity": ("memory",),
    "bandwidth": ("memory_bandwidth", "link.bandwidth"),
    "mem_bw": ("memory_bandwidth",),
    "hbm_bandwidth": ("memory_bandwidth",),
    "nvlink": ("link.bandwidth",),
    "interconnect": ("link.bandwidth",),
    "tflops": ("flops.bf16",),
    "tops": ("flops.int8",),
    "half": ("flops.fp16",),
    "bfloat16": ("flops.bf16",),
    "sms": ("cores",),
    "sm_count": ("cores",),
    "frequency": ("clock",),
    "gpus": ("n_chips",),
    "n_gpus": ("n_chips",),
    "l2_cache": ("sram.l2",),
    "cost": ("price",),
    "msrp": ("price",),
    "manufacturer": ("vendor",),
    "launched": ("released",),
    "release_date": ("released",),
}


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that are nearest to one, at most three. Case and a plural `s` are ignored."""
    by_fold: dict[str, str] = {}
    for candidate in known:
        by_fold.setdefault(candidate.casefold(), candidate)
    from difflib import get_close_matches  # imported late: it takes a few milliseconds

    fold = name.casefold()
    near = [key for key in (fold, fold.removesuffix("s"), fold + "s") if key in by_fold][:1]
    near = near or [key for key in _synonyms(fold) if key in by_fold]
    near = near or get_close_matches(fold, _likeliest(fold, by_fold), n=3, cutoff=0.6)
    return [by_fold[key] for key in near]


def _synonyms(name: str) -> list[str]:
    """Return our names for what others call it: `chip.power` for `chip.tdp`."""
    head, dot, last = name.rpartition(".")
    return [f"{head}{dot}{ours}" for ours in SYNONYMS.get(last, ())]


def _likeliest(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that share the longest ends with a name: to compare all letters of thousands takes seconds."""

    def shared(other: str) -> int:
        return _alike(name, other) + _alike(reversed(name), reversed(other))

    return nlargest(MOST_COMPARED, known, key=shared)


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
