"""A mutation run, by hand: small changes to the engine, drawn by chance, each of which some test should notice.

It changes files of the checkout that it stands in, one after the other, and restores each: use a clone of its own.

    pip install cosmic-ray
    python tests/mutation.py units numbers graph/structure.py --each 4 --seed 13

Mutants of cosmic-ray are drawn file by file: a place in the code first, then a change of that place. Annotations,
decorators and imports for types are left out. The tests of the file run first, then those of its room; a mutant that
hangs counts as killed. The run lists the survivors: read each, and either say why it is equivalent or write a test.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "engine" / "flopsheet"
LEFT_OUT = ("RemoveDecorator", "VariableReplacer", "VariableInserter")
MOST_SECONDS = 300
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "engine"), "PYTHONDONTWRITEBYTECODE": "1"}
OPERATORS: Any = OperatorProvider()
Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Mutant:
    """A file with one change."""

    file: Path
    code: str
    line: int
    before: str
    after: str


def _skipped(tree: ast.Module) -> Iterator[ast.expr | ast.stmt]:
    """Yield what no test can see a change of: types, imports for types, and decorators, of which most are caches."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from node.decorator_list
        types = getattr(node, "returns", None) or getattr(node, "annotation", None)
        if types is not None:
            yield types
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node


def _changes(source: str) -> dict[tuple[Place, str], list[tuple[str, int]]]:
    """Return the operators with the number of their occurrence, by place in the code and family of operators."""
    rows = source.splitlines()

    def place(line: int, column: int) -> Place:
        return line, len(rows[line - 1].encode()[:column].decode())  # of ast in bytes, of cosmic-ray in characters

    skipped = [
        (place(node.lineno, node.col_offset), place(node.end_lineno or 0, node.end_col_offset or 0))
        for node in _skipped(ast.parse(source))
    ]
    changes: dict[tuple[Place, str], list[tuple[str, int]]] = {}
    for name in (name for name in OPERATORS if name not in LEFT_OUT):
        operator, count = OPERATORS[name](), 0
        for node in _nodes(get_ast(source)):
            for start, _ in operator.mutation_positions(node):
                if not any(first <= start < last for first, last in skipped):
                    changes.setdefault((start, name.partition("Operator_")[0]), []).append((name, count))
                count += 1
    return changes


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in getattr(node, "children", ()):
        yield from _nodes(child)


def drawn(file: Path, seed: int, most: int) -> Iterator[Mutant]:
    """Yield mutants of a file, at most so many and each at another place."""
    source = file.read_text(encoding="utf-8")
    changes = _changes(source)
    chance = random.Random(f"{seed}:{file.relative_to(ENGINE)}")  # noqa: S311  # the same every time
    for place in chance.sample(sorted(changes), k=min(most, len(changes))):
        name, count = chance.choice(changes[place])
        code = mutate_code(source, OPERATORS[name](), count)
        if code is None or not _differs(source, code):
            continue
        delta = [row for row in difflib.ndiff(source.splitlines(), code.splitlines()) if row[0] in "-+"]
        yield Mutant(file, code, place[0][0], delta[0][1:].strip(), delta[-1][1:].strip())


def _differs(source: str, code: str) -> bool:
    try:
        return ast.dump(ast.parse(source)) != ast.dump(ast.parse(code))
    except SyntaxError:
        return False


def survives(mutant: Mutant) -> bool:
    """Whether the tests of the file and of its room pass with the change."""
    room = ROOT / "tests" / mutant.file.relative_to(ENGINE).parent
    own = room / f"test_{mutant.file.name}"
    original = mutant.file.read_bytes()
    try:
        mutant.file.write_text(mutant.code, encoding="utf-8")
        return all(_passes(tests) for tests in (own, room) if tests.exists())
    finally:
        mutant.file.write_bytes(original)


def _passes(tests: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", str(tests)]
    try:
        return (
            subprocess.run(
                command, env=ENVIRONMENT, cwd=ROOT, capture_output=True, timeout=MOST_SECONDS, check=False
            ).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        return False


def main() -> None:
    """Run the mutants of the rooms or files that the command line names, and print the survivors and the score."""
    parser = argparse.ArgumentParser(description="Mutation run over rooms or files of the engine.")
    parser.add_argument("rooms", nargs="+", help="rooms or files under engine/flopsheet")
    parser.add_argument("--each", type=int, default=4, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=13)
    asked = parser.parse_args()
    paths = [path for name in asked.rooms for path in sorted((ENGINE / name).rglob("*.py")) or [ENGINE / name]]
    killed = total = 0
    for mutant in (mutant for path in paths for mutant in drawn(path, asked.seed, asked.each)):
        alive = survives(mutant)
        total, killed = total + 1, killed + (not alive)
        if alive:
            place = f"{mutant.file.relative_to(ENGINE)}:{mutant.line}"
            sys.stdout.write(f"survived {place}\n  - {mutant.before}\n  + {mutant.after}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{killed} of {total} mutants killed\n")


if __name__ == "__main__":
    main()
