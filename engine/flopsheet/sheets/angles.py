"""Sines and their inverses on degrees, the base unit of angles: sympy's own take radians, which are pure numbers."""

from __future__ import annotations

from typing import Any

import sympy

_RADIANS_PER_DEGREE = sympy.pi / 180


class _OfAngle(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """A real function of one argument whose derivative is known."""

    nargs = 1
    is_real = True

    def fdiff(self, argindex: int = 1) -> Any:  # noqa: ARG002  # the overridden signature
        """Return the derivative [per degree, or degree]."""
        return self.slope(self.args[0])

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative at a term."""
        raise NotImplementedError


class Sin(_OfAngle):
    """The sine of an angle [degree]."""

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [per degree]."""
        return _RADIANS_PER_DEGREE * Cos(term)


class Cos(_OfAngle):
    """The cosine of an angle [degree]."""

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [per degree]."""
        return -_RADIANS_PER_DEGREE * Sin(term)


class Tan(_OfAngle):
    """The tangent of an angle [degree]."""

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [per degree]."""
        return _RADIANS_PER_DEGREE * (1 + Tan(term) ** 2)


class Asin(_OfAngle):
    """The angle [degree] between -90 and 90 that has a sine."""

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [degree]."""
        return 1 / (_RADIANS_PER_DEGREE * sympy.sqrt(1 - term**2))


class Acos(_OfAngle):
    """The angle [degree] between 0 and 180 that has a cosine."""

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [degree]."""
        return -1 / (_RADIANS_PER_DEGREE * sympy.sqrt(1 - term**2))


class Atan(_OfAngle):
    """The angle [degree] between -90 and 90 that has a tangent."""

    @staticmethod
    def slope(term: Any) -> Any:
        """Return the derivative [degree]."""
        return 1 / (_RADIANS_PER_DEGREE * (1 + term**2))


OF_ANGLES = (Sin, Cos, Tan)
GIVE_ANGLES = (Asin, Acos, Atan)
