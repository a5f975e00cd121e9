"""The equations of a question: which there are, in which order they claim cells, and with which numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from flopsheet import Chip, Sheet, choice, formula, given, part, select, solve
from flopsheet.functions.symbols import symbol
from flopsheet.graph.system import System, system_of
from flopsheet.question.ask import ask

GIB = 2**30


class Fleet(Sheet):
    """Chips that hold a state."""

    state = given("State", "GiB")
    n_chips = given("Chips", default=8, integer=True)
    spare = given("Spare chips", default=1, integer=True)
    local = given("Local to each", "GiB", default="2 GiB")
    precision = choice("bf16", "fp8", doc="Format")
    chip = part(Chip)
    factor = formula(select(precision, bf16=2, fp8=1), "", "Bytes")
    held = formula(state * factor / (n_chips - spare) + local, "GiB", "Held by one")
    share = formula(held / chip.memory, "", "Share of the memory")


FLEET = Fleet()
FORMULAS = ["formula factor", "formula held", "formula share"]
DEFAULTS = ["default n_chips", "default spare", "default local"]


def system(texts: list[str], unknown: tuple[str, ...] = (), dropped: tuple[str, ...] = ()) -> System:
    return system_of(ask(FLEET, unknown, texts), dropped)


def keys(*args: object) -> list[str]:
    return [*system(*args).structure.equations]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], [*FORMULAS, *DEFAULTS]),
        (["state = 9 GiB"], ["given state", *FORMULAS, *DEFAULTS]),
        (["local = 3 GiB"], ["given local", *FORMULAS, *DEFAULTS[:2]]),
        (["share = 0.5", "held = 3 GiB"], [*FORMULAS, *DEFAULTS, "demand held", "demand share"]),
        (["state = 2 * local"], [*FORMULAS, "stated 0", *DEFAULTS]),
        (["n_chips = 3 * spare"], [*FORMULAS, "stated 0", *DEFAULTS[1:]]),  # overrides the default
        (["n_chips + spare = 9"], [*FORMULAS, *DEFAULTS, "demand 0"]),
        (["state = state**2 / local"], [*FORMULAS, *DEFAULTS, "demand 0"]),
        (["held = 3 * local"], [*FORMULAS, *DEFAULTS, "demand 0"]),  # it has a formula of its own
        (["state <= 2 * local", "state = 2 * local"], [*FORMULAS, "stated 0", *DEFAULTS]),
    ],
)
def test_given_values_claim_first_then_formulas_then_defaults_then_demands(
    texts: list[str], expected: list[str]
) -> None:
    assert keys(texts) == expected


def test_an_equation_names_each_of_its_cells_once_and_its_target_first() -> None:
    equations = system(["state = 2 * local", "n_chips + spare = n_chips * spare"]).structure.equations
    assert equations["formula held"].cells == ("held", "factor", "local", "n_chips", "spare", "state")
    assert equations["stated 0"].cells == ("state", "local")
    assert equations["demand 1"].cells == ("n_chips", "spare")


def test_an_unknown_and_a_contradicted_default_are_no_equations() -> None:
    assert keys([], ("spare",)) == [*FORMULAS, "default n_chips", "default local"]
    assert keys([], (), ("local", "spare")) == [*FORMULAS, "default n_chips"]


def test_figures_of_a_record_are_given_unless_the_question_overrides_them() -> None:
    record = [key for key in keys(["chip = tpu-v5p"]) if key.startswith("record")]
    assert "record chip.memory" in record
    overridden = [key for key in keys(["chip = tpu-v5p", "chip.memory = 80 GiB"]) if key.startswith("record")]
    assert {*record} - {*overridden} == {"record chip.memory"}
    assert "given chip.memory" in keys(["chip = tpu-v5p", "chip.memory = 80 GiB"])


@pytest.mark.parametrize(
    ("texts", "cell", "number"),
    [
        ([], "local", 2 * GIB),
        (["local = 3 GiB"], "local", 3 * GIB),
        (["chip = tpu-v5p"], "chip.memory", 95 * GIB),
        (["chip = tpu-v5p", "chip.memory = 80 GiB"], "chip.memory", 80 * GIB),
        (["share = 0.5"], "share", Fraction(1, 2)),
    ],
)
def test_the_question_overrides_the_record_and_the_record_the_default(
    texts: list[str], cell: str, number: int | Fraction
) -> None:
    assert system(texts).numbers[cell] == number


def test_a_value_that_was_found_is_known_from_then_on() -> None:
    solved = system(["state = 9 GiB"], ("spare",)).with_solved("spare", 3)
    assert solved.numbers["spare"] == 3
    assert "spare" in solved.structure.determined
    (equation,) = solved.equations([solved.structure.of_cell["spare"]])
    assert (equation.target, equation.relation.right) == ("spare", 3)


def test_equations_carry_the_numbers_of_their_own_question() -> None:
    questions = [system([f"state = {size} GiB", f"n_chips + spare = {size}"]) for size in (9, 12)]
    assert questions[0].structure is questions[1].structure
    for size, own in zip((9, 12), questions, strict=True):
        given_state, local, total, held = own.equations(["given state", "default local", "demand 0", "formula held"])
        assert given_state.relation.right == size * GIB
        assert local.relation.right == 2 * GIB
        assert (total.relation.left, total.relation.right) == (symbol("n_chips") + symbol("spare"), size)
        assert held.relation.left == symbol("held")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["precision = bf16"], ["precision = fp8"]),
        (["state = 9 GiB"], ["local = 9 GiB"]),
        (["state = 2 * local"], ["state = 2 * held"]),
        (["chip = tpu-v5p"], []),
    ],
)
def test_questions_that_give_other_cells_have_another_structure(first: list[str], second: list[str]) -> None:
    assert system(first).structure is not system(second).structure


def test_a_question_with_an_inequality_has_a_structure_of_its_own() -> None:
    class Copies(Sheet):
        """Copies that share a state."""

        state = given("State", "GiB")
        n = given("Copies: one unless something asks for more", inferred=1, integer=True, maximum=100)
        held = formula(state / n, "GiB", "Held by one")

    sheet, given_state = Copies(), ["state = 9 GiB"]
    plain = system_of(ask(sheet, "n", given_state)).structure
    bounded = system_of(ask(sheet, "n", [*given_state, "held <= 4 GiB"])).structure
    assert "inferred n" in plain.equations
    assert "inferred n" not in bounded.equations
    assert solve(sheet, "n", given_state).outcomes["n"].si == 1
    assert solve(sheet, "n", [*given_state, "held <= 4 GiB"]).outcomes["n"].whole == 3
