"""Every tolerance of the engine: how near counts as equal, and how far rounding may reach. Each says what it guards."""

CLOSENESS = 10**9  # two numbers are equal after rounding within one part in so many: the check by substitution
NEAR_WHOLE = 1e-12  # a float this near to an integer, relative to it, is that integer: roundings and remainders
CLEAR = 2e-9  # bounds this far from a level are clear of it: twice what counts as equal
LIBRARY = 1e-15  # a function of the math library may be this far off, relative to its value
