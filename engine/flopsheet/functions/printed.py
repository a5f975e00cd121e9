"""How functions are printed: as formulas write them, as people read them, and in spreadsheets."""

from __future__ import annotations

from flopsheet.layout.nodes import SUM, Call, Node, listed


class Printed:
    """The printed forms of a function, each made of the printed forms of its terms.

    Args:
        name: what formulas call it.
        excel_name: what spreadsheets call it; empty for the same name in capitals.
        operand: how tightly a term must hold together in the text of a spreadsheet, else it is put in brackets.
        unit: the unit of its value where its terms have another: a number that is added to it is shown with it.
    """

    name: str = ""
    excel_name: str = ""
    operand: int = SUM
    unit: str = ""

    def written(self, *terms: Node) -> Node:
        """Return how formulas write it: by its name."""
        return Call(self.name, listed(*terms))

    def layout(self, *terms: Node) -> Node:
        """Return how people read it, in LaTeX, MathML and every other format: by its name."""
        return Call(self.name, listed(*terms))

    def excel(self, *terms: str) -> str:
        """Return how a spreadsheet computes it, as a text that holds together like a call."""
        return f"{self.excel_name or self.name.upper()}({','.join(terms)})"


def excel_near_integer(term: str) -> str:
    """Return the test of a spreadsheet for a number that is an integer within the rounding of floats."""
    return f"ABS({term}-ROUND({term},0))<=1E-12*ABS({term})"


def excel_comparison(left: str, sign: str, right: str) -> str:
    """Return a comparison of a spreadsheet: `<=`, `>=` and `=` allow for rounding, `<` and `>` ask for more than it."""
    larger = f"MAX(ABS({left}),ABS({right}))"
    if sign == "=":
        return f"ABS({left}-{right})<=1E-9*{larger}"
    small, large = (left, right) if sign in ("<", "<=") else (right, left)
    if sign in ("<=", ">="):
        return f"{small}-{large}<=1E-9*{larger}"
    return f"{large}-{small}>1E-12*{larger}"
