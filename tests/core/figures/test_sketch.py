"""The sketch of a figure: its lines, marks and words, in a picture that nothing from a user can leave."""

from urllib.parse import unquote
from xml.etree import ElementTree

from core.figures.maps import angle_figure
from core.figures.sketch import sketch

SVG = "{http://www.w3.org/2000/svg}"


def drawn(cosine: float, labels=("1st", "2nd"), glove: float | None = 1.0) -> ElementTree.Element:
    figure = angle_figure(cosine, labels, same_word=True, layer="2", glove=glove)
    address = sketch(figure, width=600)
    assert address.startswith("data:image/svg+xml,") and not set(address) & set('"<> ')
    return ElementTree.fromstring(unquote(address.removeprefix("data:image/svg+xml,")))


def test_both_pairs_of_rays_stand_there_at_their_angles():
    rays = [line.get("points").split() for line in drawn(0.0).iter(f"{SVG}polyline")]
    assert [len(points) for points in rays] == [40, 2, 2, 40, 2, 2]  # an arc and two rays, twice
    ends = [tuple(map(float, points[1].split(","))) for points in rays[4:]]
    foot = tuple(map(float, rays[4][0].split(",")))
    (a, b), (c, d) = ((x - foot[0], y - foot[1]) for x, y in ends)
    assert abs(a * c + b * d) < 0.01 * (a * a + b * b) and b < 0  # a right angle, upwards


def test_the_users_words_are_stars_with_their_labels_and_glove_has_dots():
    picture = drawn(0.6)
    assert len(list(picture.iter(f"{SVG}polygon"))) == len(list(picture.iter(f"{SVG}circle"))) == 2
    words = [text.text.strip("\u00a0") for text in picture.iter(f"{SVG}text")]
    assert {"1st", "2nd", "GloVe", "ELMo, layer 2", "53° apart"} <= set(words)
    assert not list(drawn(0.6, glove=None).iter(f"{SVG}circle"))


def test_what_a_user_typed_stays_text():
    typed = "</text><b>&\"'"
    words = [text.text.strip("\u00a0") for text in drawn(0.5, (typed, typed)).iter(f"{SVG}text")]
    assert sum(word == "</text>&\"'" or word == typed for word in words) >= 2
