"""Functions that no calculator has are defined where a derivation uses them first."""

from __future__ import annotations

import re
from math import factorial

import pytest

from flopsheet import Sheet, erlang_c, formula, geometric_sum, given, solve
from flopsheet.report.pages import write_up

SUM = r"\operatorname{GeometricSum}(r,n)=\sum_{k=0}^{n-1}r^{k}"
BUSY = r"\operatorname{ErlangC}(n,a)=\frac{1}{1+\left(1-\frac{a}{n}\right)\sum_{k=0}^{n-1}\frac{n!}{k!\,a^{n-k}}}"


class Rare(Sheet):
    """Two functions that calculators lack, one of them twice."""

    acceptance = given("Share of drafts that are accepted", default=0.6)
    servers = given("Servers", default=3, integer=True)
    load = given("Offered load", default=2.308)

    tokens = formula(geometric_sum(acceptance, servers + 1), "", "Tokens of a step")
    longer = formula(geometric_sum(acceptance, servers + 2), "", "Tokens of a longer step")
    busy = formula(erlang_c(servers, load), "", "Probability that all servers are busy")


def test_each_is_defined_once() -> None:
    page = solve(Rare).derivation()
    assert page.count(SUM) == 1
    assert page.count(BUSY) == 1
    assert page.index(SUM) < page.index("Tokens of a longer step")


@pytest.mark.parametrize("form", ["html", "latex"])
def test_every_format_defines_it(form: str) -> None:
    page = write_up(solve(Rare), "derivation", form)
    assert len(re.findall(r"^where *[<\n]", page, re.MULTILINE)) == 2


def test_a_relation_that_is_inverted_defines_it() -> None:
    assert SUM in solve(Rare, "acceptance", ["tokens = 3"]).derivation()


def test_a_step_without_them_defines_nothing() -> None:
    assert "where\n" not in solve("ffn_memory", "params", ["d_model = 64", "d_ff = 256", "n_blocks = 2"]).derivation()


def test_a_comparison_in_brackets_is_defined_where_it_is_first_printed() -> None:
    page = solve("weight_format").derivation()
    assert page.count(r"\left[c\right]=1\text{ where }c\text{ holds, else }0") == 1
    step = page[: page.index(r"\left[c\right]")].rpartition("\n2. ")[2]
    assert step.count(r"\left[") > 1


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (3, 2.308), (12, 11.5), (40, 12.25)])
def test_what_it_says_is_what_is_computed(servers: int, load: float) -> None:
    idle = sum(factorial(servers) / factorial(k) / load ** (servers - k) for k in range(servers))
    said = 1 / (1 + (1 - load / servers) * idle)
    assert solve(Rare, where={"servers": str(servers), "load": str(load)}).cells["busy"].si == pytest.approx(
        said, rel=1e-12
    )
    terms = sum(0.6**k for k in range(servers + 1))
    assert solve(Rare, where={"servers": str(servers)}).cells["tokens"].si == pytest.approx(terms, rel=1e-12)
