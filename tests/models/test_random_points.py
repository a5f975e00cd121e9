"""The round trip at random points: every input from every output, given exactly and pasted from JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from tests.cases import KEY, check_each
from tests.models.points import SHEETS, drawn, example
from tests.models.round_trip import check_input, check_values
from tests.models.sampling import both_ways, in_turn, parts_of, share

from flopsheet.errors import NotInvertibleError

if TYPE_CHECKING:
    from tests.cases import Record
    from tests.models.points import Point

# Of the questions of a part of a sheet so many may stay open, or one: products with a rounded quotient have thousands
# of values and more, of which a thousand are listed, and remainders of an endless domain have endlessly many.
MOST_OPEN = Fraction(1, 3)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Take as many draws as `--draws` says."""
    if "draw" in metafunc.fixturenames:
        metafunc.parametrize("draw", range(metafunc.config.getoption("--draws")))


def breaks_a_count(point: Point, free: str) -> bool:
    """Whether an input, or a count that follows from it, is no whole number at a point, though no limit is kept for it.

    Then the input there is no answer: a count is whole, as is what follows from an answer.
    """
    value = point.value(free)
    if point.sheet.cells[free].integer and value != int(value):
        return True
    if all(check.holds for check in point.answer.limits) or not point.sheet.cells[free].integer:
        return False
    fractional = {text.split()[0] for text in point.answer.warnings if "which is no whole number" in text}
    return not fractional.isdisjoint(point.users[free])


@pytest.mark.slow
@pytest.mark.parametrize("name", SHEETS)
def test_a_point_is_drawn_away_from_the_example(name: str, draw: int) -> None:
    """Where every draw was rejected, the example stood in for it: of the largest sheets, no other point was asked."""
    assert drawn(name, draw) is not example(name)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "part"), parts_of(SHEETS))
def test_each_input_is_solved_back_at_a_random_point(
    name: str, part: int, draw: int, record_property: Record, most_asked: int
) -> None:
    """All pairs, with one form of the goal each, then with the other: at most eight times `--pairs` of a sheet."""
    point, undecided = drawn(name, draw), list[tuple[str, str]]()

    def check(question: tuple[str, str, str]) -> None:
        free, output, form = question
        goal = point.exactly(output) if form == "exact" else point.pasted(output)
        try:
            answer = point.asked_back([free], [goal])
        except NotInvertibleError as error:  # an output that is zero throughout leaves a cell on the way undetermined
            if not error.problem.startswith("Too many values are possible on the way"):
                raise
            undecided.append((free, output))
            return
        if not breaks_a_count(point, free):
            check_input(answer, point, free, output)
        check_values(answer, point, free, output)
        if answer.outcomes[free].open:
            undecided.append((free, output))

    questions = both_ways(in_turn(point.pairs, f"{name} {draw}"), ("exact", "pasted"))
    goals = share(questions, name, part, most_asked * 8, record_property)
    check_each(goals, check, record_property, "random points")
    record_property(KEY, ["decided", len(goals) - len(undecided), len(goals)])
    assert len(undecided) <= max(1, int(MOST_OPEN * len(goals))), undecided
