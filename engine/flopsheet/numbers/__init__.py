"""Numbers: exact and float arithmetic, comparisons, outward-rounded intervals, and sets of reals."""
