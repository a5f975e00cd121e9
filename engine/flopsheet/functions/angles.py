"""Sines and their inverses on degrees, the base unit of angles: sympy's own take radians, which are pure numbers."""

from __future__ import annotations

from typing import Any

import sympy
from mpmath.libmp import prec_to_dps

_RADIANS_PER_DEGREE = sympy.pi / 180


class AngleBase(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """A real function of one argument whose derivative is known; sympy's printers look for a name that ends in Base."""

    nargs = 1
    is_real = True
    in_radians: Any = None

    def _eval_evalf(self, precision: int) -> Any:
        term = self.args[0]
        if isinstance(self, OF_ANGLES):
            return self.in_radians(term * _RADIANS_PER_DEGREE).evalf(prec_to_dps(precision))
        return (self.in_radians(term) / _RADIANS_PER_DEGREE).evalf(prec_to_dps(precision))

    def fdiff(self, argindex: int = 1) -> Any:  # noqa: ARG002  # the overridden signature
        """Return the derivative [per degree, or degree]."""
        return self.slope(self.args[0])

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative at a term."""
        raise NotImplementedError


class Sin(AngleBase):
    """The sine of an angle [degree]."""

    in_radians = sympy.sin

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [per degree]."""
        return _RADIANS_PER_DEGREE * Cos(term)


class Cos(AngleBase):
    """The cosine of an angle [degree]."""

    in_radians = sympy.cos

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [per degree]."""
        return -_RADIANS_PER_DEGREE * Sin(term)


class Tan(AngleBase):
    """The tangent of an angle [degree]."""

    in_radians = sympy.tan

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [per degree]."""
        return _RADIANS_PER_DEGREE * (1 + Tan(term) ** 2)


class Asin(AngleBase):
    """The angle [degree] between -90 and 90 that has a sine."""

    in_radians = sympy.asin

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [degree]."""
        return 1 / (_RADIANS_PER_DEGREE * sympy.sqrt(1 - term**2))


class Acos(AngleBase):
    """The angle [degree] between 0 and 180 that has a cosine."""

    in_radians = sympy.acos

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [degree]."""
        return -1 / (_RADIANS_PER_DEGREE * sympy.sqrt(1 - term**2))


class Atan(AngleBase):
    """The angle [degree] between -90 and 90 that has a tangent."""

    in_radians = sympy.atan

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [degree]."""
        return 1 / (_RADIANS_PER_DEGREE * (1 + term**2))


OF_ANGLES = (Sin, Cos, Tan)
GIVE_ANGLES = (Asin, Acos, Atan)
