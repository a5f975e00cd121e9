"""All kinds of records, by name."""

from flopsheet.registry.chip import Chip
from flopsheet.registry.datacenter import Datacenter

KINDS = {each.kind: each for each in (Chip, Datacenter)}
