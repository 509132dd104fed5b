"""The curves of "What decides" as their widget is sent them."""

import json

import numpy as np
import pytest

from core.figures.influence import EvidenceRow, curves_figure
from core.live.widgets import curves_data, decisive_rows, plain_rows, say_probability
from core.senses.calibration import Density
from core.senses.verdict import Verdict
from core.views.pair import Judgment

BINS = np.linspace(-0.975, 0.975, 40)


def row(name: str, value: float) -> EvidenceRow:
    return EvidenceRow(
        name=name, low=-1.0, high=1.0, same=np.exp(-((BINS - 0.4) ** 2) * 9), different=np.exp(-((BINS + 0.4) ** 2) * 9), value=value
    )


def test_a_pair_is_like_the_pairs_that_are_denser_where_it_falls():
    assert row("a", 0.5).favors_same and not row("a", -0.5).favors_same
    assert row("a", 7.0).favors_same == row("a", 1.0).favors_same and not row("a", -7.0).favors_same  # beyond the last bin


def test_every_space_has_its_gray_row_and_the_sense_space_the_usual_layer_s():
    plain = {"1": row("layer 1", 0.3), "mix": row("mix", 0.2)}
    data = curves_data([row("place", -0.5), row("words", 0.5)], plain, ("0", "1", "mix", "senses"), "1", "Together: 90% two meanings.")
    assert [item and item["name"] for item in data["plain"]] == ["layer 1", "layer 1", "mix", "layer 1"]
    assert [len(item["same"]) for item in data["rows"]] == [40, 40] and json.loads(json.dumps(data)) == data
    assert (
        "place: like pairs of different meanings." in data["text"]["alt"]
        and "words: like pairs of the same meaning." in data["text"]["alt"]
    )
    assert curves_data([], {}, ("0", "senses"), "1", "")["plain"] == [None, None]


def test_a_figure_has_two_curves_a_row():
    figure = curves_figure([row("place", -0.5), row("words", 0.5)])
    assert len(figure.data) == 4 and [shape.x0 for shape in figure.layout.shapes] == [-0.5, 0.5]


@pytest.mark.parametrize(("lemma", "kinds"), [("port", ["Place in the sense space", "Words around it"]), ("", ["Words around it"])])
def test_a_row_is_drawn_for_each_kind_that_decides_and_has_densities(lemma: str, kinds: list[str]):
    density = Density(np.linspace(-1, 1, 41), np.full(40, 0.025), np.full(40, 0.025))
    densities = {"around": density} | ({"senses": density, "token": density, "1": density} if lemma else {})
    verdict = Verdict(0.2, "1", evidence={"senses": -0.3, "around": 0.1, "token": 0.4, "expected": 0.2})
    judgment = Judgment(True, verdict, lemma, "1")
    rows = decisive_rows(densities, judgment)
    assert [row.name for row in rows] == kinds and rows[-1].value == 0.1 and (rows[0].low, rows[0].high) == (-1, 1)
    assert list(plain_rows(densities, {"0": 1.0, "1": 0.5})) == (["1"] if lemma else [])
    assert say_probability(judgment) == "Together: 80% two meanings."
    assert decisive_rows(densities, Judgment(False, None, "", "1")) == []
