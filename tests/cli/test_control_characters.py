"""No text of a file, and no name of one, sends a terminal a command."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from unicodedata import category

import pytest

from flopsheet.errors import readable, readable_lines
from flopsheet.registry import packs
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

EVIL = "\x1b]0;x\x07\x9b31m\u202e\x7f"
WRITTEN = "".join(f"\\u{ord(letter):04x}" for letter in EVIL)  # in a quoted text of YAML
CHIP = (
    "{}: {{name: {}, vendor: V, source: s, memory: 1 GiB, memory_bandwidth: 1 TB/s, flops: {{bf16: 1 TFLOP/s}}, {}}}\n"
)
SHEET = "sheet: {}\ntitle: {}\ncells:\n  {}: {{doc: {}, unit: byte}}\n  b: {{doc: B, unit: byte, formula: 2*a}}\n"
QUESTION = "sheet: ffn_memory\nunknown: params\ntitle: {}\nwhere: [d_model = 8, d_ff = 8, {}]\n"
SOLVE = ("solve", "ffn_memory", "params", "d_model=8", "d_ff=8", "n_blocks=1")


def _quoted(text: str = "") -> str:
    return f'"{text}{WRITTEN}"'


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a pack with control characters in each name, key and text."""
    folder = tmp_path / f"pack{EVIL}"
    files = {
        "hardware/chips/{}key.yaml": CHIP.format(_quoted("x"), "N", ""),
        "hardware/chips/{}name.yaml": CHIP.format("x1", _quoted("N"), ""),
        "hardware/chips/{}figure.yaml": CHIP.format("x2", "N", f"{_quoted('f')}: 1"),
        "hardware/chips/{}note.yaml": CHIP.format("x3", "N", f"note: {_quoted()}"),
        "hardware/chips/{}good.yaml": CHIP.format("x4", "N", ""),
        "hardware/chips/{}raw.yaml": CHIP.format("x5", f"N{EVIL}", ""),
        "hardware/{}astray.yaml": "a: 1\n",
        "hardware/sources.yaml": f"s: {{title: {_quoted()}}}\n{_quoted()}: {{title: T}}\n",
        "models/one.yaml": SHEET.format("one", _quoted(), "a", "A"),
        "models/two.yaml": SHEET.format("two", "T", _quoted("a"), "A"),
        "models/three.yaml": SHEET.format("three", "T", "a", _quoted()),
        "models/four{}.yaml": SHEET.format("four", "T", "a", "A"),
        "models/five{}.py": "",
        "models/nomenclature.yaml": f"{_quoted('n')}: {{symbol: a, meaning: {_quoted()}}}\n",
        "templates/{}page.md.j2": "x",
        "questions/{}one.yaml": QUESTION.format("T", "n_blocks = 1"),
        "questions/{}two.yaml": QUESTION.format("T", _quoted("n_blocks = 1")),
        "questions/three.yaml": QUESTION.format(_quoted(), "n_blocks = 1"),
        "questions/four.yaml": QUESTION.format("T", "n_blocks = 1") + f"{_quoted()}: 1\n",
        "questions/five.yaml": QUESTION.format("T", "n_blocks = 1") + f"include: {_quoted()}\n",
        "questions/six.yaml": QUESTION.format("T", "n_blocks = 1") + f"template: {_quoted()}\n",
    }
    for name, text in files.items():
        file = folder / name.format(EVIL)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setattr(packs, "_named", [])
    SESSION.drop_files()
    yield folder
    SESSION.drop_files()


COMMANDS = [
    ("packs",),
    ("pack", "list"),
    ("pack", "check", EVIL),
    ("pack", "new", EVIL),
    ("pack", "add", EVIL),
    ("pack", "remove", EVIL),
    ("ask", EVIL),
    ("ask", f"{EVIL}:{EVIL}"),
    ("hardware", "where", f"{EVIL}:{EVIL}"),
    ("templates",),
    ("sheets",),
    ("sheets", "one"),
    ("sheets", "two"),
    ("sheets", "three"),
    ("sheets", f"four{EVIL}"),
    ("sheets", f"five{EVIL}"),
    ("hardware", "list"),
    ("hardware", "list", "--as", "json"),
    ("hardware", "list", "--as", "csv"),
    ("hardware", "list", "--as", "markdown"),
    ("hardware", "list", "--where", f"{EVIL} = 1"),
    ("hardware", "show", "x4"),
    ("hardware", "show", "x4", "--as", "json"),
    ("hardware", "show", EVIL),
    ("hardware", "where", "x4"),
    ("hardware", "check"),
    ("solve", "one", "b", "a=1 byte"),
    ("solve", "two", "b", "a=1 byte"),
    ("solve", EVIL),
    (*SOLVE, "--as", "markdown"),
    (*SOLVE, "--template", EVIL),
    (*SOLVE, "-o", f"x.{EVIL}"),
    (*SOLVE, "-o", f"nowhere{EVIL}/x.md"),
    (*SOLVE, f"{EVIL}=1"),
    (EVIL,),
]


def _are_harmless(texts: tuple[str, ...]) -> bool:
    return all(
        letter.isprintable() or letter in "\n\t" or category(letter) == "Zs" for text in texts for letter in text
    )


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
def test_commands_print_no_control_characters(command: tuple[str, ...], pack: Path, run: Run) -> None:
    assert _are_harmless(run("--pack", str(pack), *command)[1:])


@pytest.mark.parametrize("form", ["text", "github"])
def test_a_check_of_a_pack_prints_no_control_characters(form: str, pack: Path, run: Run) -> None:
    code, out, err = run("pack", "check", str(pack), "--as", form)
    assert code == 2
    assert _are_harmless((out, err))


def test_questions_print_no_control_characters(pack: Path, run: Run) -> None:
    folder = str(pack / "questions")
    code, out, err = run("ask", folder)
    assert code == 2
    assert out.count("\n") == 6
    assert _are_harmless((out, err))
    for name in os.listdir(folder):  # noqa: PTH208
        assert _are_harmless(run("ask", f"{folder}/{name}")[1:])


def test_the_filter() -> None:
    assert readable("a\u00a0b\u2009é中😀") == "a\u00a0b\u2009é中😀"
    assert readable(EVIL) == r"\x1b]0;x\x07\x9b31m\u202e\x7f"
    assert readable("a\n\t\udcff\u200b") == r"a\x0a\x09\udcff\u200b"
    assert readable_lines("a\n\tb\r\x1b\n") == "a\n\tb\\x0d\\x1b\n"
