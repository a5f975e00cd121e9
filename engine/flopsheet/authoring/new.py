"""A new pack: one file with a chip, a system, a site, a sheet and a question, and what checks and packages it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError
from flopsheet.files import replace
from flopsheet.registry.packs import BUILT_IN, SINGLE

if TYPE_CHECKING:
    from pathlib import Path

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")

_CONTENT = """\
# The pack NAME: records, sheets and questions by name. `flopsheet pack check .` checks all of it.
# A figure has a unit, `95 GiB`, `900 GB/s`, or is {value: 900 GB/s, source: KEY, note: text, verified: false}.
# `flopsheet hardware new chip x` writes a file with every figure of a chip; `new system x` and others do the same.
chips:
  NAME-chip:
    name: Example chip
    vendor: NAME
    source: NAME-tests
    memory: 96 GiB
    memory_bandwidth: 4 TB/s
    flops: {bf16: 1000 TFLOP/s, fp8: 2000 TFLOP/s}
    link: {bandwidth: 450 GB/s, domain: 8}
    power: 700 W
systems:
  NAME-node:
    name: Example node of eight chips
    vendor: NAME
    source: NAME-tests
    chip: NAME-chip
    n_chips: 8
    power: 8 kW
datacenters:
  NAME-site:
    name: Example site
    operator: NAME
    source: NAME-tests
    country: FR
    chip: NAME-chip
    n_chips: 1024
    power: 2 MW
    pue: 1.2
sheets:
  SHEET_room:
    title: Power that the chips of a site draw.
    parts:
      chip: {kind: chip, doc: Chip of the site, example: NAME-chip}
      site: {kind: datacenter, doc: Site that houses them, example: NAME-site}
    cells:
      n_chips: {unit: chip, doc: Chips, integer: true, example: 512 chip}
      server_power: {unit: W, doc: Share of one chip in the power of its server, default: 300 W}
      power: {formula: n_chips * (chip.power + server_power) * site.pue, unit: MW, doc: Power of the site}
    limits:
      fits: {relation: power <= site.power, doc: The site feeds all of them}
questions:
  NAME-chips:
    title: Chips that the example site feeds
    sheet: SHEET_room
    unknown: n_chips
    where: [chip = NAME-chip, site = NAME-site, power <= site.power]
sources:
  NAME-tests:
    title: Example figures, to be replaced by measured ones
"""
_PROJECT = """\
[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
name = "flopsheet-NAME"
version = "0.1.0"
description = "The pack NAME of flopsheet"

[project.entry-points."flopsheet.packs"]
NAME = "flopsheet_SHEET"

[tool.hatch.build.targets.wheel]
only-include = ["flopsheet.yaml", "hardware", "models", "templates"]

[tool.hatch.build.targets.wheel.sources]
"" = "flopsheet_SHEET"
"""
_WORKFLOW = """\
# Checks the pack, and shows each finding beside the line of its file.
name: check
on: [push, pull_request]
permissions: {contents: read}
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: '3.12'}
      - run: python -m pip install flopsheet
      - run: flopsheet pack check . --as github
"""
_README = """\
# NAME

A pack of flopsheet: a chip, a system, a site, a sheet and a question in `flopsheet.yaml`.

```sh
flopsheet pack check .         # records, sheets, questions, templates
flopsheet ask NAME-chips       # in this folder, or below
flopsheet pack add .           # copies it to your packs, for use everywhere
```

Others install it with `flopsheet pack add git+https://...`, or with pip. Files in `hardware/`, `models/` and
`templates/` belong to the pack too.
"""
FILES = {
    SINGLE: _CONTENT,
    "pyproject.toml": _PROJECT,
    ".github/workflows/check.yml": _WORKFLOW,
    "README.md": _README,
}


def new_pack(folder: Path) -> list[Path]:
    """Write the files of a new pack into a folder, which names it, and return their paths.

    Raises:
        RegistryError: the name cannot be that of a pack, or the folder is not empty.
    """
    name = folder.absolute().name
    if not NAME.fullmatch(name) or name in (BUILT_IN, "flopsheet", "user"):
        fix = "Write small letters, digits and '-', a letter first, at most 40 of them: my-pack."
        raise RegistryError("pack new", f"'{name[:60]}' cannot be the name of a pack.", fix)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RegistryError(f"pack new, {folder}", "It exists, and is not an empty folder.", "Choose another name.")
    paths = []
    for inside, text in FILES.items():
        path = folder / inside
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.replace("NAME", name).replace("SHEET", name.replace("-", "_")).encode())
        paths.append(path)
    return paths
