"""Counts the files and functions that a value passes on its way to the answer; `python tests/benchmarks/trace_path.py`.

A function is passed where the value is an argument or the result: its text, its number, its quantity, or an object of
ours that holds one of these. With `--cli` the answer is printed too, by the command line.
"""

from __future__ import annotations

import contextlib
import io
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

RELATION = "device_memory <= chip.memory"
WORDS = ["d_model=8192", "d_ff=28672", "n_blocks=80", "seq_len=4096", "n_fsdp=64", "chip=tpu-v5p", RELATION]
GIVEN = ("n_fsdp=64", "n_fsdp = 64", "64")
FIGURE = ("95 GiB",)
HOLDING = ("value", "si", "text", "written", "quantity", "relation", "stated")


def _is(value: Any, texts: tuple[str, ...], number: int | None) -> bool:
    if isinstance(value, str):
        return value.strip() in texts
    return number is not None and type(value) in (int, float, Fraction) and value == number


def _holds(value: Any, texts: tuple[str, ...], number: int | None, depth: int = 2) -> bool:
    """Whether a value is one of the texts, the number, or an object of ours that holds it."""
    if _is(value, texts, number):
        return True
    if depth == 0 or not type(value).__module__.startswith("flopsheet"):
        return False
    with contextlib.suppress(Exception):
        state = getattr(value, "__dict__", None) or {
            name: getattr(value, name) for name in getattr(type(value), "__slots__", ())
        }
        return any(_holds(state[name], texts, number, depth - 1) for name in HOLDING if name in state)
    return False


TRACED: dict[str, Callable[[Any], bool]] = {
    "n_fsdp=64": lambda value: _holds(value, GIVEN, 64),
    "95 GiB": lambda value: _holds(value, FIGURE, 95 * 2**30),
    RELATION: lambda value: _holds(value, (RELATION,), None),
}


class Trace:
    """The functions that each traced value passes."""

    def __init__(self, inside: Path) -> None:
        self._inside = str(inside)
        self.passed: dict[str, set[tuple[str, int, str]]] = {name: set() for name in TRACED}

    def __call__(self, frame: FrameType, event: str, result: Any) -> None:
        """Take a call or return of Python's profiler."""
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(self._inside):
            return
        count = code.co_argcount + code.co_kwonlyargcount
        values = [frame.f_locals.get(name) for name in code.co_varnames[:count]] if event == "call" else [result]
        for name, is_traced in TRACED.items():
            if any(map(is_traced, values)):
                self.passed[name].add((code.co_filename, code.co_firstlineno, code.co_name))

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Trace what runs inside."""
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


def main(words: list[str]) -> None:
    """Trace one question, and write the counts."""
    import flopsheet
    from flopsheet.cli import main as command

    trace = Trace(Path(flopsheet.__file__).parent)
    if "--cli" in words:
        sys.argv = ["flopsheet", "solve", "ffn_memory", "batch", *WORDS]
        with trace.running(), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            command()
    else:
        solve = flopsheet.solve
        with trace.running():
            solve("ffn_memory", "batch", WORDS)
    for name, passed in trace.passed.items():
        files = {file for file, _, _ in passed}
        sys.stdout.write(f"{name}: {len(files)} files, {len(passed)} functions\n")
        if "--list" in words:
            sys.stdout.writelines(f"    {Path(file).name} {function}\n" for file, _, function in sorted(passed))


if __name__ == "__main__":
    main(sys.argv[1:])
