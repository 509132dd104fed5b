"""Coreference, as two tasks: the referent of a pronoun, and the clusters of a document.

GAP (Webster et al. 2018): which of two names does a pronoun mean, or neither? F1 by gender, and its bias. The network scores a pronoun with
each name as Lee et al. (2017), the paper's baseline, score spans: states at both ends, attention over the words, and the distance. "Neither"
has the score 0.

OntoGUM (Zhu et al. 2021): which spans of a document have the same referent? Each mention picks an earlier one, or none (mention ranking,
Wiseman et al. 2015). Mentions are given, since 177 documents are too few to learn to find them. Scores are therefore far above those of
systems that find mentions. CoNLL F1 is the mean of MUC, B3 and CEAFe, as the official scorer computes them.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import Dropout, initialize
from ..common.errors import BadInput
from ..common.i18n import t
from .inputs import PassageBatch, Reader, Span, covered, flat, masked, passage_of
from .spans import f1
from .task import PARTS, Example, Passage, Shape, Task, TaskRecipe, deal_targets, lines_in

MASCULINE, FEMININE = ("he", "him", "his"), ("she", "her", "hers")
DISTANCE_DIM = 16
DISTANCES = (0, 1, 2, 4, 8, 16, 32, 64)  # tokens between the two; a number of its own for each side
COLUMNS = ("Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref")
BACK = 60  # mentions before one that it may go with
WIDTH = 12  # tokens of a mention that are read, from its first
FEATURE_DIM = 16
MENTION_DISTANCES = (1, 2, 3, 4, 8, 16, 32)  # mentions between the two, and one
ENDS = frozenset(".?!")
LONGEST = 60  # tokens of a sentence: OntoGUM has no sentence breaks, so a sentence ends at one of ENDS, or after this many
Clusters = list[frozenset]


@dataclass(frozen=True, slots=True)
class Mentions:
    """The pronoun and the names in a passage: first and last token of each."""

    pronoun: Span
    names: tuple[Span, ...]
    gender: str = ""  # "M" or "F", of the pronoun


class PairScorer(nn.Module):
    """A network from one passage to a score for each name in `facts`. The target is the number of the name, or -1."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.reader = Reader(shape, recipe, generator)
        self.attention = nn.Linear(self.reader.dim, 1)
        self.distance = nn.Embedding(2 * len(DISTANCES), DISTANCE_DIM)
        self.narrow = nn.Linear(3 * self.reader.dim, recipe.hidden)  # projects a span
        self.hidden = nn.Linear(3 * recipe.hidden + DISTANCE_DIM, recipe.hidden)
        self.scores = nn.Linear(recipe.hidden, 1)
        self.dropout = Dropout(recipe.dropout, generator)
        initialize(self, generator)

    def forward(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[Tensor]:
        """Return the scores of each example (1 + names,), "neither" first."""
        states = self.reader(texts[0])  # (U, T, R)
        attention = self.attention(states)[..., 0]  # (U, T)
        rows = texts[0].rows.tolist()
        pairs = [(rows[k], e.facts.pronoun, name) for k, e in enumerate(examples) for name in e.facts.names]
        pronouns = self._spans(states, attention, [(row, pronoun) for row, pronoun, _ in pairs])  # (P, H)
        names = self._spans(states, attention, [(row, name) for row, _, name in pairs])
        apart = self.distance(torch.tensor([_bucket(pronoun, name) for _, pronoun, name in pairs]))
        joined = self.dropout(torch.cat([pronouns, names, pronouns * names, apart], dim=1))
        scores = self.scores(self.dropout(self.hidden(joined).relu()))[:, 0]  # (P,)
        return [torch.cat([part.new_zeros(1), part]) for part in scores.split([len(e.facts.names) for e in examples])]

    def _spans(self, states: Tensor, attention: Tensor, spans: Sequence[tuple[int, Span]]) -> Tensor:
        """Return (P, H): the states at both ends of each span and the sum within it weighted by attention."""
        rows = torch.tensor([row for row, _ in spans])
        first, last = (torch.tensor([span[end] for _, span in spans]) for end in (0, 1))
        places = torch.arange(states.shape[1])
        inside = (places >= first[:, None]) & (places <= last[:, None])  # (P, T)
        weights = masked(attention[rows], inside).softmax(dim=1)
        within = (weights[:, None] @ states[rows])[:, 0]  # (P, R)
        return self.narrow(self.dropout(torch.cat([states[rows, first], states[rows, last], within], dim=1))).relu()

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the cross entropy over the names and "neither", a scalar."""
        scores = self(texts, examples)
        wanted = [torch.tensor([example.target + 1]) for example in examples]
        return torch.stack([nn.functional.cross_entropy(s[None], w) for s, w in zip(scores, wanted, strict=True)]).mean()

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[list[float]]:
        """Return the probability of each name for each example. The rest to 1 is that of neither."""
        return [scores.softmax(dim=0)[1:].tolist() for scores in self(texts, examples)]


def _bucket(pronoun: Span, name: Span) -> int:
    """Return the distance in tokens, in doubling steps, and which span comes first."""
    before = name[1] < pronoun[0]
    between = pronoun[0] - name[1] - 1 if before else max(name[0] - pronoun[1] - 1, 0)
    return sum(between >= least for least in DISTANCES[1:]) + len(DISTANCES) * before


def read(path: Path) -> list[Example]:
    """Read GAP's table, whose offsets are characters."""
    rows = csv.DictReader((line for _, line in lines_in(path)), delimiter="\t", quoting=csv.QUOTE_NONE)
    if missing := [column for column in COLUMNS if column not in (rows.fieldnames or ())]:
        raise BadInput(t("{file} has no column {column}: GAP’s table is expected.", file=path.name, column=missing[0]))
    examples = []
    for row in rows:
        try:
            examples.append(_example(row))
        except (ValueError, TypeError, AttributeError):
            raise BadInput(t("{file}, line {n}: this is not a row of GAP’s table.", file=path.name, n=rows.line_num)) from None
    return examples


def _example(row: dict[str, str]) -> Example:
    passage, spans = passage_of(row["Text"])
    mentions = []
    for column in ("Pronoun", "A", "B"):
        begin = int(row[f"{column}-offset"])
        mentions.append(covered(spans, begin, begin + len(row[column])))
    if None in mentions:
        raise ValueError(row)
    passage, mentions = cut_passage(passage, mentions)
    if row["A-coref"].upper() == "TRUE":
        target = 0
    else:
        target = 1 if row["B-coref"].upper() == "TRUE" else -1
    gender = "M" if row["Pronoun"].lower() in MASCULINE else "F"
    return Example((passage,), target, Mentions(mentions[0], tuple(mentions[1:]), gender))


def cut_passage(passage: Passage, mentions: Sequence[Span]) -> tuple[Passage, list[Span]]:
    """Return the sentences from the first mention to the last, and the mentions' positions in them."""
    first, last = min(span[0] for span in mentions), max(span[1] for span in mentions)
    ends = np.cumsum([len(sentence) for sentence in passage])
    begin, end = np.searchsorted(ends, [first, last], side="right").tolist()
    before = int(ends[begin - 1]) if begin else 0
    return passage[begin : end + 1], [(a - before, b - before) for a, b in mentions]


def chosen(probabilities: Sequence[float]) -> int:
    """Return the number of the name that is likelier than the other and than neither; -1 without one."""
    scores = [1 - sum(probabilities), *probabilities]
    return int(np.argmax(scores)) - 1


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Score as GAP's official scorer: F1 of the positive answers over all, masculine and feminine pronouns, and the latter's ratio."""
    result = {}
    for gender in ("", "M", "F"):
        pairs = [(chosen(p), e.target) for e, p in zip(examples, predictions, strict=True) if gender in ("", e.facts.gender)]
        right = sum(answer == target >= 0 for answer, target in pairs)
        result[gender] = f1(right, sum(answer >= 0 for answer, _ in pairs), sum(target >= 0 for _, target in pairs))
    masculine, feminine = result["M"]["f1"], result["F"]["f1"]
    scores = result[""] | {"masculine": masculine, "feminine": feminine, "bias": feminine / masculine if masculine else 0.0}
    return scores | {"gold": len(examples)}


TASK = Task(
    name="coreference",
    title="Coreference",
    files={"train": "coref/gap-development.tsv.xz", "dev": "coref/gap-validation.tsv.xz", "test": "coref/gap-test.tsv.xz"},
    readers=dict.fromkeys(PARTS, read),
    network=PairScorer,
    score=score,
    scrambled=deal_targets,
    measure="f1",
    recipe=TaskRecipe(hidden=48, epochs=6, batch_size=20, learning_rate=2e-3, dropout=0.4, test_limit=1_000),
)


class MentionRanker(nn.Module):
    """A network from one document, with mentions as `facts`, to the scores of every earlier mention, and of none, for each mention."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.reader = Reader(shape, recipe, generator)
        self.attention = nn.Linear(self.reader.dim, 1)
        self.narrow = nn.Linear(3 * self.reader.dim, recipe.hidden)  # projects a mention
        self.distance = nn.Embedding(len(MENTION_DISTANCES), FEATURE_DIM)
        self.alike = nn.Embedding(3, FEATURE_DIM)
        self.hidden = nn.Linear(3 * recipe.hidden + 2 * FEATURE_DIM, recipe.hidden)
        self.scores = nn.Linear(recipe.hidden, 1)
        self.dropout = Dropout(recipe.dropout, generator)
        initialize(self, generator)

    def forward(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[Tensor]:
        """Return for each document (M, 1 + BACK): none first, then the previous mention, the one before it, and so on."""
        states = self.reader(texts[0])  # (U, T, R)
        return [self._document(states[row], e) for row, e in zip(texts[0].rows.tolist(), examples, strict=True)]

    def _document(self, states: Tensor, example: Example) -> Tensor:
        spans = torch.tensor(example.facts)  # (M, 2)
        places = torch.minimum(spans[:, :1] + torch.arange(WIDTH), spans[:, 1:])  # (M, W)
        inside = spans[:, :1] + torch.arange(WIDTH) <= spans[:, 1:]
        words = states[places]  # (M, W, R)
        weights = masked(self.attention(words)[..., 0], inside).softmax(dim=1)
        within = (weights[:, None] @ words)[:, 0]
        mentions = self.narrow(self.dropout(torch.cat([states[spans[:, 0]], states[spans[:, 1]], within], dim=1))).relu()  # (M, H)
        back = torch.arange(1, BACK + 1)
        earlier = torch.arange(len(spans))[:, None] - back  # (M, BACK)
        there = earlier >= 0
        later, antecedent = there.nonzero()[:, 0], earlier[there]  # (P,)
        apart = torch.bucketize(back, torch.tensor(MENTION_DISTANCES), right=True)[None].expand_as(earlier)[there] - 1
        same = torch.from_numpy(_compare_mentions(example))[later, antecedent]
        pair = [mentions[later], mentions[antecedent], mentions[later] * mentions[antecedent], self.distance(apart), self.alike(same)]
        result = self.scores(self.dropout(self.hidden(self.dropout(torch.cat(pair, dim=1))).relu()))[:, 0]
        scores = masked(torch.zeros(there.shape), there).masked_scatter(there, result)
        return torch.cat([scores.new_zeros(len(spans), 1), scores], dim=1)

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the negative log of the probability given to mentions of the same cluster, or to none for a first mention."""
        losses = []
        for scores, example in zip(self(texts, examples), examples, strict=True):
            number = torch.tensor([number for *_, number in example.target])
            earlier = torch.arange(len(number))[:, None] - torch.arange(1, BACK + 1)
            right = (earlier >= 0) & (number[earlier.clamp(min=0)] == number[:, None])  # (M, BACK)
            right = torch.cat([~right.any(dim=1, keepdim=True), right], dim=1)
            losses.append(torch.logsumexp(scores, dim=1) - torch.logsumexp(masked(scores, right), dim=1))
        return torch.cat(losses).mean()

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[list[int]]:
        """Return the cluster number of each mention in each document: that of the chosen mention, or a new one."""
        answers = []
        for scores in self(texts, examples):
            numbers: list[int] = []
            for k, choice in enumerate(scores.argmax(dim=1).tolist()):
                numbers.append(numbers[k - choice] if choice else k)
            answers.append(numbers)
        return answers


def _compare_mentions(example: Example) -> np.ndarray:
    """Return (M, M): 2 for mentions with the same words in any case, 1 for the same last word, else 0."""
    tokens = [token.lower() for token in flat(example.passages[0])]
    texts = [" ".join(tokens[first : last + 1]) for first, last in example.facts]
    words, lasts = np.array(texts), np.array([tokens[last] for _, last in example.facts])
    return (lasts[:, None] == lasts).astype(np.int64) + (words[:, None] == words)


def read_clusters(path: Path) -> list[Example]:
    """Read documents of `number TAB word TAB bracketed cluster ids` lines between `# begin document` and `# end document`."""
    examples = []
    for is_mark, lines in groupby(lines_in(path), key=lambda line: line[1].startswith(("# begin", "# end"))):
        rows = [] if is_mark else [(number, line.split("\t")) for number, line in lines if line.strip()]
        for number, cells in rows:
            if len(cells) != 3:
                raise BadInput(t("{file}, line {n}: a number, a word and clusters are expected.", file=path.name, n=number))
        if rows:
            words, clusters = zip(*(cells[1:] for _, cells in rows), strict=True)
            examples.append(_document(path, rows[-1][0] + 1, words, clusters))
    return examples


def _document(path: Path, number: int, words: Sequence[str], cells: Sequence[str]) -> Example:
    opened: dict[str, list[int]] = defaultdict(list)
    clusters: dict[Span, int] = {}
    try:
        for k, cell in enumerate(cells):
            for begins, name, ends in re.findall(r"(\()?(\d+)(\))?", cell):
                if begins:
                    opened[name].append(k)
                if ends:
                    clusters.setdefault((opened[name].pop(), k), int(name))
    except IndexError:
        raise BadInput(t("{file}, before line {n}: a cluster ends that did not begin.", file=path.name, n=number)) from None
    spans = tuple(sorted(clusters)) or ((0, 0),)
    return Example((_sentences(words),), tuple((*span, clusters.get(span, 0)) for span in spans), spans)


def _sentences(words: Sequence[str]) -> Passage:
    sentences = []
    begin = 0
    for k, word in enumerate(words, 1):
        if word in ENDS or k - begin == LONGEST or k == len(words):
            sentences.append(tuple(words[begin:k]))
            begin = k
    return tuple(sentences)


def score_clusters(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Return CoNLL F1 and its parts over all documents. A singleton is in no cluster, as in OntoNotes."""
    documents = []
    for e, answer in zip(examples, predictions, strict=True):
        key = chains(e, [number for *_, number in e.target])
        documents.append((list(map(frozenset, key)), list(map(frozenset, chains(e, answer)))))
    return conll_f1(documents) | {"gold": sum(len(cluster) for key, _ in documents for cluster in key)}


def chains(example: Example, numbers: Sequence[int]) -> list[tuple[Span, ...]]:
    """Return mentions that share a number, at least two, chains in the order of their first mentions. `numbers` are a head's predictions."""
    together: dict[int, list[Span]] = {}
    for span, number in zip(example.facts, numbers, strict=True):
        together.setdefault(number, []).append(span)
    return [tuple(spans) for spans in together.values() if len(spans) > 1]


def conll_f1(documents: Iterable[tuple[Clusters, Clusters]]) -> dict[str, float]:
    """Return MUC, B3 and CEAFe of (key, response) clusters, each with recall and precision, and the mean of the three F1."""
    sums = {measure: np.zeros(4) for measure in (_muc, _b3, _ceafe)}  # right and all of the key, right and all of the response
    for key, response in documents:
        for measure, counts in sums.items():
            counts += [*measure(key, response), *measure(response, key)]
    result = {}
    for name, (right_of_key, key_size, right_of_response, response_size) in zip(("muc", "b3", "ceafe"), sums.values(), strict=True):
        recall, precision = right_of_key / max(key_size, 1), right_of_response / max(response_size, 1)
        values = {"recall": recall, "precision": precision, "f1": 2 * recall * precision / max(recall + precision, 1e-12)}
        result |= {f"{name}_{kind}": float(value) for kind, value in values.items()}
    return {"f1": float(np.mean([result[f"{name}_f1"] for name in ("muc", "b3", "ceafe")]))} | result


def _muc(key: Clusters, response: Clusters) -> tuple[float, float]:
    """Return the share of the key's links that the response has (Vilain et al. 1995)."""
    cluster_of = {mention: k for k, cluster in enumerate(response) for mention in cluster}
    parts = [len({cluster_of.get(mention, mention) for mention in cluster}) for cluster in key]
    return sum(len(cluster) - n for cluster, n in zip(key, parts, strict=True)), sum(len(cluster) - 1 for cluster in key)


def _b3(key: Clusters, response: Clusters) -> tuple[float, float]:
    """Return for each mention the share of its cluster that the response has (Bagga & Baldwin 1998)."""
    return sum(len(k & r) ** 2 / len(k) for k in key for r in response), sum(map(len, key))


def _ceafe(key: Clusters, response: Clusters) -> tuple[float, float]:
    """Return the similarity of clusters under the best one-to-one alignment (Luo 2005, phi 4)."""
    from scipy.optimize import linear_sum_assignment

    if not key or not response:
        return 0.0, len(key)
    like = np.array([[2 * len(k & r) / (len(k) + len(r)) for r in response] for k in key])
    return float(like[linear_sum_assignment(-like)].sum()), len(key)


def shuffle_clusters(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Draw the members of each document's clusters at random, with the same sizes."""
    results = []
    for e in examples:
        numbers = random.permutation([number for *_, number in e.target]).tolist()
        results.append(Example(e.passages, tuple((*span, n) for span, n in zip(e.facts, numbers, strict=True)), e.facts))
    return results


CLUSTERS = Task(
    name="clusters",
    title="Coreference clusters",
    files={part: f"coref/ontogum.{part}.conll.xz" for part in PARTS},
    readers=dict.fromkeys(PARTS, read_clusters),
    network=MentionRanker,
    score=score_clusters,
    scrambled=shuffle_clusters,
    measure="f1",
    recipe=TaskRecipe(hidden=48, epochs=6, batch_size=2, learning_rate=2e-3, train_limit=100, dev_limit=15),
)
