"""Templates of trusted packs, rendered in the form that their suffix names, with its escaping and its filters.

A template is code: it runs only from a pack whose Python sheets run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jinja2 import BaseLoader, Environment, TemplateNotFound, pass_context
from jinja2 import TemplateError as JinjaError
from markupsafe import Markup

from flopsheet.errors import FlopsheetError, TemplateError, joined, shortened, suggest
from flopsheet.registry.packs import Pack, packs
from flopsheet.report.forms import FORMATS, TextForm
from flopsheet.report.numeric import GAPS, is_number
from flopsheet.report.templating.mixing import Mixer
from flopsheet.report.templating.sandbox import Sandbox
from flopsheet.session import cached, cached_from_files, fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from jinja2.runtime import Context


SUFFIX = ".j2"
DEFAULT, COMPLETE = "page", "derivation"  # a form without the first has the second
OF_SHEETS = ("catalogue", "sheet")  # what sheets show of themselves: these see no answer
LARGEST = 200_000  # bytes of a template
FIELDS = "flopsheet.report.templating.lazy"  # the module whose code runs when a template reads a field
_NAME = re.compile(rf"[a-z0-9_-]+(\.[a-z0-9]+)?{re.escape(SUFFIX)}")


class PackLoader(BaseLoader):
    """Loads `NAME` from the last pack that has it, `PACK/NAME` from that pack: so a page can extend its namesake."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:  # noqa: ARG002  # the overridden signature
        """Return text and place of a template, and a function that says whether it is up to date.

        Raises:
            TemplateNotFound: there is none of this name.
            TemplateError: it cannot be read, or its pack is not trusted.
        """
        source = _source(str(template))
        if source is None:
            raise TemplateNotFound(template)
        return *source, lambda: _source(str(template)) == source


@cached_from_files
def _source(name: str) -> tuple[str, str] | None:
    """Return text and shown place of a template; None where no pack has it."""
    owner, _, inner = name.rpartition("/")
    owners = [pack for pack in packs() if pack.name == owner] if owner else packs()[::-1]
    candidates = owners if _NAME.fullmatch(inner) else ()
    files = [(pack, file) for pack in candidates if (file := pack.file("templates", inner)) is not None]
    for pack, file in files:
        if pack.trusted:
            return _text(file, pack.shown(file)), pack.shown(file)
    for pack, file in files:
        raise _not_trusted(pack, file)
    return None


def _text(file: Path, shown: str) -> str:
    try:
        if file.stat().st_size > LARGEST:
            raise TemplateError(shown, f"It has more than {LARGEST:,} bytes.", "Make it smaller.")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(shown, f"It cannot be read: {error}.", "Write it as UTF-8.") from None


def _not_trusted(pack: Pack, file: Path) -> TemplateError:
    problem = f"Templates are code, and the pack '{pack.name}' ({pack.origin}) is not trusted to run it."
    return TemplateError(pack.shown(file), problem, f"Read the file, then set FLOPSHEET_TRUST={pack.folder} to run it.")


@cached(maxsize=16)
def environment(form_name: str) -> Sandbox:
    """Return the environment of a form over the template folders of all packs."""
    from flopsheet.report.writeup import READABLE

    form = FORMATS[form_name].form
    mixer = Mixer(_marking(form.escape)) if form.automatic else None
    sandbox = Sandbox(READABLE, mixer, loader=PackLoader(), finalize=_finalizer(form))
    for name, function in {"e": form.escape, "escape": form.escape, **form.filters}.items():
        sandbox.filters[name] = _marking(function) if form.automatic else function
    sandbox.tests["numeric"] = is_number
    sandbox.tests["gap"] = lambda text: text in GAPS
    sandbox.tests["web"] = lambda url: str(url).startswith(("https://", "http://"))
    return sandbox


def _marking(function: Callable[..., str]) -> Callable[[object], Markup]:
    """Return a filter whose result is markup, and which leaves markup as it is."""

    def marked(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(function(value))  # noqa: S704  # it escapes

    return marked


def _finalizer(form: TextForm) -> Callable[[Context, object], object] | None:
    if not form.automatic:
        return None
    markup = _marking(form.escape)
    return pass_context(lambda _context, value: markup(value))  # else jinja would escape constants itself, for HTML


def templates(form: str = "markdown") -> list[str]:
    """Return the names of all templates of answers in a form."""
    return [name for name, kind, _ in listing() if kind == form]


def default_template(form: str) -> str:
    """Return the name of the template of a form that is used where none is named."""
    return COMPLETE if _source(DEFAULT + FORMATS[form].suffix) is None else DEFAULT


def listing() -> list[tuple[str, str, Pack]]:
    """Return name, form and pack of every template of answers that may run, sorted by name."""
    owners = {file.name: pack for pack in packs() if pack.trusted for file in _files(pack)}  # the last one's
    rows = [
        (file.removesuffix(form.suffix), name, pack)
        for file, pack in owners.items()
        for name, form in FORMATS.items()
        if file.endswith(form.suffix) and _NAME.fullmatch(file) and not file.startswith("_")  # what others import
    ]
    return sorted((row for row in rows if row[0] not in OF_SHEETS), key=lambda row: row[:2])


def left_out() -> Iterator[FlopsheetError]:
    """Yield why templates are not used, each with its place: their pack is not trusted, or their name is wrong."""
    for pack in packs():
        for file in _files(pack):
            if not _NAME.fullmatch(file.name):
                problem = "The name of a template has lower-case letters, digits, '_' and '-' only, and its form."
                yield TemplateError(pack.shown(file), problem, "Rename it, as in 'my-page.md.j2'.")
            elif not pack.trusted:
                yield _not_trusted(pack, file)
        yield from pack.strays("templates", f"*{SUFFIX}")


def mistakes(pack: Pack) -> Iterator[FlopsheetError]:
    """Yield what is wrong with the templates of a pack: their names, and what jinja cannot parse; none is run."""
    for file in _files(pack):
        form = next((form for form in FORMATS.values() if file.name.endswith(form.suffix)), None)
        if form is None or not _NAME.fullmatch(file.name):
            problem = "The name of a template has lower-case letters, digits, '_' and '-' only, and its form."
            yield TemplateError(pack.shown(file), problem, "Rename it, as in 'my-page.md.j2'.")
            continue
        try:
            environment("markdown").parse(_text(file, pack.shown(file)))
        except TemplateError as error:
            yield error
        except JinjaError as error:
            line = getattr(error, "lineno", 1) or 1
            yield TemplateError(f"{pack.shown(file)}:{line}", f"It cannot be parsed: {_problem(error)}")


def _files(pack: Pack) -> list[Path]:
    return pack.files("templates", f"*{SUFFIX}")


@fresh
def render(name: str, form: str = "markdown", /, **context: object) -> str:
    """Return a rendered template, by its name without suffix, in the form `markdown`, `html` or `latex`.

    Raises:
        TemplateError: there is no such template, or it fails; the message names its file and line.
    """
    file = name + FORMATS[form].suffix
    try:
        text = environment(form).get_template(file).render(context)
        text.encode()  # a template may write half of a character, which no file holds
    except FlopsheetError:
        raise
    except TemplateNotFound as error:
        raise _missing(name, form, str(error.name), error) from None
    except Exception as error:
        place, is_ours = _place(file, error)
        if is_ours and not isinstance(error, RecursionError | MemoryError):
            raise
        raise TemplateError(place, f"It cannot be rendered: {_problem(error)}") from error
    return text


def _problem(error: Exception) -> str:
    """Return what is wrong with a template as the end of a sentence."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply, or calls or includes itself endlessly."
    if isinstance(error, JinjaError):
        text = str(error.message)
    else:
        text = f"{shortened(str(error), 200)} ({type(error).__name__})" if str(error) else type(error).__name__
    return text if text.endswith((".", "?")) else f"{text}."


def expect_of_answers(name: str, form: str) -> None:
    """Reject a template that shows sheets.

    Raises:
        TemplateError: it is one.
    """
    if name in OF_SHEETS:
        problem = "It shows the cells of sheets, as 'flopsheet sheets' does, not an answer."
        raise TemplateError(f"template '{name}'", problem, f"For answers: {', '.join(templates(form))}.")


def _missing(name: str, form: str, wanted: str, error: TemplateNotFound) -> TemplateError:
    inner, file = wanted.removesuffix(FORMATS[form].suffix), name + FORMATS[form].suffix
    where = "template" if wanted == file else _place(file, error)[0]
    others = [kind for known, kind, _ in listing() if known == inner]
    fix = suggest(inner, templates(form)) or f"Known: {', '.join(templates(form))}."
    fix = f"It is one for {joined(others)}: add --as {joined(others, 'or')}." if others else fix
    return TemplateError(where, f"There is no template '{shortened(inner)}' for {form}.", fix)


def _place(name: str, error: Exception) -> tuple[str, bool]:
    """Return file and line of a mistake, and whether our own code made it while it computed a field."""
    file, line, is_ours = getattr(error, "filename", None), getattr(error, "lineno", None) or 0, False
    trace = error.__traceback__
    while trace is not None:  # jinja marks the frames of a template, and numbers them by its lines
        known = trace.tb_frame.f_globals
        if "__jinja_exception__" in known:
            file, line = known["__file__"], trace.tb_lineno
        is_ours = is_ours or known["__name__"] == FIELDS
        trace = trace.tb_next
    shown = file or (_source(name) or ("", f"template '{shortened(name)}'"))[1]
    return (f"{shown}:{line}" if line else shown), is_ours
