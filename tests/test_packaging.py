"""Works as wheel, editable install, git URL and bare checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
ASK = ["solve", "ffn_memory", "n_fsdp", "d_model=16384", "d_ff=53248", "n_blocks=126", "batch=128", "seq_len=1024"]
FITS = ["chip=tpu-v5p", "device_memory <= chip.memory"]


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    texts = [str(each) for each in command]
    done = subprocess.run(texts, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", target, ROOT)
    return next(target.glob("*.whl"))


def _installed(folder: Path, *what: str) -> Path:
    """Return the Python of a new environment with flopsheet installed in it, dependencies borrowed from this one."""
    _run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    (next(folder.glob("lib/*/site-packages")) / "borrowed.pth").write_text(
        sysconfig.get_path("purelib"), encoding="utf-8"
    )
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--force-reinstall", "--quiet")
    _run(sys.executable, "-m", "pip", "--python", python, "install", *offline, *what)
    return python


def _answers(python: Path) -> None:
    assert _run(python, "-m", "flopsheet", *ASK, *FITS, cwd=Path("/")).endswith("\nn_fsdp >= 45.76, so 46\n")


def test_wheel_holds_everything_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.partition("/")[0] for name in names} == {
        "flopsheet",
        f"flopsheet-{wheel.name.split('-')[1]}.dist-info",
    }
    expected = {
        f"flopsheet/{path.relative_to(ROOT / 'engine' / 'flopsheet')}"
        for path in _sources(ROOT / "engine" / "flopsheet")
    }
    for pack in ("hardware", "models", "templates"):
        expected |= {f"flopsheet/builtin/{path.relative_to(ROOT)}" for path in _sources(ROOT / pack)}
    assert {name for name in names if ".dist-info" not in name} == expected
    assert "flopsheet/py.typed" in names


def _sources(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def test_sdist_keeps_the_layout(wheel: Path) -> None:
    import tarfile

    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as archive:
        folders = {name.split("/")[1] for name in archive.getnames() if name.count("/") > 1}
    assert folders == {".ci", "engine", "hardware", "models", "templates", "tests"}


def test_distributions_hold_files_of_git_alone(tmp_path: Path) -> None:
    """A private note, a backup file and a folder that git does not track are shipped by neither of the two."""
    import tarfile

    clone = tmp_path / "clone"
    _run("git", "clone", "-q", ROOT, clone)
    for name in ("models/notes [private]!.md", "hardware/chips/google.yaml~", "tests/scratch/x.py", "engine/#a b.txt"):
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text("private", encoding="utf-8")
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", clone)
    tracked = set(_run("git", "ls-files", cwd=clone).splitlines())
    with tarfile.open(next((tmp_path / "dist").glob("*.tar.gz"))) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()} - {"PKG-INFO"}
    assert shipped <= tracked
    assert {"README.md", "SECURITY.md", "models/ffn_memory.py", ".ci/git_files.py"} <= shipped
    names = zipfile.ZipFile(next((tmp_path / "dist").glob("*.whl"))).namelist()
    packs = [name.removeprefix("flopsheet/builtin/") for name in names if name.startswith("flopsheet/builtin/")]
    assert {name for name in packs if "/" in name} <= tracked


def test_wheel_answers_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    _answers(_installed(tmp_path / "venv", str(wheel)))


def test_editable_install_answers_and_sees_edits(tmp_path: Path) -> None:
    _run("git", "clone", "-q", ROOT, tmp_path / "clone")
    python = _installed(tmp_path / "venv", "-e", str(tmp_path / "clone"))
    _answers(python)
    chips = tmp_path / "clone" / "hardware" / "chips" / "google.yaml"
    chips.write_text(chips.read_text(encoding="utf-8").replace("value: 95 GiB", "value: 96 GiB"), encoding="utf-8")
    assert _run(python, "-m", "flopsheet", *ASK, *FITS).endswith("\nn_fsdp >= 45.28, so 46\n")


def test_git_url_answers(tmp_path: Path) -> None:
    _answers(_installed(tmp_path / "venv", f"git+file://{ROOT}"))


def test_bare_checkout_answers(tmp_path: Path) -> None:
    _run("git", "clone", "-q", ROOT, tmp_path / "clone")
    code = "import sys; sys.path.insert(0, 'engine'); from flopsheet.cli import main; main()"
    shown = _run(sys.executable, "-c", code, *ASK, *FITS, cwd=tmp_path / "clone")
    assert shown.endswith("\nn_fsdp >= 45.76, so 46\n")
