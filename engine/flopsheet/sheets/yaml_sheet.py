r"""Sheets as YAML: data from anyone, read without trust. Formulas are texts for the safe parser.

A sheet is a file `models/NAME.yaml` of a pack, one row a line:

    sheet: buffer
    title: Memory of a buffer.
    parts:
      chip: {kind: chip, doc: Chip that holds it, example: tpu-v5p}
    choices:
      precision: {options: [bf16, fp8], doc: Of a number, default: bf16}
    cells:
      n: {doc: Numbers, integer: true, example: 4096}
      bf16_bytes: {unit: byte, doc: bf16 number, default: 2 byte, source: bfloat16}
      fp8_bytes: {unit: byte, doc: fp8 number, default: 1 byte, source: ocp-fp8}
      size: {formula: 'n * select(precision, bf16=bf16_bytes, fp8=fp8_bytes)', unit: MiB, doc: Memory}
    limits:
      fits: {relation: size <= chip.memory, doc: The chip holds it}
    assumptions: [Numbers are packed.]

A given cell may have `inferred`: a formula of its default, or several, of which the first applies whose records have
all of its figures (`inferred: chip.hourly_price`). `of: system` says that the record of that part names this one, and
`bare: true` that its figures are cells without prefix (`d_model`), which a question may also give one by one.

A formula has a value where the text has one, also where sympy simplifies it: `sqrt(x)**2` of a signed `x` has none
below zero. What it needs becomes a limit with `domain_of: CELL`, which binds where the formula of that cell is used.

A cell has a `formula`, or is given and may have a `default` and an `example`: numbers or ratios with the unit of the
cell or a multiple of it, read exactly. `fixed: true` is for a default that is a definition or a constant of nature: a
question may give that cell or ask for it, but other equations never override it. Both have `unit`, `doc`, `source`,
`symbol` (LaTeX, where the nomenclature has none), `integer`, and `headline: true` where an answer without an unknown
names it first. A given cell is positive, or at least 1 if whole; a computed one zero or more. Others have `minimum`,
`above` (more than that), `signed: true` (any number) and `maximum`. A formula may use any cell
of the file.

Formulas may depend on each other, as `overhead: share*total` and `total: base + overhead` do, if the file states
`implicit: true`. Such cells are solved together, each within its bounds, like any other equations: exactly where they
are linear, with all solutions where there are several. Without the word, a cycle of formulas is a mistake.

`after: CELL` of a part puts its figures behind that cell, else they come first; this decides the order of terms and
nothing else. `sheets` names the prefixes of rows that came from other sheets, and `aliases` what other names under such
a prefix stand for; both occur in exports. `override: true` overrides an earlier pack's sheet of the same name. `about`,
`notes` and `sources` are texts. `as_yaml` writes any sheet in this form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError, refuse_all
from flopsheet.registry.reading_time import reading
from flopsheet.registry.strict_yaml import Node, Reader, parse, read
from flopsheet.sheets.body import TEXTS, Sheet, SheetType, class_name
from flopsheet.sheets.joining import add_texts
from flopsheet.sheets.yaml_rows import LONGEST_NAME, SECTIONS, Builder

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.sheets.kernel import Rows

KEYS = ("sheet", "title", "about", "override", "implicit", *SECTIONS, "aliases", *TEXTS)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def read_sheet(file: Path, shown: str = "") -> Sheet:
    """Return the sheet that a YAML file holds; `shown` is its name in messages, else its path.

    Raises:
        RegistryError: it breaks a rule; the message lists every mistake with file, line, column and key path.
    """
    shown = shown or str(file)
    problems: list[RegistryError] = []
    with reading(shown):
        return _sheet(read(file, shown, problems), file.stem, shown, problems)


def sheet_in(node: Node, name: str, shown: str) -> Sheet:
    """Return the sheet of this name in a section of a file, as `read_sheet` does; it may leave out the key `sheet`."""
    with reading(shown):
        return _sheet(node, name, shown, [], in_section=True)


def parse_sheet(text: str, name: str) -> Sheet:
    """Return the sheet of this name that a YAML text holds, as `read_sheet` does."""
    problems: list[RegistryError] = []
    with reading(f"{name}.yaml"):
        return _sheet(parse(text, f"{name}.yaml", problems), name, f"{name}.yaml", problems)


def _sheet(
    node: Node,
    name: str,
    shown: str,
    problems: list[RegistryError],
    *,
    in_section: bool = False,
) -> Sheet:
    reader = Reader(node, f"sheets.{name}" if in_section else "", problems)
    rows = "parts" if reader.has("parts") else "cells"  # a record may give all the cells
    reader.check_keys(KEYS, ("title", rows) if in_section else ("sheet", "title", rows))
    reader.recover(None, _check_name, reader, name)
    reader.recover(False, reader.flag, "override", default=False)
    sheet = _with_texts(reader, Builder(reader, name).build())
    refuse_all(shown, problems)
    return sheet


def _check_name(reader: Reader, wanted: str) -> None:
    name = reader.text("sheet")
    if not _NAME.fullmatch(wanted):
        problem = f"The file name '{wanted[:LONGEST_NAME]}' cannot be the name of a sheet."
        raise RegistryError(reader.place_here(), problem, "Use small letters, digits and _, a letter first.")
    if name and name != wanted:
        problem = f"The file is called {wanted}, and its sheet '{name[:LONGEST_NAME]}'."
        raise RegistryError(reader.place("sheet"), problem, f"Write 'sheet: {wanted}', or rename the file.")


def _with_texts(reader: Reader, rows: Rows) -> Sheet:
    """Return the sheet of some rows; its class has the texts, as a class in Python has, the title in its docstring."""
    title, about = (reader.recover("", reader.text, key).strip() for key in ("title", "about"))
    if "\n" in title:
        fix = "Move all but one to 'about'."
        reader.report(RegistryError(reader.place("title"), "The title has several lines.", fix))
    texts: dict[str, tuple[str, ...]] = {key: reader.recover((), reader.texts, key) for key in TEXTS}
    add_texts(rows, texts)
    body = {"__doc__": "\n\n".join(filter(None, (title, about))), "__module__": __name__}
    kind = SheetType(class_name(rows.name), (Sheet,), body)
    kind.rows = rows
    sheet: Sheet = kind()
    return sheet
