"""Templates of a trusted pack: whatever is wrong with one is its error, with file and line, and texts stay texts.

A template is code, which may take any time; so numbers and loops are small here.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.fuzz.watch import failures
from tests.report.hostile import _hostile

from flopsheet.errors import TemplateError
from flopsheet.registry.packs import packs
from flopsheet.report.forms import FORMATS
from flopsheet.report.templating import environment, render
from flopsheet.report.writeup import READABLE, WriteUp
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNKS, SIZE = 2, 600
FIELDS = sorted({field for fields in READABLE.values() for field in fields})
LEAVES = {
    "m": ["w.title", "'a '"],
    "e": ["@n", "@v", "w.@w"],
    "s": ["text", "{{ @e }}"],
}  # where a part is nested deeply already
NESTED = [("(", "1", ")"), ("[", "", "]"), ("-", "1", ""), ("", "1", "+1"), ("", "w", ".title"), ("not ", "1", "")]
NESTED += [("{'a':", "1", "}"), ("", "1", "|int"), ("1 if 1 else ", "1", ""), ("", "w", "[0]"), ("f(", "", ")")]
MARKUP = {"html": ["<script", "<b>"], "latex": ["\\input{", "$x$", "\\foo"]}  # of the texts of the write-up
TAGS = ["if 1", "for x in [1]", "block b@", "with", "macro m()", "filter upper", "call x()"]


def _parts() -> dict[str, list[str]]:
    """Return what a part of a template may be, by its letter."""
    parts = {"w": FIELDS, "f": [*environment("html").filters], "v": ["0x" + "f" * 4000, "9" * 5000]}
    for line in Path(__file__).with_name("template_parts.txt").read_text(encoding="utf-8").splitlines()[1:]:
        parts.setdefault(line[0], []).append(line[2:].encode().decode("unicode_escape"))
    return parts


class Writer:
    """Writes random templates."""

    def __init__(self, seed: str, originals: list[str]) -> None:
        self.random, self.originals, self.parts = random.Random(seed), originals, _parts()  # noqa: S311  # no secret

    def template(self) -> str:
        """Return a template: written from the parts, nested deeply, or one of ours with changes."""
        kind = self.random.random()
        if kind < 0.35:
            return self.changed(self.random.choice(self.originals))
        if kind < 0.42:
            return self.nested()
        text = "\n".join(self.part("s") for _ in range(self.random.randint(1, 5)))
        return self.changed(text) if kind < 0.55 else text

    def part(self, letter: str, depth: int = 5) -> str:
        """Return a part of a template."""
        parts = self.parts if depth else self.parts | LEAVES
        text = self.random.choice(parts[letter])
        return re.sub("@([a-z])", lambda match: self.part(match[1], max(depth - 1, 0)), text)

    def nested(self) -> str:
        """Return a template with one construct in itself, many times."""
        number = self.random.choice([5, 30, 120, 1000, 3000])
        if self.random.random() < 0.6:
            left, middle, right = self.random.choice(NESTED)
            return f"\n{{{{ {left * number}{middle}{right * number} }}}}"
        tag = self.random.choice(TAGS)
        begin = "".join(f"{{% {tag.replace('@', str(place))} %}}" for place in range(number))
        return f"{begin}x" + f"{{% end{tag.split(maxsplit=1)[0]} %}}" * number

    def changed(self, text: str) -> str:
        """Return a text with a few parts removed, repeated, moved or inserted."""
        for _ in range(self.random.randint(1, 4)):
            start, place = (self.random.randrange(len(text) + 1) for _ in range(2))
            end = start + self.random.randint(0, 60)
            part = self.random.choice([text[start:end], self.part("d"), self.part("s", 2), self.part("e", 2)])
            kept = text[:start] + text[end:] if self.random.random() < 0.5 else text
            text = kept[:place] + part + kept[place:]
        return text


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a folder with templates a trusted pack."""
    folder = tmp_path / "mine" / "templates"
    folder.mkdir(parents=True)
    (folder / "other.md.j2").write_text("{% macro m(a) %}{{ a }}{% endmacro %}{% set x = 1 %}{% set _x = w %}")
    monkeypatch.setenv("FLOPSHEET_PATH", str(folder.parent))
    monkeypatch.setenv("FLOPSHEET_TRUST", str(folder.parent))
    SESSION.drop_files()
    yield folder
    SESSION.drop_files()


def _rendered(own: Path, w: WriteUp, form: str, text: str) -> None:
    suffix = FORMATS[form].suffix
    (own / f"fuzz{suffix}").write_text(text.replace("fuzz.md.j2", f"fuzz{suffix}"), encoding="utf-8")
    try:
        page = render("fuzz", form, w=w)
    except TemplateError as error:
        place = rf"(mine/templates/(fuzz{re.escape(suffix)}|other\.md\.j2)|templates/\w+(\.\w+){{2}})"
        line = "" if "surrogates not allowed" in str(error) else r"\d+:"
        if not re.match(f"{place}:{line} ", str(error)):
            raise AssertionError(str(error)) from error
    else:
        assert form in {"markdown", "text"} or not any(markup in page for markup in MARKUP[form])


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_templates_end_with_a_page_or_their_own_error(own: Path, chunk: int, form: str) -> None:
    originals = [file.read_text(encoding="utf-8") for file in packs()[0].files("templates", f"*{FORMATS[form].suffix}")]
    writer, w = Writer(f"{form} {chunk}", originals), _hostile()
    texts = [writer.template() for _ in range(SIZE // len(FORMATS))]
    for field in READABLE[WriteUp]:
        getattr(w, field)
    assert failures(lambda text: _rendered(own, w, form, text), texts) == []
