"""What is said of two lists of neighbors is true of them, for lists of any kind: empty, one, tied, equal, disordered."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index.neighbors import Neighbor, Occurrence, TypeNeighbor
from core.text.readings import WordInContext
from core.views.neighbors import Neighbors
from pages._neighbors.notices import write_notices
from tests.app.visit import html_of, opened, written

SENSES = ("shore", "money", "<i>row</i>")


def neighbor(row: int, sense: str | None, lemma: str | None) -> Neighbor:
    return Neighbor(Occurrence(row, "bank", ("a", "bank"), 1, sense, lemma if sense else None), 0.5)


occurrences = st.lists(
    st.builds(neighbor, st.integers(0, 8), st.sampled_from([None, *SENSES]), st.sampled_from(["bank", "wing"])),
    max_size=6,
    unique_by=lambda n: n.occurrence.row,
)
types = st.lists(st.sampled_from("abcdef").map(lambda w: TypeNeighbor(w, 0.5, 1)), max_size=6, unique_by=lambda n: n.word)
sentences = st.sampled_from([("the", "bank"), ("a", "BANK"), ("some", "jaguar"), ("\u2060bank", "bank")])


@st.composite
def two_lists(draw) -> tuple[Neighbors, Neighbors]:
    kind = draw(st.sampled_from([occurrences, types]))
    first, second = draw(kind), draw(kind)
    if draw(st.booleans()):
        second = draw(st.permutations(first))
    lemmas = st.sampled_from([None, "bank"])
    return tuple(Neighbors(word=WordInContext(draw(sentences), 1), entries=each, lemma=draw(lemmas)) for each in (first, second))


def names(item: Neighbors) -> list:
    return [n.occurrence.row if isinstance(n, Neighbor) else n.word for n in item.entries]


@pytest.mark.parametrize(("word", "known"), [("thimbel", False), ("blorptastic", False), ("bank", True)])
def test_a_word_that_glove_has_not_is_said_to_be_read_by_its_letters(word: str, known: bool):
    page = opened("pages/neighbors.py", a=f"She lost her {word} there.", b=f"The {word} was old.", ai=word, bi=word)
    message = html_of(page)
    assert not page.exception and message.count("ELMo reads any word") == (not known)
    assert (f"Not in GloVe: “{word}”" in message) != known


@given(two_lists(), st.sampled_from(["0", "2", "mix", "senses"]), st.booleans())
def test_every_sentence_agrees_with_the_lists_it_is_about(pair, layer, known):
    first, second = pair
    lines = written(write_notices(first, second, layer, static_has=known))
    a, b, message = names(first), names(second), " ".join(lines)
    assert len(lines) <= 2
    assert ("identical." in message.split("GloVe")[0]) <= (a == b != [])
    assert ("in a different order" in message) <= (set(a) == set(b) and a != b)
    assert ("Both lists are empty" in message) == (not a and not b)
    assert ("One list is empty" in message) == (bool(a) != bool(b))
    assert ("GloVe’s are identical" in message) <= (known and first.word.spelling == second.word.spelling)
    if shared := re.search(r"share (\d+) of (\d+)", message):
        assert (int(shared[1]), int(shared[2])) == (len(set(a) & set(b)), max(len(a), len(b)))
    assert "<i>" not in message
    for item, where in ((first, "first"), (second, "second")):
        own = [n.occurrence.sense for n in item.entries if isinstance(n, Neighbor) and n.occurrence.lemma == item.lemma == "bank"]
        assert not own or where in message  # labeled neighbors of the word are spoken of ...
        if not own and len(lines) == 2:
            assert where not in lines[1]  # ... and those of other words never




