"""The adapters of all kinds of golden cases: each module of this folder holds those of one family of sheets.

A module has `ADAPTERS`, those of the documents' cases by their `calc`, or `PEERS`, those of cases that state a `class`:
both call some calculations alike that differ. `OUTSIDE` says of which calculations no sheet speaks, and why.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ADAPTERS", "OUTSIDE", "PEERS", "Adapter", "Inputs", "Probe", "adapter_of"]

OUTSIDE: dict[str, str] = {}
ADAPTERS: dict[str, Adapter] = {}
PEERS: dict[str, Adapter] = {}
for _module in pkgutil.iter_modules(__path__):
    if _module.name != "base":
        _family = importlib.import_module(f"{__name__}.{_module.name}")
        for _name, _known in (("ADAPTERS", ADAPTERS), ("PEERS", PEERS)):
            _more: dict[str, Adapter] = getattr(_family, _name, {})
            _repeated = _known.keys() & _more
            assert not _repeated, f"{_module.name} has another adapter for {_repeated}"
            _known |= _more


def adapter_of(case: Mapping[str, Any]) -> Adapter | None:
    """Return the adapter for a case, None if there is none."""
    return (PEERS if "class" in case else ADAPTERS).get(case["calc"])
