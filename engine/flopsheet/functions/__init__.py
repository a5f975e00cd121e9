"""The functions of the formula language: one file a family, one entry a function, one table."""

from flopsheet.functions import algebra, angles, choose, explog, rounding
from flopsheet.functions.algebra import abs_
from flopsheet.functions.angles import Acos, Asin, Atan, Cos, Sin, Tan, acos, asin, atan, cos, sin, tan
from flopsheet.functions.choose import (
    COMPARISONS,
    Indicator,
    Select,
    choices_in,
    equal,
    indicator,
    max_,
    min_,
    select,
    taken,
)
from flopsheet.functions.explog import exp, log, log2, sqrt
from flopsheet.functions.rounding import ceil, floor, mod
from flopsheet.functions.spec import BY_NAME, BY_NODE, Function, Trait, entry_of, nodes, register, unknown_function
from flopsheet.functions.symbols import Expr, exact, has_no_value, ratio, symbol

register(*algebra.ENTRIES, *choose.ENTRIES, *rounding.ENTRIES, *explog.ENTRIES, *angles.ENTRIES)

__all__ = [
    "BY_NAME",
    "BY_NODE",
    "COMPARISONS",
    "Acos",
    "Asin",
    "Atan",
    "Cos",
    "Expr",
    "Function",
    "Indicator",
    "Select",
    "Sin",
    "Tan",
    "Trait",
    "abs_",
    "acos",
    "asin",
    "atan",
    "ceil",
    "choices_in",
    "cos",
    "entry_of",
    "equal",
    "exact",
    "exp",
    "floor",
    "has_no_value",
    "indicator",
    "log",
    "log2",
    "max_",
    "min_",
    "mod",
    "nodes",
    "ratio",
    "register",
    "select",
    "sin",
    "sqrt",
    "symbol",
    "taken",
    "tan",
    "unknown_function",
]
