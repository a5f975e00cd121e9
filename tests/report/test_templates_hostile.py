"""Templates are code of trusted packs: elsewhere they do not run, and a mistake names file and line, whatever it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.report.hostile import hostile

from flopsheet.errors import FlopsheetError, TemplateError
from flopsheet.report.forms import FORMATS
from flopsheet.report.templating import left_out, listing, render, templates
from flopsheet.report.writeup import WriteUp
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WALKS = [
    "{{ ''.__class__.__mro__ }}",
    "{{ w._answer }}",
    "{{ ''|attr('__class__') }}",
    "{{ w['__class__'] }}",
    "{{ w['_answer'] }}",
    "{{ w.__init__.__globals__ }}",
    "{{ w.__dict__ }}",
    "{{ range.__self__ }}",
    "{{ range.__globals__ }}",
    "{{ '{0.__class__}'.format(w) }}",
    "{{ '{0._answer}'.format_map({'0': w}) }}",
    "{{ ''['for' ~ 'mat'](w) }}",
    "{{ [w]|map(attribute='__class__')|join }}",
    "{% for group in [w]|groupby('_answer') %}{{ group.grouper }}{% endfor %}",
    "{% set x = w.sources.append(1) %}",
    "{{ w.results[0].of }}",
    "{{ w.results[0].name.encode() }}",
    "{{ w.ranking.working }}",
    "{{ (w.steps|first).__slots__ }}",
    "{{ lipsum() }}",
    "{{ cycler.__init__ }}",
    "{{ namespace.__init__ }}",
    "{{ namespace(a=1).__class__ }}",
    "{{ self.__init__ }}",
    "{{ self._TemplateReference__context }}",
    "{% macro m() %}{% endmacro %}{{ m._func }}",
    "{% macro m() %}{% endmacro %}{{ m.name }}",
    "{% for x in [1] %}{{ loop._iterator }}{% endfor %}",
    "{% block x %}{{ super._context }}{% endblock %}",
]
# A mistake on line 2, and what the error says of it.
MISTAKES = {
    "{{ w.titel }}": "'titel'. Did you mean 'title'?",
    "{{ 1 // 0 }}": "zero",
    "{% for %}": "Expected an expression",
    "{{ f(a=1, a=2) }}": "keyword argument repeated",
    "{% macro m(a, a) %}{% endmacro %}": "duplicate argument",
    "{% for i in [1] %}" * 25 + "{% endfor %}" * 25: "too many statically nested blocks",
    "{% if 1 %}" * 150 + "{% endif %}" * 150: "nested too deeply",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}": "nested too deeply",
    "{{ " + "+".join(["1"] * 5000) + " }}": "nested too deeply",
    "{{ " + "-" * 5000 + "1 }}": "nested too deeply",
    "{{ w" + ".title" * 5000 + " }}": "nested too deeply",
    "{{ 0x" + "f" * 5000 + " }}": "Exceeds the limit",
    "{{ " + "9" * 5000 + " }}": "Exceeds the limit",
    "{{ 1e999|int }}": "inf",
    "{{ 'x'|round }}": "__round__",
    "{{ nope() }}": "'nope' is undefined",
    "{% include 'nope' %}": "There is no template 'nope'",
    "{% include 5 %}": "not iterable",
    "{% extends 'bad' %}": "it extends itself",
    "{% extends 'nope' %}": "There is no template 'nope'",
    "{% extends 5 %}": "There is no template '5'",
    "{{ 1 }}{# x": "Missing end of comment tag",
    "{% include 'bad' %}": "endlessly",
    "{% import 'bad' as bad %}": "endlessly",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}": "endlessly",
    "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}": "endlessly",
    "{% block a %}{% endblock %}{% block a %}{% endblock %}": "defined twice",
    "{% set w.title = 1 %}": "cannot assign attribute",
    "{{ w|safe }}": "No filter named 'safe'",
    "{{ range(1000000000) }}": "Range too big",
    "{{ 5|aligned }}": "not iterable",
    "{{ {[1]: 2} }}": "unhashable",
    "{% set a, b = 1 %}": "cannot unpack",
    "{{ '": "unexpected char",
    "{% filter select %}x{% endfilter %}": "expected a text, got generator",
    "{% filter first %}{% endfilter %}": "No first item",
    "{{ 1 if 'a'.nope }}": "no attribute 'nope'",
    "{% call namespace() %}{% endcall %}": "expected a text, got Namespace",
    "{% call m() %}{% endcall %}": "'m' is undefined",
}


@pytest.fixture(params=FORMATS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a folder with templates a trusted pack."""
    folder = tmp_path / "mine" / "templates"
    folder.mkdir(parents=True)
    monkeypatch.setenv("FLOPSHEET_PATH", str(folder.parent))
    monkeypatch.setenv("FLOPSHEET_TRUST", str(folder.parent))
    SESSION.drop_files()
    yield folder
    SESSION.drop_files()


def _render(own: Path, form: str, text: str) -> str:
    suffix = FORMATS[form].suffix
    for name in ("bad", "nope"):
        text = text.replace(f"'{name}'", f"'{name}{suffix}'")
    (own / f"bad{suffix}").write_text(text)
    return render("bad", form, w=hostile())


@pytest.mark.parametrize("text", WALKS)
def test_no_way_inside(own: Path, form: str, text: str) -> None:
    with pytest.raises(TemplateError, match="mine/templates/bad"):
        _render(own, form, text)


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_reported_with_file_and_line(own: Path, form: str, text: str) -> None:
    with pytest.raises(TemplateError) as caught:
        _render(own, form, f"\n{text}")
    assert str(caught.value).startswith(f"mine/templates/bad{FORMATS[form].suffix}:2: ")
    assert MISTAKES[text] in str(caught.value)
    assert "?." not in str(caught.value)


def test_half_of_a_character_is_a_mistake(own: Path) -> None:
    with pytest.raises(TemplateError, match=r"^mine/templates/bad.md.j2: .*surrogates not allowed"):
        _render(own, "markdown", "{{ '\\ud800' }}")


def test_an_error_of_our_own_is_not_blamed_on_the_template(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_page: WriteUp) -> None:
        raise KeyError("our own")

    monkeypatch.setattr(vars(WriteUp)["notes"], "_compute", broken)
    page = hostile()
    del page.__dict__["notes"]
    (own / "leaf.md.j2").write_text("{{ w.notes }}")
    with pytest.raises(KeyError, match="our own"):
        render("leaf", w=page)


def test_filters_follow_the_suffix(own: Path) -> None:
    text = "{{ w.title|e }}{{ w.title }}"
    assert "<script>" in _render(own, "markdown", text)
    assert "<script>" not in _render(own, "html", text)
    assert "$x$" not in _render(own, "latex", text)
    with pytest.raises(TemplateError, match="No filter named 'tex'"):
        _render(own, "html", "{{ w.title|tex }}")


MIXED = [
    "{{ 'a'|e ~ w.title }}",
    "{{ w.title ~ 'a'|e }}",
    "{{ ['a'|e, w.title]|join(' ') }}",
    "{{ ['a'|e, 'b'|e]|join(w.title) }}",
    "{{ w.results|map(attribute='text')|join('-'|e) }}",
    "{% macro m() %}a{% endmacro %}{{ m() ~ w.title }}",
    "{% set x %}a{% endset %}{{ x + w.title }}",
    "{{ w.title + 'a'|e }}",
    "{{ w.title|replace('x', 'b'|e) }}",
    "{{ 'a'|e|replace('a', w.title) }}",
    "{{ w.title|truncate(20, true, '.'|e) }}",
    "{% filter replace('a', w.title) %}a{% endfilter %}",
    "{% filter d(w.title, true) %}{% endfilter %}",
    "{% block x %}{{ w.title }}{% endblock %}{{ self.x() ~ w.title }}",
]


@pytest.mark.parametrize("form", ["html", "latex"])
@pytest.mark.parametrize("text", MIXED, ids=range(len(MIXED)))
def test_a_text_beside_markup_is_escaped_as_its_form_is(own: Path, text: str, form: str) -> None:
    page = _render(own, form, text)
    assert "<script" not in page
    if form == "latex":
        assert "\\input{" not in page
        assert "$x$" not in page
        assert "&lt;" not in page


def test_blanks_beside_markup_are_kept(own: Path) -> None:
    assert _render(own, "latex", "{{ 'a'|e ~ ' & ' ~ 'b' ~ ' ' ~ 'c\n' ~ 'd' }}") == "a \\& b c\nd"
    assert _render(own, "html", "{{ ['a'|e, 'b']|join(', ') }}") == "a, b"


def test_markup_is_not_formatted(own: Path) -> None:
    with pytest.raises(TemplateError, match="join its parts with ~"):
        _render(own, "latex", "{{ '%s'|e % w.title }}")
    assert _render(own, "latex", "{{ 7 % 4 }}{{ '%s' % '$x$' }}{{ 1 + 2 }}{{ [1] + [2] }}") == "3\\$x\\$3{[}1, 2{]}"


def test_templates_of_other_packs_do_not_run(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLOPSHEET_TRUST")
    for name in ("derivation", "leaf"):
        (own / f"{name}.md.j2").write_text("{{ 1|round(1000000000, 'ceil') }}")
    (own.parent.parent / "other" / "templates").mkdir(parents=True)
    monkeypatch.setenv("FLOPSHEET_PATH", os.pathsep.join((str(own.parent), str(own.parent.parent / "other"))))
    assert "## Answer" in render("derivation", w=hostile())  # the built-in one
    with pytest.raises(TemplateError) as caught:
        render("leaf")
    assert str(caught.value) == (
        "mine/templates/leaf.md.j2: Templates are code, and the pack 'mine' (FLOPSHEET_PATH) is not trusted to run it. "
        f"Read the file, then set FLOPSHEET_TRUST={own.parent} to run it."
    )
    with pytest.raises(TemplateError, match="not trusted"):
        render("mine/derivation")
    assert [name for name, _, pack in listing() if pack.name == "mine"] == []
    assert [problem.where for problem in left_out()] == [
        f"mine/templates/{name}.md.j2" for name in ("derivation", "leaf")
    ]


def test_a_template_does_not_reach_one_of_an_untrusted_pack(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = own.parent.parent / "theirs" / "templates"
    theirs.mkdir(parents=True)
    (theirs / "leaf.md.j2").write_text("x")
    monkeypatch.setenv("FLOPSHEET_PATH", os.pathsep.join((str(own.parent), str(theirs.parent))))
    for reference in ("leaf.md.j2", "theirs/leaf.md.j2"):
        for tag in ("include", "extends"):
            with pytest.raises(TemplateError, match=r"the pack 'theirs'.* is not trusted"):
                _render(own, "markdown", f"{{% {tag} '{reference}' %}}")


@pytest.mark.parametrize("name", ["Page", "my page", "{x}", "a.b.c", "p\u00e4ge", "f'{1}'", "", "."])
def test_names_are_plain(own: Path, name: str) -> None:
    (own / f"{name}.md.j2").write_text("x")
    with pytest.raises(TemplateError, match="There is no template"):
        render(name)
    (problem,) = left_out()
    assert str(problem).endswith(
        ".md.j2: The name of a template has lower-case letters, digits, '_' and '-' only, and its form. "
        "Rename it, as in 'my-page.md.j2'."
    )


@pytest.mark.parametrize("name", ["", "..", "../templates/leaf", "/etc/passwd", "a\0b", "x" * 300, "mine/../leaf"])
def test_a_name_that_is_none_is_unknown(own: Path, name: str) -> None:
    (own / "leaf.md.j2").write_text("x")
    with pytest.raises(TemplateError, match="There is no template"):
        render(name)


def test_a_pack_overrides_and_extends(own: Path) -> None:
    page = '{% extends "flopsheet/derivation.html.j2" %}{% block style %}{{ super() }}h1 { color: teal; }{% endblock %}'
    (own / "derivation.html.j2").write_text(page)
    (own / "short.tex.j2").write_text("{{ w.sheet }}")
    text = render("derivation", "html", w=hostile())
    assert "color: teal" in text
    assert "color: var(--link)" in text
    assert templates("latex") == ["brief", "compare", "derivation", "memo", "page", "short", "table"]
    assert [pack.name for name, form, pack in listing() if (name, form) == ("derivation", "html")] == ["mine"]
    (own / "derivation.html.j2").write_text("changed")
    assert render("derivation", "html", w=hostile()) == "changed"


def test_the_first_pack_of_a_name_is_meant(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    namesake = own.parent.parent / "flopsheet"
    (namesake / "templates").mkdir(parents=True)
    (namesake / "templates" / "derivation.md.j2").write_text("{% extends 'flopsheet/derivation.md.j2' %}")
    monkeypatch.setenv("FLOPSHEET_PATH", str(namesake))
    monkeypatch.setenv("FLOPSHEET_TRUST", str(namesake))
    assert "## Answer" in render("derivation", w=hostile())


def test_a_link_out_of_a_pack_is_not_followed(own: Path) -> None:
    (own.parent.parent / "secret").write_text("secret")
    (own / "secret.md.j2").symlink_to(own.parent.parent / "secret")
    with pytest.raises(TemplateError, match="There is no template 'secret'"):
        render("secret")
    assert ["leads out of the pack" in str(problem) for problem in left_out()] == [True]


def test_a_misspelt_block_names_the_nearest_and_its_line(own: Path) -> None:
    (own / "middle.md.j2").write_text("{% extends 'flopsheet/derivation.md.j2' %}")
    for name, above in (("one", "flopsheet/derivation.md.j2"), ("two", "middle.md.j2")):
        (own / f"{name}.md.j2").write_text("{% extends '" + above + "' %}\n{% block contents %}x{% endblock %}")
        with pytest.raises(
            TemplateError, match=rf"mine/templates/{name}.md.j2:2: .*'contents'. Did you mean 'content'"
        ):
            render(name)
    (own / "right.md.j2").write_text("{% extends 'middle.md.j2' %}{% block content %}mine{% endblock %}")
    assert render("right") == "mine"


def test_a_mistake_in_an_extended_template_is_reported_there(own: Path) -> None:
    (own / "base.md.j2").write_text("\n\n{{ nope }}{% block x %}{% endblock %}")
    (own / "leaf.md.j2").write_text("{% extends 'base.md.j2' %}")
    with pytest.raises(TemplateError, match=r"^mine/templates/base.md.j2:3: .*'nope' is undefined"):
        render("leaf")
    (own / "base.md.j2").write_text("\n{{ f(a=1, a=1) }}")
    with pytest.raises(TemplateError, match=r"^mine/templates/base.md.j2:2: .*keyword argument repeated"):
        render("leaf")


def test_a_template_that_is_too_large_or_no_text(own: Path) -> None:
    (own / "large.md.j2").write_text("x" * 300_000)
    (own / "bytes.md.j2").write_bytes(b"\xff")
    for name, problem in (("large", "more than 200,000 bytes"), ("bytes", "cannot be read")):
        with pytest.raises(TemplateError, match=rf"mine/templates/{name}.md.j2: .*{problem}"):
            render(name)


def test_a_name_of_another_form_is_unknown() -> None:
    with pytest.raises(TemplateError, match=r"no template 'catalogue' for html. Known: brief, compare, derivation"):
        render("catalogue", "html")


def test_templates_of_the_users_own_folder_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "flopsheet" / "templates"
    folder.mkdir(parents=True)
    (folder / "leaf.md.j2").write_text("mine")
    monkeypatch.setattr("flopsheet.registry.packs._user_folder", lambda: folder.parent)
    SESSION.drop_files()
    try:
        assert render("leaf") == "mine"
    finally:
        SESSION.drop_files()


def test_a_relative_configuration_folder_is_not_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "~" / "flopsheet" / "templates").mkdir(parents=True)
    (tmp_path / "~" / "flopsheet" / "templates" / "leaf.md.j2").write_text("theirs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", "~")
    SESSION.drop_files()
    try:
        with pytest.raises(FlopsheetError, match="There is no template"):
            render("leaf")
    finally:
        SESSION.drop_files()
