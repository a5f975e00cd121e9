"""All kinds of records, by name."""

from flopsheet.registry.kinds.architecture import Architecture
from flopsheet.registry.kinds.chip import Chip
from flopsheet.registry.kinds.datacenter import Datacenter
from flopsheet.registry.kinds.system import System

KINDS = {record_type.kind: record_type for record_type in (Chip, System, Datacenter, Architecture)}
