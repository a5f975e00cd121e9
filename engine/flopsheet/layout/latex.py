r"""Formulas in LaTeX as GitHub's Markdown and KaTeX take it, `\frac{M}{n_{\text{dev}}}`, and the signs of commands."""

from __future__ import annotations

import re

from flopsheet.layout import nodes
from flopsheet.session import cached

_LETTERS = """
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
    nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ
    Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ hbar ℏ partial ∂ nabla ∇ infty ∞
    aleph ℵ imath ı jmath ȷ Re ℜ Im ℑ wp ℘ emptyset ∅
"""
_OPERATORS = """
    prime ′ dagger † ddagger ‡ star ⋆ ast ∗ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ cdot · cdots ⋯ ldots …
    times × div ÷ pm ± mp ∓ le ≤ ge ≥ ne ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ propto ∝ to → gets ← parallel ∥ perp ⊥
    Leftarrow ⇐ Rightarrow ⇒ leftrightarrow ↔ uparrow ↑ downarrow ↓ mapsto ↦ triangle △ square □ top ⊤ bot ⟂ angle ∠
    wedge ∧ vee ∨
"""
_SAME = {"leq": "≤", "geq": "≥", "neq": "≠", "leftarrow": "←", "rightarrow": "→", "dots": "…"}
_NAMES = "max min sup inf log ln lg exp sin cos tan arcsin arccos arctan"
# What formulas of templates may hold beside that; symbols of cells may not.
_MORE_SIGNS = """
    ll ≪ gg ≫ in ∈ notin ∉ subset ⊂ subseteq ⊆ cup ∪ cap ∩ forall ∀ exists ∃ neg ¬ land ∧ lor ∨ mid ∣ colon : sum ∑
    prod ∏ int ∫ langle ⟨ rangle ⟩ vert | lvert | rvert | lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lbrace { rbrace }
    Leftrightarrow ⇔ longrightarrow ⟶ hookrightarrow ↪ setminus ∖ circledast ⊛ surd √
"""
_MORE_NAMES = "lim cot sec csc sinh cosh tanh det gcd"


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


NAMES = frozenset(_NAMES.split())
SYMBOL_SIGNS = {**_pairs(_LETTERS), **_pairs(_OPERATORS), **_SAME, **{name: name for name in NAMES}}
SIGNS = {
    **_pairs(_MORE_SIGNS),
    **dict.fromkeys(("mod", "pmod", "bmod"), "mod"),
    **{name: name for name in _MORE_NAMES.split()},
    **SYMBOL_SIGNS,
}
COMMANDS = {sign: command for command, sign in SIGNS.items() if command not in _SAME and command not in ("land", "lor")}
OPERATORS = frozenset((*_pairs(_OPERATORS).values(), *_pairs(_MORE_SIGNS).values(), *"+-−*/=<>()[]{}|!:;,.&"))
FONTS = frozenset(("text", "mathrm", "mathit", "mathbf", "mathsf", "mathtt", "mathcal", "mathbb", "operatorname"))
ACCENTS = {
    "hat": "^", "bar": "¯", "tilde": "~", "dot": "˙", "ddot": "¨", "vec": "→", "overline": "‾", "underline": "_",
    "widehat": "^", "widetilde": "~", "acute": "´", "grave": "`",
}  # fmt: skip
FRACTIONS = frozenset(("frac", "dfrac", "tfrac", "binom"))
DELIMITERS = {
    **{sign: sign for sign in "()[]|/."}, r"\{": "{", r"\}": "}",
    **{f"\\{name}": SIGNS[name] for name in (
        "lbrace", "rbrace", "lceil", "rceil", "lfloor", "rfloor", "langle", "rangle", "vert", "lvert", "rvert"
    )},
}  # fmt: skip
SIZES = frozenset(["big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "textstyle", "limits", "nolimits"])
SPACES = {
    ",": "\u2009", ";": "\u2005", ":": "\u2005", "!": "", " ": "\u00a0", "quad": "\u2003", "qquad": 2 * "\u2003",
    "thinspace": "\u2009", "thickspace": "\u2005", "medspace": "\u2005", "negthinspace": "",
}  # fmt: skip

MOST_CACHED = 16_384
_SIGNS = {"<=": r"\le", ">=": r"\ge", "·": r"\cdot", "mod": r"\bmod", ":": r"\colon"}
_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "\u2009": r"\,", "\u2005": r"\;", "\u00a0": r"\ ", "\u2003": r"\quad ",
}  # fmt: skip
_DELIMITERS = {"{": r"\lbrace", "}": r"\rbrace", "|": r"\vert", **{sign: f"\\{COMMANDS[sign]}" for sign in "⌈⌉⌊⌋⟨⟩"}}
_IN_UNIT = str.maketrans({"%": r"\%", "_": r"\_", "*": r"\,", " ": "", "°": r"^{\circ}"})
_BRACED = "⌈⌊|"


class Latex(nodes.BackEnd[str]):
    """Writes formulas in LaTeX."""

    def symbol(self, node: nodes.Symbol) -> str:
        """Return the symbol of a cell as its author wrote it: it was read."""
        return node.latex

    def sign(self, node: nodes.Sign) -> str:
        """Return a sign by its command, if it has one."""
        parts = [node.text] if node.text in COMMANDS else node.text
        return "".join(f"\\{COMMANDS[part]}" if part in COMMANDS else self.escape(part) for part in parts)

    def number(self, node: nodes.Number) -> str:
        """Return a number; braces keep its commas from being read as those of a list."""
        text = node.text.replace(",", "{,}").replace("∞", r"\infty")
        text += rf"\mathrm{{{node.letter}}}" if node.letter else ""
        return text if node.power is None else rf"{text} \times 10^{{{node.power}}}"

    def unit(self, node: nodes.Unit) -> str:
        """Return a unit in upright letters."""
        texts = (f"^{{{part}}}" if place % 2 else part.translate(_IN_UNIT) for place, part in enumerate(node.parts))
        return rf"\mathrm{{{''.join(texts)}}}"

    def quantity(self, node: nodes.Quantity) -> str:
        """Return a number, a thin space and a unit."""
        return rf"{self.write(node.number)}\,{self.write(node.unit)}"

    def words(self, node: nodes.Words) -> str:
        """Return upright text."""
        return rf"\text{{{self.escape(node.text)}}}"

    def escape(self, text: str) -> str:
        """Return a text without commands."""
        return "".join(_SPECIAL.get(letter, letter) for letter in text)

    def row(self, node: nodes.Row) -> str:
        """Return nodes side by side; a blank keeps a command apart from a letter."""
        text = ""
        for part in map(self.write, node.parts):
            joint = self.escape(node.joint) if text else ""
            apart = not joint and part[:1].isalpha() and re.search(r"\\[A-Za-z]+$", text)
            text += f"{' ' if apart else joint}{part}"
        return text

    def style(self, node: nodes.Style) -> str:
        """Return a command with its argument."""
        return rf"\{node.name}{{{self.write(node.body)}}}"

    def scripts(self, node: nodes.Scripts) -> str:
        """Return a base with scripts; braces hold a base together that has scripts itself."""
        base = self.write(node.base)
        scripted = isinstance(node.base, nodes.Scripts) and (node.base.above is not None or node.below is not None)
        if scripted or isinstance(node.base, nodes.Row):
            base = f"{{{base}}}"
        return base + self._script("_", node.below) + self._script("^", node.above)

    def _script(self, sign: str, node: nodes.Node | None) -> str:
        return "" if node is None else f"{sign}{{{self.write(node)}}}"

    def fraction(self, node: nodes.Fraction) -> str:
        """Return a fraction."""
        return rf"\{'frac' if node.bar else 'binom'}{{{self.write(node.above)}}}{{{self.write(node.below)}}}"

    def root(self, node: nodes.Root) -> str:
        """Return a root."""
        degree = f"[{node.degree}]" if node.degree else ""
        return rf"\sqrt{degree}{{{self.write(node.body)}}}"

    def fenced(self, node: nodes.Fenced) -> str:
        """Return a node between delimiters."""
        opening, closing = (_DELIMITERS.get(sign, sign) for sign in (node.opening, node.closing))
        body = self.write(node.body)
        return rf"\left{opening}{f'{{{body}}}' if node.opening in _BRACED else body}\right{closing}"

    def call(self, node: nodes.Call) -> str:
        """Return a function: those that LaTeX knows by its command."""
        name = f"\\{node.name}" if node.name in NAMES else rf"\operatorname{{{node.name}}}"
        return rf"{name}{self._script('^', node.above)}\left({self.write(node.body)}\right)"

    def chain(self, node: nodes.Chain) -> str:
        """Return terms with their operators."""
        signs = ((_SIGNS.get(sign, sign).strip(), self.write(term)) for sign, term in node.terms)
        return " ".join(f"{sign} {term}" if sign else term for sign, term in signs)

    def rows(self, node: nodes.Rows) -> str:
        """Return rows as an array."""
        rows = r" \\ ".join(map(self.write, node.rows))
        return rf"\begin{{array}}{{l}} {rows} \end{{array}}"

    def line(self, node: nodes.Line) -> str:
        """Return a line with the mark of its column."""
        return f"{'' if node.before is None else f'{self.write(node.before)} '}&{self.write(node.behind)}"


class _Shared(Latex):
    """LaTeX in which parts that several lines have are written once."""

    def write(self, node: nodes.Node) -> str:
        return latex(node) if type(node) in _SHARED else super().write(node)


_SHARED = (nodes.Chain, nodes.Symbol, nodes.Unit)
_LATEX = _Shared()


@cached(maxsize=MOST_CACHED)
def latex(node: nodes.Node) -> str:
    """Return a layout in LaTeX."""
    return Latex.write(_LATEX, node)
