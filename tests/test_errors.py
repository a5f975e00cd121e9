"""The exception family: what each class inherits, that it survives pickling, and the texts that suggest a fix."""

from __future__ import annotations

import pickle
import sys

import pytest
from tests.pace import at_most

from flopsheet import errors
from flopsheet.errors import FlopsheetError, did_you_mean, joined, suggest
from flopsheet.report.missing import not_installed

FAMILY: list[tuple[type[FlopsheetError], type[Exception]]] = [
    (errors.ArgumentError, TypeError),
    (errors.SheetError, TypeError),
    (errors.UnknownNameError, LookupError),
    (errors.FormulaError, ValueError),
    (errors.UnitsError, ValueError),
    (errors.UnknownUnitError, errors.UnitsError),
    (errors.DimensionError, errors.UnitsError),
    (errors.ValueOutOfBoundsError, ValueError),
    (errors.QuestionError, ValueError),
    (errors.UnderdeterminedError, errors.QuestionError),
    (errors.OverdeterminedError, errors.QuestionError),
    (errors.AmbiguousDefaultError, errors.QuestionError),
    (errors.NotInvertibleError, NotImplementedError),
    (errors.UndecidedError, errors.NotInvertibleError),
    (errors.ArithmeticTrapError, ArithmeticError),
    (errors.TooLargeError, errors.ArithmeticTrapError),
    (errors.RegistryError, ValueError),
    (errors.TemplateError, ValueError),
]
KNOWN = ["d_model", "d_ff", "n_blocks", "GB", "GiB", "token"]


def test_table_holds_the_whole_family() -> None:
    members = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, FlopsheetError)}
    assert members == {FlopsheetError, *(each for each, _ in FAMILY)}


@pytest.mark.parametrize(("member", "builtin"), FAMILY)
def test_each_error_is_caught_as_ours_and_as_the_fitting_builtin(
    member: type[FlopsheetError], builtin: type[Exception]
) -> None:
    assert issubclass(member, FlopsheetError)
    assert issubclass(member, builtin)


@pytest.mark.parametrize("member", [FlopsheetError, *(each for each, _ in FAMILY)])
def test_pickling_keeps_type_and_parts(member: type[FlopsheetError]) -> None:
    copy = pickle.loads(pickle.dumps(member("file.yaml:3", "It is wrong.", "Mend it.")))  # noqa: S301  # our own bytes
    assert type(copy) is member
    assert (copy.where, copy.problem, copy.fix) == ("file.yaml:3", "It is wrong.", "Mend it.")
    assert str(copy) == "file.yaml:3: It is wrong. Mend it."


def test_an_error_without_a_fix_ends_with_the_problem() -> None:
    assert str(FlopsheetError("cell 'a'", "It is wrong.")) == "cell 'a': It is wrong."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d_modl", "Did you mean 'd_model'?"),
        ("D_MODEL", "Did you mean 'd_model'?"),
        ("tokens", "Did you mean 'token'?"),
        ("n_block", "Did you mean 'n_blocks'?"),
        ("gb", "Did you mean 'GB'?"),
        ("zzzzzz", ""),
        ("", ""),
    ],
)
def test_suggest_forgives_case_plural_and_slips(name: str, text: str) -> None:
    assert suggest(name, KNOWN) == text


def test_suggest_without_known_names_is_empty() -> None:
    assert suggest("d_model", []) == ""


def test_suggest_names_at_most_three() -> None:
    assert suggest("cell", [f"cell_{letter}" for letter in "abcdef"]).count("'") == 6


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "Did you mean 'a'?"),
        (["a", "b"], "Did you mean 'a' or 'b'?"),
        (["a", "b", "c"], "Did you mean 'a', 'b' or 'c'?"),
    ],
)
def test_did_you_mean(names: list[str], text: str) -> None:
    assert did_you_mean(names) == text


@pytest.mark.parametrize(
    ("words", "conjunction", "text"),
    [
        ([], "and", ""),
        (["a"], "and", "a"),
        (["a", "b"], "and", "a and b"),
        (["a", "b", "c"], "or", "a, b or c"),
    ],
)
def test_joined(words: list[str], conjunction: str, text: str) -> None:
    assert joined(words, conjunction) == text


def test_suggest_takes_little_time_over_many_names() -> None:
    with at_most(2):
        suggest("x" * 60, [f"name_{number}" for number in range(2000)])


@pytest.mark.parametrize(
    ("modules", "tools", "command"),
    [
        ({"pip"}, {"uv"}, "{} -m pip install XlsxWriter"),
        (set(), {"uv"}, "uv pip install --python {} XlsxWriter"),
        (set(), set(), "python3 -m pip --python {} install XlsxWriter"),
    ],
)
def test_a_missing_package_comes_with_a_command_that_works_here(
    modules: set[str], tools: set[str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the README has no pip of its own, and flopsheet itself is in no index."""
    monkeypatch.setattr("flopsheet.report.missing.find_spec", lambda name: name if name in modules else None)
    monkeypatch.setattr("shutil.which", lambda name: name if name in tools else None)
    monkeypatch.setattr(sys, "executable", "/a folder/bin/python")
    error = not_installed("--as xlsx", "Workbooks", "XlsxWriter")
    assert str(error).endswith(f"Install it:\n{command.format(chr(39) + '/a folder/bin/python' + chr(39))}")
