"""Units: the unit system as a text file, and quantities that parse and print.

`units.txt` is the whole system and `system.py` reads it. `expressions.py` parses unit expressions, and suggests what a
rejected one may have meant. `quantities.py` parses numbers with units, and writes them so that they parse back to the
last digit; `text.py` prints them.
"""

from flopsheet.units.expressions import Unit, base_unit, is_unit_name, unit
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
from flopsheet.units.system import PURE_NUMBER, Dimension, agree, pint_registry
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
