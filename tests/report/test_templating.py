"""The templates of pack 0, and texts that cannot break out of Markdown."""

from __future__ import annotations

import pytest

from flopsheet.report.forms.markdown import escaped
from flopsheet.report.templating import templates


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


def test_every_template_is_listed() -> None:
    assert templates() == ["brief", "catalogue", "compare", "derivation", "memo", "page", "sheet", "table"]
