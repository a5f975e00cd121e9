"""Many cases in one test: all of them run, each failure names its case, and the summary counts them."""

from __future__ import annotations

import pytest
from tests.cases import KEY, check_each


def _check(number: int) -> None:
    assert number % 2 == 0, "odd"


def test_every_case_runs_and_each_failure_names_its_case() -> None:
    recorded: list[tuple[str, object]] = []
    with pytest.raises(ExceptionGroup, match="2 of 5 cases fail") as caught:
        check_each(range(5), _check, lambda key, value: recorded.append((key, value)), "pairs")
    assert [error.__notes__ for error in caught.value.exceptions] == [["case: 1"], ["case: 3"]]
    assert recorded == [(KEY, ["pairs", 3, 5])]


def test_cases_that_all_pass_are_counted_only_if_asked() -> None:
    check_each([0, 2], _check)
