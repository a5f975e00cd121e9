"""The graph of an answer: exactly the cells on the way to it, in Mermaid and in SVG that nothing breaks out of."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from tests.answer.worked_sheets import Roofline
from tests.asked import answered
from tests.cases import sampled

import flopsheet
from flopsheet import Sheet, choice, formula, given, select
from flopsheet.answer.solve import answer as answer_to
from flopsheet.formulas.relation import cells_of
from flopsheet.functions.symbols import symbol
from flopsheet.registry.packs import packs
from flopsheet.report.pictures import mermaid, svg
from flopsheet.report.pictures.dependencies import MOST_NODES, Graph, Node, graph
from flopsheet.report.pictures.drawing import Drawing, Layers, shortened
from flopsheet.sheets.cell import Cell

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer

WHERE = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
GOAL = "device_memory <= chip.memory"
QUESTIONS = sorted((packs()[0].folder / "models" / "questions").glob("*.yaml"))
STEP = {"work": "1200 TFLOP", "traffic": "4 TB", "exchanged": "50 GB", "flop_rate": "400 TFLOP/s"}
RATES = {"memory_bandwidth": "2 TB/s", "link_bandwidth": "50 GB/s"}
HOSTILE = [
    '"] --> x["',
    "<script>alert(1)</script>",
    "a\n```\nend",
    "]] }} ((",
    "&quot;",
    "$x$ `y` ]]>",
    "\x00\x1b\ufffe",
]


def _tree(text: str | bytes) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  # what is read was written here


@pytest.fixture(scope="module")
def answer() -> Answer:
    return flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL])


def _decoded(text: str) -> str:
    return re.sub(r"#(\d+);", lambda code: chr(int(code[1])), text)


def _read(text: str) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """Return the first line of each label by id, and the edges between them."""
    labels = {
        key: _decoded(label).partition("<br/>")[0]
        for key, label in re.findall(r'^ +(n\d+)[{\[]+"(.*)"', text, re.MULTILINE)
    }
    arrows = re.findall(r"^ +(n\d+) (?:-->|==>) (n\d+)$", text, re.MULTILINE)
    return labels, {(labels[feeder], labels[fed]) for feeder, fed in arrows}


def _formulas(answer: Answer, name: str) -> set[tuple[str, str]]:
    """Return the edges that the formulas say, from a cell backwards."""
    formula = answer.question.sheet.cells[name].formula
    inputs = () if formula is None else cells_of(formula)
    return {(cell, name) for cell in inputs}.union(*(_formulas(answer, cell) for cell in inputs))


def test_forward_has_the_cells_of_the_formulas_and_no_others() -> None:
    answer = flopsheet.solve("ffn_memory", "state_memory", [*WHERE, "n_fsdp = 46"])
    labels, edges = _read(mermaid(answer.graph))
    assert edges == _formulas(answer, "state_memory")
    assert set(labels.values()) == {cell for edge in edges for cell in edge}


def test_backward_has_the_relation_and_what_both_its_sides_rest_on(answer: Answer) -> None:
    labels, edges = _read(mermaid(answer.graph))
    expected = _formulas(answer, "device_memory") | {("device_memory", GOAL), ("chip.memory", GOAL)}
    assert edges == expected
    assert set(labels.values()) == {cell for edge in expected for cell in edge}


def test_a_relation_that_has_no_part_in_the_answer_is_left_out() -> None:
    answer = flopsheet.solve("ffn_memory", "params", [*WHERE, "n_fsdp = 46", "total_memory <= 9000 GiB"])
    assert _read(mermaid(answer.graph))[1] == _formulas(answer, "params")


@pytest.mark.parametrize("file", sampled(QUESTIONS), ids=lambda file: file.stem)
def test_every_edge_is_said_by_a_formula_or_a_relation(file: Any) -> None:
    answer = answered(file)
    drawn = graph(answer)
    cells, texts = answer.question.sheet.cells, {node.name: key for key, node in drawn.nodes.items()}
    relations = [pin.relation for pin in answer.question.pins.values()] + answer.question.relations
    stated = {relation.left.name: relation.right for relation in relations if relation.left.is_Symbol}
    assert set(answer.outcomes) <= set(drawn.nodes)
    for feeder, fed in drawn.edges:
        if fed in cells and feeder not in answer.question.sheet.choices:
            assert feeder in cells_of(cells[fed].formula or stated[fed])
    for relation in relations:
        if relation.text in texts:
            assert {feeder for feeder, fed in drawn.edges if fed == texts[relation.text]} == relation.cells


def test_kinds_are_classes(answer: Answer) -> None:
    drawn = graph(answer)
    kinds = {
        kind: {key for key, node in drawn.nodes.items() if node.kind == kind} for kind in ("given", "record", "unknown")
    }
    assert kinds == {
        "given": {"d_model", "d_ff", "n_blocks", "batch", "seq_len"},
        "record": {"chip.memory"},
        "unknown": {"n_fsdp"},
    }
    assert drawn.nodes["bytes_per_param"].kind == "default"
    assert re.search(r"^ +class n0 is_unknown$", mermaid(answer.graph), re.MULTILINE)


def test_the_deciding_branch_is_marked() -> None:
    answer = flopsheet.solve(Roofline(), "step_time", {**STEP, **RATES})
    drawn = graph(answer)
    assert drawn.deciding == {("compute_time", "step_time")}
    assert [key for key, node in drawn.nodes.items() if node.decides] == ["compute_time"]
    assert mermaid(answer.graph).count(" ==> ") == 1
    assert "decides" in svg(answer)


class Chosen(Sheet):
    """A sheet with a choice."""

    which = choice("first", "second", doc="Which of two", default="first")
    a = given("First")
    b = given("Second")
    c = formula(select(which, first=a, second=b), "", "The chosen one")


def test_a_choice_feeds_its_cell_and_hides_the_other_branch() -> None:
    labels, edges = _read(mermaid(flopsheet.solve(Chosen(), "c", {"a": 1, "b": 2}).graph))
    assert edges == {("a", "c"), ("which", "c")}
    assert set(labels.values()) == {"a", "c", "which"}


def _long(cells: int) -> Sheet:
    sheet = Sheet("long")
    sheet.rows.add_cell(Cell("c0", "First"))
    for place in range(1, cells):
        sheet.rows.add_cell(Cell(f"c{place}", "Next", formula=symbol(f"c{place - 1}") + 1))
    return sheet


def test_what_is_too_much_is_left_out_and_said() -> None:
    answer = flopsheet.solve(_long(100), "c99", {"c0": 1})
    drawn = graph(answer)
    assert len(drawn.nodes) == MOST_NODES
    assert drawn.left_out == 100 - MOST_NODES
    assert "c99" in drawn.nodes
    assert "c0" not in drawn.nodes
    for text in (mermaid(answer.graph), svg(answer)):
        assert "40 more, farther from the unknowns, not shown" in text


def test_cells_that_depend_on_each_other_are_drawn() -> None:
    round_ = Graph({key: Node(key, "computed", key, "", "") for key in "abc"}, (("a", "b"), ("b", "c"), ("c", "a")))
    assert len(re.findall("<path d=.M", Drawing(round_, "circle").text())) == 3 + 2  # the arrowheads are paths too


def _hostile() -> Graph:
    nodes = {f"k{place}": Node(f"k{place}", "given", text, text, text) for place, text in enumerate(HOSTILE)}
    return Graph(nodes, tuple((key, "k0") for key in nodes if key != "k0"))


def test_no_text_breaks_out_of_mermaid() -> None:
    lines = mermaid(_hostile()).splitlines()
    node = re.compile(r' +n\d+\["(?:[\w .,]|#\d+;|<br/>)*"\]')
    assert [line for line in lines[1 : len(HOSTILE) + 1] if not node.fullmatch(line)] == []
    assert all(re.fullmatch(r" +(n\d+ --> n0|classDef .*|class .*)", line) for line in lines[len(HOSTILE) + 1 :])
    labels, _ = _read("\n".join(lines))
    assert labels["n1"] == HOSTILE[1]


def test_no_text_breaks_out_of_svg() -> None:
    text = Drawing(_hostile(), HOSTILE[0]).text()
    tags = {element.tag.rpartition("}")[2] for element in _tree(text).iter()}
    assert tags <= {"svg", "style", "rect", "defs", "marker", "path", "text", "g", "title"}
    assert HOSTILE[1] in {element.text for element in _tree(text).iter()}


def test_svg_is_xml_that_names_nothing_elsewhere(answer: Answer) -> None:
    text = svg(answer)
    root = _tree(text)
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in attributes if "href" in name or name.startswith("on") or name == "style"}
    assert set(re.findall(r"url\((.)", text)) == {"#"}
    assert re.findall(r"https?:[^\"']*", text) == ["http://www.w3.org/2000/svg"]
    assert {"n_fsdp", "46", GOAL} <= {element.text for element in root.iter()}


def test_layers_run_from_left_to_right_and_boxes_keep_apart() -> None:
    answer = answer_to(flopsheet.read_question(QUESTIONS[0].with_name("sync-by-batch.yaml")).question)
    drawn = graph(answer)
    layers = Layers(list(drawn.nodes), drawn.edges)
    place = {key: at for at, column in enumerate(layers.columns) for key in column}
    assert all(place[feeder] < place[fed] for feeder, fed in drawn.edges)
    middle = layers.heights(dict.fromkeys(drawn.nodes, 40.0), 12.0)
    for column in layers.columns:
        boxes = sorted(middle[key] for key in column if key in drawn.nodes)
        assert all(below - above >= 52.0 - 1e-6 for above, below in pairwise(boxes))


def test_the_same_answer_gives_the_same_picture(answer: Answer) -> None:
    again = flopsheet.solve("ffn_memory", "n_fsdp", [*WHERE, GOAL])
    assert (svg(again), mermaid(again.graph)) == (svg(answer), mermaid(answer.graph))


def test_long_texts_are_cut_on_one_line() -> None:
    assert shortened("a\nb" * 100, 10) == "a ba ba b…"
    assert not any(letter in shortened("".join(HOSTILE)) for letter in "\n\x00\x1b\ufffe")


def test_names_as_unknowns_have_a_graph() -> None:
    answer = flopsheet.solve("ffn_memory", "chip", [*WHERE[:-1], "n_fsdp = 46"])
    assert ("chip.memory", " 0") in graph(answer).edges
    assert _tree(svg(answer)) is not None


def test_choices_come_in_the_order_of_declaration() -> None:
    """A formula may read several, here those of sharding and of offload, in an order that no hash decides."""
    given = ["model = llama-2-7b", "chip = h100-sxm", "n_dp = 8", "seq_len = 4096", "recomputation = full"]
    answer = flopsheet.solve("training_memory", "micro_batch", [*given, "device_memory <= chip.memory"])
    drawn = graph(answer)
    choices = [feeder for feeder, fed in drawn.edges if fed == "gathered_memory" and feeder in answer.question.options]
    assert choices == [name for name in answer.question.sheet.choices if name in choices]
    assert len(choices) > 1
