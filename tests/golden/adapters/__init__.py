"""The adapters of all kinds of golden cases: each module of this folder holds those of one family of sheets."""

from __future__ import annotations

import importlib
import pkgutil

from tests.golden.adapters.base import Adapter, Probe

__all__ = ["ADAPTERS", "Adapter", "Probe"]

ADAPTERS: dict[str, Adapter] = {}
for _module in pkgutil.iter_modules(__path__):
    if _module.name != "base":
        ADAPTERS |= importlib.import_module(f"{__name__}.{_module.name}").ADAPTERS
