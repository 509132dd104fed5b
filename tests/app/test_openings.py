"""Test that views open with examples that the model gets right, where no snapshot of both languages shows the answer."""

from itertools import pairwise

import numpy as np
import pytest

from core.analysis.spelling import Spellings, list_words, split_words
from core.index.neighbors import SAME
from core.text import languages
from core.text.readings import WordInContext
from core.views import neighbors, why
from core.views.neighbors import NeighborsRequest
from core.views.pair import judge
from core.workspace import Workspace, open_workspace
from pages._frame import examples

SENSES = {"en": ("river edge", "financial institution"), "ko": ("나뭇가지", "여러 가지")}  # what a person reads in the two sentences
SPELLED = {"writting": "writing", "definately": "definitely"}
SPELLED |= {"재미있쪄": "재미있", "고등학꾜": "고등학교", "대학꾜": "대학교", "선생뉨": "선생"}


@pytest.fixture(scope="module", params=("en", "ko"))
def workspace(request) -> Workspace:
    yield open_workspace(languages.get_language(request.param).model)
    languages.use(None)


@pytest.fixture
def pair(workspace: Workspace) -> tuple[WordInContext, ...]:
    languages.use(workspace.language.code)
    return workspace.words(*examples.pairs()[examples.first_word()])


def test_neighbors_of_the_opening_example_have_the_right_sense(workspace: Workspace, pair):
    layer = judge(workspace, *pair).layer
    for sense, word in zip(SENSES[workspace.language.code], pair, strict=True):
        near = neighbors.compute(workspace, NeighborsRequest(word=word, space=layer, among=SAME, k=8, every_token=False))
        assert np.mean([n.occurrence.sense == sense for n in near.entries]) >= 0.75


def test_edits_of_the_opening_example_flip_the_sense_once(workspace: Workspace, pair):
    layer = judge(workspace, *pair).layer
    path = why.compute_edits(workspace, why.EditsRequest(first=pair[0], second=pair[1], order="left to right", space=layer))
    assert (path.read[0], path.read[-1]) == SENSES[workspace.language.code]
    assert sum(a != b for a, b in pairwise(path.read)) == 1, path.read  # it flips once


def test_misspellings_are_nearest_to_the_intended_words(workspace: Workspace):
    languages.use(workspace.language.code)
    words = [word for word in split_words(next(iter(examples.spelling().values())), 8)[0] if word in SPELLED]
    assert len(words) >= 2 and not any(word in workspace.vectors for word in words)
    vocabulary, _ = list_words(workspace.model.folder, workspace.vectors)
    spellings = Spellings(vocabulary, workspace.model.fingerprint, workspace.model.encoder.model.shape.projection)
    spellings.extend(workspace.model.encoder, 10_000)
    nearest = spellings.nearest(workspace.model.encoder.word_vectors(words), 1, among=10_000, exclude=words)
    assert [near[0].word for near in nearest] == [SPELLED[word] for word in words]


def test_each_task_of_the_paper_has_one_example_that_elmo_gets_wrong():
    assert all(sum(examples.WRONG in item for item in items) == 1 for items in examples.tasks().values())
