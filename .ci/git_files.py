"""Keeps what git does not track out of source distributions: notes and backup files lie beside the sources."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GitFiles(BuildHookInterface[Any]):
    """Excludes untracked files; where there is no repository, in an unpacked distribution, all files came from one."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  # the signature of hatchling
        """Add the untracked files to what the target excludes."""
        excluded = self.build_config.target_config.setdefault("exclude", [])
        excluded += [f"/{name.translate(_ESCAPED)}" for name in self._untracked()]

    def _untracked(self) -> list[str]:
        top = self._git("rev-parse", "--show-toplevel").strip()
        if not top or not Path(top).samefile(self.root):
            return []
        return [name for name in self._git("ls-files", "--others", "--directory", "-z").split("\0") if name]

    def _git(self, *arguments: str) -> str:
        command = ["git", *arguments]  # no shell, and no argument from outside
        try:
            done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)  # noqa: S603
        except OSError:
            return ""
        return done.stdout if done.returncode == 0 else ""


_ESCAPED = str.maketrans({letter: f"\\{letter}" for letter in "\\*?[]!# "})
