"""Test that no shipped file belongs to other weights, and that other weights make all files stale, which are remade in order."""

from types import SimpleNamespace

import pytest

from core.common import config
from core.common.errors import BadInput
from core.elmo.models import model_fingerprint
from core.files import sums
from core.lab import remake


def test_nothing_ships_that_is_of_other_weights_or_belongs_to_no_part():
    assert remake.stale_parts(remake.all_parts()) == {}, "python -m core.lab bundle all --list"
    covered = {file for part in remake.all_parts() for pattern in part.files for file in config.ASSETS.glob(pattern)}
    marks = [model_fingerprint(config.ASSETS / model).encode() for model in {part.model for part in remake.all_parts()}]
    kinds = [file for kind in ("json", "jsonl", "npz") for file in config.ASSETS.rglob(f"*.{kind}")]
    named = [file for file in kinds if any(mark in file.read_bytes() for mark in marks)]
    others = {file.relative_to(config.ASSETS).as_posix() for file in named if file not in covered}
    assert others <= {"elmo-mini/meta.json", "elmo-ko-mini/meta.json"}  # of the model itself


def test_other_weights_make_everything_stale(monkeypatch):
    monkeypatch.setattr(remake, "model_fingerprint", lambda folder: "0" * 16)
    facts, text = remake.bundle(what="all", list=True)
    assert facts["stale"] == [part.name for part in remake.all_parts()] and all(part["stale"] for part in facts["parts"])
    assert "19 of 19 parts stale" in text


def test_stale_parts_are_made_in_order_and_a_cut_run_goes_on(monkeypatch):
    ran, stale = [], {"table": ["a"], "space": ["b"], "verdicts": ["c"]}

    def run(words, *, cwd):
        ran.append(words[3])
        is_cut = ran == ["sums", "bundle", "sense-space", "verdicts"]
        if not is_cut:
            del stale[next(iter(stale))]
        return SimpleNamespace(returncode=int(is_cut))

    monkeypatch.setattr(sums, "make", lambda: ran.append("sums"))
    monkeypatch.setattr(remake.subprocess, "run", run)
    monkeypatch.setattr(remake, "stale_parts", lambda chosen: {part.name: stale[part.name] for part in chosen if part.name in stale})
    chosen = [part for part in remake.all_parts() if part.name in stale]
    with pytest.raises(BadInput, match=r"verdicts was not made: python -m core\.lab verdicts"):
        remake.remake(chosen, None)
    assert list(remake.remake(chosen[2:], None)) == ["verdicts"] and stale == {}
    assert ran == ["sums", "bundle", "sense-space", "verdicts", "sums", "verdicts", "sums"]


def test_what_cannot_be_made_is_reported_in_a_sentence(monkeypatch):
    monkeypatch.setattr(remake, "model_fingerprint", lambda folder: "0" * 16)
    with pytest.raises(BadInput, match=r"There is no part 'tabel'\. Parts are: table, space"):
        remake.bundle(what="all", only=["tabel"])
    with pytest.raises(BadInput, match="These parts need data sets: measures"):
        remake.bundle(what="all")
    with pytest.raises(BadInput, match=r"belong to: python -m core\.lab bundle all"):
        remake.bundle(list=True)
