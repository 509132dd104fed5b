"""What the heads answer of a typed text: one form of answer for each task, from what is typed; wrong input is said in one sentence.

The heads lie in assets/tasks/TASK/VARIANT, or where `python -m core tasks train` kept them; only those are asked that were trained on
the model and the vectors in use.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.limits import limits
from ..elmo.models import Model
from ..learning.features import Layers, vectors_fingerprint
from ..static.vectors import StaticVectors
from .catalog import TASKS
from .coreference import FEMININE, MASCULINE, Mentions, cut_passage
from .heads import TaskHead, load_head, make_batch
from .inputs import Passage, Span, Tokens, flat, passage_of
from .questions import Paragraph
from .results import FOLDER
from .roles import Predicate
from .task import VARIANTS, Example

MAX_WORDS = {"entailment": 80, "coreference": 300, "questions": 400}  # tokens of a passage; of a sentence of the others:
MAX_SENTENCE = 120
PRONOUNS = frozenset([*MASCULINE, *FEMININE])
_PERSONAL = """i me my mine you your yours he him his she her hers it its we us our ours they them their theirs
myself yourself himself herself itself ourselves yourselves themselves"""
PERSONAL = frozenset(_PERSONAL.split())
# Words that begin a sentence with a capital and are no names.
_OPENERS = """a after all although an and any as at because before both but by did do does during each every few finally first for from
had has have he her here hers him his how however i if in instead into is it its later many may most my no none nobody not nothing now of
on once one or our she should since so some soon still such than that the their then there these they this those though three to today
tomorrow two under until was we were what when where whether which while who whose why will with yesterday yes yet you your"""
OPENERS = frozenset(_OPENERS.split())

MAX_REMEMBERED = 2_000  # tokens whose layers are kept, about 12 MB of elmo-mini's
_REMEMBERED: OrderedDict[tuple[str, Tokens], np.ndarray] = OrderedDict()  # (model's fingerprint, sentence) -> (L, T, D)
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class OpenTask:
    """The heads of a task by variant, and why another does not answer."""

    heads: dict[str, TaskHead]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """What one head says, in the task's own form, and how long it took without what heads share."""

    said: object
    seconds: float


def open_tasks(model: Model | None, vectors: StaticVectors, folder: str | Path = FOLDER) -> dict[str, OpenTask]:
    """The tasks that have a head which fits the model and the vectors, in the order of the paper's table."""
    fits = {"model": model.fingerprint if model else None, "vectors": vectors_fingerprint(vectors)}
    result = {}
    for name in TASKS:
        heads = {}
        problems = []
        for variant in VARIANTS:
            try:
                heads[variant] = load_head(Path(folder) / name / variant, **fits)
            except (MissingArtifact, CorruptArtifact) as error:
                problems.append(str(error))
        if heads:
            result[name] = OpenTask(heads, tuple(problems))
    return result


def ask(task: OpenTask, example: Example, model: Model | None, vectors: StaticVectors) -> dict[str, TaskAnswer]:
    """Every head's prediction of one example; heads share the vectors, the letters and what ELMo computes."""
    reads_elmo = any(head.shape.n_layers for head in task.heads.values())
    texts = make_batch([example], vectors, remember_layers(model) if model and reads_elmo else None)
    answers = {}
    for variant, head in task.heads.items():
        started = time.perf_counter()
        answer = head.said(texts, [example])[0]
        answers[variant] = TaskAnswer(answer, time.perf_counter() - started)
    return answers


def remember_layers(model: Model) -> Layers:
    """The model's layers of sentences; of the last ones they are kept, for a text is asked of task after task, and changed word by word."""

    def layers(sentences: Sequence[Tokens]) -> list[np.ndarray]:
        keys = [(model.fingerprint, sentence) for sentence in sentences]
        with _LOCK:
            result = {key: _REMEMBERED[key] for key in keys if key in _REMEMBERED}
        missing = [key for key in dict.fromkeys(keys) if key not in result]
        if missing:
            result.update(zip(missing, model.encoder.encode([list(sentence) for _, sentence in missing]), strict=True))
        with _LOCK:
            for key in keys:
                _REMEMBERED[key] = result[key]
                _REMEMBERED.move_to_end(key)
            while sum(len(sentence) for _, sentence in _REMEMBERED) > MAX_REMEMBERED:
                _REMEMBERED.popitem(last=False)
        return [result[key] for key in keys]

    return layers


def sentence_example(task: str, text: str) -> Example:
    """A typed sentence for names, chunks and parts of speech, or for `roles` before its predicate is chosen; read as one sentence."""
    return Example((_one(_passage(task, text)),))


def pair_example(first: str, second: str) -> Example:
    """Two typed sentences for `entailment`."""
    if not first.strip() or not second.strip():
        raise BadInput(t("Type both sentences."))
    return Example(tuple(_one(_passage("entailment", side)) for side in (first, second)))


def question_example(question: str, paragraph: str) -> Example:
    """A typed question and the paragraph that may answer it."""
    if not paragraph.strip():
        raise BadInput(t("Type or paste a paragraph."))
    if not question.strip():
        raise BadInput(t("Type a question about the paragraph."))
    question_sentences = _passage("entailment", question)
    passage = _passage("questions", paragraph)
    return Example((question_sentences, passage), None, Paragraph(paragraph, tuple(passage_of(paragraph)[1])))


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A typed text, its pronouns and the names that they may stand for, as spans of its tokens."""

    text: str
    passage: Passage
    spans: tuple[Span, ...]  # of the tokens, in characters
    pronouns: tuple[int, ...]
    names: tuple[Span, ...]

    def words(self, span: Span) -> str:
        return self.text[self.spans[span[0]][0] : self.spans[span[1]][1]]

    def example(self, pronoun: int) -> Example:
        """What is asked of one of the pronouns."""
        passage, placed = cut_passage(self.passage, [(pronoun, pronoun), *self.names])
        return Example((passage,), None, Mentions(placed[0], tuple(placed[1:])))


def mentioned(text: str) -> Mentioned:
    """The pronouns (he, she and their forms) and the names (words with a capital in a row) of a text; BadInput where one is missing."""
    passage = _passage("coreference", text)
    spans = passage_of(text)[1]
    tokens = flat(passage)
    starts = {0}
    for sentence in passage:
        starts.add(max(starts) + len(sentence))
    pronouns = tuple(k for k, token in enumerate(tokens) if token.lower() in PRONOUNS)
    if not pronouns:
        raise BadInput(t("The text needs a pronoun: he, she, him, her, his or hers."))
    names = _names(tokens, starts)
    if not names:
        raise BadInput(t("The text needs a name: a word that begins with a capital."))
    return Mentioned(text, passage, tuple(spans), pronouns, tuple(names))


def _names(tokens: Sequence[str], starts: set[int]) -> list[Span]:
    """Runs of words with a capital, those aside that have one for beginning a sentence; the first of runs that read the same."""
    spans: list[Span] = []
    for k, token in enumerate(tokens):
        is_name = token[:1].isupper() and token.lower() not in OPENERS and not token.lower().startswith("'")
        if is_name and spans and spans[-1][1] == k - 1 and k not in starts:
            spans[-1] = (spans[-1][0], k)
        elif is_name:
            spans.append((k, k))
    return spans


def mentions_in(phrases: OpenTask, text: str, model: Model | None, vectors: StaticVectors) -> Example:
    """A typed text for `clusters`: its mentions are the noun phrases that the heads of `chunks` find, and all personal pronouns."""
    passage = _passage("coreference", text)
    variant = "elmo" if "elmo" in phrases.heads else next(iter(phrases.heads))
    begun, spans = 0, set()
    for sentence in passage:
        labeled = ask(phrases, Example(((sentence,),)), model, vectors)[variant].said
        spans |= {(begun + first, begun + last) for first, last, label in labeled if label == "NP"}
        spans |= {(begun + k, begun + k) for k, token in enumerate(sentence) if token.lower() in PERSONAL}
        begun += len(sentence)
    if not spans:
        raise BadInput(t("The text needs a pronoun: he, she, him, her, his or hers."))
    return Example((passage,), None, tuple(sorted(spans)))


def chains(example: Example, numbers: Sequence[int]) -> list[tuple[Span, ...]]:
    """Mentions that one number goes through, two at least, in the order of their first: what a head of `clusters` says."""
    together: dict[int, list[Span]] = {}
    for span, number in zip(example.facts, numbers, strict=True):
        together.setdefault(number, []).append(span)
    return [tuple(spans) for spans in together.values() if len(spans) > 1]


def predicates(task: OpenTask, example: Example, model: Model | None, vectors: StaticVectors) -> list[int]:
    """The tokens of a typed sentence that the heads take for predicates; those of the ELMo head where there is one."""
    import torch

    head = task.heads.get("elmo") or task.heads["baseline"]
    layers = remember_layers(model) if head.shape.n_layers else None
    with torch.inference_mode():
        return head.network.predicates(make_batch([example], vectors, layers))[0]


def with_predicate(example: Example, at: int) -> Example:
    return Example(example.passages, None, Predicate(at))


def _passage(task: str, text: str) -> Passage:
    """The tokens of a typed text; BadInput where there is none, too many, or none in letters that the heads know."""
    if not text.strip():
        raise BadInput(t("There is no text yet. Type a sentence."))
    most = MAX_WORDS.get(task, MAX_SENTENCE)
    passage = passage_of(text[: limits().max_passage + 1])[0]
    n = sum(map(len, passage))
    if n > most or len(text) > limits().max_passage:
        raise BadInput(t("This text is too long: at most {most} tokens. Shorten it.", most=most))
    if not any(token[:1].isascii() and token[:1].isalnum() for sentence in passage for token in sentence):
        raise BadInput(t("This model knows only English. Type an English sentence."))
    return passage


def _one(passage: Passage) -> Passage:
    return (flat(passage),)
