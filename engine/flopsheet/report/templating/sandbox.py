"""Where templates run: no access to Python's insides, no silent blanks, and all work counted against a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import StrictUndefined, Undefined, nodes, pass_context, pass_eval_context
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.filters import FILTERS
from jinja2.runtime import BlockReference, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from flopsheet.errors import suggest
from flopsheet.report.templating.budget import bounded_range, checked, counted, repeated, spend

if TYPE_CHECKING:
    from collections.abc import Callable

_FILTERS = """
    abs capitalize count default d dictsort first float groupby int items last length list lower map max min reject
    rejectattr reverse round select selectattr sort string title trim truncate unique upper wordcount
"""
_METHODS = """
    startswith endswith strip lstrip rstrip removeprefix removesuffix split rsplit splitlines partition rpartition lower
    upper title capitalize find rfind index count isdigit isalpha isspace isupper islower items keys values get
"""
_OURS = "flopsheet."
_MADE = (nodes.Concat, nodes.List, nodes.Dict, nodes.Tuple)


class Named(StrictUndefined):
    """A field that is not there: its error tells the nearest one that is."""

    @property
    def _undefined_message(self) -> str:
        name, thing = self._undefined_name, self._undefined_obj
        message = str(super()._undefined_message).removesuffix(".")
        if self._undefined_hint or not isinstance(name, str):
            return message
        fields = thing if isinstance(thing, dict) else dir(thing)
        near = suggest(name, [each for each in map(str, fields) if not each.startswith("_")])
        return f"{message}. {near}" if near else message


class Sandbox(ImmutableSandboxedEnvironment):
    """A sandbox without `**`, `*` and whatever else makes numbers and texts without end; it counts what remains."""

    intercepted_binops = frozenset(("**", "*", "+", "%"))

    def __init__(self, **options: Any) -> None:
        super().__init__(undefined=Named, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, **options)
        self.filters = {name: counted(self.filters[name]) for name in _FILTERS.split()}
        self.filters |= {"_step": _step, "_whole": _whole, "join": _join, "replace": _replace}
        self.globals = {"range": bounded_range, "namespace": Namespace}
        self.getattr = _judging_once(super().getattr)  # type: ignore[assignment,method-assign]  # asked hundreds of times a page

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Apply `+`, and `%` to numbers; refuse the rest."""
        if operator in ("**", "*") or (operator == "%" and isinstance(left, str)):
            raise SecurityError(f"the operator {operator} is not allowed in templates")
        return checked(super().call_binop(context, operator, left, right))

    def is_safe_callable(self, obj: Any) -> bool:
        """Return whether a template may call this: its own macros, the few functions, methods that only look."""
        if isinstance(obj, Macro | BlockReference | LoopContext) or obj is bounded_range or obj is Namespace:
            return True
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        if isinstance(owner, LoopContext):
            return name in ("cycle", "changed")
        return isinstance(owner, str | list | tuple | dict) and name in _METHODS.split()

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call, and count it.

        Raises:
            SecurityError: no template may call this; some versions of jinja would format texts before they ask.
        """
        if not self.is_safe_callable(obj):
            raise SecurityError(f"{str(getattr(obj, '__name__', 'this'))[:60]} may not be called in templates")
        checked(getattr(obj, "__self__", None))
        return checked(super().call(context, obj, *args, **kwargs))

    def _check_blocks(self, tree: nodes.Template, name: str | None) -> None:
        """Refuse a block that the template which is extended does not have: it would not be shown.

        Raises:
            TemplateSyntaxError: there is one.
        """
        known = self._inherited(tree)
        if known is None:
            return
        for block in _own_blocks(tree):
            if block.name not in known:
                near = suggest(block.name, known) or f"Known: {', '.join(known) or 'none'}."
                problem = f"what it extends has no block '{block.name}'. {near}"
                raise TemplateSyntaxError(problem, block.lineno, name)

    def _inherited(self, tree: nodes.Template) -> list[str] | None:
        """Return the blocks of what a template extends, and of what that extends; None where it extends nothing."""
        extended = tree.find(nodes.Extends)
        if extended is None or not isinstance(extended.template, nodes.Const) or self.loader is None:
            return None
        source, file, _ = self.loader.get_source(self, str(extended.template.value))
        above = super()._parse(source, str(extended.template.value), file)
        return [*(block.name for block in above.find_all(nodes.Block)), *(self._inherited(above) or ())]

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        self._check_blocks(tree, name)
        blocks = [tree, *tree.find_all((nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block))]
        weights = [_weight(block) for block in blocks]
        for block, (steps, size) in zip(blocks, weights, strict=True):
            _count(block, steps, size)
        for made in list(tree.find_all(_MADE)):
            _check(made)
        tree.set_environment(self)
        return tree


def _judging_once(judged: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Return a function that reads attributes: those of our own objects are judged once by type and name."""
    allowed: set[tuple[type, str]] = set()

    def read(thing: Any, attribute: str) -> Any:
        kind = type(thing)
        if (kind, attribute) in allowed:
            return getattr(thing, attribute)
        value = judged(thing, attribute)
        if kind.__module__.startswith(_OURS) and not isinstance(value, Undefined):
            allowed.add((kind, attribute))
        return value

    return read


def _own_blocks(tree: nodes.Template) -> list[nodes.Block]:
    """Return the blocks of a template that stand in no other."""
    inner = {id(each) for block in tree.find_all(nodes.Block) for each in block.find_all(nodes.Block)}
    return [block for block in tree.find_all(nodes.Block) if id(block) not in inner]


def _weight(block: nodes.Node) -> tuple[int, int]:
    """Return how much a block does when it runs once: the expressions in it, and the length of its texts."""
    texts = block.find_all(nodes.TemplateData)
    return 1 + sum(1 for _ in block.find_all(nodes.Expr)), sum(len(each.data) for each in texts)


def _count(block: Any, steps: int, size: int) -> None:
    """Take off what the body of a loop, macro, block or template does before it runs."""
    line = block.lineno or 1
    if getattr(block, "test", None) is not None:
        block.test = nodes.And(_stepped(steps, 0, line), block.test, lineno=line)
    block.body.insert(0, nodes.If(_stepped(steps, size, line), [], [], [], lineno=line))


def _stepped(steps: int, size: int, line: int) -> nodes.Filter:
    true, arguments = nodes.Const(True, lineno=line), [nodes.Const(each, lineno=line) for each in (steps, size)]
    return nodes.Filter(true, "_step", arguments, [], None, None, lineno=line)


def _check(made: Any) -> None:
    """Have each member checked before a text, list or mapping is made of them, and texts and lists behind it."""
    if isinstance(made, nodes.Dict):
        for pair in made.items:
            pair.value = _whole_of(pair.value)
    elif not isinstance(made, nodes.Tuple) or made.ctx == "load":
        setattr(made, made.fields[0], [_whole_of(each) for each in getattr(made, made.fields[0])])


def _whole_of(node: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, "_whole", [], [], None, None, lineno=node.lineno)


@pass_context  # without it, jinja would work the filter out once, when it compiles
def _step(context: Any, value: Any, steps: int, size: int) -> Any:  # noqa: ARG001
    spend(max(steps, 0), max(size, 0))
    return value


@pass_context
def _whole(context: Any, value: Any) -> Any:  # noqa: ARG001
    return checked(value)


@pass_eval_context
def _join(context: Any, value: Any, d: str = "") -> Any:
    texts = checked(list(value))
    repeated(len(texts), str(d))
    return FILTERS["join"](context, texts, d) if context.autoescape else str(d).join(map(str, texts))


@pass_eval_context
def _replace(context: Any, value: Any, old: str, new: str) -> Any:
    text = str(checked(value))
    repeated(text.count(str(old)), str(new))
    return checked(FILTERS["replace"](context, text, old, new))
