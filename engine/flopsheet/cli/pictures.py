"""The option `--picture`: what it says, and the files that it writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.cli.output import write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.answer.answer import Answer

_WRITTEN = re.compile(r"(?P<kind>\w+):(?:(?P<cell>[A-Za-z_][\w.]+):)?(?P<file>.+)", re.DOTALL)


def draw(answer: Answer, pictures: Iterable[str]) -> None:
    """Write pictures of an answer to files.

    Args:
        answer: the answer.
        pictures: each as `KIND:FILE` or `KIND:CELL:FILE`; the end of the file's name says its form.

    Raises:
        FlopsheetError: a picture cannot be made, or a file not be written.
    """
    for text in pictures:
        from flopsheet.report.pictures.pictures import KINDS, picture

        found = _WRITTEN.fullmatch(text)
        if found is None or found["kind"] not in KINDS:
            known = ", ".join(f"{kind}:FILE.{shapes[0]}" for kind, shapes in KINDS.items())
            raise click.UsageError(f"--picture takes {known}, not '{text}'.", click.get_current_context())
        file = Path(found["file"])
        write(picture(answer, found["kind"], file.suffix.removeprefix(".").lower(), found["cell"] or ""), file)
