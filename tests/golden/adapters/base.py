"""What an adapter is: it says for one kind of golden case which sheet, relations and cells it speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flopsheet import record, records
from flopsheet.errors import FlopsheetError, UnknownNameError
from flopsheet.units import in_unit, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet import Answer
    from flopsheet.units import Unit

# How peers write units that we write otherwise.
FOREIGN = {
    r"\bB\b": "byte",
    r"\btCO2e\b": "tonne",
    r"\bkgCO2e\b": "kg",
    r"\bgCO2e\b": "g",
    r"\biteration\b": "step",
    r"^dimensionless$": "",
}


def unit_like(text: str, default: str) -> str:
    """Return a unit that a case states, where it is one of the same dimension as the default; else the default."""
    written = text.partition("(")[0].strip()
    for foreign, ours in FOREIGN.items():
        written = re.sub(foreign, ours, written)
    try:
        return written if unit(written).dimension == unit(default).dimension else default
    except FlopsheetError:
        return default


def record_like(kind: str, label: str) -> str:
    """Return the record that a peer writes with other signs, as `llama2_70b` or `meta-llama/Llama-2-70b-hf`."""
    try:
        return record(kind, label, "label").key
    except UnknownNameError:
        pass
    wanted = _signs(label.rpartition("/")[2])
    named = [(name, text) for name, known in records(kind).items() for text in (name, *known.aliases)]
    # Peers write llama3_405b for Llama 3.1 405B: where no name fits, one that differs by its minor version.
    known = [*named, *((name, re.sub(r"(\d)\.\d+(?=-)", r"\1", text)) for name, text in named)]
    spelled = (wanted, wanted.removeprefix("meta"), wanted.removesuffix("base"))
    return next((name for each in spelled for name, text in known if _signs(text) == each), label)


def model_like(label: str) -> str:
    """Return the model of the registry that a peer writes with other signs."""
    return record_like("architecture", label)


def _signs(name: str) -> str:
    """Return a name without signs, and without what a peer adds to it; 1.3 is not 13."""
    return re.sub(r"(?<=b)-(?:it|chat|beta)$|(?!(?<=\d)\.\d)[^a-z0-9]|hf$|instruct$|fp8$", "", name.lower())


def command_options(command: object, short: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the options of a command line by their long names: `--num-layers=44 --moe` as `num_layers` and `moe`.

    Short ones have the long names that are given for them: `-l 44`.
    """
    text = str(command or "")
    for name, long in (short or {}).items():
        text = re.sub(rf"(?<=\s)-{name}(?=[= ]|$)", f"--{long}", text)
    found = re.findall(r"--([a-z][\w-]*)(?:[= ]([\w.+]\S*))?", text)
    return {name.replace("-", "_"): _read(value) if value else True for name, value in found}


def _read(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class Inputs(dict[str, Any]):
    """The values of a case's inputs by name, and their units."""

    def __init__(self, values: Mapping[str, Any], units: Mapping[str, str] | None = None) -> None:
        super().__init__(values)
        self.units = dict(units or {})

    def quantity(self, name: str, unit_text: str) -> str:
        """Return an input as number and unit, in that which the case states or, where it states none, in this."""
        return f"{self[name]} {unit_like(self.units.get(name, ''), unit_text)}".strip()


@dataclass(frozen=True)
class Probe:
    """Where one golden output is found.

    Args:
        cell: the cell that is asked for; empty to ask for everything.
        unit: unit of the golden value; where cases of a peer state another of the same dimension, that counts.
        goal: relation that decides the cell; without one it is computed.
        extra: further relations.
        read: finds the value in the answer; without one it is the value of the cell in the unit.
        sheet: another sheet than the adapter's.
        digits: decimals to which the golden value was rounded, or None.
        instead: relations that replace those of the inputs, for another sheet; None to take those.
        band: relative difference that is allowed to a composite model (`peer_model`); None for the one that the case
            states. Cases of other classes have to be met exactly.
    """

    cell: str
    unit: str = ""
    goal: str = ""
    extra: tuple[str, ...] = ()
    read: Callable[[Answer], object] | None = None
    sheet: str = ""
    digits: int | None = None
    instead: tuple[str, ...] | None = None
    band: float | None = None

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations that it adds to those of the inputs."""
        return (*self.extra, *([self.goal] if self.goal else []))

    def value(self, answer: Answer, stated: str = "") -> object:
        """Return the value in an answer, in a unit that the case states where it is one of this dimension."""
        if self.read is not None:
            return self.read(answer)
        outcome = answer.outcomes[self.cell]
        if outcome.si is None:
            return None
        wanted: Unit = unit(unit_like(stated, self.unit) if stated else self.unit)
        return in_unit(outcome.si, wanted)


def cell_value(name: str, unit_text: str = "", factor: str = "") -> Callable[[Answer], float]:
    """Return a `read` that finds another cell than the unknown, times a further cell where one is named."""

    def value(answer: Answer) -> float:
        found = answer.cells[name].si
        return float(in_unit(found * answer.cells[factor].si if factor else found, unit(unit_text)))

    return value


@dataclass(frozen=True)
class Adapter:
    """One kind of golden case.

    Args:
        sheet: the sheet.
        relations: the relations that a case's inputs make.
        probes: where each output is found, from the inputs.
        deviating: outputs that the sheet gives otherwise on purpose, with the reason; or a function of the inputs. One
            that has a probe must really differ.
        printed: how the document printed a figure, by its name in the case: a text made of the case's inputs and of the
            outputs found here. A name that is not in it is not compared.
        rejected: for a case that the original refused, what refuses it here: a part of the error's text, or the name
            of the limit that does not hold. Called with the inputs and the original's words.
        patterns: probes of outputs that have a number in their names, by a pattern with that number as its group.
    """

    sheet: str
    relations: Callable[[Inputs], list[str]]
    probes: Callable[[Inputs], dict[str, Probe]]
    deviating: Mapping[str, str] | Callable[[Inputs], Mapping[str, str]] = field(default_factory=dict)
    printed: Mapping[str, Callable[[Mapping[str, Any]], str]] = field(default_factory=dict)
    rejected: Callable[[Inputs, str], str] | None = None
    patterns: Mapping[str, Callable[[Inputs, float], Probe]] = field(default_factory=dict)

    def probe(self, name: str, inputs: Inputs) -> Probe | None:
        """Return where an output is found, None where the adapter does not know it."""
        known = self.probes(inputs)
        if name in known:
            return known[name]
        matches = ((re.fullmatch(pattern, name), probe) for pattern, probe in self.patterns.items())
        return next((probe(inputs, float(match[1])) for match, probe in matches if match), None)

    def reasons(self, inputs: Inputs) -> Mapping[str, str]:
        """Return the outputs that deviate for these inputs, with the reasons."""
        return self.deviating(inputs) if callable(self.deviating) else self.deviating
