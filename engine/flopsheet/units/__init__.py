"""Units: the unit system as a text file, and quantities that parse and print.

`units.txt` is the whole system and `system.py` reads it. `expressions.py` parses unit expressions, and suggests what a
rejected one may have meant. `numerals.py` parses numbers, `quantities.py` numbers with units; `text.py` prints them.
"""

from flopsheet.units.apart import digits_apart as digits_apart
from flopsheet.units.apart import digits_distinct as digits_distinct
from flopsheet.units.apart import format_all_distinct as format_all_distinct
from flopsheet.units.apart import format_apart as format_apart
from flopsheet.units.apart import format_between as format_between
from flopsheet.units.apart import format_distinct as format_distinct
from flopsheet.units.expressions import Unit as Unit
from flopsheet.units.expressions import base_unit as base_unit
from flopsheet.units.expressions import is_unit_name as is_unit_name
from flopsheet.units.expressions import unit as unit
from flopsheet.units.foreign import as_number as as_number
from flopsheet.units.foreign import as_quantity as as_quantity
from flopsheet.units.numerals import FLOAT_BITS as FLOAT_BITS
from flopsheet.units.numerals import Number as Number
from flopsheet.units.numerals import decimal as decimal
from flopsheet.units.numerals import divided as divided
from flopsheet.units.numerals import exceeds_floats as exceeds_floats
from flopsheet.units.numerals import tidy as tidy
from flopsheet.units.quantities import Quantity as Quantity
from flopsheet.units.quantities import ambiguity as ambiguity
from flopsheet.units.quantities import close as close
from flopsheet.units.quantities import in_unit as in_unit
from flopsheet.units.quantities import is_finite as is_finite
from flopsheet.units.quantities import machine_number as machine_number
from flopsheet.units.quantities import quantity as quantity
from flopsheet.units.quantities import quantity_in as quantity_in
from flopsheet.units.quantities import scan_quantity as scan_quantity
from flopsheet.units.quantities import size as size
from flopsheet.units.system import PURE_NUMBER as PURE_NUMBER
from flopsheet.units.system import Dimension as Dimension
from flopsheet.units.system import agree as agree
from flopsheet.units.system import pint_registry as pint_registry
from flopsheet.units.text import format_number as format_number
from flopsheet.units.text import format_quantity as format_quantity
from flopsheet.units.text import format_whole as format_whole
