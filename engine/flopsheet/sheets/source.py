"""Python files of sheets: what Python would silently lose, their modules, and errors in terms of their lines."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import sympy

from flopsheet.errors import FlopsheetError, Place, RegistryError, SheetError, suggest
from flopsheet.session import SESSION, State

if TYPE_CHECKING:
    from types import FrameType, ModuleType

    from flopsheet.registry.packs import Pack

_BUILTIN = "flopsheet.builtin.models."
_DECISIONS = (ast.BoolOp, ast.IfExp, ast.If)
_DECIDES = "Python's `if`, `and`, `or` or a chained comparison cannot decide between cells."
_PERMIT = "Declare it above, or write implicit = True first where the two depend on each other."
_INSTEAD = "Write max_, min_ or select for a case distinction, and one limit(a <= b) for each comparison."


def place_of_caller(depth: int = 2) -> Place:
    """Return the file and line of the row that is being declared."""
    frame = sys._getframe(depth)  # noqa: SLF001  # the only way to a caller's line without a traceback
    return Place(frame.f_code.co_filename, frame.f_lineno)


def check_class(place: Place, name: str) -> str | None:
    """Reject what Python silently loses in a class body, and return the docstring of the class, or None.

    `a and b` is `b`, and a row without a name is gone. The docstring is in the source even under `python -OO`. Where
    the source of the class statement is missing, nothing is checked.
    """
    linecache.checkcache(place.file)
    try:
        tree = ast.parse("".join(linecache.getlines(place.file)))
    except SyntaxError:
        return None  # a part of a file, as notebooks and prompts hand out
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name]
    for node in classes:
        _check_body(node, place.file)
    nearest = min(classes, key=lambda node: abs(node.lineno - place.line), default=None)
    return ast.get_docstring(nearest) if nearest else None


def _check_body(body: ast.ClassDef, file: str) -> None:
    for node in ast.walk(body):
        if isinstance(node, _DECISIONS) or (isinstance(node, ast.Compare) and len(node.ops) > 1):
            raise SheetError(str(Place(file, node.lineno)), _DECIDES, _INSTEAD)
    for line in body.body:
        if isinstance(line, ast.Expr) and not isinstance(line.value, ast.Constant):
            fix = "Write name = limit(...) or name = formula(...)."
            raise SheetError(str(Place(file, line.lineno)), "This line has no name, so Python drops its value.", fix)


def module_of(file: Path, pack: Pack | None) -> ModuleType:
    """Import a sheet's file, of a pack or none, and return its module; each file has its own module name.

    Raises:
        FlopsheetError: it cannot be imported; the message names the line.
    """
    name = _module_name(file, pack)
    _drop_changed_modules()
    if name not in sys.modules:
        _execute(name, file)
    for module in _with_imports(sys.modules[name]):
        SESSION.watch(str(module.__file__))
        _states.setdefault(module.__name__, SESSION.state(str(module.__file__)))
    return sys.modules[name]


def _execute(name: str, file: Path) -> None:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise SheetError(str(file), "The file is not Python.")
    SESSION.watch(file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise explain(error, file) from error


_states: dict[str, State] = {}  # of the file of each module of a sheet, when the module was made


def _drop_changed_modules() -> None:
    """Drop the modules of all sheets if the file of one has changed: others may have imported its former content."""
    states = {str(sys.modules[name].__file__): state for name, state in _states.items() if name in sys.modules}
    changed = [file for file, state in states.items() if not SESSION.are_unchanged({file: state})]
    if not changed:
        return
    for file in changed:  # Python takes compiled code for that of any source of the same size and second
        with suppress(OSError, NotImplementedError):
            Path(importlib.util.cache_from_source(file)).unlink()
    for name in _states:
        sys.modules.pop(name, None)
    _states.clear()


def _with_imports(module: ModuleType) -> list[ModuleType]:
    """Return the module of a sheet and those of the built-in sheets that it imports, directly or by way of others."""
    modules, waiting = {module.__name__: module}, [module]
    while waiting:
        used = waiting.pop()
        code = getattr(used.__loader__, "get_code", lambda _: None)(used.__name__)
        names = [name for name in (code.co_names if code else ()) if name.startswith(_BUILTIN)]
        new = [sys.modules[name] for name in names if name in sys.modules and name not in modules]
        modules |= {module.__name__: module for module in new}
        waiting += new
    return list(modules.values())


def _module_name(file: Path, pack: Pack | None) -> str:
    """Return `flopsheet.builtin.models.NAME` in checkout and wheel alike, and a unique name for other packs."""
    if pack and pack.origin == "built-in":
        return f"{_BUILTIN}{file.stem}"
    from hashlib import sha256  # which loads OpenSSL

    folder = re.sub(r"\W", "_", pack.name if pack else file.parent.name)
    return f"flopsheet_packs.{folder}_{sha256(str(file.parent).encode()).hexdigest()[:12]}.{file.stem}"


def explain(error: Exception, file: Path) -> FlopsheetError:
    """Return an exception of a sheet's file in terms of its author: line, problem and fix."""
    from traceback import walk_tb

    frames = [frame for frame in walk_tb(error.__traceback__) if frame[0].f_code.co_filename == str(file)]
    place = str(Place(str(file), frames[-1][1] if frames else 1))
    if isinstance(error, FlopsheetError):  # those of terms and arguments know no file
        named = file.name in error.where or isinstance(error, RegistryError)
        return error if named else SheetError(f"{place}, {error.where}", error.problem, error.fix)
    if isinstance(error, SyntaxError):  # of this file, or of one that it imports
        own = Place(error.filename or str(file), error.lineno or 1)
        return SheetError(str(own), f"This is not Python: {error.msg}.")
    if isinstance(error, NameError) and error.name:
        frame, line = [*walk_tb(error.__traceback__)][-1]  # in this file, or in one that it imports
        own = Place(frame.f_code.co_filename, line)
        return SheetError(str(own), f"'{error.name}' is not declared.", _undeclared(error.name, frame, own.file))
    if isinstance(error, AttributeError) and isinstance(error.obj, sympy.Symbol):
        problem = f"'{error.obj}' is no record or sheet, so it has no '{error.name}'."
        return SheetError(place, problem, "Declare the part above this line: only cells may follow later.")
    if isinstance(error, TypeError) and "truth value" in str(error):
        return SheetError(place, _DECIDES, _INSTEAD)
    return SheetError(place, f"Python raised {type(error).__name__} here: {error}.", "Fix this line.")


def _undeclared(name: str, frame: FrameType, file: str) -> str:
    """Return what to do about a name that a file uses and nothing gives: import it, move it, or spell it."""
    import flopsheet

    if _is_declared_in(name, file):
        return _PERMIT
    if name in vars(flopsheet)["__all__"]:
        return f"Import it: from flopsheet import {name}."
    return suggest(name, [*frame.f_locals, *frame.f_globals]) or "Declare it above."


def _is_declared_in(name: str, file: str) -> bool:
    """Whether a row of a class body in a file has a name."""
    tree = ast.parse("".join(linecache.getlines(file)))
    rows = (line for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for line in node.body)
    targets = (target for row in rows if isinstance(row, ast.Assign) for target in row.targets)
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)
