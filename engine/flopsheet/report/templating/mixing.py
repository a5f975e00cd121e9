"""Markup and plain texts in one expression: a plain one is escaped as its form is; jinja2 would escape it for HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import pass_environment
from jinja2.filters import do_truncate, make_attrgetter
from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jinja2 import Environment


class Mixer:
    """Joins texts in a form that escapes automatically.

    Args:
        escape: a filter that returns a text as markup, and markup as it is.
    """

    def __init__(self, escape: Callable[[object], Markup]) -> None:
        self.escape = escape
        self.filters: dict[str, Callable[..., str]] = {
            "join": self.join,
            "replace": self.replace,
            "truncate": self.truncate,
        }

    def alike(self, *texts: object) -> list[str]:
        """Return texts all as markup if one of them is, else all plain."""
        kind = self._marked if any(isinstance(text, Markup) for text in texts) else str
        return [kind(text) for text in texts]

    def _marked(self, text: object) -> Markup:
        """Return a text as markup; blanks at its ends, which escaping may remove, separate it from its neighbours."""
        plain = str(text)
        if isinstance(text, Markup) or plain == plain.strip():
            return self.escape(text)
        left, right = plain[: len(plain) - len(plain.lstrip())], plain[len(plain.rstrip()) :]
        return Markup("").join([_blank(left), self.escape(plain.strip()), _blank(right) if plain.strip() else ""])

    def joined(self, *texts: object) -> str:
        """Return texts one after the other."""
        parts = self.alike(*texts)
        return type(parts[0])("").join(parts) if parts else ""

    @pass_environment
    def join(self, environment: Environment, value: Iterable[Any], d: str = "", attribute: Any = None) -> str:
        """Return the members of a list, or an attribute of each, as one text with `d` between them."""
        texts = list(value) if attribute is None else list(map(make_attrgetter(environment, attribute), value))
        return self.joined(*[part for text in texts for part in (d, text)][1:])

    def replace(self, value: object, old: object, new: object) -> str:
        """Return a text with `new` in place of each `old`."""
        text, part = self.alike(value, new)
        return type(text)(str.replace(text, str(old), part))

    @pass_environment
    def truncate(  # noqa: PLR0913, PLR0917  # the arguments of jinja2's filter
        self,
        environment: Environment,
        value: object,
        length: int = 255,
        killwords: bool = False,
        end: str = "...",
        leeway: int | None = None,
    ) -> str:
        """Return a text that is cut to a length."""
        text, last = self.alike(value, end)
        return do_truncate(environment, text, length, killwords, last, leeway)


def _blank(blanks: str) -> str:
    return "\n" if "\n" in blanks else " " if blanks else ""
