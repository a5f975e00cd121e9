"""Templates are refused or end: no way to Python's insides, no number, text, loop or output without end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import jinja2
import pytest
from tests.report.hostile import hostile

from flopsheet.errors import TemplateError
from flopsheet.report.forms import FORMATS
from flopsheet.report.templating import environment, listing, render, templates
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOUBLED = "".join("{% set a = a ~ a %}" for _ in range(60))
WALKS = [
    "{{ ''.__class__.__mro__ }}",
    "{{ w._answer }}",
    "{{ ''|attr('__class__') }}",
    "{{ w['__class__'] }}",
    "{{ w.__init__.__globals__ }}",
    "{{ range.__self__ }}",
    "{{ '{0.__class__}'.format(w) }}",
    "{{ ''['for' ~ 'mat'](w) }}",
    "{{ [w]|map(attribute='__class__')|join }}",
    "{% set x = w.sources.append(1) %}",
    "{{ w.ranking.working() }}",
    "{{ lipsum() }}",
    "{{ cycler.__init__ }}",
    "{{ namespace.__init__ }}",
]
ENDLESS = [
    "{{ 9 ** (9 ** 9) }}",
    "{% for i in range(10 ** 9) %}{% endfor %}",
    "{% for i in range(1000000000) %}{% endfor %}",
    "{% for i in range(9999) %}{% for j in range(9999) %}x{% endfor %}{% endfor %}",
    "{% for i in range(9999) %}{% for j in range(9999) if false %}x{% endfor %}{% endfor %}",
    "{{ 'x' * 1000000000 }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ 'x'.ljust(1000000000) }}",
    "{{ 'x'.zfill(1000000000) }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ 'x'|center(1000000000) }}",
    "{{ 'x'|indent(1000000000) }}",
    "{{ 'x'|format(1) }}",
    "{{ (1).to_bytes(1000000000) }}",
    "{% set a = 'xx' %}" + DOUBLED,
    "{% set a = 'xx' %}" + DOUBLED.replace("~", "+"),
    "{% set a = [1] %}" + DOUBLED.replace("~", "+"),
    "{% set a = [1] %}" + DOUBLED.replace("a ~ a", "[a, a]") + "{{ a }}",
    "{% set a = (1,) %}" + DOUBLED.replace("a ~ a", "(a, a)") + "{{ [a]|unique|list }}",
    "{% set a = {} %}" + DOUBLED.replace("a ~ a", "{1: a, 2: a}") + "{{ a }}",
    "{% set a = 'xx' %}" + DOUBLED.replace("a ~ a", "[a, a]|join"),
    "{% set a = 'xx' %}" + DOUBLED.replace("a ~ a", "a|replace('x', 'xx')"),
    "{% set a = 'xx' %}" + "".join("{% set a %}{{ a }}{{ a }}{% endset %}" for _ in range(60)),
    "{% set a = 'xx' %}" + "".join("{% set a = [a, a]|string %}" for _ in range(60)),
    "{% set n = namespace(x='xx') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "{% set n = namespace(x=2) %}{% for i in range(9999) %}{% set n.x = n.x + n.x %}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "{% include 'bad.md.j2' %}",
    "{% extends 'bad.md.j2' %}",
    "{% import 'bad.md.j2' as bad %}",
    "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% for i in range(9999) %}" + "x" * 5000 + "{% endfor %}",
    "{% set x %}{% for i in range(9999) %}" + "x" * 5000 + "{% endfor %}{% endset %}",
    "{% for i in range(9000) %}{{ range(9000)|list|sort|length }}{% endfor %}",
    "{{ " + "(" * 50000 + "1" + ")" * 50000 + " }}",
    "{% set t = '" + "a" * 999 + "' %}{% for i in range(9000) %}{{ t" + "|map('upper')" * 100 + "|max }}{% endfor %}",
    "{% set e = '' %}{% for i in range(9999) %}{% for j in range(40) %}"
    + "{{ e }}" * 2000
    + "{% endfor %}{% endfor %}",
    "{% set t = 'a' %}{% for i in range(400) %}{% set x = [" + "t," * 5000 + "] %}{% endfor %}",
    "{% set t = 'a' %}{% for i in range(400) %}{% set x = " + "~".join(["t"] * 5000) + " %}{% endfor %}",
]


@pytest.fixture(params=FORMATS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _render(monkeypatch: pytest.MonkeyPatch, form: str, text: str) -> str:
    source = text.replace(".md.j2", FORMATS[form].suffix)
    monkeypatch.setattr(environment(form), "loader", jinja2.DictLoader({f"bad{FORMATS[form].suffix}": source}))
    return render("bad", form, w=hostile())


@pytest.mark.parametrize("text", WALKS)
def test_no_way_inside(monkeypatch: pytest.MonkeyPatch, form: str, text: str) -> None:
    with pytest.raises(TemplateError, match="template 'bad"):
        _render(monkeypatch, form, text)


@pytest.mark.parametrize("text", ENDLESS, ids=range(len(ENDLESS)))
def test_everything_ends(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    begun = time.process_time()
    with pytest.raises(TemplateError, match="template 'bad"):
        _render(monkeypatch, "markdown", text)
    assert time.process_time() - begun < 20


@pytest.mark.slow
@pytest.mark.parametrize("hostile_form", ["html", "latex"])
@pytest.mark.parametrize("text", ENDLESS[::6], ids=range(len(ENDLESS[::6])))
def test_everything_ends_in_other_forms(monkeypatch: pytest.MonkeyPatch, text: str, hostile_form: str) -> None:
    with pytest.raises(TemplateError, match="template 'bad"):
        _render(monkeypatch, hostile_form, text)


def test_what_filters_make_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{% set t = '" + "*" * 50000 + "' %}{{ t|md|md|md }}"
    with pytest.raises(TemplateError, match="more than 250,000 parts"):
        _render(monkeypatch, "markdown", text)


def test_misspelt_field_names_line_and_nearest(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    with pytest.raises(TemplateError, match=r"template 'bad[^']*', line 2: .*'titel'.* Did you mean 'title'") as caught:
        _render(monkeypatch, form, "\n{{ w.titel }}")
    assert "?." not in str(caught.value)
    with pytest.raises(TemplateError, match=r"line 3: .*'valeu'.* Did you mean 'value'"):
        _render(monkeypatch, form, "{% for each in w.inputs %}\n\n{{ each.valeu }}{% endfor %}")


def test_wrong_arithmetic_names_the_line(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    with pytest.raises(TemplateError, match=r"line 2: .*zero"):
        _render(monkeypatch, form, "\n{{ 1 // 0 }}")


def test_filters_follow_the_suffix(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{{ w.title|e }}{{ w.title }}"
    assert "<script>" in _render(monkeypatch, "markdown", text)
    assert "<script>" not in _render(monkeypatch, "html", text)
    assert "$x$" not in _render(monkeypatch, "latex", text)
    with pytest.raises(TemplateError, match="No filter named 'tex'"):
        _render(monkeypatch, "html", "{{ w.title|tex }}")
    with pytest.raises(TemplateError, match="No filter named 'safe'"):
        _render(monkeypatch, "html", "{{ w.title|safe }}")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a folder with templates a pack."""
    folder = tmp_path / "mine" / "templates"
    folder.mkdir(parents=True)
    monkeypatch.setenv("FLOPSHEET_PATH", str(folder.parent))
    SESSION.drop_files()
    yield folder
    SESSION.drop_files()


def test_a_pack_overrides_and_extends(own: Path) -> None:
    page = '{% extends "flopsheet/derivation.html.j2" %}{% block style %}{{ super() }}h1 { color: teal; }{% endblock %}'
    (own / "derivation.html.j2").write_text(page)
    (own / "short.tex.j2").write_text("{{ w.sheet }}")
    text = render("derivation", "html", w=hostile())
    assert "color: teal" in text
    assert "color: var(--link)" in text
    assert templates("latex") == ["derivation", "short"]
    assert [pack.name for name, form, pack in listing() if (name, form) == ("derivation", "html")] == ["mine"]
    (own / "derivation.html.j2").write_text("changed")
    assert render("derivation", "html", w=hostile()) == "changed"


def test_a_link_out_of_a_pack_is_not_followed(own: Path) -> None:
    (own.parent.parent / "secret").write_text("secret")
    (own / "secret.md.j2").symlink_to(own.parent.parent / "secret")
    with pytest.raises(TemplateError, match="There is no template 'secret'"):
        render("secret")


def test_including_is_counted(own: Path) -> None:
    (own / "little.md.j2").write_text("x")
    (own / "often.md.j2").write_text("{% for i in range(9999) %}{% include 'little.md.j2' %}{% endfor %}")
    with pytest.raises(TemplateError, match=r"template 'often.md.j2', line 1: .*steps"):
        render("often")


def test_a_misspelt_block_names_the_nearest_and_its_line(own: Path) -> None:
    (own / "middle.md.j2").write_text("{% extends 'flopsheet/derivation.md.j2' %}")
    for name, above in (("one", "flopsheet/derivation.md.j2"), ("two", "middle.md.j2")):
        (own / f"{name}.md.j2").write_text("{% extends '" + above + "' %}\n{% block contents %}x{% endblock %}")
        with pytest.raises(TemplateError, match=rf"template '{name}', line 2: .*'contents'. Did you mean 'content'"):
            render(name)
    (own / "right.md.j2").write_text("{% extends 'middle.md.j2' %}{% block content %}mine{% endblock %}")
    assert render("right") == "mine"


def test_a_template_that_is_too_large_or_no_text(own: Path) -> None:
    (own / "large.md.j2").write_text("x" * 300_000)
    (own / "bytes.md.j2").write_bytes(b"\xff")
    for name, problem in (("large", "more than 200,000 bytes"), ("bytes", "cannot be read")):
        with pytest.raises(TemplateError, match=rf"mine/templates/{name}.md.j2: .*{problem}"):
            render(name)


def test_a_name_of_another_form_is_unknown() -> None:
    with pytest.raises(TemplateError, match=r"no template 'catalogue' for html. Known: derivation"):
        render("catalogue", "html")
