"""The sandbox of templates: no access to Python's internals, no undefined fields, all work charged to a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import StrictUndefined, Undefined, nodes, pass_context, pass_eval_context
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.filters import FILTERS
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from flopsheet.errors import suggest
from flopsheet.report.templating.budget import bounded_range, checked, counted, repeated, spend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jinja2.nodes import EvalContext

_FILTERS = """
    abs capitalize count default d dictsort first float groupby int items last length list lower map max min reject
    rejectattr reverse round select selectattr sort string title trim truncate unique upper wordcount
"""
_METHODS = """
    startswith endswith strip lstrip rstrip removeprefix removesuffix split rsplit splitlines partition rpartition lower
    upper title capitalize find rfind index count isdigit isalpha isspace isupper islower items keys values get
"""
_OURS = "flopsheet."
_LITERALS = (nodes.Concat, nodes.List, nodes.Dict, nodes.Tuple)


class Named(StrictUndefined):
    """An undefined field: its error names the nearest field that is defined."""

    @property
    def _undefined_message(self) -> str:
        name, thing = self._undefined_name, self._undefined_obj
        message = str(super()._undefined_message).removesuffix(".")
        if self._undefined_hint or not isinstance(name, str):
            return message
        fields = thing if isinstance(thing, dict) else dir(thing)
        near = suggest(name, [field for field in map(str, fields) if not field.startswith("_")])
        return f"{message}. {near}" if near else message


class Sandbox(ImmutableSandboxedEnvironment):
    """A sandbox without `**`, `*` and other operations that make unbounded numbers or texts; it counts the rest."""

    intercepted_binops = frozenset(("**", "*", "+", "%"))

    def __init__(self, **options: Any) -> None:
        super().__init__(undefined=Named, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, **options)
        self.filters = {name: counted(self.filters[name]) for name in _FILTERS.split()}
        self.filters |= {"_step": _step, "_whole": _whole, "join": _join, "replace": _replace}
        self.globals = {"range": bounded_range, "namespace": Namespace}
        self.getattr = _remembering(super().getattr)  # type: ignore[assignment,method-assign]  # called hundreds of times a page

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """Apply `+`, and `%` to numbers; reject the rest."""
        if operator in ("**", "*") or (operator == "%" and isinstance(left, str)):
            raise SecurityError(f"the operator {operator} is not allowed in templates")
        return checked(super().call_binop(context, operator, left, right))

    def is_safe_callable(self, obj: object) -> bool:
        """Return whether a template may call this: its own macros, a few functions, methods that only read."""
        if isinstance(obj, Macro | BlockReference | LoopContext) or obj is bounded_range or obj is Namespace:
            return True
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        if isinstance(owner, LoopContext):
            return name in ("cycle", "changed")
        return isinstance(owner, str | list | tuple | dict) and name in _METHODS.split()

    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        """Call an object and count it, or raise a SecurityError if a template may not call it."""
        # Checked here too: some versions of jinja format texts before they check.
        if not self.is_safe_callable(obj):
            raise SecurityError(f"{str(getattr(obj, '__name__', 'this'))[:60]} may not be called in templates")
        checked(getattr(obj, "__self__", None))
        return checked(super().call(context, obj, *args, **kwargs))

    def _inherited(self, tree: nodes.Template) -> list[str] | None:
        """Return the blocks of the extended template and its ancestors; None where nothing is extended."""
        extended = tree.find(nodes.Extends)
        if extended is None or not isinstance(extended.template, nodes.Const) or self.loader is None:
            return None
        source, file, _ = self.loader.get_source(self, str(extended.template.value))
        parent = super()._parse(source, str(extended.template.value), file)
        return [*(block.name for block in parent.find_all(nodes.Block)), *(self._inherited(parent) or ())]

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        _check_blocks(tree, self._inherited(tree), name)
        blocks = [tree, *tree.find_all((nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block))]
        for block, (steps, size) in [(block, _weight(block)) for block in blocks]:  # weighed before any is changed
            _count(block, steps, size)
        for literal in list(tree.find_all(_LITERALS)):
            _check(literal)
        tree.set_environment(self)
        return tree


def _remembering(checked_getattr: Callable[[object, str], object]) -> Callable[[object, str], object]:
    """Return a function that reads attributes; those of our own objects are checked once for each type and name."""
    allowed: set[tuple[type, str]] = set()

    def read(thing: object, attribute: str) -> object:
        kind = type(thing)
        if (kind, attribute) in allowed:
            return getattr(thing, attribute)
        value = checked_getattr(thing, attribute)
        if kind.__module__.startswith(_OURS) and not isinstance(value, Undefined):
            allowed.add((kind, attribute))
        return value

    return read


def _check_blocks(tree: nodes.Template, known: list[str] | None, name: str | None) -> None:
    """Reject an outermost block that the extended template does not have: it would never be shown."""
    inner = {id(nested) for block in tree.find_all(nodes.Block) for nested in block.find_all(nodes.Block)}
    for block in tree.find_all(nodes.Block):
        if known is not None and id(block) not in inner and block.name not in known:
            near = suggest(block.name, known) or f"Known: {', '.join(known) or 'none'}."
            raise TemplateSyntaxError(f"what it extends has no block '{block.name}'. {near}", block.lineno, name)


def _weight(block: nodes.Node) -> tuple[int, int]:
    """Return the cost of running a block once: the expressions in it, and the length of its texts."""
    texts = block.find_all(nodes.TemplateData)
    return 1 + sum(1 for _ in block.find_all(nodes.Expr)), sum(len(text.data) for text in texts)


def _count(block: Any, steps: int, size: int) -> None:
    """Charge the cost of the body of a loop, macro, block or template before it runs."""
    line = block.lineno or 1
    if getattr(block, "test", None) is not None:
        block.test = nodes.And(_stepped(steps, 0, line), block.test, lineno=line)
    block.body.insert(0, nodes.If(_stepped(steps, size, line), [], [], [], lineno=line))


def _stepped(steps: int, size: int, line: int) -> nodes.Filter:
    true, arguments = nodes.Const(True, lineno=line), [nodes.Const(cost, lineno=line) for cost in (steps, size)]
    return nodes.Filter(true, "_step", arguments, [], None, None, lineno=line)


def _check(literal: Any) -> None:
    """Have each member of a concatenation, list, tuple or mapping checked before it is built."""
    if isinstance(literal, nodes.Dict):
        for pair in literal.items:
            pair.value = _whole_of(pair.value)
    elif not isinstance(literal, nodes.Tuple) or literal.ctx == "load":
        setattr(literal, literal.fields[0], [_whole_of(member) for member in getattr(literal, literal.fields[0])])


def _whole_of(node: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, "_whole", [], [], None, None, lineno=node.lineno)


@pass_context  # without it, jinja would evaluate the filter once, when it compiles
def _step(context: Context, value: object, steps: int, size: int) -> object:  # noqa: ARG001
    spend(max(steps, 0), max(size, 0))
    return value


@pass_context
def _whole(context: Context, value: object) -> object:  # noqa: ARG001
    return checked(value)


@pass_eval_context
def _join(context: EvalContext, value: Iterable[object], d: str = "") -> object:
    texts = checked(list(value))
    repeated(len(texts), str(d))
    return FILTERS["join"](context, texts, d) if context.autoescape else str(d).join(map(str, texts))


@pass_eval_context
def _replace(context: EvalContext, value: object, old: str, new: str) -> object:
    text = str(checked(value))
    repeated(text.count(str(old)), str(new))
    return checked(FILTERS["replace"](context, text, old, new))
