"""Templates: a form of text for each suffix, with the escaping and the filters that belong to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateError as JinjaError
from jinja2 import TemplateNotFound, pass_context
from markupsafe import Markup, escape

from flopsheet.errors import FlopsheetError, TemplateError, suggest
from flopsheet.report.maths import mathml
from flopsheet.report.maths.breaking import aligned
from flopsheet.report.maths.escaping import escaped, md_url, tex, tex_aligned, tex_display, tex_math, tex_url
from flopsheet.report.templating.budget import SHORT, checked, counted_text, written
from flopsheet.report.templating.loading import PackLoader, places
from flopsheet.report.templating.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from flopsheet.registry.packs import Pack
    from flopsheet.report.writeup import WriteUp

__all__ = ["FORMS", "environment", "escaped", "listing", "render", "templates"]


@dataclass(frozen=True)
class TextForm:
    """A form of text that templates write.

    Args:
        suffix: how the names of its templates end.
        escape: makes a text harmless, as the filters `e`, `escape` and the form's own do.
        filters: further filters; what they return is markup.
        automatic: whether every text is made harmless that no filter has made markup.
    """

    suffix: str
    escape: Callable[[Any], str]
    filters: Mapping[str, Callable[..., str]] = field(default_factory=dict)
    automatic: bool = True


def _graph(write_up: WriteUp) -> str:
    return write_up.drawing


FORMS = {
    "markdown": TextForm(".md.j2", escaped, {"md": escaped, "url": md_url, "aligned": aligned}, automatic=False),
    "html": TextForm(
        ".html.j2",
        escape,
        {"math": mathml.math, "display": mathml.display, "aligned": mathml.aligned, "graph": _graph},
    ),
    "latex": TextForm(
        ".tex.j2",
        tex,
        {"tex": tex, "url": tex_url, "math": tex_math, "display": tex_display, "aligned": tex_aligned},
    ),
}


@cache
def _environments() -> dict[str, Sandbox]:
    return {name: _made(form) for name, form in FORMS.items()}


def environment(form: str = "markdown") -> Sandbox:
    """Return the environment of a form over the template folders of all packs."""
    return _environments()[form]


def _made(form: TextForm) -> Sandbox:
    made = Sandbox(loader=PackLoader(), autoescape=form.automatic, finalize=_finalizer(form))
    for name, function in {"e": form.escape, "escape": form.escape, **form.filters}.items():
        made.filters[name] = _marking(function) if form.automatic else _checking(function)
    made.tests["web"] = _is_web
    return made


def _marking(function: Callable[[Any], str]) -> Callable[[Any], Markup]:
    """Return a filter whose result counts as markup, and which leaves markup as it is."""

    def marked(value: Any) -> Markup:
        return value if isinstance(value, Markup) else Markup(function(checked(value)))  # noqa: S704  # it escapes

    return marked


def _checking(function: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a filter that looks at what it is given, and at what it makes of it."""

    def shown(value: Any) -> str:
        if isinstance(value, str) and len(value) < SHORT:
            return function(value)
        return str(checked(function(checked(value))))

    return shown


def _finalizer(form: TextForm) -> Callable[[Any, Any], Any]:
    if not form.automatic:
        return counted_text
    harmless = _marking(form.escape)
    return pass_context(lambda context, value: counted_text(context, harmless(value)))


def _is_web(url: str) -> bool:
    return str(url).startswith(("https://", "http://"))


def templates(form: str = "markdown") -> list[str]:
    """Return the names of all templates of a form."""
    suffix = FORMS[form].suffix
    names = environment(form).list_templates()
    return sorted(name.removesuffix(suffix) for name in names if name.endswith(suffix))


def listing() -> list[tuple[str, str, Pack]]:
    """Return all templates: name, form, and the pack that each comes from."""
    rows = [
        (file.removesuffix(form.suffix), name, pack)
        for file, pack in places().items()
        for name, form in FORMS.items()
        if file.endswith(form.suffix)
    ]
    return sorted(rows, key=lambda row: row[:2])


def render(name: str, form: str = "markdown", /, **context: Any) -> str:
    """Return a template filled in.

    Args:
        name: name of the template, without its suffix.
        form: `markdown`, `html` or `latex`.
        context: what the template sees.

    Raises:
        TemplateError: there is no such template, or it fails; the message names its line.
    """
    file = name + FORMS[form].suffix
    try:
        return written(environment(form).get_template(file), context)
    except FlopsheetError:
        raise
    except TemplateNotFound as error:
        raise _missing(name, form, error, file) from None
    except RecursionError:
        raise TemplateError(f"template '{name}'", "It calls or includes itself without end.", "End it.") from None
    except JinjaError as error:
        raise TemplateError(
            _where(name, error), f"It cannot be rendered: {error.message}.".replace("?.", "?")
        ) from None
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise TemplateError(_where(name, error), f"It cannot be rendered: {error}.") from None


def _missing(name: str, form: str, error: TemplateNotFound, file: str) -> TemplateError:
    wanted = str(error.name)
    where = "template" if wanted == file else _where(name, error)
    inner = wanted.removesuffix(FORMS[form].suffix)
    fix = suggest(inner, templates(form)) or f"Known: {', '.join(templates(form))}."
    return TemplateError(where, f"There is no template '{inner[:60]}' for {form}.", fix)


def _where(name: str, error: Exception) -> str:
    line, file = getattr(error, "lineno", None) or 0, getattr(error, "name", None)
    trace: TracebackType | None = error.__traceback__
    while trace is not None:  # jinja's frames carry this mark, and lines of the template
        if "__jinja_exception__" in trace.tb_frame.f_globals:
            line, file = trace.tb_lineno, str(trace.tb_frame.f_globals["__file__"])
        trace = trace.tb_next
    shown = name if file in (None, "<template>", "<unknown>") else str(file).replace("\\", "/").rpartition("/")[2]
    return f"template '{shown}'" + (f", line {line}" if line else "")
