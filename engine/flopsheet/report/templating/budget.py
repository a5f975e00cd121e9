"""What one rendering of a template may spend: steps and characters, never seconds, so that it ends alike everywhere."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

from jinja2 import pass_context
from jinja2.exceptions import SecurityError

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Template

MOST_STEPS, MOST_CHARACTERS, LONGEST, LONGEST_RANGE = 1_000_000, 10_000_000, 250_000, 10_000
SHORT = 1000  # letters of one step


@dataclass(slots=True)
class Budget:
    """What one rendering may still spend.

    Args:
        steps: expressions in blocks that run, calls of filters, and parts of values that they look at.
        characters: characters written, those in macros and captured blocks too.
    """

    steps: int = MOST_STEPS
    characters: int = MOST_CHARACTERS

    def check(self) -> None:
        """Go on while something is left.

        Raises:
            SecurityError: nothing is.
        """
        if self.steps < 0:
            raise SecurityError(f"it takes more than {MOST_STEPS:,} steps")
        if self.characters < 0:
            raise SecurityError(f"it writes more than {MOST_CHARACTERS:,} characters")


_running: ContextVar[Budget] = ContextVar("_running")


def written(template: Template, context: dict[str, Any]) -> str:
    """Return a template filled in, within a fresh budget.

    Raises:
        SecurityError: the budget does not suffice, or the template does what none may.
    """
    token = _running.set(Budget())
    try:
        return "".join(template.root_render_func(template.new_context(context)))
    except Exception:  # noqa: BLE001  # jinja has it name the line of the template, and raises it again
        template.environment.handle_exception()
    finally:
        _running.reset(token)


def spend(steps: int, characters: int = 0) -> None:
    """Take what was done off the budget of the rendering that runs, if one does."""
    running = _running.get(None)
    if running is not None:
        running.steps -= steps
        running.characters -= characters
        if running.steps < 0 or running.characters < 0:
            running.check()


@pass_context  # without it, jinja would work constants out once, when it compiles
def counted_text(context: Any, value: Any) -> Any:  # noqa: ARG001
    """Return what goes into a page, its characters taken off the budget; without a call more: it is done often."""
    running = _running.get(None)
    if running is not None:
        running.characters -= len(value if isinstance(value, str) else str(value))
        if running.characters < 0:
            running.check()
    return value


def checked(value: Any) -> Any:
    """Return a value that was made, if it is not too long.

    Raises:
        SecurityError: it is.
    """
    text = isinstance(value, str)
    if text and len(value) < SHORT:
        return value  # the block around it has counted the expression
    size = weight(value)
    spend(1 + (size // SHORT if text else size))
    if size > LONGEST or (isinstance(value, int) and value.bit_length() > LONGEST_RANGE):
        raise SecurityError(f"it makes a value of more than {LONGEST:,} parts")
    return value


def weight(value: Any, most: int = LONGEST) -> int:
    """Return how many characters and members a value has, those of its members included; stop counting behind `most`.

    A list that holds one list twice, which holds one list twice, is short to write and endless to print.
    """
    if isinstance(value, str | bytes | range):
        return len(value)
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if not isinstance(value, list | tuple | set | frozenset):
        return 0
    total = 0
    for each in value:
        total += 1 + weight(each, most - total)
        if total > most:
            break
    return total


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter that counts what it is given and what it makes."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        spend(1)  # `map` calls it for each member
        for each in (*args, *kwargs.values()):
            checked(each)
        return checked(function(*args, **kwargs))

    return wrapper


def repeated(times: int, text: str) -> None:
    """Refuse a text that stands so many times in what is made.

    Raises:
        SecurityError: that would be too long.
    """
    if times * len(text) > LONGEST:
        raise SecurityError(f"it makes a value of more than {LONGEST:,} parts")


def bounded_range(*args: int) -> range:
    """Return a range that is not too long.

    Raises:
        SecurityError: it is.
    """
    made = range(*args)
    if made and (abs(made[-1] - made[0]) // abs(made.step)) >= LONGEST_RANGE:
        raise SecurityError(f"it makes a range of more than {LONGEST_RANGE:,} numbers")
    spend(len(made))
    return made
