"""Figures say what their numbers say: true angles, safe text, stable row ids, stars in their own layer."""

import math
from itertools import pairwise

import numpy as np
import pytest

from core.figures import classifiers, measures, style
from core.figures.classifiers import class_colors, confusion_figure, curves_figure, reliability_figure, token_marks
from core.figures.maps import FAINT, MapLook, Star, find_limits, map_figure
from core.figures.measures import accuracy_lines, angle_figure, cosine_bars, panel_figure, training_figure
from core.figures.spaces import bands_figure, cka_heat, label_map
from core.figures.style import GLOVE, LAYER_COLORS, OWN, PHONE, SENSE_COLORS, ink, mark, word_ticks
from core.text.tokens import letter_count
from core.views.card import Panel


def rays(figure) -> list[tuple[float, float]]:
    return [(t.x[1] - t.x[0], t.y[1] - t.y[0]) for t in figure.data if t.mode == "lines+markers+text"]


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors (WCAG 2.1)."""

    def luminance(color: str) -> float:
        parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        return float(np.dot([0.2126, 0.7152, 0.0722], [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]))

    dark, light = sorted(map(luminance, (first, second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("cosine", [1.0, 0.5, 0.0, -1.0])
def test_two_rays_stand_at_the_angle_of_their_cosine(cosine: float):
    figure = angle_figure(cosine, ("a", "b"), same_word=True, layer="2", glove=1.0)
    a, b = rays(figure)[2:]
    assert a[0] * b[0] + a[1] * b[1] == pytest.approx(cosine, abs=1e-9)
    assert math.hypot(*a) == pytest.approx(1)
    without = angle_figure(cosine, ("a", "b"), same_word=True, layer="2", glove=None)
    assert len(rays(without)) == 2 and "no vector" in without.layout.annotations[0].text


@pytest.mark.parametrize("names", [("1st", "2nd"), ("첫째", "둘째"), ("strawberry", "jam")])
@pytest.mark.parametrize("glove", [None, 1.0, 0.4, -1.0])
@pytest.mark.parametrize("cosine", [1.0, 0.9, 0.3, -0.2, -1.0])
def test_on_a_phone_no_dot_and_no_name_of_the_two_angles_meet_or_are_cut(cosine, glove, names):
    """Edges in pixels on 342 of them, letters taken as wide as they are drawn."""
    figure = angle_figure(cosine, names, same_word=glove == 1.0, layer="mix", glove=glove)
    low, high = figure.layout.xaxis.range
    scale = 342 / (high - low)
    ends = [scale * trace.x[1] for trace in figure.data if trace.mode == "lines+markers+text"]
    wide = [sum(8.2 if sign.isascii() else 13.5 for sign in name) + 12 for name in names]
    dots, stars = ends[:-2], ends[-2:]
    left, right = stars[0] - wide[0], stars[1] + wide[1]
    assert left >= scale * low - 1 and right <= scale * high + 1
    assert all(scale * low <= dot - 8 and dot + 8 < left for dot in dots)
    notes = [(note.x, note.text.replace("<b>", "").replace("</b>", "").split("<br>")) for note in figure.layout.annotations]
    (first, half), (second, other_half) = [(scale * x, max(map(len, lines)) * 7.4 / 2) for x, lines in notes[:2]]
    assert scale * low <= first - half and first + half < second - other_half and second + other_half <= scale * high


def test_the_number_of_a_negative_cosine_has_room_next_to_its_bar():
    figure = cosine_bars({"GloVe": 0.3, "0": 1.0, "1": -0.35}, chosen="1")
    low, high = figure.layout.xaxis.range
    assert -0.35 - low > 0.14 * (high - low)  # "-0.35" of 15 px is 42 px wide, of the 300 that the bars have on a phone
    assert cosine_bars({"0": 1.0, "1": 0.2}, chosen="1").layout.xaxis.range[0] > -0.05
    lined = cosine_bars({"GloVe": 0.3, "0": 1.0, "1": 0.2}, chosen="1", random={"0": 0.33, "1": 0.15, "2": 0.1})  # "2" has no bar
    assert (lined.data[1].x, lined.data[1].y) == ((0.33, 0.15), lined.data[0].y[1:])


def test_a_marked_word_is_escaped_in_its_sentence_and_on_a_ground_as_strong_as_it_speaks():
    assert mark(["<b>x</b>", "bank", "&"], 1) == "&lt;b&gt;x&lt;/b&gt; <b>bank</b> &amp;"
    text = mark(["word"] * 500, 3)
    assert text.count("<br>") == 5 and text.endswith("…")
    html = token_marks(["<i>", "b"], [2.0, -1.0], title="for x")
    assert "&lt;i&gt;" in html and "<i>" not in html
    assert "rgba(0,114,178,0.62)" in html and "rgba(213,94,0,0.31)" in html and "+2.00 for x" in html


def test_a_map_keeps_row_ids_with_their_points_and_draws_guesses_faint_in_their_senses_color():
    xy, star = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), Star("yours, 1", "text", {"2": (0.5, 0.5)})
    for layer in ("1", "2"):
        figure = map_figure(xy, ["s2", None, "s1"], ["h"] * 3, [10, 20, 30], ["s1", "s2"], MapLook(layer=layer, stars=[star], key="k"))
        drawn = [(t.name, t.customdata[0][0], t.x[0]) for t in figure.data[:3]]
        assert drawn == [("other", 20, 1.0), ("s1", 30, 2.0), ("s2", 10, 0.0)]
        assert [t.name for t in figure.data[3:]] == ([star.label] if layer == "2" else [])
    low_x, high_x, low_y, high_y = find_limits(np.array([[[0.0, 1.0]], [[2.0, 3.0]]]), np.array([9.0, -4.0]))
    assert low_x < 0 and high_x > 9 and low_y < -4 and high_y > 3
    assert find_limits(np.zeros((3, 1, 2))) == (-1, 1, -1, 1)  # of a place alone
    labels, look = ["river", "river", "money", "money"], MapLook(layer="1", key="x", guesses=[False, True, False, True])
    figure = map_figure(np.arange(8.0).reshape(4, 2), labels, ["a"] * 4, [0, 1, 2, 3], ["money", "river"], look)
    rows = {(trace.name, trace.marker.opacity): trace.customdata.ravel().tolist() for trace in figure.data}
    assert rows == {("money", None): [2], ("money", FAINT): [3], ("river", None): [0], ("river", FAINT): [1]}
    assert len({(trace.name, trace.marker.color) for trace in figure.data}) == 2


def test_a_training_figure_marks_where_a_stage_ended_and_names_both_directions():
    validations = [{"tokens": 1_000_000 * k, "forward": 200.0 / k, "backward": 210.0 / k} for k in (1, 2, 4)]
    figure = training_figure([], validations, {"table": 2_000_000, "joint": 4_000_000}, quantity="perplexity")
    drawn = [(t.name, list(t.x), list(t.y)) for t in figure.data]
    assert drawn == [("forward", [1, 2, 4], [200, 100, 50]), ("backward", [1, 2, 4], [210, 105, 52.5])]
    assert [shape.x0 for shape in figure.layout.shapes] == [2]
    assert [(a.text, a.x) for a in figure.layout.annotations if a.text in ("table", "joint")] == [("table", 1.0), ("joint", 3.0)]


def test_panels_share_one_axis_that_holds_all_of_their_values():
    panels = [Panel("a", "", {"0": 0.2, "1": 0.6}, 0.3, "chance"), Panel("b", "", {"0": 0.91, "1": 0.9}, 0.85, "chance", static=0.98)]
    limits = measures.find_axis(panels)
    for panel in panels:
        figure = panel_figure(panel, limits=limits)
        low, high = figure.layout.yaxis.range
        values = [*panel.accuracy.values(), panel.baseline, *filter(None, [panel.static])]
        assert (low, high) == pytest.approx(limits) and low < min(values) and high > max(values)
        assert panel.static is None or panel.static in [shape.y0 for shape in figure.layout.shapes]


def test_a_year_without_text_has_no_bar_and_a_rare_word_no_rate_of_nought():
    (bars,) = measures.frequency_columns([("1990", 0, 100), ("1991", 0, 0), ("1992", 1, 2_000_000)]).data
    assert bars.y == (0, None, 0.5)
    hovers = ["0 occurrences, 0 per million tokens", "no text", "1 occurrence, 0.5 per million tokens"]
    assert list(bars.customdata) == hovers


def test_answers_share_out_each_bar_among_the_classes_and_name_the_answer_in_its_part():
    colors = class_colors(("World", "<b>"), ordered=False)
    figure = classifiers.answers_figure(["GloVe", "ELMo"], [{"World": 0.9, "<b>": 0.1}, {"World": 0.2, "<b>": 0.8}], colors)
    assert [list(t.x) for t in figure.data] == [[0.9, 0.2], [0.1, 0.8]]
    assert [list(t.text) for t in figure.data] == [["<b>World</b> 90%", ""], ["", "<b>&lt;b&gt;</b> 80%"]]
    five, two = (class_colors([str(k) for k in range(n)], ordered=True) for n in (5, 2))
    assert len(set(five.values())) == 5 and list(two.values()) == [five["0"], five["4"]]


def test_a_confusion_is_shaded_by_the_true_classes_share_and_reliability_leaves_empty_bins_out():
    long = confusion_figure([[8, 2], [0, 0]], ["x" * 5_000, "x" * 4_000])
    first, second = long.data[0].y
    assert first != second and max(len(first), len(second)) < 40
    figure = confusion_figure([[8, 2], [0, 0]], ["0", "4"])
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "category"
    assert figure.data[0].z.tolist() == [[0.8, 0.2], [0.0, 0.0]] and figure.data[0].text.tolist() == [[8, 2], [0, 0]]
    assert list(figure.data[1].text) == ["8", "2", "0", "0"]
    bins = [{"confidence": 0.5, "accuracy": 0.4, "n": 4}, {"confidence": 0.0, "accuracy": 0.0, "n": 0}]
    assert list(reliability_figure(bins, color="#000").data[1].x) == [0.5]


def test_texts_on_colors_and_rims_on_both_themes_have_the_contrast_that_wcag_asks_for():
    shades = [style.between(*style.SHADES, share) for share in np.linspace(0, 1, 21)]
    for ground in (*shades, *SENSE_COLORS, *LAYER_COLORS.values(), GLOVE, *OWN, "#000000", "#ffffff"):
        assert contrast(ground, ink(ground)) >= 4.5, ground
    scale = confusion_figure([[8, 2], [0, 0]], ["a", "b"]).data[0].colorscale
    assert all(color.startswith("#") for _, color in scale)  # nothing shines through
    labeled = np.array([True, False])
    line = label_map(np.zeros((2, 2)), np.array([0, 0]), np.ones(2), labeled, ["sense"], ["one", "two"], key="k").data[0].marker.line
    assert list(line.width) == [3, 0] and all(contrast(line.color, page) >= 3 for page in ("#FFFFFF", "#11151B"))  # WCAG 2.1, 1.4.11


def test_every_curve_is_named_at_its_end_and_crowded_logarithmic_ticks_are_not_all_named():
    figure = curves_figure({"a": [(1, 0.5), (2, 0.7)], "b": []}, y="accuracy", percent=True)
    (name,) = figure.layout.annotations
    assert name.text.endswith("</span> a") and (name.x, name.y) == (2, 0.7)
    points = [(n, 0.5) for n in (1_463, 1_794, 2_550, 4_965, 13_420)]
    figure = curves_figure({"a": points}, y="accuracy", percent=True, x="rows", log_x=True)
    assert list(figure.layout.xaxis.tickvals) == [1_463, 4_965, 13_420]


def test_an_enlarged_figure_has_larger_letters_and_dots_and_the_same_data():
    plain = map_figure(np.eye(2), ["a", "b"], ["", ""], [0, 1], ["a", "b"], MapLook(layer="2", key="k"))
    large = style.enlarge(plain, 1.5, height=320)
    assert large.layout.height == 320 and large.layout.annotations[0].font.size == 1.5 * plain.layout.annotations[0].font.size
    for before, after in zip(plain.to_dict()["data"], large.to_dict()["data"], strict=True):
        assert after["marker"]["size"] == 1.5 * before["marker"]["size"] and after["x"] == before["x"]
    bars = style.enlarge(accuracy_lines({"1": 0.5}, null=0.4, majority=None), 1.5, height=320)
    assert bars.layout.yaxis.tickfont.size == 18 and bars.layout.xaxis.tickfont.size == 21  # of its own 14


def test_a_lead_has_its_interval_and_is_hollow_where_it_may_be_chance():
    leads = {"a": [(134, 0.05, 0.02, 0.07, True), (403, 0.01, -0.01, 0.02, False)], "b <i>": [(134, -0.02, -0.03, -0.01, True)]}
    figure = classifiers.leads_figure(leads, {"a": "#111111", "b <i>": "#222222"}, x="rows", y="points")
    first, second = figure.data
    assert list(first.marker.symbol) == ["circle", "circle-open"] and second.name == "b &lt;i&gt;"
    np.testing.assert_allclose(np.add(first.y, first.error_y.array), [0.07, 0.02])
    np.testing.assert_allclose(np.subtract(first.y, first.error_y.arrayminus), [0.02, -0.01])
    assert first.x[0] < 134 < second.x[0] and first.customdata[0][0] == second.customdata[0][0] == 134
    assert figure.layout.xaxis.type == "log" and list(figure.layout.xaxis.tickvals) == [134, 403]


@pytest.mark.parametrize(("n", "written"), [(4, 16), (9, 81), (12, 0)])
def test_figures_of_whole_spaces_are_written_where_they_have_room(n, written):
    figure = cka_heat([f"model · {k}" for k in range(n)], np.eye(n))
    assert sum(map(bool, figure.data[1].text)) == written and figure.data[0].z.shape == (n, n)
    assert list(figure.layout.xaxis.ticktext) == [str(k) for k in range(n)] and figure.layout.xaxis.tickangle == 0
    assert list(cka_heat(["<i>"] * n, np.eye(n)).data[0].x) == list(range(n))  # two spaces may have one name


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


def test_sense_bars_are_labeled_with_the_side_and_its_number_of_sentences():
    figure = bands_figure(["sentences", "<i>x</i>"], np.array([[1500, 2], [3, 4]]), ["judge", "corner"], key="k")
    assert list(figure.layout.xaxis.ticktext) == ["sentences<br>n = 1,502", "&lt;i&gt;x&lt;/i&gt;<br>n = 7"]
    assert list(bands_figure(["a", "a"], np.ones((2, 1), int), ["judge"], key="k").data[0].x) == [0, 1]
