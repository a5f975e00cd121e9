"""The store: records and sources by name, aliases, and names that clash between files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from flopsheet import record, records
from flopsheet.errors import UnknownNameError
from flopsheet.registry import store
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.names import Holder, Names
from flopsheet.registry.packs import Pack, packs
from flopsheet.registry.store import registry
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
        ("tpu_v5pp", "Did you mean 'tpu-v5p'"),
        ("zzz", "There is no chip 'zzz'. Known: "),
        ("", "There is no chip ''"),
        ("x" * 100_000, "There is no chip 'x{60}…'"),
    ],
)
def test_an_unknown_record_suggests(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"^here: .*{message}"):
        record("chip", name, "here")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("llama2-7b", "llama-2-7b"),
        ("llama_3_1_8b", "llama-3.1-8b"),
        ("Llama 3 8B", "llama-3-8b"),
        ("gpt-3", "gpt3-175b"),
        ("OPT175B", "opt-175b"),
        ("meta-llama/Llama-2-7b-hf", "llama-2-7b"),
        ("META-LLAMA/llama-2-7b-hf", "llama-2-7b"),
        ("Llama-2-7b-hf", "llama-2-7b"),
        ("built-in:llama2_7b", "llama-2-7b"),
        ("Qwen/Qwen1.5-MoE-A2.7B", "qwen1.5-moe-a2.7b"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-v3"),
        ("command R+", "command-r-plus"),
        ("Meta Llama-3-8B", "llama-3-8b"),
    ],
)
def test_a_model_is_found_as_others_spell_it(name: str, key: str) -> None:
    assert record("architecture", name, "here").key == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("NVIDIA H100", "h100-sxm"),
        ("nvidia a100-sxm4-80gb", "a100-sxm4-80gb"),
        ("AMD Instinct MI300X", "mi300x"),
        ("Google TPU v5p", "tpu-v5p"),
        ("Apple M3 Ultra", "apple-m3-ultra"),
        ("NVIDIA H100 SXM5 80GB", "h100-sxm"),
    ],
)
def test_a_chip_is_found_by_its_whole_name_and_behind_its_vendor(name: str, key: str) -> None:
    assert record("chip", name, "here").key == key


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "'Qwen/Qwen2.5-7B-Instruct'. Did you mean 'qwen2.5-7b'"),
        ("llama27b", "Did you mean 'llama-2-7b', 'llama-7b'"),
        ("llama-2-70", "Did you mean 'llama-2-70b'"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "Did you mean 'mixtral-8x7b'"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Did you mean 'llama-3-8b'"),
        ("deepseek-ai/DeepSeek-V3-0324", "Did you mean 'deepseek-v3'"),
        ("phi3", "Did you mean 'phi-3-mini'"),
    ],
)
def test_what_tuning_adds_is_left_out_of_suggestions(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        record("architecture", name, "here")


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_built_in_records_are_spelled_alike(kind: str) -> None:
    assert not {spelt: keys for spelt, keys in registry(kind).names.spellings.items() if len(keys) > 1}


def test_a_spelling_that_two_records_share_means_neither() -> None:
    names: Names[str] = Names("thing")
    for key in ("one-a", "one_a"):
        names.add(Holder(packs()[0], key, "here", key))
    assert names.lookup("One A", "here") is None
    found = names.lookup("one_A", "here")
    assert found is not None
    assert found.key == "one_a"


def test_the_built_in_pack_comes_first_and_shows_paths_inside_itself() -> None:
    pack = packs()[0]
    assert pack.name == "flopsheet"
    assert "hardware/chips/nvidia.yaml" in [pack.shown(file) for file in pack.files("hardware/chips", "*.yaml")]
    assert pack.files("hardware/nothing", "*.yaml") == []
