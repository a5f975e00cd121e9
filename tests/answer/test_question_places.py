"""Every mistake in a question file names file and line, also one that shows when the question is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import read_question
from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from pathlib import Path

ASKED = "sheet: ffn_memory\nunknown: params\nwhere:\n- d_model = 4\n"
TABLE = f"{ASKED}- n_blocks = 2\ntable:"
MANY = ", ".join(map(str, range(1, 600)))
MISTAKES = {
    "empty": ("", "1:1: The file is empty."),
    "text": ("a", "1:1: Expected a mapping."),
    "no-where": ("sheet: ffn_memory\n", "1:1: The key 'where' is missing."),
    "no-sheet": ("sheet: nope\nwhere: x = 1\n", "1:8, sheet: There is no sheet 'nope'."),
    "null-sheet": ("sheet: ~\nwhere: x = 1\n", "1:8, key 'sheet': Expected a text."),
    "where-mapping": ("sheet: ffn_memory\nwhere: [{}]\n", "2:9, key 'where': Expected a text."),
    "cell": (f"{ASKED}- nope = 4\n", "5:3, relation 'nope = 4': There is no cell 'nope'."),
    "digits": (f"{ASKED}- d_ff = 010\n", "5:3, relation 'd_ff = 010': '010' can be read as several numbers."),
    "date": (f"{ASKED}- d_ff = 2024-01-01\n", "5:3, relation 'd_ff = 2024-01-01': '2024-01-01' is a date"),
    "twice": (f"{ASKED}- d_model = 5\n", "5:3, relation 'd_model = 5': 'd_model' is already given"),
    "unknown": ("sheet: ffn_memory\nunknown: parms\nwhere: d_model = 4\n", "2:10, unknown 'parms': There is no cell"),
    "budget": (f"{ASKED}budget: 5 GB\n", "5:9, budget: '5 GB' is no time above zero."),
    "best": (f"{ASKED}best: max:x\n", "5:7, best 'max:x': There is no cell 'x'."),
    "without": (f"{ASKED}without: x\n", "5:10, without 'x': There is no limit 'x'."),
    "include": (f"{ASKED}include: nope.yaml\n", "5:10, key 'include', nope.yaml: The file cannot be read"),
    "table": (f"{TABLE} 5\n", "6:8, key 'table': Expected a mapping."),
    "table-cell": (f"{TABLE} {{vary: {{x: [5]}}}}\n", "6:16, table of 'ffn_memory': There is no cell 'x'."),
    "table-empty": (f"{TABLE} {{vary: {{d_ff: []}}}}\n", "6:22, key 'table.vary.d_ff': It is empty."),
    "table-rows": (f"{TABLE} {{vary: {{d_ff: [{MANY}]}}}}\n", "4:1, table of 'ffn_memory': It has 599 rows"),
    "key": (f"{ASKED}foo: nope\n", "5:1, key 'foo': There is no such key."),
    "undetermined": (ASKED, "2:10, unknown 'params': 'params' cannot be found: 'd_ff' and 'n_blocks' are not given."),
    "unchecked": ("sheet: ffn_memory\nwhere:\n- n_fsdp >= 4\n", "3:3, question: 'n_fsdp >= 4' cannot be checked"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_names_file_and_line(case: str, tmp_path: Path) -> None:
    text, message = MISTAKES[case]
    file = tmp_path / "question.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FlopsheetError) as caught:
        read_question(file).answer()
    assert str(caught.value).startswith(f"{file}:{message}")
    assert str(caught.value).count(str(file)) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"sheet: ffn_memory\nwhere: \xff", "2:8: Byte 25 is not UTF-8 text."),
        (b"sheet: ffn_memory\nwhere:\n- a\x1b[31m = 1", "3:4: U+001B is not text."),
        (b"sheet: ffn_memory\nwhere: [", "3:1: This is not YAML"),
    ],
)
def test_bytes_that_are_no_text_name_the_line(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    file.write_bytes(data)
    with pytest.raises(FlopsheetError) as caught:
        read_question(file)
    assert str(caught.value).startswith(f"{file}:{message}")


def test_a_mistake_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "shared.yaml").write_text("where:\n- d_ff = 5\n- nope = 5\n", encoding="utf-8")
    (tmp_path / "question.yaml").write_text(f"{ASKED}include: shared.yaml\n", encoding="utf-8")
    with pytest.raises(FlopsheetError, match=r"^shared\.yaml:3:3, relation 'nope = 5': There is no cell 'nope'"):
        read_question(tmp_path / "question.yaml")
