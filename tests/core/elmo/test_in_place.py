"""Words in their places: their substitutes, why these may be weak, and another word put in."""

import pytest

from core.common.config import NEIGHBORS
from core.elmo import in_place as own
from core.elmo.in_place import MASS, TEN, are_good, by_substitutes, in_place, put_in, weakness
from core.elmo.language_model import Prediction
from core.elmo.substitutes import Substitutes
from core.text import languages
from core.text.readings import WordInContext
from core.text.tokens import bare, find_word


def within(text: str, word: str) -> WordInContext:
    tokens = languages.tokenize(text)
    return WordInContext(tuple(tokens), find_word(tokens, word)[0])


BANKS = ("We sat on the bank and watched the boats.", "The bank refused to lend him any money.")


def test_substitutes_fit_the_place_and_do_not_change_if_the_sentences_were_read_before(bundled: Substitutes):
    words = tuple(within(text, "bank") for text in BANKS)
    river, money = in_place(bundled, words)
    near, lender = ({answer.word for answer in place.substitutes} for place in (river, money))
    assert {"shore", "hill"} <= near and "company" in lender and not near & lender
    assert len(river.substitutes) == NEIGHBORS and (river.weak, money.weak, river.direction) == ("", "", "both")
    read = bundled.model.encoder.encode([list(word.tokens) for word in words])
    assert in_place(bundled, words, read=read) == (river, money) and in_place(bundled, ()) == ()
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
    assert len(by_substitutes(bundled, [])) == 0


@pytest.mark.parametrize(
    ("text", "word", "direction", "why"),
    [
        ("We sat on the bank and watched.", "bank", "both", ""),
        ("We sat on the bank and watched.", "the", "both", own.GRAMMAR),
        ("They went to Paris in May.", "Paris", "both", own.NAME),
        ("Then I went to Paris.", "I", "both", own.GRAMMAR),
        ("THEY WENT TO PARIS ON FOOT.", "PARIS", "both", ""),
        ("Bank shares fell.", "Bank", "both", own.FIRST),
        ("Bank shares fell.", "Bank", "backward", ""),
        ("“Bank shares” fell.", "Bank", "both", own.FIRST),
        ("We sat on the bank.", "bank", "both", own.LAST),
        ("We sat on the bank", "bank", "forward", ""),
        ("Bank!", "Bank", "both", own.ALONE),
    ],
)
def test_a_place_where_substitutes_are_weak_is_named(text: str, word: str, direction: str, why: str):
    assert weakness(within(text, word), direction) == why


def test_korean_particles_and_names_are_weak_and_nouns_are_not():
    with languages.reading(languages.get_language("ko")):
        reasons = {word: weakness(within("어제 눈이 내려서 서울에서 길이 막혔다.", word)) for word in ("눈", "이", "서울", "길")}
    assert reasons == {"눈": "", "이": own.GRAMMAR, "서울": own.NAME, "길": ""}


PUT_IN = [
    ("We sat  on the bank, and it’s late. ", "bank", "shore", "We sat  on the shore, and it’s late. "),
    ("Banks lend money.", "Banks", "companies", "Companies lend money."),
    ("“Banks lend money.”", "Banks", "companies", "“Companies lend money.”"),
    ("He said Banks lend money.", "Banks", "companies", "He said companies lend money."),
    ("bank", "bank", "river-side", "river-side"),
]


@pytest.mark.parametrize(("text", "word", "put", "changed"), PUT_IN)
def test_a_word_is_put_in_and_nothing_else_of_the_text_changes(text: str, word: str, put: str, changed: str):
    at = within(text, word)
    result, position = put_in(text, at.tokens, at.position, put)
    assert result == changed and languages.tokenize(changed)[position].casefold() == put.casefold()


def test_a_word_put_in_is_found_where_it_occurs_twice_and_text_beyond_the_tokens_remains():
    tokens = ["The", "shore", "of", "the", "bank", "is", "long", "."]
    assert put_in("The shore of the bank is long.", tokens, 4, "shore") == ("The shore of the shore is long.", 4)
    assert put_in("The bank is shut today.", ["The", "bank"], 1, "door") == ("The door is shut today.", 1)


def test_a_korean_word_is_put_in_before_its_particle():
    with languages.reading(languages.get_language("ko")):
        text = "눈이 내려서 길이 막혔다."
        at = within(text, "눈")
        changed, position = put_in(text, at.tokens, at.position, "물")
        assert changed == "물이 내려서 길이 막혔다." and bare(languages.tokenize(changed)[position]) == "물"
