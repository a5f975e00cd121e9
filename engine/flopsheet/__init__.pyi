# The public names of flopsheet, each with the module that defines it: the only list of them. Type checkers and editors
# read this stub; `__init__.py` reads it at run time and imports a name when it is first used, as `attach_stub` of
# lazy_loader does (Scientific Python SPEC 1).
from flopsheet.answer.answer import Answer as Answer
from flopsheet.answer.question_file import read_question as read_question
from flopsheet.answer.solve import solve as solve
from flopsheet.answer.table import table as table
from flopsheet.errors import FlopsheetError as FlopsheetError
from flopsheet.functions.angles import acos as acos
from flopsheet.functions.angles import asin as asin
from flopsheet.functions.angles import atan as atan
from flopsheet.functions.angles import cos as cos
from flopsheet.functions.angles import sin as sin
from flopsheet.functions.angles import tan as tan
from flopsheet.functions.choose import max_ as max_
from flopsheet.functions.choose import min_ as min_
from flopsheet.functions.choose import select as select
from flopsheet.functions.comparisons import equal as equal
from flopsheet.functions.comparisons import indicator as indicator
from flopsheet.functions.explog import exp as exp
from flopsheet.functions.explog import log as log
from flopsheet.functions.explog import log2 as log2
from flopsheet.functions.explog import sqrt as sqrt
from flopsheet.functions.queues import erlang_c as erlang_c
from flopsheet.functions.rounding import ceil as ceil
from flopsheet.functions.rounding import floor as floor
from flopsheet.functions.rounding import mod as mod
from flopsheet.functions.series import geometric_sum as geometric_sum
from flopsheet.functions.symbols import Expr as Expr
from flopsheet.functions.symbols import pi as pi
from flopsheet.functions.symbols import ratio as ratio
from flopsheet.registry.architecture import Architecture as Architecture
from flopsheet.registry.kinds import Chip as Chip
from flopsheet.registry.kinds import Datacenter as Datacenter
from flopsheet.registry.kinds import System as System
from flopsheet.registry.packs import use_pack as use_pack
from flopsheet.registry.store import record as record
from flopsheet.registry.store import records as records
from flopsheet.session import reload as reload
from flopsheet.sheets.body import Sheet as Sheet
from flopsheet.sheets.catalogue import sheet as sheet
from flopsheet.sheets.declarations import choice as choice
from flopsheet.sheets.declarations import formula as formula
from flopsheet.sheets.declarations import given as given
from flopsheet.sheets.declarations import limit as limit
from flopsheet.sheets.declarations import override as override
from flopsheet.sheets.declarations import part as part
from flopsheet.units import Quantity as Quantity
from flopsheet.units import quantity as quantity
from flopsheet.units import unit as unit

__version__: str
