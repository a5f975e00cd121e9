"""The budget of one rendering: steps and characters, not seconds, so that it ends alike on every machine."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from jinja2 import Template, pass_context
from jinja2.exceptions import SecurityError

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.runtime import Context

T = TypeVar("T")

MOST_STEPS, MOST_CHARACTERS, LONGEST, LONGEST_RANGE = 1_000_000, 10_000_000, 250_000, 10_000
SHORT = 1000  # letters of one step


@dataclass(slots=True)
class Budget:
    """The remaining budget of a rendering."""

    steps: int = MOST_STEPS  # expressions in blocks that run, calls of filters, and parts of values that they read
    characters: int = MOST_CHARACTERS  # written, including those in macros and captured blocks

    def check(self) -> None:
        """Raise a SecurityError if the budget is exhausted."""
        if self.steps < 0:
            raise SecurityError(f"it takes more than {MOST_STEPS:,} steps")
        if self.characters < 0:
            raise SecurityError(f"it writes more than {MOST_CHARACTERS:,} characters")


_running: ContextVar[Budget] = ContextVar("_running")


def written(template: Template, context: dict[str, object]) -> str:
    """Return a rendered template, within a fresh budget.

    Raises:
        SecurityError: the budget is exhausted, or the template does something that is not allowed.
    """
    token = _running.set(Budget())
    try:
        return "".join(template.root_render_func(template.new_context(context)))
    except Exception:  # noqa: BLE001  # jinja adds the line of the template, and raises it again
        template.environment.handle_exception()
    finally:
        _running.reset(token)


def spend(steps: int, characters: int = 0) -> None:
    """Charge the budget of the current rendering, if there is one."""
    running = _running.get(None)
    if running is not None:
        running.steps -= steps
        running.characters -= characters
        if running.steps < 0 or running.characters < 0:
            running.check()


@pass_context  # without it, jinja would evaluate constants once, when it compiles
def counted_text(context: Context, value: object) -> object:  # noqa: ARG001
    """Return a value that goes into a page, its characters charged; inlined, because it is called often."""
    running = _running.get(None)
    if running is not None:
        running.characters -= len(value if isinstance(value, str) else str(value))
        if running.characters < 0:
            running.check()
    return value


def checked(value: T) -> T:
    """Return a value, or raise a SecurityError if it is too long."""
    if isinstance(value, str) and len(value) < SHORT:
        return value  # the block around it has counted the expression
    size = weight(value)
    spend(1 + (size // SHORT if isinstance(value, str) else size))
    if size > LONGEST or (isinstance(value, int) and value.bit_length() > LONGEST_RANGE):
        raise SecurityError(f"it makes a value of more than {LONGEST:,} parts")
    return value


def weight(value: object, most: int = LONGEST) -> int:
    """Return how many characters and members a value has, including those of its members; stop counting after `most`.

    A list that holds one list twice, which holds one list twice, is short to write and endless to print.
    """
    if isinstance(value, str | bytes | range):
        return len(value)
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if not isinstance(value, list | tuple | set | frozenset):
        return 0
    total = 0
    for member in value:
        total += 1 + weight(member, most - total)
        if total > most:
            break
    return total


def counted(function: Callable[..., T]) -> Callable[..., T]:
    """Return a filter that charges for its arguments and its result."""

    @wraps(function)
    def wrapper(*args: object, **kwargs: object) -> T:
        spend(1)  # `map` calls it for each member
        for argument in (*args, *kwargs.values()):
            checked(argument)
        return checked(function(*args, **kwargs))

    return wrapper


def repeated(times: int, text: str) -> None:
    """Raise a SecurityError if so many repetitions of a text would be too long."""
    if times * len(text) > LONGEST:
        raise SecurityError(f"it makes a value of more than {LONGEST:,} parts")


def bounded_range(*args: int) -> range:
    """Return a range, or raise a SecurityError if it is too long."""
    numbers = range(*args)
    if numbers and (abs(numbers[-1] - numbers[0]) // abs(numbers.step)) >= LONGEST_RANGE:
        raise SecurityError(f"it makes a range of more than {LONGEST_RANGE:,} numbers")
    spend(len(numbers))
    return numbers
