"""The structure of the engine: the order of imports, the sizes of files and functions, tolerances and caches."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from tests.cases import check_each

import flopsheet

ENGINE = Path(flopsheet.__file__).parent
FILES = sorted(ENGINE.rglob("*.py"))
FOLDERS = sorted({file.parent for file in FILES} - {ENGINE})
# A room may import those before it, at run time and for its types alike.
ROOMS = (
    *(
        "nearest",
        "errors",
        "tolerances",
        "session",
        "budget",
        "files",
        "displays",
        "layout",
        "units",
        "numbers",
        "registry",
        "functions",
        "formulas",
        "sheets",
        "search",
        "inverse",
        "question",
        "graph",
    ),
    *("answer", "report", "authoring", "cli"),
)
MOST_FILES, DEEPEST = 20, 8
# Small numbers that are not tolerances, by file: starting points of Newton's method, the least influence that is shown.
SMALL_NUMBERS = {"search/tiling.py": {1e-3}, "report/drivers.py": {0.0005}}
# `functools` caches outside the session, by file: of one picture or write-up, and gone with it.
OWN_CACHES = {"report/pictures/dependencies.py": {"cache"}}


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def _run_time_imports(file: Path) -> set[str]:
    """Return the modules of ours that a file imports when it is imported: not for types only, not inside functions."""
    modules: set[str] = set()
    waiting: list[ast.stmt] = list(_tree(file).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("flopsheet"):
            modules |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            waiting += [*node.body, *node.orelse]
        elif isinstance(node, ast.ClassDef | ast.Try):
            waiting += node.body
    return modules


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ENGINE.parent).with_suffix("").parts).removesuffix(".__init__")


def _graph(files: list[Path]) -> dict[str, set[str]]:
    names = {_module(file) for file in files}
    return {_module(file): (_run_time_imports(file) & names) - {_module(file)} for file in files}


def _rooms_imported(file: Path) -> set[str]:
    tree = _tree(file)
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("flopsheet.")} & set(ROOMS)


def test_imports_point_one_way() -> None:
    check_each([file for file in FILES if file.relative_to(ENGINE).parts[0] in ROOMS], _check_rooms)


def _check_rooms(file: Path) -> None:
    mine = ROOMS.index(file.relative_to(ENGINE).parts[0])
    assert {room for room in _rooms_imported(file) if ROOMS.index(room) > mine} == set()


def test_every_folder_is_a_room() -> None:
    folders = {file.relative_to(ENGINE).parts[0] for file in FILES if file.parent != ENGINE}
    assert folders <= {*ROOMS, "builtin"}


def test_no_file_imports_itself_through_others() -> None:
    TopologicalSorter(_graph(FILES)).prepare()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ENGINE)))
def test_folders_stay_small_and_flat(folder: Path) -> None:
    files = sorted(folder.glob("*.py"))
    assert len(files) <= MOST_FILES
    graph, floors = _graph(files), dict[str, int]()
    for name in TopologicalSorter(graph).static_order():
        floors[name] = 1 + max((floors[other] for other in graph[name]), default=0)
    assert max(floors.values()) <= DEEPEST, floors


def test_files_and_functions_stay_small() -> None:
    check_each(FILES, _check_sizes)


def _check_sizes(file: Path) -> None:
    assert file.read_text(encoding="utf-8").count("\n") <= 300
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= 60, node.name


def test_every_tolerance_is_in_one_file() -> None:
    check_each([file for file in FILES if file != ENGINE / "tolerances.py"], _check_tolerances)


def _check_tolerances(file: Path) -> None:
    constants = {node.value for node in ast.walk(_tree(file)) if isinstance(node, ast.Constant)}
    small = {value for value in constants if isinstance(value, float) and 0 < value < 0.01}
    assert small == SMALL_NUMBERS.get(file.relative_to(ENGINE).as_posix(), set())


def test_the_session_owns_every_cache() -> None:
    check_each([file for file in FILES if file != ENGINE / "session.py"], _check_caches)


def _check_caches(file: Path) -> None:
    nodes = list(ast.walk(_tree(file)))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert "functools" not in modules  # imported by name, so that what follows sees its caches
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "functools"]
    names = {alias.name for node in imports for alias in node.names}
    assert names & {"cache", "lru_cache"} == OWN_CACHES.get(file.relative_to(ENGINE).as_posix(), set())


def test_public_names_are_documented() -> None:
    names = {*vars(flopsheet)["__all__"]}  # type checkers read them from the stub
    assert {"solve", "Sheet", "quantity"} <= names <= {*dir(flopsheet)}
    for name in names:
        assert getattr(flopsheet, name).__doc__, name


def test_help_needs_neither_sympy_nor_pint() -> None:
    import subprocess
    import sys

    code = "import sys, flopsheet.cli; sys.exit(bool({'sympy', 'pint', 'rich', 'jinja2', 'yaml'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_the_tests_that_ci_names_are_there() -> None:
    """Pytest with several workers stops without a word where one file is missing: it was moved, and nothing landed."""
    root = Path(__file__).parents[1]
    names = re.search(r"^asked=\(.*?\)$", (root / ".ci/run").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert names
    printed = subprocess.run(
        [str(BASH), "-c", f'{names[0]}; printf "%s\\n" "${{asked[@]}}"'],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    asked = printed.stdout.split()
    assert len(asked) > 10
    assert not [name for name in asked if not (root / name).is_file()]
