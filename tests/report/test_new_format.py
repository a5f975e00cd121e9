"""A format of pages costs its module and one row of the table: command line, templates and reference follow."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.report.asciimath import AsciiMath
from tests.report.hostile import QUESTIONS, TEXT, derived, hostile

import flopsheet
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.printing import layout_of, order_of
from flopsheet.layout.nodes import BackEnd
from flopsheet.report.forms import FORMATS, Format
from flopsheet.report.pages import template_reference
from flopsheet.report.templating import listing, render, templates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEMPLATE = """{{ w.title }}
{% for input in w.inputs %}
{{ input.symbol|math }} = {{ input.value }}
{% endfor %}
{% for step in w.steps %}
{{ step.condition|aligned }}
{{ step.lines|aligned }}
{% endfor %}
"""


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Register the format, and a pack with a template of it."""
    folder = tmp_path / "mine" / "templates"
    folder.mkdir(parents=True)
    (folder / "derivation.adoc.j2").write_text(TEMPLATE)
    monkeypatch.setenv("FLOPSHEET_PATH", str(folder.parent))
    monkeypatch.setenv("FLOPSHEET_TRUST", str(folder.parent))
    monkeypatch.setitem(FORMATS, "asciimath", Format(".adoc", "tests.report.asciimath"))
    flopsheet.reload()
    yield folder
    flopsheet.reload()


@pytest.mark.usefixtures("added")
def test_templates_write_it_and_the_reference_lists_it() -> None:
    text = derived(QUESTIONS[-1], "asciimath")
    assert text.count("`") > 40
    assert "\\" not in text
    assert templates("asciimath") == ["derivation"]
    assert ("derivation", "asciimath") in [row[:2] for row in listing()]
    assert "| asciimath | `.adoc.j2` | escaped automatically | `math`, `aligned` |" in template_reference()


@pytest.mark.usefixtures("added")
def test_fractions_numbers_and_units_are_those_of_the_other_formats() -> None:
    question = next(file for file in QUESTIONS if file.stem == "fsdp-shards")
    text = derived(question, "asciimath")
    assert "`N = 2 d f L`" in text
    assert "`= 2 * 16384 * 53248 * 126`" in text
    assert '`= 219.85B" param"`' in text
    assert '`(M_("state") + A σ)/(n_("fsdp")) + A ρ <= M_("chip")`' in text


@pytest.mark.usefixtures("added")
def test_hostile_texts_stay_texts(added: Path) -> None:
    (added / "title.adoc.j2").write_text("{{ w.title }}")
    assert render("title", "asciimath", w=hostile()) == TEXT.replace("`", "'")


def test_the_command_line_offers_it() -> None:
    code = (
        "import sys, flopsheet.report.forms as forms\n"
        "forms.FORMATS['asciimath'] = forms.Format('.adoc', 'tests.report.asciimath')\n"
        "import flopsheet.cli.options as options\n"
        "sys.exit(options.ENDINGS['.adoc'] != 'asciimath' or 'text or asciimath' not in options.PAGES)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_back_end_that_leaves_out_a_node_is_refused() -> None:
    class Half(BackEnd[str]):
        """Knows nothing."""

    with pytest.raises(TypeError, match="Half has no method sign, number"):
        Half()


def test_every_function_of_the_language_is_written() -> None:
    names = ("x", "y")
    text = "max(x, y) + min(x, 2) + ceil(x) + floor(y) + abs(x) + exp(x) + log(y) + mod(x, y) + [x > y] + sqrt(x)**3"
    written = AsciiMath().write(layout_of(parse_formula(text, names), order_of(names)))
    for part in ('max("x", "y")', '|~"x"~|', '|__"y"__|', '|"x"|', 'log("y")', '("x" mod "y")', '["x" > "y"]', "e^("):
        assert part in written
