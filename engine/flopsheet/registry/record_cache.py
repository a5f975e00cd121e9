"""Keeps on disk what parsing a file of records gave, by the content of the file and of the code that reads it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.registry.disk_cache import get, put
from flopsheet.registry.records import Record, Spot, Value
from flopsheet.session import cached

if TYPE_CHECKING:
    from flopsheet.units import Number

_OWN = Path(__file__).parents[1]


def stamp(data: bytes, *said: str) -> str:
    """Return a name for what a file gives: of its content, of what is said of it, and of the code that reads it."""
    from hashlib import blake2b

    digest = blake2b(data, digest_size=20)
    digest.update("\0".join((_code(), *said)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


@cached(maxsize=1)
def _code() -> str:
    """Return what changes with every change of the code that reads records."""
    stats = ((each, Path(each).stat()) for each in code_files("registry", "units"))
    return ",".join(f"{file}:{found.st_mtime_ns}:{found.st_size}" for file, found in stats)


def code_files(*rooms: str) -> list[str]:
    """Return the files of the code in some rooms, and of the errors."""
    return [str(_OWN / "errors.py"), *(str(each) for room in rooms for each in sorted((_OWN / room).rglob("*.*")))]


def load(name: str) -> list[Record] | None:
    """Return the records that were kept under a name, or None."""
    try:
        return [_record(each) for each in get(f"{name}.json") or ()] or None
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        return None


def keep(name: str, records: list[Record]) -> None:
    """Keep records under a name."""
    put(f"{name}.json", [_plain(each) for each in records])


def _plain(record: Record) -> list[Any]:
    values = {
        name: [each.text, _si(each.si), each.shown, each.sources, each.note, each.verified, _spot(each.spot)]
        for name, each in record.values.items()
    }
    about: list[Any] = [record.key, record.kind, record.name, record.vendor, record.released, record.aliases]
    about += [record.sources, record.note, record.labels, values]
    about += [record.references, record.extends, record.override, record.pack]
    return [*about, _spot(record.spot)]


def _spot(spot: Spot) -> list[Any]:
    return [spot.file, spot.line, spot.column]


def _si(number: Number) -> Any:
    return [number.numerator, number.denominator] if isinstance(number, Fraction) else number


def _record(kept: list[Any]) -> Record:
    key, kind, name, vendor, released, aliases, sources, note, labels, values, *rest = kept
    references, extends, override, pack, spot = rest
    figures = {each: _value(figure) for each, figure in values.items()}
    about = (key, kind, name, vendor, released, tuple(aliases), tuple(sources), note, labels, figures)
    return Record(*about, references, extends, override, pack, Spot(*spot))


def _value(kept: list[Any]) -> Value:
    text, si, shown, sources, note, verified, spot = kept
    number = Fraction(*si) if isinstance(si, list) else si
    return Value(text, number, shown, tuple(sources), note, verified, Spot(*spot))
