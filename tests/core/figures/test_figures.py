"""Figures say what their numbers say: true angles, safe text, stable row ids, stars in their own layer."""

from itertools import pairwise

import numpy as np
import pytest

from core.figures import classifiers, measures, style
from core.figures.classifiers import class_colors, confusion_figure, curves_figure, reliability_figure, token_marks
from core.figures.maps import FAINT, MapLook, Star, find_limits, map_figure
from core.figures.measures import angle_figure, cosine_bars, panel_figure
from core.figures.spaces import bands_figure, cka_heat, label_map, number_figure
from core.figures.style import GLOVE, LAYER_COLORS, OWN, PHONE, SENSE_COLORS, ink, mark, word_ticks
from core.text.tokens import letter_count
from core.views.card import Panel


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors (WCAG 2.1)."""
    parts = np.array([[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in (first, second)])
    dark, light = sorted(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("names", [("1st", "2nd"), ("첫째", "둘째"), ("strawberry", "jam")])
@pytest.mark.parametrize("glove", [None, 1.0, 0.4, -1.0])
@pytest.mark.parametrize("cosine", [1.0, 0.9, 0.3, -0.2, -1.0])
def test_two_rays_stand_at_the_angle_of_their_cosine_and_no_name_meets_another_on_a_phone(cosine, glove, names):
    """Edges in pixels on 342 of them, letters taken as wide as they are drawn."""
    figure = angle_figure(cosine, names, same_word=glove == 1.0, layer="mix", glove=glove)
    rays = [trace for trace in figure.data if trace.mode == "lines+markers+text"]
    a, b = (np.array([ray.x[1] - ray.x[0], ray.y[1] - ray.y[0]]) for ray in rays[-2:])
    assert a @ b == pytest.approx(cosine, abs=1e-9) and a @ a == pytest.approx(1) and len(rays) == (2 if glove is None else 4)
    low, high = figure.layout.xaxis.range
    scale = 342 / (high - low)
    ends = [scale * ray.x[1] for ray in rays]
    wide = [sum(8.2 if sign.isascii() else 13.5 for sign in name) + 12 for name in names]
    dots, stars = ends[:-2], ends[-2:]
    left, right = stars[0] - wide[0], stars[1] + wide[1]
    assert left >= scale * low - 1 and right <= scale * high + 1
    assert all(scale * low <= dot - 8 and dot + 8 < left for dot in dots)
    notes = [(note.x, note.text.replace("<b>", "").replace("</b>", "").split("<br>")) for note in figure.layout.annotations]
    (first, half), (second, other_half) = [(scale * x, max(map(len, lines)) * 7.4 / 2) for x, lines in notes[:2]]
    assert scale * low <= first - half and first + half < second - other_half and second + other_half <= scale * high


def test_a_marked_word_is_escaped_in_its_sentence_and_on_a_ground_as_strong_as_it_speaks():
    assert mark(["<b>x</b>", "bank", "&"], 1) == "&lt;b&gt;x&lt;/b&gt; <b>bank</b> &amp;"
    text = mark(["word"] * 500, 3)
    assert text.count("<br>") == 5 and text.endswith("…")
    html = token_marks(["<i>", "b"], [2.0, -1.0], title="for x")
    assert "<i>" not in html and all(part in html for part in ("&lt;i&gt;", "rgba(0,114,178,0.62)", "rgba(213,94,0,0.31)", "+2.00 for x"))


def test_a_map_keeps_row_ids_with_their_points_and_draws_guesses_faint_in_their_senses_color():
    xy, star = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), Star("yours, 1", "text", {"2": (0.5, 0.5)})
    for layer in ("1", "2"):
        figure = map_figure(xy, ["s2", None, "s1"], ["h"] * 3, [10, 20, 30], ["s1", "s2"], MapLook(layer=layer, stars=[star], key="k"))
        assert [(t.name, t.customdata[0][0], t.x[0]) for t in figure.data[:3]] == [("other", 20, 1.0), ("s1", 30, 2.0), ("s2", 10, 0.0)]
        assert [t.name for t in figure.data[3:]] == ([star.label] if layer == "2" else [])
    assert find_limits(np.zeros((3, 1, 2))) == (-1, 1, -1, 1)  # of a place alone
    labels, look = ["river", "river", "money", "money"], MapLook(layer="1", key="x", guesses=[False, True, False, True])
    figure = map_figure(np.arange(8.0).reshape(4, 2), labels, ["a"] * 4, [0, 1, 2, 3], ["money", "river"], look)
    rows = {(trace.name, trace.marker.opacity): trace.customdata.ravel().tolist() for trace in figure.data}
    assert rows == {("money", None): [2], ("money", FAINT): [3], ("river", None): [0], ("river", FAINT): [1]}
    assert len({(trace.name, trace.marker.color) for trace in figure.data}) == 2


def test_the_axis_of_a_figure_holds_all_of_its_values():
    low, high = cosine_bars({"GloVe": 0.3, "0": 1.0, "1": -0.35}, chosen="1").layout.xaxis.range
    assert -0.35 - low > 0.14 * (high - low)  # "-0.35" of 15 px is 42 px wide, of the 300 that the bars have on a phone
    panels = [Panel("a", "", {"0": 0.2, "1": 0.6}, 0.3, "chance"), Panel("b", "", {"0": 0.91, "1": 0.9}, 0.85, "chance", static=0.98)]
    low, high = measures.find_axis(panels)
    assert low < 0.2 and high > 0.98
    figure = panel_figure(panels[1], limits=(low, high))
    assert figure.layout.yaxis.range == pytest.approx((low, high)) and 0.98 in [shape.y0 for shape in figure.layout.shapes]


def test_no_curve_of_silhouettes_crosses_their_names():
    (names,) = number_figure([2, 3], [0.5, 0.4], [0.1, 0.2], 2).layout.annotations
    assert "these sentences" in names.text and (names.yref, names.y, names.yanchor) == ("paper", 1, "bottom")


def test_names_of_a_user_are_escaped():
    figure = bands_figure(["sentences", "<i>x</i>"], np.array([[1500, 2], [3, 4]]), ["judge", "corner"], key="k")
    assert list(figure.layout.xaxis.ticktext) == ["sentences<br>n = 1,502", "&lt;i&gt;x&lt;/i&gt;<br>n = 7"]
    assert list(cka_heat(["<i>"] * 4, np.eye(4)).data[0].x) == [0, 1, 2, 3]  # two spaces may have one name
    (name,) = curves_figure({"<i>": [(1, 0.5), (2, 0.7)], "b": []}, y="accuracy", percent=True).layout.annotations
    assert name.text.endswith("</span> &lt;i&gt;") and (name.x, name.y) == (2, 0.7)  # at the end of its curve


def test_a_training_figure_marks_where_a_stage_ended():
    validations = [{"tokens": 1_000_000 * k, "forward": 200.0 / k, "backward": 210.0 / k} for k in (1, 2, 4)]
    figure = measures.training_figure([], validations, {"table": 2_000_000, "joint": 4_000_000}, quantity="perplexity")
    assert [(t.name, *t.y) for t in figure.data] == [("forward", 200, 100, 50), ("backward", 210, 105, 52.5)]
    assert [shape.x0 for shape in figure.layout.shapes] == [2]


def test_a_year_without_text_has_no_bar_and_a_rare_word_no_rate_of_nought():
    figure = measures.frequency_columns([("1990", 0, 100), ("1991", 0, 0), ("1992", 1, 2_000_000)])
    (bars,) = figure.data
    assert figure.layout.xaxis.tickangle == -90  # an angle that Plotly chooses leaves the labels in the plot
    assert bars.y == (0, None, 0.5)
    assert list(bars.customdata) == ["0 occurrences, 0 per million tokens", "no text", "1 occurrence, 0.5 per million tokens"]


def test_answers_share_out_each_bar_among_the_classes_and_name_the_answer_in_its_part():
    colors = class_colors(("World", "<b>"), ordered=False)
    figure = classifiers.answers_figure(["GloVe", "ELMo"], [{"World": 0.9, "<b>": 0.1}, {"World": 0.2, "<b>": 0.8}], colors)
    assert [list(t.x) for t in figure.data] == [[0.9, 0.2], [0.1, 0.8]]
    assert [list(t.text) for t in figure.data] == [["<b>World</b> 90%", ""], ["", "<b>&lt;b&gt;</b> 80%"]]
    five, two = (class_colors([str(k) for k in range(n)], ordered=True) for n in (5, 2))
    assert len(set(five.values())) == 5 and list(two.values()) == [five["0"], five["4"]]


def test_a_confusion_is_shaded_by_the_true_classes_share_and_reliability_leaves_empty_bins_out():
    first, second = confusion_figure([[8, 2], [0, 0]], ["x" * 5_000, "x" * 4_000]).data[0].y
    assert first != second and max(len(first), len(second)) < 40
    figure = confusion_figure([[8, 2], [0, 0]], ["0", "4"])
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "category"
    assert figure.data[0].z.tolist() == [[0.8, 0.2], [0.0, 0.0]] and list(figure.data[1].text) == ["8", "2", "0", "0"]
    bins = [{"confidence": 0.5, "accuracy": 0.4, "n": 4}, {"confidence": 0.0, "accuracy": 0.0, "n": 0}]
    assert list(reliability_figure(bins, color="#000").data[1].x) == [0.5]


def test_texts_on_colors_and_rims_on_both_themes_have_the_contrast_of_wcag():
    shades = [style.between(*style.SHADES, share) for share in np.linspace(0, 1, 21)]
    for ground in (*shades, *SENSE_COLORS, *LAYER_COLORS.values(), GLOVE, *OWN, "#000000", "#ffffff"):
        assert contrast(ground, ink(ground)) >= 4.5, ground
    labeled = np.array([True, False])
    line = label_map(np.zeros((2, 2)), np.array([0, 0]), np.ones(2), labeled, ["sense"], ["one", "two"], key="k").data[0].marker.line
    assert list(line.width) == [3, 0] and all(contrast(line.color, page) >= 3 for page in ("#FFFFFF", "#11151B"))  # WCAG 2.1, 1.4.11


def test_a_lead_has_its_interval_and_is_hollow_where_it_may_be_chance():
    leads = {"a": [(134, 0.05, 0.02, 0.07, True), (403, 0.01, -0.01, 0.02, False)], "b <i>": [(134, -0.02, -0.03, -0.01, True)]}
    figure = classifiers.leads_figure(leads, {"a": "#111111", "b <i>": "#222222"}, x="rows", y="points")
    first, second = figure.data
    assert list(first.marker.symbol) == ["circle", "circle-open"] and second.name == "b &lt;i&gt;"
    ends = np.subtract(first.y, first.error_y.arrayminus), np.add(first.y, first.error_y.array)
    np.testing.assert_allclose(ends, [[0.02, -0.01], [0.07, 0.02]])
    assert first.x[0] < 134 < second.x[0] and first.customdata[0][0] == second.customdata[0][0] == 134
    assert figure.layout.xaxis.type == "log" and list(figure.layout.xaxis.tickvals) == [134, 403]
    points = [(n, 0.5) for n in (1_463, 1_794, 2_550, 4_965, 13_420)]
    figure = curves_figure({"a": points}, y="accuracy", percent=True, x="rows", log_x=True)
    assert list(figure.layout.xaxis.tickvals) == [1_463, 4_965, 13_420]  # names of all would overlap


def test_words_along_an_axis_are_level_and_none_stands_on_another():
    words = ["He", "deposited", "the", "cheque", "at", "the", "<b>", "on", "Wednesday", "afternoon", "."]
    axis = word_ticks(words, {6: "<b>{}</b>"})
    assert axis["tickangle"] == 0 and axis["tickvals"] == list(range(11)) and "<b>&lt;b&gt;</b>" in axis["ticktext"]
    for crowd, n in ((words * 4, 44), (["나뭇가지에"] * 30, 30)):
        axis = word_ticks(crowd, {n - 1: "{}"})
        by_line: dict[int, list[tuple[float, float]]] = {}
        for k, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
            wide = letter_count(crowd[k]) * 7
            by_line.setdefault(text.count("<br>"), []).append(((k + 0.5) * PHONE / n - wide / 2, (k + 0.5) * PHONE / n + wide / 2))
        assert n - 1 in axis["tickvals"] and all(a[1] < b[0] for line in by_line.values() for a, b in pairwise(line))
