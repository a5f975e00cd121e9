"""Keeps on disk what parsing a file of records gave, by the content of the file and of the code that reads it."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.registry.places import cache_folder
from flopsheet.registry.records import Record, Spot, Value

if TYPE_CHECKING:
    from flopsheet.units import Number

KEPT_FOR = 30 * 24 * 3600
_OWN = Path(__file__).parents[1]


def stamp(data: bytes, *said: str) -> str:
    """Return a name for what a file gives: of its content, of what is said of it, and of the code that reads it."""
    from hashlib import blake2b

    digest = blake2b(data, digest_size=20)
    digest.update("\0".join((_code(), *said)).encode())
    return digest.hexdigest()


@cache
def _code() -> str:
    """Return what changes with every change of the code that reads records."""
    return ",".join(f"{each}:{(found := Path(each).stat()).st_mtime_ns}:{found.st_size}" for each in code_files())


def code_files() -> list[str]:
    """Return the files of the code that reads and lists records."""
    rooms = ("registry", "units", "cli", "render")
    return [str(_OWN / "errors.py"), *(str(each) for room in rooms for each in sorted((_OWN / room).glob("*.*")))]


def load(name: str) -> list[Record] | None:
    """Return the records that were kept under a name, or None."""
    try:
        return [_record(each) for each in get(f"{name}.json")]
    except (ValueError, TypeError):
        return None


def get(name: str) -> Any:
    """Return what a file in the folder of what is kept holds, or None."""
    try:
        return json.loads((_folder() / name).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def keep(name: str, records: list[Record]) -> None:
    """Keep records under a name."""
    put(f"{name}.json", [_plain(each) for each in records])


def put(name: str, content: Any) -> None:
    """Write a file into the folder of what is kept. Where the disk takes nothing, nothing is kept.

    The file appears whole or not at all, so that processes that start at once do not meet halves of it.
    """
    folder = _folder()
    part = folder / f"{name}.{os.getpid()}.part"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_old(folder)
        part.write_text(json.dumps(content), encoding="utf-8")
        part.replace(folder / name)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _forget_old(folder: Path) -> None:
    """Remove what was kept long ago: files have changed since, and are kept under other names."""
    for each in folder.iterdir():
        with suppress(OSError):
            if time.time() - each.stat().st_mtime > KEPT_FOR:
                each.unlink()


def _folder() -> Path:
    return Path(cache_folder())


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
