"""The bound of an unknown under roundings as a formula, where inversion has values alone: `s_blk*floor(M/M_blk)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flopsheet.answer.execute import Step
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import depends, put_in
from flopsheet.functions import Trait, nodes
from flopsheet.functions.rounding import CEILING, ceil, floor
from flopsheet.inverse.method import Method
from flopsheet.inverse.rational import STEP
from flopsheet.inverse.solution import boundary_forms
from flopsheet.tolerances import BESIDE_BOUND
from flopsheet.units import close, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr

    Bound: TypeAlias = tuple[str, Expr]  # an operator, and what is on its right

_TURNED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "=": "="}


def with_form(step: Step, values: Values) -> Step:
    """Return a step with the formula of the bound that it has; as it is where it has one, or there is none."""
    if step.how is Method.DIRECT or step.form is not None:
        return step
    condition, unknown = step.condition, step.cell.symbol
    left, right, operator = condition.left, condition.right, condition.operator
    if depends(right, unknown):
        left, right, operator = right, left, _TURNED[operator]
    if depends(right, unknown) or not left.has(*nodes(Trait.STEPPED)):
        return step
    for form in _bounds(left, (operator, right), unknown, values):
        value = value_or_none(form, values, rounded=True)
        if value is not None and close(value, step.si):
            return Step(step.cell, step.how, step.si, lambda form=form: (condition, form))  # type: ignore[misc]
    return step


def _bounds(left: Expr, bound: Bound, unknown: Expr, values: Values) -> Iterator[Expr]:
    """Yield the ends of the unknown of `left <= right`: outside of a rounding as formulas do, then inside of it."""
    operator, right = bound
    held = [node for node in left.atoms(*nodes(Trait.STEPPED)) if depends(node, unknown)]
    outer = [node for node in held if not any(node is not other and other.has(node) for other in held)]
    if not outer:
        yield from boundary_forms(left, unknown, right)
        return
    around = put_in(left, {outer[0]: STEP})
    forms = () if depends(around, unknown) else boundary_forms(around, STEP, right)
    if len(forms) != 1:
        return
    operator = operator if operator == "=" else _sense(around, bound, forms[0], values)
    for inner in _inside(operator, forms[0], is_ceiling=isinstance(outer[0], CEILING.node)):
        yield from _bounds(outer[0].args[0], inner, unknown, values)


def _sense(around: Expr, bound: Bound, form: Expr, values: Values) -> str:
    """Return the relation of a rounding to its bound: that of the sides, turned where these fall as it rises."""
    operator, right = bound
    at, limit = value_or_none(form, values), value_or_none(right, values)
    beyond = None if at is None else value_or_none(around, {**values, STEP.name: at + BESIDE_BOUND * (1 + size(at))})
    if beyond is None or limit is None:
        return ""
    return operator if beyond > limit else _TURNED[operator]


def _inside(operator: str, end: Expr, *, is_ceiling: bool) -> tuple[Bound, ...]:
    """Return what is rounded, where it is rounded up or down to an integer up to an end, or from it on."""
    up = {
        "<=": (("<=", floor(end)),),
        "<": (("<=", ceil(end) - 1),),
        ">=": ((">", ceil(end) - 1),),
        ">": ((">", floor(end)),),
        "=": (("<=", end), (">", end - 1)),
    }
    down = {
        "<=": (("<", floor(end) + 1),),
        "<": (("<", ceil(end)),),
        ">=": ((">=", ceil(end)),),
        ">": ((">=", floor(end) + 1),),
        "=": ((">=", end), ("<", end + 1)),
    }
    return (up if is_ceiling else down).get(operator, ())
