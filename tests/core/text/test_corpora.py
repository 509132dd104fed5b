"""The labeled words of a language: one file, two corpora, and the sentences of a single word."""

import pytest

from core.common.errors import CorruptArtifact
from core.text import corpora, languages
from core.text.corpora import labeled_of, open_corpus
from core.text.sentences import read_sentences

ENGLISH, KOREAN = languages.get_language("en"), languages.get_language("ko")


@pytest.mark.parametrize(("language", "n_basic", "n_others"), [(ENGLISH, 2544, 14_254), (KOREAN, 756, 1800)], ids=["en", "ko"])
def test_the_two_corpora_of_a_language_are_the_parts_of_one_file(language, n_basic: int, n_others: int):
    first, second = open_corpus(language.sentences), open_corpus(language.reference)
    assert (len(first), len(second)) == (n_basic, n_others)
    lemmas = [{target.lemma for sentence in part for target in sentence.targets} for part in (first, second)]
    assert not lemmas[0] & lemmas[1] and sorted(lemmas[0] | lemmas[1]) == list(corpora.words_of(language))
    assert corpora.sentences_of(language.sentences) is language and corpora.sentences_of(language.reference) is None
    assert corpora.owner_of(language.sentences) is corpora.owner_of(language.reference) is language


@pytest.mark.parametrize("name", ["", "my+texts.jsonl", "/tmp/a.txt"])
def test_other_corpora_belong_to_no_language(name: str):
    assert corpora.sentences_of(name) is corpora.owner_of(name) is None


@pytest.mark.parametrize(("lemma", "corpus"), [("bank", "sentences"), ("virus", "more-words")])
def test_the_sentences_of_one_word_are_those_of_the_complete_file(lemma: str, corpus: str):
    expected = [(s.tokens, target) for s in open_corpus(corpus) for target in s.targets if target.lemma == lemma]
    assert [(s.tokens, s.targets[0]) for s in labeled_of(ENGLISH, lemma)] == expected
    assert len({target.sense for _, target in expected}) >= 2


def test_a_line_without_a_sense_is_named_by_its_number(tmp_path, monkeypatch):
    file = tmp_path / "words.jsonl"
    file.write_text('{"tokens": ["A", "kite"], "position": 1, "word": "kite", "lemma": "kite"}\n', encoding="utf-8")
    monkeypatch.setattr(corpora.registry, "resolve", lambda *_: file)
    with pytest.raises(CorruptArtifact, match="Line 1 of sentences"):
        corpora.sentences_with(ENGLISH, "kite")
    assert len(read_sentences(file)) == 1
