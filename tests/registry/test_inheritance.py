"""Records that extend, override and name others: over files and packs, with the place of each figure kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from flopsheet import record, records
from flopsheet.errors import RegistryError, UnknownNameError
from flopsheet.registry import store
from flopsheet.registry.packs import Pack
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ORIGINS = {"one": "built-in", "two": "user", "three": "project"}
BASE = """
base:
  name: V Base
  vendor: V
  source: paper
  memory: 80 GiB
  memory_bandwidth: 1 TB/s
  flops: {bf16: 1 TFLOP/s, fp8: 2 TFLOP/s}
  link: {name: Net, bandwidth: 9 GB/s}
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Write files of packs, the built-in one among them: `one/...`, `two/...`, `three/...`."""

    def clear() -> None:
        SESSION.drop_files()

    def written(name: str, text: str) -> None:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        clear()

    named = (Pack(name, tmp_path / name, origin) for name, origin in ORIGINS.items())
    active = tuple(named)
    monkeypatch.setattr(store, "packs", lambda: active)
    clear()
    yield written
    clear()


def only_problem() -> str:
    """Return the text of the only problem."""
    (problem,) = store.problems()
    return str(problem)


def test_a_record_changes_a_few_figures_of_another(write: Callable[[str, str], None]) -> None:
    write(
        "one/hardware/chips/a.yaml",
        f"{BASE}\nwide:\n  extends: base\n  name: V Wide\n  source: ours\n  memory: 160 GiB\n",
    )
    wide = record("chip", "wide", "test")
    assert (wide.name, wide.vendor, wide.sources, wide.labels) == ("V Wide", "V", ("ours",), {"link.name": "Net"})
    assert wide.values["memory"].quantity.si == 160 * 2**30
    assert wide.values["flops.fp8"].quantity.si == 2 * 10**12
    assert (wide.values["memory"].record, wide.values["flops.fp8"].record) == ("", "base")
    assert (wide.values["memory"].spot.line, wide.values["flops.fp8"].spot.line) == (15, 8)


def test_figures_have_the_sources_of_the_record_that_states_them(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", f"{BASE}\nwide: {{extends: base, name: W, source: [a, b], memory: 1 GiB}}\n")
    values = record("chip", "wide", "test").values
    assert (values["memory"].sources, values["memory_bandwidth"].sources) == (("a", "b"), ("paper",))


def test_a_record_extends_one_of_an_earlier_pack(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write("two/hardware/chips/a.yaml", "wide: {extends: base, name: W}\n")
    assert record("chip", "wide", "test").values["memory"].text == "80 GiB"


def test_a_later_pack_overrides_a_record_and_should_say_so(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write("two/hardware/chips/a.yaml", "base: {extends: base, name: W, source: s, memory: 1 GiB}\n")
    (warning,) = store.warnings()
    assert str(warning).startswith(
        "two/hardware/chips/a.yaml:1:7, key 'base': It takes the name 'base' of the built-in"
    )
    assert record("chip", "base", "test").values["memory"].text == "1 GiB"
    write("two/hardware/chips/a.yaml", "base: {extends: base, override: true, name: W, source: s, memory: 1 GiB}\n")
    assert store.warnings() == store.problems() == []
    result = record("chip", "base", "test")
    assert (result.values["memory"].text, result.values["memory_bandwidth"].text) == ("1 GiB", "1 TB/s")
    assert [holder.pack.name for holder in store.registry("chip").names.holders["base"]] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "wide: {extends: bse, name: W}",
            "key 'wide.extends': It extends the chip 'bse', which is not",
        ),
        ("wide: {extends: bse, name: W}", "Did you mean 'base'"),
        ("wide: {extends: wide, name: W}", "It extends the chip 'wide', which is not declared before it"),
        ("a: {extends: b, name: A}\nb: {extends: a, name: B}", "It extends the chip 'b', which is not declared before"),
        ("wide: {extends: base, override: maybe, name: W}", "'maybe' is neither true nor false"),
    ],
)
def test_wrong_ties_are_refused(text: str, message: str, write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write("one/hardware/chips/b.yaml", text)
    assert message in "\n".join(map(str, store.problems()))
    assert record("chip", "base", "test").name == "V Base"


def test_an_invalid_file_is_reported_once_and_does_not_affect_others(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write("two/hardware/chips/b.yaml", "x: {memory: 5\n")
    write("two/hardware/chips/c.yaml", "c: {extends: base, name: C}\n")
    assert list(records("chip")) == ["base", "c"]
    assert "This is not YAML" in only_problem()


def test_all_mistakes_of_a_file_are_reported_at_once(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", "x: {memroy: 5 GiB, memory: 5 W, memory: 6 GiB, power: 7}\ny: &a 5\n")
    text = only_problem()
    assert text.startswith("hardware/chips/a.yaml: ")
    for part in ("Did you mean 'memory'", "5 W", "is also in line", "'7' has no unit", "The keys name, vendor"):
        assert part in text
    assert "Anchors and aliases" in text
    assert "'y': Expected a mapping" in text


def test_a_system_has_the_figures_of_its_chip(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write(
        "one/hardware/systems/a.yaml", "board: {name: B, vendor: V, source: s, chip: base, n_chips: 8, power: 5 kW}\n"
    )
    values = record("system", "board", "test").values
    assert (values["chip.memory"].text, values["chip.memory"].record) == ("80 GiB", "base")
    assert values["n_chips"].si == 8


def test_a_system_that_extends_another_has_nothing_of_the_chip_that_it_replaces(
    write: Callable[[str, str], None],
) -> None:
    small = "small: {name: S, vendor: V, source: s, memory: 9 GiB, memory_bandwidth: 1 TB/s, flops: {bf16: 1 TFLOP/s}}"
    write("one/hardware/chips/a.yaml", f"{BASE}\n{small}\n")
    write(
        "one/hardware/systems/a.yaml",
        "board: {name: B, vendor: V, source: s, chip: base, n_chips: 8, power: 5 kW}\n"
        "tray: {extends: board, name: T, chip: small}\n",
    )
    tray, board = (record("system", name, "test").values for name in ("tray", "board"))
    assert (tray["chip.memory"].text, tray["chip.memory"].record) == ("9 GiB", "small")
    assert (tray["power"].text, tray["power"].record) == ("5 kW", "board")
    assert {*board} - {*tray} == {"chip.flops.fp8", "chip.link.bandwidth"}


def test_a_system_names_a_chip_that_exists(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write("one/hardware/systems/a.yaml", "board: {name: B, vendor: V, source: s, chip: bas, n_chips: 8}\n")
    assert "key 'board.chip': There is no chip 'bas'. Did you mean 'base'" in only_problem()


def test_a_missing_value_has_the_default_of_its_kind(write: Callable[[str, str], None]) -> None:
    shape = "n_blocks: 2, d_model: 8, vocab: 9, n_heads: 2, n_kv_heads: 2, d_head: 4, d_value: 4"
    write("one/models/architectures/a.yaml", f"m: {{name: M, vendor: V, source: s, {shape}}}\n")
    values = record("architecture", "m", "test").values
    assert (values["n_experts"].si, values["embedding_matrices"].si, "params" in values) == (0, 2, False)


def test_a_file_may_lie_beside_the_folder_of_its_kind(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips.yaml", BASE)
    assert list(records("chip")) == ["base"]


ALIASED = BASE.replace("  name: V Base", "  aliases: [b]\n  name: V Base")
OTHER = BASE.replace("base:", "other:")


@pytest.mark.parametrize("alias", ["base", "b"])
@pytest.mark.parametrize("override", ["", "  override: true\n"])
def test_an_alias_that_means_another_record_of_the_pack_is_refused(
    alias: str, override: str, write: Callable[[str, str], None]
) -> None:
    write("one/hardware/chips/a.yaml", ALIASED)
    write("one/hardware/chips/b.yaml", f"{OTHER}  aliases: [{alias}]\n{override}")
    assert f"also has the name '{alias}'" in only_problem()
    assert list(records("chip")) == ["base"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"{OTHER}  aliases: [base]\n", "base"),
        (f"{OTHER}  aliases: [b]\n", "b"),
        (OTHER.replace("other:", "b:"), "b"),
        (BASE, "base"),
    ],
)
def test_a_name_of_a_pack_stays_its_own_when_the_built_in_pack_also_gives_it(
    text: str, name: str, write: Callable[[str, str], None]
) -> None:
    write("two/hardware/chips/b.yaml", text)
    before = record("chip", name)
    write("one/hardware/chips/a.yaml", ALIASED.replace("80 GiB", "1 GiB"))
    assert record("chip", name).values == before.values
    assert record("chip", f"two:{name}") == record("chip", name)
    assert record("chip", f"built-in:{name}").values["memory"].text == "1 GiB"
    assert f"takes the name '{name}' of the built-in chip" in str(store.warnings()[0])
    assert store.problems() == []
    write("two/hardware/chips/b.yaml", f"{text}  override: true\n")
    assert (store.warnings(), record("chip", name).values) == ([], before.values)


def test_an_override_may_repeat_the_alias_of_its_record(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", ALIASED)
    write("two/hardware/chips/b.yaml", f"{ALIASED}  override: true\n".replace("V Base", "V Ours"))
    assert not store.problems()
    assert record("chip", "b", "test").name == "V Ours"


def test_a_name_of_two_packs_is_an_error_where_it_is_used(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", OTHER)
    for pack, memory in (("two", "2 GiB"), ("three", "3 GiB")):
        write(f"{pack}/hardware/chips/a.yaml", BASE.replace("80 GiB", memory))
    assert list(records("chip")) == ["other", "two:base", "three:base"]
    assert [record("chip", f"{pack}:base").values["memory"].text for pack in ("two", "three")] == ["2 GiB", "3 GiB"]
    with pytest.raises(RegistryError) as caught:
        record("chip", "base", "here")
    assert str(caught.value) == (
        "here: The packs 'two' (two/hardware/chips/a.yaml:3:3) and 'three' (three/hardware/chips/a.yaml:3:3) both "
        "define the chip 'base'. Write 'two:base' or 'three:base'."
    )
    (warning,) = store.warnings()
    assert warning.problem == caught.value.problem
    write("three/hardware/chips/a.yaml", f"{BASE}  override: true\n")
    assert record("chip", "base").values["memory"].text == "80 GiB"


def test_what_a_pack_names_is_its_own_record(write: Callable[[str, str], None]) -> None:
    """A record that another pack adds changes none of a pack's, unless it overrides."""
    board = "board: {name: B, vendor: V, source: s, chip: base, n_chips: 8}\n"
    for pack in ("one", "two", "three"):
        write(f"{pack}/hardware/systems/a.yaml", board.replace("board", f"board-{pack}"))
    write("one/hardware/chips/a.yaml", BASE)
    write("two/hardware/chips/a.yaml", f"{BASE.replace('80', '2')}\nwide: {{extends: base, name: W}}\n")
    memories = {pack: record("system", f"board-{pack}").values["chip.memory"].text for pack in ORIGINS}
    assert memories == {"one": "80 GiB", "two": "2 GiB", "three": "2 GiB"}
    assert record("chip", "wide").values["memory"].text == "2 GiB"
    write("two/hardware/chips/a.yaml", f"{BASE.replace('80', '2')}  override: true\n")
    assert {record("system", f"board-{pack}").values["chip.memory"].text for pack in ORIGINS} == {"2 GiB"}


@pytest.mark.parametrize("key", ["extends: built-in:base, source: s, name: W", "extends: two:base, name: W, source: s"])
def test_a_record_names_another_with_its_pack(key: str, write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write("two/hardware/chips/a.yaml", BASE.replace("80", "2"))
    write("three/hardware/chips/a.yaml", f"wide: {{{key}}}\n")
    assert record("chip", "wide").values["memory"].text == ("2 GiB" if "two" in key else "80 GiB")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("two:bse", "There is no chip 'two:bse'. Did you mean 'two:base'"),
        ("tow:base", "There is no chip 'tow:base'. Did you mean 'two:base'? Packs: two."),
        (":base", "There is no chip ':base'. Did you mean 'two:base'"),
        ("two:", "There is no chip 'two:'"),
        ("a:b:c", "There is no chip 'a:b:c'"),
    ],
)
def test_an_unknown_name_of_a_pack_suggests(name: str, message: str, write: Callable[[str, str], None]) -> None:
    write("two/hardware/chips/a.yaml", BASE)
    with pytest.raises(UnknownNameError, match=re.escape(message)):
        record("chip", name)


def test_an_override_of_nothing_is_a_warning(write: Callable[[str, str], None]) -> None:
    write("one/hardware/chips/a.yaml", BASE)
    write("two/hardware/chips/a.yaml", "bse: {extends: base, override: true, name: W}\n")
    assert record("chip", "bse").values["memory"].text == "80 GiB"
    assert store.problems() == []
    (warning,) = store.warnings()
    assert str(warning).endswith("no earlier pack has a chip of this name. Did you mean 'base'?")


def test_two_packs_of_one_name_are_told_apart_by_nothing(
    tmp_path: Path, write: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    active = (Pack("two", tmp_path / "two", "user"), Pack("two", tmp_path / "other" / "two", "project"))
    monkeypatch.setattr(store, "packs", lambda: active)
    for folder in ("two", "other/two"):
        write(f"{folder}/hardware/chips/a.yaml", BASE)
    for name in ("base", "two:base"):
        with pytest.raises(RegistryError, match="Rename the folder of one of the two"):
            record("chip", name)
