"""What the equals signs of a text mean, by the brackets that they stand in."""

from __future__ import annotations


def outside_brackets(text: str) -> str:
    """Blank out what stands in brackets, where `select(precision, bf16=...)` has equals signs of its own."""
    depth, shown = 0, []
    for character in text:
        depth -= character in ")]"
        shown.append(character if depth <= 0 else " ")
        depth += character in "(["
    return "".join(shown)


def compares(code: list[str]) -> bool:
    """Whether an equals sign behind this compares, as in `[a = b]`, and names no branch, as in `select(k, x=a)`."""
    depth, before = 0, [each for each in code if not each.isspace()]
    for place in range(len(before) - 1, -1, -1):
        depth += (before[place] in ")]") - (before[place] in "([")
        if depth < 0 and (before[place] == "[" or before[place - 1 : place] == ["select"]):
            return before[place] == "["
        depth = max(depth, 0)
    return False
