"""Order of terms: as declared, numbers first in products and last in sums, and the value unchanged."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import ceil, floor, log, max_, min_, select, sqrt
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.printing import in_text
from flopsheet.functions.symbols import symbol

NAMES = ("d_model", "d_ff", "n_blocks", "state", "activations", "n_fsdp", "precision")
D, F, L, S, A, N, P = (symbol(name) for name in NAMES)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (2 * D * F * L, "2*d_model*d_ff*n_blocks"),
        (L * F * D * 2, "2*d_model*d_ff*n_blocks"),
        ((S + A / 2) / N, "(state + activations/2)/n_fsdp"),
        (A + S, "state + activations"),
        (1 + S, "state + 1"),
        (A - S, "activations - state"),
        (S - A, "state - activations"),
        (-S, "-state"),
        (D**2, "d_model**2"),
        (sqrt(L), "sqrt(n_blocks)"),
        (1 / N, "1/n_fsdp"),
        (D / (F * L), "d_model/(d_ff*n_blocks)"),
        (max_(F, D), "max(d_model, d_ff)"),
        (min_(F, D, 3), "min(d_model, d_ff, 3)"),
        (ceil(A / D), "ceil(activations/d_model)"),
        (floor(A / D), "floor(activations/d_model)"),
        (log(F * D), "log(d_model*d_ff)"),
        (select(P, bf16=F * D, fp8=1), "select(precision, bf16=d_model*d_ff, fp8=1)"),
        (symbol("95 GiB") * D, "95 GiB*d_model"),
        (sympy.Integer(7), "7"),
        (D, "d_model"),
    ],
)
def test_terms_are_in_the_order_of_declaration(expression: sympy.Expr, text: str) -> None:
    assert in_text(expression, NAMES) == text


def test_another_declaration_gives_another_order() -> None:
    assert in_text(D * F, ("d_ff", "d_model")) == "d_ff*d_model"


def test_names_that_are_not_declared_come_last() -> None:
    assert in_text(symbol("aaa") * D, NAMES) == "d_model*aaa"


@given(st.permutations([D, F, L, S, A]), st.integers(1, 9), st.permutations(NAMES))
@settings(max_examples=40, deadline=None)
def test_the_order_changes_no_value(symbols: list[sympy.Symbol], number: int, names: list[str]) -> None:
    first, second, third, fourth, fifth = symbols
    expression = (first * second - number * third) / (fourth + number) + max_(first, fifth) ** 2
    values = {name: place + 2 for place, name in enumerate(symbols)}
    printed = parse_formula(in_text(expression, tuple(names)), names)
    assert printed.subs(values) == expression.subs(values)
