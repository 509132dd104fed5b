"""Indexes and encoded texts count in a visit's quota, and go with the text that they were made of."""

import os
import time

import pytest

from core.common.errors import BadInput
from core.corpus.kept import open_encoded
from core.elmo.models import open_model
from core.files import own_names
from core.files.quotas import VISIT, VISITS
from core.index.index_plan import check_room, index_plan, open_claimed
from core.index.table import OccurrenceTable
from core.text.own_corpus import keep_sentences, keep_text
from core.text.sentences import Sentence, Target

TEXT = "The bank was steep. The bank lent money."


@pytest.fixture(autouse=True)
def visit(monkeypatch):
    """A visit of a public server, in this thread."""
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    with VISIT.within("one"):
        yield


def test_texts_count_with_the_indexes_of_their_visit(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_DISK_MB", "2")
    plan = index_plan([Sentence(("a",) * 300, (), "x")], 3, 256)  # a megabyte
    check_room(plan, 900_000)
    text = own_names.folder() / "0.jsonl"
    text.parent.mkdir(parents=True)
    text.write_bytes(bytes(900_000))
    check_room(plan)
    VISITS.use(text)
    check_room(plan)
    with pytest.raises(BadInput, match="you have used 2 of 2 MB"):
        check_room(plan, 900_000)


def test_what_was_made_of_a_text_expires_with_it(private_cache, monkeypatch):
    kept = keep_text(TEXT, "mine")
    made = [open_claimed(kept.name, open_model("elmo-mini"), VISITS.held().made).folder, open_encoded(kept.name).folder]
    assert all(folder.is_dir() for folder in made) and VISITS.held().n_bytes > 10_000
    os.utime(kept.path, (time.time() - 7 * 3600,) * 2)
    monkeypatch.setattr(VISITS, "is_there", lambda visit: False)
    VISITS.expire()
    assert not any(place.exists() for place in (kept.path, *made)) and not list(own_names.folder().iterdir())


@pytest.mark.parametrize(
    "sentences",
    [
        [Sentence(("The", "bank", "."), (), "a")],
        [Sentence(("The", "bank", "."), (Target(1, "bank", "money"),), "a", "The  bank.")],
        [
            Sentence(("The", "bank", "."), (Target(1, "bank", "money"), Target(0, "the", None, guess="x")), "a"),
            Sentence(("No", "label"), (), "b"),
        ],
    ],
)
def test_what_is_made_of_a_text_is_known_without_reading_it(sentences):
    kept = keep_sentences(sentences)
    model = open_model("elmo-mini")
    tables = [open_claimed(kept.name, model, {}, targets_only=targets) for targets in (False, True)]
    encoded = open_encoded(kept.name).folder
    assert all(isinstance(table, OccurrenceTable) and table.folder.is_dir() for table in tables) and encoded.is_dir()
    VISITS.remove(kept.path)
    assert not encoded.exists() and not any(table.folder.exists() for table in tables) and not list(own_names.folder().iterdir())


def test_what_is_made_of_a_text_that_expires_meanwhile_goes_too(private_cache, monkeypatch):
    model = open_model("elmo-mini")
    kept = keep_text(TEXT, "mine")
    monkeypatch.setattr(VISITS, "is_there", lambda visit: False)

    def expire(*_) -> None:
        if kept.path.is_file():
            os.utime(kept.path, (time.time() - 7 * 3600,) * 2)
        VISITS.expire()
        assert not kept.path.exists()

    open_claimed(kept.name, model, {}, report=expire)
    assert not list((private_cache / "indexes").glob("*/meta.json"))
