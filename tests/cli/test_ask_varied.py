"""`ask --vary`: the question of a file at several values, in place of what the file gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.test_main import QUESTION

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

SHARDS = str(QUESTION.with_name("fsdp-shards.yaml"))


def test_names_are_compared_side_by_side(run: Run) -> None:
    chips = ("--vary", "chip=h100-sxm,tpu-v5p,b200-sxm")
    code, out, _ = run("ask", SHARDS, *chips, "--show", "device_memory", "--template", "compare")
    assert code == 0
    assert "| chip | h100-sxm | tpu-v5p | b200-sxm |" in out
    assert "| n_fsdp | 55 | 46 | 25 |" in out
    assert "| device_memory \\[GiB\\] | 79.04 | 94.5 | 173.9 |" in out


def test_a_value_of_the_file_is_replaced(run: Run) -> None:
    code, out, _ = run("ask", SHARDS, "--vary", "n_blocks=63,126", "--as", "csv")
    assert code == 0
    assert [line.split(",")[:2] for line in out.splitlines()[1:]] == [["63", "23"], ["126", "46"]]


def test_a_wrong_name_is_an_error(run: Run) -> None:
    code, _, err = run("ask", SHARDS, "--vary", "n_block=1,2")
    assert code == 2
    assert "Did you mean 'n_blocks'" in " ".join(err.split())


def test_a_folder_takes_none(run: Run) -> None:
    code, _, err = run("ask", str(QUESTION.parent), "--vary", "n_blocks=1,2")
    assert code == 2
    assert "--vary" in err
