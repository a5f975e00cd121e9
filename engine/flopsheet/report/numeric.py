"""Which texts of a table are numbers, and which columns are: these are aligned right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A quantity and nothing else, but for a remark in brackets without blanks: `2T token`, `95 GiB (1.2x)`, `4 GB (?)`.
_NUMBER = re.compile(r"[-+−]?\d[\d,.]*(e[-+]?\d+|×10[⁻⁰-⁹¹²³]+)?[kMBT]?( [^\d\s(]\S*)?( \(\S*\))?")
GAPS = ("", "-", "none", "...")  # what stands in place of a number


def is_number(text: object) -> bool:
    """Return whether a text is a number, with or without a unit."""
    return _NUMBER.fullmatch(str(text)) is not None


def is_numeric(texts: Iterable[str]) -> bool:
    """Return whether a column is of numbers: most texts are, and the others are gaps or single words (`bf16`)."""
    told = [text for text in texts if text not in GAPS]
    return has_numbers(told) and all(" " not in text or is_number(text) for text in told)


def has_numbers(texts: Iterable[str]) -> bool:
    """Return whether most texts of a column that are no gaps are numbers."""
    numbers = [is_number(text) for text in texts if text not in GAPS]
    return 2 * sum(numbers) > len(numbers)


def markdown_rule(rows: Sequence[Sequence[str]]) -> str:
    """Return the line below the head of a Markdown table: columns of numbers are aligned right."""
    return f"|{'|'.join('---:' if is_numeric(column) else '---' for column in zip(*rows, strict=True))}|"
