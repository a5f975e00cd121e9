"""Every tolerance of the engine: how near counts as equal, and how far rounding may reach. Each says what it guards."""

from decimal import Decimal
from fractions import Fraction

# --- numbers ---
CLOSENESS = 10**9  # two numbers are equal after rounding within one part in so many: the check by substitution
NEAR_WHOLE = 1e-12  # a float this near to an integer, relative to it, is that integer: roundings, remainders, ends
LARGEST_OFF, NEAR_WHOLE_ULPS = 1e-3, 3  # but no further from it than this, or than so many last digits
FLOAT_DIGIT = 2e-16  # the last digit of a float, relative to it
TWICE_ROUNDED = 2.0**-52  # how far a number may be from the float that is read where it was printed, relative to it
STRICT = 1e-12  # `<` and `>` between floats ask for more than this: what is nearer differs by rounding alone
CANCELLED = 4e-16  # a difference of floats this small beside its terms is zero: all digits have cancelled
ROUNDING = 1e-13  # relative error of an input or a function in floats: a relation holds within what these add up to
HARDLY_LEFT = 1e-10  # of a float, a difference this small beside it has too few digits to start from
DIGITS_LOST = 1e-3  # an end of a set that this much rounding moves by more than this share of itself is not known
LEAST_FACTOR = 1e-150  # two floats of this size, or one over it, have a quotient with all digits
LAST_TERM = 1e-17  # a term of a series this small beside the sum ends it
BRACKET = 4e-16  # a search in floats for an inverse ends where its bracket is this narrow
LITTLE = 1e-3  # a smaller number loses digits where it is added to 1, and is kept apart in powers of that sum
BESIDE_ONE = (
    1e-3  # a geometric sum is differentiated as a series where its ratio's distance from 1 times its terms is less
)
BESIDE_ONE_IN_EXCEL = 1e-5  # and computed as a shorter one in spreadsheets
LIBRARY = 1e-15  # a function of the math library may be this far off its value
CONTRACTION = (
    2e-12  # an inverse in floats is off by less: contracted intervals are widened by it, so none loses a value
)
UNDERFLOW = 1e-322  # an inverse in floats that underflows is off by less
CLEAR = 2e-9  # a bound this far beyond a level excludes it: twice what counts as equal

# --- sets of numbers ---
BESIDE = 1e-9  # a float end of a set is known to this share: ranges are widened by it, and probed this far off an end
EXACTLY_BESIDE = Fraction(1, CLOSENESS)  # the same for exact numbers
TYPED = Fraction(1, 10**14)  # an exact number copied from an output has this many digits at least
WHOLES_APART = 10**12  # up to here these digits leave a hundredth at most beside a whole number
SAME_PLACE = 2.0**-49  # ends of sets this near, relative to them, may lie at one place: digits decide
SAME_POINT = 1e-6  # two float points of sets this near are one candidate: substitution decides whether it holds
INDICATED = 1e-9  # a target end this near to 0 or 1 is met by an indicator: the end may be a sum that has lost digits

# --- polynomials ---
VANISHING = 1e-14  # a discriminant, or a polynomial at a turn, this small beside its terms is zero: a double root
SAME_ROOT = 1e-6  # a root this near to a double root is the same: rounding splits a double root by the square root
CROWDED = Fraction(1, 10**6)  # numbers this near to each other, relative to them, may become one where they are rounded
POLE = 1e-15  # a root this near to a pole is the pole

# --- search in floats ---
PLATEAU = 1e-12  # a box with less width beside its size is part of a plateau that ends in it, within rounding
USUAL = 1e-30, 1e33  # sizes that occur in practice are searched first
SMALLEST_SIZE = 1e-300  # numbers nearer to zero are not looked for: beside zero there is no smallest one
SMALLEST = 5e-324  # the smallest positive float: a product that underflows is at least this
BESIDE_SPOT, HARDLY = 1e-13, 4e-15  # a formula is flat where it changes by less than the second beside the first
END_SHARE = 1e-6  # of a range that was mapped: its end moves by less to a bound that only rounding keeps it from
EASE = 1e-15  # closed ends of an inequality are moved outwards by this, so that a plateau at the end meets it
INFLATED = 0.1  # a box is widened by this share before a root in it is proven: the root may lie at its edge
NARROW = 1e-5  # the short ratios in a box of several unknowns this narrow are tried: roots that touch are often such
VANISHED = 1e-13  # an unknown this small beside the largest one tends to zero
FINEST = 1e-10  # a box of several unknowns is not split below this share of its numbers
SHORT = Fraction(1, 10**30)  # a number known to 50 digits that is this near to a short ratio is that ratio
ROOT_KNOWN = Fraction(1, 10**40)  # a root of several unknowns that Newton's method refined is known to this share
STEP_NUMBER = (
    2e-15  # the number of the step at which a level is met is computed to this share: ends are tried one by one
)
STEEP = 1e-9  # where it may be off by more, beside it or 1, whether it is an integer is left to a search
BY_CHANCE = 1e-3  # a short ratio in a range is meant where another one is less likely to be as near
WHOLE_BESIDE = 1e-6  # as far from a float end, relative to it, whole numbers are tested for where a condition begins
NEXT_INTEGER = 1e-4  # a float solution this near to an integer is tried at the integer
ASIDE = 1e-13  # inputs are moved by about this share to see which of equal terms decide beside them
BESIDE_BOUND = 1e-3  # a rounding is tried this far beside its bound, to see on which side of it a relation holds
AS_NEAR = 1e-6  # of values that miss a relation by shares this close, pages show the most usual


def in_spreadsheets(tolerance: float) -> str:
    """Return a tolerance as formulas of spreadsheets write it: `1E-12`."""
    return str(Decimal(repr(tolerance)))
