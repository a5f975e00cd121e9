"""A disk cache of parsed files of records and sources, and of the list of sheets; damaged entries are ignored.

The key of an entry is the content of the file and the state of the code that reads it, so no entry is ever stale. This
module imports little: with a filled cache, neither YAML nor any number is parsed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any
from zlib import crc32

from flopsheet.errors import Place
from flopsheet.files import PART
from flopsheet.files import replace as replace_file
from flopsheet.registry.records import Record, Value
from flopsheet.session import cached
from flopsheet.units import Number, Quantity, unit

CACHE = "FLOPSHEET_CACHE"
OWN = "flopsheet-kept"  # a subfolder of the configured cache: old files are removed, so it holds no others
LIFETIME = 30 * 24 * 3600  # seconds
_ENGINE = Path(__file__).parents[1]
_FIELDS = tuple(field.name for field in fields(Record))


def key_of(data: bytes, *about: str) -> str:
    """Return the key of what a file gives, from its content, what else the result depends on, and our code."""
    from hashlib import blake2b

    digest = blake2b(data, digest_size=20)
    digest.update("\0".join((_code(), *about)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


@cached(maxsize=1)
def _code() -> str:
    """Return a text that changes with every change of the code that reads records."""
    return code_state("errors.py", "registry/**/*.py", "units/*.py", "units/*.txt")


def code_state(*patterns: str) -> str:
    """Return a text that changes with every change of our files that match."""
    files = (file for pattern in patterns for file in sorted(_ENGINE.glob(pattern)))
    states = ((file, file.stat()) for file in files)
    return ",".join(f"{file}:{state.st_mtime_ns}:{state.st_size}" for file, state in states)


def folder() -> str:
    """Return the folder of the cache: in FLOPSHEET_CACHE, or in the cache folder of the user."""
    named = os.environ.get(CACHE)
    if not named:
        import platformdirs

        named = platformdirs.user_cache_dir("flopsheet")
    return os.path.join(named, OWN)  # noqa: PTH118  # pathlib would double the time of a list


def get(key: str) -> Any:
    """Return the content of an entry, or None where it is missing or damaged."""
    try:
        with open(os.path.join(folder(), f"{key}.json"), encoding="utf-8", opener=_regular) as file:  # noqa: PTH118  # the same
            checksum, _, text = file.read().partition("\n")
        return json.loads(text) if checksum == _checksum(key, text) else None
    except (OSError, ValueError, RecursionError):
        return None


def _regular(path: str, flags: int) -> int:
    """Open a file without following a link or waiting for the writer of a FIFO."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def put(key: str, content: Any) -> None:
    """Write what JSON or a record can hold. Where the disk is full or read-only, nothing is written.

    Processes that start at once never read half of an entry.
    """
    with suppress(OSError):
        os.makedirs(folder(), mode=0o700, exist_ok=True)  # noqa: PTH103
        _remove_old()
        text = json.dumps(content, default=_plain)
        path = os.path.join(folder(), f"{key}.json")  # noqa: PTH118
        replace_file(path, f"{_checksum(key, text)}\n{text}".encode(), durable=False)


def _remove_old() -> None:
    """Remove entries that were written long ago: files have changed since, and have other keys."""
    import time

    with os.scandir(folder()) as entries:
        for entry in entries:
            with suppress(OSError):
                ours = entry.name.endswith((".json", PART)) and entry.is_file(follow_symlinks=False)
                if ours and time.time() - entry.stat().st_mtime > LIFETIME:
                    os.unlink(entry.path)  # noqa: PTH108


def _checksum(key: str, text: str) -> str:
    """Return a checksum of an entry and its name: a file that was renamed is damaged."""
    return f"{crc32(text.encode(), crc32(key.encode())):08x}"


def _plain(value: Record | Quantity | Fraction) -> list[Any]:
    """Return what JSON writes for a type that it does not know; tuples with names are lists to it."""
    if isinstance(value, Record):
        return [getattr(value, name) for name in _FIELDS]
    return [value.exact, value.unit.text] if isinstance(value, Quantity) else [value.numerator, value.denominator]


def get_records(key: str) -> list[Record]:
    """Return the records of an entry; an empty list where it is missing."""
    try:
        return [_record(*entry) for entry in get(key) or ()]
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        return []


def _record(*plain: Any) -> Record:
    entries = dict(zip(_FIELDS, plain, strict=True))
    values = {name: _value(*value) for name, value in entries["values"].items()}
    aliases, sources, spot = tuple(entries["aliases"]), tuple(entries["sources"]), Place(*entries["spot"])
    return Record(**{**entries, "aliases": aliases, "sources": sources, "values": values, "spot": spot})


def _value(*plain: Any) -> Value:
    value = Value(*plain)
    number, shown = plain[1]
    exact: Number = Fraction(*number) if isinstance(number, list) else number
    usable, measured, sparse = (other and _value(*other) for other in (value.usable, value.measured, value.sparse))
    return value._replace(
        quantity=Quantity(exact, unit(shown)),
        sources=tuple(value.sources),
        spot=Place(*value.spot),
        usable=usable,
        measured=measured,
        sparse=sparse,
    )
