"""What an expression may be in its branches, which decides whether inversion by cases is tried."""

from __future__ import annotations

from typing import Any

import pytest

from flopsheet import ceil, exp, log, max_, sqrt
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.casewise import is_hopeless

X = symbol("x")


@pytest.mark.parametrize(
    ("expression", "hopeless"),
    [
        (max_(1, X) / log(X), False),  # the first branch holds a logarithm only
        (max_(2 / X, X) / log(X), True),
        (max_(2 / X, X * log(X)) + 3, False),
        (max_(log(X), log(X) ** 2) + log(X), False),
        (max_(log(X), X) + exp(X), True),
        (ceil(X) * max_(log(X), 3), False),  # each step is a constant
        (exp(max_(X, 2)) * X, False),  # not looked at closely
        (max_(X, 3) * sqrt(X + 1), False),
    ],
    ids=str,
)
def test_where_no_branch_can_be_inverted(expression: Any, hopeless: bool) -> None:
    assert is_hopeless(expression, X) is hopeless
