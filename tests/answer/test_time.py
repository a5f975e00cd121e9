"""A question ends within its time, the reasons, elasticities and texts included."""

from __future__ import annotations

import math
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.chains import CHAINS, chain
from tests.pace import in_time
from tests.published.test_published import PROBLEMS, answer_of
from tests.published.variables import variables

from flopsheet import Answer, Sheet, budget, exp, formula, given, solve
from flopsheet.answer import sensitivity
from flopsheet.errors import FlopsheetError
from flopsheet.inverse.inversion import Inversion
from flopsheet.inverse.method import Proof
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.progressions import Progression
from flopsheet.numbers.sets import widened
from flopsheet.search.several_unknowns import JointSearch

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.search.joint import Box

BUDGET, GRACE = 0.3, 2.0  # seconds
BUDGETS = {20: BUDGET, 200: 1.0}  # by the length of a chain
QUESTIONS = {
    "unreachable": (["c0"], ["c{last} = -5"]),
    "barely reachable": (["c0"], ["c{last} = 0.9"]),
    "with a loop": (["c0"], ["c{last} + c0 + c{middle} = 5"]),
    "two inequalities": (["c0"], ["c{last} <= 2", "c{middle} + c0 >= 1"]),
    "two unknowns": (["c0", "c{middle}"], ["c{last} = 0.9"]),
    "forward": ([], ["c0 = 0.7"]),
}


def _asked(name: str, length: int, question: str, seconds: float) -> Answer | None:
    """Return the answer to a question on a chain, or None where it is an error."""
    places = {"last": length - 1, "middle": length // 2}
    unknowns, relations = ([text.format(**places) for text in texts] for texts in QUESTIONS[question])
    try:
        return solve(chain(name, length), unknowns, relations, budget=seconds)
    except FlopsheetError:
        return None


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("name", ["squares", "logs", "signed", "ratios", "products"])
def test_a_target_out_of_reach_ends_in_time(name: str) -> None:
    answer = in_time(partial(_asked, name, 80, "unreachable", BUDGET), BUDGET + GRACE, name)
    assert answer is not None
    assert not answer.solved


@pytest.mark.slow
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("length", BUDGETS)
@pytest.mark.parametrize("name", CHAINS)
def test_every_question_ends_in_time(name: str, length: int) -> None:
    seconds = BUDGETS[length]
    for question in QUESTIONS:
        answer = in_time(partial(_asked, name, length, question, seconds), seconds + GRACE, question)
        if answer is None:
            continue
        for shown in (Answer.__str__, Answer.as_dict, Answer.derivation):
            in_time(partial(shown, answer), budget.DEFAULT, f"{shown.__name__} of {question}")


def test_tuples_that_were_proven_in_time_are_told_when_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, decided = [0.0], JointSearch._decided

    def last(search: JointSearch, box: Box) -> list[Box]:
        now[0] = 2 * budget.DEFAULT
        return decided(search, box)

    monkeypatch.setattr(budget, "monotonic", lambda: now[0])
    monkeypatch.setattr(JointSearch, "_decided", last)
    wood = next(problem for problem in PROBLEMS if problem["id"] == "mgh14-wood")
    answer = answer_of(wood, tmp_path, by_relations=False)
    assert {"x1": 1, "x2": 1, "x3": 1, "x4": 1} in answer.tuples
    assert len(answer.tuples) > 1
    assert all(outcome.proof is Proof.OPEN and outcome.open for outcome in answer.outcomes.values())


def test_a_reason_that_is_not_searched_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = chain("squares", 5)
    reason = solve(sheet, "c0", ["c4 = -5"]).outcomes["c0"].why
    assert reason == "No c0 satisfies 'c4 = -5': c4 cannot fall below 1.483 even at c0 = 0, and must be exactly -5."
    within = "No c0 satisfies 'c4 = -5' within its bounds (positive)."
    monkeypatch.setattr("flopsheet.answer.extremes.budget.check", _no_time)
    monkeypatch.setattr("flopsheet.answer.outcomes.wording.is_over", lambda: True)
    cut = solve(sheet, "c0", ["c4 = -5"]).outcomes["c0"].why
    assert cut == f"{within} The reason was not searched: the time is over, and --budget 60s allows more."


def _no_time() -> None:
    raise TimeoutError


def test_what_moves_an_answer_is_left_out_for_lack_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = solve(chain("logs", 20), "c0", ["c19 = 0.05"])
    clock = count()
    monkeypatch.setattr(budget, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("flopsheet.answer.outcomes.wording.is_over", lambda: True)
    assert answer.as_dict()["answers"]["c0"]["elasticities"] == {}
    lacking = "What moves c0 is left out. It was not searched: the time is over, and --budget 60s allows more."
    assert answer.cautions == [lacking]


def test_what_moves_an_answer_does_not_depend_on_a_slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, again = (solve(chain("logs", 20), "c0", ["c19 = 0.07"]) for _ in range(2))
    clock = count()
    with monkeypatch.context() as slow:
        slow.setattr(budget, "monotonic", lambda: next(clock) / 5)  # each look at the clock takes 0.2 s
        elasticities = answer.elasticities()
    assert next(clock) > 10
    assert elasticities == again.elasticities() != {}


def test_what_moves_an_answer_is_bounded_by_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = solve(chain("logs", 20), "c0", ["c19 = 0.05"])
    monkeypatch.setattr(sensitivity, "MOST_SLOPES", 10)
    assert answer.elasticities() == {}
    assert answer.cautions == ["What moves c0 is left out."]


def test_the_reason_of_a_relation_that_is_too_long_to_compose() -> None:
    outcome = solve(chain("squares", 20), "c0", ["c19 + c0 + c10 = -5"]).outcomes["c0"]
    assert outcome.kind == "none"


def test_products_along_a_chain_do_not_grow_without_end() -> None:
    answer = solve(chain("products", 40), [], ["c0 = 7/3"])
    assert [*answer.cells] == [f"c{place}" for place in range(10)]  # the next is 1e377
    assert any("larger than numbers can be" in warning for warning in answer.warnings)
    assert answer.cells["c9"].cell.text(answer.cells["c9"].si)


class Coupled(Sheet):
    """Two cells that no exact method separates."""

    a = given("First", example=1)
    b = given("Second", example=1)
    one = formula(a * exp(b / 3) + b, "", "First relation")
    two = formula(b * exp(a / 5) + a * exp(b / 7), "", "Second relation")


def test_what_was_cut_short_is_searched_again_with_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = (Coupled(), ["a", "b"], ["one = 3", "two = 4", "a <= 9", "b <= 9"])
    with monkeypatch.context() as patch:
        patch.setattr("flopsheet.search.several_unknowns.is_spent", lambda: True)
        patch.setattr("flopsheet.inverse.simultaneous.is_over", lambda: True)
        assert solve(*asked).outcomes["a"].proof == "open"
    assert solve(*asked).outcomes["a"].proof == "proven"


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("seconds", [0.0005, 0.001, 0.002])
def test_what_is_cut_short_is_not_proven_to_contradict_other_relations(seconds: float) -> None:
    """Where one relation is open, another one is not solved within its few known values alone."""
    known = ["model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192", "n_tp = 8", "n_dp = 8", "batch = 512"]
    asked = ["sharding = weights", "chip.link.bandwidth <= 100 TB/s", "model_utilization >= 40%", "step_time <= 95 s"]
    bandwidth = solve("training_step", "chip.link.bandwidth", [*known, *asked], budget=seconds)
    outcome = bandwidth.outcomes["chip.link.bandwidth"]
    assert outcome.kind == "range" or outcome.proof is Proof.OPEN  # from 337 GB/s on


class Clock:
    """A clock that stands still until something takes its time."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_few_counts_that_limits_leave_are_tried_where_inversion_takes_all_its_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clock, solution = Clock(), Inversion.solution

    def slow(own: Inversion, expression: Any, right: Any) -> Any:
        if not any(cell.name == "cost" for cell in expression.free_symbols):
            return solution(own, expression, right)
        while not budget.is_over():
            clock.now += 0.01
        raise TimeoutError

    monkeypatch.setattr(budget, "monotonic", clock)
    monkeypatch.setattr(Inversion, "solution", slow)
    cells: dict[str, dict[str, Any]] = {
        "n": {"integer": True, "maximum": 100_000},
        "cost": {"formula": "ceil(100/n)*(n + 3) + ceil(n/7)", "maximum": 10**9},
        "n_left": {"formula": "60 - n"},
    }
    outcome = solve(variables(tmp_path, cells), "n", ["cost <= 120", "n_left >= 0"]).outcomes["n"]
    assert outcome.proof is Proof.PROVEN
    listed = [n for n in range(1, 61) if any(n in part for part in outcome.listed)]
    assert listed == [n for n in range(1, 61) if -(-100 // n) * (n + 3) - (-n // 7) <= 120]


def test_the_end_of_many_ranges_is_picked_without_comparing_all_with_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    looks = count()
    monkeypatch.setattr("flopsheet.answer.limits.near_whole", lambda end: (next(looks), near_whole(end))[1])
    sheet = variables(tmp_path, {"x": {"minimum": 0, "maximum": 900}})
    parts = solve(sheet, "x", ["mod(x, 2) <= x/2000"]).outcomes["x"].listed
    assert len(parts) > 100
    assert next(looks) < 50 * len(parts)


def test_the_first_of_many_progressions_are_not_looked_up_in_each_of_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sheet = variables(tmp_path, {"n": {"integer": True}, "rest": {"formula": "max(mod(n, 100), 0.1)"}})
    answer = solve(sheet, "n", ["rest > 58"])
    looks, contains = count(), Progression.__contains__
    monkeypatch.setattr(Progression, "__contains__", lambda own, value: (next(looks), contains(own, value))[1])
    assert str(answer).startswith("n = every 100 from each of 59 to 99 on.")
    assert next(looks) < len(answer.outcomes["n"].listed)


def test_whole_numbers_that_there_is_no_time_to_test_are_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looks = count()
    monkeypatch.setattr("flopsheet.inverse.tested_ends.is_over", lambda: next(looks) >= 3)
    sheet = variables(tmp_path, {"n": {"integer": True, "maximum": 10**12}})
    outcome = solve(sheet, "n", ["mod(log(n), 4) = 3.496507561"], budget=BUDGET).outcomes["n"]
    assert outcome.proof is Proof.OPEN
    assert all(any(math.exp(3.496507561 + 4 * step) in widened(part) for part in outcome.open) for step in range(3, 6))
