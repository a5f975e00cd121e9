"""How every write-up prints: numbers as people write them, units upright, terms in order, sources cited."""

from __future__ import annotations

import re

import pytest
from tests.cases import sampled
from tests.report.latex_lines import terms
from tests.report.pages import PAGES, page, rows, sections, sheet_of, steps
from tests.report.test_consistency import sides

from flopsheet.layout.latex import latex
from flopsheet.report.formulas import symbol_of

MATHS = re.compile(r"```math\n.*?```|(?<!\\)\$`[^`\n]+`\$", re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
UPRIGHT = re.compile(r"\\(?:mathrm|text|operatorname)\{(?:[^{}]|\{[^{}]*\})*\}")
COMMAND = re.compile(r"\\[A-Za-z]+")

every_page = pytest.mark.parametrize("name", sampled(PAGES))


def values(text: str) -> list[tuple[str, str]]:
    """Return (cell, value) of the inputs and of what else is known."""
    parts = sections(text)
    known = re.findall(r"^- \$`.+?`\$ `([^`]+)` = (.*?): ", parts.get("Other cells", ""), re.MULTILINE)
    return [(row[0].split("`")[-2], row[1]) for row in rows(parts.get("Inputs", ""))] + known


@every_page
def test_numbers_are_written_as_people_write_them(name: str) -> None:
    text = page(name)
    assert not re.search(r"\de[+-]\d", text)
    maths = " ".join(MATHS.findall(text))
    shown = " ".join(value for _, value in values(text))
    assert not re.search(r"\de\d", maths)
    assert not re.search(r"(?<![.\d])\d{5}", UPRIGHT.sub("", maths) + shown)
    assert not re.search(r"\.0*[1-9]\d{12}|\.0{5}", maths + shown)


@every_page
def test_a_cell_with_a_unit_is_never_shown_without(name: str) -> None:
    cells, text = sheet_of(name).cells, page(name)
    for cell, value in values(text):
        assert (" " in value) == bool(cells[cell].unit.text), f"{cell} = {value}"
    for cell, lines in steps(text):
        assert (r"\mathrm" in sides(lines)[-1]) == bool(cells[cell].unit.text), f"{cell}: {lines[-1]}"


@every_page
def test_units_are_upright(name: str) -> None:
    for cell, lines in steps(page(name)):
        for side in sides(lines)[1:]:
            left = re.sub(r"e(?=\^)", "", COMMAND.sub("", UPRIGHT.sub("", side)))
            assert not re.search(r"[A-Za-z]", left), f"{cell}: {side}"


def places(latex: str, symbols: dict[str, int]) -> list[int]:
    """Return the place of declaration of each symbol of a formula, in the order of the formula."""
    longest = sorted((re.escape(symbol) for symbol in symbols if symbol in latex), key=len, reverse=True)
    if not longest:
        return []
    scanned = re.compile(rf"({'|'.join(longest)})(?![A-Za-z])|{UPRIGHT.pattern}|{COMMAND.pattern}|.", re.DOTALL)
    return [symbols[match[1]] for match in scanned.finditer(latex) if match[1]]


def factors(term: str) -> list[str]:
    """Return what is multiplied in a term."""
    depth, parts = 0, [""]
    for letter in re.findall(r"\\left(?:\\[a-z]+|.)|\\right(?:\\[a-z]+|.)|\\?.", term):
        depth += letter.startswith(r"\left") - letter.startswith(r"\right") + (letter == "{") - (letter == "}")
        if letter == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


@every_page
def test_terms_and_factors_stand_in_the_order_of_declaration(name: str) -> None:
    symbols = {latex(symbol_of(cell)): place for place, cell in enumerate(sheet_of(name).cells.values())}
    for cell, lines in steps(page(name)):
        side = sides(lines)[0]
        ranks = [(term.startswith("-"), min(places(term, symbols), default=len(symbols))) for term in terms(side)]
        assert ranks == sorted(ranks), f"{cell}: {side}"
        for term in terms(side):
            order = [min(indices) for factor in factors(term) if (indices := places(factor, symbols))]
            assert order == sorted(order), f"{cell}: {term}"


@every_page
def test_no_dollar_sign_is_left_over_and_no_space_doubled(name: str) -> None:
    text = page(name)
    assert "$" not in CODE.sub("", MATHS.sub("", text.replace(r"\$", "")))
    assert not [line for line in text.splitlines() if "  " in line.lstrip() or line != line.rstrip()]


@every_page
def test_every_citation_has_its_source_and_every_source_its_citation(name: str) -> None:
    text, _, references = page(name).partition("\n## References\n")
    plain = CODE.sub("", MATHS.sub("", text))
    cited = {number for numbers in re.findall(r"(?<!\\)\[([\d, –]+)\]", plain) for number in _numbers(numbers)}
    assert cited == {*map(int, re.findall(r"^(\d+)\. ", references, re.MULTILINE))}


def _numbers(text: str) -> set[int]:
    """Return the numbers that a text lists, runs of them by their ends: `1, 4–6`."""
    ends = [[*map(int, run.split("–"))] for run in text.split(", ")]
    return {number for first, *last in ends for number in range(first, (last or [first])[0] + 1)}


@every_page
def test_no_section_is_empty(name: str) -> None:
    assert [heading for heading, text in sections(page(name)).items() if not text.strip()] == []
    sensitivities = rows(sections(page(name)).get("Sensitivities", "||\n||\n||"))
    assert 1 <= len(sensitivities) <= 6
