"""Answers of the trained heads to a typed text, one form per task. Wrong input is reported in one sentence.

Heads are in assets/tasks/TASK/VARIANT, or where `python -m core tasks train` saved them. Only heads trained with the current model and
vectors answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.limits import limits
from ..common.memo import Kept
from ..elmo.models import Model
from ..learning.features import Layers, vectors_fingerprint
from ..static.vectors import StaticVectors
from .coreference import FEMININE, MASCULINE, Mentions, cut_passage
from .heads import TASKS, TaskHead, load_head, make_batch
from .inputs import Span, flat, passage_of
from .questions import Paragraph
from .results import FOLDER
from .roles import Predicate
from .task import VARIANTS, Example, Passage, Tokens

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

MAX_REMEMBERED = 100  # sentences of a model whose layers (L, T, D) are cached, about 12 MB of elmo-mini's if each has 20 tokens
_REMEMBERED = Kept()


@dataclass(frozen=True, slots=True)
class OpenTask:
    """The heads of a task by variant, and the reasons why others cannot answer."""

    heads: dict[str, TaskHead]
    problems: tuple[str, ...] = ()


def open_tasks(model: Model | None, vectors: StaticVectors, folder: str | Path = FOLDER) -> dict[str, OpenTask]:
    """Return the tasks with a head that fits the model and the vectors, in the order of the paper's table."""
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


def ask(task: OpenTask, example: Example, model: Model | None, vectors: StaticVectors) -> dict[str, Any]:
    """Return every head's prediction of one example, in the task's form. Heads share vectors, characters and ELMo's layers."""
    reads_elmo = any(head.shape.n_layers for head in task.heads.values())
    texts = make_batch([example], vectors, remember_layers(model) if model and reads_elmo else None)
    return {variant: head.said(texts, [example])[0] for variant, head in task.heads.items()}


def remember_layers(model: Model) -> Layers:
    """Return the model's layers of sentences. The last ones are cached, since a text is used for several tasks and edited word by word."""

    def read(sentences: list[Tokens]) -> list[np.ndarray]:
        return model.encoder.encode([list(sentence) for sentence in sentences])

    return lambda sentences: _REMEMBERED.values(model.fingerprint, sentences, read, most=MAX_REMEMBERED)


def sentence_example(task: str, text: str) -> Example:
    """Make an example of one typed sentence for names, chunks and parts of speech, or for `roles` before its predicate is chosen."""
    return Example(((flat(_passage(task, text)),),))


def pair_example(first: str, second: str) -> Example:
    """Make an example of two typed sentences for `entailment`."""
    if not first.strip() or not second.strip():
        raise BadInput(t("Type both sentences."))
    return Example(tuple((flat(_passage("entailment", side)),) for side in (first, second)))


def question_example(question: str, paragraph: str) -> Example:
    """Make an example of a typed question and a paragraph that may contain the answer."""
    if not paragraph.strip():
        raise BadInput(t("Type or paste a paragraph."))
    if not question.strip():
        raise BadInput(t("Type a question about the paragraph."))
    question_sentences = _passage("entailment", question)
    passage = _passage("questions", paragraph)
    return Example((question_sentences, passage), None, Paragraph(paragraph, tuple(passage_of(paragraph)[1])))


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A typed text with its pronouns and candidate names, as spans of its tokens."""

    text: str
    passage: Passage
    spans: tuple[Span, ...]  # the tokens' places, in characters
    pronouns: tuple[int, ...]
    names: tuple[Span, ...]

    def words(self, span: Span) -> str:
        """Return the text of a span of tokens."""
        return self.text[self.spans[span[0]][0] : self.spans[span[1]][1]]

    def example(self, pronoun: int) -> Example:
        """Make the example of one of the pronouns."""
        passage, spans = cut_passage(self.passage, [(pronoun, pronoun), *self.names])
        return Example((passage,), None, Mentions(spans[0], tuple(spans[1:])))


def mentioned(text: str) -> Mentioned:
    """Find the pronouns (he, she and their forms) and the names (runs of capitalized words) in a text; BadInput if either is missing."""
    passage = _passage("coreference", text)
    spans = passage_of(text)[1]
    tokens = flat(passage)
    starts = set(accumulate(map(len, passage), initial=0))
    pronouns = tuple(k for k, token in enumerate(tokens) if token.lower() in PRONOUNS)
    if not pronouns:
        raise BadInput(t("The text needs a pronoun: he, she, him, her, his or hers."))
    names = _names(tokens, starts)
    if not names:
        raise BadInput(t("The text needs a name: a word that begins with a capital."))
    return Mentioned(text, passage, tuple(spans), pronouns, tuple(names))


def _names(tokens: Sequence[str], starts: set[int]) -> list[Span]:
    """Return runs of capitalized words, without OPENERS. A run does not cross the beginning of a sentence."""
    spans: list[Span] = []
    for k, token in enumerate(tokens):
        is_name = token[:1].isupper() and token.lower() not in OPENERS and not token.lower().startswith("'")
        if is_name and spans and spans[-1][1] == k - 1 and k not in starts:
            spans[-1] = (spans[-1][0], k)
        elif is_name:
            spans.append((k, k))
    return spans


def mentions_in(phrases: OpenTask, text: str, model: Model | None, vectors: StaticVectors) -> Example:
    """Make an example for `clusters`: its mentions are the noun phrases found by the heads of `chunks`, and all personal pronouns."""
    passage = _passage("coreference", text)
    variant = "elmo" if "elmo" in phrases.heads else next(iter(phrases.heads))
    start = 0
    spans = set()
    for sentence in passage:
        labeled = ask(phrases, Example(((sentence,),)), model, vectors)[variant]
        spans |= {(start + first, start + last) for first, last, label in labeled if label == "NP"}
        spans |= {(start + k, start + k) for k, token in enumerate(sentence) if token.lower() in PERSONAL}
        start += len(sentence)
    if not spans:
        raise BadInput(t("The text needs a pronoun: he, she, him, her, his or hers."))
    return Example((passage,), None, tuple(sorted(spans)))


def predicates(task: OpenTask, example: Example, model: Model | None, vectors: StaticVectors) -> list[int]:
    """Return the tokens of a typed sentence that the heads take for predicates, those of the ELMo head if there is one."""
    import torch

    head = task.heads.get("elmo") or task.heads["baseline"]
    layers = remember_layers(model) if head.shape.n_layers else None
    with torch.inference_mode():
        return head.network.predicates(make_batch([example], vectors, layers))[0]


def with_predicate(example: Example, token: int) -> Example:
    """Return an example of `roles` with its predicate at a token."""
    return Example(example.passages, None, Predicate(token))


def _passage(task: str, text: str) -> Passage:
    """Return the tokens of a typed text. Raises BadInput for no token, too many, or none in letters that the heads know."""
    if not text.strip():
        raise BadInput(t("There is no text yet. Type a sentence."))
    limit = MAX_WORDS.get(task, MAX_SENTENCE)
    passage = passage_of(text[: limits().max_passage + 1])[0]
    n = sum(map(len, passage))
    if n > limit or len(text) > limits().max_passage:
        raise BadInput(t("This text is too long: at most {most} tokens. Shorten it.", most=limit))
    if not any(token[:1].isascii() and token[:1].isalnum() for sentence in passage for token in sentence):
        raise BadInput(t("This model knows only English. Type an English sentence."))
    return passage
