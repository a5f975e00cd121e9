"""The rooms keep their order: imports point one way, files and functions stay small, nothing asserts or prints."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import flopsheet

ENGINE = Path(flopsheet.__file__).parent
FILES = sorted(ENGINE.rglob("*.py"))
ROOMS = ("errors", "units", "registry", "sheets", "solver", "render", "cli")
# Answers, questions, records and sheets show themselves: these imports are late, inside the methods that print.
SHOWN = ("solver/answer.py", "solver/question.py", "solver/question_file.py", "solver/table.py", "sheets/body.py")
EXCUSED = {(file, "render") for file in (*SHOWN, "registry/records.py")}


def _rooms_imported(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("flopsheet.")} & set(ROOMS)


@pytest.mark.parametrize("file", [file for file in FILES if file.parent != ENGINE], ids=lambda file: str(file.name))
def test_imports_point_one_way(file: Path) -> None:
    inside = file.relative_to(ENGINE)
    if inside.parts[0] not in ROOMS:
        return
    mine = ROOMS.index(inside.parts[0])
    above = {room for room in _rooms_imported(file) if ROOMS.index(room) > mine}
    assert {room for room in above if (inside.as_posix(), room) not in EXCUSED} == set()


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.name))
def test_files_and_functions_stay_small(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count("\n") <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= 60, node.name


def test_public_names_are_documented() -> None:
    for name in flopsheet.__all__:
        assert getattr(flopsheet, name).__doc__, name


def test_help_needs_neither_sympy_nor_pint() -> None:
    import subprocess
    import sys

    code = "import sys, flopsheet.cli; sys.exit(bool({'sympy', 'pint', 'rich', 'jinja2', 'yaml'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
