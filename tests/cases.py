"""Cases of generic tests: which of them are quick, and many small ones in one test, for an item costs more than one."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

Case = TypeVar("Case")
Record: TypeAlias = Callable[[str, object], None]

KEY = "round_trip"
SHARED = "FLOPSHEET_SHARED_PAGES"  # the variable of the environment that names the folder of pages of a run


def sampled(cases: Iterable[object], of: int = 4) -> list[ParameterSet]:
    """Return cases as parameters of a test, of which about one in so many is quick: the same one in every suite.

    The others are slow: what is generic over sheets, questions and functions is asked for all in the slow suite.
    """
    names = [(str(case.stem if isinstance(case, Path) else case).encode(), case) for case in cases]
    return [
        pytest.param(case, marks=[pytest.mark.slow] if number and zlib.crc32(name) % of else [])
        for number, (name, case) in enumerate(names)
    ]


def but_slow(cases: Iterable[object], *slow: object) -> list[ParameterSet]:
    """Return cases as parameters of a test, of which some take long: the quick suite leaves these to the slow one."""
    return [pytest.param(case, marks=[pytest.mark.slow] if case in slow else []) for case in cases]


def in_share(name: str, share: str) -> bool:
    """Return whether a test of this name is in a share: `2/3` is the second of three, in which each test is once."""
    part, _, parts = share.partition("/")
    return zlib.crc32(name.encode()) % int(parts) == int(part) - 1


LONG_CASES = frozenset(Path(__file__).with_name("long_cases.txt").read_text(encoding="utf-8").splitlines())
MISPLACED: list[str] = []  # of them, what was not collected, or is the only case of its test but for slow ones


def mark_long(items: Iterable[pytest.Item]) -> None:
    """Mark the long cases as slow, of which the quick suite asks others, and the tests that are long as a whole."""
    known, quick = dict[str, set[str]](), set[str]()
    for item in items:
        test = item.nodeid.partition("[")[0]
        known.setdefault(test.partition("::")[0], set()).update((item.nodeid, test))
        if not LONG_CASES.isdisjoint((item.nodeid, test)):
            item.add_marker(pytest.mark.slow)
        elif item.get_closest_marker("slow") is None:
            quick.add(test)
    collected = (case for case in sorted(LONG_CASES) if case.partition("::")[0] in known)
    for case, (test, is_case, _) in ((case, case.partition("[")) for case in collected):
        if case not in known[test.partition("::")[0]] or (is_case and test not in quick):
            MISPLACED.append(case)


def each(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Return a decorator that makes one test of a check over small cases; a tuple holds its arguments."""
    known = list(cases)

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            assert known
            check_each(known, lambda case: check(*case) if isinstance(case, tuple) else check(case))

        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate


def check_each(
    cases: Iterable[Case], check: Callable[[Case], None], record: Record | None = None, kind: str = ""
) -> None:
    """Check every case, whether or not others fail.

    Args:
        cases: the cases; what they are called in the failures is their text.
        check: raises where a case fails.
        record: pytest's `record_property`, where the summary at the end of the run counts the cases.
        kind: the line of the summary.

    Raises:
        ExceptionGroup: some cases fail; each of its exceptions has its case as a note.
    """
    failures: list[Exception] = []
    number = 0
    for case in cases:
        number += 1
        try:
            check(case)
        except Exception as error:  # noqa: BLE001  # whatever it is, the case fails
            error.add_note(f"case: {case}")
            failures.append(error)
    if record is not None:
        record(KEY, [kind, number - len(failures), number])
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {number} cases fail", failures)
