"""Names to things at work: an encoder, vectors, a table, its maps. What the command line and the pages both open.

Nothing here caches in memory: a page keeps what it opens, the command line opens once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core import languages, manifest, static_context
from core.artifacts import file_sha256, moved, read_json, safe_name, text_fingerprint
from core.config import ASSETS, FLOAT32, cache_folder
from core.corpus import LabelledRow, Sentence, fingerprint, read_sentences
from core.device import CPU, choose
from core.elmo.encoder import Encoder
from core.elmo.layer_norm import layer_normalised
from core.elmo.lm import LanguageModel
from core.elmo.mix import check_weights, mixed
from core.elmo.spelled import load_spelled
from core.elmo.weights import find_files, load_bilm, load_softmax, save_hdf5
from core.errors import BadInput, MissingArtifact
from core.languages import Language
from core.limits import limits
from core.neighbours import Products, best, cosines_of_mixes, similarities
from core.occurrences import OccurrenceTable, build_index
from core.projection import FrozenMaps, ProjectionConfig, aligned_maps, followed, insert
from core.recut import recut
from core.registry import resolve
from core.senses import SenseReport, sense_report
from core.static import DOWNLOADS, StaticVectors, download_vectors, load_vectors
from core.texts import t

BUNDLED_MODEL, BUNDLED_VECTORS, BUNDLED_CORPUS = "elmo-mini", "glove-mini", "sentences"
SPACES = ("0", "1", "2", "mix")  # the four views of a three-layer model
ALL_WORDS = "all words"
NEIGHBOURS_TO_PLACE = 8  # nearest occurrences that decide where a new one lands on a map
Report = Callable[[int, int, float], None]  # tokens done, in all, per second
MEASURED = "trustworthiness without ties"  # how what is kept of a map was measured: other figures are not taken for these


@dataclass(frozen=True, slots=True)
class Model:
    """A biLM ready for use, with what tells it apart from any other."""

    name: str
    folder: Path
    encoder: Encoder
    fingerprint: str  # of its weights, and their precision where it is not float32

    @property
    def language(self) -> Language:
        """The language it was trained for, which says how its text is cut."""
        return languages.of_model(self.folder)


def open_model(
    name: str, *, precision: str = FLOAT32, device: str = CPU, allow_download: bool = False, report: Callable | None = None
) -> Model:
    """A registry name or a model folder -> encoder, its LSTMs' weights at a precision of core.elmo.narrow, on a device of
    core.device."""
    place = choose(device)
    folder = resolve(name, "model", allow_download=allow_download, report=report)
    encoder, fingerprint = Encoder(load_bilm(folder), name=name, precision=precision, device=place), model_fingerprint(folder)
    if spelled := load_spelled(folder, fingerprint):
        encoder.know(*spelled)
    return Model(name, folder, encoder, fingerprint if precision == FLOAT32 else f"{fingerprint}-{precision}")


def model_fingerprint(folder: Path) -> str:
    """First 16 hex digits of the weights file's sha256."""
    return file_sha256(find_files(folder)[1])[:16]


def open_language_model(model: Model) -> LanguageModel:
    """The model's own softmax on top of it; MissingArtifact where it came without one."""
    found = load_softmax(model.folder)
    if found is None:
        raise MissingArtifact(
            t(
                "{model} has no softmax and vocabulary, so it gives vectors but cannot predict words. elmo-mini can.",
                model=model.name,
            )
        )
    softmax, vocabulary = found
    return LanguageModel(model.encoder, softmax.to(model.encoder.device), vocabulary)


def allennlp_files(model: Model) -> tuple[Path, Path]:
    """options.json and weights.hdf5 of a model: its own, or written once from our safetensors into the cache."""
    options, weights = find_files(model.folder)
    if weights.suffix == ".hdf5":
        return options, weights
    folder = cache_folder() / "allennlp" / model.fingerprint
    if not (folder / "weights.hdf5").is_file():
        save_hdf5(model.encoder.model, folder)
    return folder / "options.json", folder / "weights.hdf5"


def open_vectors(name: str, *, allow_download: bool = False, report: Callable | None = None) -> StaticVectors:
    """A registry name or a vector file -> static vectors; gensim's names are fetched by gensim, then kept in our cache."""
    if allow_download and name in DOWNLOADS:
        kept = cache_folder() / "vectors" / f"{name}.gz"
        if not kept.is_file():
            download_vectors(name, report=report)
            import gensim.downloader

            moved(Path(gensim.downloader.BASE_DIR) / name / f"{name}.gz", kept)
    return load_vectors(resolve(name, "vectors"))


def open_corpus(name: str, language: Language | None = None) -> list[Sentence]:
    """A registry name or a file of sentences -> sentences, text cut as that language (else the one in use) is read.

    A language's own labelled sentences are stored by words, for people; they come cut as its models read them.
    """
    owner = sentences_of(name)
    with languages.reading(owner or language or languages.in_use()):
        found = read_sentences(resolve(name, "corpus"))
    return [recut(sentence, owner) for sentence in found] if owner and owner.tokeniser != "words" else found


def sentences_of(corpus: str) -> Language | None:
    """The language whose own labelled sentences a corpus is, or None."""
    return next((one for one in map(languages.named, languages.codes()) if one.sentences == corpus), None)


def open_table(corpus: str, model: Model, *, targets_only: bool = False, report: Report | None = None) -> OccurrenceTable:
    """The index of a corpus under a model: an index folder as it is, the bundled one, or one built into the cache.

    `targets_only` asks for the labelled tokens alone; a corpus without any is indexed whole.
    """
    if limits().paths and (Path(corpus) / "meta.json").is_file() and (Path(corpus) / "occurrences.arrow").is_file():
        table = OccurrenceTable(corpus)
        if table.meta.get("model") != model.fingerprint:  # two models' vectors have no angle to each other
            raise BadInput(
                t(
                    "The index {corpus} was made with another model than {model}. Name its model, or build it again.",
                    corpus=corpus,
                    model=model.name,
                )
            )
        return table
    if targets_only and (table := bundled_targets(corpus, model)):
        return table
    sentences = open_corpus(corpus, model.language)
    targets_only &= any(sentence.targets for sentence in sentences)
    folder = cache_folder() / "indexes" / f"{model.fingerprint}-{fingerprint(sentences)[:16]}{'-targets' if targets_only else ''}"
    if (folder / "meta.json").is_file():
        return OccurrenceTable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    return build_index(sentences, model.encoder, folder, model=model.fingerprint, targets_only=targets_only, report=report)


def bundled_targets(corpus: str, model: Model) -> OccurrenceTable | None:
    """The shipped table of the bundled sentences' labelled tokens, if it was made with this very model."""
    language = model.language
    folder = ASSETS / language.targets
    if not language.targets or corpus != language.sentences or not (folder / "meta.json").is_file():
        return None
    if read_json(folder / "meta.json", expect=dict).get("model") != model.fingerprint:
        return None
    manifest.check(folder)
    return OccurrenceTable(folder)


def open_maps(table: OccurrenceTable, word: str, *, fit: bool = False) -> FrozenMaps | None:
    """The frozen maps of a word's labelled rows (or of all of them): shipped, cached, or fitted now if `fit`."""
    name = f"{safe_name(word)}.safetensors"
    made_by = f"{table.meta['model']}-{table.meta['corpus'][:16]}-{text_fingerprint([repr(ProjectionConfig()), MEASURED])[:8]}"
    cached = cache_folder() / "maps" / made_by / name
    for path in (table.folder / "maps" / name, cached):
        if path.is_file():
            return FrozenMaps.load(path)
    if not fit:
        return None
    maps = fit_maps(table, word)
    cached.parent.mkdir(parents=True, exist_ok=True)
    maps.save(cached)
    return maps


def map_rows(table: OccurrenceTable, word: str) -> np.ndarray:
    """The rows a map of `word` shows, in its order of points."""
    rows = table.labelled_rows(None if word == ALL_WORDS else word)
    if not len(rows):
        known = ", ".join(table.lemmas[:12])
        raise BadInput(t("'{word}' has no labelled sentences in this corpus. Choose one of: {known} ...", word=word, known=known))
    return rows


def fit_maps(table: OccurrenceTable, word: str) -> FrozenMaps:
    """Aligned UMAP of a word's rows in layers 0, 1, 2 and their equal mix (Peters et al. 2018, eq. 1 with equal s_j)."""
    layers = table.rows.take(map_rows(table, word))  # (n, L, D)
    spaces = [layers[:, k] for k in range(layers.shape[1])] + [layers.mean(axis=1)]
    names = [str(k) for k in range(layers.shape[1])] + ["mix"]
    # Few points: a smaller neighbourhood than the usual 15, or every point would be everyone's neighbour.
    config = ProjectionConfig(n_neighbors=15 if len(layers) > 200 else 10)
    return aligned_maps(spaces, names, config)


def place(table: OccurrenceTable, found: Products, rows: np.ndarray, maps: FrozenMaps) -> np.ndarray:
    """(K, 2): where a token goes in each of the frozen maps of those rows, by its nearest among them in each map's space."""
    weights = [layer_weights(space, table.meta["layers"]) for space in maps.names]
    cosines = cosines_of_mixes(table.rows, found, weights)[:, rows]  # (K, n)
    near = np.stack([best(one, NEIGHBOURS_TO_PLACE) for one in cosines])  # (K, k)
    shift = (
        maps.coordinates.shape[1] * np.arange(len(weights))[:, None]
    )  # the maps lie one behind the other: one call places in all of them
    return insert(maps.coordinates.reshape(-1, 2), near + shift, np.take_along_axis(cosines, near, axis=1))


def sense_report_of(table: OccurrenceTable, word: str, weights: np.ndarray, *, normalised: bool = False) -> SenseReport:
    """Sense measures of a word's labelled rows (or of all words') in the full space, for one mix, of normalised layers if told so."""
    rows = map_rows(table, word)
    words = np.array([table.lemmas[k] for k in table.lemma[rows]])
    labels = np.array([table.senses[k] for k in table.sense[rows]])
    return sense_report(lambda picked: similarities(table, rows[picked], weights, normalised=normalised), words, labels, seed=0)


def static_report_of(table: OccurrenceTable, word: str, vectors: StaticVectors) -> SenseReport:
    """The same measures of the same rows by their static contexts: the other words' vectors, summed, no network (core.static_context)."""
    rows = map_rows(table, word)
    words = np.array([table.lemmas[k] for k in table.lemma[rows]])
    labels = np.array([table.senses[k] for k in table.sense[rows]])
    contexts = static_contexts_of(table, rows, vectors)
    return sense_report(lambda picked: static_context.cosines(contexts[picked]), words, labels, seed=0)


def static_contexts_of(table: OccurrenceTable, rows: np.ndarray, vectors: StaticVectors) -> np.ndarray:
    """(n,) rows -> (n, D): the sum of the static vectors of each sentence's other words."""
    found = [table.occurrence(int(row)) for row in rows]
    return static_context.static_contexts(vectors, [o.tokens for o in found], [(o.position, o.position + 1) for o in found])


def follow_mix(layers: np.ndarray, weights: np.ndarray, maps: FrozenMaps, *, normalised: bool = False) -> np.ndarray:
    """(L, n, D), (L,) -> (n, 2): the map of a mix, laid out anew from the frozen maps of its layers.

    It begins with their average in the mix's own proportions, so that it depends on the weights alone, not on the way there;
    a single layer, or the equal mix, is the frozen map itself. Normalised layers have no frozen map: each mix of them is laid out.
    """
    shares = np.asarray(weights, float) / np.sum(weights)
    for k, known in enumerate([*np.eye(len(layers)), np.full(len(layers), 1 / len(layers))]):
        if np.abs(shares - known).max() < 0.005:
            if not normalised:
                return maps.coordinates[k]
            shares = known
    space = mixed(layer_normalised(layers) if normalised else layers, shares)
    return followed(space, np.tensordot(shares, maps.coordinates[: len(layers)], axes=1), maps.config)


def layer_weights(layer: str, n_layers: int, weights: str | None = None) -> np.ndarray:
    """'0', '1', '2' -> that layer alone; 'mix' -> the given weights 'a,b,c', or equal ones."""
    if layer == "mix":
        parts = weights.split(",") if weights else [1 / n_layers] * n_layers
        return check_weights(parts, n_layers)
    if layer not in map(str, range(n_layers)):
        raise BadInput(
            t("There is no layer '{layer}'; this model has layers 0 to {top}, and 'mix'.", layer=layer[:60], top=n_layers - 1)
        )
    return np.eye(n_layers)[int(layer)]


def encoded(
    encoder: Encoder, sentences: Sequence[Sequence[str]], report: Callable[[int, int], None] | None = None, *, chunk: int = 1024
) -> Iterator[np.ndarray]:
    """Layers (L, T, D) of each sentence in order, `chunk` sentences at a time so that memory stays bounded.

    `report(tokens done, in all)` is called after each chunk.
    """
    total, done = sum(map(len, sentences)), 0
    for start in range(0, len(sentences), chunk):
        part = [list(tokens) for tokens in sentences[start : start + chunk]]
        yield from encoder.encode(part)
        done += sum(map(len, part))
        if report:
            report(done, total)


def vectors_of_rows(encoder: Encoder, rows: list[LabelledRow], report: Callable[[int, int], None] | None = None) -> np.ndarray:
    """(n, L, D) vectors of labelled tokens; a sentence that several rows share is encoded once."""
    wanted: dict[tuple[str, ...], list[int]] = {}
    for k, row in enumerate(rows):
        wanted.setdefault(tuple(row.tokens), []).append(k)
    vectors = np.empty((len(rows), encoder.n_layers, encoder.dim), np.float32)
    for numbers, layers in zip(wanted.values(), encoded(encoder, list(wanted), report), strict=True):
        vectors[numbers] = layers[:, [rows[k].position for k in numbers]].transpose(1, 0, 2)
    return vectors
