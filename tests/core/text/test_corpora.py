"""Test the labeled words of a language, their definitions, and those of a WordNet."""

import sys
from collections import Counter

import pytest

from core.common import i18n
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.text import corpora, languages
from core.text.corpora import definition, definitions, dictionary_senses, labeled_of, open_corpus
from core.text.sentences import read_sentences
from core.views import induction
from core.views.induction import InductionRequest
from tests.app.visit import html_of, opened_whole

ENGLISH, KOREAN = languages.get_language("en"), languages.get_language("ko")


@pytest.mark.parametrize(("language", "n_basic", "n_others"), [(ENGLISH, 2544, 14_254), (KOREAN, 756, 1800)], ids=["en", "ko"])
def test_the_two_corpora_of_a_language_are_the_parts_of_one_file(language, n_basic, n_others):
    parts = open_corpus(language.sentences), open_corpus(language.reference)
    assert tuple(map(len, parts)) == (n_basic, n_others)
    lemmas = [{target.lemma for sentence in part for target in sentence.targets} for part in parts]
    assert not lemmas[0] & lemmas[1] and sorted(lemmas[0] | lemmas[1]) == list(corpora.words_of(language))
    assert corpora.sentences_of(language.sentences) is language and corpora.sentences_of(language.reference) is None
    assert [corpora.owner_of(name) for name in (language.sentences, language.reference, "", "my+texts.jsonl")] == [language] * 2 + [
        None
    ] * 2
    for part, lemma in zip(parts, map(min, lemmas), strict=True):  # the sentences of a word are those of the complete file
        expected = [(s.tokens, target) for s in part for target in s.targets if target.lemma == lemma]
        assert [(s.tokens, s.targets[0]) for s in labeled_of(language, lemma)] == expected


def test_a_line_without_a_sense_is_named_by_its_number(write, monkeypatch):
    file = write("words.jsonl", [{"tokens": ["A", "kite"], "position": 1, "word": "kite", "lemma": "kite"}])
    monkeypatch.setattr(corpora.registry, "resolve", lambda *_: file)
    with pytest.raises(CorruptArtifact, match="Line 1 of sentences"):
        corpora.sentences_with(ENGLISH, "kite")
    assert len(read_sentences(file)) == 1


def test_a_sense_is_defined_in_the_users_language_or_else_in_its_words():
    assert definition(KOREAN, "눈", "보는 눈") == "eye"
    with i18n.within("ko"):
        assert definition(KOREAN, "눈", "보는 눈").endswith("감각 기관")
        assert definition(ENGLISH, "bank", "river edge").startswith("the land")
    assert definition(ENGLISH, "bank", "piggy") == definition(ENGLISH, "zebra", "animal") == ""
    assert definitions(ENGLISH, "zebra") == {} and {"river edge", "financial institution"} <= set(definitions(ENGLISH, "bank"))


SENSES = (
    ("an assembly in which judges hear trials under the law", "the court sentenced the thief"),
    ("a marked floor on which tennis or basketball is played", "the players ran onto the court"),
    ("the family and the servants of a king or a queen", "the king and his court danced"),
)


LISTED = "".join(f'<Sense id="tiny-{k}-s" synset="tiny-{k}"/>' for k in range(len(SENSES)))
SYNSETS = "".join(
    f'<Synset id="tiny-{k}" ili="" partOfSpeech="n"><Definition>{gloss}</Definition><Example>{example}</Example></Synset>'
    for k, (gloss, example) in enumerate(SENSES)
)
LEXICON = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="tiny" label="tiny" language="en" email="a@b.c" license="CC0" version="1">
<LexicalEntry id="tiny-court"><Lemma writtenForm="court" partOfSpeech="n"/>{LISTED}</LexicalEntry>{SYNSETS}</Lexicon></LexicalResource>"""


@pytest.fixture
def wordnet(tmp_path, monkeypatch):
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "_data_directory", wn.config._data_directory)
    monkeypatch.setattr(wn.config, "_dbpath", wn.config._dbpath)
    wn.config.data_directory = tmp_path / "wordnets"
    wn.config.allow_multithreading = True
    return wn


@pytest.fixture
def tiny(wordnet, write):
    wordnet.add(write("tiny.xml", LEXICON), progress_handler=None)


def test_senses_come_with_their_glosses_in_the_dictionarys_order(tiny):
    name, senses = dictionary_senses("court", "en")
    assert [(sense.gloss, sense.examples) for sense in senses] == [(gloss, (example,)) for gloss, example in SENSES]
    assert {(sense.pos, sense.words) for sense in senses} == {("n", ("court",))}
    assert name == "tiny:1" and dictionary_senses("thimble", "en") == ("tiny:1", ())
    with pytest.raises(MissingArtifact, match="No WordNet of this language here"):
        dictionary_senses("눈", "ko")


def test_each_group_has_the_gloss_of_its_sense_first_in_the_view_and_in_the_command(workspace, tiny, answer, tmp_path):
    wanted = {"law": 0, "tennis or basketball": 1, "ruler's household": 2}
    result = induction.compute(workspace, InductionRequest(word="court", number=3))
    glosses, labels = induction.glosses(workspace, result), []
    for group in range(3):
        senses = Counter(o.sense for o, k in zip(result.occurrences.items, result.groups.numbers, strict=True) if k == group)
        labels.append(max(senses, key=senses.get))
    best = [glosses.likeliest(group)[0].gloss for group in range(3)]
    assert sorted(labels) == sorted(wanted) and best == [SENSES[wanted[label]][0] for label in labels]
    facts = answer("senses", "glosses", "--word", "court", "--groups", 3, "--most", 1, "--csv", tmp_path / "all.csv")
    assert [(row["gloss"], row["group"]) for row in facts["guesses"]] == list(zip(best, result.groups.names, strict=True))
    assert len((tmp_path / "all.csv").read_text("utf-8").splitlines()) == 4
    with pytest.raises(BadInput, match="tiny:1 does not have “crane”"):
        induction.glosses(workspace, induction.compute(workspace, InductionRequest(word="crane")))


def test_the_page_shows_glosses_on_request_or_says_what_to_install(tiny, monkeypatch):
    page = opened_whole("pages/found.py", found_word="court", found_k="3")
    assert SENSES[0][0] not in html_of(page)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "wn", None)
        page.toggle(key="found_glosses").set_value(True).run()
        (message,) = [each.value for each in page.info if "WordNet needs the package wn" in each.value]
        assert not page.exception and "pip install wn" in message
    page.run()
    assert not page.exception and not any("WordNet needs" in each.value for each in page.info)
    assert all(f"<b>{gloss}</b> <i>noun</i>" in html_of(page) for gloss, _ in SENSES)
    assert any("A guess by the words of glosses and sentences (tiny:1)" in each.value for each in page.caption)


def test_without_data_it_says_how_to_get_them_and_makes_nothing(wordnet, tmp_path):
    with pytest.raises(MissingArtifact, match=r"No WordNet here\. Run: python -m wn download oewn:2024"):
        dictionary_senses("bank", "en")
    assert not (tmp_path / "wordnets").exists()
