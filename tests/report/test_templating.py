"""Templates run in a sandbox, and text cannot break out of Markdown."""

from __future__ import annotations

import jinja2
import pytest

from flopsheet.errors import TemplateError
from flopsheet.report.forms.markdown import escaped
from flopsheet.report.templating import environment, render, templates


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n_fsdp <= 45.76, so 46", "n_fsdp <= 45.76, so 46"),
        ("<script>", r"\<script>"),
        ("a | b", r"a \| b"),
        ("costs $5 or $6", r"costs \$5 or \$6"),
        ("`code` and *stars*", r"\`code\` and \*stars\*"),
        ("_emphasis_", r"\_emphasis\_"),
        ("[link](url)", r"\[link\](url)"),
        ("> quote", r"\> quote"),
        ("# heading", r"\# heading"),
        ("1. item", r"1\. item"),
        ("&lt;b&gt;", r"\&lt;b\&gt;"),
        ("two\nlines", "two lines"),
    ],
)
def test_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ 9 ** (9 ** 9) }}", "operator"),
        ("{{ 'a' * 2000000000 }}", "operator"),
        ("{{ w.titel }}", "titel"),
        ("{% for %}", "Expected"),
    ],
)
def test_hostile_or_misspelt(monkeypatch: pytest.MonkeyPatch, template: str, problem: str) -> None:
    monkeypatch.setattr(environment("markdown"), "loader", jinja2.DictLoader({"bad.md.j2": template}))
    with pytest.raises(TemplateError, match=problem):
        render("bad", w={"title": "x"})


def test_every_template_is_listed() -> None:
    assert templates() == ["brief", "catalogue", "compare", "derivation", "memo", "sheet", "table"]
