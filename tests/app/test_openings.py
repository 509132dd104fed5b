"""Test that every view opens with an example that the model gets right, in both languages."""

from itertools import pairwise

import numpy as np
import pytest

from core.analysis.spelling import Spellings, list_words, split_words
from core.classify import tasks as classifier_tasks
from core.index.neighbors import SAME
from core.senses import influence
from core.senses.verdict import TWO
from core.tasks import answers
from core.tasks.inputs import flat
from core.text import languages, target_word
from core.text.readings import WordInContext
from core.views import attribution, edits, induction, layouts, neighbors
from core.views.neighbors import NeighborsRequest
from core.views.pair import judge
from core.workspace import Workspace, open_workspace
from pages._classify.show import FRONT
from pages._frame import examples
from tests.app.visit import opened_whole

LANGUAGES = ("en", "ko")
SENSES = {"en": ("river edge", "financial institution"), "ko": ("나뭇가지", "여러 가지")}  # what a person reads in the two sentences
REASONS = {"en": "grassy", "ko": "나무"}  # the word that a person would name for the first
SPELLED = {"writting": "writing", "definately": "definitely"}
SPELLED |= {"재미있쪄": "재미있", "고등학꾜": "고등학교", "대학꾜": "대학교", "선생뉨": "선생"}
NEXT = {"en": "head", "ko": "모르"}
RIGHT = {
    "names": {("Maria Keller", "person"), ("Lisbon", "location"), ("Chicago", "location"), ("Tom", "person")},
    "roles": {
        ("Yesterday", "ARGM-TMP"),
        ("Anna", "ARG0"),
        ("sold", "V"),
        ("her old car", "ARG1"),
        ("to a neighbor", "ARG2"),
        ("in Boston", "ARGM-LOC"),
    },
    "chunks": {
        ("The small boats", "NP"),
        ("sailed", "VP"),
        ("slowly", "ADVP"),
        ("across", "PP"),
        ("the bay", "NP"),
        ("before", "SBAR"),
        ("the storm", "NP"),
        ("reached", "VP"),
        ("the harbor", "NP"),
    },
    "speech": "DT NN VBZ IN PRP VBP DT NN",
    "entailment": "entailment",
    "coreference": [["Anna", "She", "she", "her"], ["a letter", "it", "it"]],
    "questions": "four thousand",
}


@pytest.fixture(scope="module", params=LANGUAGES)
def workspace(request) -> Workspace:
    workspace = open_workspace(languages.get_language(request.param).model)
    yield workspace
    languages.use(None)


@pytest.fixture(scope="module")
def english() -> Workspace:
    yield open_workspace()
    languages.use(None)


@pytest.fixture
def pair(workspace: Workspace) -> tuple[WordInContext, ...]:
    languages.use(workspace.language.code)
    return workspace.words(*examples.pairs(workspace.language)[examples.first_word(workspace.language)])


def test_verdict_of_the_opening_example_is_right(workspace: Workspace, pair):
    said = judge(workspace, *pair)
    senses = tuple(max(votes, key=votes.get) for votes in said.verdict.shares)
    assert senses == SENSES[workspace.language.code] and said.verdict.says == TWO


def test_neighbors_of_the_opening_example_have_the_right_sense(workspace: Workspace, pair):
    layer = judge(workspace, *pair).layer
    for sense, word in zip(SENSES[workspace.language.code], pair, strict=True):
        near = neighbors.compute(workspace, NeighborsRequest(word=word, space=layer, among=SAME, k=8, every_token=False))
        assert np.mean([n.occurrence.sense == sense for n in near.entries]) >= 0.75


def test_word_that_decides_the_opening_example_is_plausible(workspace: Workspace, pair):
    layer = judge(workspace, *pair).layer
    result = attribution.compute(workspace, attribution.AttributionRequest(word=pair[0])).influence
    read = influence.verdict(result, layer, influence.BOTH)
    assert read.sense == SENSES[workspace.language.code][0] and read.clear
    content = {candidate.position for candidate in target_word.candidates(result.tokens, workspace.language)}
    values = influence.parts(result, layer, influence.BOTH, read.sense)
    heaviest = next(k for k in np.argsort(-np.abs(values), kind="stable") if result.changed[k] in content)
    assert result.tokens[result.changed[heaviest]] == REASONS[workspace.language.code] and values[heaviest] >= influence.CLEAR


def test_edits_of_the_opening_example_flip_the_sense_once(workspace: Workspace, pair):
    layer = judge(workspace, *pair).layer
    path = edits.compute(workspace, edits.EditsRequest(first=pair[0], second=pair[1], order="left to right", space=layer))
    assert (path.read[0], path.read[-1]) == SENSES[workspace.language.code]
    assert sum(a != b for a, b in pairwise(path.read)) == 1, path.read  # it flips once


def test_senses_of_the_opening_example_separate_on_the_map(workspace: Workspace, pair):
    mix = np.full(workspace.layers.n, 1 / workspace.layers.n)
    report = layouts.report_of(workspace, pair[0].lemma_in(workspace.targets), mix)
    assert report.one_nn > report.null_mean + 0.2


def test_groups_of_the_opening_word_match_its_senses(workspace: Workspace):
    word = examples.word_to_group(workspace.language)
    groups = induction.compute(workspace, induction.InductionRequest(word=word)).groups
    assert len(groups.names) > 1 and groups.agreement.rand > max(0.35, groups.agreement.rand_null[1] + 0.2)
    page = opened_whole("pages/found.py", lang=workspace.language.code)
    assert page.selectbox(key="found_word").value == word


def test_misspellings_are_nearest_to_the_intended_words(workspace: Workspace):
    words = [word for word in split_words(next(iter(examples.spelling(workspace.language).values())), 8)[0] if word in SPELLED]
    assert len(words) >= 2 and not any(word in workspace.vectors for word in words)
    vocabulary, _ = list_words(workspace.model.folder, workspace.vectors)
    spellings = Spellings(vocabulary, workspace.model.fingerprint, workspace.model.encoder.model.shape.projection)
    spellings.extend(workspace.model.encoder, 10_000)
    nearest = spellings.nearest(workspace.model.encoder.word_vectors(words), 1, among=10_000, exclude=words)
    assert [near[0].word for near in nearest] == [SPELLED[word] for word in words]


def test_next_word_of_the_example_is_plausible(workspace: Workspace):
    text = examples.predict(workspace.language)[0].text
    assert workspace.language_model.predict(workspace.language.tokenize(text), k=1)[0].word == NEXT[workspace.language.code]


@pytest.mark.parametrize("task", ["news-title", "news", "headlines", "spam", "sentiment", "sentiment2"])
def test_elmo_is_wrong_only_on_the_marked_example_of_a_classifier(task: str, english: Workspace):
    heads = classifier_tasks.open_heads(classifier_tasks.task_named(task), model=english.model, vectors=english.vectors)
    items = examples.classify()[task]
    said = {text: classifier_tasks.predictions(heads, text, FRONT, model=english.model, vectors=english.vectors) for text in items}
    wrong = {text: said[text]["glove+elmo"].label != item.label for text, item in items.items()}
    marked = {text: item.is_wrong for text, item in items.items()}
    assert wrong == marked and list(marked.values()) == [False] * (len(marked) - 1) + [True]
    if task not in ("headlines", "spam"):  # the first text is one that only ELMo gets right
        text, item = next(iter(items.items()))
        assert said[text]["glove"].label != item.label


def test_each_task_of_the_paper_has_one_example_that_elmo_gets_wrong():
    assert all(len(errors) == 1 for errors in examples.task_errors().values())


@pytest.mark.parametrize("task", RIGHT)
def test_first_example_of_a_task_is_answered_correctly_with_elmo(task: str, english: Workspace):
    texts, heads = list(examples.tasks()[task][0].values()), answers.open_tasks(english.model, english.vectors)
    if task == "entailment":
        said = answers.ask(heads[task], answers.pair_example(*texts), english.model, english.vectors)["elmo"].said
        assert max(said, key=said.get) == RIGHT[task]
        return
    if task == "questions":
        example = answers.question_example(*texts)
        begin, end, _ = answers.ask(heads[task], example, english.model, english.vectors)["elmo"].said
        spans = example.facts.spans
        assert texts[1][spans[begin][0] : spans[end][1]] == RIGHT[task]
        return
    if task == "coreference":
        example = answers.mentions_in(heads["chunks"], *texts, english.model, english.vectors)
        numbers = answers.ask(heads["clusters"], example, english.model, english.vectors)["elmo"].said
        said = [[_words(example, *span) for span in chain] for chain in answers.chains(example, numbers)]
        assert said == RIGHT[task]
        return
    example = answers.sentence_example(task, *texts)
    if task == "roles":
        example = answers.with_predicate(example, answers.predicates(heads[task], example, english.model, english.vectors)[0])
    labeled = answers.ask(heads[task], example, english.model, english.vectors)["elmo"].said
    if task == "speech":
        assert " ".join(label for *_, label in labeled) == RIGHT[task]
    else:
        assert {(_words(example, first, last), label) for first, last, label in labeled} == RIGHT[task]


def test_no_slide_opens_where_the_model_is_wrong():
    for number in range(1, 10):  # the snapshots have the English slides
        assert "틀" not in "".join(m.value for m in opened_whole("pages/slides.py", lang="ko", slide=str(number)).warning), number
    english = languages.get_language("en")
    assert next(e.shows for e in examples.decided(english) if e.word == examples.first_word(english)) != "wrong"


def _words(example, first: int, last: int) -> str:
    return " ".join(flat(example.passages[0])[first : last + 1])
