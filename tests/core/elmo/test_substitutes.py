"""Substitutes: by hand, on the bundled model, where they are weak or there are none, and a word put in."""

import numpy as np
import pytest
import torch

from core.common.directions import unit
from core.common.errors import BadInput
from core.elmo import substitutes as own
from core.elmo.language_model import SPECIALS, Prediction
from core.elmo.models import open_language_model, open_model
from core.elmo.substitutes import MASS, TEN, Substitutes, are_good, by_substitutes, in_place, put_in, weakness
from core.text import languages
from core.text.readings import WordInContext
from core.text.tokens import JOINER, bare, find_word, tokenize
from tests.core.elmo.test_language_model import SHAPE, language_model, uniform

torch.set_num_threads(1)  # tiny products: threads only get in each other's way


@pytest.fixture(scope="module")
def bundled(workspace) -> Substitutes:
    return workspace.substitutes


def of(substitutes: Substitutes, sentence: str, word: str, k: int = 10, **options) -> list[str]:
    tokens = tokenize(sentence)
    (position, *_) = find_word(tokens, word)
    (answers,) = substitutes.likeliest(substitutes.model.encoder.around([tokens], [position]), [tokens[position]], k, **options)
    return [answer.word for answer in answers]


def by_hand(words: list[str], bias: list[float], weight: list[list[float]]) -> Substitutes:
    softmax = uniform(len(words))
    softmax.bias.copy_(torch.tensor(bias))
    softmax.weight[:, :1] = torch.tensor(weight)
    return Substitutes(language_model(words=words, softmax=softmax))


def test_both_sides_are_multiplied_and_the_words_own_probability_is_divided_out():
    substitutes = by_hand([*SPECIALS, "hill", "shore", "bank"], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [[0.0]] * 3 + [[0.0], [1.0], [0.0]])
    place = np.zeros((1, 2 * SHAPE.projection), np.float32)
    place[0, 0], place[0, SHAPE.projection] = 2.0, -0.5  # shore: 2 from the left, -0.5 from the right, bias 0; hill: bias 1, once
    for direction, odds in (("both", 1.0 - 1.5), ("forward", 1.0 - 2.0), ("backward", 1.0 + 0.5)):
        (answers,) = substitutes.likeliest(place, ["bank"], direction=direction)
        p = {answer.word: answer.probability for answer in answers}
        assert p["hill"] / p["shore"] == pytest.approx(np.exp(odds), rel=1e-5) and sum(p.values()) == pytest.approx(1)
        assert set(p) == {"hill", "shore"}  # no special symbol, and not the word itself
    for k, direction, said in ((0, "both", "between 1 and 1000, got 0"), (9, "sideways", "direction 'sideways'")):
        with pytest.raises(BadInput, match=said):
            substitutes.likeliest(place, ["bank"], k, direction=direction)


def test_no_form_of_the_word_answers_and_no_common_word_unless_it_may(bundled: Substitutes):
    sentence = "The children played football in the park."
    assert not {"play", "plays", "playing", "played", "Play"} & set(of(bundled, sentence, "played", 300))
    assert "was" not in of(bundled, sentence, "played", 300) and "was" in of(bundled, sentence, "played", 300, common=True)
    assert not {"mice", "mouse", "Mouse"} & set(of(bundled, "The cat chased the mice around the house.", "mice", 1000))
    assert all(any(map(str.isalpha, word)) for word in of(bundled, sentence, "park", 500))


def test_a_batch_gives_what_each_place_gives_alone(bundled: Substitutes):
    sentences = [tokenize(s) for s in ("The bank lent me money.", "We moored at the bank.", "Her play opens tonight.")]
    positions = [1, 4, 1]
    words = [tokens[k] for tokens, k in zip(sentences, positions, strict=True)]
    places = bundled.model.encoder.around(sentences, positions)
    together = bundled.vectors(places, words)
    assert together.shape == (3, bundled.dim)
    for k in range(3):
        np.testing.assert_allclose(bundled.vectors(places[k : k + 1], words[k : k + 1])[0], together[k], rtol=1e-4, atol=1e-5)
    assert bundled.changes(places[[0, 0]], ["bank", "bank"])[0].size == pytest.approx(0, abs=1e-5)
    assert 0.5 < bundled.changes(places[:2], words[:2])[0].size < 1


def test_no_particle_stands_for_a_korean_noun():
    with languages.reading(languages.get_language("ko")):
        model = open_model("elmo-ko-mini")
        tokens = model.language.tokenize("눈이 내려서 길이 미끄럽다.")
        substitutes = Substitutes(open_language_model(model))
        noun, particle = substitutes.likeliest(model.encoder.around([tokens] * 2, [0, 1]), tokens[:2], 50)
        words = {bare: set() for bare in ("free", "joined")}
        for entry in substitutes.model.vocabulary.words:
            words["joined" if entry.startswith(JOINER) else "free"].add(entry.strip(JOINER))
        assert {item.word for item in noun} <= words["free"] and {item.word for item in particle} <= words["joined"]


def test_a_word_at_the_edge_has_substitutes_and_a_vocabulary_without_words_gives_none(bundled: Substitutes):
    assert len(of(bundled, "Bank", "bank")) == 10 == len(of(bundled, "Bank shares fell.", "bank"))
    substitutes, place = by_hand([*SPECIALS, "bank", "."], [0.0] * 5, [[0.0]] * 5), np.zeros((1, 2 * SHAPE.projection), np.float32)
    assert substitutes.likeliest(place, ["bank"]) == [()] and not substitutes.vectors(place, ["bank"]).any()


def test_vectors_are_sums_of_roots_in_which_rare_words_stand_for_others(bundled: Substitutes, monkeypatch):
    sentences = [tokenize(s) for s in ("We moored at the bank.", "Her play opens tonight.", "Bank")]
    positions, words = [4, 1, 0], ["bank", "play", "Bank"]
    places = bundled.model.encoder.around(sentences, positions)
    mean, whitening = bundled.whitening
    whitened = ((bundled.model.softmax.weight.double() - mean) @ whitening).float()
    whole = unit((bundled._shares(places, words, "both", False).sqrt() @ whitened).detach().numpy())
    assert ((bundled.vectors(places, words) * whole).sum(axis=1) > 0.98).all()
    monkeypatch.setattr(own, "FREQUENT", len(bundled.model.vocabulary))
    np.testing.assert_allclose(Substitutes(bundled.model).vectors(places, words), whole, atol=1e-4)


def test_caches_of_words_stay_bounded_and_change_no_answer(monkeypatch):
    monkeypatch.setattr(own, "MOST_WORDS", 16)
    monkeypatch.setattr(own, "MOST_BEGINNINGS", 4)
    words = [*SPECIALS, "hill", "shore", "shores", "bank", "banks"]
    made = by_hand(words, [0.0] * len(words), [[float(k)] for k in range(len(words))])
    place = np.ones((1, 2 * SHAPE.projection), np.float32)
    first = made.likeliest(place, ["banks"]), made.vectors(place, ["banks"])
    for number in range(200):
        made.likeliest(place, [f"ba{number}nks"])
        made.vectors(place, [f"ba{number}nks"])
    assert len(made._own_forms) <= 16 and len(made._forms_by_beginning) <= 4
    assert made.likeliest(place, ["banks"]) == first[0] and np.array_equal(made.vectors(place, ["banks"]), first[1])
    assert {answer.word for answer in first[0][0]} == {"hill", "shore", "shores"}


def within(text: str, word: str) -> WordInContext:
    tokens = languages.tokenize(text)
    return WordInContext(tuple(tokens), find_word(tokens, word)[0])


BANKS = ("We sat on the bank and watched the boats.", "The bank refused to lend him any money.")


def test_substitutes_fit_the_place_and_do_not_change_if_the_sentences_were_read_before(bundled: Substitutes):
    words = tuple(within(text, "bank") for text in BANKS)
    river, money = in_place(bundled, words, 8)
    near, lender = ({answer.word for answer in place.substitutes} for place in (river, money))
    assert {"shore", "hill"} <= near and "company" in lender and not near & lender
    assert len(river.substitutes) == 8 and river.weak == money.weak == ""
    read = bundled.model.encoder.encode([list(word.tokens) for word in words])
    assert in_place(bundled, words, 8, read=read) == (river, money) and in_place(bundled, (), 8) == ()
    (forward,) = in_place(bundled, words[:1], 3, direction="forward")
    assert len(forward.substitutes) == 3 and forward.substitutes != river.substitutes[:3]


def test_expected_words_are_good_where_few_words_fit():
    sure, unsure = (tuple(Prediction("word", share) for _ in range(20)) for share in (1.01 * MASS / TEN, 0.99 * MASS / TEN))
    assert are_good(sure, "") and not are_good(sure, own.LAST)
    assert not are_good(unsure, "")  # words behind the tenth do not count


def test_occurrences_are_ordered_by_the_similarity_of_their_substitutes(bundled: Substitutes):
    texts = [*BANKS, "They walked along the bank and looked at the water.", "A bank wanted to lend her the money."]
    order = by_substitutes(bundled, [within(text, "bank") for text in texts]).tolist()
    assert sorted(order) == [0, 1, 2, 3] and {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
    assert by_substitutes(bundled, [within(text, "bank") for text in texts[:2]]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "word", "direction", "why"),
    [
        *(("We sat on the bank and watched.", "bank", "both", ""), ("We sat on the bank and watched.", "the", "both", own.GRAMMAR)),
        *(("They went to Paris in May.", "Paris", "both", own.NAME), ("Then I went to Paris.", "I", "both", own.GRAMMAR)),
        *(("THEY WENT TO PARIS ON FOOT.", "PARIS", "both", ""), ("“Bank shares” fell.", "Bank", "both", own.FIRST)),
        *(("Bank shares fell.", "Bank", "both", own.FIRST), ("Bank shares fell.", "Bank", "backward", "")),
        *(("We sat on the bank.", "bank", "both", own.LAST), ("We sat on the bank", "bank", "forward", "")),
        ("Bank!", "Bank", "both", own.ALONE),
    ],
)
def test_a_place_where_substitutes_are_weak_is_named(text: str, word: str, direction: str, why: str):
    assert weakness(within(text, word), direction) == why


def test_korean_particles_and_names_are_weak_and_a_word_is_put_in_before_its_particle():
    with languages.reading(languages.get_language("ko")):
        text = "어제 눈이 내려서 서울에서 길이 막혔다."
        reasons = {word: weakness(within(text, word)) for word in ("눈", "이", "서울", "길")}
        at = within(text, "눈")
        changed, position = put_in(text, at.tokens, at.position, "물")
        assert changed == "어제 물이 내려서 서울에서 길이 막혔다." and bare(languages.tokenize(changed)[position]) == "물"
    assert reasons == {"눈": "", "이": own.GRAMMAR, "서울": own.NAME, "길": ""}


PUT_IN = [
    ("We sat  on the bank, and it’s late. ", "bank", "shore", "We sat  on the shore, and it’s late. "),
    ("Banks lend money.", "Banks", "companies", "Companies lend money."),
    ("“Banks lend money.”", "Banks", "companies", "“Companies lend money.”"),
    ("He said Banks lend money.", "Banks", "companies", "He said companies lend money."),
    ("bank", "bank", "river-side", "river-side"),
    ("We sat on the *bank*", "bank", "shore", "We sat on the *shore*"),
    ("The shore of the bank is long.", "bank", "shore", "The shore of the shore is long."),
]


@pytest.mark.parametrize(("text", "word", "put", "changed"), PUT_IN)
def test_a_word_is_put_in_and_nothing_else_of_the_text_changes(text: str, word: str, put: str, changed: str):
    at = within(text, word)
    result, position = put_in(text, at.tokens, at.position, put)
    assert result == changed and languages.tokenize(changed)[position].casefold() == put.casefold()
    assert put_in(f"{text} And so on.", at.tokens, at.position, put)[0] == f"{changed} And so on."  # text beyond the tokens
