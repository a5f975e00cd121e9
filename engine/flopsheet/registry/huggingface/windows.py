"""Which blocks of a configuration attend to a window, and in what order kinds of blocks follow each other."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.registry.huggingface.keys import Config

_WINDOWS = {"sliding_attention", "chunked_attention"}
_WORDS = {
    "sliding_attention": "window",
    "chunked_attention": "chunk",
    "full_attention": "global",
    "attention": "global",
    "linear_attention": "recurrent",
    "mamba": "Mamba-2",
}


def window_figures(config: Config, known: Mapping[str, int], period: int) -> dict[str, int]:
    """Return how many blocks attend to a window, and its width; nothing where none does.

    Args:
        config: the configuration.
        known: the fields of the record so far.
        period: as `Family.period`, where the configuration has no list of kinds.
    """
    width = config.number("sliding_window", "attention_chunk_size", default=0, least=0)
    blocks, kinds = known["n_blocks"], config.texts("layer_types")
    if kinds and len(kinds) != blocks:
        raise config.error("layer_types", f"It has {len(kinds):,} kinds for {blocks:,} blocks.")
    used = config.flag("use_sliding_window", default=True)
    if not width or not used or (known["context_len"] and width >= known["context_len"] and not kinds):
        return {}
    if kinds:
        count = sum(kind in _WINDOWS for kind in kinds)
    elif "use_sliding_window" in config.data:
        count = max(0, blocks - config.number("max_window_layers", default=blocks, least=0))
    else:
        period = config.number("sliding_window_pattern", "_sliding_window_pattern", default=period, least=0)
        count = blocks - (blocks // period if period > 1 else 0) if period else 0
    return {"n_window_blocks": count, "window": width} if count else {}


def pattern(config: Config) -> str:
    """Return the order of kinds of blocks, such as `5 window, 1 global, and so on`; empty where all are alike."""
    kinds = config.texts("layer_types")
    letters = config.text("hybrid_override_pattern")
    if letters and not set(letters) - set("M*-E"):
        return letters
    if not set(kinds) <= set(_WORDS) or len(set(kinds)) < 2:
        return ""
    period = next(size for size in range(1, len(kinds) + 1) if _repeats(kinds, size))
    runs = [f"{len([*run])} {_WORDS[kind]}" for kind, run in groupby(kinds[:period])]
    return ", ".join([*runs, *(["and so on"] if period < len(kinds) else [])])


def _repeats(kinds: Sequence[str], size: int) -> bool:
    return all(kind == kinds[index % size] for index, kind in enumerate(kinds))
