"""Whether a result is a golden value: exactly, or within the band of a composite model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.golden.adapters import Probe

TOLERANCE = 1e-9  # of closed forms, whatever a case states
COMPOSITE = ("peer_model", "data_driven_peer")  # classes that state a band
PERCENT = re.compile(r"(?:<=? *)?([\d.]+) ?%(?: on all)?")


def band(case: Mapping[str, Any], name: str, probe: Probe) -> float | None:
    """Return the relative difference that is allowed to an output; None where whole numbers must be equal."""
    text = str(case.get("tolerance", ""))
    if case.get("class") not in COMPOSITE and "peer_model" not in text:
        return None
    if probe.band is not None:
        return probe.band
    clauses = [clause.strip() for clause in text.split(";")]
    for clause in [clause.removeprefix(name).strip() for clause in clauses if clause.startswith(name)] or clauses[:1]:
        match = PERCENT.fullmatch(clause)
        if match or clause == "exact":
            return float(match[1]) / 100 if match else TOLERANCE
    raise AssertionError(f"{case['id']}.{name}: no band in '{text}', and the adapter gives none")


def is_same(computed: Any, expected: Any, probe: Probe, allowed: float | None) -> bool:
    """Whether a result is the golden value: whole numbers and texts are equal, others within what is allowed."""
    if computed is None or expected is None or isinstance(expected, bool | str | list):
        return bool(computed == expected)
    if isinstance(expected, int) and allowed is None:
        return bool(computed == expected)
    if probe.digits is not None:
        return bool(round(float(computed), probe.digits) == expected)
    return bool(abs(float(computed) - expected) <= (TOLERANCE if allowed is None else allowed) * abs(expected))
