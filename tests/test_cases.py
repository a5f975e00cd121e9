"""Many cases in one test: all of them run, each failure names its case, and the summary counts them."""

from __future__ import annotations

import pytest
from tests.cases import KEY, LONG_CASES, MISPLACED, check_each, in_share, mark_long


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


def test_each_long_case_is_one_of_a_test_that_has_quicker_ones() -> None:
    assert MISPLACED == []  # of all files that this run has collected


class _Item:
    def __init__(self, nodeid: str) -> None:
        self.nodeid, self.marks = nodeid, list[str]()

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.append(mark.name)

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def test_a_long_case_that_is_gone_or_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LONG_CASES
    told: list[str] = []
    monkeypatch.setattr("tests.cases.MISPLACED", told)
    cases = {"a.py::one[1]", "a.py::two[1]", "a.py::two[gone]", "a.py::whole", "a.py::none", "b.py::three[1]"}
    monkeypatch.setattr("tests.cases.LONG_CASES", cases)
    names = ("a.py::one[1]", "a.py::two[1]", "a.py::two[2]", "a.py::whole[1]", "a.py::whole[2]")
    items = [_Item(name) for name in names]
    mark_long(items)  # type: ignore[arg-type]  # what it asks of an item
    assert [item.marks for item in items] == [["slow"], ["slow"], [], ["slow"], ["slow"]]
    assert told == ["a.py::none", "a.py::one[1]", "a.py::two[gone]"]  # b.py was not collected


def test_each_test_is_in_one_of_several_shares() -> None:
    names = [f"tests/test_a.py::test_b[{number}]" for number in range(900)]
    parts = [[name for name in names if in_share(name, f"{part}/3")] for part in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == sorted(names)
    assert all(250 < len(part) < 350 for part in parts)
    assert all(in_share(name, "1/1") for name in names)
