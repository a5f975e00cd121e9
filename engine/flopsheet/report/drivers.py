"""Which inputs move an answer most, among those that one can turn."""

from __future__ import annotations

from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.answer.sensitivity import FINE
from flopsheet.formulas.evaluate import float_or_none
from flopsheet.formulas.relation import cells_of, is_literal
from flopsheet.formulas.slopes import relative, slopes
from flopsheet.formulas.trees import has_function, without_roundings
from flopsheet.functions import Trait, nodes, taken
from flopsheet.inverse.method import Method
from flopsheet.session import cached
from flopsheet.units import format_number, size

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.functions import Expr
    from flopsheet.question.question import Question

MOST_DRIVERS = 6
MOST_CACHED = 16_384
SMALLEST_ELASTICITY = 0.0005  # printed with three digits, a smaller one reads as zero
MOST_OFF = 0.1  # share of an elasticity by which that across roundings may differ from it
_DIGITS = 3
_CONSTANT, LARGEST_CONSTANT = ("byte", "bit", "FLOP"), 16


class _Stepped(NamedTuple):
    """The inputs and other cells that roundings hold, in the formulas on the way to a cell."""

    counts: frozenset[str]  # inside of one
    split: frozenset[str]  # inside of one and outside of it, in the same formula
    mixed: frozenset[str]  # inside and outside, also through other cells


def strongest(answer: Answer, name: str) -> list[tuple[str, str]]:
    """Return the inputs with the largest elasticities of a cell, each with its elasticity as text, sorted by size."""
    large = drivers(answer, name, MOST_DRIVERS)
    return [(by, f"{'-' if value < 0 else '+'}{format_number(abs(value), _DIGITS)}") for by, value in large]


def drivers(answer: Answer, name: str, most: int | None = None) -> list[tuple[str, float]]:
    """Return the inputs that can be turned, each with the elasticity of a cell, sorted by size; none that is zero.

    Only the first `most` of them, if that is given. What is unknown is no input.
    """
    slopes_of = before_rounding(answer, name) or answer.elasticities(name)
    left_out = answer.outcomes.keys() | _stated_ends(answer)
    elasticities = {by: value for by, value in slopes_of.items() if by not in left_out}
    return list(islice(_large(_varied(elasticities, answer, name)), most))


def _stated_ends(answer: Answer) -> frozenset[str]:
    """Return the numbers that the question states as bounds of the unknowns themselves, as 16 in `n_fsdp <= 16`."""
    relations = (outcome.deciding for outcome in answer.outcomes.values() if outcome.deciding is not None)
    ends = ({str(own.left), str(own.right)} for own in relations)
    return frozenset(name for own in ends if own & answer.outcomes.keys() for name in own if is_literal(name))


def before_rounding(answer: Answer, name: str) -> dict[str, float]:
    """Return the elasticities of a cell where roundings are left out; empty where none hides how it moves.

    A count that is rounded up stays where an input changes by one percent, and still rests on that input. Left out is
    the rounding of its formula, or of a count in it; for an unknown that does not move otherwise, all on the way to it.
    """
    forms = {step.cell.name: step.form for step in answer.steps if step.how is Method.DIRECT and step.form is not None}
    inside = cells_of(forms[name]) if name in forms else ()
    counts = [own for own in (name, *inside) if own in forms and _counts(answer, own)] if _counts(answer, name) else []
    rounded = {own for own in counts if has_function(forms[own], nodes(Trait.STEPPED))}
    if rounded:
        return _summed(answer, name, forms, rounded)
    is_still = name in answer.outcomes and not answer.elasticities(name)
    return answer.elasticities(name, rounded=False) if is_still else {}


def _counts(answer: Answer, name: str) -> bool:
    return name in answer.cells and answer.cells[name].cell.integer


def _summed(answer: Answer, name: str, forms: Mapping[str, Expr], rounded: Container[str]) -> dict[str, float]:
    """Return the elasticities of a cell by the chain rule through its formula without roundings."""
    form, values, total = forms[name], answer.values, dict[str, float]()
    smooth = without_roundings(form)
    own = float_or_none(smooth, values)
    if not own:
        return {}
    for cell, rate in slopes(smooth, values).items():
        value = values[cell]
        share = 0.0 if isinstance(value, str) else relative(float(rate), value, own)
        inner = _summed(answer, cell, forms, ()) if cell in rounded and cell != name else answer.elasticities(cell)
        for by, elasticity in inner.items():
            total[by] = total.get(by, 0.0) + share * elasticity
    return dict(sorted(total.items(), key=lambda entry: -abs(entry[1])))


def _large(elasticities: Iterable[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """Yield the first of elasticities that are sorted by size, up to those that read as zero."""
    return takewhile(lambda row: abs(row[1]) >= SMALLEST_ELASTICITY, elasticities)


def _varied(elasticities: Mapping[str, float], answer: Answer, name: str) -> Iterator[tuple[str, float]]:
    """Return elasticities without those by constants, as bytes per number or FLOP per parameter, unless all are.

    Nor by counts that a formula rounds to few steps, as the stages in `ceil(n_blocks/n_pp)`: the next one is not on
    the same slope.
    Nor by the shape of a model that the question names. These are shown where nothing else moves the cell. What is
    inside and outside of a rounding never is, as in `ceil(seq_len/block)*block`: its slope is of the outside alone.
    """
    cells, (counts, split, mixed) = answer.cells, _stepped(answer, name)
    split |= _off_slope(answer, name, elasticities.keys() & mixed)
    many = {by for by in elasticities.keys() & counts if by in cells and size(cells[by].si) >= FINE}
    counts = counts - many | _off_slope(answer, name, many)
    elasticities = {by: value for by, value in elasticities.items() if by not in split}

    def turned() -> Iterator[tuple[str, float]]:
        return (row for row in elasticities.items() if not _is_constant(cells.get(row[0])))

    free = (row for row in turned() if row[0] not in counts and not _is_of_model(cells.get(row[0])))
    for rows in (free, turned()):
        if (first := next(rows, None)) is not None:
            return chain([first], rows)
    return iter(elasticities.items())


def _off_slope(answer: Answer, name: str, mixed: Collection[str]) -> frozenset[str]:
    """Return those inputs by whose slope outside of roundings a cell does not move over several of their steps."""
    if not mixed:
        return frozenset()
    within, across = answer.elasticities(name), answer.elasticities(name, rounded=False)
    slopes_of = ((by, within.get(by, 0.0), across.get(by, 0.0)) for by in mixed)
    return frozenset([by for by, step, mean in slopes_of if abs(step - mean) > MOST_OFF * abs(step)])


def _is_of_model(value: CellValue | None) -> bool:
    return value is not None and value.record is not None and value.record.kind == "architecture"


def _stepped(answer: Answer, name: str) -> _Stepped:
    """Return the cells that roundings on the way to a cell hold."""
    question, options = answer.question, tuple(answer.question.options.items())
    outcome = answer.outcomes.get(name)
    deciding = frozenset[str]() if outcome is None or outcome.deciding is None else outcome.deciding.cells
    ends = frozenset([*question.pins, *answer.outcomes])
    key = "rounded on the way", name, deciding, options
    return answer.system.structure.derived(key, lambda: _rounded(name, deciding, ends, question, options))


def _rounded(
    name: str, deciding: frozenset[str], ends: frozenset[str], question: Question, options: tuple[tuple[str, str], ...]
) -> _Stepped:
    cells, rounded, split, mixed = question.sheet.cells, set[str](), set[str](), set[str]()

    def parts(cell: str) -> list[tuple[frozenset[str], frozenset[str]]]:
        return [_cells_in(formula, options) for formula in cells[cell].formulas] if cell in cells else []

    def behind(names: Iterable[str], stops: Container[str]) -> set[str]:
        waiting, seen = [*names], set[str]()
        while waiting:
            if (cell := waiting.pop()) not in seen:
                seen.add(cell)
                waiting += () if cell in stops else [other for both in parts(cell) for other in both[0] | both[1]]
        return seen

    own = behind([name], ends - {name})
    for cell in own | behind(deciding, ends):
        for outside, stepped in parts(cell) if cell == name or cell not in ends else ():
            rounded |= stepped if cell in own else set()
            split |= outside & stepped if cell in own else set()
            mixed |= behind(outside, ends) & behind(stepped, ends) if stepped else set()
    counts = frozenset(cell for cell in rounded if cell in cells and cells[cell].integer)
    return _Stepped(counts, frozenset(split), frozenset(mixed))


@cached(maxsize=MOST_CACHED)
def _cells_in(formula: Expr, options: tuple[tuple[str, str], ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the cells in a formula that stand outside of its roundings, and those inside of one."""
    formula = taken(formula, dict(options))
    stepped = formula.atoms(*nodes(Trait.STEPPED))
    smooth = formula.xreplace(dict.fromkeys(stepped, sympy.Integer(1)))
    return cells_of(smooth), frozenset().union(*map(cells_of, stepped))


def _is_constant(value: CellValue | None) -> bool:
    """Whether a value is a default of one or a constant, or a small whole one of bytes, bits, FLOP or a count."""
    if value is None or value.origin != "default":
        return False
    if value.cell.fixed:
        return True
    if value.exact == 1 or not value.cell.source:
        return value.exact == 1
    unit, counts = value.cell.unit.text.partition("/")[0], value.cell.integer and value.si != 1
    return (unit in _CONSTANT or (not unit and counts)) and value.exact in range(LARGEST_CONSTANT + 1)
