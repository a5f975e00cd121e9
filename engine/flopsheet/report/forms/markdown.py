"""Markdown: what would be markup in a text is escaped; formulas are LaTeX between dollar signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from flopsheet.report.forms import TextForm
from flopsheet.report.formulas import is_single
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_CACHED, LONGEST_CACHED = 4096, 1000  # docs, sources and numbers recur on each page
# What Markdown would read as markup: some signs anywhere, others only before a tag or at the edge of a word or line.
_MARKUP = re.compile(r"[\\`*|$~\[\]]|<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])|^[#>+-]|&(?=#?\w+;)")
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")
_NOT_IN_ADDRESS = re.compile(r"[^A-Za-z0-9/:?=.,;@+!()*'%&#-]")


def escaped(text: object) -> str:
    """Return a text so that Markdown prints it as it is, on one line."""
    shown = str(text)
    return _cached(shown) if len(shown) <= LONGEST_CACHED else _escaped(shown)


def _escaped(text: str) -> str:
    line = _MARKUP.sub(lambda sign: f"\\{sign[0]}", " ".join(text.split()))
    return _NUMBERED.sub(r"\1\\\2", line)


_cached = cached(maxsize=MOST_CACHED)(_escaped)


def md_url(url: object) -> str:
    """Return an address for Markdown's `<...>`: what could end it is written as its code."""
    return _NOT_IN_ADDRESS.sub(lambda sign: quote(sign[0], safe=""), str(url))


def aligned(lines: Iterable[str]) -> str:
    """Return lines for Markdown one below the other, each with its `&` under that of the first; one alone as it is."""
    given = [str(line) for line in lines]
    if is_single(given):
        return given[0]
    shown = r" \\ ".join(given)
    return rf"\begin{{aligned}} {shown} \end{{aligned}}"


FORM = TextForm(escaped, {"md": escaped, "url": md_url, "aligned": aligned}, automatic=False)
