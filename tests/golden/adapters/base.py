"""What an adapter is: it says for one kind of golden case which sheet, relations and cells it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.units import in_unit, unit

if TYPE_CHECKING:
    from flopsheet import Answer

Inputs: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Probe:
    """Where one golden output is found.

    Args:
        cell: the cell that is asked for; empty to ask for everything.
        unit: unit of the golden value.
        goal: relation that decides the cell; without one it is computed.
        extra: further relations.
        read: finds the value in the answer; without one it is the value of the cell in the unit.
        sheet: another sheet than the adapter's.
        digits: decimals to which the golden value was rounded, or None.
    """

    cell: str
    unit: str = ""
    goal: str = ""
    extra: tuple[str, ...] = ()
    read: Callable[[Answer], object] | None = None
    sheet: str = ""
    digits: int | None = None

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations that it adds to those of the inputs."""
        return (*self.extra, *([self.goal] if self.goal else []))

    def value(self, answer: Answer) -> object:
        """Return the value in an answer."""
        if self.read is not None:
            return self.read(answer)
        outcome = answer.outcomes[self.cell]
        return None if outcome.si is None else in_unit(outcome.si, unit(self.unit))


@dataclass(frozen=True)
class Adapter:
    """One kind of golden case.

    Args:
        sheet: the sheet.
        relations: the relations that a case's inputs make.
        probes: where each output is found, from the inputs.
        deviating: outputs that the sheet gives otherwise on purpose, with the reason.
        printed: how the document printed a figure, by its name in the case: a text made of the case's inputs and of the
            outputs found here. A name that is not in it is not compared.
        rejected: for a case that the original refused, what refuses it here: a part of the error's text, or the name
            of the limit that does not hold. Called with the inputs and the original's words.
    """

    sheet: str
    relations: Callable[[Inputs], list[str]]
    probes: Callable[[Inputs], dict[str, Probe]]
    deviating: Mapping[str, str] = field(default_factory=dict)
    printed: Mapping[str, Callable[[Mapping[str, Any]], str]] = field(default_factory=dict)
    rejected: Callable[[Inputs, str], str] | None = None
