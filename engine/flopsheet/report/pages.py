"""Pages: write-ups and sheets through templates, the Markdown that notebooks show, the page about templates.

Every text of a file or a person is escaped.
"""

from __future__ import annotations

import inspect
import operator
import re
from dataclasses import replace
from typing import TYPE_CHECKING, get_args, get_type_hints

from flopsheet.errors import joined
from flopsheet.layout import nodes
from flopsheet.registry.store import sources
from flopsheet.report import Extras
from flopsheet.report.entries import ENTRIES, Reference, Result, references_of
from flopsheet.report.forms import FORMATS
from flopsheet.report.forms.markdown import escaped, in_dollars, math, md_url
from flopsheet.report.formulas import Formula, Formulas, formula_of, symbol_of
from flopsheet.report.records import figures_of, missing
from flopsheet.report.sentences import cycles_texts, default_text
from flopsheet.report.tables import Grid
from flopsheet.report.templating import default_template, environment, expect_of_answers, render
from flopsheet.report.texts.asked import question_text
from flopsheet.report.writeup import WriteUp
from flopsheet.session import fresh
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.question_file import QuestionFile
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet

_ABOUT = """# Templates

A write-up is a [jinja2](https://jinja.palletsprojects.com) template that sees one object, `w`. `page` is the
default: question, answer, what breaks, drivers, and what the answer uses. `--template NAME` selects another:
`derivation` has every step, input and cell, `brief` is one sentence, `memo` a page for decision makers, `table` one
line a cell, `compare` the rows of a table side by side; `notebook` is what notebooks show, a first screen above a fold.
`brief`, `memo`, `table` and `compare` are there in every form. `flopsheet templates` lists them all.

One question by each: [page](../models/questions/fsdp-shards.md), [derivation](gallery/derivation.md),
[brief](gallery/brief.md), [memo](gallery/memo.md), [table](gallery/table.md), and [compare](gallery/compare.md) for
four chips. Its pictures, by `--picture KIND:FILE`:

![curve: the memory of one device against the number of devices, and the limit](gallery/curve.svg)

![waterfall: what the memory of one device is made of, and the limit](gallery/waterfall.svg)

![tornado: by how much one percent more of each input changes the answer](gallery/tornado.svg)

![graph: which cells the answer follows from](gallery/graph.svg)

Templates are read from `templates/` of every pack. A template of a later pack overrides one of the same name. To change
a part of a page only, start with `{{% extends "flopsheet/derivation.html.j2" %}}`, where `flopsheet` names the pack,
and redefine a block: {blocks}. A file
whose name begins with `_` holds macros that templates import; it is no template itself.

The suffix determines the form, the escaping and the filters:

| form | suffix | texts | filters |
|---|---|---|---|
{forms}

Formulas are LaTeX. `math` writes a formula inside a line, `display` one on its own line, `aligned` the `lines` of a
step. In Markdown, these are code of the language `math`, which GitHub does not parse as Markdown before it sets it, as
it does with text between dollar signs; inside a list, name the margin: `aligned(4)`. Notebooks show them between
dollar signs. `e` escapes a text in every form. Where texts are escaped automatically, a text that an expression joins
with markup is escaped too. In HTML, `breakable` lets a name break behind its dots and underscores. In LaTeX, write
`math` between dollar signs; a formula with commands that are not allowed in formulas is printed as text; a template
that uses `display` or `aligned` defines `\\formula` as `derivation.tex.j2` does. `x is web` holds where `x` is an
address that begins with `http://` or `https://`, `x is numeric` where it is a number with or without a unit, `x is gap`
where it stands in place of one: `-`, `none`. In Markdown, `rule` of the rows of a table is the line below its head,
which aligns columns of numbers right. In plain text, `wrap(w.width)` breaks a text into lines, a second argument
indents the later ones, and `rows|columns(head, w.width)` is a table; columns that do not fit are named below it, first
those of a third argument.

A template is code. It runs only from a pack whose Python sheets run: built in, installed, in your configuration folder,
or with its path in `FLOPSHEET_TRUST`. Its name has lower-case letters, digits, `_` and `-`. It reads the fields below,
names that it has set, and methods of texts, lists and mappings that do not change them. A mistake is an error that
names file and line, for a misspelt field also the nearest. Further filters: {filters}.

This page is generated from the code.
"""
_PART, _CHOICE, _LIMIT = ("name", "kind", "doc"), ("name", "options", "default", "doc"), ("name", "text", "doc")
_ADDRESS = re.compile(r"https?://[^\s<>\\`]+")


@fresh
def write_up(answer: Answer, template: str = "derivation", form: str = "markdown", extras: Extras | None = None) -> str:
    """Return an answer as text through a template, in the form `markdown`, `html` or `latex`.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    expect_of_answers(template, form)
    extras, read = extras or Extras(), (sources(), nomenclature())
    prepared, before = answer.prepared or (None, ())
    if prepared is None or prepared.extras != extras or any(map(operator.is_not, before, read)):
        prepared = WriteUp(answer, extras)
        answer.prepared = prepared, read  # files that have changed are read again
    return render(template or default_template(form), form, w=prepared)


def write_beside(answer: Answer, template: str, extras: Extras, name: str) -> tuple[str, str]:
    """Return a Markdown page, and as SVG the curve that it shows from a file of that name; empty where it has none.

    Raises:
        TemplateError: there is no such template, or it fails.
    """
    page = write_up(answer, template, extras=replace(extras, beside=name))
    return page, curve_in(page, answer, name)


def curve_in(page: str, answer: Answer, name: str) -> str:
    """Return as SVG the curve that a Markdown page of an answer shows from a file of that name; empty for none."""
    return answer.prepared[0].chart if f"]({md_url(name)})" in page else ""


def catalogue(sheets: Iterable[Sheet]) -> str:
    """Return a page with these sheets and the nomenclature, through the template `catalogue`."""
    names = [{"name": name, **row} for name, row in sorted(nomenclature().items())]
    return render("catalogue", sheets=[_sheet(sheet) for sheet in sheets], names=names)


def sheet_page(sheet: Sheet) -> str:
    """Return the rows, limits, assumptions and notes of one sheet, through the template `sheet`."""
    return render("sheet", entry=_sheet(sheet))


def _sheet(sheet: Sheet) -> dict[str, object]:
    formulas, rows = Formulas(sheet.cells, {}, {}), []
    for cell in sheet.rows.shown:
        value = default_text(cell) or "given"
        if cell.formula is not None:
            value = math(Formula(nodes.Chain((("=", formulas.symbols(cell.formula)),))))
        symbol = formula_of(symbol_of(cell))
        rows.append({"name": cell.name, "symbol": symbol, "unit": cell.unit.text, "value": value, "doc": cell.doc})
    about = {name: getattr(sheet, name) for name in ("name", "title", "assumptions", "notes")}
    parts = {"parts": _PART, "sheets": _PART, "choices": _CHOICE, "limits": _LIMIT}
    for name, fields in parts.items():
        entries = getattr(sheet, name).items()
        about[name] = {key: {field: getattr(entry, field) for field in fields} for key, entry in entries}
    return {"sheet": about, "about": " ".join(sheet.about.split()), "rows": rows, "cycles": cycles_texts(sheet)}


def notebook_page(answer: Answer) -> str:
    """Return an answer as notebooks show it."""
    return in_dollars(write_up(answer))


def notebook_view(answer: Answer) -> str:
    """Return an answer as HTML for notebooks: the first screen of its page, all else in a fold."""
    return write_up(answer, "notebook", "html")


def notebook_formula(answer: Answer) -> str:
    """Return the closed forms of the unknowns as LaTeX between dollar signs; empty where they have none."""
    outcomes = (outcome for outcome in answer.outcomes.values() if outcome.closed_form is not None)
    formulas = Formulas(answer.question.sheet.cells, answer.values, answer.question.quantities)
    results = [Result.of(outcome, formulas, inverted=True) for outcome in outcomes]
    shown = " \\\\\n".join(line for result in results for line in result.closed_form)
    return f"$$\\begin{{aligned}}\n{shown}\n\\end{{aligned}}$$" if shown else ""


def notebook_sheet(sheet: Sheet) -> str:
    """Return a sheet as notebooks show it."""
    return in_dollars(sheet_page(sheet))


def question_page(question: Question, varied: Sequence[str] = ()) -> str:
    """Return a question: the sentence, and a table of its given cells, records and options."""
    sheet = question.sheet
    rows = [[name, record.key, sheet.parts[name].doc] for name, record in question.records.items()]
    rows += [[name, option, sheet.choices[name].doc] for name, option in question.choices.items()]
    for name, pin in question.pins.items():
        cell = sheet.cells[name]
        rows.append([name, format_quantity(pin.value, cell.unit), cell.doc])
    rows = [row for row in rows if row[0] not in varied]
    head = f"{escaped(question_text(question, varied))} By the sheet {escaped(sheet.name)}: {escaped(sheet.title)}\n"
    return "\n".join([head, Grid(["given", "value", "meaning"], rows).markdown()]) if rows else head


def question_file_page(file: QuestionFile) -> str:
    """Return a question with its headline, and with the names that its table varies and shows."""
    parts = [f"**{escaped(text)}**\n" for text in [file.wording or file.title] if text]
    parts.append(question_page(file.question, () if file.table is None else file.table.varied))
    if file.table is not None:
        varied, shown = (escaped(joined(list(names))) for names in (file.table.varied, file.table.shown))
        parts.append(f"A table of {len(file.table.rows)} rows varies {varied}; it shows {shown}.\n")
    return "\n".join(parts)


def record_page(record: Record) -> str:
    """Return a record: a table of its figures with notes, marks and sources, and the list of sources."""
    about = [record.kind, record.vendor, record.released and f"released {record.released}", record.key]
    grid, keys = figures_of(record, "not verified.")
    lacking = f"No figure for {joined([f'`{name}`' for name in missing(record)])}." if missing(record) else ""
    notes = [text for text in (escaped(record.note), lacking) if text]
    sources = "\n".join(f"{source.number}. {_source(source)}" for source in references_of(keys))
    head = f"**{escaped(record.name or record.key)}** ({escaped(', '.join(filter(None, about)))})"
    table = Grid(["figure", *grid.head[1:]], grid.rows).markdown().rstrip("\n")
    return "\n\n".join([head, *notes, table, *([sources] if sources else [])]) + "\n"


def _source(source: Reference) -> str:
    if source.url in ("", source.title):
        return escaped(source.title)
    return f"{escaped(source.title)}, {f'<{source.url}>' if _ADDRESS.fullmatch(source.url) else escaped(source.url)}"


def template_reference() -> str:
    """Return the page in Markdown."""
    forms, own = [], set[str]()
    for name, pages in FORMATS.items():
        by_filter = "escaped by the filter `md`" if "md" in pages.form.filters else "as they are"
        escaping = "escaped automatically" if pages.form.automatic else by_filter
        forms.append(f"| {name} | `{pages.suffix}` | {escaping} | {_names(pages.form.filters)} |")
        own.update(pages.form.filters)
    common = sorted(name for name in environment("markdown").filters if not name.startswith("_") and name not in own)
    about = _ABOUT.format(
        blocks="`content`, in HTML also `style`, in LaTeX also `preamble`",
        forms="\n".join(forms), filters=_names(common),
    )  # fmt: skip
    return "\n".join([about, *map(_fields_table, (WriteUp, *ENTRIES))])


def fields_of(kind: type) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of each documented field of a write-up or of an entry in its lists."""
    for name, annotation in get_type_hints(kind, include_extras=True).items():
        declared, meaning = get_args(annotation)
        text = declared.__name__ if isinstance(declared, type) else str(declared)
        yield name, re.sub(r"\w+\.(?=\w)", "", text), meaning


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _fields_table(kind: type) -> str:
    rows = [f"| `{name}` | {_in_words(declared)} | {meaning} |" for name, declared, meaning in fields_of(kind)]
    heading, head = "w" if kind is WriteUp else kind.__name__, (inspect.getdoc(kind) or "").splitlines()[0]
    return "\n".join([f"## {heading}", "", head, "", "| field | type | meaning |", "|---|---|---|", *rows, ""])


def _in_words(annotation: str) -> str:
    """Return a type in words: `list[list[str]]` is a list of lists of texts."""
    plain = annotation.replace("tuple[str, ...]", "list[str]")
    words = {"str": "text", "bool": "yes or no", "int": "whole number"}
    if plain.startswith("list["):
        return f"list of {_in_words(plain[5:-1])}"
    return words.get(plain) or " or ".join(words.get(part, part) for part in plain.split(" | "))
