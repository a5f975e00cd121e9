"""What moves a cell most, in a line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.report.doubled import doubled, is_small_count
from flopsheet.report.drivers import before_rounding, strongest
from flopsheet.report.sentences import input_text

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer


def drivers_text(answer: Answer, name: str, most: int | None = None) -> str:
    """Return the strongest drivers of a cell with their elasticities: `for 1 % more of each input: d_ff +0.94`.

    Of counts of a few, what twice the count does, or the sign alone: `for twice n_tp: -32.3`.
    """
    literals, drivers = answer.question.quantities, strongest(answer, name)[:most]
    rounded = bool(before_rounding(answer, name))
    counts = [(by, value) for by, value in drivers if is_small_count(answer, by)]
    smooth = [f"{input_text(by, literals)} {value}" for by, value in drivers if (by, value) not in counts]
    rounding = ", before rounding" if rounded else ""
    texts = [f"for 1 % more of each input{rounding}: {', '.join(smooth)}"] if smooth else []
    for by, value in counts:
        change = None if rounded else doubled(answer, name, by)
        if change is None:
            texts.append(f"for a larger {by}: {'negative' if value.startswith('-') else 'positive'}")
        else:
            texts.append(f"for twice {by}: {'-' if change.falls else '+'}{change.percent}")
    return "; ".join(texts)
