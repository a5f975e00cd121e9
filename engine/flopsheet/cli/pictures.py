"""The option `--picture`: its syntax, and the files that it writes."""

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
        pictures: each as `KIND:FILE` or `KIND:CELL:FILE`; the suffix of the file decides its form.

    Raises:
        FlopsheetError: a picture cannot be made, or a file not be written.
    """
    for text in pictures:
        from flopsheet.report.pictures.pictures import KINDS, picture

        match = _WRITTEN.fullmatch(text)
        if match is None or match["kind"] not in KINDS:
            known = ", ".join(f"{kind}:FILE.{shapes[0]}" for kind, shapes in KINDS.items())
            raise click.UsageError(f"--picture takes {known}, not '{text}'.", click.get_current_context())
        file = Path(match["file"])
        write(picture(answer, match["kind"], file.suffix.removeprefix(".").lower(), match["cell"] or ""), file)
