"""A small sheet with one formula of each shape, for the tests of this folder."""

from __future__ import annotations

from flopsheet import Sheet, ceil, formula, given, log, max_, ratio


class Toy(Sheet):
    """Small sheet with one formula of each shape."""

    n = given("Count", example=3, integer=True)
    x = given("First", example=2)
    y = given("Second", example=5)
    rate = given("Rate", default=20, source="ours")
    other = given("Other rate", default=2, source="ours")
    steps_needed = formula(ceil(x / 3), "", "Rounded up", integer=True)
    area = formula(x * y, "", "Product")
    largest = formula(max_(x, y), "", "Larger of both")
    bowl = formula((x - 2) ** 2, "", "Has two roots")
    hill = formula(4 * x - x**2, "", "Has two roots, opens downwards", signed=True)
    scaled = formula(rate * x, "", "Once a default")
    twice = formula(rate * other * x, "", "Two defaults")
    total = formula(n * x, "", "Count times first")
    size = formula(ratio(10, 1) ** n, "", "Power of ten")
    order = formula(log(x), "", "Logarithm", signed=True)


TOY = Toy()
