"""What pages could open with, ranked by how clearly and rightly the model answers: `python -m tests.bench.openings [--language ko]`.

Pairs of sentences by how clearly Home's verdict, picture and expected words agree (`--only pairs`, all labeled words unless `--word` names
some); words by how well their unlabeled groups agree with the labels; labeled sentences by the share of their eight nearest that have their
sense, and by what the heaviest content word adds to its lead; and of the examples in assets/languages, headlines by what their true class
has from each classifier in front, texts by the likeliest next word, spellings by their nearest words. A person chooses among the first.
"""

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from core.analysis.spelling import Spellings, list_words
from core.classify import tasks
from core.common.errors import ElmoscopeError
from core.index.neighbors import SAME
from core.index.sense_space import SenseSpace
from core.index.table import OccurrenceTable
from core.index.tables import open_table, open_tokens
from core.senses import discriminants, influence
from core.senses.verdict import TWO, has_senses, some_rows
from core.text import languages, target_word
from core.text.labeled_words import with_all
from core.text.readings import WordInContext
from core.views import attribution, induction, neighbors
from core.views.levels import judge
from core.views.neighbors import NeighborsRequest
from core.workspace import Workspace, open_workspace
from pages._classify.show import FRONT
from tests.bench import expected

SHOWN = 8  # of each ranking
LONGEST = 20  # tokens of a sentence that opens a page
SHORT = 12  # of one that Home opens with
AMONG = 10_000  # words that a spelling's neighbors are looked for among, as on the page


def compared(workspace: Workspace, words: Sequence[str] = ()) -> Iterator[tuple[float, str]]:
    """A pair of labeled sentences of different meanings of each word, or of these, by the weakest of what Home shows of it.

    That is how sure the verdict is, how likely the picture's axes that have not seen the sentences give each to its own sense, how many of
    the picture's sentences are with their own, and how many of the five likeliest words are of the right sense. The expected words must be
    shown (core.elmo.in_place), and both sentences short.
    """
    space = judge(workspace).sense_space
    places = expected.Places(open_tokens(workspace.corpus, workspace.model), space)
    table = open_table(with_all(workspace.corpus), workspace.model, targets_only=True)
    for word in words or [lemma for lemma in table.lemmas if has_senses(table, lemma)]:
        if pair := best_pair(table, word, space, places):
            score, first, second = pair
            one, other = (item.answer.word for item in (first, second))
            verdict = judge(workspace).judge(one, other).verdict
            agrees = verdict.says == TWO and verdict.senses == (first.sense, second.sense)
            texts = " | ".join(" ".join(item.answer.word.tokens) for item in (first, second))
            line = (
                f"{word}: {first.sense} and {second.sense}, {verdict.right_of_100} of 100{'' if agrees else ', named otherwise'}: {texts}"
            )
            yield min(score, 1 - verdict.probability) - (not agrees), line


def best_pair(
    table: OccurrenceTable, lemma: str, space: SenseSpace, places: expected.Places
) -> tuple[float, expected.Judged, expected.Judged] | None:
    """The two sentences of different senses, one spelling in both, whose weaker one is best; None where no sense has a sentence that may be shown."""
    rows, labels = some_rows(table, lemma)
    vectors = space.of_word(table, rows, lemma)
    folds, own = discriminants.assign_folds(labels), np.zeros(len(rows))
    for fold in np.unique(folds):
        unseen = folds == fold
        if set(labels[~unseen]) == set(labels):
            own[unseen] = discriminants.posteriors(vectors[~unseen], labels[~unseen], vectors[unseen])[
                np.arange(unseen.sum()), labels[unseen]
            ]
    lies = float(np.mean(discriminants.left_out_clouds(discriminants.lay_out(vectors, labels)[0], labels) == labels))
    best: dict[str, dict[str, tuple[float, expected.Judged]]] = {}  # spelling -> sense -> the best sentence
    for item in expected.judge(table, lemma, space, places):
        word = item.answer.word
        if not item.answer.is_good or not 5 <= len(word.tokens) <= SHORT or not item.right:
            continue
        score = min(lies, float(own[item.number]), sum(item.right) / expected.BEST)
        senses = best.setdefault(word.word, {})
        if score > senses.get(item.sense, (0.0,))[0]:
            senses[item.sense] = score, item
    pairs = [sorted(senses.values(), key=lambda scored: -scored[0])[:2] for senses in best.values() if len(senses) > 1]
    if not pairs:
        return None
    (_, first), (score, second) = max(pairs, key=lambda pair: pair[1][0])
    return score, first, second


def grouped(workspace: Workspace) -> Iterator[tuple[float, str]]:
    """Words by the adjusted Rand index of the groups that the page suggests; one group has 0."""
    for word in workspace.targets.lemmas:
        if len(workspace.targets.senses_of(word)) > 1:
            answer = induction.compute(workspace, induction.InductionRequest(word=word))
            groups, suggestion = answer.groups, answer.occurrences.suggestion
            if groups.agreement:
                yield groups.agreement.rand, f"{word}: {suggestion.number} groups, p {suggestion.p:.3f}, {' | '.join(groups.names)}"


def sentences(workspace: Workspace, word: str) -> Iterator[tuple[float, str]]:
    """A word's short labeled sentences, at the layer that its pages open with: nearest of its sense, and the word that adds most."""
    table = workspace.targets
    for row in table.labeled_rows(word):
        item = table.occurrence(int(row))
        placed = WordInContext(tuple(item.tokens), item.position)
        if len(item.tokens) > LONGEST:
            continue
        layer = judge(workspace).layer((placed,), workspace.corpus)
        near = neighbors.compute(workspace, NeighborsRequest(word=placed, space=layer, among=SAME, k=8, whole=False))
        share = np.mean([n.occurrence.sense == item.sense for n in near.entries])
        result = attribution.compute(workspace, attribution.AttributionRequest(word=placed)).influence
        nearest = influence.verdict(result, layer, influence.BOTH)
        reason, added = heaviest(workspace, result, layer, nearest.sense)
        right = nearest.sense == item.sense
        yield (
            float(share) + (added if right else -1),
            f"{item.sense}, {share:.0%}, {reason} {added:+.2f}: {item.text or ' '.join(item.tokens)}",
        )


def heaviest(workspace: Workspace, result: influence.Influence, layer: str, sense: str) -> tuple[str, float]:
    """The content word that adds most to a sense's lead, or takes most from it, and how much."""
    content = {candidate.position for candidate in target_word.candidates(result.tokens, workspace.language)}
    values = influence.parts(result, layer, influence.BOTH, sense)
    naming = [k for k in np.argsort(-np.abs(values), kind="stable") if result.changed[k] in content]
    return (result.tokens[result.changed[naming[0]]], float(values[naming[0]])) if naming else ("", 0.0)


def headlines(workspace: Workspace) -> Iterator[tuple[float, str]]:
    """The examples of classifiers by what the least sure of those in front gives their true class."""
    for task, texts in workspace.language.examples.get("classify", {}).items():
        opened = tasks.open_heads(tasks.task_named(task), model=workspace.model, vectors=workspace.vectors)
        for text in texts:
            _, said = tasks.classify_text(opened, text["text"], model=workspace.model, vectors=workspace.vectors)
            sure = [said[name].probabilities[text["label"]] for name in FRONT]
            yield min(sure), f"{task}, {text['label']}: {', '.join(f'{p:.0%}' for p in sure)}: {text['text']}"


def continued(workspace: Workspace) -> Iterator[tuple[float, str]]:
    """The examples of the next word by how likely the likeliest is."""
    for example in workspace.language.examples.get("predict", ()):
        first, *others = workspace.language_model.predict(workspace.language.tokenize(example["text"]), k=3)
        yield first.probability, f"{example['text']} … {first.word}, {', '.join(other.word for other in others)}"


def spelled(workspace: Workspace) -> Iterator[tuple[float, str]]:
    """The examples of spellings, those that GloVe lacks first, with their nearest words."""
    words = [word for text in workspace.language.examples.get("spelling", {}).values() for word in text.split()]
    for word, near in nearest(workspace, words).items():
        line = ", ".join(f"{n.word} {n.cosine:.2f}" for n in near)
        yield near[0].cosine - (word in workspace.vectors), f"{word}: {line}"


def neighboring(workspace: Workspace, words: list[str]) -> dict[str, str]:
    """Each spelling's nearest word by its letters, as the page lists them."""
    return {word: near[0].word for word, near in nearest(workspace, words).items()}


def nearest(workspace: Workspace, words: list[str]) -> dict[str, list]:
    """Each spelling's three nearest among the vocabulary's most frequent words, those that are typed left out."""
    vocabulary, _ = list_words(workspace.model.folder, workspace.vectors)
    spellings = Spellings(vocabulary, workspace.model.fingerprint, workspace.model.encoder.model.shape.projection)
    spellings.extend(workspace.model.encoder, AMONG)
    near = spellings.nearest(workspace.model.encoder.word_vectors(words), 3, among=AMONG, exclude=words)
    return dict(zip(words, near, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default="en", help="en or ko")
    parser.add_argument("--word", nargs="*", default=(), help="words whose labeled sentences are ranked; none: those of the examples")
    parser.add_argument("--only", nargs="*", default=("pairs", "groups", "sentences", "headlines", "next", "spellings"))
    args = parser.parse_args()
    workspace = open_workspace(languages.get_language(args.language).model)
    words = args.word or list(workspace.language.examples["pairs"])
    ranked = {
        "pairs": compared(workspace, args.word),
        "groups": grouped(workspace),
        "headlines": headlines(workspace),
        "next": continued(workspace),
        "spellings": spelled(workspace),
    }
    ranked |= {f"sentences with {word}": sentences(workspace, word) for word in words}
    for name, lines in ranked.items():
        if name.split()[0] in args.only:
            print(f"\n{name}")
            try:
                for score, line in sorted(lines, reverse=True)[: 2 * SHOWN]:
                    print(f"  {score:5.2f}  {line}", flush=True)
            except ElmoscopeError as error:
                print(f"  {error}")


if __name__ == "__main__":
    main()
