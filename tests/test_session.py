"""The session: what files said is read again when they change, and only then."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

import flopsheet
from flopsheet.session import SESSION, cached, cached_from_files, fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


LONG_AGO = time.time() - 3600


class Files:
    """A cached reader of the text of a file and of the names in its folder, which counts how often it reads."""

    def __init__(self, folder: Path) -> None:
        self.file, self.reads = folder / "a.txt", 0
        self.text = cached_from_files(self._text)
        self.shouted = cached_from_files(self._shouted)
        self.names = cached_from_files(self._names)
        self.public: Callable[[], str] = fresh(self.text)
        self.shout: Callable[[], str] = fresh(self.shouted)
        self.listed: Callable[[], list[str]] = fresh(self.names)

    def _text(self) -> str:
        self.reads += 1
        SESSION.watch(self.file)
        return self.file.read_text() if self.file.exists() else ""

    def _shouted(self) -> str:
        return self.text().upper()

    def _names(self) -> list[str]:
        self.reads += 1
        SESSION.watch(self.file.parent)
        return sorted(file.name for file in self.file.parent.iterdir())

    def write(self, text: str, *, when: float = 0) -> None:
        self.file.write_text(text)
        if when:
            os.utime(self.file, (when, when))


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    before = list(SESSION._caches)
    yield Files(tmp_path)
    SESSION._caches[:] = before


def test_a_file_is_read_once_while_it_does_not_change(files: Files) -> None:
    files.write("a", when=LONG_AGO)
    assert [files.public() for _ in range(3)] == ["a"] * 3
    assert files.reads == 1


def test_a_change_is_seen_by_the_next_call_and_by_what_rests_on_it(files: Files) -> None:
    files.write("a", when=LONG_AGO)
    assert (files.public(), files.shout()) == ("a", "A")
    files.write("b", when=LONG_AGO + 1)
    assert (files.shout(), files.public()) == ("B", "b")
    files.file.unlink()
    assert (files.public(), files.shout()) == ("", "")
    files.write("c", when=LONG_AGO)
    assert (files.public(), files.shout()) == ("c", "C")
    assert files.reads == 4


def test_a_change_within_one_tick_of_the_clock_is_seen(files: Files) -> None:
    now = time.time()
    for text in ("a", "b", "c"):  # of one size, with one time stamp
        files.write(text, when=now)
        assert files.public() == text
    assert files.public() == "c"
    assert files.reads == 3


def test_one_call_sees_one_state(files: Files) -> None:
    files.write("a", when=LONG_AGO)

    @fresh
    def twice() -> tuple[str, str]:
        before = files.public()
        files.write("b", when=LONG_AGO + 1)
        return before, files.public()

    assert twice() == ("a", "a")
    assert files.public() == "b"


def test_names_of_a_folder_count_and_its_time_does_not(files: Files) -> None:
    files.write("a")
    assert files.listed() == ["a.txt"]
    other = files.file.with_name("b.txt")
    other.write_text("")
    assert files.listed() == ["a.txt", "b.txt"]
    other.unlink()
    other.write_text("")
    os.utime(files.file.parent, (LONG_AGO, LONG_AGO))
    assert files.listed() == ["a.txt", "b.txt"]
    assert files.reads == 2


def test_a_failure_is_not_cached(files: Files) -> None:
    files.write("a")
    files.file.chmod(0o000)
    if os.access(files.file, os.R_OK):
        files.file.write_bytes(b"\xff")
    with pytest.raises((OSError, UnicodeDecodeError)):
        files.public()
    files.file.chmod(0o600)
    files.write("b")
    assert files.public() == "b"
    assert not SESSION.thread.reading
    assert not SESSION.thread.running


def test_reload_empties_both_sorts(files: Files) -> None:
    calls = []

    @cached(maxsize=8)
    def double(number: int) -> int:
        calls.append(number)
        return 2 * number

    files.write("a", when=LONG_AGO)
    for _ in range(2):
        assert (double(2), files.public()) == (4, "a")
    assert (calls, files.reads) == ([2], 1)
    flopsheet.reload()
    assert (double(2), files.public()) == (4, "a")
    assert (calls, files.reads) == ([2, 2], 2)


@pytest.mark.parametrize("setting", ["FLOPSHEET_PATH", "FLOPSHEET_TRUST", "the current folder"])
def test_a_changed_setting_is_seen(files: Files, tmp_path: Path, setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write("a", when=LONG_AGO)
    files.public()
    if setting.startswith("FLOPSHEET"):
        monkeypatch.setenv(setting, str(tmp_path))
    else:
        monkeypatch.chdir(tmp_path)
    files.public()
    files.public()
    assert files.reads == 2


def test_what_is_installed_is_not_looked_at(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SESSION, "_installed", SESSION._installed)
    SESSION.do_not_watch(files.file.parent)
    files.write("a", when=LONG_AGO)
    assert files.public() == "a"
    files.write("b", when=LONG_AGO + 1)
    assert files.public() == "a"
    flopsheet.reload()
    assert files.public() == "b"
