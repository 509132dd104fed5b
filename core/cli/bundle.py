"""What ships and depends on the bundled model, made again by one command, so that a later model drops in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli import parts, shared
from core.cli.card import evaluate_card
from core.cli.options import MODEL, Answer, argument, command, flag, option
from core.cli.shared import in_columns, note, progress
from core.cli.shipping import train_heads
from core.common import config, i18n
from core.common.errors import BadInput
from core.files import sums as checksums
from core.files.artifacts import safe_name, write_json
from core.files.atomic import replacing
from core.text import languages
from core.text.corpora import open_corpus
from core.text.languages import Language
from core.text.sentences import Sentence
from core.text.tokens import SENTENCE_BEGIN, SENTENCE_END

if TYPE_CHECKING:
    from core.elmo.models import Model


def _beside() -> str:
    """A table's maps, figures and substitutes."""
    from core.index.sense_space import KEPT
    from core.senses import verdict

    return rf"maps(/[\w -]*(~[0-9a-f]{{12}})?\.safetensors)?|senses\.json|{re.escape(verdict.FILE)}|{re.escape(KEPT)}"


SPELLED = 10_000  # words of a model's list whose char-CNN vectors ship with it


@command(
    "bundle",
    "Rebuild what ships with a bundled model: its table and maps; `bundle all` rebuilds every stale part.",
    argument("what", "every stale part, in order; resumes where it stopped", required=False, metavar="all", choices=("all",)),
    option("--data", "the data sets, laid out as ELMOSCOPE_DATA: measures and heads are made too", metavar="FOLDER"),
    option("--language", "whose model, a code of core.text.languages (default en)", metavar="L", default="en"),
    option("--output", "default: assets/targets, or as the language's description says", metavar="DIR"),
    option("--only", "only these parts of `all`, as --list names them", metavar="PART", many=True),
    flag("--list", "only list what `all` would rebuild, with minutes per part on two cores"),
    flag("--sums", "only write the sha256 of each file in assets to assets/SHA256"),
)
def bundle(*, data, language, output, sums, only, list, what=None) -> Answer:
    """The table and its maps; with --data also the measures and every classifier's head, which need the data sets; then the sums.

    Until the end there is no list of sums, so that what is being replaced is not taken for damaged.
    """
    from core.index.build import check_replaceable

    if sums:
        return _summed({}, "")
    if what:
        return _all(data, only, list)
    if only or list:
        raise BadInput("--only and --list belong to: python -m core bundle all")
    language = languages.named(language)
    folder = Path(output or config.ASSETS / language.targets)
    check_replaceable(folder, _beside())
    checksums.drop()
    return _summed(*_made(data, language, folder))


def _all(data: str | None, only: Sequence[str], only_list: bool) -> Answer:
    known = {part.name: part for part in parts.all_parts()}
    if wrong := next((name for name in only if name not in known), None):
        raise BadInput(f"There is no part '{wrong[:40]}'. Parts are: {', '.join(known)}.")
    chosen = [part for name, part in known.items() if name in only or not only]
    stale = parts.stale_parts(chosen)
    waiting = [part for part in chosen if part.name in stale]
    facts = {"parts": [{**asdict(part), "stale": stale.get(part.name, [])} for part in chosen], "stale": [*stale]}
    if not only_list:
        facts["seconds"] = parts.remake(waiting, data, note)
    cells = ((part.name, _minutes(part.minutes), ", ".join(stale.get(part.name, ["as its model is"])[:3])) for part in chosen)
    end = f"{len(stale)} of {len(chosen)} parts stale; {parts.left(waiting)}" if only_list else f"{len(stale)} parts made again"
    return facts, "\n".join([*in_columns(cells, right=(1,)), end])


def _minutes(minutes: float | None) -> str:
    return "not measured" if minutes is None else f"{minutes:,.0f} min"


def _summed(result: dict, text: str) -> tuple[dict, str]:
    """The list of what is in assets now, written last."""
    path = checksums.make()
    n = len(path.read_text(encoding="utf-8").splitlines())
    return result | {"sums": str(path), "files": n}, f"{text}\n{n} files named with their sha256 in {path}".strip()


def _made(data: str | None, language: Language, folder: Path) -> Answer:
    from core.analysis.word_maps import ALL_WORDS, fit_maps
    from core.elmo.models import open_model
    from core.evaluation.layer_scores import static_vectors
    from core.index.build import build_index
    from core.index.sense_space import open_space
    from core.senses import evidence, pairs, verdict

    model = open_model(language.model)
    sentences = open_corpus(language.sentences, language)
    _spell(model, language, sentences)
    table = build_index(
        sentences, model.encoder, folder, model=model.fingerprint, targets_only=True, report=progress("tokens"), beside=_beside()
    )
    (folder / "maps").mkdir()
    for k, word in enumerate([*table.lemmas, ALL_WORDS], 1):
        fit_maps(table, word).save(folder / "maps" / f"{safe_name(word)}.safetensors")
        note(f"map {k} of {len(table.lemmas) + 1}: {word}")
    measured = {name: _senses(table, name) for name in model.layers.spaces}
    write_json(folder / "senses.json", measured)
    vectors = static_vectors(model)
    space = open_space(model, vectors)
    if space:
        space.keep(table)
    seen = evidence.of_rows(model.encoder, vectors, table, pairs.judged_rows(table), space)
    if ground := pairs.measure(table, seen):
        write_json(folder / verdict.FILE, verdict.as_json(ground))
    lines = [f"{len(table):,} labelled tokens and {k} maps in {folder}"]
    lines += [
        f"{name}: 1-NN {m['one_nn']:.1%} ({m['low']:.1%} to {m['high']:.1%}), shuffled {m['null']:.1%}" for name, m in measured.items()
    ]
    result = {"output": str(folder), "maps": k, "occurrences": len(table), "senses": measured}
    return (_with_data(data, language, result, lines) if data else result), "\n".join(lines)


def _spell(model: Model, language: Language, sentences: list[Sentence]) -> None:
    """The commonest words of the model's list, those of our sentences, and of what a newcomer trains on, spelled once for every reader."""
    from core.classify.tasks import TASKS, open_data, task_files
    from core.elmo.language_model import SPECIALS
    from core.elmo.ready_words import save_spelled
    from core.elmo.weights import load_softmax

    softmax = load_softmax(model.folder)
    common = [word for word in (softmax[1].words if softmax else ()) if word not in SPECIALS][:SPELLED]
    texts = [sentence.tokens for sentence in sentences]
    if language.code == i18n.ENGLISH:
        headlines = TASKS["headlines"]
        texts += open_data(headlines, **task_files(headlines)).texts
    words = [SENTENCE_BEGIN, SENTENCE_END, *common, *(token for text in texts for token in text)]
    note(f"{len(set(words)):,} words spelled, in {save_spelled(model.folder, model.encoder, words, model.fingerprint)}")


def _with_data(data: str, language: Language, result: dict, lines: list[str]) -> dict:
    jobs = {"card": lambda: evaluate_card(data=data, model=language.model)}
    if language.code == i18n.ENGLISH:  # the classifiers' data sets are English
        jobs["heads"] = lambda: train_heads(data=data, model=language.model, vectors=language.vectors)
    for name, run in jobs.items():
        result[name], text = run()
        lines.append(text)
    return result


def _senses(table, space: str) -> dict:
    """Leave-one-out 1-NN of every labelled word, macro, with its 95 % interval and its shuffled null."""
    from core.analysis.word_maps import ALL_WORDS
    from core.elmo.mix import layer_weights
    from core.senses.reports import sense_report_of

    report = sense_report_of(table, ALL_WORDS, layer_weights(space, table.meta["layers"]))
    facts = {"one_nn": report.one_nn, "low": report.one_nn_low, "high": report.one_nn_high, "null": report.null_mean}
    return {name: round(value, 4) for name, value in (facts | {"silhouette": report.silhouette, "n": report.n}).items()}


@command(
    "texts",
    "Bring the interface's translations up to date with the code, and compile them.",
    argument(
        "files",
        "named by their language, made where they are not there (default: assets/texts/*.po)",
        many=True,
        required=False,
        metavar="XX.po",
    ),
)
def texts(*, files) -> Answer:
    """Each catalogue with the texts of the code, no more and no fewer, and the .mo that pages read beside it; what is left to translate."""
    from core.common import translations

    said = translations.in_code(config.ROOT)
    result = {}
    lines = []
    files = [Path(file) for file in files or sorted(i18n.FOLDER.glob("*.po"))]
    if wrong := next((file for file in files if not re.fullmatch(r"[A-Za-z]{2,3}(_\w{2,8})*\.po", file.name)), None):
        raise BadInput(f"{wrong} is no name of a catalogue: it is a language's code and .po, such as ko.po.")
    for path in files:
        catalogue = translations.read(path)
        new, unused = translations.renew(catalogue, said)
        empty = [message.id for message in catalogue if message.id and (message.fuzzy or not any(message.string))]
        for file, made in ((path, translations.written(catalogue)), (path.with_suffix(".mo"), translations.compiled(catalogue))):
            if not file.is_file() or file.read_bytes() != made:
                with replacing(file) as temporary:
                    temporary.write_bytes(made)
            checksums.renew(file)  # a .po that was written by hand has another, too
        result[str(path)] = {"texts": len(catalogue), "new": new, "empty": empty, "unused": unused}
        lines += [f"{path}: {len(catalogue):,} texts, {len(new)} new, {len(unused)} no longer said, {len(empty)} to translate"]
        lines += [f"  {said.get(text, path.name)}: {text if isinstance(text, str) else text[0]}" for text in empty]
    return result, "\n".join(lines)


@command(
    "convert",
    "Write a model in AllenNLP's format (options.json, weights.hdf5).",
    option("--output", "the new model's folder", metavar="DIR", required=True),
    *MODEL,
)
def convert(*, output, **model) -> Answer:
    from core.elmo.weights import save_hdf5

    model = shared.open_model(**model)
    folder = Path(output)
    others = {p.name for kind in ("hdf5", "safetensors") for p in folder.glob(f"*.{kind}")} - {"weights.hdf5"}
    if others:
        raise BadInput(f"{folder} holds other weights ({', '.join(sorted(others))}), and a model folder only one. Name a new folder.")
    if there := next((name for name in ("weights.hdf5", "options.json") if (folder / name).exists()), None):
        raise BadInput(f"{folder} holds {there} already, which would be lost. Name a new folder.")
    save_hdf5(model.encoder.model, folder)
    return {"model": model.name, "output": output}, f"{model.name} in AllenNLP's format: {output}/options.json, weights.hdf5"
