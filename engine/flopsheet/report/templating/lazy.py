"""Fields that are computed when a template first reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Page = TypeVar("Page")


class LazyField(Generic[Page]):
    """A field that is computed when it is first read; `cached_property` takes a lock before Python 3.12."""

    def __init__(self, compute: Callable[[Page], Any]) -> None:
        self._compute = compute

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name under which a page keeps the value."""
        self._name = name

    def __get__(self, page: Page, owner: type) -> Any:
        """Return the value, which replaces the field from now on."""
        value = page.__dict__[self._name] = self._compute(page)
        return value
