"""The command line: the group of commands, exit codes, and errors as one paragraph.

Commands import what they need when they run, so that help is quick.
"""

from __future__ import annotations

import gc
import io
import os
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet import __version__
from flopsheet.cli.commands import ask, solve
from flopsheet.cli.compare import compare
from flopsheet.cli.hardware import hardware
from flopsheet.cli.listings import sheets, templates_command
from flopsheet.cli.output import ANSWERED, NO_SOLUTION, WRONG, input_path, say
from flopsheet.cli.pack import pack_group, packs_command
from flopsheet.cli.progress import watching
from flopsheet.errors import ArithmeticTrapError, FlopsheetError
from flopsheet.session import fresh

if TYPE_CHECKING:
    from flopsheet.budget import Watch

__all__ = ["main"]

DEFECT, STOPPED = 3, 130
COLLECTED_AFTER = 50_000, 20, 20  # objects: expressions refer to no cycle, and looking for some takes a tenth of a run
ERROR_WIDTH = 100  # of a message, at most: longer lines read badly
CUT_SHORT = "A compiled file of Python is cut short, as after a full disk. Delete the folders __pycache__ in {} and {}."


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="flopsheet")
@click.option("--pack", multiple=True, type=input_path, metavar="DIR", help="Use the content of this folder too.")
def program(pack: tuple[Path, ...]) -> None:
    """The hardware arithmetic of large language models, with any quantity as the unknown.

    Exit codes: 0 answered; 1 no solution, a limit or a bound does not hold, or a relation could not be checked; 2 the
    question or a file is wrong; 130 stopped by Ctrl-C before it was answered. Ctrl-C ends a search with what is proven
    by then, a second one at once.

    Example: flopsheet solve ffn_memory d_ff d_model=16384 n_blocks=126 params=2.2e11
    """
    if pack:
        from flopsheet.registry.packs import use_pack

        for folder in pack:
            use_pack(folder)


def _document(command: click.Command) -> None:
    """Give a command and those below it the help that PYTHONOPTIMIZE=2 has taken: their docstrings, from the source."""
    import ast
    import inspect

    if command.callback is not None and command.help is None:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(command.callback)))).body[0]
        command.help = ast.get_docstring(tree) if isinstance(tree, ast.FunctionDef) else None
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _document(inner)


for command in (sheets, solve, compare, ask, hardware, pack_group, packs_command, templates_command):
    program.add_command(command)
if sys.flags.optimize > 1:
    _document(program)


def main() -> None:
    """Run the command line; errors go to stderr as one paragraph, never as a traceback."""
    gc.set_threshold(*COLLECTED_AFTER)
    _open_streams()
    try:
        with watching() as watch:
            code = _run(watch)
        sys.stdout.flush()
    except click.ClickException as error:
        command = f"{error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else "--help"
        code = _fail(f"{error.format_message()} '{command}' shows how.", WRONG)
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        compiled = isinstance(error.__cause__, EOFError)  # nothing else reads to an end here: no command asks a person
        broken = CUT_SHORT.format(Path(__file__).parents[1], sys.prefix)
        code = _fail(broken, DEFECT) if compiled else _fail("Stopped.", STOPPED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = ANSWERED
    except OSError as error:
        where = error.filename or "The output cannot be written"  # only streams have no name
        code = _fail(f"{where}: {error.strerror or error}.", WRONG)
    except Exception as error:
        if os.environ.get("FLOPSHEET_TRACEBACK"):
            raise
        fix = "This is a defect of flopsheet, please report it. FLOPSHEET_TRACEBACK=1 shows where it happened."
        code = _fail(f"flopsheet failed: {type(error).__name__}: {error}. {fix}", DEFECT)
    sys.exit(code if isinstance(code, int) else ANSWERED)


def _open_streams() -> None:
    """Let any text be written to the streams, also where they were closed before the start."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest


def _run(watch: Watch) -> object:
    """Run the command, and return its exit code; another one where the user stopped it before it was answered."""
    try:
        code = fresh(program.main)(prog_name="flopsheet", standalone_mode=False)
    except FlopsheetError as error:
        is_limited = isinstance(error, ArithmeticTrapError) and error.limited
        code = _fail(str(error), NO_SOLUTION if is_limited else WRONG)
    except SystemExit:  # click and rich end so where a pipe is broken
        raise BrokenPipeError from None
    return STOPPED if watch.stopped and code else code


def _fail(message: str, code: int) -> int:
    from flopsheet.report.terminal.columns import output_width

    width = min(output_width() or ERROR_WIDTH, ERROR_WIDTH)
    with suppress(OSError):  # the exit code tells where nothing can be written
        for line in message.splitlines():
            say(textwrap.fill(" ".join(line.split()), width, break_long_words=False, break_on_hyphens=False), err=True)
    return code
