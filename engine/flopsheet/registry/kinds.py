"""All kinds of records, by name."""

from flopsheet.registry.architecture import Architecture
from flopsheet.registry.chip import Chip
from flopsheet.registry.datacenter import Datacenter
from flopsheet.registry.system import System

KINDS = {each.kind: each for each in (Chip, System, Datacenter, Architecture)}
