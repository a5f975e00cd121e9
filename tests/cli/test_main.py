"""The command line: forms of output, exit codes, files, help."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.report.chips import count, fitting, shares

from flopsheet.cli.folder import MARK
from flopsheet.registry.packs import packs
from flopsheet.report.sentences import MOST_RANKED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

QUESTION = packs()[0].folder / "models" / "questions" / "fsdp-shards.yaml"
SOLVE = ["solve", "ffn_memory", "n_fsdp", "d_model=16384", "d_ff=53248", "n_blocks=126", "batch=128", "seq_len=1024"]
FITS = ["chip=tpu-v5p", "device_memory <= chip.memory"]


def test_text_ends_with_the_answer(run: Run) -> None:
    code, out, err = run(*SOLVE, *FITS)
    assert code == 0
    assert not err
    assert out.endswith("\nn_fsdp >= 45.76, so 46\n")
    assert "219.8B param" not in out
    out = run(*SOLVE, *FITS, "--all-cells")[1]
    assert out.endswith("\nn_fsdp >= 45.76, so 46\n")
    assert "219.8B param" in out
    assert "limit fits: device_memory <= chip.memory: 94.5 GiB <= 95 GiB: holds, slack 0.5263 %" in out


@pytest.mark.parametrize(
    ("words", "missing"), [(["solve"], "SHEET"), (["solve", "--steps"], "SHEET"), (["ask"], "FILE")]
)
def test_a_command_without_arguments_says_what_is_missing(run: Run, words: list[str], missing: str) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert err.startswith(f"Missing argument '{missing}'.")


MESH = ["n_fsdp=16", "d_model=8192", "d_ff=28672", "chip=tpu-v5p", "fsdp_axes=2", "tp_axes=1", "tokens=32768"]


@pytest.mark.parametrize(
    ("lifted", "code", "last"),
    [
        ([], 1, "no n_tp works"),
        (["tp_bound"], 1, "no n_tp works"),
        (["tp_bound", "compute_bound"], 0, "n_tp >= 13, so 13"),
    ],
)
def test_limits_are_lifted_by_name(run: Run, lifted: list[str], code: int, last: str) -> None:
    options = [word for name in lifted for word in ("--without", name)]
    question = ["solve", "compute_bound_batch", "n_tp", *MESH, "n_tp >= 13", *options]
    exit_code, out, _ = run(*question)
    assert (exit_code, out.splitlines()[-1]) == (code, last)
    shown = json.loads(run(*question, "--as", "json")[1])
    assert shown["lifted"] == lifted
    assert {row["name"] for row in shown["limits"] if row["lifted"]} <= {*lifted}


@pytest.mark.parametrize("unknown", [[], ["device_memory"]])
def test_a_limit_that_does_not_hold_is_beside_the_answer(run: Run, unknown: list[str]) -> None:
    question = ["solve", "ffn_memory", *unknown, *SOLVE[3:], "chip=tpu-v5p", "n_fsdp=20"]
    broken = "Limit fits ('device_memory <= chip.memory') does not hold: 217.3 GiB is more than 95 GiB."
    code, out, _ = run(*question)
    assert code == 1
    assert broken in (out.splitlines()[-3:] if unknown else out.splitlines())
    code, out, _ = run(*question, "--without", "fits", "--all-cells")
    assert code == 0
    assert "limit fits: device_memory <= chip.memory: 217.3 GiB <= 95 GiB: lifted, slack -128.8 %" in out
    for form in ("markdown", "html", "latex"):
        code, out, _ = run(*question, "--as", form)
        assert code == 1
        assert "does not hold" in out.partition("95")[0]


def test_rows_of_a_table_lift_limits(run: Run) -> None:
    table = ["solve", "ffn_memory", *SOLVE[3:], "chip=tpu-v5p", "--vary", "n_fsdp=20,64", "--show", "device_memory"]
    assert "fits does not hold" in run(*table)[1]
    assert "fits does not hold" not in run(*table, "--without", "fits")[1]


def test_json_is_the_answer(run: Run) -> None:
    code, out, _ = run(*SOLVE, *FITS, "--as", "json")
    assert code == 0
    assert json.loads(out)["answers"]["n_fsdp"]["whole"] == 46


def test_markdown_is_the_derivation(run: Run) -> None:
    assert "## Steps" in run(*SOLVE, *FITS, "--as", "markdown")[1]


@pytest.mark.parametrize(
    ("shape", "shown"), [("html", "<h1>How many devices must share"), ("latex", r"How many devices must share")]
)
def test_pages_and_papers(run: Run, shape: str, shown: str) -> None:
    code, out, _ = run("ask", str(QUESTION), "--as", shape)
    assert code == 0
    assert shown in out


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.md", "# "),
        ("a.html", "<!DOCTYPE html>"),
        ("a.TEX", r"\documentclass"),
        ("a.json", "{"),
        ("a.txt", "What is n_fsdp"),
    ],
)
def test_the_end_of_the_file_says_the_form(run: Run, tmp_path: Path, name: str, begins: str) -> None:
    assert run(*SOLVE, *FITS, "-o", str(tmp_path / name))[0] == 0
    assert (tmp_path / name).read_bytes().lstrip().startswith(begins.encode())
    assert run(*SOLVE, *FITS, "-o", str(tmp_path / name), "--as", "text")[0] == 0
    assert (tmp_path / name).read_text(encoding="utf-8").endswith("n_fsdp >= 45.76, so 46\n")


def test_a_template_means_markdown(run: Run) -> None:
    code, out, _ = run(*SOLVE, *FITS, "--template", "brief")
    assert code == 0
    assert out.strip().endswith("(n_fsdp): at least 46; with chip = tpu-v5p; bound by 'device_memory <= chip.memory'.")
    assert run(*SOLVE, *FITS, "--template", "brief", "--as", "json")[0] == 2


def test_a_sheet_beside_is_read_and_its_mistakes_are_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "site_budget.yaml").write_text("sheet: site_budget\n")
    monkeypatch.chdir(tmp_path)
    code, _, err = run("solve", "site_budget")
    assert code == 2
    assert "models/site_budget.yaml:1:1: The keys title and cells are missing" in " ".join(err.split())


def test_what_moves_the_answer_is_called_as_people_write_it(run: Run) -> None:
    out = run(*SOLVE, "chip=tpu-v5p", "device_memory <= 90000000000 byte")[1]
    assert "90,000,000,000 byte -1" in out


def test_templates_are_listed(run: Run) -> None:
    code, out, _ = run("templates")
    assert code == 0
    rows = [line.split() for line in out.splitlines()[2:]]
    assert ["derivation", "latex", "flopsheet", "built-in"] in rows
    assert run(*SOLVE, *FITS, "--as", "latex", "--template", "catalogue")[0] == 2


RUN = ["solve", "training_run", "params=70e9 param", "chip_rate=395.6 TFLOP/s", "n_chips=4246"]
VARY = ["--vary", "tokens=4e6 token, 8e6 token", "--show", "n_steps, train_time"]


@pytest.mark.parametrize(
    ("shape", "shown"),
    [
        ("text", "8M token          175,000"),
        ("markdown", "| 8M token | 175,000 | 4.052 |"),
        ("json", '"n_steps": 175000'),
    ],
)
def test_several_values_make_a_table(run: Run, shape: str, shown: str) -> None:
    code, out, _ = run(*RUN, *VARY, "--as", shape)
    assert code == 0
    assert shown in out


def test_a_table_without_a_list_is_a_wrong_use(run: Run) -> None:
    code, _, err = run(*RUN, "--vary", "tokens")
    assert code == 2
    assert "CELL=A,B" in err


def test_the_table_of_a_question_file_is_printed(run: Run) -> None:
    code, out, _ = run("ask", str(QUESTION.with_name("cost-by-batch.yaml")))
    assert code == 0
    rows, _, sentence = out.rpartition("\n\n")
    assert rows.count("11.80M") == 7
    assert "to 11.80M USD (dataset_tokens = 20T token)." in " ".join(sentence.split())


@pytest.mark.parametrize("shape", ["text", "markdown", "json"])
def test_no_solution_exits_with_1(run: Run, shape: str) -> None:
    code, out, _ = run(*SOLVE, *FITS, "replicated_activation_fraction=1/2", "--as", shape)
    assert code == 1
    assert "1071 GiB" in out


MODEL = SOLVE[3:]


def test_a_chip_is_asked_for(run: Run) -> None:
    question = ["solve", "ffn_memory", "chip", "n_fsdp", *MODEL, "device_memory <= chip.memory", "n_fsdp <= 56"]
    code, out, err = run(*question)
    assert (code, err) == (0, "")
    works = fitting(56)
    listed = [*works][:MOST_RANKED]
    assert len(works) > MOST_RANKED + 1
    head = f"chip: {', '.join(listed)} and {len(works) - MOST_RANKED} others"
    assert f" {head} With chip = {listed[0]}: " in " ".join(out.split())
    assert f"\n{len(works)} of {count()} chips meet " in out
    shown = json.loads(run(*question, "--as", "json")[1])
    assert shown["answers"]["chip"]["values"] == [*works]
    assert "all" not in shown
    pairs = [{"chip": chip, "n_fsdp": str(n)} for chip, least in works.items() for n in range(least, 57)]
    shown = json.loads(run(*question, "--all", "--as", "json")[1])
    assert ([row["answers"] for row in shown["all"]], shown["more"]) == (pairs[:50], len(pairs) > 50)
    alike = [pair for pair in pairs if shares()[pair["chip"]] == shares()["h100-sxm"]]
    shown = json.loads(run(*question, "chip.memory = 80 GiB", "--all", "--as", "json")[1])
    assert ([row["answers"] for row in shown["all"]], shown["more"]) == (alike, False)


@pytest.mark.parametrize("shape", ["text", "markdown", "json"])
def test_no_chip_exits_with_1_and_none_decided_with_2(run: Run, shape: str) -> None:
    code, out, _ = run("solve", "ffn_memory", "chip", *MODEL, "n_fsdp=2", "--as", shape)
    assert code == 1
    assert f"0 of {count()} chips" in out
    code, out, err = run("solve", "ffn_memory", "chip", *MODEL, "--as", shape)
    assert (code, out) == (2, "")
    assert "Nothing decides among the values of 'chip'" in " ".join(err.split())


DIVISORS = ["solve", "ffn_memory", "batch", "seq_len=1024", "mod(3840, batch) = 0", "tokens <= 10000"]


def test_near_picks_and_all_shows_every_value(run: Run) -> None:
    fits = [batch for batch in range(1, 3841) if 3840 % batch == 0 and batch * 1024 <= 10000]
    code, out, _ = run(*DIVISORS, "--near", "batch=7", "--all", "--as", "json")
    shown = json.loads(out)
    assert (code, shown["answers"]["batch"]["values"], shown["answers"]["batch"]["value"]) == (0, fits, 6)
    assert [row["cells"]["tokens"]["value"] for row in shown["all"]] == [batch * 1024 for batch in fits]
    assert "## Every value that works" in run(*DIVISORS, "--all", "--as", "markdown")[1]
    assert "5 sequence   5120 token" in run(*DIVISORS, "--all")[1]
    assert "5120 token" not in run(*DIVISORS)[1]


def test_near_has_units_and_can_be_said_for_each_unknown(run: Run) -> None:
    question = ["solve", "ffn_memory", "chip.memory", *MODEL, "n_fsdp=64", "device_memory <= chip.memory"]
    shown = json.loads(run(*question, "--near", "chip.memory = 0.1 TiB", "--as", "json")[1])
    assert shown["answers"]["chip.memory"]["value"] == pytest.approx(102.4)
    question = ["solve", "ffn_memory", "batch", "seq_len", "mod(12, batch) = 0", "tokens <= 100 token"]
    out = run(*question, "--near", "batch=5", "--near", "seq_len=10", "--as", "json")[1]
    answers = json.loads(out)["answers"]
    assert answers["batch"]["value"] in (4, 6)  # as near to 5
    assert answers["seq_len"]["value"] == 10


@pytest.mark.parametrize(
    ("near", "says"),
    [
        ("7", "--near takes CELL=VALUE, not '7'"),
        ("tokens=7", "There is no unknown 'tokens'"),
        ("batch=7 GiB", "near 'batch'"),
        ("batch=many", "near 'batch'"),
    ],
)
def test_wrong_near_exits_with_2(run: Run, near: str, says: str) -> None:
    code, out, err = run(*DIVISORS, "--near", near)
    assert (code, out) == (2, "")
    assert says in " ".join(err.replace("│", " ").split())


def test_ask_shows_every_value(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "divisors.yaml"
    file.write_text(
        "sheet: ffn_memory\nunknown: batch\nwhere: [seq_len = 1024, 'mod(3840, batch) = 0', tokens <= 4096]\n",
        encoding="utf-8",
    )
    code, out, _ = run("ask", str(file), "--all", "--as", "json")
    assert (code, [row["answers"]["batch"] for row in json.loads(out)["all"]]) == (
        0,
        [f"{count} sequence" for count in (1, 2, 3, 4)],
    )


def test_wrong_question_exits_with_2(run: Run) -> None:
    code, out, err = run(*SOLVE, "chip=h100-sxn")
    assert (code, out) == (2, "")
    assert "Did you mean 'h100-sxm'" in err


def test_wrong_option_exits_with_2(run: Run) -> None:
    assert run(*SOLVE, "--as", "pdf")[0] == 2


@pytest.mark.parametrize("shape", ["text", "markdown", "json"])
def test_output_goes_to_a_file(run: Run, tmp_path: Path, shape: str) -> None:
    target = tmp_path / "answer"
    printed = run(*SOLVE, *FITS, "--as", shape)[1]
    code, out, _ = run(*SOLVE, *FITS, "--as", shape, "-o", str(target))
    assert (code, out) == (0, "")
    assert target.read_text(encoding="utf-8") == printed


def test_unwritable_file_is_said(run: Run, tmp_path: Path) -> None:
    code, _, err = run(*SOLVE, *FITS, "--as", "json", "-o", str(tmp_path / "no" / "such" / "folder"))
    assert code == 2
    assert "cannot be written" in " ".join(err.split())


def test_ask_answers_a_file_with_its_curve_beside_it(run: Run, tmp_path: Path) -> None:
    page = tmp_path / f"{QUESTION.stem}.md"
    assert run("ask", str(QUESTION), "-o", str(page)) == (0, "", "")
    assert MARK + page.read_text(encoding="utf-8") == QUESTION.with_suffix(".md").read_text(encoding="utf-8")
    assert page.with_suffix(".svg").read_bytes() == QUESTION.with_suffix(".svg").read_bytes()


def test_a_page_overwrites_no_other_picture(run: Run, tmp_path: Path) -> None:
    page, other = tmp_path / "page.md", tmp_path / "page.svg"
    other.write_text("<svg/>")
    code, _, err = run("ask", str(QUESTION), "-o", str(page))
    assert code == 0
    assert "page.svg is another file: the page has no curve" in " ".join(err.split())
    assert other.read_text() == "<svg/>"
    assert "page.svg" not in page.read_text(encoding="utf-8")


def test_sheets_lists_and_shows(run: Run) -> None:
    assert "ffn_memory" in run("sheets")[1]
    shown = run("sheets", "ffn_memory")[1]
    for text in ("d_model", "GiB", "= batch * seq_len", "limit fits", "Assumptions", "cs336-systems"):
        assert text in shown


def test_hardware_lists_and_shows(run: Run) -> None:
    assert "989.4 TFLOP/s" in run("hardware", "list")[1]
    shown = run("hardware", "show", "h100")[1]
    assert "h100-sxm: NVIDIA H100 SXM5 80GB" in shown
    assert "nvidia.yaml:" in shown
    assert "Defined in hardware/chips/nvidia.yaml, line" in shown


@pytest.mark.parametrize("command", [[], ["solve"], ["ask"], ["sheets"], ["hardware"], ["hardware", "show"]])
def test_help(run: Run, command: list[str]) -> None:
    code, out, _ = run(*command, "--help")
    assert code == 0
    assert "Usage: " in out


def test_a_defect_is_one_paragraph(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flopsheet.answer.solve.answer", lambda _: 1 // 0)
    code, _, err = run(*SOLVE, *FITS)
    assert code == 3
    assert "ZeroDivisionError" in err
    assert "Traceback" not in err


def test_a_template_that_is_not_there_names_the_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    given = "where: [d_model = 4, d_ff = 4, n_blocks = 2]"
    file.write_text(f"sheet: ffn_memory\nunknown: params\n{given}\ntemplate: nope\n", encoding="utf-8")
    code, _, err = run("ask", str(file), "--as", "markdown")
    assert code == 2
    assert "question.yaml:4:11" in "".join(err.split())
    code, _, err = run("ask", str(file), "--as", "markdown", "--template", "none")
    assert code == 2
    assert "question.yaml" not in err
