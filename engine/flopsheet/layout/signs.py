r"""Signs of formulas: the commands of LaTeX with their Unicode characters, fonts, accents and delimiters."""

from __future__ import annotations

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
SPACES = {",": "\u2009", ";": "\u2005", ":": "\u2005", "!": "", " ": "\u00a0", "quad": "\u2003", "qquad": 2 * "\u2003"}
