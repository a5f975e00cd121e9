"""What a calculator says: the printed digits of each line of numbers give its printed result, without any unit."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from tests.models.points import drawn, example
from tests.report.latex_reader import ONE, read
from tests.report.latex_words import LETTERS, parts, unit_span
from tests.report.pages import EVERY, PAGES, chain, page, steps
from tests.report.spans import Span
from tests.report.test_consistency import sides

from flopsheet import Sheet, ceil, exp, formula, given, max_, solve, sqrt

LEAST_DIGITS = 4  # to which a result that is printed with fewer, because it is exact, has to be met
LEAST_LINES, LEAST_SHORT_LINES = 600, 200
_MANTISSA = re.compile(r"-?\s*(\d+(?:\{,\}\d{3})*(?:\.\d+)?)(?: \\times 10\^\{(-?\d+)\}|\\mathrm\{([MBT])\})?")


def typed(number: str) -> Span:
    """Return a printed number as it is typed."""
    mantissa, scale = parts(number)
    value = Fraction(mantissa) * scale
    return Span(value, value)


def unit_typed(latex: str) -> Span:
    """Return what a unit is on a calculator: nothing, but degrees, which have a key."""
    return unit_span(latex) if latex == r"\mathrm{degree}" else ONE


def last_digit(result: str) -> Fraction:
    """Return the size of the last digit of a printed result."""
    match = _MANTISSA.match(result)
    assert match, result
    digits = match[1].replace("{,}", "")
    behind = len(digits.partition(".")[2])
    significant = len(digits.replace(".", "").lstrip("0"))
    if behind:
        behind += max(LEAST_DIGITS - significant, 0)
    else:
        behind = max(LEAST_DIGITS - len(digits), 0)
    return Fraction(10) ** (int(match[2] or 0) - behind) * LETTERS[match[3] or ""]


def fails(numbers: str, result: str) -> str:
    """Return what is wrong with a line: what it gives, or why it cannot be read; empty where it gives its result."""
    try:
        given, meant = (read(side, typed, unit_typed) for side in (numbers, result))
    except AssertionError as error:
        return str(error)
    off = max(abs(given.low - meant.low), abs(given.high - meant.high))
    return "" if off <= last_digit(result) / 2 else f"gives {float(given.low):.15g}"


def failures(text: str) -> list[str]:
    """Return the lines of a page that fail."""
    parts = [(cell, sides(chain(lines))) for cell, lines in steps(text)]
    wrong = ((cell, *sides[-2:], fails(*sides[-2:])) for cell, sides in parts if len(sides) == 3)
    return [f"{cell}: {numbers} {why}, not {result}" for cell, numbers, result, why in wrong if why]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_each_line_gives_its_result(name: str) -> None:
    assert failures(page(name)) == []


@pytest.mark.slow
def test_that_is_most_of_what_is_printed() -> None:
    assert [len(chain(lines)) for name in PAGES for _, lines in steps(page(name))].count(3) >= LEAST_LINES
    short = [len(chain(lines)) for name in set(EVERY) - set(PAGES) for _, lines in steps(page(name))]
    assert short.count(3) >= LEAST_SHORT_LINES
    assert set(short) <= {1, 2, 3}


@pytest.mark.parametrize(
    ("numbers", "result"),
    [
        (r"\frac{131{,}072\,\mathrm{token} \cdot 17{,}547{,}264\,\mathrm{byte/token}}{2^{30}\,\mathrm{byte/GiB}}",
         r"2142\,\mathrm{GiB}"),
        (r"0.33333 \cdot 1.5", "0.5"),
        (r"\frac{40\,\mathrm{\%} \cdot 3}{100\,\mathrm{\%}}", "1.2"),
        (r"2 \cdot 20\,\mathrm{\%}", r"40\,\mathrm{\%}"),
    ],
)  # fmt: skip
def test_it_is_met(numbers: str, result: str) -> None:
    assert fails(numbers, result) == ""


@pytest.mark.parametrize(
    ("numbers", "result"),
    [
        (r"131{,}072\,\mathrm{token} \cdot 17{,}547{,}264\,\mathrm{byte/token}", r"2142\,\mathrm{GiB}"),
        (r"0.333 \cdot 1.5", "0.5"),
        (r"0.3333 \cdot 3.123", "1.0410"),
        (r"2 \cdot 23", "46.01"),
        (r"40\,\mathrm{\%} \cdot 3", "1.2"),
        (r"\frac{1}{1.0827}", r"92.36\,\mathrm{percent}"),
        (r"\clubsuit", "1"),
    ],
)
def test_it_is_not_met(numbers: str, result: str) -> None:
    assert fails(numbers, result)


class Conversions(Sheet):
    """Lines that need factors at every place where a unit may differ."""

    size = given("Bytes", "GiB", default=3)
    rate = given("Bytes in a time", "GB/s", default=7)
    setup = given("Time before the first", "ms", default=11)
    wait = given("Time to wait", "hour", default=2)
    work = given("Computation", "TFLOP", default=13)
    square = given("Computation times computation", "GFLOP^2", default=17)
    share = given("A share", "%", default=30)
    growth = given("Growth in a time", "percent/hour", default=7)
    energy = given("Energy", "GJ", default=5)
    period = given("Time to use it", "day", default=2)
    bend = given("An exponent", "", default=0.35)
    sent = formula(size / rate, "ms", "Time to send")
    total = formula(setup + sent + wait, "minute", "A sum of three units")
    longest = formula(max_(setup, wait), "second", "The longer of two units")
    times = formula(ceil(wait / setup), "", "How many fit")
    decay = formula(exp(-setup / wait), "", "A power of e")
    side = formula(sqrt(square), "TFLOP", "A root")
    double = formula(2 * share, "", "Of a percentage, a number")
    more = formula(1 - share, "%", "Of a number, a percentage")
    most = formula(max_(share, 0), "%", "The larger of a percentage and zero")
    square_share = formula(share**2, "%", "A percentage of itself")
    decline = formula(exp(-share), "", "An exponent in percent")
    raised = formula(share**bend, "", "A power of a percentage")
    grown = formula(growth * wait, "", "A number from a rate in percent")
    lost = formula(growth * wait * size / rate, "hour", "Percent and other units")
    power = formula(energy / period, "kW", "A factor that is no whole number")
    mixed = formula(share + growth * wait, "%", "A sum of percentages")


def test_each_place_that_needs_a_factor_has_one() -> None:
    text = solve(Conversions()).derivation()
    assert [len(lines) for _, lines in steps(text)].count(3) == 16
    assert failures(text) == []


class Spans(Sheet):
    """A sum of which one term is in the unit of the result."""

    setup = given("Time before the first", "ms", default=11)
    wait = given("Time to wait", "second", default=2)
    span = formula(setup + wait, "second", "Both")


def test_a_sum_is_in_the_unit_of_its_result_where_a_term_is() -> None:
    """It was in that of the first term, and divided as a whole: `(11 ms + 2 s * 1000 ms/s) / (1000 ms/s)`."""
    lines = dict(steps(solve(Spans()).derivation()))
    assert lines["span"][1] == r"&= \frac{11\,\mathrm{ms}}{1000\,\mathrm{ms/second}} + 2\,\mathrm{second}"


def test_factors_are_written_as_people_write_them() -> None:
    lines = dict(steps(solve(Conversions()).derivation()))
    assert lines["sent"][1] == (
        r"&= \frac{3\,\mathrm{GiB} \cdot \frac{2^{30}}{10^{9}}\,\mathrm{GB/GiB} \cdot 1000\,\mathrm{ms/s}}"
        r"{7\,\mathrm{GB/s}}"
    )
    assert lines["grown"][1] == r"&= \frac{2\,\mathrm{hour} \cdot 7\,\mathrm{\%/hour}}{100\,\mathrm{\%}}"
    assert lines["power"][1] == (r"&= \frac{5\,\mathrm{GJ} \cdot \frac{625}{54}\,\mathrm{day\,kW/GJ}}{2\,\mathrm{day}}")


class Sums(Sheet):
    """A long and a short time, whose sum is taken so often that its seventh digit shows."""

    long, short = given("A time", "ms", default=500), given("Another", "ms", default=0.02)
    total = formula(2 * long / 3, "ms", "Two thirds of the long one")
    small = formula(2 * short / 3, "ms", "Two thirds of the short one")
    both = formula(total + small, "ms", "Both")
    often = formula(64 * both, "ms", "Of many")


@pytest.mark.parametrize(
    ("long", "short", "shown"),
    [
        (488.942, 0.0242, ["325.96133", "0.01613"]),
        (992.297, 0.0874, ["661.5313", "0.05827"]),
        (910.383, 0.0128, ["606.922", "0.008533"]),
    ],
)
def test_a_small_term_has_no_digits_that_its_sum_does_not_need(long: float, short: float, shown: list[str]) -> None:
    """It had as many as the largest: `325.96133 ms + 0.016133333 ms`."""
    text = solve(Sums(), where=[f"long={long} ms", f"short={short} ms"]).derivation()
    assert re.findall(r"[\d.]+", dict(steps(text))["both"][1]) == shown
    assert failures(text) == []


LONG_GOALS = [
    ("roofline", "byte_of_8_bits", "critical_rows", "<=", 3),
    ("training_work", "tokens_per_param", "total_work", "<=", 1),
    ("number_bytes", "fp32_bytes", "bytes_per_block_fp8", ">=", 0),
    ("site_latency", "earth_radius", "step_latency", ">=", 0),
    ("forward_work", "embedding_matrices", "weight_memory", "=", 0),
    ("weight_format", "norm_vectors", "bits_per_param", ">=", 5),
    ("training_recipe", "fp8_block", "bytes_per_fp8_weight", "<=", 0),
    ("matrix_work", "d_model", "mtp_join_work_per_token", ">=", 2),
]  # a long number of a relation, with pi, plain numbers beside parameters, sums near zero, and what is under a root


@pytest.mark.parametrize(("name", "free", "output", "sign", "draw"), LONG_GOALS, ids=[row[0] for row in LONG_GOALS])
def test_each_line_gives_its_result_with_a_goal_of_many_digits(
    name: str, free: str, output: str, sign: str, draw: int
) -> None:
    point = drawn(name, draw) if draw else example(name)
    answer = point.asked_back((free,), [point.exactly(output, sign)])
    assert f"(`{free}`" in answer.derivation("page")
    assert failures(answer.derivation("page")) == []
    assert failures(answer.derivation("derivation")) == []


class NearOne(Sheet):
    """A format whose scales make a byte a little more than a byte."""

    sharing = given("Numbers that share a scale", "", default=16_384)
    scaled = formula(1 + 1 / sharing, "", "Bytes of a number, its share of a scale included")
    model = formula(7 * scaled, "", "Of seven")


def test_what_is_computed_near_one_does_not_read_as_one() -> None:
    text = solve(NearOne()).derivation()
    assert dict(steps(text))["scaled"][-1] == "&= 1.00006"
    assert failures(text) == []
