"""The functions of the formula language: one file a family, one entry a function, one table."""

from flopsheet.functions import algebra, angles, branches, choose, comparisons, explog, powers, queues, rounding, series
from flopsheet.functions.choose import Select, choices_in, select, taken
from flopsheet.functions.comparisons import COMPARISONS, Indicator, indicator
from flopsheet.functions.spec import BY_NAME, BY_NODE, Function, Trait, entry_of, nodes, register, unknown_function
from flopsheet.functions.symbols import Expr, exact, has_no_value, symbol

for family in (algebra, powers, choose, branches, comparisons, rounding, explog, angles, queues, series):
    register(*family.ENTRIES)

__all__ = [
    "BY_NAME", "BY_NODE", "COMPARISONS", "Expr", "Function", "Indicator", "Select", "Trait", "choices_in", "entry_of",
    "exact", "has_no_value", "indicator", "nodes", "select", "symbol", "taken", "unknown_function",
]  # fmt: skip
