"""The further labeled words: known by any form, read one at a time, and never where a language has none."""

import json
import unicodedata
from collections import defaultdict

import pytest

from core.common.errors import CorruptArtifact
from core.text import labeled_words, languages
from core.text.corpora import labeled_of, open_corpus
from core.text.sentences import read_sentences
from core.text.tokens import join_tokens

ENGLISH = languages.get_language("en")


def test_a_form_belongs_to_its_word_and_a_word_that_nobody_labeled_to_none():
    assert labeled_words.lemmas_of(ENGLISH, "Pythons") == ("python",)
    assert labeled_words.lemmas_of(ENGLISH, "fell") == ("fall",)
    assert labeled_words.lemmas_of(ENGLISH, "shot") == ("shoot", "shot")
    assert labeled_words.lemmas_of(ENGLISH, "zebra") == labeled_words.lemmas_of(ENGLISH, "bank") == ()


def test_the_name_of_a_corpus_says_whose_sentences_stand_beside_the_language_s_own():
    named = labeled_words.with_words("sentences", ["virus", "Apples", "zebra"])
    assert named == "sentences+apple+virus" and labeled_words.with_words(named, ["virus"]) == named
    assert labeled_words.parts(named) == ("sentences", ("apple", "virus"))
    assert labeled_words.sentences_of(named) is ENGLISH
    assert labeled_words.with_all(named) == "sentences+more-words" == labeled_words.with_words("sentences+more-words", ["fall"])


def test_other_corpora_stay_as_they_are():
    for name in ("more-words", "my+texts.jsonl", "/tmp/a+b.txt"):
        assert labeled_words.with_words(name, ["python"]) == name == labeled_words.with_all(name)
        assert labeled_words.parts(name) == (name, ()) and labeled_words.sentences_of(name) is None


def test_the_sentences_of_one_word_are_those_of_the_whole_file():
    whole = open_corpus("more-words")
    for lemma in ("virus", "fall", "shot"):
        alone = labeled_of(ENGLISH, lemma)
        same = [(s.tokens, target) for s in whole for target in s.targets if target.lemma == lemma]
        assert [(s.tokens, s.targets[0]) for s in alone] == same and len({target.sense for _, target in same}) >= 2


def test_the_words_of_a_language_are_its_own_and_the_further_ones_and_each_has_its_sentences():
    words = labeled_words.words_of(ENGLISH)
    assert list(words) == list(labeled_words.list_words(ENGLISH))
    own = [(s.tokens, target) for s in open_corpus("sentences") for target in s.targets if target.lemma == "bank"]
    assert [(s.tokens, s.targets[0]) for s in labeled_words.sentences_with(ENGLISH, "bank")] == own and len(own) == 32
    assert "눈" in labeled_words.words_of(languages.get_language("ko"))


def test_a_corpus_with_a_word_has_its_sentences_behind_the_language_s_own():
    own, both = open_corpus("sentences"), open_corpus("sentences+virus")
    assert both[: len(own)] == own and {t.lemma for s in both[len(own) :] for t in s.targets} == {"virus"}
    assert any("virus" in join_tokens(list(s.tokens)).casefold() for s in both[len(own) :])


def test_a_line_without_a_sense_is_told_by_its_number(tmp_path, monkeypatch):
    file = tmp_path / "words.jsonl"
    file.write_text('{"tokens": ["A", "kite"], "position": 1, "word": "kite", "lemma": "kite"}\n', encoding="utf-8")
    resolve = labeled_words.registry.resolve
    monkeypatch.setattr(labeled_words.registry, "resolve", lambda *asked: file if asked[0] == "more-words" else resolve(*asked))
    with pytest.raises(CorruptArtifact, match="Line 1 of more-words"):
        labeled_words.sentences_with(ENGLISH, "kite")
    assert len(read_sentences(file)) == 1


@pytest.mark.parametrize(("language", "words"), [("en", 475), ("ko", 95)])
def test_every_labeled_word_is_listed_with_its_themes_senses_and_parts_of_speech(language: str, words: int):
    senses, pos = defaultdict(set), defaultdict(set)
    language = languages.get_language(language)
    for sentence in open_corpus(labeled_words.with_all(language.sentences)):
        for target in sentence.targets:
            senses[target.lemma].add(target.sense)
            pos[target.lemma].add(target.pos or "noun")
    listed = labeled_words.list_words(language)
    assert {word: (item.senses, set(item.pos)) for word, item in listed.items()} == {w: (len(senses[w]), pos[w]) for w in senses}
    assert len(listed) == words and all(item.themes for item in listed.values()) and list(listed) == sorted(listed)


def test_further_sentences_with_position_as_a_word_are_counted_whole(monkeypatch, tmp_path):
    rows = [{"tokens": ["A", "position", "at", "the", "bank"], "position": 4, "word": "bank", "lemma": "bank", "sense": "money"}] * 2
    path = tmp_path / "more.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setattr(labeled_words, "_path", lambda name: path)
    counts = [labeled_words.further_with("sentences", word) for word in ("position", "bank", "BANK", "money")]
    assert counts == [2, 2, 2, 0]


def test_a_word_whose_accent_is_written_apart_is_known():
    apart = unicodedata.normalize("NFD", "\ub208")
    korean = languages.get_language("ko")
    assert len(apart) > 1 and labeled_words.further_with("sentences-ko", apart) == labeled_words.further_with("sentences-ko", "\ub208") > 0
    assert labeled_words.lemmas_of(korean, apart) == labeled_words.lemmas_of(korean, "\ub208")
