"""Any file as a question: an answer or an error of ours that names file and line, soon. 3,000 of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.fuzz.texts import CLEAR, FILES, PIECES, UNCLEAR, Texts
from tests.fuzz.watch import SECONDS, Looks, failures

from flopsheet import budget, read_question
from flopsheet.errors import FlopsheetError
from flopsheet.registry import reading_time
from flopsheet.sheets.catalogue import sheet

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS, EACH, FEWEST = 2, 600, 20
BUDGET, ANSWERED = 0.05, 5  # seconds; every so many-th question that can be read is answered
KEYS = (
    "sheet",
    "unknown",
    "where",
    "without",
    "budget",
    "best",
    "table",
    "include",
    "title",
    "template",
    "vary",
    "show",
)
NODES = (
    "",
    "~",
    "null",
    "[]",
    "{}",
    "[[]]",
    "{a: b}",
    "[~]",
    "yes",
    "5",
    "&a x",
    "*a",
    "!!int 3",
    "|",
    "'",
    '"',
    "- ",
    "\t",
)
BYTES = (b"\xff", b"\xef\xbb\xbf", b"\0", b"\x1b[31m", b"\xed\xa0\x80", b"\xc3", b"---\n", b"\r", b"\xe2\x80\xa8")
OURS = [file.read_text(encoding="utf-8") for file in FILES]


def files(texts: Texts) -> list[bytes]:
    """Return files: grown questions, our own with lines and pieces changed, and a few with bytes that are no text."""
    draw = texts.random

    def grown() -> str:
        where = "".join(
            f"- {_quoted(texts.relation() if draw.random() < 0.5 else texts.fitting())}\n"
            for _ in range(draw.randint(0, 4))
        )
        unknown = draw.choice(
            (draw.choice(texts.names), f"[{draw.choice(texts.names)}, {draw.choice(texts.names)}]", draw.choice(NODES))
        )
        lines = [
            f"sheet: {texts.sheet.name}",
            f"unknown: {unknown}",
            f"where:\n{where}".rstrip("\n"),
            f"budget: {BUDGET} s",
        ]
        if draw.random() < 0.2:
            values = ", ".join(draw.choice((*CLEAR, *UNCLEAR)) for _ in range(draw.randint(0, 3)))
            lines.append(
                f"table: {{vary: {{{draw.choice(texts.names)}: [{values}]}}, show: {draw.choice(texts.names)}}}"
            )
        if draw.random() < 0.4:
            lines[draw.randrange(len(lines))] = (
                f"{draw.choice(KEYS)}: {draw.choice((*NODES, *PIECES, texts.relation()))}"
            )
        return "\n".join(lines)

    def mutated() -> str:
        lines = draw.choice(OURS).splitlines()
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(lines))
            lines[at] = draw.choice(
                (lines[at][1:], lines[at] * 2, f" {lines[at]}", texts.mutated(lines[at]), draw.choice(lines))
            )
        return "\n".join([*(line for line in lines if not line.startswith("budget")), f"budget: {BUDGET} s"])

    def content() -> bytes:
        data = draw.choice((grown, grown, mutated))().encode("utf-8", "surrogatepass")
        at = draw.randint(0, len(data))
        return data[:at] + draw.choice(BYTES) + data[at:] if draw.random() < 0.05 else data

    return [content() for _ in range(EACH)]


def _quoted(text: str) -> str:
    return f"'{text}'" if "\n" not in text and "'" not in text else text


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_file_is_a_question_or_an_error_with_its_line(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "monotonic", Looks())
    monkeypatch.setattr(reading_time, "thread_time", time.thread_time)
    file, read = tmp_path / "question.yaml", 0
    texts = Texts(chunk, sheet(("ffn_memory", "training_run", "compute_bound_batch")[chunk % 3]), ["d_model = 4096"])

    def ask(content: bytes) -> None:
        nonlocal read
        file.write_bytes(content)
        try:
            asked = read_question(file)
            read += 1
            if read % ANSWERED == 0:
                asked.answer()
        except FlopsheetError as error:
            mistakes = getattr(error, "problems", ()) or (error,)
            if not all(mistake.where.startswith(f"{file}:") for mistake in mistakes):
                raise LookupError(f"no line in {error.where}: {error.problem}") from None
            raise

    assert failures(ask, files(texts), seconds=SECONDS + 4 * BUDGET) == []
    assert read >= FEWEST, "too few files are questions"
