"""Units: the unit system as a text file, and quantities that parse and print.

`units.txt` is the whole system; `expressions.py` reads unit expressions against it, `spelling.py` refuses the unclear
ones, `dimension.py` is what a unit measures, `quantities.py` parses numbers with units, `text.py` prints them.
"""

from flopsheet.units.dimension import PURE_NUMBER, Dimension, agree
from flopsheet.units.expressions import Unit, base_unit, is_unit_name, pint_registry, unit
from flopsheet.units.quantities import (
    Number,
    Quantity,
    close,
    decimal,
    in_unit,
    is_finite,
    quantity,
    quantity_in,
    scan_quantity,
    size,
    tidy,
)
from flopsheet.units.text import format_apart, format_between, format_number, format_quantity

__all__ = [
    "PURE_NUMBER",
    "Dimension",
    "Number",
    "Quantity",
    "Unit",
    "agree",
    "base_unit",
    "close",
    "decimal",
    "format_apart",
    "format_between",
    "format_number",
    "format_quantity",
    "in_unit",
    "is_finite",
    "is_unit_name",
    "pint_registry",
    "quantity",
    "quantity_in",
    "scan_quantity",
    "size",
    "tidy",
    "unit",
]
