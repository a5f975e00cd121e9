"""The functions of the formula language: one file a family, one entry a function, one table."""

from flopsheet.functions import algebra, angles, choose, explog, rounding
from flopsheet.functions.choose import COMPARISONS, Indicator, Select, choices_in, indicator, select, taken
from flopsheet.functions.spec import BY_NAME, BY_NODE, Function, Trait, entry_of, nodes, register, unknown_function
from flopsheet.functions.symbols import Expr, exact, has_no_value, symbol

register(*algebra.ENTRIES, *choose.ENTRIES, *rounding.ENTRIES, *explog.ENTRIES, *angles.ENTRIES)

__all__ = [
    "BY_NAME", "BY_NODE", "COMPARISONS", "Expr", "Function", "Indicator", "Select", "Trait", "choices_in", "entry_of",
    "exact", "has_no_value", "indicator", "nodes", "select", "symbol", "taken", "unknown_function",
]  # fmt: skip
