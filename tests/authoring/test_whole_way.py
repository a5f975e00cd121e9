"""The whole way of a pack, from nothing to a package that others install, in under ten commands."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MOST_COMMANDS = 10
OVERRIDE = "chips:\n  h100-sxm: {extends: h100-sxm, override: true, source: mine-tests, power: 500 W}\n"
# What `python -m pip` is told: nothing is fetched, and what is installed goes to a folder of the test.
OFFLINE = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class Person:
    """Somebody who types commands in a folder."""

    def __init__(self, home: Path) -> None:
        self.folder, self.site, self.commands = home / "work", home / "site", 0
        self.folder.mkdir()
        self.site.mkdir()
        self.environment = {
            **os.environ,
            **OFFLINE,
            "PIP_TARGET": str(self.site),
            "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(self.site)]),
            "XDG_CONFIG_HOME": str(home / "config"),
            "HOME": str(home),
        }

    def run(self, *words: str, inside: str = "", code: int = 0) -> str:
        """Run flopsheet, and return what it prints and reports; its exit code must be the one that is expected."""
        self.commands += 1
        done = subprocess.run(
            [sys.executable, "-m", "flopsheet", *words],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
            cwd=self.folder / inside,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def edit(self, before: str, after: str) -> None:
        """Replace a text in the file of the pack."""
        file = self.folder / "mine" / "flopsheet.yaml"
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.slow
def test_a_pack_is_made_edited_checked_used_overridden_and_installed(tmp_path: Path) -> None:
    for module in ("pip", "hatchling"):
        pytest.importorskip(module, reason="packs are installed with it")
    person = Person(tmp_path)
    person.run("pack", "new", "mine")
    person.edit("memory: 96 GiB", "memory: 96 TB")
    assert "Did you mean 96 GB?" in person.run("pack", "check", "mine")
    person.edit("memory: 96 TB", "memory: 192 GiB")
    person.edit("\nchips:\n", f"\n{OVERRIDE}")
    assert "n_chips <= 1666.7 chip, so 1666 chip" in person.run("ask", "mine-chips", inside="mine")
    assert "500 W" in person.run("hardware", "show", "h100", inside="mine/.github/workflows")
    person.run("pack", "add", "./mine")
    assert "mine:h100-sxm" in person.run("hardware", "where", "h100")
    person.run("pack", "remove", "mine")
    subprocess.run(["git", "init", "--quiet"], check=True, cwd=person.folder / "mine")  # noqa: S607
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "add", "."], check=True, cwd=person.folder / "mine")  # noqa: S607
    subprocess.run(["git", *author, "commit", "-qm", "Begin"], check=True, cwd=person.folder / "mine")  # noqa: S607
    added = person.run("pack", "add", f"git+{(person.folder / 'mine').as_uri()}")
    assert f"Added the pack 'mine' (installed) in {person.site / 'flopsheet_mine'}: 2 chips, 1 system" in added
    solved = person.run("solve", "mine:mine_room", "n_chips", "chip=mine:h100-sxm", "site=mine-site", "power <= 1 MW")
    assert "n_chips <= 1041.7 chip, so 1041 chip" in solved
    assert person.commands <= MOST_COMMANDS


@pytest.mark.slow
def test_a_pack_is_installed_from_a_folder_by_pip(tmp_path: Path) -> None:
    for module in ("pip", "hatchling"):
        pytest.importorskip(module, reason="packs are installed with it")
    person = Person(tmp_path)
    person.run("pack", "new", "mine")
    command = [sys.executable, "-m", "pip", "install", "--quiet", str(person.folder / "mine")]
    subprocess.run(command, check=True, env=person.environment, cwd=tmp_path)
    assert sorted(file.name for file in (person.site / "flopsheet_mine").iterdir()) == ["flopsheet.yaml"]
    (row,) = (line.split() for line in person.run("pack", "list").splitlines() if line.startswith("mine"))
    assert row[:3] == ["mine", "installed", "yes"]
    assert "n_chips <= 1666.7 chip" in person.run("ask", "mine:mine-chips")
    (person.site / "flopsheet_mine" / "flopsheet.yaml").unlink()
    listed = person.run("pack", "list")
    assert "installed pack 'mine': Its folder" in listed
    assert "Its data files were not packaged" in listed
