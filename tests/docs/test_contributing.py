"""The worked examples of CONTRIBUTING are excerpts of tests, so they run.

`<!-- tests/FILE.py NAME ... -->` stands before a block that shows these definitions; for a text, its content.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / ".github" / "CONTRIBUTING.md"
BLOCK = re.compile(r"<!-- (?P<file>tests/\S+) (?P<names>[^>]+) -->\n```python\n(?P<code>.*?)```\n", re.DOTALL)


def _excerpt(file: Path, names: list[str]) -> str:
    source = file.read_text(encoding="utf-8")
    parts = {name: text for node in ast.parse(source).body for name, text in _definition(node, source)}
    return "\n\n\n".join(parts[name].strip() for name in names) + "\n"


def _definition(node: ast.stmt, source: str) -> list[tuple[str, str]]:
    """Return the name that a statement defines with its source, or with the text that it assigns."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        match node.value:
            case ast.Constant(value=str(text)):
                return [(node.targets[0].id, text)]
        return [(node.targets[0].id, ast.get_source_segment(source, node) or "")]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        return [(node.name, "\n".join(source.splitlines()[first - 1 : node.end_lineno]))]
    return []


def _replaced(page: str) -> str:
    def block(match: re.Match[str]) -> str:
        code = _excerpt(ROOT / match["file"], match["names"].split())
        return f"<!-- {match['file']} {match['names']} -->\n```python\n{code}```\n"

    return BLOCK.sub(block, page)


def test_worked_examples_are_those_that_run(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("--update"):
        PAGE.write_text(_replaced(page), encoding="utf-8")
        page = _replaced(page)
    assert page == _replaced(page)


@pytest.mark.parametrize("subject", ["function", "unit", "format", "kind", "method"])
def test_there_is_a_worked_example_for(subject: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = re.search(rf"\n### A [^\n]*{subject}[^\n]*\n(.*?)(?=\n##|\Z)", page, re.DOTALL)
    assert section is not None
    assert BLOCK.search(section[1])
