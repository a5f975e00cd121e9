"""Every write-up in a browser: each formula is set without an error, and no dollar sign is left over."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.report.pages import EVERY, page

PACKAGES = ["markdown-it", "katex", "playwright-core"]
PATIENCE = 300
TOGETHER = 16  # pages that the browser inspects in one call, each of which may take that long

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one installation, each question answered once


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which the packages are installed."""
    folder = tmp_path_factory.mktemp("npm")
    command = [_tool("npm"), "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *PACKAGES]
    try:
        process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("npm takes too long")
    if process.returncode:
        pytest.skip(f"npm cannot install {', '.join(PACKAGES)}: {process.stderr[-200:]}")
    return folder


def _inspected(modules: Path, files: list[Path]) -> dict[str, Any]:
    """Return what the browser finds in each file."""
    script = Path(__file__).with_name("browser.js")
    command = [_tool("node"), str(script), str(modules), _tool("chromium")]
    results: dict[str, Any] = {}
    for first in range(0, len(files), TOGETHER):
        batch = map(str, files[first : first + TOGETHER])
        process = subprocess.run([*command, *batch], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert process.returncode == 0, process.stderr
        results |= json.loads(process.stdout)
    return results


def test_every_page_shows_its_formulas(modules: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.md" for name in EVERY]
    for file in files:
        file.write_text(page(file.stem), encoding="utf-8")
    results = _inspected(modules, files)
    assert len(results) == len(EVERY)
    for file in files:
        seen, text = results[file.name], page(file.stem)
        assert seen["errors"] == [], file.name
        assert seen["dollars"] == [], file.name
        assert seen["wide"] == [], file.name
        assert seen["formulas"] == text.count("$`") + text.count("```math")


def test_mistakes_are_seen(modules: Path, tmp_path: Path) -> None:
    file = tmp_path / "wrong.md"
    file.write_text(
        "A $`\\frac{1`$ and $`\\nothing`$, a $ that stays\n\n1. Step\n\n   ```math\n   a\n   ```\n", encoding="utf-8"
    )
    seen = _inspected(modules, [file])["wrong.md"]
    assert len(seen["errors"]) == 2
    assert len(seen["dollars"]) == 1
    assert seen["formulas"] == 3
