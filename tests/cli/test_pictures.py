"""The option `--picture`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.test_main import FITS, QUESTION, SOLVE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]


def test_graphs_are_written_beside_the_answer(run: Run, tmp_path: Path) -> None:
    drawn, text = tmp_path / "graph.svg", tmp_path / "graph.mmd"
    code, out, err = run(*SOLVE, *FITS, "--picture", f"graph:{drawn}", "--picture", f"graph:{text}")
    assert (code, err) == (0, "")
    assert out.endswith("\nn_fsdp >= 45.76, so 46\n")
    assert drawn.read_text().startswith("<svg ")
    assert text.read_text().startswith("flowchart LR\n")


def test_curves_are_written(run: Run, tmp_path: Path) -> None:
    bound, driven = tmp_path / "bound.svg", tmp_path / "driven.tex"
    code, _, err = run(*SOLVE, *FITS, "--picture", f"curve:{bound}", "--picture", f"curve:n_blocks:{driven}")
    assert (code, err) == (0, "")
    assert "device_memory against n_fsdp" in bound.read_text()
    assert r"n\_\allowbreak{}fsdp against n\_\allowbreak{}blocks" in driven.read_text()


def test_charts_are_written(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    moved, part = tmp_path / "t.svg", tmp_path / "w.png"
    code, _, _ = run(
        "ask", str(QUESTION), "--picture", f"tornado:{moved}", "--picture", f"waterfall:total_memory:{part}"
    )
    assert code == 0
    assert b"<svg" in moved.read_bytes()
    assert part.read_bytes().startswith(b"\x89PNG")


ZERO = "replicated_activation_fraction"


def test_an_input_along_which_an_answer_is_searched_has_the_true_reason(run: Run, tmp_path: Path) -> None:
    where = ("model=llama-3-70b", "chip=h200-sxm", "n_tp=8", "prompt_len=7000", "output_len=1000")
    picture = f"curve:prompt_len:{tmp_path / 'x.svg'}"
    code, _, err = run("solve", "serving", "n_sequences", *where, "token_time <= 30 ms", "--picture", picture)
    assert code == 2
    text = " ".join(err.split())
    assert "No formula gives 'n_sequences' from 'prompt_len' alone" in text
    assert "--vary prompt_len=" in text
    assert "positive" not in text


@pytest.mark.parametrize(
    ("picture", "problem"),
    [
        ("graph", "--picture takes curve:FILE.svg, graph:FILE.svg"),
        ("pie:x.svg", "not 'pie:x.svg'"),
        ("graph:x.png", "name ends in .svg or .mmd"),
        ("curve:nothing:x.svg", "There is no cell 'nothing'"),
        ("curve:device_memory:x.svg", "'device_memory' is no input of the answer."),
        (f"curve:{ZERO}:x.svg", f"'{ZERO}' is not positive."),
        ("curve:x.png", "name ends in .svg or .tex"),
        ("tornado:nothing:x.svg", "There is no cell 'nothing'"),
        ("graph:missing/folder/x.svg", "The file cannot be written"),
    ],
)
def test_wrong_uses_say_what_is_right(run: Run, picture: str, problem: str) -> None:
    code, _, err = run(*SOLVE, *FITS, "--picture", picture)
    assert code == 2
    assert problem in " ".join(err.split())
