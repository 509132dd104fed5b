"""Test which word of a pair of sentences is selected, on a table of pairs and for each rule alone."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import languages, target_word
from core.text.target_word import candidates, find_target_words, same_word
from core.text.tokens import JOINER, bare

EN, KO = languages.get_language("en"), languages.get_language("ko")
TABLE = Path(__file__).parents[2] / "data" / "word-pairs.jsonl"
RIGHT = 0.97


def guessed(language, a: str, b: str) -> tuple[str | None, str | None]:
    both = [language.tokenize(text) for text in (a, b)]
    places = find_target_words(*both, language)
    return tuple(None if k is None else bare(tokens[k]) for tokens, k in zip(both, places, strict=True))


@pytest.mark.parametrize("language", [EN, KO], ids=["en", "ko"])
def test_in_a_table_of_pairs_the_guess_is_the_users(language):
    """A Korean piece that the analyzer left whole (차서, "being cold") counts where it begins with the word."""
    rows = [row for line in TABLE.read_text("utf-8").splitlines() if (row := json.loads(line))["language"] == language.code]
    pairs = [(row, guessed(language, row["a"], row["b"]), (row["word_a"], row["word_b"])) for row in rows]
    fits = lambda guess, word: guess == word or (language is KO and guess.startswith(word))  # noqa: E731
    wrong = [(row, guesses) for row, guesses, words in pairs if not all(map(fits, guesses, words))]
    assert len(rows) >= 90 and 1 - len(wrong) / len(rows) >= RIGHT, "\n".join(map(str, wrong))


@pytest.mark.parametrize(
    ("language", "a", "b", "words"),
    [
        (EN, "Two cranes waded through the pond.", "The CRANE lifted a beam.", ("cranes", "CRANE")),  # letter case, plural
        (EN, "I ran five miles.", "They are running a small hotel.", ("ran", "running")),
        (EN, "The leaf fell.", "The leaves are green.", ("leaf", "leaves")),  # a plural may be a form of two words
        (EN, "A larva hatched.", "The larvae grew.", ("larva", "larvae")),
        (EN, "The wound healed.", "The wind blew.", ("wound", "wind")),  # of two words, the best of each
        (EN, "The hen-house burned.", "A house was sold.", ("hen-house", "house")),
        (EN, "He left me a can of soup.", "You can carry the can.", ("can", "can")),
        (EN, "You can swim.", "I can sing.", ("swim", "sing")),  # grammar in both
        (EN, "The news was good.", "He has a new car.", ("news", "car")),  # no form of "new"
        (EN, "They sat in traffic, bored.", "Grandma made jam.", ("bored", "jam")),  # three letters count
        (EN, "The old man sat by the bank.", "The old man robbed the bank.", ("bank", "bank")),  # of many shared words
        (KO, "나는 편지를 써서 보냈다.", "약이 쓰다.", ("써서", "쓰")),  # endings drawn into the stem
        (KO, "밤하늘에 별이 떴다.", "밤이 깊었다.", ("밤하늘", "밤")),  # part of a compound
        (KO, "Apple은 전화기를 만든다.", "그는 apple을 영어로 썼다.", ("Apple", "apple")),
        (KO, "그는 고맙다고 말했다.", "새 시장이 취임했다.", ("고맙", "시장")),
        (KO, "아기에게 첫 이가 났다.", "머리에 이가 생겨 약을 발랐다.", ("이", "이")),  # a tooth, a louse: no "this"
        (KO, "이를 통해 배를 옮겼다.", "이에 따라 배를 나누었다.", ("배", "배")),  # "this" stays grammar
        (KO, "할머니는 비단에 수를 놓았다.", "참가한 사람의 수가 늘었다.", ("수", "수")),
    ],
)
def test_each_rule(language, a, b, words):
    assert guessed(language, a, b) == words


# One spelling in both sentences comes before two forms of a word, whatever the lists of ambiguous and common words say.
SPELLED_ALIKE = [
    (EN, "The lot was full, so we parked on the street.", "They plan to turn the empty lot into a park.", ("lot", "lot")),
    (EN, "He got a good price at the banks.", "The bank is a good neighbor.", ("good", "good")),
    (EN, "We matched the socks in the evening.", "The match ended late in the evening.", ("evening", "evening")),
    (EN, "The thing was sealed.", "A seal ate the thing.", ("thing", "thing")),
    (EN, "Her UNCLE played the organ.", "My uncle saw two plays about organs.", ("UNCLE", "uncle")),
    (EN, "People ringed the house.", "The people heard a ring.", ("People", "people")),
    (EN, "The e-mail listed the parks.", "My email names one park.", ("e-mail", "email")),
    (EN, "The can was full of bolts.", "He can open a can with a bolt.", ("can", "can")),
    (EN, "The table by the table was banked.", "Two banks bought a table.", ("table", "table")),  # twice in one
    (EN, "You will find the charges in the book.", "The charge is booked and you will find it.", ("find", "find")),  # "will" aside
    (EN, "John and the judges agreed.", "We judge the John of this story.", ("John", "John")),
    (EN, "The springs are dry in summer.", "Last summer a spring broke.", ("summer", "summer")),
    (EN, "The bats and the thing flew by the bank.", "A thing like a bat sat on the bank.", ("bank", "bank")),  # a tie, for the lists
    (EN, "We will sign it here.", "The will names many signs.", ("sign", "signs")),  # only "will" is alike, grammar in one
    (EN, "Zorblax met Quimby.", "Quimby saw Zorblax.", ("Zorblax", "Zorblax")),  # a tie, for the places and the spelling
    (EN, "We saw Quimby and Zorblax.", "Here is Zorblax with Quimby.", ("Zorblax", "Zorblax")),
    (EN, "Stand still.", "He is still here.", ("still", "still")),  # no word but grammar in one
    (EN, "I do.", "What do you do?", ("do", "do")),
    (EN, "He must go.", "It is a must.", ("must", "must")),
    (EN, "I don't.", "You can't, and he is there.", ("do", "there")),  # a clitic is no word
    (KO, "그는 시간이 없어서 말을 썼다.", "모자를 쓰고 시간을 쟀다.", ("시간", "시간")),
    (KO, "어머니가 밤하늘을 보셨다.", "어머니는 밤을 좋아하신다.", ("어머니", "어머니")),
    (KO, "배가 항구에 닿았다.", "항구에서 배를 먹었다.", ("배", "배")),  # two are alike: a tie
]


@pytest.mark.parametrize(("language", "a", "b", "words"), SPELLED_ALIKE)
def test_one_spelling_in_both_comes_before_two_forms_of_a_word(language, a, b, words):
    assert guessed(language, a, b) == words
    assert guessed(language, b, a) == words[::-1]


@pytest.mark.parametrize(
    ("a", "b", "tapped", "positions"),
    [
        ("The can can hold a litre.", "A can of soup.", (None, None), (1, 1)),  # the verb is the second "can"
        ("The old man sat by the bank.", "The bank called a man.", (None, None), (6, 1)),
        ("The old man sat by the bank.", "The bank called a man.", (2, None), (2, 4)),
        ("The old man sat by the bank.", "The bank called a man.", (1, None), (1, 1)),  # no "old" in the other: its own best
        ("The old man sat by the bank.", "The bank called a man.", (0, 3), (0, 3)),
        *(("", "", (None, None), (None, None)), ("...", "of the", (None, None), (0, 1))),
    ],
)
def test_a_tapped_word_stays_and_the_other_sentence_follows_it_where_it_can(a, b, tapped, positions):
    assert find_target_words(EN.tokenize(a), EN.tokenize(b), EN, tapped=tapped) == positions


def test_forms_of_one_word():
    a, b = ["He", "banks", "there", "."], ["the", "bank", "shut"]
    assert same_word(a, 1, b, 1, EN) and not same_word(a, 1, b, 2, EN) and same_word(["The"], 0, ["the"], 0, EN)
    # a spelling is a form of no word that it only begins with
    others = {"the": "thing", "us": "used", "she": "shed", "bee": "being", "it": "its", "fee": "feed"}
    forms = {"bee": "bees", "menu": "menus", "ski": "skis", "knee": "kneed", "disagree": "disagreed"}
    assert all(lemma in target_word.lemmas(form, target_word.words_of(EN)) for lemma, form in forms.items())
    assert not [lemma for lemma, word in others.items() if lemma in target_word.lemmas(word, target_word.words_of(EN))]


@settings(max_examples=150)
@given(st.lists(st.text(max_size=6) | st.sampled_from(["the", "bank", "banks", "눈이", f"{JOINER}를", "n't", "!", "-"]), max_size=8))
def test_any_text_has_a_word_in_question_and_never_grammar_where_there_is_another_word(pieces):
    for language in (EN, KO):
        tokens = language.tokenize(" ".join(pieces))
        i, j = find_target_words(tokens, tokens, language)
        assert (i, j) == (None, None) if not tokens else i == j and 0 <= i < len(tokens)
        words = {item.position for item in candidates(tokens, language)}
        assert not words or i in words
        assert all(bare(tokens[k]).casefold() not in {"the", "n't", "를", "!"} for k in words)
