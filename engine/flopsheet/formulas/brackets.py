"""The meaning of an equals sign, by the brackets around it: a relation, a comparison or the name of a branch."""

from __future__ import annotations


def outside_brackets(text: str) -> str:
    """Return a text with all brackets blanked out, and so the equals signs of `select(precision, bf16=...)`."""
    depth, shown = 0, []
    for character in text:
        depth -= character in ")]"
        shown.append(character if depth <= 0 else " ")
        depth += character in "(["
    return "".join(shown)


def compares(code: list[str]) -> bool:
    """Whether an equals sign after this code compares, as in `[a = b]`; in `select(k, x=a)` it names a branch."""
    depth, before = 0, [token for token in code if not token.isspace()]
    for place in range(len(before) - 1, -1, -1):
        depth += (before[place] in ")]") - (before[place] in "([")
        if depth < 0 and (before[place] == "[" or before[place - 1 : place] == ["select"]):
            return before[place] == "["
        depth = max(depth, 0)
    return False
