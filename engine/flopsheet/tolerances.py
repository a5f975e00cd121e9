"""Every tolerance of the engine: how near counts as equal, and how far rounding may reach. Each says what it guards."""

CLOSENESS = 10**9  # two numbers are equal after rounding within one part in so many: the check by substitution
