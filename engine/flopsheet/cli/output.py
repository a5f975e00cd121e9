"""Writing of output, and of warnings beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_SHOWN = 5


def write(text: str | bytes, output: Path | None, *, make_folder: bool = False) -> None:
    """Print a text, or write it to a file.

    Args:
        text: the text, or the bytes of a file.
        output: the file, or None for standard output.
        make_folder: whether to make the folder of the file if there is none.

    Raises:
        FlopsheetError: the file cannot be written.
    """
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        if make_folder:
            output.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            output.write_bytes(text)
        else:
            output.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        problem = f"The file cannot be written: {getattr(error, 'strerror', None) or error}."
        raise FlopsheetError(str(output), problem, "Choose another place.") from None


def report_left_out(problems: Sequence[FlopsheetError]) -> None:
    """Name what was left out because of mistakes, on the error stream."""
    for problem in problems[:MOST_SHOWN]:
        first, *others = str(problem).splitlines()
        more = f" ({len(others)} lines more: flopsheet hardware check)" if others else ""
        click.echo(f"Left out: {others[0] if others else first}{more}", err=True)
    if len(problems) > MOST_SHOWN:
        click.echo(f"Left out: {len(problems) - MOST_SHOWN:,} more; flopsheet hardware check lists all.", err=True)
