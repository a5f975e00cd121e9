"""Whatever stands in a file of records: records or an error of ours, soon, and nothing else happens.

By default some two hundred inputs; with `-m slow` more than 20,000.
"""

from __future__ import annotations

import string
import time
import tracemalloc
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flopsheet.errors import FlopsheetError
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import packs
from flopsheet.registry.reading import read_records
from flopsheet.registry.records import Record
from flopsheet.registry.strict_yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUICK, MANY = 60, 2000
LONGEST, LARGEST_MEMORY = 70, 64 * 2**20  # times what our own largest file takes: about a second
REAL = [file.read_text() for kind in KINDS.values() for file in packs()[0].files(kind.folder, "*.yaml")]
PIECES = [
    *("&a ", "*a", "!!python/object:os.system ", "!x ", "<<: ", "---\n", "...\n", "? ", "|\n", ">\n", "%YAML 1.1\n"),
    *(
        "1e9",
        "9**9**9",
        "no",
        "010",
        "1:30",
        ".inf",
        "~",
        "0x10",
        "1_000",
        "-5",
        "5 W**999",
        "900 Gbps",
        "\x00",
        "\ufeff",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        ": ",
        "- ",
        "#",
        "'",
        '"',
        "\t",
        "\n",
        "\\",
        "٥",
        "𝟗",
        "\u200b",
        "{{7*7}}",
        "__import__('os')",
    ),
    *("value", "source", "verified", "extends", "override", "aliases", "memory", "flops", "link", "name"),
]

data = st.binary(max_size=400)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(PIECES),
    st.sampled_from(["80 GiB", "1 TB/s", "700 W", "8", "2022-09-20", "NVIDIA", "true", "h100-sxm"]),
)
keys = st.one_of(st.sampled_from([name for kind in KINDS.values() for name in kind.all_fields]), st.text(max_size=8))
parts = keys.map(lambda name: name.partition(".")[0])
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(parts, inner, max_size=6)),
    max_leaves=25,
)
records = st.dictionaries(
    st.text(string.ascii_lowercase + "-", min_size=1, max_size=6), st.dictionaries(parts, trees, max_size=8), max_size=3
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Return a real file with a few pieces put in, taken out or exchanged."""
    text = draw(st.sampled_from(REAL))[: draw(st.integers(50, 3000))]
    for _ in range(draw(st.integers(1, 5))):
        at, length = draw(st.integers(0, len(text))), draw(st.integers(0, 12))
        text = text[:at] + draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))) + text[at + length :]
    return text


@cache
def yardstick() -> float:
    """Return the time that our own largest file of records takes [second], measured in the same run."""
    file = max(packs()[0].files("hardware/chips", "*.yaml"), key=lambda path: path.stat().st_size)
    start = time.process_time()
    assert read_records(read(file, "ours.yaml"), KINDS["chip"])
    return time.process_time() - start


def outcome(file: Path, content: bytes, kind: str) -> list[Record] | FlopsheetError:
    """Read a file with this content, and fail if that takes long, or much memory, or raises what is not ours."""
    file.write_bytes(content)
    result, taken = timed(file, kind)
    assert str(result)
    if taken >= LONGEST * yardstick():  # a machine may have changed its pace since: both again, side by side
        yardstick.cache_clear()
        assert timed(file, kind)[1] < LONGEST * yardstick()
    if isinstance(result, list):
        assert all(isinstance(record, Record) for record in result)
    return result


def timed(file: Path, kind: str) -> tuple[list[Record] | FlopsheetError, float]:
    """Return what reading a file gives, and the time that it takes [second]."""
    start = time.process_time()
    try:
        result: list[Record] | FlopsheetError = read_records(read(file, "fuzz.yaml"), KINDS[kind])
    except FlopsheetError as error:
        result = error
    return result, time.process_time() - start


def checks(strategy: st.SearchStrategy[Any], to_bytes: Callable[[Any], bytes], count: int) -> Callable[..., None]:
    """Return a test that reads many inputs of a strategy as records of every kind in turn."""

    @settings(
        max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
    )
    @given(content=strategy, kind=st.sampled_from(list(KINDS)))
    def check(file: Path, content: Any, kind: str) -> None:
        outcome(file, to_bytes(content), kind)

    return check


def as_yaml(tree: object) -> bytes:
    """Return a tree as YAML."""
    return yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "surrogatepass")


def as_bytes(text: str) -> bytes:
    """Return a text as bytes, halves of characters included."""
    return text.encode("utf-8", "surrogatepass")


SORTS: list[tuple[st.SearchStrategy[Any], Callable[[Any], bytes]]] = [
    (data, bytes),
    (st.one_of(trees, records), as_yaml),
    (mutated(), as_bytes),
]


@pytest.mark.parametrize("sort", range(len(SORTS)), ids=["bytes", "trees", "mutated"])
def test_any_file_gives_records_or_an_error_of_ours(sort: int, tmp_path: Path) -> None:
    checks(*SORTS[sort], QUICK)(tmp_path / "fuzz.yaml")


@pytest.mark.slow
@pytest.mark.parametrize("sort", range(len(SORTS)), ids=["bytes", "trees", "mutated"])
def test_thousands_of_files_give_records_or_an_error_of_ours(sort: int, tmp_path: Path) -> None:
    checks(*SORTS[sort], MANY)(tmp_path / "fuzz.yaml")


BOMBS = {
    "aliases": b"a: &a [x, x, x, x, x, x, x, x]\n"
    + b"".join(b"%c: &%c [*%c, *%c, *%c, *%c]\n" % (n, n, *[n - 1] * 4) for n in range(98, 122)),
    "lists": b"x: " + b"[" * 200_000,
    "mappings": b"x: " + b"{a: " * 100_000,
    "scalar": b"x: {name: '" + b"y" * 490_000 + b"'}",
    "keys": b"".join(b"k%d: {}\n" % n for n in range(40_000)),
    "items": b"x:\n" + b"- a\n" * 120_000,
    "too long": b"# " * 300_000,
    "digits": b"x: {power: " + b"9" * 400_000 + b" W}",
    "unit": b"x: {power: 5 " + b"W*" * 100_000 + b"W}",
    "key": b"x" * 400_000 + b": {}",
    "anchors": b"".join(b"k%d: &a%d x\n" % (n, n) for n in range(25_000)),
    "duplicates": b"k: {}\n" * 80_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_soon_and_in_little_memory(name: str, tmp_path: Path) -> None:
    result = outcome(tmp_path / "fuzz.yaml", BOMBS[name], "chip")
    assert isinstance(result, FlopsheetError)
    tracemalloc.start()
    try:
        (tmp_path / "fuzz.yaml").write_bytes(BOMBS[name])
        with pytest.raises(FlopsheetError) as caught:
            read_records(read(tmp_path / "fuzz.yaml", "fuzz.yaml"), KINDS["chip"])
        assert tracemalloc.get_traced_memory()[1] < LARGEST_MEMORY
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 20_000
