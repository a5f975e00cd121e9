"""Operators of spreadsheet programs, where these differ from the engine's."""

from __future__ import annotations

LEAST_POWER = -708  # below this power of e a float loses digits: some programs give #NUM! there, others zero


def excel_power(base: str, exponent: str) -> str:
    """Return a power with an exponent that varies, as a formula: zero where it is too small for a float."""
    power = f"{base}^{exponent}"
    return f"IFERROR(IF({exponent}*LN({base})<{LEAST_POWER},0,{power}),{power})"
