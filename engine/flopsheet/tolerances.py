"""Every tolerance of the engine: how near counts as equal, and how far rounding may reach. Each says what it guards."""

from decimal import Decimal
from fractions import Fraction

# --- numbers ---
CLOSENESS = 10**9  # two numbers are equal after rounding within one part in so many: the check by substitution
NEAR_WHOLE = 1e-12  # a float this near to an integer, relative to it, is that integer: roundings, remainders, ends
STRICT = 1e-12  # `<` and `>` between floats ask for more than this: what is nearer differs by rounding alone
CANCELLED = 4e-16  # a difference of floats this small beside its terms is zero: all digits have cancelled
ROUNDING = 1e-13  # relative error of an input or a function in floats: a relation holds within what these add up to
LIBRARY = 1e-15  # a function of the math library may be this far off its value
CLEAR = 2e-9  # a bound this far beyond a level excludes it: twice what counts as equal

# --- sets of numbers ---
BESIDE = 1e-9  # a float end of a set is known to this share: ranges are widened by it, and probed this far off an end
EXACTLY_BESIDE = Fraction(1, CLOSENESS)  # the same for exact numbers
SAME_POINT = 1e-6  # two float points of sets this near are one candidate: substitution decides whether it holds
INDICATED = 1e-9  # a target end this near to 0 or 1 is met by an indicator: the end may be a sum that has lost digits

# --- polynomials ---
VANISHING = 1e-14  # a discriminant, or a polynomial at a turn, this small beside its terms is zero: a double root
SAME_ROOT = 1e-6  # a root this near to a double root is the same: rounding splits a double root by the square root
POLE = 1e-15  # a root this near to a pole is the pole

# --- search in floats ---
TOUCH = 1e-12  # a function this near to a level at a turn touches it
PLATEAU = 4e-15  # values this near are one: a function is flat there but for rounding
CLUSTER = 1e-8  # cuts this near are one root that rounding split
SMALLEST_END = 1e-300  # an end this near to zero is zero: beside zero there is no smallest number
NEARBY = 1e-3  # a function with one value this far on both sides of a point is flat there: the point is no root
EASE = 1e-15  # closed ends of an inequality are moved outwards by this, so that a plateau at the end meets it
NEXT_INTEGER = 1e-4  # a float solution this near to an integer is tried at the integer
NEXT_INTEGERS = 1e-2  # the same for several unknowns at once, where Newton's method goes less close
SAME_SOLUTION = 1e-7  # solutions of several equations this near in every unknown are one


def in_spreadsheets(tolerance: float) -> str:
    """Return a tolerance as formulas of spreadsheets write it: `1E-12`."""
    return str(Decimal(repr(tolerance)))
