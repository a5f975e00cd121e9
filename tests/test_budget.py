"""Searches end when the time of a question is spent, and say what is open then."""

from __future__ import annotations

from itertools import count

import pytest

from flopsheet import Sheet, budget, exp, formula, given, log, solve
from flopsheet.errors import QuestionError
from flopsheet.question.ask import ask
from flopsheet.session import reload


class Tangled(Sheet):
    """A cell that no exact method inverts."""

    x = given("Argument", example=2)
    y = formula(x + log(x) * exp(x / 10), "", "Tangled", signed=True)


class Squared(Sheet):
    """A cell that two values give, and one that differs between these."""

    x = given("Argument", example=2, minimum=-10)
    y = formula(x**2, "", "Square")
    z = formula(x + 5, "", "Sum", signed=True)


@pytest.mark.parametrize(("written", "seconds"), [(60, 60), ("60s", 60), ("1.5 min", 90), (None, budget.DEFAULT)])
def test_a_budget_is_seconds_or_a_time(written: object, seconds: float) -> None:
    assert ask(Tangled(), "x", ["y = 3"], budget=written).budget == seconds


@pytest.mark.parametrize("written", ["3 GiB", "-1 s", 0])
def test_what_is_no_time_is_refused(written: object) -> None:
    with pytest.raises(QuestionError, match="is no time above zero"):
        ask(Tangled(), "x", ["y = 3"], budget=written)


def test_a_search_whose_time_is_spent_leaves_the_rest_open(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["y * x / (1 + log(x)) = 3"]
    clock = count()
    reload()  # what was proven of it before is kept
    with monkeypatch.context() as ticking:
        ticking.setattr(budget, "monotonic", lambda: float(next(clock)))
        stopped = solve(Tangled(), "x", asked, budget=3).outcomes["x"]
    assert stopped.proof == "open"
    proven = solve(Tangled(), "x", asked).outcomes["x"]
    assert proven.proof == "proven"
    assert all(any(part.lower in where for where in (*stopped.solutions, *stopped.open)) for part in proven.solutions)


def test_nested_questions_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(budget, "monotonic", lambda: now[0])
    with budget.within(5):
        now[0] = 6.0
        with budget.within(100):
            assert budget.is_spent()
    assert not budget.is_spent()


def test_what_is_told_of_an_answer_takes_what_is_left_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(budget, "monotonic", lambda: now[0])
    allowance = budget.Allowance(8)
    with allowance.used():
        now[0] = 5.0
    with allowance.used():
        now[0] = 7.5
        assert not budget.is_spent()
        now[0] = 8.5
        assert budget.is_spent()
    with allowance.used():  # a last part, however long it took before
        now[0] += 1.5
        assert not budget.is_spent()
        now[0] += 1.0
        assert budget.is_spent()


@pytest.mark.usefixtures("clock")
def test_an_answer_and_its_warnings_share_the_time_of_the_question() -> None:
    answer = solve(Tangled(), "x", ["y = 3"], budget=5)
    assert answer.allowance.seconds == 5
    before = answer.allowance.spent
    assert before > 0
    assert answer.cautions == []
    assert answer.allowance.spent > before


def test_each_alternative_has_the_time_of_the_question() -> None:
    answer = solve(Squared(), ["x", "z"], ["y = 4"], budget=5)
    assert [other.allowance.seconds for other in answer.alternatives] == [5, 5]


def test_more_time_allows_more_work() -> None:
    assert budget.work(100) == 100
    with budget.within(20):
        assert budget.work(100) == 1000
    with budget.within(0.1):
        assert budget.work(100) == 100
