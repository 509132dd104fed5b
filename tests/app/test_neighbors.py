"""Test the Neighbors page: the sense space, the lists, and a neighbor that becomes the target sentence."""

import re
import shutil
from types import SimpleNamespace

import pytest

from core.common.limits import limits
from core.common.markup import Markup
from core.elmo.models import open_model
from core.index.neighbors import SAME
from core.index.rows import make_query
from core.index.sense_space import WEIGHTS, SenseIndex
from core.index.tables import open_table
from core.text import languages
from core.text.readings import as_typed
from core.text.tokens import tokenize
from core.workspace import open_workspace
from pages._neighbors.show import compare_with_second_model
from pages._widgets.lists import SHORT, WIDTH, keyword_line
from tests.app.visit import address_of, captions, html_of, opened, opened_whole, read_through

PAGE = "pages/neighbors.py"
LABELED = {"a": "The bank lent us money .", "ai": "1", "b": "We sat on the bank of a lake .", "bi": "4"}


def listed(page) -> list[str]:
    return re.findall(r'<span class="cosine">([\d.]+)</span>', html_of(page))


def test_sense_space_in_an_address_stays_until_another_choice():
    page = opened_whole(PAGE, nlayer="senses", among="types", **LABELED)
    assert page.session_state["among"] == "same word"  # spellings have no place in it
    page.text_input(key="a").set_value("The bank raised its rates .").run()
    assert page.session_state["nlayer"] == address_of(page, "nlayer") == "senses"
    model = open_model("elmo-mini")
    index = SenseIndex(open_table("sentences", model), open_workspace(model).sense_space)
    queries = [make_query(model.encoder, tokens.split(), k) for tokens, k in (("The bank raised its rates .", 1), (LABELED["b"], 4))]
    near = [n for query in queries for n in index.nearest(query, WEIGHTS, k=8, which=SAME)]
    assert listed(page)[-16:] == [f"{n.cosine:.2f}" for n in near]
    page.segmented_control(key="nlayer").set_value("2").run()
    assert page.session_state["nlayer"] == "2"
    page.selectbox(key="among").set_value("types").run()
    page.segmented_control(key="nlayer").set_value("senses").run()
    assert (page.session_state["nlayer"], page.session_state["among"]) == ("senses", "other words")


def test_model_without_a_sense_space_shows_a_layer(tmp_path):
    folder = open_model("elmo-mini").folder
    mute = shutil.copytree(folder, tmp_path / "mute", ignore=shutil.ignore_patterns("vocabulary.txt", "spelled.npz"))
    page = opened_whole(PAGE, model=str(mute), nlayer="senses", **LABELED)
    assert "mute has no sense space; showing a layer." in captions(page)
    assert page.session_state["nlayer"] in ("0", "1", "2", "mix") and "nlayer" not in page.query_params


WILD = {"a": "The mustang was there before them.", "b": "Her mustang would not start.", "ai": "mustang", "bi": "mustang"}


TARGETS = [(("The", "bank", "of", "the", "other", "bank", "."), 5), (('"', "Do", "n't", "bank", "on", "it", "!", '"'), 3)]
TARGETS += [(("one", "two", "three") * 90, 200), (("x" * 900, "bank", "y" * 900, "z" * 900), 1)]


@pytest.mark.parametrize(("tokens", "position"), TARGETS)
def test_target_is_found_again_in_the_written_sentence(tokens, position):
    text, place = as_typed(tokens, position)
    read = languages.tokenize(text)
    assert read[place] == tokens[position]
    assert len(text) <= limits().max_text and len(read) <= limits().max_words


def test_word_without_other_sentences_gets_its_nearest_words():
    page = read_through(opened(PAGE, **WILD))
    assert page.selectbox(key="among").value == "types"
    assert html_of(page).count("data-take=") == 16  # eight words for each sentence, each with a sentence to look at
    page.selectbox(key="among").set_value("same word").run()
    assert [m.value for m in page.markdown].count("No other sentence in use has “mustang”.") == 2
    page.button(key="among.b").click().run()
    assert page.selectbox(key="among").value == "types" and "data-take=" in html_of(page)


def cut_and_whole(html: str) -> list[str]:
    return [re.sub("<[^>]*>", "", part) for part in html.split('<span class="whole">')]


@pytest.mark.parametrize(
    "sentence", ('"Get back from the bank, it\'s crumbling!" he said.', 'He said "the bank" twice.', "The bank's (old) vault", "bank")
)
def test_line_reads_like_the_sentence(sentence: str):
    tokens = tokenize(sentence)
    cut, whole = cut_and_whole(keyword_line(tokens, tokens.index("bank"), ""))
    assert whole == Markup.escape(sentence) and (cut == whole or len(tokens) > WIDTH)


def test_line_is_cut_on_both_sides_of_its_target():
    tokens = [f"w{k}" for k in range(40)]
    for place, start, end in ((20, 20 - WIDTH // 2, 21 + WIDTH // 2), (0, 0, WIDTH + 1), (39, 39 - WIDTH, 40)):
        cut, whole = cut_and_whole(keyword_line(tokens, place, "0.50"))
        assert cut == " ".join(tokens[start:end]) and whole == f"{' '.join(tokens)}0.50"
    shortened = cut_and_whole(keyword_line(tokens, 20, "", shortened=True))[0]
    assert shortened == f"… {' '.join(tokens[20 - SHORT // 2 : 21 + SHORT // 2])} …"


@pytest.mark.parametrize("is_same_search", [True, False])
def test_lists_of_two_models_are_compared_only_over_the_same_tokens(is_same_search):
    lists = [SimpleNamespace(entries=[SimpleNamespace(in_any_table=name)]) for name in "ab"]
    (line,) = compare_with_second_model("m", lists, lists, "1", is_same_search=is_same_search)
    assert ("in the lists above" in line) == is_same_search
