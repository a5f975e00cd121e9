"""The templates of pack 0, and texts that cannot break out of Markdown."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.errors import TemplateError
from flopsheet.report.forms.markdown import escaped
from flopsheet.report.templating import OF_SHEETS, render, templates


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


def test_every_template_of_answers_is_listed() -> None:
    assert templates() == ["brief", "compare", "derivation", "memo", "page", "table"]
    assert templates("latex") == templates()
    assert templates("html") == sorted([*templates(), "notebook"])
    assert templates("text") == ["brief", "compare", "memo", "table"]


@pytest.mark.parametrize("name", OF_SHEETS)
def test_a_template_of_sheets_is_rejected_for_an_answer(name: str) -> None:
    with pytest.raises(TemplateError, match="It shows the cells of sheets") as caught:
        solve("ffn_memory", (), ["d_model = 8192"]).derivation(name)
    assert caught.value.fix == "For answers: brief, compare, derivation, memo, page, table."


def test_a_template_of_another_form_is_named_with_it() -> None:
    with pytest.raises(TemplateError, match="There is no template 'notebook' for markdown") as caught:
        render("notebook")
    assert caught.value.fix == "It is one for html: add --as html."
