"""Documents that cannot drift: README outputs, the catalogue, rendered questions, the template reference."""

from __future__ import annotations

import io
import re
import shlex
import sys
from contextlib import redirect_stdout
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.answer.toy import TOY
from tests.asked import LONGEST, answered, asked
from tests.stored import compare

import flopsheet
from flopsheet.answer.outcomes.undecided import Why
from flopsheet.cli import main
from flopsheet.cli.folder import MARK
from flopsheet.registry.packs import packs
from flopsheet.report import Extras, entries
from flopsheet.report.as_json import all_as_dict
from flopsheet.report.entries import ENTRIES
from flopsheet.report.pages import (
    catalogue,
    fields_of,
    template_reference,
    write_beside,
)
from flopsheet.report.tables import table_as_list
from flopsheet.report.writeup import WriteUp
from flopsheet.sheets.catalogue import sheet_files

ROOT = packs()[0].folder
QUESTIONS = sorted((ROOT / "models" / "questions").glob("*.yaml"))
README = Path(__file__).parents[1] / "README.md"


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, id=file.stem, marks=pytest.mark.slow if file.stem in LONGEST else ()) for file in QUESTIONS],
)
def test_rendered_question(file: Path, request: pytest.FixtureRequest) -> None:
    page, curve = write_beside(answered(file), asked(file).template, Extras.of(asked(file)), f"{file.stem}.svg")
    compare(file.with_suffix(".md"), MARK + page, request)
    if curve:
        compare(file.with_suffix(".svg"), curve, request)
    else:
        assert not file.with_suffix(".svg").exists()


def test_catalogue(request: pytest.FixtureRequest) -> None:
    compare(ROOT / "models" / "README.md", catalogue(map(flopsheet.sheet, sheet_files())), request)


def test_template_reference(request: pytest.FixtureRequest) -> None:
    compare(ROOT / "templates" / "README.md", template_reference(), request)


def test_template_reference_has_every_field() -> None:
    public = {name for name in dir(WriteUp) if not name.startswith("_")}
    fields = [field for kind in (WriteUp, *ENTRIES) for field in fields_of(kind)]
    assert {name for name, _, _ in fields_of(WriteUp)} == public
    declared = [kind for kind in vars(entries).values() if getattr(kind, "__module__", "") == entries.__name__]
    assert {kind for kind in declared if is_dataclass(kind)} == set(ENTRIES)
    assert all(declared and meaning.endswith(".") for _, declared, meaning in fields)


def test_templates_use_documented_fields_only() -> None:
    known = {name for name, _, _ in fields_of(WriteUp)}
    for file in (ROOT / "templates").glob("*.j2"):
        assert set(re.findall(r"\bw\.(\w+)", file.read_text(encoding="utf-8"))) <= known, file


def _documented() -> dict[str, set[str]]:
    """Return by key of the JSON object, as the README documents it, the names in the row of the key."""
    table = README.read_text(encoding="utf-8").partition("\n## JSON\n")[2]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    return {key: set(re.findall(r"`(\w+)`", content)) for keys, content in rows for key in re.findall(r"`(\w+)`", keys)}


def _keys(value: Any) -> set[str]:
    """Return the keys of the objects in a list, and of those in the lists `intervals` and `progressions` in them."""
    objects = [inner for inner in value if isinstance(inner, dict)]
    parts = [part for inner in objects for name in ("intervals", "progressions") for part in inner.get(name, ())]
    return {key for inner in (*objects, *parts) for key in inner}


def test_readme_documents_the_keys_of_the_json_object() -> None:
    """Compare both ways: a row names every key, and what else it names is a value of `kind`, `proof` or `origin`."""
    memory = ["d_model = 64", "d_ff = 256", "n_blocks = 2", "batch = 8", "seq_len = 64"]
    fits, half = "device_memory <= chip.memory", "replicated_activation_fraction = 1/2"
    answers = [
        flopsheet.solve("ffn_memory", "n_fsdp", [*memory, fits, "chip = b200-sxm", "n_fsdp <= 8"]),
        flopsheet.solve("ffn_memory", "n_fsdp", [*memory, fits, half, "chip = h100-sxm"]),
        flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], [*memory, fits, "n_fsdp <= 8"]),
        flopsheet.solve("ffn_memory", ["n_fsdp", "device_memory"], [*memory, fits, "chip = h100-sxm"]),
        flopsheet.solve("ffn_memory", "batch", ["seq_len = 64", "mod(96, batch) = 0"]),
        flopsheet.solve("gpt_layout", "n_pp", ["n_blocks = 96", "n_pp <= 8"]),
        flopsheet.solve("ffn_memory", "d_ff", ["params = 1000 param", "d_model = 64", "n_blocks = 2"]),
        flopsheet.solve(TOY, "x", ["bowl = 1"]),
        flopsheet.solve(TOY, "largest", ["x = 3", "y = 2"]),
        flopsheet.solve("gpt_layout", "n_blocks", ["n_pp = 4", "embedding_blocks = 2", "spare_blocks = 0"]),
    ]
    objects = [all_as_dict(answer) for answer in answers]
    (row,) = table_as_list(
        flopsheet.table("ffn_memory", where={"d_model": 2, "d_ff": 2}, vary={"n_blocks": [1]}, show=["params"])
    )
    objects.append({"table": [{"remark": row["remark"]}]})
    documented, values = _documented(), {"value", "values", "range", "whole", "none", "names"}
    values |= {"given", "default", "record", "computed", "solved", "exact", "proven", "open", *Why}
    assert {key for content in objects for key in content} == set(documented)
    for key, named in documented.items():
        parts = [content[key] for content in objects if key in content]
        lists = [
            [*part.values()] if isinstance(part, dict) else part for part in parts if isinstance(part, dict | list)
        ]
        used = {name for part in lists for name in _keys(part)}
        assert used <= named, f"the README does not name {used - named} of {key}"
        assert not used or named - used <= values, f"{key} has no {named - used - values}"


def _block(marker: str) -> tuple[str, str]:
    """Return the code block behind a marker in the README, and the code block before it."""
    text = README.read_text(encoding="utf-8")
    before, _, after = text.partition(f"<!-- {marker} -->\n")
    shown = re.match(r"(`{3,})\n(.*?)\1\n", after, re.DOTALL)
    code = re.findall(r"```(?:sh|python)\n(.*?)```\n", before, re.DOTALL)
    assert shown
    return shown[2], code[-1]


def _replace_block(marker: str, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        page = README.read_text(encoding="utf-8")
        pattern = rf"(<!-- {marker} -->\n)(`{{3,}})\n.*?\2\n"
        page = re.sub(pattern, lambda match: f"{match[1]}{match[2]}\n{text}{match[2]}\n", page, flags=re.DOTALL)
        README.write_text(page, encoding="utf-8")
    assert _block(marker)[0] == text


def _printed(command: str, monkeypatch: pytest.MonkeyPatch, folder: Path = README.parent) -> str:
    arguments = shlex.split(command.replace("\\\n", " "))
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest-xdist sets it
    monkeypatch.setattr(sys, "argv", ["flopsheet", *arguments[1:]])
    out = io.StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit):
        main()
    return out.getvalue()


@pytest.mark.parametrize("marker", ["answer", "batch", "chips", "compare", "divisors", "limits"])
def test_readme_command(marker: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    command = _block(marker)[1].rpartition("&&")[2].strip()
    shown = _printed(command, monkeypatch)
    shown = shown.partition("\n## Inputs")[0] if "markdown" in command else shown
    _replace_block(marker, shown.rstrip() + "\n", request)


def test_architecture_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the command whose way the page describes: it gives the answer that the page ends with."""
    page = (README.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"```sh\n(.*?)```\n", page, re.DOTALL)
    (answer,) = re.findall(r"`(n_fsdp [^`]*)`", page)
    assert answer in _printed(command.strip(), monkeypatch)


def test_readme_counts_records() -> None:
    text = README.read_text(encoding="utf-8")
    counts = [len(flopsheet.records(kind)) for kind in ("chip", "system", "datacenter", "architecture")]
    assert "{} chips, {} systems, {} datacenters and {} models are built in".format(*counts) in text


def test_readme_own_chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Write the file that the page shows, and run the command below it beside that file."""
    before = README.read_text(encoding="utf-8").partition("<!-- own-chip -->")[0]
    place, content = re.findall(r"```yaml\n# (\S+)\n(.*?)```\n", before, re.DOTALL)[-1]
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.write_text(content)
    shown = _printed(_block("own-chip")[1].strip(), monkeypatch, tmp_path)
    _replace_block("own-chip", shown, request)


def test_readme_python(request: pytest.FixtureRequest) -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(_block("python")[1], "README.md", "exec"), {})  # noqa: S102  # our own README
    _replace_block("python", out.getvalue(), request)
