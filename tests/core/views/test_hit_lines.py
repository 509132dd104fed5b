"""The lines of a search: each says its sense, or what is expected in its place."""

import pytest

from core.corpus.search import BY_SENSE, BY_SUBSTITUTES
from core.views import substitutes
from core.views.concordance import LABELS, STAND, ConcordanceRequest, HitLines, hits_of, senses_of, with_senses
from core.views.substitutes import SubstitutesRequest
from core.workbench import Bench, open_bench


@pytest.fixture(scope="module")
def bench() -> Bench:
    return open_bench()


def test_lines_sorted_by_sense_say_it_slice_by_slice(bench):
    request = with_senses(bench, ConcordanceRequest(query="bank", order=BY_SENSE))
    hits = hits_of(bench, request)
    _, names = senses_of(bench, "bank", hits, LABELS)
    lines = HitLines(bench, request, hits)
    assert request.senses == LABELS and len(lines) == len(hits) > 8 and len(names) > 1
    shown = lines.lines(0, 8) + lines.lines(8, len(lines))
    assert all(line.sense == names[k] and said.endswith(line.sense) for line, said, k in shown if k >= 0)
    known = [k for *_, k in shown if k >= 0]
    assert known == sorted(known) and set(known) == set(range(len(names)))


def test_lines_sorted_by_substitutes_say_the_likeliest(bench):
    request = ConcordanceRequest(query="heron", order=BY_SUBSTITUTES)
    (line, said, _), *_ = HitLines(bench, request, hits_of(bench, request)).lines(0, 1)
    (answer,) = substitutes.compute(
        bench, SubstitutesRequest(words=bench.words(f"{line.before} {line.hit} {line.after}", at=[len(line.left)]))
    )
    assert said == ", ".join(each.word for each in answer.substitutes[:STAND])
