"""Conversion factors of a line of numbers: what is printed gives its result on a calculator, which knows no units."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.layout import nodes
from flopsheet.layout.text import plain
from flopsheet.session import cached
from flopsheet.units import PURE_NUMBER, unit
from flopsheet.units.expressions import powers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.layout.nodes import Node

Power: TypeAlias = int | Fraction  # an int where it is whole: that is most of the time, and faster
Powers: TypeAlias = "Mapping[str, Power]"  # the exponents of the units that digits are multiplied in, by name
_PURE: Powers = {}
_LISTS, _CONSTANTS = ("max", "min"), ("π", "e")
_BITS = 10
_FEWEST_ZEROS = 4
MOST_CACHED = 16_384


class _UnreadError(Exception):
    """A node stands for no number: a symbol, for instance."""


@cached(maxsize=MOST_CACHED)
def converted(numbers: Node, result: Node) -> Node:
    """Return a line of numbers with the factors that give the digits of its result; as it is where it has symbols."""
    try:
        wanted = _fit(result)[1]
        node, powers = _sum_in(numbers, wanted) if nodes.level(numbers) == nodes.SUM else _fit(numbers)
        return _times(node, _ratio(powers, wanted))
    except _UnreadError:
        return numbers


def _fit(node: Node) -> tuple[Node, Powers]:
    """Return a node with factors in its sums and functions, and the units of its digits."""
    if type(node) not in _KINDS:
        raise _UnreadError
    return _KINDS[type(node)](node)


def _constant(node: nodes.Sign) -> tuple[Node, Powers]:
    if node.text not in _CONSTANTS:
        raise _UnreadError
    return node, _PURE


def _divided(node: nodes.Fraction) -> tuple[Node, Powers]:
    if not node.bar:
        raise _UnreadError
    (above, over), (below, under) = _fit(node.above), _fit(node.below)
    return _same(node, above=above, below=below), _product(over, under, -1)


def _root(node: nodes.Root) -> tuple[Node, Powers]:
    body, powers = _rooted(*_fit(node.body), int(node.degree or 2))
    return _same(node, body=body), powers


def _raised(node: nodes.Scripts) -> tuple[Node, Powers]:
    if node.above is None or node.below is not None:
        raise _UnreadError
    above, powers = _fit(node.above)
    above = _times(above, _ratio(powers, _PURE))
    base, powers = _fit(node.base)
    if not _measures(powers):  # percent, raised to whatever is printed
        base, powers = _times(base, powers), _PURE
    if powers and _number(node.above).denominator != 1:
        base, powers = _rooted(base, powers, _number(node.above).denominator)
        return _same(node, base=base, above=above), _product(_PURE, powers, _number(node.above).numerator)
    return _same(node, base=base, above=above), _product(_PURE, powers, _number(node.above)) if powers else _PURE


def _rooted(body: Node, powers: Powers, degree: int) -> tuple[Node, Powers]:
    """Return what is under a root, with the factors of units that have no whole power outside, and the others there."""
    if any(power % degree for power in powers.values()):
        inside: Powers = _PURE
        for part in _pairs(powers):
            if any(power % degree for power in part.values()):
                inside = _product(inside, part)
        body, powers = _times(body, inside), _product(powers, inside, -1)
    return body, _product(_PURE, powers, Fraction(1, degree))


def _fenced(node: nodes.Fenced) -> tuple[Node, Powers]:
    body, powers = _fit(node.body)
    if node.opening in "⌈⌊":
        body, powers = _times(body, _ratio(powers, _PURE)), _PURE
    return _same(node, body=body), _PURE if node.opening == "[" else powers


def _call(node: nodes.Call) -> tuple[Node, Powers]:
    if node.name not in _LISTS:
        body, powers = _fit(node.body)
        return _same(node, body=_times(body, _ratio(powers, _PURE))), _PURE
    parts = node.body.parts if isinstance(node.body, nodes.Row) else (node.body,)
    terms, powers = _alike(parts)
    exponent = Fraction(1) if node.above is None else _number(node.above)
    return _same(node, body=nodes.comma_separated(*terms)), _product(_PURE, powers, exponent)


def _sum_in(node: Node, wanted: Powers) -> tuple[Node, Powers]:
    """Return a sum in the units of its result where one of its terms has these: `0.1 s + 20 ms / (1000 ms/s)`."""
    return _chain(node, wanted) if isinstance(node, nodes.Chain) else _fit(node)


def _chain(node: nodes.Chain, wanted: Powers = _PURE) -> tuple[Node, Powers]:
    signs, terms = [sign for sign, _ in node.terms], [term for _, term in node.terms]
    if nodes.level(node) == nodes.PRODUCT or len(terms) == 1:
        powers: Powers = _PURE
        fitted = []
        for term in terms:
            shown, own = _fit(term)
            fitted.append(shown)
            powers = _product(powers, own)
    else:
        fitted, powers = _alike(terms, wanted)
    same = all(new is old for new, old in zip(fitted, terms, strict=True))
    return node if same else nodes.Chain(tuple(zip(signs, fitted, strict=True))), powers


def _alike(terms: Iterable[Node], wanted: Powers = _PURE) -> tuple[list[Node], Powers]:
    """Return terms in the wanted units where one has these, else in those of the first that has some.

    Beside plain numbers, percent and us/s are plain numbers; beside tokens or parameters, plain numbers count these.
    """
    fitted = [_fit(term) for term in terms]
    powers = next((own for _, own in fitted if own), _PURE)
    powers = wanted if any(own == wanted for _, own in fitted if own) else powers
    dimension = reduce(mul, (unit(name).dimension ** Fraction(power) for name, power in powers.items()), PURE_NUMBER)
    if not dimension and not all(own for _, own in fitted):
        powers = _PURE
    return [_times(term, _ratio(own, powers)) if own or dimension.is_count else term for term, own in fitted], powers


def _same(node: Node, **parts: Node) -> Node:
    same = all(getattr(node, name) is part for name, part in parts.items())
    return node if same else type(node)(**{**vars(node), **parts})


def _number(node: Node | None) -> Fraction:
    """Return the exponent that is printed, which units can only have if it is exact."""
    if (
        isinstance(node, nodes.Number)
        and node.power is None
        and not node.letter
        and node.text.lstrip("-").replace(".", "").isdigit()
    ):
        return Fraction(node.text)
    if isinstance(node, nodes.Fraction):
        return _number(node.above) / _number(node.below)
    if isinstance(node, nodes.Chain) and len(node.terms) == 1 and node.terms[0][0] == "-":
        return -_number(node.terms[0][1])
    raise _UnreadError


@cached(maxsize=4096)
def _powers(units: Node) -> Powers:
    """Return the units of a layout but for plain counts; percent is one, since a calculator may have no key for it."""
    named = {name: _simple(Fraction(power)) for name, power in powers_of(plain(units)).items()}
    sized = {name: power for name, power in named.items() if unit(name).dimension or unit(name).factor != 1}
    return _product(_PURE, sized)


def _measures(powers: Powers) -> bool:
    """Whether one of the units has a dimension; percent has none."""
    return any(unit(name).dimension for name in powers)


def _simple(power: Power) -> Power:
    return power if isinstance(power, int) or power.denominator != 1 else power.numerator


def _product(first: Powers, second: Powers, exponent: Power = 1) -> Powers:
    if not second:
        return first
    powers = {**first}
    for name, power in second.items():
        powers[name] = _simple(powers.get(name, 0) + power * exponent)
    return {name: power for name, power in powers.items() if power}


def _ratio(given: Powers, wanted: Powers) -> Powers:
    """Return what is left of units when they are measured in others; nothing where digits stay the same."""
    if given == wanted:
        return _PURE
    left = _product(given, wanted, -1)
    if any(power.denominator != 1 and unit(name).factor != 1 for name, power in left.items()):
        raise _UnreadError
    return left if _size(left) != (1, 1) else _PURE


def _size(powers: Powers) -> tuple[int, int]:
    """Return the size of units as numerator and denominator, reduced but beside a power of two: 10^9 over 2^30."""
    above = below = 1
    for name, power in powers.items():
        factor = unit(name).factor ** abs(int(power))
        above *= factor.numerator if power > 0 else factor.denominator
        below *= factor.denominator if power > 0 else factor.numerator
    if above % below and below % above and (_is_binary(above) or _is_binary(below)):
        return above, below
    return Fraction(above, below).as_integer_ratio()


def _is_binary(number: int) -> bool:
    """Whether a number is that of a binary prefix: 2^10, 2^20."""
    bits = number.bit_length() - 1
    return number == 1 << bits and bits >= _BITS and bits % _BITS == 0


def _times(node: Node, powers: Powers) -> Node:
    """Return a node times the factors that convert its digits, inside of its round brackets."""
    if not powers:
        return node
    if isinstance(node, nodes.Fenced) and node.opening == "(":
        return _same(node, body=_times(node.body, powers))
    above, below = [], []
    for part in _pairs(powers):
        numerator, denominator = _size(part)
        if numerator < denominator:
            below.append(_factor(denominator, numerator, part))
        elif numerator > denominator:
            above.append(_factor(numerator, denominator, _product(_PURE, part, -1)))
    if not above and not below:
        return node
    if isinstance(node, nodes.Fraction):
        return nodes.Fraction(_many(node.above, above), _many(node.below, below))
    return nodes.Fraction(_many(node, above), _many(None, below)) if below else _many(node, above)


def _many(node: Node | None, factors: list[Node]) -> Node:
    if node is None:
        first, *factors = factors
        return _many(first, factors)
    if not factors:
        return node
    terms: tuple[tuple[str, Node], ...] = (("", nodes.bracketed(node, nodes.PRODUCT)),)
    if isinstance(node, nodes.Chain) and nodes.level(node) == nodes.PRODUCT:
        terms = node.terms
    return nodes.Chain((*terms, *(("·", factor) for factor in factors)))


def _pairs(powers: Powers) -> list[Powers]:
    """Return units in pairs that measure the same thing, and what is left over together."""
    pairs: list[Powers] = [{name: power} for name, power in powers.items() if not unit(name).dimension]
    left: dict[str, Power] = {name: power for name, power in powers.items() if unit(name).dimension}
    for name, power in powers.items():
        opposite = (
            other
            for other in left
            if name in left and powers[other] == -power and power > 0 and unit(name).dimension == unit(other).dimension
        )
        if other := next(opposite, ""):
            pairs.append({name: left.pop(name), other: left.pop(other)})
    return [*pairs, left] if _size(left) != (1, 1) else pairs


def _factor(numerator: int, denominator: int, powers: Powers) -> Node:
    """Return a conversion factor: how many of one unit another has."""
    number = _whole(numerator) if denominator == 1 else nodes.Fraction(_whole(numerator), _whole(denominator))
    above = "*".join(_power(name, power) for name, power in powers.items() if power > 0)
    below = "".join(f"/{_power(name, -power)}" for name, power in powers.items() if power < 0)
    return nodes.Quantity(number, nodes.Unit((f"{above or 1}{below}",)))


def _power(name: str, power: Power) -> str:
    return name if power == 1 else f"{name}^{power}"


def _whole(number: int) -> Node:
    """Return a whole number, as a power of two or ten where it is a large one."""
    if _is_binary(number):
        return nodes.Scripts(nodes.Number("2"), None, nodes.Number(str(number.bit_length() - 1)))
    zeros = len(str(number)) - 1
    if number == 10**zeros and zeros >= _FEWEST_ZEROS:
        return nodes.Scripts(nodes.Number("10"), None, nodes.Number(str(zeros)))
    return nodes.Number(str(number) if number < 10**_FEWEST_ZEROS else f"{number:,}")


_KINDS: dict[type[Node], Callable[[Any], tuple[Node, Powers]]] = {
    nodes.Number: lambda node: (node, _PURE),
    nodes.Sign: _constant,
    nodes.Quantity: lambda node: (node, _powers(node.unit)),
    nodes.Chain: _chain,
    nodes.Fraction: _divided,
    nodes.Scripts: _raised,
    nodes.Root: _root,
    nodes.Fenced: _fenced,
    nodes.Call: _call,
}
