"""The commands of the registry: what a person types, and what comes back."""

from __future__ import annotations

import csv
import json
import os
from typing import TYPE_CHECKING

import pytest

from flopsheet import record
from flopsheet.registry import packs as packs_module
from flopsheet.registry import store
from flopsheet.registry.kinds import KINDS
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder, with packs looked up anew."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(packs_module, "_named", [])
    SESSION.drop_files()
    yield tmp_path
    SESSION.drop_files()


def test_a_condition_that_has_no_value_is_not_met(run: Run) -> None:
    out = run("hardware", "list", "--where", "power / (power - 700 W) > 1")[1]
    assert "h100-sxm" not in out
    assert "gb200" in out


def test_every_record_of_every_kind_is_listed(run: Run) -> None:
    code, out, err = run("hardware", "list", "--kind", "all")
    assert (code, err) == (0, "")
    for kind in KINDS:
        assert all(f"\n{name} " in out for name in store.records(kind))


def test_a_list_is_filtered_and_sorted(run: Run) -> None:
    words = ("--where", "memory >= 80 GB and flops.bf16 > 500 TFLOP/s", "--sort", "flops.bf16", "--as", "json")
    shown = json.loads(run("hardware", "list", *words)[1])
    rates = [record["values"]["flops.bf16"]["si"] for record in shown]
    assert len(rates) >= 2
    assert rates == sorted(rates, reverse=True)
    assert min(rates) > 500e12
    assert all(record["values"]["memory"]["si"] >= 80e9 for record in shown)


def test_a_site_says_which_figures_it_lacks(run: Run) -> None:
    assert "No figure for power and pue." in run("hardware", "show", "fugaku")[1]
    assert "No figure for" not in run("hardware", "show", "jean-zay")[1]
    (shown,) = json.loads(run("hardware", "show", "fugaku", "--as", "json")[1])
    assert shown["missing"] == ["power", "pue"]
    assert "No figure for" in record("datacenter", "fugaku")._repr_markdown_()


def test_prices_are_filtered_by_what_they_are_of(run: Run) -> None:
    words = ("--where", "chip = h100-sxm and provider = AWS", "--sort", "date", "--as", "json")
    shown = json.loads(run("hardware", "list", "--kind", "price", *words)[1])
    assert {offer["references"]["chip"] for offer in shown} == {"h100-sxm"}
    assert {offer["vendor"] for offer in shown} == {"AWS"}
    dates = [offer["labels"]["date"] for offer in shown]
    assert dates == sorted(dates)
    row = ["AWS", "on", "demand", "2026-09-19", "6.88", "USD/hour"]
    lines = run("hardware", "list", "--kind", "price", *words[:2])[1].splitlines()
    assert any(" ".join(row) in " ".join(line.split()) for line in lines)


def test_a_list_goes_into_a_spreadsheet(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "chips.csv"
    assert run("hardware", "list", "--as", "csv", "--show", "vendor,memory,power", "-o", str(file))[0] == 0
    head, *rows = csv.reader(file.read_text().splitlines())
    assert head == ["name", "full name", "vendor", "memory [GiB]", "power [W]", "unverified (?)", "conventions"]
    about = "memory: nominal; power: of the chip alone"
    assert ["h100-sxm", "NVIDIA H100 SXM5 80GB", "NVIDIA", "80", "700", "", about] in rows
    assert ["h20-sxm-96gb", "NVIDIA H20 SXM 96GB", "NVIDIA", "96", "500", "power", about] in rows


def test_a_list_shows_what_software_gets_and_what_vendors_print(run: Run) -> None:
    figures = "memory,memory.usable,flops.bf16,flops.bf16.measured,link.bandwidth"
    words = ("--where", "key = H100", "--as", "csv", "--as-vendors-print", "--show", figures)
    head, row = csv.reader(run("hardware", "list", *words)[1].splitlines())
    assert dict(zip(head[2:-2], row[2:-2], strict=True)) == {
        "memory [GiB]": "80",
        "memory.label": "80 GB",
        "memory.usable [GiB]": "79.6474609375",
        "flops.bf16 [TFLOP/s]": "989.4",
        "flops.bf16.sparse [TFLOP/s]": "1978.9",
        "flops.bf16.measured [TFLOP/s]": "794.5",
        "link.bandwidth [GB/s]": "450",
        "link.bandwidth.both_ways [GB/s]": "900",
    }


def test_versions_of_figures_filter_and_sort(run: Run) -> None:
    words = ("--where", "memory.usable >= 0.99 * memory and flops.bf16.measured > 1 PFLOP/s")
    shown = json.loads(run("hardware", "list", *words, "--sort", "-flops.bf16.measured", "--as", "json")[1])
    rates = [record["values"]["flops.bf16"]["measured"]["si"] for record in shown]
    assert len(rates) >= 2
    assert rates == sorted(rates)


@pytest.mark.parametrize("name", ["h100", "H100", "H100-SXM", "h100-sxm"])
def test_conditions_take_aliases_and_any_case(name: str, run: Run) -> None:
    shown = json.loads(run("hardware", "list", "--kind", "system", "--where", f"chip = {name}", "--as", "json")[1])
    assert {record["references"]["chip"] for record in shown} == {"h100-sxm"}


def test_names_are_found_in_any_case(run: Run) -> None:
    assert run("hardware", "show", "H100-SXM")[1].startswith("h100-sxm: ")


def test_a_list_ends_with_its_conventions(run: Run) -> None:
    out = run("hardware", "list", "--show", "flops.bf16,link.bandwidth")[1]
    footer = "Conventions: flops: dense peaks with fp32 accumulation; link.bandwidth: one way, all links of a chip.\n"
    assert footer in out
    assert "Conventions" not in run("hardware", "list", "--show", "cores")[1]
    assert (
        "Conventions: memory: nominal; flops: dense" in run("hardware", "show", "a100", "h100", "--as", "markdown")[1]
    )


@pytest.mark.parametrize("shape", ["text", "csv", "markdown"])
def test_a_column_that_is_not_there_is_refused_with_the_nearest(shape: str, run: Run) -> None:
    code, out, err = run("hardware", "list", "--as", shape, "--show", "memory,flops.bf61")
    assert (code, out) == (2, "")
    assert "There is no field 'flops.bf61'. Did you mean 'flops.bf16'" in " ".join(err.split())


def test_records_stand_side_by_side_with_ratios(run: Run) -> None:
    out = run("hardware", "show", "a100", "h100", "--as", "markdown")[1]
    (row,) = [line for line in out.splitlines() if line.startswith("| memory_bandwidth ")]
    assert row == "| memory_bandwidth | 2.039 TB/s | 3.35 TB/s (1.643x) |"


def test_an_unverified_figure_is_marked_and_explained(run: Run) -> None:
    out = run("hardware", "show", "jean-zay", "joliot-curie")[1]
    assert "48.6 degree (?)" in out
    assert "(?): this figure has not been verified in its source." in out


def test_a_text_of_a_condition_may_be_spelled_otherwise(run: Run) -> None:
    lists = [run("hardware", "list", "--where", f"segment = {text}")[1] for text in ("data center", "datacenter")]
    assert lists[0] == lists[1]
    assert "h100-sxm" in lists[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list", "--where", "memry > 5 GB"), "Did you mean 'memory'"),
        (("list", "--where", "memory > 5 W"), "Both sides need the same dimension"),
        (("list", "--where", "memory"), "This is not a relation"),
        (("list", "--where", "2 * vendor = 3"), "'vendor' is a text. Write vendor = TEXT"),
        (("list", "--sort", "flops.bf17"), "Did you mean 'flops.bf16'"),
        (("list", "--show", "powr"), "Did you mean 'power'"),
        (("list", "--show", "tdp"), "There is no field 'tdp'. Did you mean 'power'"),
        (("list", "--where", "VRAM > 80 GB"), "Did you mean 'memory'"),
        (("list", "--where", "segment = server"), "There is no segment 'server'. Known: consumer, data center"),
        (("list", "--where", "vendor = Nvidja"), "Did you mean 'NVIDIA'"),
        (("list", "--kind", "system", "--sort", "gpus"), "Did you mean 'n_chips'"),
        (("list", "--show", "cores.usable"), "There is no field 'cores.usable'"),
        (("list", "--kind", "chips"), "Did you mean 'chip'"),
        (("show", "h100", "jean-zay"), "'h100-sxm' is a chip, 'jean-zay' is a datacenter"),
        (("where", "h10"), "There is no record, sheet or question 'h10'"),
        (("new", "chp", "x"), "Did you mean 'chip'"),
        (("schema", "--kind", "chp"), "Did you mean 'chip'"),
        (("check", "nothing.yaml"), "The file cannot be read: No such file"),
        (("new", "chip", "../x"), "This cannot be the name of a record"),
        (("list", "--kind", "all", "--sort", "power"), "Kinds have different figures. Name one with --kind"),
        (
            ("list", "--where", "vendor = AMD or vendor = Google"),
            "'or' is not supported. Join conditions with 'and'",
        ),
        (("list", "--where", "vendor != AMD"), "'!=' is not supported"),
        (("list", "--where", " and ".join(["memory > 1 GB"] * 60)), "There are 60 of them, more than 50"),
        (("show", "h100", "--kind", "chp"), "Did you mean 'chip'"),
        (("new", "chip", "x", "-o", "/dev/null/x.yaml"), "The file cannot be written"),
    ],
)
def test_mistakes_say_what_to_do(words: tuple[str, ...], message: str, run: Run, here: Path) -> None:
    code, out, err = run("hardware", *words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_record_is_listed_once_it_is_filled_in(kind: str, run: Run, here: Path) -> None:
    code, out, _ = run("hardware", "new", kind, "my-own")
    place = f"{KINDS[kind].folder}/my-own.yaml"
    assert code == 0
    assert place in out
    assert "still to be filled in" in run("hardware", "check", place)[2]
    address = (here / place).read_text().split("$schema=")[1].splitlines()[0]
    stored = packs_module.packs()[0].folder / "hardware" / "schemas" / f"{kind}.schema.json"
    assert (here / place).parent.joinpath(address).resolve() == stored.resolve()
    assert not address.startswith(("/", "file:"))
    text = (
        (here / place)
        .read_text()
        .replace("chip: FILL-IN", "chip: h100-sxm")
        .replace("source: FILL-IN", "source: a label")
    )
    text = text.replace("terms: FILL-IN", "terms: spot").replace("date: FILL-IN", "date: 2026-09")
    (here / place).write_text(text.replace("FILL-IN", "8").replace("name: 8", "name: Mine"))
    assert run("hardware", "check", place) == (0, f"{place}: my-own: {_figures(kind)} figures. No mistakes.\n", "")
    assert "my-own" in run("hardware", "list", "--kind", kind)[1]
    assert run("hardware", "new", kind, "my-own")[0] == 2


MORE_TO_FILL_IN = {("chip", "flops.bf16"), ("price", "hourly_price")}


def _figures(kind: str) -> int:
    required = {name.partition(".")[0] for name in KINDS[kind].required}
    return sum(field.name in required or (kind, field.name) in MORE_TO_FILL_IN for field in KINDS[kind].fields)


def test_a_name_that_is_taken_is_not_made_anew(run: Run, here: Path) -> None:
    code, _, err = run("hardware", "new", "chip", "h100")
    assert code == 2
    assert "'extends' of the same name and 'override: true'" in " ".join(err.split())
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: {extends: h100-sxn, source: s, power: 5 W}", "Did you mean 'h100-sxm'"),
        ("x: {extends: x, source: s, power: 5 W}", "which is not declared before it"),
        ("x: {extends: h100-sxm, power: 5 W}", "The key 'source' is missing"),
    ],
)
def test_a_file_is_checked_behind_all_packs(text: str, message: str, run: Run, here: Path) -> None:
    (here / "x.yaml").write_text(text)
    code, _, err = run("hardware", "check", "x.yaml")
    assert code == 2
    assert message in " ".join(err.split())


@pytest.mark.parametrize("name", ["h100", "h100-sxm"])
def test_a_name_of_a_built_in_record_is_a_warning(name: str, run: Run, here: Path) -> None:
    (here / "x.yaml").write_text(f"{name}: {{extends: h100-sxm, source: our labels, power: 500 W}}")
    code, out, err = run("hardware", "check", "x.yaml")
    assert (code, out) == (0, f"x.yaml: {name}: 1 figures. No mistakes, 1 warning.\n")
    assert err.startswith(
        f"Warning: x.yaml:1:{len(name) + 3}, key '{name}': It takes the name '{name}' of the built-in"
    )


def test_a_file_in_the_wrong_place_is_named(run: Run, here: Path) -> None:
    (here / "hardware" / "chip").mkdir(parents=True)
    (here / "hardware" / "chip" / "x.yml").write_text("x: {extends: h100-sxm}\n")
    (here / "hardware" / "chips.yaml").write_text("y: {extends: h100-sxm}\n")
    assert "chip/x.yml: This file is not read. Move it into" in " ".join(run("hardware", "check")[2].split())
    assert "chip/x.yml is not read" in " ".join(run("hardware", "show", "x")[2].split())
    assert run("hardware", "show", "y")[0] == 0


def test_a_pipe_is_not_waited_for(run: Run, here: Path) -> None:
    os.mkfifo(here / "pipe.yaml")
    for words in (("hardware", "check"), ("hardware", "import"), ("ask",)):
        code, _, err = run(*words, "pipe.yaml")
        assert code == 2
        assert "not a regular file" in err


def test_a_left_out_record_is_told_with_the_answer(run: Run, here: Path) -> None:
    (here / "hardware").mkdir()
    (here / "hardware" / "chips.yaml").write_text(
        "h100-sxm: {extends: h100-sxm, override: true, source: s, memory: 5 W}\n"
    )
    asked = [
        "solve",
        "ffn_memory",
        "n_chips",
        "d_model=64",
        "d_ff=64",
        "n_blocks=2",
        "batch=1",
        "seq_len=64",
        "chip=h100",
    ]
    out = run(*asked, "--as", "json")[1]
    assert "Left out" in json.loads(out)["warnings"][0]
    assert "Left out" in run(*asked)[1]
    assert "Left out" in run("hardware", "where", "h100")[2]


def test_a_name_of_several_kinds_needs_its_kind(run: Run, here: Path) -> None:
    (here / "hardware").mkdir()
    (here / "hardware" / "systems.yaml").write_text(
        "h100-sxm: {name: S, vendor: V, source: s, chip: h100, n_chips: 8}\n"
    )
    code, _, err = run("hardware", "show", "h100-sxm")
    assert code == 2
    assert "'h100-sxm' is a chip and system. Say which: --kind chip." in " ".join(err.split())
    assert run("hardware", "show", "h100-sxm", "--kind", "system")[0] == 0


def test_a_folder_that_was_removed_is_no_pack(run: Run, tmp_path: Path, here: Path) -> None:
    gone = here / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert run("packs")[0] == 0
    os.chdir(tmp_path)


def test_a_broken_file_is_named_and_the_rest_works(run: Run, here: Path) -> None:
    (here / "hardware" / "chips").mkdir(parents=True)
    (here / "hardware" / "chips" / "x.yaml").write_text("x: {memroy: 5 GiB}\n")
    code, out, err = run("hardware", "list")
    assert code == 0
    assert "h100-sxm" in out
    assert err.count("Left out: ") == 1
    assert "Did you mean 'memory'" in err
    assert run("hardware", "check")[0] == 2


def test_packs_are_shown_with_their_place(run: Run, here: Path) -> None:
    (here / "mine" / "hardware").mkdir(parents=True)
    out = run("--pack", "mine", "packs")[1]
    assert [line.split()[:3] for line in out.splitlines()[2:]] == [
        ["built-in", "built-in", "yes"],
        ["mine", "--pack", "no"],
    ]


def test_all_packs_are_checked(run: Run) -> None:
    code, out, _ = run("hardware", "check")
    assert (code, out.endswith("in 1 pack. No mistakes.\n")) == (0, True)
