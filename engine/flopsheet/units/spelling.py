"""Which spellings of a unit are taken, and what a refused one may have meant."""

from __future__ import annotations

import re

from flopsheet.errors import UnknownUnitError, did_you_mean, suggest
from flopsheet.session import cached
from flopsheet.units.system import WITHOUT_PREFIX, unit_system

LONGEST_NAME = 24
_PREFIXES, _BINARY_PREFIXES = ("k", "M", "G", "T", "P", "E"), ("Ki", "Mi", "Gi", "Ti")

_PREFIX_ALONE = {
    "k": ("e3", "kB"),
    "K": ("e3", "kB or KiB"),
    "M": ("e6", "MB"),
    "G": ("e9", "GB"),
    "T": ("e12", "TB or TFLOP/s"),
    "P": ("e15", "PB or PFLOP/s"),
    "E": ("e18", "EB or EFLOP/s"),
}

_NUMBER_WORDS = {"thousand": "e3", "million": "e6", "billion": "e9", "trillion": "e12", "quadrillion": "e15"}

# Spellings that two readers read in two ways, as pattern and the unambiguous ones.
_AMBIGUOUS = (
    (r"([kKMGTP]?)bps", ("{0}bit/s", "{0}B/s")),
    (r"([kKMGTP]i?|)Bps", ("{0}B/s",)),
    (r"([kKMGTP]i?)b", ("{0}B", "{0}bit")),
    (r"b", ("bit", "byte")),
    (r"KB", ("kB", "KiB")),
    (r"([kKMGTPEZY]?)(?:FLOPS|FLOPs|flops|Flops)", ("{0}FLOP/s", "{0}FLOP")),
    (r"([kKMGTPEZY]?)(?:flop|Flop)", ("{0}FLOP",)),
    (r"([kKMGTPE]?)(?:OPS|OPs|ops)", ("{0}FLOP/s",)),
    (r"([kKMGTP]i?)Bs", ("{0}B", "{0}B/s")),
    (r"(?:sec|secs)", ("s",)),
    (r"(?:hr|hrs)", ("h", "hour")),
    (r"(?:gpu|GPU|gpus|GPUs)", ("chip",)),
    (r"(?:params|parameters|parameter)", ("param",)),
    (r"(?:dollar|dollars|usd|\$)", ("USD",)),
    (r"m2", ("m^2",)),
)


def refuse(name: str, where: str) -> UnknownUnitError:
    """Return the error for a unit name that the unit file does not hold, with the nearest spellings."""
    shown = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
    if name in _PREFIX_ALONE:
        size, unit = _PREFIX_ALONE[name]
        fix = f"Write the number out, as in 2{size}, or a whole unit, as in {unit}."
        return UnknownUnitError(where, f"'{name}' alone is no unit.", fix)
    if name in _NUMBER_WORDS:
        return UnknownUnitError(where, f"'{name}' is no unit.", f"Write the number out, as in 2{_NUMBER_WORDS[name]}.")
    for pattern, meant in _AMBIGUOUS:
        match = re.fullmatch(pattern, name)
        if match:
            prefix = (match.groups() or (name,))[0].replace("K", "k") if not name.startswith("Ki") else match[1]
            fix = did_you_mean(text.format(prefix) for text in meant)
            return UnknownUnitError(where, f"'{shown}' is not how a unit is spelt here.", fix)
    fix = did_you_mean(_same_letters(name)) or suggest(name[: 2 * LONGEST_NAME], spellings())
    fix = fix or "Units look like GiB, GB/s, TFLOP/s, token, USD/hour."
    return UnknownUnitError(where, f"'{shown}' is not a unit.", fix)


@cached(maxsize=1)
def spellings() -> tuple[str, ...]:
    """Return the spellings that a message may suggest: each unit, and its symbol with the prefixes in use for it."""
    system, suggestions = unit_system(), list[str]()
    for spelling, name in system.names.items():
        suggestions.append(spelling)
        if system.groups[name] != WITHOUT_PREFIX and len(spelling) <= len("FLOP"):
            binary = _BINARY_PREFIXES if name in ("byte", "bit") else ()
            suggestions += [prefix + spelling for prefix in (*_PREFIXES, *binary)]
    return tuple(suggestions)


def _same_letters(name: str) -> list[str]:
    """Return spellings that differ from a name in case only, and those in bit that the name may have cut short."""
    fold = name.casefold()
    same = [spelling for spelling in spellings() if spelling.casefold() == fold]
    if same and fold.endswith("b"):
        same += [spelling for spelling in spellings() if spelling.casefold() == fold + "it"]
    return same
