"""Python's syntax tree as formulas use it: long chains of one operation, dotted names, equals signs that compare."""

from __future__ import annotations

import ast
from typing import Any

import sympy

COMPARE: dict[type[ast.cmpop], Any] = {
    ast.Lt: sympy.Lt, ast.LtE: sympy.Le, ast.Gt: sympy.Gt, ast.GtE: sympy.Ge, ast.Eq: sympy.Eq,
}  # fmt: skip


def compares(code: list[str]) -> bool:
    """Whether an equals sign after this code compares, as in `[a = b]`; in `select(k, x=a)` it names a branch."""
    depth, is_first, before = 0, True, [token for token in code if not token.isspace()]
    for place in range(len(before) - 1, -1, -1):
        depth += (before[place] in ")]") - (before[place] in "([")
        if depth < 0 and (before[place] == "[" or before[place - 1 : place] == ["select"]):
            return before[place] == "[" or is_first  # of the terms of a select
        is_first = is_first and (depth != 0 or before[place] != ",")
        depth = max(depth, 0)
    return False


def chain(
    node: ast.expr, signs: tuple[type[ast.operator], ...]
) -> tuple[ast.expr, list[tuple[ast.operator, ast.expr]]]:
    """Return the first operand of `a + b - c` and each further one with its sign: a long chain is not a deep one."""
    others: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, signs):
        others.append((node.op, node.right))
        node = node.left
    return node, others[::-1]


def dotted(node: ast.expr) -> str:
    """Return a name as it is written, `chip.memory`; brackets for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=field):
            return f"{dotted(value)}.{field}"
    return "()"
