"""The store: records and sources by name, aliases, and names that clash between files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from flopsheet import record, records
from flopsheet.errors import UnknownNameError
from flopsheet.registry import store
from flopsheet.registry.packs import Pack, packs
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FIGURES = "name: N, vendor: V, source: s, memory: 1 GiB, memory_bandwidth: 1 TB/s, flops: {bf16: 1 TFLOP/s}"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Write files of the only active pack."""

    def clear() -> None:
        SESSION.drop_files()

    def written(name: str, text: str) -> None:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        clear()

    monkeypatch.setattr(store, "packs", lambda: (Pack("test", tmp_path),))
    clear()
    yield written
    clear()


def test_records_are_in_the_order_of_files(write: Callable[[str, str], None]) -> None:
    write("hardware/chips/b.yaml", f"x1: {{{FIGURES}}}\n")
    write("hardware/chips/a.yaml", f"x2: {{{FIGURES}, aliases: [two]}}\nx3: {{{FIGURES}}}\n")
    assert list(records("chip")) == ["x2", "x3", "x1"]
    assert record("chip", "two", "here") is record("chip", "x2", "here")
    assert str(record("chip", "x1", "here").spot).startswith("hardware/chips/b.yaml:1:")


def test_a_pack_without_hardware_has_no_records(write: Callable[[str, str], None]) -> None:
    write("models/sources.yaml", "s: {title: T}\n")
    assert dict(records("chip")) == {}


@pytest.mark.parametrize(
    ("second", "clash"),
    [
        (f"x1: {{{FIGURES}}}", "x1"),
        (f"x2: {{{FIGURES}, aliases: [one]}}", "one"),
        (f"x2: {{{FIGURES}, aliases: [x1]}}", "x1"),
        (f"one: {{{FIGURES}}}", "one"),
    ],
)
def test_no_name_or_alias_means_two_records(second: str, clash: str, write: Callable[[str, str], None]) -> None:
    write("hardware/chips/a.yaml", f"x1: {{{FIGURES}, aliases: [one]}}\n")
    write("hardware/chips/b.yaml", second)
    assert list(records("chip")) == ["x1"]
    (problem,) = store.problems()
    assert f"'{clash}'" in str(problem)


def test_sources_of_all_folders(write: Callable[[str, str], None]) -> None:
    write("hardware/sources.yaml", "a: {title: A, url: https://a, read: 2024-01-01}\n")
    write("models/sources.yaml", "b: {title: B}\n")
    assert store.sources()["a"] == store.Source("A", "https://a", "2024-01-01")
    assert store.sources()["b"] == store.Source("B")


def test_no_key_means_two_sources(write: Callable[[str, str], None]) -> None:
    write("hardware/sources.yaml", "a: {title: A}\n")
    write("models/sources.yaml", "a: {title: B}\n")
    assert store.sources()["a"].title == "A"
    assert "'a'" in str(store.problems()[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {titel: A}", "key 'a.titel': There is no such key. Did you mean 'title'"),
        ("a: {url: A}", "key 'a': The key 'title' is missing"),
        ("a: {title: A, read: today}", "key 'a.read': 'today' is not a date"),
        ("a: A", "Expected a mapping"),
    ],
)
def test_sources_are_checked(text: str, message: str, write: Callable[[str, str], None]) -> None:
    write("models/sources.yaml", text)
    assert store.sources() == {}
    assert re.search(rf"^models/sources\.yaml:1:\d+, .*{message}", str(store.problems()[0]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("h100-sxn", "There is no chip 'h100-sxn'. Did you mean 'h100-sxm'"),
        ("tpu_v5p", "Did you mean 'tpu-v5p'"),
        ("zzz", "There is no chip 'zzz'. Known: "),
        ("", "There is no chip ''"),
        ("x" * 100_000, "There is no chip 'x{60}…'"),
    ],
)
def test_an_unknown_record_suggests(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"^here: .*{message}"):
        record("chip", name, "here")


def test_the_built_in_pack_comes_first_and_shows_paths_inside_itself() -> None:
    pack = packs()[0]
    assert pack.name == "flopsheet"
    assert "hardware/chips/nvidia.yaml" in [pack.shown(file) for file in pack.files("hardware/chips", "*.yaml")]
    assert pack.files("hardware/nothing", "*.yaml") == []
