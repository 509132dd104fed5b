"""Compute what lessons take minutes to measure, and store it next to the model as lessons.json (`python -m core.lab lessons`).

Context: leave-one-out 1-NN of the layers on labeled senses, compared with layer 0 alone, with the other words shuffled, with an untrained biLM
on top of the trained layer 0, and with the static context (core.static.vectors).

Before the word is read: a vector of layer 1 has read the word itself, which is the same in every sentence. The forward state before the word
and the backward state after it have read only the rest of the sentence, and predict words for that place (core.elmo.substitutes). Measures are
leave-one-out 1-NN and the adjusted Rand index (Hubert and Arabie 1985) of k-means at the true number of senses, each word's mean subtracted.

Control task: does a probe read a tag from the vectors, or memorize it for each word? (Hewitt and Liang 2019) Every type gets a random tag, which
can only be memorized. Selectivity is the accuracy on the tags minus that on the control, on tokens whose type occurs in training. English tags
are in `assets/tags-en.json` (core.lab.sentences), Korean ones come from the morphological analyzer (core.text.morphemes).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..cli.options import MODEL, OVERWRITE, Answer, command, option
from ..cli.shared import open_model, progress, read_earlier
from ..common.config import ASSETS
from ..common.device import seeded
from ..common.directions import unit
from ..common.errors import BadInput, ElmoscopeError
from ..common.significance import compare_pairs, facts_of
from ..elmo.encoder import Encoder, encoded
from ..elmo.model import BiLM
from ..elmo.models import Model, open_language_model
from ..elmo.substitutes import Substitutes
from ..files import sums
from ..files.artifacts import provenance, read_json, write_json
from ..files.atomic import locked
from ..index.table import OccurrenceTable
from ..index.tables import open_table
from ..senses.clusters import clusters
from ..senses.cosines import words_of
from ..senses.evaluate import static_vectors
from ..senses.evidence import chance
from ..senses.separation import one_nn
from ..static.vectors import cosines, topics
from ..text.corpora import open_corpus
from ..text.morphemes import analyzed
from ..text.tokens import bare
from ..views.card import CHANCE, LESSONS, LESSONS_FORMAT, PLACE, READ, SHUFFLED, STATIC, SUBSTITUTES, UNTRAINED, read_lessons
from .probes import commonest_tags, learned_mix_probe

RANKS = (1, 2, 4, 8, 16, 64)
SENTENCES = 1_200  # drawn at random, four fifths to train on
CONTROLS = 3  # draws of random tags
TAGS = ASSETS / "tags-en.json"
KOREAN = {"N": "noun", "V": "verb", "M": "modifier", "J": "particle", "E": "ending", "X": "affix", "I": "interjection"}  # Sejong tags


def measure_context(model: Model, *, report: Callable) -> dict:
    """Return {"words": (W,), "one_nn": {space: (W,)}}; spaces are layers, "shuffled 1", "untrained 1", ..., "static", "chance"."""
    table = open_table(model.language.sentences, model, targets_only=True)
    words = words_of(table)
    numbers = range(model.encoder.n_layers)
    rows = np.concatenate(list(words.values()))
    result = {str(k): by_word(table, words, table.rows.take(rows)[:, k]) for k in numbers}
    sentences, places = zip(*table.places(rows), strict=True)
    for name, encoder, texts in null_models(model, sentences, places):
        vectors = np.stack([layers[:, k] for layers, k in zip(encoded(encoder, texts, report), places, strict=True)])  # (N, L, D)
        result |= {f"{name} {k}": by_word(table, words, vectors[:, k]) for k in numbers if k}
    if (vectors := static_vectors(model)) is not None:
        result[STATIC] = by_word(table, words, topics(vectors, table.places(rows)))
    result[CHANCE] = [chance(table.sense[word_rows]) for word_rows in words.values()]
    return {"words": list(words), "n": len(rows), "one_nn": {name: [round(x, 4) for x in values] for name, values in result.items()}}


def by_word(table: OccurrenceTable, words: Mapping[str, np.ndarray], vectors: np.ndarray) -> list[float]:
    """Return leave-one-out 1-NN of each word, from vectors (N, D) of all words' rows in order."""
    return [one_nn(cosines(part), table.sense[rows]) for part, rows in split_words(vectors, words)]


def split_words(vectors: np.ndarray, words: Mapping[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split vectors (N, D) of all words' rows, in order, into each word's vectors and rows."""
    ends = np.cumsum([len(rows) for rows in words.values()])[:-1]
    return list(zip(np.split(vectors, ends), words.values(), strict=True))


def shuffled(sentences: Sequence[Sequence[str]], places: Sequence[int], rng) -> list[tuple[str, ...]]:
    """Shuffle the other tokens of each sentence. The token at its place stays."""
    results = []
    for tokens, place in zip(sentences, places, strict=True):
        others = [token for k, token in enumerate(tokens) if k != place]
        mixed = [others[k] for k in rng.permutation(len(others))]
        results.append((*mixed[:place], tokens[place], *mixed[place:]))
    return results


def null_models(
    model: Model, sentences: Sequence[tuple[str, ...]], places: Sequence[int]
) -> Iterator[tuple[str, Encoder, Sequence[tuple[str, ...]]]]:
    """Yield name, encoder and sentences: the model with the other words shuffled, and random LSTMs."""
    yield SHUFFLED, model.encoder, shuffled(sentences, places, np.random.default_rng(0))
    yield UNTRAINED, untrained(model), sentences


def untrained(model: Model) -> Encoder:
    """Return the model's layer 0 below randomly initialized LSTMs of its shape."""
    if not model.is_elmo:
        raise BadInput(f"{model.layers.called} is a transformer; this lesson needs a biLM.")
    trained = model.encoder.model
    bilm = BiLM(trained.shape, seeded(0))
    bilm.characters = trained.characters
    return Encoder(bilm, name="untrained")


def tagged(model: Model) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the language's bundled sentences and a tag for each token; BadInput if the language has no tags."""
    if model.language.code not in ("en", "ko"):
        raise BadInput(f"No tagged sentences in {model.language.name}. Choose another model.")
    sentences = [tuple(sentence.tokens) for sentence in open_corpus(model.language.sentences, model.language)]
    if model.language.code == "en":
        stored = read_json(TAGS, expect=dict)
        tags = [tuple(stored["tags"][sign] for sign in line) for line in stored["sentences"]]
    else:
        tags = [tuple(_korean(token, item) for token, item in zip(tokens, analyzed(tokens), strict=True)) for tokens in sentences]
    if [len(tokens) for tokens in sentences] != [len(line) for line in tags]:
        raise BadInput(f"{TAGS} is damaged. Download it again.")
    return sentences, tags


def random_tags(types: Sequence[str], tags: Sequence[str], rng) -> list[str]:
    """Return a random tag for each token, the same for all tokens of a type, drawn from the tokens' tags."""
    names, codes = np.unique(np.asarray(types, str), return_inverse=True)
    return np.asarray(tags, str)[rng.integers(len(tags), size=len(names))][codes].tolist()


def measure_control(model: Model, *, report: Callable) -> dict:
    """Return accuracies on tags and control and their difference, by layer and rank. "type" is each type's most frequent tag."""
    sentences, tags = tagged(model)
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(sentences))[:SENTENCES]
    cut = 4 * len(chosen) // 5

    def tokens_of(part: np.ndarray) -> tuple[list[tuple[str, ...]], list[str], list[str]]:
        """Return the sentences of a part, and the type and the tag of each token."""
        texts = [sentences[k] for k in part]
        return texts, [bare(token).casefold() for tokens in texts for token in tokens], [tag for k in part for tag in tags[k]]

    (train, types, train_tags), (test, test_types, test_tags) = map(tokens_of, (chosen[:cut], chosen[cut:]))
    vectors = [np.concatenate(list(encoded(model.encoder, part, report)), axis=1) for part in (train, test)]  # (L, N, D)
    seen = np.isin(test_types, types)
    seen_rows = np.flatnonzero(seen)
    sentence_of = np.repeat(chosen[cut:], list(map(len, test)))[seen_rows].tolist()
    controls = []
    for _ in range(CONTROLS):
        both = random_tags([*types, *test_types], [*train_tags, *test_tags], rng)
        controls.append((both[: len(types)], [both[len(types) + k] for k in seen_rows]))
    gold = [test_tags[k] for k in seen_rows]
    result: dict = {
        "n_train": len(types),
        "n": len(seen_rows),
        "unseen": int((~seen).sum()),
        "tags": len(set(train_tags)),
        "types": len(set(types)),
        "type": commonest_tags(types, train_tags, [test_types[k] for k in seen_rows], gold),
        "layers": {},
    }
    for layer in range(model.encoder.n_layers):
        train_layer = vectors[0][layer : layer + 1]
        test_layer = vectors[1][layer : layer + 1, seen_rows]
        rows = {}
        for rank in RANKS:
            right = learned_mix_probe(train_layer, train_tags, test_layer, gold, rank=rank).right
            by_control = [learned_mix_probe(train_layer, first, test_layer, second, rank=rank).right for first, second in controls]
            by_heart = np.mean(by_control, axis=0)
            difference = compare_pairs(right, by_heart, sentence_of)
            rows[str(rank)] = {"tags": float(right.mean()), "control": float(by_heart.mean()), "selectivity": facts_of(difference)}
            report(layer * len(RANKS) + len(rows), model.encoder.n_layers * len(RANKS))
        result["layers"][str(layer)] = rows
    return result


def _korean(token: str, morpheme) -> str:
    """Return the tag of a token's first morpheme, from the first letter of its Sejong tag; without Hangul it is a mark or a number."""
    if morpheme is None:
        return "other" if any(map(str.isalnum, token)) else "mark"
    return KOREAN.get(morpheme.tags[0][:1], "other")


def before_reading(model: Model, *, report: Callable) -> dict:
    """Measure whether ELMo knows the sense better before it reads the word.

    Returns {"words": (W,), "one_nn": {space: (W,)}, "ari": {space: (W,)}}. Spaces: READ, PLACE, SUBSTITUTES (only with a softmax),
    "shuffled place", "untrained place", ..., "static", "chance".
    """
    table = open_table(model.language.sentences, model, targets_only=True)
    words = words_of(table)
    rows = np.concatenate(list(words.values()))
    spaces = {READ: table.rows.take(rows)[:, int(READ)], **_places(model, table, rows)}
    if (vectors := static_vectors(model)) is not None:
        spaces[STATIC] = topics(vectors, table.places(rows))
    result: dict = {"words": list(words), "n": len(rows), "one_nn": {}, "ari": {}}
    for number, (name, vectors) in enumerate(spaces.items()):
        scores = [score_layer(part, table.sense[word_rows]) for part, word_rows in split_words(vectors, words)]
        result["one_nn"][name] = [round(float(accuracy), 4) for accuracy, _ in scores]
        result["ari"][name] = [round(float(index), 4) for _, index in scores]
        report(number + 1, len(spaces))
    result["one_nn"][CHANCE] = [round(chance(table.sense[word_rows]), 4) for word_rows in words.values()]
    return result


def score_layer(vectors: np.ndarray, senses: np.ndarray) -> tuple[float, float]:
    """Return leave-one-out 1-NN and the adjusted Rand index of one word's vectors (n, D), their mean subtracted."""
    rows = unit(np.asarray(vectors, np.float32))
    centered = unit(rows - rows.mean(axis=0))
    return one_nn(centered @ centered.T, senses), rand_index(centered, senses)


def rand_index(vectors: np.ndarray, senses: np.ndarray) -> float:
    """Return the adjusted Rand index of k-means at the number of senses."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(senses, clusters(vectors, len(np.unique(senses)))))


def _places(model: Model, table: OccurrenceTable, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the states around each row's word and its substitutes: unchanged, with shuffled words, and of random LSTMs."""
    occurrences = table.places(rows)
    sentences, positions = zip(*occurrences, strict=True)
    words = [tokens[k] for tokens, k in occurrences]
    try:
        substitutes = Substitutes(open_language_model(model))
    except ElmoscopeError:
        substitutes = None
    spaces = {}
    for name, encoder, texts in [("", model.encoder, sentences), *null_models(model, sentences, positions)]:
        places = spaces[f"{name} {PLACE}".strip()] = encoder.around([list(tokens) for tokens in texts], positions)
        if substitutes:
            spaces[f"{name} {SUBSTITUTES}".strip()] = substitutes.vectors(places, words)
    return spaces


PARTS: dict[str, Callable[..., dict]] = {"context": measure_context, "before": before_reading, "control": measure_control}


@command(
    "lessons",
    option("--only", f"only these of: {', '.join(PARTS)}; others stay", metavar="WHAT", choices=tuple(PARTS), many=True),
    OVERWRITE,
    *MODEL,
)
def evaluate_lessons(*, only, model, outputs) -> Answer:
    """Measure the figures of the lessons and store them with the model: context, before the word is read, the control task."""
    model = open_model(model)
    path = model.folder / LESSONS
    outputs.check_file(path, merged=True)
    result = read_earlier(path, lambda path: read_lessons(path.parent, model.fingerprint), outputs)
    if not model.language.sentences:
        raise BadInput(f"{model.name}'s language has no labeled sentences, on which the lessons are measured. Choose another model.")
    for name in only or PARTS:
        measured = {**PARTS[name](model, report=progress("tokens or probes")), "date": provenance()["date"]}
        with locked(path):  # another process may have added parts
            result = read_lessons(model.folder, model.fingerprint) | {name: measured}
            record = provenance(model=model.name, fingerprint=model.fingerprint, command="python -m core.lab lessons", parts=result)
            write_json(path, {"format": LESSONS_FORMAT} | record)
        sums.renew(path)
    lines = []
    for part, measure in (("context", "one_nn"), ("before", "one_nn"), ("before", "ari")):
        for name, values in result.get(part, {}).get(measure, {}).items():
            lines.append(f"{part}, {measure}, {name}: {sum(values) / len(values):.3f}")
    for layer, ranks in result.get("control", {}).get("layers", {}).items():
        for rank, value in ranks.items():
            lines.append(f"layer {layer}, rank {rank}: tags {value['tags']:.1%}, random tags {value['control']:.1%}")
    return result, [*lines, f"-> {path}"]
