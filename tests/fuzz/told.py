"""What an answer says of a drawn question, against what trying all values of its unknowns finds."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tests.fuzz.drawn import holds

from flopsheet.numbers.arithmetic import HOLDS
from flopsheet.report.headlines import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.fuzz.drawn import Drawn, Point

    from flopsheet import Answer
    from flopsheet.answer.outcomes.outcome import Outcome

NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
GIVES = re.compile(rf"(?:^|[.:] |and )({NUMBER}) gives? (\w+) ({NUMBER})(?=[.,]| |$)")
HOLD = re.compile(r"(.+?) holds? for (.+?)\.(?: |$)")
WITHOUT = re.compile(r"Without (it|them|any limit): (.+?)(?:, so [\d,]+)?\.(?: |$)")
SHOWN = Fraction(1, 1000)  # four digits
OF_FLOATS = Fraction(1, 10**9)


def wrong(own: Drawn, answer: Answer) -> Iterator[str]:
    """Yield what an answer says that is not so."""
    if any("came out " in text for text in answer.warnings):  # it is told that bounds do not hold
        return
    points = [*own.points()]
    names = [name for name in own.domains if name in own.choices]
    if answer.ranking is not None:
        yield from _of_names(own, answer, points, names)
    elif len(own.domains) == 1:
        yield from _of_one(own, answer.outcomes["x"], points, {})
        yield from _of_numbers(own, answer, points)
    else:
        yield from _of_several(own, answer, points)
    is_open = answer.ranking is not None and not answer.ranking.complete
    if answer.solved != bool(points) and not is_open and not any(outcome.open for outcome in answer.outcomes.values()):
        yield f"solved: {answer.solved}"


def _of_one(own: Drawn, outcome: Outcome, points: Sequence[Point], beside: Point) -> Iterator[str]:
    """Yield what is wrong with the outcome of a count beside names."""
    true, domain = [point["x"] for point in points], own.domains["x"]
    parts = () if outcome.kind == "none" else outcome.solutions
    told = [number for number in domain if any(number in part for part in parts)]
    opened = [number for number in domain if any(number in part for part in outcome.open)]
    if not {*told} <= {*true} <= {*told, *opened}:
        yield f"x: {told} for {true}"
    if parts and outcome.si not in true:
        yield f"value: {outcome.si} for {true}"
    distances = [abs(x - own.near["x"]) for x in true if "x" in own.near]
    if parts and distances and abs((outcome.si or 0) - own.near["x"]) > min(distances):
        yield f"near {own.near['x']}: {outcome.si} of {true}"
    if outcome.open:
        return
    if outcome.kind in ("range", "whole") and (match := HOLD.match(outcome.why)):
        named = re.findall(r"'([^':]*)'", match[1])
        if (said := members(match[2], domain)) is not None and said != true:
            yield f"holds: {said} for {true}"
        if not any("whole" in text for text in named):
            values = {number: own.values({**beside, "x": number}) for number in domain}
            alone = [number for number, known in values.items() if all(holds(text, known) for text in named)]
            if true and alone != true:
                yield f"holds: what is named holds at {alone}, all at {true}"
    yield from _of_texts(own, outcome.why, beside)


def _of_texts(own: Drawn, why: str, beside: Point) -> Iterator[str]:
    """Yield what is wrong with the figures in a reason, and with what there would be without limits."""
    for number, name, value in GIVES.findall(why):
        values = own.values({**beside, "x": int(number.replace(",", ""))})
        if abs(values[name] - Fraction(value.replace(",", ""))) > SHOWN * abs(values[name]):
            yield f"gives: {number} gives {values[name]} for {value}"
    if match := WITHOUT.search(why):
        lifted = tuple(name for name in own.limits if match[1] == "any limit" or re.search(rf"\b{name}\b", why))
        left = [point["x"] for point in own.points(lifted) if beside.items() <= point.items()]
        if (said := members(match[2], own.domains["x"])) is not None and said != left:
            yield f"without {lifted}: {said} for {left}"


def _of_numbers(own: Drawn, answer: Answer, points: Sequence[Point]) -> Iterator[str]:
    """Yield what is wrong with cells, JSON and the headline of an answer for a count."""
    outcome, true = answer.outcomes["x"], [point["x"] for point in points]
    if outcome.si is not None and outcome.si in true:
        yield from _of_cells(own, answer, {"x": int(outcome.si)})
    content = answer.as_dict()["answers"]["x"]
    if content["kind"] == "whole" and content["complete"] and content["values"] != true:
        yield f"JSON: {content['values']} for {true}"
    if outcome.kind != "none" and not outcome.open:
        said = members(one_line(answer).partition(", so ")[0], own.domains["x"])
        if said is not None and said != true:
            yield f"headline: {said} for {true}"


def _of_cells(own: Drawn, answer: Answer, point: Point) -> Iterator[str]:
    values = own.values(point)
    for name, cell in answer.cells.items():
        if not isinstance(values[name], str) and abs(cell.si - values[name]) > OF_FLOATS * abs(values[name]):
            yield f"cell {name}: {cell.si} for {values[name]}"
    for check in answer.limits:
        if check.holds != holds(own.limits[check.relation.name], values):
            yield f"limit {check.relation.name}: {check.holds}"


def _of_several(own: Drawn, answer: Answer, points: Sequence[Point]) -> Iterator[str]:
    """Yield what is wrong with the tuples of several counts."""
    told, outcomes = [dict(values) for values in answer.tuples], answer.outcomes.values()
    is_open = any(outcome.open for outcome in outcomes)
    if any(point not in points for point in told) or (told and not is_open and len(told) != len(points)):
        yield f"tuples: {told} for {points}"
    if points and not is_open and any(outcome.kind == "none" for outcome in outcomes):
        yield f"none for {points}"
    if told and own.best and not is_open:
        keys = [_rank(own, own.values(point)) for point in told]
        if keys != sorted(keys):
            yield f"{own.best}: {keys}"
    chosen = {name: outcome.si for name, outcome in answer.outcomes.items()}
    if answer.solved and None not in chosen.values() and chosen not in points:
        yield f"value: {chosen}"


def _rank(own: Drawn, values: Point) -> Fraction:
    way, _, name = str(own.best).partition(":")
    return Fraction(values[name] if way == "min" else -values[name])


def _of_names(own: Drawn, answer: Answer, points: Sequence[Point], names: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with the names that work, their order, and the counts beside them."""
    ranking, by_name = answer.ranking, defaultdict[tuple[str, ...], "list[Point]"](list)
    for point in points:
        by_name[tuple(point[name] for name in names)].append(point)
    working = {tuple(own.options.values()): own for own in ranking.working} if ranking else {}
    rejected = {tuple(own.options.values()): own for own in ranking.rejected} if ranking else {}
    opened = [options for options, candidate in rejected.items() if candidate.is_open]
    if not working.keys() <= by_name.keys() <= {*working, *opened}:
        yield f"names: {[*working]} for {[*by_name]}"
        return
    keys = list[Fraction]()
    for options, candidate in (working | rejected).items():
        beside, result = dict(zip(names, options, strict=True)), candidate.answer
        if result is None or candidate.is_open:
            continue
        if "x" in result.outcomes and (options in working or result.outcomes["x"].kind == "none"):
            yield from _of_one(own, result.outcomes["x"], by_name[options], beside)
        value = result.outcomes["x"].si if "x" in result.outcomes else 0
        if options in working and value is not None:
            yield from _of_cells(own, result, beside | ({"x": int(value)} if "x" in result.outcomes else {}))
            keys += [_rank(own, own.values({**beside, "x": int(value)}))] if own.best else []
    if keys != sorted(keys):
        yield f"{own.best}: {keys}"
    if content := re.match(r"(\d+) of (\d+) ", ranking.why if ranking else ""):
        counts = [int(content[1]), int(content[2])]
        if counts != [len(working), len(working) + len(rejected)]:
            yield f"why: {counts}"


def members(text: str, domain: Sequence[int]) -> list[int] | None:
    """Return which numbers a text lists: `x = 2, 4 or 5 to 9`, `3 < x <= 5`; None where it lists only the first."""
    if "..." in text or "more" in text or "others" in text or "works" in text:
        return None
    text = re.sub(r" \(limits? [^)]*\)", "", text)
    found = set[int]()
    for part in re.split(r" or |, ", text):
        found |= {number for number in domain if _is_in(number, part)}
    return sorted(found)


def _is_in(number: int, part: str) -> bool:
    """Whether a number is in one part of such a text."""
    part = re.sub(r"^x (?:=|is one of|is) ", "", part.replace(",", ""))
    tests: list[tuple[Any, str, Any]] = []
    if match := re.fullmatch(rf"({NUMBER}) to ({NUMBER})", part):
        tests = [(number, ">=", match[1]), (number, "<=", match[2])]
    elif match := re.fullmatch(rf"({NUMBER})", part):
        tests = [(number, "=", match[1])]
    elif match := re.fullmatch(rf"(?:({NUMBER}) (<=?) )?x(?: (<=?|>=?) ({NUMBER}))?", part):
        tests = [(number, ">" + match[2][1:], match[1])] if match[1] else []
        tests += [(number, match[3], match[4])] if match[4] else []
    elif part != "any x":
        raise ValueError(part)
    return all(HOLDS[sign](value, Fraction(end)) for value, sign, end in tests)
