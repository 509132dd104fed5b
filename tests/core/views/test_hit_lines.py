"""The lines of a search: each says its sense, or what is expected in its place."""

import pytest

from core.corpus.concordance import BY_SENSE, BY_SUBSTITUTES
from core.views import substitutes
from core.views.concordance import LABELS, SHOWN, ConcordanceRequest, HitLines, hits_of, senses_of, with_senses
from core.views.substitutes import SubstitutesRequest
from core.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return open_workspace()


def test_lines_sorted_by_sense_say_it_slice_by_slice(workspace):
    request = with_senses(workspace, ConcordanceRequest(query="bank", order=BY_SENSE))
    hits = hits_of(workspace, request)
    _, names = senses_of(workspace, "bank", hits, LABELS)
    lines = HitLines(workspace, request, hits)
    assert request.senses == LABELS and len(lines) == len(hits) > 8 and len(names) > 1
    shown = lines.lines(0, 8) + lines.lines(8, len(lines))
    assert all(line.sense == names[k] and said.endswith(line.sense) for line, said, k in shown if k >= 0)
    known = [k for *_, k in shown if k >= 0]
    assert known == sorted(known) and set(known) == set(range(len(names)))


def test_lines_sorted_by_substitutes_say_the_likeliest(workspace):
    request = ConcordanceRequest(query="heron", order=BY_SUBSTITUTES)
    (line, said, _), *_ = HitLines(workspace, request, hits_of(workspace, request)).lines(0, 1)
    (answer,) = substitutes.compute(
        workspace, SubstitutesRequest(words=workspace.words(f"{line.before} {line.hit} {line.after}", positions=[len(line.left)]))
    )
    assert said == ", ".join(each.word for each in answer.substitutes[:SHOWN])
