"""Many small cases in one test: pytest spends more on an item than such a case takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

Case = TypeVar("Case")
Record: TypeAlias = Callable[[str, object], None]

KEY = "round_trip"


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
