"""Test that indexes and encoded texts count toward a visit's quota, and are removed with their text."""

import os
import time
from pathlib import Path

import pytest

from core.common.errors import BadInput
from core.corpus.encoded import open_encoded
from core.files import user_names
from core.files.quotas import VISIT, VISITS
from core.index.table import OccurrenceTable
from core.index.tables import check_room, index_plan, open_claimed
from core.text.own_corpus import keep_sentences, keep_text
from core.text.sentences import Sentence, Target


@pytest.fixture(autouse=True)
def visit(monkeypatch):
    """Run the test as a visit of a public server."""
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    with VISIT.within("one"):
        yield


def test_quota_of_a_visit_counts_texts_and_indexes_together(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_DISK_MB", "2")
    plan = index_plan([Sentence(("a",) * 300, (), "x")], 3, 256)  # an index of a megabyte
    text = user_names.corpus_folder() / "0.jsonl"
    text.parent.mkdir(parents=True)
    text.write_bytes(bytes(900_000))
    check_room(plan)
    VISITS.use(text)
    check_room(plan)
    VISITS.get_holdings().data_sizes["another text", "model", False] = 900_000
    with pytest.raises(BadInput, match=r"you have used 1\.8 of 2 MB"):
        check_room(plan)


BANK, LABELS = ("The", "bank", "."), (Target(1, "bank", "money"), Target(0, "the", None, guess="x"))
UNLABELED, LABELED = [Sentence(BANK, (), "a")], [Sentence(BANK, LABELS, "a", "The  bank."), Sentence(("No", "label"), (), "b")]


def expire(text: Path) -> None:
    if text.is_file():
        os.utime(text, (time.time() - 7 * 3600,) * 2)
    VISITS.expire()
    assert not text.exists()


@pytest.mark.parametrize("sentences", [UNLABELED, LABELED])
@pytest.mark.parametrize("expires", [False, True])
def test_removing_a_text_or_its_expiry_removes_its_indexes_and_encoded_text(model, sentences, expires, monkeypatch):
    kept = keep_sentences(sentences)
    tables = [open_claimed(kept.name, model, targets_only=targets) for targets in (False, True)]
    encoded = open_encoded(kept.name).folder
    assert all(isinstance(table, OccurrenceTable) and table.folder.is_dir() for table in tables) and encoded.is_dir()
    monkeypatch.setattr(VISITS, "is_there", lambda visit: False)
    expire(kept.path) if expires else VISITS.remove(kept.path)
    assert not encoded.exists() and not any(table.folder.exists() for table in tables) and not list(user_names.corpus_folder().iterdir())


def test_index_of_a_text_that_expires_while_it_is_built_is_removed(model, private_cache, monkeypatch):
    kept = keep_text("The bank was steep. The bank lent money.", "mine")
    monkeypatch.setattr(VISITS, "is_there", lambda visit: False)
    open_claimed(kept.name, model, report=lambda *_: expire(kept.path))
    assert not list((private_cache / "indexes").glob("*/meta.json"))
