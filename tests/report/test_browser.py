"""Every write-up in a browser: each formula is set without an error, and no dollar sign is left over."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.batches import batches
from tests.report.pages import EVERY, page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PACKAGES = ["markdown-it", "katex", "playwright-core"]
PATIENCE = 300

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


def inspected(modules: Path, script: str, files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield what a script finds in each batch of files in the browser."""
    command = [_tool("node"), str(Path(__file__).with_name(script)), str(modules), _tool("chromium")]
    for batch in batches(files):
        process = subprocess.run(
            [*command, *map(str, batch)], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert process.returncode == 0, process.stderr
        yield json.loads(process.stdout)


def _found(modules: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Return what the browser finds in each file."""
    return {name: seen for found in inspected(modules, "browser.js", files) for name, seen in found.items()}


def test_every_page_shows_its_formulas(modules: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.md" for name in EVERY]
    for file in files:
        file.write_text(page(file.stem), encoding="utf-8")
    results = _found(modules, files)
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
    seen = _found(modules, [file])["wrong.md"]
    assert len(seen["errors"]) == 2
    assert len(seen["dollars"]) == 1
    assert seen["formulas"] == 3
