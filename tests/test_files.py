"""Files that we write: whole or not at all, and never through a link or into a device."""

from __future__ import annotations

import errno
import os
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from flopsheet.files import obstacle, replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _stopped(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("fault", [_full, _stopped])
def test_a_fault_keeps_the_old_file_and_leaves_nothing(
    call: str, fault: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answer.md"
    file.write_text("old")
    monkeypatch.setattr(os, call, fault)
    with pytest.raises((OSError, KeyboardInterrupt)):
        replace(file, b"new")
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("answer.md", "old")]


def test_permissions_are_kept_and_new_files_have_the_usual_ones(tmp_path: Path) -> None:
    old, new, usual = (tmp_path / name for name in ("old", "new", "usual"))
    old.write_text("")
    old.chmod(0o640)
    usual.write_text("")
    for file in (old, new):
        replace(file, b"x")
        assert file.read_bytes() == b"x"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == usual.stat().st_mode


def test_a_link_that_appears_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("target")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    replace(tmp_path / "link", b"new")
    assert (tmp_path / "target").read_text() == "target"
    assert not (tmp_path / "link").is_symlink()


def test_what_cannot_be_replaced_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "read-only").write_text("")
    (tmp_path / "read-only").chmod(0o444)
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nothing")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    problems = {name: obstacle(tmp_path / name) for name in (*os.listdir(tmp_path), "new", "file/x", "x" * 300)}  # noqa: PTH208
    assert "embedded null" in obstacle(tmp_path / "a\0b")  # Python words it differently from version to version
    link, other = "This is a link, which is not followed.", "This is not a regular file."
    assert problems == {
        "file": "",
        "new": "",
        "read-only": "The file is read-only.",
        "link": link,
        "loop": link,
        "gone": link,
        "folder": "This is a directory.",
        "pipe": other,
        "socket": other,
        "file/x": "The file cannot be written: Not a directory.",
        "x" * 300: "The file cannot be written: File name too long.",
    }
    assert obstacle("/dev/null") == other
