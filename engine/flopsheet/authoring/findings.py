"""What a check finds: lines about what is right, mistakes, and warnings about what is unusual."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, refuse_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_PLACE = re.compile(r"(?P<file>[^:,]+?\.[\w.]+)(:(?P<line>\d+))?(:(?P<column>\d+))?(, .*)?")
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


@dataclass
class Findings:
    """What a check finds, in the order of files."""

    lines: list[str] = field(default_factory=list)
    errors: list[FlopsheetError] = field(default_factory=list)
    warnings: list[FlopsheetError] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """The end of a line about what was checked: without mistakes, it says so, and how many warnings there are."""
        if self.errors:
            return f"{len(self.errors)} {'mistake' if len(self.errors) == 1 else 'mistakes'}."
        number = len(self.warnings)
        warnings = f", {number} {'warning' if number == 1 else 'warnings'}" if number else ""
        return f"No mistakes{warnings}."

    def attempt(self, call: Callable[..., Any], *arguments: Any) -> Any | None:
        """Return what a call returns; None where it raises mistakes, which are added."""
        try:
            return call(*arguments)
        except FlopsheetError as error:
            self.errors += getattr(error, "problems", ()) or (error,)
            return None

    def add(self, other: Findings) -> None:
        """Add what another check found."""
        self.lines += other.lines
        self.errors += other.errors
        self.warnings += other.warnings

    def close(self, where: str) -> None:
        """Keep each mistake once, and raise them together if there are any.

        Raises:
            RegistryError: there are mistakes; the text has all of them.
        """
        self.settle()
        refuse_all(where, self.errors)

    def settle(self) -> None:
        """Keep each mistake and each warning once."""
        self.errors = list({str(error): error for error in self.errors}.values())
        self.warnings = list({str(warning): warning for warning in self.warnings}.values())

    def annotations(self, path_of: Callable[[str], str]) -> Iterator[str]:
        """Yield each finding as a workflow command of GitHub, which shows it beside the line of its file.

        Args:
            path_of: returns the path of a file by its name in messages.
        """
        for level, findings in (("error", self.errors), ("warning", self.warnings)):
            for finding in findings:
                message = f"{finding.problem} {finding.fix}".strip()
                place = _PLACE.fullmatch(finding.where)
                if place is None:
                    yield f"::{level}::{_escaped(f'{finding.where}: {message}', _DATA)}"
                    continue
                parts = {"file": path_of(place["file"]), "line": place["line"], "col": place["column"]}
                about = ",".join(f"{key}={_escaped(value, _PROPERTY)}" for key, value in parts.items() if value)
                yield f"::{level} {about}::{_escaped(message, _DATA)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(letter, letter) for letter in text)
