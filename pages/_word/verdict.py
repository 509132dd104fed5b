"""One meaning or two: the one verdict on the word in question, which every page shows that says so.

`on(in_use, first, second)` is that verdict, whatever layer a page shows: it is always read where this word's meanings are told apart
best, so that no two pages disagree. `verdict.says` is one of core.senses.verdict's ONE, TWO, CLOSE; `verdict_says.title(verdict)` and
`verdict_says.reason(verdict, word)` put it in words; `layer(...)` is the layer to open a picture of the word at.
"""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import streamlit as st

from core.common.config import ASSETS, cache_folder
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import plain
from core.files.artifacts import read_json, write_json
from core.index.joined import JoinedTable
from core.index.table import OccurrenceTable
from core.senses import evidence, verdict
from core.senses.evidence import Evidence
from core.senses.verdict import Ground, Verdict
from core.static.vectors import StaticVectors
from core.text import languages
from core.text.tokens import bare
from core.text.word_in_question import same_word
from pages._cached import opened
from pages._cached.kept import kept, within_run
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen


def on(in_use: InUse, first: Chosen, second: Chosen) -> Verdict | None:
    """The verdict on both sentences' words in question; None where they are not one word, or none that has letters."""
    if not of_one_word(in_use, first, second):
        return None
    table, lemma = _labelled(in_use, first.word)
    if table is not None and table.lemma_of(bare(second.word)) == lemma:
        asked = _read(first, second, first.word, as_written=evidence.is_also_a_name(table, lemma))
        queries = opened.queries(in_use.model, asked)
        return verdict.of_labelled(table, lemma, *queries, _ground_for(in_use, table, lemma), _static(in_use.model))
    spelling = bare(first.word).casefold()
    asked = _read(first, second, spelling)
    *queries, _ = opened.queries(in_use.model, (*asked, ((spelling,), 0)))
    return verdict.of_unlabelled(*queries, _seen(in_use.model, asked, spelling), _ground(in_use.model))


def layer(in_use: InUse, first: Chosen, second: Chosen) -> str:
    """The layer, or the mix, that tells the meanings of the word in question apart best: of the first sentence's, else the second's."""
    for chosen in (first, second):
        table, lemma = _labelled(in_use, chosen.word)
        if table is not None:
            return _ground_for(in_use, table, lemma).words[lemma].layer
    return _ground(in_use.model).layer


def of_one_word(in_use: InUse, first: Chosen, second: Chosen) -> bool:
    """Whether both are the same word, letter case and inflection aside."""
    a, b = (bare(chosen.word).casefold() for chosen in (first, second))
    if not is_word(first) or not is_word(second):
        return False
    language = opened.model(in_use.model).language
    if a == b or same_word(first.tokens, first.position, second.tokens, second.position, language):
        return True
    table, lemma = _labelled(in_use, a)
    return table is not None and table.lemma_of(b) == lemma


def is_word(chosen: Chosen) -> bool:
    """Whether what is in question has letters of the language that is read."""
    return any(map(str.isalpha, chosen.word)) and languages.in_use().writes(chosen.word)


def _read(first: Chosen, second: Chosen, spelling: str, *, as_written: bool = False) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Both words as the model reads them, (tokens, position) each. A difference in letter case alone is no meaning: then both are read in lower case, but
    `as_written` where it is one (Turkey, turkey) and neither is in capitals throughout.

    Without labels two forms of a word are read in the one `spelling`: their own would keep them apart whatever they mean.
    """
    tokens = [list(first.tokens), list(second.tokens)]
    as_written = as_written and not any(len(chosen.word) > 1 and chosen.word.isupper() for chosen in (first, second))
    if first.word != second.word and not as_written:
        folded = [bare(chosen.word).casefold() for chosen in (first, second)]
        if folded[0] == folded[1] or spelling == folded[0]:
            for mine, chosen in zip(tokens, (first, second), strict=True):
                mine[chosen.position] = chosen.word.replace(bare(chosen.word), folded[0])
    return (tuple(tokens[0]), first.position), (tuple(tokens[1]), second.position)


@within_run
def _labelled(in_use: InUse, word: str) -> tuple[OccurrenceTable | None, str]:
    """The table in which the word has two labelled senses or more, and its name there."""
    for table in _tables(in_use, word) if word else ():
        lemma = table.lemma_of(bare(word))
        if lemma is not None and verdict.has_senses(table, lemma):
            return table, lemma
    return None, ""


def _tables(in_use: InUse, word: str) -> list[OccurrenceTable]:
    """The labelled sentences in use, then the language's own, both with the word's where it is one of the many."""
    used = opened.about(in_use, word)
    found = [opened.targets(used.corpus, used.model)] if opened.is_labelled(used.corpus) else []
    own = _own(in_use.model, word)
    return found + ([own] if own is not None and own not in found else [])


def _own(model_name: str, word: str = "") -> OccurrenceTable | None:
    """The labelled sentences of the model's own language, those of the word among them; None where it has none here."""
    try:
        return opened.targets(opened.corpus_about(opened.model(model_name).language.sentences, model_name, word), model_name)
    except ElmoscopeError:
        return None


@kept(3)
def _ground(model_name: str) -> Ground:
    """What verdicts of the model rest on: as it was bundled, or measured before; else measured now, which takes seconds, and kept on disk."""
    table = _own(model_name)
    if table is None:
        return verdict.USUAL
    if bundled := verdict.read(table.folder):
        return bundled
    rows = verdict.judged_rows(table)
    if not len(rows):
        return verdict.USUAL
    model = opened.model(model_name)
    with st.spinner(t("Measuring, once, how well {model} tells meanings apart…", model=plain(model.layers.called))):
        found = verdict.measure(table, evidence.of_rows(model.encoder, _static(model_name), table, rows))
    if found is None:
        return verdict.USUAL
    if table.folder.is_relative_to(cache_folder()):  # beside the table itself, for the next time
        with suppress(ElmoscopeError, OSError):
            write_json(table.folder / verdict.FILE, verdict.as_json(found))
    return found


@kept(64)
def _seen(model_name: str, asked: tuple[tuple[tuple[str, ...], int], ...], spelling: str) -> Evidence:
    """The evidence of a word in some sentences, (tokens, position) each."""
    model = opened.model(model_name)
    *layers, alone = (query.layers for query in opened.queries(model_name, (*asked, ((spelling,), 0))))
    read = opened.sentences(model_name, [tokens for tokens, _ in asked])
    return evidence.gather(model.encoder, _static(model_name), asked, np.stack(layers), np.stack([alone] * len(asked)), read)


def _static(model_name: str) -> StaticVectors | None:
    """The static vectors of the model's language; None where it has none here."""
    name = opened.model(model_name).language.vectors
    try:
        return opened.vectors(name) if name else None
    except ElmoscopeError:
        return None


def _ground_for(in_use: InUse, table: OccurrenceTable, lemma: str) -> Ground:
    """The same for another table of labelled sentences, in which this word is told apart as it is there; of the many further words by
    what was learnt from them, where that was of this model."""
    ground = _ground(in_use.model)
    if table is _own(in_use.model) and lemma in ground.words:
        return ground
    trust = {lemma: _trust_at(opened.table_key(table), lemma, table)}
    if table is _own(in_use.model):
        return replace(ground, words=trust)
    votes = _votes_of_further(in_use.model) if isinstance(table, JoinedTable) else None
    return replace(ground, words=trust, votes=votes or ground.votes)


@kept(3)
def _votes_of_further(model_name: str) -> tuple[float, ...] | None:
    """The coefficients learnt from the further words under this very model (tests/bench/verdicts.py measures both); else None."""
    model = opened.model(model_name)
    path = ASSETS / f"verdict-{model.language.more_sentences}.json"
    told = read_json(path, expect=dict) if model.language.more_sentences and path.is_file() else {}
    votes = tuple(told.get("votes", ())) if told.get("model") == model.fingerprint else ()
    return votes if len(votes) == len(verdict.USUAL.votes) else None  # else an earlier version learnt them


@kept(64)
def _trust_at(key: str, lemma: str, _table: OccurrenceTable) -> verdict.Trust:
    return verdict.trust_of(_table, lemma)
