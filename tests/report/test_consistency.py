"""The numbers of every write-up: each result follows from the numbers printed before it, and is the same everywhere."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from tests.cases import sampled
from tests.report.latex_reader import read
from tests.report.latex_words import printed
from tests.report.pages import DEFAULT, EVERY, PAGES, QUESTIONS, chain, page, rows, sections, sheet_of, steps
from tests.report.spans import Span

from flopsheet.layout.latex import latex
from flopsheet.report.formulas import symbol_of
from flopsheet.units import unit
from flopsheet.units.system import agree

LOOSEST = Fraction(1, 50)
LEAST_LINES = 600
_SIGN = re.compile(r"&(=|\\le|\\ge|<|>) ")
_PLAIN = re.compile(r"(-?)(\d[\d,]*(?:\.\d+)?)(?:e(-?\d+)|([MBT]))?(?: (\S.*))?")

every_page = pytest.mark.parametrize("name", sampled(PAGES))


def plain(text: str) -> Span:
    """Return what a number with its unit in a sentence or a table may stand for."""
    stated, equals, text = text.rpartition(" = ")
    if equals:  # a quantity as it was written, and in the unit of the other side
        assert plain(stated).meets(plain(text)), f"{stated} is not {text}"
    match = _PLAIN.fullmatch(text.replace("\\", ""))
    assert match, f"no number with a unit: {text!r}"
    power = rf" \times 10^{{{match[3]}}}" if match[3] else rf"\mathrm{{{match[4]}}}" if match[4] else ""
    number = printed(match[2].replace(",", "{,}") + power)
    factor = unit(match[5] or "")
    span = number * Span(factor.factor, factor.factor, factor.dimension)
    return -span if match[1] else span


def sides(lines: list[str]) -> list[str]:
    """Return what stands behind the relation signs: symbols, numbers, result, as far as they are there."""
    return [_SIGN.split(line)[2] for line in lines]


def follows(numbers: str, result: str) -> None:
    """Check that a result follows from the line of numbers, which determine it."""
    computed, shown = read(numbers), read(result)
    assert agree(shown.dimension, computed.dimension), f"{computed.dimension} is no {shown.dimension}: {numbers}"
    assert computed.meets(shown), f"{float(computed.low)} to {float(computed.high)}, not {result}: {numbers}"
    largest = max(abs(shown.low), abs(shown.high))
    assert computed.high - computed.low <= LOOSEST * largest, f"too few digits for {result}: {numbers}"


@every_page
def test_each_result_follows_from_the_numbers_printed_before_it(name: str) -> None:
    for cell, lines in steps(page(name)):
        parts = sides(chain(lines))
        assert len(parts) <= 3, f"{cell}: {lines}"
        read(parts[-1])
        if len(parts) == 3:
            follows(parts[1], parts[2])


@pytest.mark.slow
def test_that_is_most_of_what_is_printed() -> None:
    counted = [len(chain(lines)) for name in PAGES for _, lines in steps(page(name))]
    assert counted.count(3) >= LEAST_LINES
    assert set(counted) <= {1, 2, 3}


def told_of(text: str) -> list[tuple[str, str, Span]]:
    """Return (cell, place, value) of every number that a page gives for a cell."""
    parts = sections(text)
    printed = [(row[0].split("`")[-2], "inputs", plain(row[1])) for row in rows(parts.get("Inputs", ""))]
    printed += [
        (cell, "steps", read(sides(lines)[-1]))
        for cell, lines in steps(text)
        if _SIGN.search(lines[-1])[1] == "="  # type: ignore[index]
    ]
    known = re.findall(r"^- \$`.+?`\$ `([^`]+)` = (.*?): ", parts.get("Other cells", ""), re.MULTILINE)
    printed += [(cell, "also known", plain(value)) for cell, value in known]
    answers = re.findall(r"^\*\*(\S+) (?:= |.*, so )([^*]+)\*\*$", parts.get("Answer", ""), re.MULTILINE)
    alone = ((cell, value.partition(" at ")[0]) for cell, value in answers if not re.search(" or |, between", value))
    printed += [(cell, "answer", plain(value)) for cell, value in alone]
    for heading, first in (("Check", 0), ("Limits", 1)):
        for row in rows(parts.get(heading, "")):
            left, right = re.split(r" (?:<=|>=|=|<|>) (?![^\[]*\])", row[first].strip("`"))
            values = [row[1], row[3]] if heading == "Check" else row[2:4]
            printed += [(side, heading, plain(value)) for side, value in zip((left, right), values, strict=True)]
    return printed


@every_page
def test_a_cell_has_the_same_value_wherever_it_is_named(name: str) -> None:
    first: dict[str, tuple[str, Span]] = {}
    for cell, place, value in told_of(page(name)):
        first_place, known = first.setdefault(cell, (place, value))
        assert known.meets(value), f"{cell}: {first_place} and {place} differ"
        assert known.dimension == value.dimension or not value.dimension, cell


@every_page
def test_a_cell_that_is_another_has_its_value(name: str) -> None:
    text = page(name)
    cells = {latex(symbol_of(cell)): cell.name for cell in sheet_of(name).cells.values()}
    known = {cell: value for cell, _, value in told_of(text)}
    for cell, lines in steps(text):
        parts = sides(lines)
        if len(parts) == 2 and cells.get(parts[0]) in known:
            assert known[cells[parts[0]]].meets(read(parts[1])), f"{cell}: {lines}"


@every_page
def test_a_verdict_is_that_of_the_numbers_beside_it(name: str) -> None:
    parts = sections(page(name))
    checks = [(row[1], row[2].replace("\\", ""), row[3], row[4]) for row in rows(parts.get("Check", ""))]
    for _, relation, left, right, _, holds in rows(parts.get("Limits", "")):
        sign = re.search(r" (<=|>=|=|<|>) (?![^\[]*\])", relation)
        assert sign, relation
        checks.append((left, sign[1], right, holds))
    for left, sign_text, right, holds in checks:
        small, large = (plain(right), plain(left)) if sign_text.startswith(">") else (plain(left), plain(right))
        assert holds in ("yes", "**no**")
        may = small.meets(large) if sign_text == "=" else small.low <= large.high
        assert may or holds != "yes", f"{left} {sign_text} {right}"


@every_page
def test_the_rows_of_a_table_start_with_what_the_derivation_shows(name: str) -> None:
    parts = sections(page(name))
    if "Table" in parts:
        line = next(line for line in parts["Table"].splitlines() if line.startswith("|"))
        known = {cell: value for cell, place, value in told_of(page(name)) if place == "steps"}
        for head, value in zip(line.strip("| ").split(" | "), rows(parts["Table"])[0], strict=True):
            cell, _, shown = head.replace("\\", "").partition(" [")
            if cell in known and shown:
                assert plain(f"{value} {shown.strip(']')}").meets(known[cell]), cell


@pytest.mark.parametrize(
    ("numbers", "result"),
    [
        (r"2 \cdot 16{,}384 \cdot \left(3\,\mathrm{byte}\right)^{2}", r"294{,}912\,\mathrm{byte^{2}}"),
        (r"\frac{1 \times 10^{24}\,\mathrm{FLOP}}{2.5\,\mathrm{PFLOP/s}}", r"4629.6\,\mathrm{day}"),
        (r"\left\lceil{45.76}\right\rceil - \left(7 \bmod 4\right) + \left[2 > 1\right]", "44"),
        (r"\max\left(\sin\left(30\,\mathrm{degree}\right), \sqrt{\frac{1}{16}}\right)", "0.5"),
        (r"4^{\frac{1}{2}} + \frac{\log{\left(8 \right)}}{\log{\left(2 \right)}}", "5"),
        (r"- 3 \cdot e^{0} - 2^{-1}", "-3.5"),
    ],
)
def test_the_reader_itself(numbers: str, result: str) -> None:
    follows(numbers, result)


@pytest.mark.parametrize(
    ("numbers", "result", "reason"),
    [
        (r"2 \cdot 1.001\,\mathrm{second}", r"2.010\,\mathrm{second}", "not 2.010"),
        (r"2 \cdot 130", "260.1", "not 260.1"),
        (r"1.001 - 1.000", "0.001", "too few digits"),
        (r"1\,\mathrm{GB} \cdot 2", r"2\,\mathrm{GFLOP}", "is no computation"),
        (r"1\,\mathrm{GB} + 2\,\mathrm{second}", r"2\,\mathrm{GB}", "plus"),
        (r"\clubsuit", "1", "not known"),
        (r"1 2", "1", "unread"),
        (r"1; 2", "1", "not LaTeX"),
    ],
)
def test_the_reader_finds_mistakes(numbers: str, result: str, reason: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(reason)):
        follows(numbers, result)


def spellings(text: str) -> list[tuple[str, str, str]]:
    """Return (cell, place, number with its unit) of every value that the tables of a page give for a cell."""
    parts, printed = sections(text), []
    for heading in ("Inputs", "Computed values in the steps"):
        printed += [(row[0].split("`")[-2], heading, row[1]) for row in rows(parts.get(heading, ""))]
    for heading, first in (("Check", 0), ("Limits", 1)):
        for row in rows(parts.get(heading, "")):
            sides = re.split(r" (?:<=|>=|=|<|>) (?![^\[]*\])", row[first].strip("`"))
            values = [row[1], row[3]] if heading == "Check" else row[2:4]
            printed += [(side, heading, value) for side, value in zip(sides, values, strict=True)]
    return printed


@pytest.mark.parametrize("name", sampled([name for name in EVERY if name.endswith(DEFAULT)]))
def test_a_cell_is_spelled_alike_in_all_tables_of_a_page(name: str) -> None:
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for cell, place, value in spellings(page(name)):
        number, _, own = value.partition(" ")
        known_place, known = first.setdefault((cell, own), (place, number))
        assert number == known, f"{cell}: {known_place} and {place} differ"


def test_the_sides_of_a_relation_differ_where_their_values_do() -> None:
    (file,) = [file for file in QUESTIONS if file.stem == "context-qwen3-32b-rtx-5090"]
    text = file.read_text(encoding="utf-8")
    (check,) = [row for row in rows(sections(text)["Check"]) if "inference_memory" in row[0]]
    assert check[1].partition(" ")[0].rstrip("0") != check[3].partition(" ")[0].rstrip("0")
    first_screen = text.partition("\n## ")[0]
    assert f"gives inference_memory {check[1]}." in first_screen
    assert f"{check[1]};" in first_screen  # at the chosen point of the curve
