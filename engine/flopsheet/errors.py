"""The exceptions: each class is one kind of mistake, with its place, the problem and the fix."""

from __future__ import annotations

import re
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar
from unicodedata import category

from flopsheet.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

P = ParamSpec("P")
T = TypeVar("T")
LONGEST_NAME, MOST_LISTED, MOST_PROBLEMS, MOST_CELLS = 60, 8, 20, 30  # of more cells, a few tell nothing


class Place(NamedTuple):
    """A place in a file, counted from 1; a row of Python code has no column, and is shown with its folder only."""

    file: str
    line: int
    column: int = 0

    @classmethod
    def behind(cls, text: str, file: str) -> Place:
        """Return the place in a file that follows a text at its beginning."""
        return cls(file, text.count("\n") + 1, len(text) - text.rfind("\n"))

    def __str__(self) -> str:
        if self.column:
            return f"{self.file}:{self.line}:{self.column}"
        folders = self.file.replace("\\", "/").split("/")
        return f"{'/'.join(folders[-2:])}:{self.line}"


NOWHERE = Place("", 0)


class FlopsheetError(Exception):
    """Base of all errors meant for the user.

    Args:
        where: a relation, a file with its line, a cell.
        problem: what is wrong, as a full sentence.
        fix: what to do, as a full sentence.
    """

    def __init__(self, where: str, problem: str, fix: str = "") -> None:
        super().__init__(where, problem, fix)
        self.where, self.problem, self.fix = where, problem, fix

    def __str__(self) -> str:
        return " ".join(part for part in (f"{self.where}: {self.problem}", self.fix) if part)

    def __reduce__(self) -> tuple[Callable[..., FlopsheetError], tuple[str, str, str]]:
        return type(self), (self.where, self.problem, self.fix)


class ArgumentError(FlopsheetError, TypeError):
    """A public function has an argument of the wrong type, or one too many or too few."""


class SheetError(FlopsheetError, TypeError):
    """A sheet has an invalid declaration."""


class UnknownNameError(FlopsheetError, LookupError):
    """A sheet, cell, chip, choice or file of this name does not exist."""


class FormulaError(FlopsheetError, ValueError):
    """A text is not a formula, or exceeds the bounds of formulas."""


class UnitsError(FlopsheetError, ValueError):
    """Base of errors with units."""


class UnknownUnitError(UnitsError):
    """A unit is not in the unit file, or its spelling is ambiguous."""


class DimensionError(UnitsError):
    """Two quantities have different dimensions where they must agree."""


class ValueOutOfBoundsError(FlopsheetError, ValueError):
    """A value is outside the bounds of its cell, or is fractional where an integer is needed."""


class QuestionError(FlopsheetError, ValueError):
    """A question is not valid."""

    clause: str = ""  # the problem with its place, for texts that go on: `'a = 3' does not hold: 2 is not 3`


class UnderdeterminedError(QuestionError):
    """Too few relations: the unknown is not determined."""


class OverdeterminedError(QuestionError):
    """Too many relations, and they contradict each other."""


class AmbiguousDefaultError(QuestionError):
    """The question could override more than one default."""


class NotInvertibleError(QuestionError, NotImplementedError):
    """The relations determine the unknown in a way that this version cannot invert."""


class UndecidedError(NotInvertibleError):
    """No values were found in time, and some are not excluded."""


class ArithmeticTrapError(FlopsheetError, ArithmeticError):
    """A formula cannot be evaluated at these numbers (division by zero, logarithm of zero, overflow)."""

    limited = False  # whether limits of the sheet, which do not hold, say why


class TooLargeError(ArithmeticTrapError):
    """A formula is larger than floats can be at these numbers."""


class RegistryError(FlopsheetError, ValueError):
    """A YAML file is malformed, or a record in it breaks a rule of the registry.

    For a file with several mistakes, `problems` lists them, and the text has one line for each.
    """

    problems: tuple[FlopsheetError, ...] = ()


class TemplateError(FlopsheetError, ValueError):
    """A template is missing or cannot be rendered."""


def public(function: Callable[P, T]) -> Callable[P, T]:
    """Return a public function that rejects arguments which do not fit its signature with an `ArgumentError`."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if not isinstance(error, FlopsheetError):
                _check_arguments(function, args, kwargs)
            raise

    return call


def _check_arguments(function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """Raise an ArgumentError where a call does not fit the signature of a function."""
    from inspect import signature  # imported late: it takes a few milliseconds, and only mistakes need it

    expected, name = signature(function), function.__name__
    try:
        expected.bind(*args, **kwargs)
    except TypeError as error:
        shape = ", ".join(str(parameter).partition(":")[0] for parameter in expected.parameters.values())
        problem = f"{str(error)[:1].upper()}{str(error)[1:]}."
        raise ArgumentError(f"{name}()", problem, f"Its arguments: {shape}.") from None


def wrong_argument(where: str, value: object, expected: str, fix: str = "") -> ArgumentError:
    """Return the error of an argument that has another type than expected; only plain values are shown in it."""
    plain = value is None or type(value) in (bool, int, float, str, bytes)
    try:
        shown = shortened(repr(value), 24) if plain else "a value"
    except ValueError:  # an integer of too many digits
        shown = "a value"
    return ArgumentError(where, f"Expected {expected}, not {shown} of type {type(value).__name__}.", fix)


def expect_path(value: object, where: str) -> Path:
    """Return an argument that must be a path or a text of one.

    Raises:
        ArgumentError: it is something else.
    """
    if not isinstance(value, str | Path):
        raise wrong_argument(where, value, "a path", 'Write "folder/file.yaml".')
    return Path(value)


def expect_text(value: object, where: str, fix: str = "") -> str:
    """Return an argument that must be a text.

    Raises:
        ArgumentError: it is something else.
    """
    if not isinstance(value, str):
        raise wrong_argument(where, value, "a text", fix)
    return value


def refuse_all(where: str, problems: Sequence[FlopsheetError]) -> None:
    """Raise all mistakes of a file as one error; do nothing if there are none.

    Raises:
        RegistryError: there is a mistake.
    """
    if len(problems) == 1:
        raise problems[0]
    if problems:
        shown = [str(problem) for problem in problems[:MOST_PROBLEMS]]
        more = len(problems) - len(shown)
        shown += [f"And {more:,} more."] if more else []
        several = RegistryError(where, "\n".join([f"{len(problems):,} mistakes.", *shown]))
        several.problems = tuple(problems)
        raise several


def suggest(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean ...?" with the nearest of the known names, or an empty text; case and plurals count not."""
    return did_you_mean(nearest(name, known))


def some_of(names: Sequence[str]) -> str:
    """Return the first few of many names as a text, and how many others there are."""
    rest = len(names) - MOST_LISTED
    return ", ".join(names) if rest <= 1 else f"{', '.join(names[:MOST_LISTED])} and {rest} others"


def find(  # noqa: PLR0913  # the parts of one message
    name: str,
    known: Iterable[str],
    kind: str,
    where: str,
    *,
    aliases: Iterable[str] = (),
    more: str = "",
    like: str = "",
) -> None:
    """Reject a name that is not among the known ones, all of one kind, and suggest the nearest.

    Aliases are accepted and suggested, but not listed; `more` is added to the fix. `like` is the part of the name that
    known names resemble, where others are not like theirs.

    Raises:
        UnknownNameError: the name is not known.
    """
    names, others = list(known), list(aliases)
    if name in names or name in others:
        return
    names.sort(key=lambda known: "." in known)  # own names before those of parts
    shown = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
    many = f"`flopsheet sheets NAME`, with the name of the sheet, lists its {len(names)} cells."
    known_names = many if kind == "cell" and len(names) > MOST_CELLS else f"Known: {some_of(names) or 'none'}."
    fix = suggest(like[:LONGEST_NAME] or shown, [*names, *others]) or known_names
    raise UnknownNameError(where, f"There is no {kind} '{shown}'.", f"{fix} {more}".strip())


def did_you_mean(names: Iterable[str]) -> str:
    """Return "Did you mean a, b or c?" for the given names, or an empty text for none."""
    quoted = [f"'{name}'" for name in dict.fromkeys(names)]
    return f"Did you mean {joined(quoted, 'or')}?" if quoted else ""


def joined(words: list[str], conjunction: str = "and") -> str:
    """Return the words as in a sentence: `a, b and c`."""
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}" if len(words) > 1 else "".join(words)


def with_article(noun: str) -> str:
    """Return a noun behind its article: `a chip`, `an architecture`."""
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """Return a text on one line, cut to the length that fits into a message."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[:longest] + "…"


def readable(text: str) -> str:
    """Return a text with unprintable characters as their code, so that no terminal takes them for a command.

    Blanks of every width are kept, line breaks and other control characters are not.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def readable_lines(text: str) -> str:
    """Return a text as `readable` does, its line breaks and tabs kept."""
    return "".join(part if part in ("\n", "\t") else readable(part) for part in re.split("([\n\t])", text))


def _shown(letter: str) -> str:
    if letter.isprintable() or category(letter) == "Zs":
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
