"""Jobs beside the pages: the same work is one job, who was refused does not refuse others, few results stay."""

import pytest

from core.common.errors import BadInput
from pages._cached import jobs


@pytest.fixture(autouse=True)
def no_jobs():
    jobs._jobs()[0].clear()
    yield
    jobs._jobs()[0].clear()


def begin(key, work=lambda job: job, most: int = 2):
    job = jobs.job("a kind", key, work, failed="It failed.", most=most)
    job.wait(30)
    return job


def test_same_work_is_one_job_until_it_is_ended():
    key = "letters", 1
    job, other = begin(key), begin(("another text", 1))
    assert begin(key) is job is jobs.find_job("a kind", key) and job.result is job and jobs.find_job("another kind", key) is None
    jobs.end("letters", 30)
    assert jobs.find_job("a kind", key) is None and begin(key) is not job and begin(("another text", 1)) is other


def test_few_of_a_kind_stay_and_the_last_used_longest():
    first, second = begin(1), begin(2)
    begin(1)
    begin(3)
    begin(4)  # drops what was over by then
    assert first.result and second.result and jobs.find_job("a kind", 2) is None


def test_who_was_refused_does_not_refuse_others_and_who_left_goes_on(monkeypatch):
    def refuse(job):
        raise BadInput("No room.")

    monkeypatch.setattr(jobs, "current_user", lambda: "one")
    job = begin(1, refuse)
    assert job.error == "No room." and begin(1, refuse) is job
    monkeypatch.setattr(jobs, "current_user", lambda: "another")
    again = begin(1)
    assert again is not job and again.result
    again.result, again.why_ended = None, "left"
    assert begin(1) is not again
