"""Definitions of senses: one for every labeled sense, in the reader's language where it is written in it."""

import pytest

from core.common import i18n
from core.text import languages
from core.text.corpora import open_corpus
from core.text.definitions import definition, definitions

ENGLISH, KOREAN = languages.get_language("en"), languages.get_language("ko")


@pytest.mark.parametrize(("language", "corpus"), [(ENGLISH, "sentences+more-words"), (KOREAN, "sentences-ko")])
def test_every_labeled_sense_is_defined_in_a_line_that_is_not_its_name(language, corpus):
    senses = {(target.lemma, target.sense) for sentence in open_corpus(corpus) for target in sentence.targets}
    message = {(word, sense): definition(language, word, sense) for word, sense in senses}
    assert [item for item, text in message.items() if not text or text == item[1] or "\n" in text or len(text) > 120] == []
    for word in {word for word, _ in senses}:
        assert set(definitions(language, word)) == {sense for item, sense in senses if item == word}


@pytest.fixture(autouse=True)
def _nobody_chose_a_language():
    yield
    i18n.use(None)


def test_a_korean_sense_is_told_in_the_reader_s_language():
    assert definition(KOREAN, "눈", "보는 눈") == "eye"
    i18n.use("ko")
    assert definition(KOREAN, "눈", "보는 눈").endswith("감각 기관")
    assert definition(ENGLISH, "bank", "river edge").startswith("the land")  # in its word's own where there is no other


def test_what_nobody_defined_has_none():
    assert definition(ENGLISH, "bank", "piggy") == definition(ENGLISH, "zebra", "animal") == ""
    assert definitions(ENGLISH, "zebra") == {}
