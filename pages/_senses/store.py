"""What the page of senses found offers: the table that has a word, the words it can be asked for, the one it opens on."""

import numpy as np

from core.files import registry
from core.index.sense_space import SenseSpace
from core.index.table import OccurrenceTable
from core.senses import clusters
from core.text.corpora import sentences_of
from pages._cached import opened
from pages._cached.kept import kept
from pages._cached.progress import AT_MOST_S
from pages._frame.in_use import InUse
from pages._frame.server_jobs import ServerJob
from pages._word import verdict

CHOICES = 400  # words offered; any other can be typed


def table_for(in_use: InUse, word: str = "") -> tuple[OccurrenceTable | None, ServerJob | None]:
    """The bundled labelled sentences at once, unless the word is none of theirs; else the index of every word when it is there, or the
    job that makes it."""
    if sentences_of(in_use.corpus):
        table = opened.targets(in_use.corpus, in_use.model)
        if not word or word in table.lemmas:
            return table, None
    registry.resolve(in_use.corpus, "corpus")  # a wrong path is said at once, not by the job
    job = opened.table_job(in_use.corpus, in_use.model)
    job.wait(AT_MOST_S)
    return job.result, job


@kept(8)
def words_of(_table: OccurrenceTable, key: str) -> list[str]:
    """Words with enough occurrences in a table (`opened.table_key`): labelled ones first, then the others by frequency, stop words left out."""
    labelled = [word for word, n in zip(_table.lemmas, np.bincount(_table.lemma[_table.lemma >= 0]), strict=True) if n >= clusters.FEWEST]
    counts = np.bincount(_table.word, minlength=len(_table.words))
    order = np.argsort(-counts, kind="stable")
    often = (_table.words[code] for code in order if counts[code] >= clusters.FEWEST)
    others = [word for word in often if clusters.tells(word) and word not in labelled]
    forms = {_table.words[code] for code in np.unique(_table.word[_table.lemma >= 0])}  # "banks" is found under "bank"
    return [*labelled, *(word for word in others if word not in forms)][:CHOICES]


@kept(32)
def opening_word(_table: OccurrenceTable, key: str) -> str:
    """The word that a visitor's corpus opens on, its own most ambiguous frequent one; "" where none stands often enough."""
    return clusters.most_ambiguous(_table, words_of(_table, key))


def space(model_name: str) -> SenseSpace | None:
    """The model's sense space; None where it has none."""
    return verdict.space_of(model_name)
