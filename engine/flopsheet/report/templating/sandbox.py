"""The sandbox of templates: a whitelist of attributes, methods and filters, and no undefined fields.

Templates run only from packs whose Python may run. The sandbox is a second fence, not a bound on time or memory.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from jinja2 import StrictUndefined, TemplateError, TemplateNotFound, Undefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.filters import FILTERS, _GroupTuple
from jinja2.parser import Parser
from jinja2.runtime import BlockReference, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range
from jinja2.utils import Namespace
from markupsafe import Markup

from flopsheet.errors import FlopsheetError, shortened, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import CodeType

    from jinja2.runtime import Context

    from flopsheet.report.templating.mixing import Mixer

_FILTERS = """
    abs capitalize count default d dictsort first float groupby int items join last length list lower map max min reject
    rejectattr replace reverse round select selectattr sort string title trim truncate unique upper wordcount
"""
_METHODS = frozenset(
    """
    startswith endswith strip lstrip rstrip removeprefix removesuffix split rsplit splitlines partition rpartition lower
    upper title capitalize find rfind index count isdigit isalpha isspace isupper islower items keys values get
    """.split()  # noqa: SIM905  # a list of strings would be three times as long
)
_LOOP = frozenset(
    """
    index index0 revindex revindex0 first last length depth depth0 previtem nextitem cycle changed
    """.split()  # noqa: SIM905
)
_OWN_FIELDS = {LoopContext: _LOOP, BlockReference: frozenset(("super",)), _GroupTuple: frozenset(("grouper", "list"))}
_DATA = (str, list, tuple, dict)
_CALLABLE = (Macro, BlockReference, LoopContext, Undefined)  # an undefined one raises its own error
MOST_NESTED = 100  # levels of a template's tree; Python rejects deeper code without naming the line
_LINES = re.compile(r"(\d+)=(\d+)")


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


class _Generator(CodeGenerator):
    """Writes the Python of a template; an assignment begins a line, so that a wrong one is reported with its own.

    Texts are concatenated as the form escapes them.
    """

    def visit_Assign(self, node: nodes.Assign, frame: Frame) -> None:  # noqa: N802  # the overridden name
        self.newline(node)
        super().visit_Assign(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802  # the same
        if not self.environment.autoescape:
            super().visit_Concat(node, frame)
            return
        self.write("environment.mixer.joined(")
        for argument in node.nodes:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


def _concat(pieces: Iterable[object]) -> str:
    """Join what a template writes; what is no text is raised inside of the template, where its line is known."""
    texts: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            texts.append(piece)
        elif isinstance(pieces, Generator):
            pieces.throw(_no_text(piece))
        else:
            raise _no_text(piece)
    return "".join(texts)


def _no_text(piece: object) -> Exception:
    try:
        str(piece)  # an undefined field raises its own error
    except TemplateError as error:
        return error
    return TypeError(f"expected a text, got {type(piece).__name__}")


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment in which templates read the fields they are given, and methods that only read.

    Args:
        fields: the attributes of each type of ours that templates may read.
        mixer: joins markup and plain texts in a form that escapes automatically; None in other forms.
        options: those of jinja2's environment.
    """

    intercepted_binops = frozenset(("+", "%"))

    code_generator_class = _Generator
    concat = staticmethod(_concat)

    def __init__(self, fields: Mapping[type, frozenset[str]], mixer: Mixer | None, **options: Any) -> None:
        options |= {"undefined": Named, "trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
        super().__init__(autoescape=mixer is not None, **options)
        self.mixer = mixer
        self.fields: Mapping[type, frozenset[str]] = {**_OWN_FIELDS, **fields}
        self.filters = {name: FILTERS[name] for name in _FILTERS.split()} | (mixer.filters if mixer else {})
        self.filters["_written"] = self._written
        self.globals = {"range": safe_range, "namespace": Namespace}

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute or a member of an object, undefined where a template may not read it."""
        if attribute in self.fields.get(type(obj), ()):
            return getattr(obj, attribute)  # called hundreds of times a page
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:  # noqa: ARG002  # the overridden signature
        """Return whether a template may read an attribute: those on the whitelist of its object's type."""
        if type(obj) in self.fields:
            return attr in self.fields[type(obj)]
        if isinstance(obj, Namespace | TemplateModule):  # they hold what templates have set
            return not attr.startswith("_")
        return isinstance(obj, _DATA) and attr in _METHODS

    def is_safe_callable(self, obj: object) -> bool:
        """Return whether a template may call this: its own macros, `range`, `namespace`, methods on the whitelist."""
        if isinstance(obj, _CALLABLE) or obj is safe_range or obj is Namespace:
            return True
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        return (isinstance(owner, _DATA) and name in _METHODS) or (isinstance(owner, LoopContext) and name in _LOOP)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call an object, or raise a SecurityError if a template may not call it."""
        if not self.is_safe_callable(obj):
            raise SecurityError(f"{shortened(str(getattr(obj, '__name__', 'this')))} may not be called in templates")
        return context.call(obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply `+` and `%`; with markup, `+` escapes a plain text as the form does, and `%` is an error."""
        if self.mixer and (isinstance(left, Markup) or isinstance(right, Markup)):
            if operator == "+" and isinstance(left, str) and isinstance(right, str):
                return self.mixer.joined(left, right)
            if isinstance(left, Markup):
                raise TypeError(f"markup takes no {operator} here; join its parts with ~")
        return super().call_binop(context, operator, left, right)

    def _written(self, value: object) -> str:
        """Return what a block of a filter writes; jinja2 does not escape it."""
        if not isinstance(value, str):
            raise _no_text(value)
        return self.mixer.escape(value) if self.mixer else value

    def _inherited(self, tree: nodes.Template, files: tuple[str | None, ...]) -> list[str] | None:
        """Return the blocks of the extended template and its ancestors; None where nothing is extended."""
        extended = tree.find(nodes.Extends)
        if extended is None or not isinstance(extended.template, nodes.Const) or self.loader is None:
            return None
        name = str(extended.template.value)
        try:
            source, file, _ = self.loader.get_source(self, name)
        except TemplateNotFound:  # raised again with its line when the template runs
            return None
        if file in files:
            raise TemplateSyntaxError("it extends itself", extended.lineno, name, files[-1])
        parent = self._tree(source, name, file)
        above = self._inherited(parent, (*files, file)) or ()
        return [*(block.name for block in parent.find_all(nodes.Block)), *above]

    def _tree(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Return the parsed template, or raise a TemplateSyntaxError with its line whatever is wrong with it."""
        parser = None
        try:
            parser = Parser(self, source, name, filename)
            tree = parser.parse()
        except TemplateSyntaxError as error:
            error.filename = filename  # its lexer leaves it out
            raise
        except Exception as error:
            line = parser.stream.current.lineno if parser else 1
            raise TemplateSyntaxError(_problem(error), line, name, filename) from error
        _check_nesting(tree, name, filename)
        for block in tree.find_all(nodes.FilterBlock):
            block.filter = nodes.Filter(block.filter, "_written", [], [], None, None, lineno=block.lineno)
        tree.set_environment(self)
        return tree

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = self._tree(source, name, filename)
        _check_blocks(tree, self._inherited(tree, (filename,)), name, filename)
        return tree

    def _generate(
        self, source: nodes.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        try:
            return super()._generate(source, name, filename, defer_init)
        except (FlopsheetError, TemplateSyntaxError):
            raise
        except Exception as error:
            raise TemplateSyntaxError(_problem(error), _line_in_tree(error), name, filename) from error

    def _compile(self, source: str, filename: str) -> CodeType:
        try:
            return super()._compile(source, filename)
        except Exception as error:
            line = getattr(error, "lineno", None) or 0
            raise TemplateSyntaxError(_problem(error), _template_line(source, line), None, filename) from error


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError | MemoryError):
        return "it is nested too deeply"
    return str(getattr(error, "msg", "") or error or type(error).__name__)


def _line_in_tree(error: Exception) -> int:
    """Return the line of the innermost part of a template that a compiler of jinja2 was at."""
    line, trace = 1, error.__traceback__
    while trace is not None:
        node = trace.tb_frame.f_locals.get("node")
        line = node.lineno or line if isinstance(node, nodes.Node) else line
        trace = trace.tb_next
    return line


def _template_line(code: str, line: int) -> int:
    """Return the line of a template that a line of its compiled code stands for, by the table in its last line."""
    pairs = [(int(written), int(compiled)) for written, compiled in _LINES.findall(code.rpartition("debug_info = ")[2])]
    return max((pair for pair in pairs if pair[1] <= line), key=lambda pair: pair[1], default=(1, 0))[0]


def _check_nesting(tree: nodes.Template, name: str | None, filename: str | None) -> None:
    """Reject a template nested so deeply that its compilation might exhaust the stack."""
    level: list[nodes.Node] = [tree]
    for _ in range(MOST_NESTED):
        level = [child for node in level for child in node.iter_child_nodes()]
    if level:
        raise TemplateSyntaxError("it is nested too deeply", level[0].lineno or 1, name, filename)


def _check_blocks(tree: nodes.Template, known: list[str] | None, name: str | None, filename: str | None) -> None:
    """Reject an outermost block that the extended template does not have: it would never be shown."""
    inner = {id(nested) for block in tree.find_all(nodes.Block) for nested in block.find_all(nodes.Block)}
    for block in tree.find_all(nodes.Block):
        if known is not None and id(block) not in inner and block.name not in known:
            near = suggest(block.name, known) or f"Known: {', '.join(known) or 'none'}."
            problem = f"what it extends has no block '{block.name}'. {near}"
            raise TemplateSyntaxError(problem, block.lineno, name, filename)
