"""Unit expressions, parsed with their exact size in base units; a rejected one comes with what it may have meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.errors import UnknownUnitError, did_you_mean, expect_text, public, suggest
from flopsheet.session import cached
from flopsheet.units.system import PURE_NUMBER, WITHOUT_PREFIX, Dimension, UnitSize, pint_registry, unit_system

if TYPE_CHECKING:
    import pint

LONGEST_UNIT = 80
LARGEST_EXPONENT = 9
# A rate over a time, `PFLOP/s-day`, is a product: the one hyphen between units that all readers read alike. In
# `USD/chip-hour` both names are below the bar.
RATE_OVER_TIME = r"(?<=FLOP/s)-(?=(?:second|minute|hour|day|week|month|year)s?\b)"
_JOINT = re.compile(rf"\s*([*·/])\s*|{RATE_OVER_TIME}")
_FACTOR = re.compile(r"(?P<name>[A-Za-zµμ°_]+|%|\$)(?:\s*(?:\^|\*\*)\s*(?P<power>-?[0-9]+))?|(?P<one>1)(?=\s*/)")
_PERCENT = re.compile(r"\bpercent\b")  # printed as `%`, as relations and slacks are
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
    (r"(?:seq|seqs)", ("sequence",)),
    (r"(?:req|reqs)", ("request",)),
    (r"(?:rps|qps|RPS|QPS)", ("request/s",)),
    (r"(?:tok|toks)", ("token",)),
    (r"(?:tps|TPS)", ("token/s",)),
    (r"(?:params|parameters|parameter)", ("param",)),
    (r"(?:dollar|dollars|usd|\$)", ("USD",)),
    (r"m2", ("m^2",)),
)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A unit expression such as `GB/s`."""

    text: str  # as written, blanks trimmed, hyphens as products and percent as `%`; empty for a pure number
    factor: Fraction  # its size in base units (byte, FLOP, second, metre, gram, watt, USD, token, param, degree)
    dimension: Dimension  # what it measures

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"unit({self.text!r})"

    def __eq__(self, other: object) -> bool:
        # The text decides factor and dimension, and comparing fractions is slow.
        return isinstance(other, Unit) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def pint(self) -> pint.Unit:
        """Return the same unit of the registry `pint_registry()`."""
        return pint_registry().Unit(self.text.replace("%", "percent") or "dimensionless")


@public
def unit(text: str | Unit, where: str = "unit") -> Unit:
    """Return the unit that a text such as `TFLOP/s` or `USD/hour/chip` names.

    Args:
        text: names with optional integer exponents, joined by `*` or `/`; empty for a pure number.
        where: the place that an error names.

    Raises:
        UnknownUnitError: a name is not in the unit file, is ambiguous, or the text is no unit expression.
        ArgumentError: it is no text.
    """
    if isinstance(text, Unit):
        return text
    stripped = expect_text(text, where, 'Write unit("GB/s").').strip()
    return _known_unit(stripped) or _parsed(stripped, where)


@cached(maxsize=4096)
def _known_unit(text: str) -> Unit | None:
    """Return the unit of a text, or None where it is wrong: an error names its place, and places differ."""
    try:
        return _parsed(text, "")
    except UnknownUnitError:
        return None


def _parsed(stripped: str, where: str) -> Unit:
    if not stripped:
        return Unit("", Fraction(1), PURE_NUMBER)
    if len(stripped) > LONGEST_UNIT:
        problem = f"'{stripped[:LONGEST_NAME]}…' is no unit: it has {len(stripped):,} characters."
        raise UnknownUnitError(where, problem, f"A unit has at most {LONGEST_UNIT}.")
    factor, dimension = Fraction(1), PURE_NUMBER
    for sign, name, power in _factors(stripped, where):
        size = _size(name)
        if size is None:
            raise refuse(name, where)
        factor *= size.factor ** (sign * power)
        dimension *= size.dimension ** Fraction(sign * power)
    text = _PERCENT.sub("%", re.sub(RATE_OVER_TIME, "*", stripped))
    return Unit(text, factor, dimension)


@cached(maxsize=1024)
def base_unit(of: Dimension) -> Unit:
    """Return the unit of a dimension in base units: `byte/second`."""
    names = unit_system().base_units
    above = "*".join(_raised(names[base], power) for base, power in of.powers if power > 0)
    below = "".join(f"/{_raised(names[base], -power)}" for base, power in of.powers if power < 0)
    if any(power.denominator != 1 for _, power in of.powers):
        return Unit(f"{above or 1}{below}", Fraction(1), of)  # no unit expression writes a root
    return unit(f"{above or '1'}{below}" if of.powers else "")


def _raised(name: str, power: Fraction) -> str:
    if power == 1:
        return name
    return f"{name}^{power}" if power.denominator == 1 else f"{name}^({power})"


def _factors(text: str, where: str) -> list[tuple[int, str, int]]:
    """Return (1 above or -1 below the bar, name, exponent) of each factor."""
    factors, sign, at, end = [], 1, 0, 0
    while match := _FACTOR.match(text, at):
        end = match.end()
        if match["name"]:
            power = int(match["power"] or 1)
            if abs(power) > LARGEST_EXPONENT:
                problem = f"The exponent {power} in the unit '{text}' is larger than {LARGEST_EXPONENT}."
                raise UnknownUnitError(where, problem)
            factors.append((sign, match["name"], power))
        joint = _JOINT.match(text, match.end())
        if joint is None:
            break
        sign, at = (-1 if joint[1] == "/" else 1), joint.end()
    if end != len(text) or not factors:
        raise refuse(text, where)
    return factors


@cached(maxsize=4096)
def powers_of(text: str) -> dict[str, int]:
    """Return the exponents of the names in a unit expression: `{"byte": 1, "param": -1}`."""
    powers: dict[str, int] = {}
    for sign, name, power in _factors(text, "unit"):
        powers[name] = powers.get(name, 0) + sign * power
    return powers


def is_unit_name(name: str) -> bool:
    """Whether the unit file holds this single name, prefix and plural included."""
    return _size(name) is not None


@cached(maxsize=65536)
def _size(name: str) -> UnitSize | None:
    return unit_system().find(name)


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
