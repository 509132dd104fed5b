"""Jobs beside the pages: the same work is one job, who was refused does not refuse others, few results stay."""

import pytest

from core.common.errors import BadInput
from pages._cached import jobs


@pytest.fixture(autouse=True)
def no_jobs():
    jobs._jobs()[0].clear()
    yield
    jobs._jobs()[0].clear()


def begin(key: int, work=lambda job: job.turn, most: int = 2):
    job = jobs.job("a kind", key, work, failed="It failed.", most=most)
    job.wait(30)
    return job


def test_the_same_work_is_one_job_until_it_is_dropped():
    job = begin(1)
    assert begin(1) is job is jobs.find_job("a kind", 1) and job.result is job.turn and jobs.find_job("another kind", 1) is None
    jobs.drop("a kind", 1)
    assert jobs.find_job("a kind", 1) is None and begin(1) is not job


def test_few_of_a_kind_stay_and_the_last_used_longest():
    first, second = begin(1), begin(2)
    begin(1)
    begin(3)
    begin(4)  # drops what was over by then
    assert first.result and second.result and jobs.find_job("a kind", 2) is None


def test_who_was_refused_does_not_refuse_others_and_who_left_goes_on(monkeypatch):
    def refuse(job):
        raise BadInput("No room.")

    monkeypatch.setattr(jobs, "visitor", lambda: "one")
    job = begin(1, refuse)
    assert job.error == "No room." and begin(1, refuse) is job
    monkeypatch.setattr(jobs, "visitor", lambda: "another")
    again = begin(1)
    assert again is not job and again.result
    again.result, again.ended = None, "left"
    assert begin(1) is not again
