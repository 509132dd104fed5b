"""Definitions of labeled senses, and those of a WordNet."""

import builtins
import json
from xml.sax.saxutils import quoteattr

import pytest

from core.cli.main import main
from core.common import i18n
from core.common.errors import BadInput, MissingArtifact
from core.text import languages
from core.text.corpora import definition, definitions, dictionary_senses
from core.views import induction
from core.views.induction import InductionRequest
from core.workspace import Workspace, open_workspace
from tests.app.visit import html_of, opened_whole

ENGLISH, KOREAN = languages.get_language("en"), languages.get_language("ko")


@pytest.fixture(autouse=True)
def _nobody_chose_a_language():
    yield
    i18n.use(None)


def test_a_korean_sense_is_reported_in_the_reader_s_language():
    assert definition(KOREAN, "눈", "보는 눈") == "eye"
    i18n.use("ko")
    assert definition(KOREAN, "눈", "보는 눈").endswith("감각 기관")
    assert definition(ENGLISH, "bank", "river edge").startswith("the land")  # in its word's own where there is no other


def test_what_nobody_defined_has_none():
    assert definition(ENGLISH, "bank", "piggy") == definition(ENGLISH, "zebra", "animal") == ""
    assert definitions(ENGLISH, "zebra") == {} and {"river edge", "financial institution"} <= set(definitions(ENGLISH, "bank"))


SENSES = {
    "bank": (
        ("an institution where people keep money in accounts and borrow it at interest", "the bank lent her money for the house"),
        ("the sloping grassy land along a river or a lake", "they fished from the muddy bank of the river"),
        ("a row of similar switches", "a bank of switches"),
    ),
    "court": (
        ("an assembly in which judges hear trials under the law", "the court sentenced the thief"),
        ("a marked floor on which tennis or basketball is played", "the players ran onto the court"),
        ("the family and the servants of a king or a queen", "the king and his court danced"),
    ),
}


def lexicon() -> str:
    entries, synsets = [], []
    for word, senses in SENSES.items():
        numbers = [f"tiny-{word}-{k}" for k in range(len(senses))]
        listed = "".join(f'<Sense id="{number}-s" synset="{number}"/>' for number in numbers)
        entries.append(f'<LexicalEntry id="tiny-{word}"><Lemma writtenForm={quoteattr(word)} partOfSpeech="n"/>{listed}</LexicalEntry>')
        synsets += [
            f'<Synset id="{number}" ili="" partOfSpeech="n"><Definition>{gloss}</Definition><Example>{example}</Example></Synset>'
            for number, (gloss, example) in zip(numbers, senses, strict=True)
        ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">\n'
        '<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">'
        '<Lexicon id="tiny" label="tiny" language="en" email="a@b.c" license="https://creativecommons.org/publicdomain/zero/1.0/" version="1">'
        f"{''.join(entries)}{''.join(synsets)}</Lexicon></LexicalResource>"
    )


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return open_workspace()


@pytest.fixture
def wordnet(tmp_path, monkeypatch):
    """wn with a folder of its own; what is in it is the test's."""
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "_data_directory", wn.config._data_directory)
    monkeypatch.setattr(wn.config, "_dbpath", wn.config._dbpath)
    wn.config.data_directory = tmp_path / "wordnets"
    wn.config.allow_multithreading = True
    return wn


@pytest.fixture
def tiny(wordnet, tmp_path):
    file = tmp_path / "tiny.xml"
    file.write_text(lexicon(), encoding="utf-8")
    wordnet.add(file, progress_handler=None)
    return wordnet


def groups_of(workspace: Workspace, word: str, number: int) -> tuple[induction.Induction, list[str]]:
    """The groups of a word, and the label that most of each group's sentences have."""
    result = induction.compute(workspace, InductionRequest(word=word, number=number))
    gold = [
        [o.sense for o, k in zip(result.occurrences.items, result.groups.numbers, strict=True) if k == group] for group in range(number)
    ]
    return result, [max(set(labels), key=labels.count) for labels in gold]


def test_senses_come_with_their_glosses_in_the_dictionarys_order(tiny):
    name, senses = dictionary_senses("bank", "en")
    assert name == "tiny:1"
    assert [(sense.gloss, sense.examples) for sense in senses] == [(gloss, (example,)) for gloss, example in SENSES["bank"]]
    assert {(sense.pos, sense.words) for sense in senses} == {("n", ("bank",))}
    assert dictionary_senses("thimble", "en") == ("tiny:1", ())


@pytest.mark.parametrize(
    ("word", "number", "wanted"),
    [
        ("bank", 2, {"financial institution": 0, "river edge": 1}),
        ("court", 3, {"law": 0, "tennis or basketball": 1, "ruler's household": 2}),
    ],
)
def test_each_group_has_the_gloss_of_its_sense_first(workspace, tiny, word, number, wanted):
    result, labels = groups_of(workspace, word, number)
    beside = induction.glosses(workspace, result)
    assert sorted(labels) == sorted(wanted)
    for group, label in enumerate(labels):
        assert beside.likeliest(group)[0].gloss == SENSES[word][wanted[label]][0], label
    assert len(beside.likeliest(0, 9)) == 3


def test_the_command_says_the_same_as_the_view(workspace, tiny, capsys, tmp_path):
    assert main(["senses", "glosses", "--word", "court", "--groups", "3", "--most", "1", "--json", "--csv", str(tmp_path / "all.csv")]) == 0
    facts = json.loads(capsys.readouterr().out)
    result, _ = groups_of(workspace, "court", 3)
    beside = induction.glosses(workspace, result)
    assert [row["gloss"] for row in facts["guesses"]] == [beside.likeliest(k)[0].gloss for k in range(3)]
    assert [row["group"] for row in facts["guesses"]] == result.groups.names
    assert len((tmp_path / "all.csv").read_text("utf-8").splitlines()) == 4


def test_the_page_shows_them_next_to_its_groups_once_they_are_wanted(tiny):
    page = opened_whole("pages/found.py", found_word="court", found_k="3")
    first = SENSES["court"][0][0]
    assert first not in html_of(page)
    page.toggle(key="found_glosses").set_value(True).run()
    assert not page.exception
    for gloss, _ in SENSES["court"]:
        assert f"<b>{gloss}</b> <i>noun</i>" in html_of(page)
    assert any("A guess by the words of glosses and sentences (tiny:1)" in each.value for each in page.caption)


def test_a_word_that_it_does_not_have_is_reported(workspace, tiny):
    result = induction.compute(workspace, InductionRequest(word="crane"))
    with pytest.raises(BadInput, match="tiny:1 does not have “crane”"):
        induction.glosses(workspace, result)


def test_without_data_it_says_how_to_get_them_and_makes_nothing(wordnet, tmp_path):
    with pytest.raises(MissingArtifact, match=r"No WordNet here\. Run: python -m wn download oewn:2024"):
        dictionary_senses("bank", "en")
    assert not (tmp_path / "wordnets").exists()


def test_another_languages_lexicon_is_none(tiny):
    with pytest.raises(MissingArtifact, match="No WordNet of this language here"):
        dictionary_senses("눈", "ko")


def test_without_the_package_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name == "wn":
            raise ImportError("No module named 'wn'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    page = opened_whole("pages/found.py", found_word="bank")
    page.toggle(key="found_glosses").set_value(True).run()
    assert not page.exception
    assert any("WordNet needs the package wn" in each.value for each in page.info)
    with pytest.raises(MissingArtifact, match=r"Run: pip install wn==1\.1\.1"):
        dictionary_senses("bank", "en")
