"""Pages of questions that nothing meets, over every sheet and in every form: each says so, and none fails."""

from __future__ import annotations

import pytest
from tests.cases import but_slow
from tests.models.points import SHEETS, example

from flopsheet.report.pages import notebook_view, write_up
from flopsheet.report.workbook import workbook

QUICK = ("kv_cache", "inference_memory")  # whose limits hold a choice


@pytest.mark.parametrize("name", but_slow(SHEETS, *(name for name in SHEETS if name not in QUICK)))
def test_a_question_without_an_answer_has_every_page(name: str) -> None:
    """An output is to be no more than it is, and twice that."""
    pytest.importorskip("xlsxwriter")
    point = example(name)
    pairs = [(free, output) for free, output in point.pairs if point.value(output) > 0]
    if not pairs:
        assert not point.pairs, "only a sheet of records asks nothing"
        return
    free, output = pairs[len(pairs) // 2]
    most = point.exactly(output, "<=")
    answer = point.asked_back([free], [most, f"{output} >= 2*{most.partition(' <= ')[2]}"])
    assert answer.outcomes[free].kind == "none"
    for form in ("markdown", "html", "latex"):
        assert "works" in write_up(answer, form=form)
    assert "works" in notebook_view(answer)
    assert workbook(answer)
