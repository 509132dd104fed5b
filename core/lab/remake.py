"""Make the parts of assets/ that depend on a model's weights (`bundle`), and the translations of the interface (`texts`).

Each file names the fingerprint of its model, or is next to a meta.json that does. A part is stale if one of its files is missing or names
another fingerprint.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..analysis.word_maps import ALL_WORDS, fit_maps
from ..classify.tasks import TASKS, open_data, task_files
from ..cli.options import OVERWRITE, Answer, argument, command, flag, option
from ..cli.shared import in_columns, note, progress
from ..common import config, i18n
from ..common.errors import BadInput
from ..common.markup import shorten
from ..elmo.encoder import save_spelled
from ..elmo.language_model import SPECIALS
from ..elmo.mix import layer_weights
from ..elmo.models import Model, model_fingerprint, open_model
from ..elmo.weights import load_softmax
from ..files import sums as checksums
from ..files.artifacts import read_json, replacing, safe_name, write_json
from ..index.build import build_index, compact, is_index, own_files
from ..index.sense_space import KEPT, open_space
from ..senses.calibration import FILE as VERDICT
from ..senses.evaluate import static_vectors
from ..senses.separation import GAINS, sense_report_of, word_ranking, write_gains
from ..text import languages
from ..text.corpora import open_corpus
from ..text.languages import Language
from ..text.sentences import Sentence
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END
from .sense_scores import interval

LISTED = 20  # untranslated texts that `texts` prints of each catalog
SPELLED = 10_000  # words of a model's list whose char-CNN vectors ship with it
OTHER_FILES = rf"maps(/[\w -]*(~[0-9a-f]{{12}})?\.safetensors)?|(senses|gains)\.json|{re.escape(VERDICT)}|{re.escape(KEPT)}"  # the table


@dataclass(frozen=True, slots=True)
class BundlePart:
    """A part of assets/. Parts are rebuilt in order, since a later one may read an earlier one."""

    name: str
    model: str  # its folder in assets/
    files: tuple[str, ...]  # patterns beneath assets/
    command: str  # after `python -m`; {data} is the folder of data sets


def all_parts() -> list[BundlePart]:
    """Return the parts of every bundled language's model, in order."""
    return [part for code in languages.codes() for part in _parts_of(languages.get_language(code)) if (config.ASSETS / part.model).is_dir()]


def _parts_of(language: Language) -> Iterator[BundlePart]:
    model = language.model
    code = language.code
    is_english = code == i18n.ENGLISH
    suffix = "" if is_english else f"-{code}"

    def part(name: str, files: Sequence[str], command: str) -> BundlePart:
        return BundlePart(name + suffix, model, tuple(files), command)

    table = [f"{language.targets}/{name}" for name in ("meta.json", "maps/*.safetensors", "senses.json", "gains.json", "substitutes.npy")]
    yield part("table", [f"{model}/spelled.npz", *table], f"core.lab bundle --language {code}")
    yield part("space", [f"{model}/sense_space.npz"], f"core.lab sense-space --language {code} --write")
    yield part("verdicts", [f"{language.targets}/{VERDICT}"], f"core.lab verdicts --language {code} --write")
    yield part("lessons", [f"{model}/lessons.json"], f"core.lab lessons --model {model}")
    card = f"core.lab card --data {{data}} --model {model}"
    yield part("measures", [f"{model}/measures.json"], card + (" --limit-text 3000" if is_english else ""))
    if not is_english:  # the data sets of all else are English
        return
    both = f"--models {model} --models {{data}}/all-MiniLM-L6-v2"
    layers = "results/layers.json"
    yield part("layers", [layers], f"core.lab layers {both} --data {{data}} --output assets/{layers}")
    for task in TASKS:
        yield part(f"heads-{task}", [f"heads/{task}/*/meta.json"], f"core.lab train-heads --data {{data}} --tasks {task}")
    yield part("experiments", ["results/classification.jsonl"], "core.lab experiments --data {data}")
    yield part("tasks", ["tasks/results.json", "tasks/*/elmo/meta.json"], "core.lab tasks --data {data}/tasks")


def stale_parts(parts: Sequence[BundlePart]) -> dict[str, list[str]]:
    """Return for each stale part its files, or patterns without a file, that do not belong to the current weights."""
    current = {model: model_fingerprint(config.ASSETS / model) for model in {part.model for part in parts}}
    stale = {part.name: _stale_files(part, current[part.model]) for part in parts}
    return {name: files for name, files in stale.items() if files}


def _stale_files(part: BundlePart, fingerprint: str) -> list[str]:
    stale = []
    for pattern in part.files:
        files = sorted(config.ASSETS.glob(pattern))
        stale += [file.relative_to(config.ASSETS).as_posix() for file in files if find_models(file, part.model) - {fingerprint}]
        if not files:
            stale.append(pattern)
    return stale


def find_models(file: Path, model: str) -> set[str]:
    """Return the fingerprints of models that a file, or else the meta.json of its table, names; of several models that of `model`."""
    if file.suffix == ".npz":
        with np.load(io.BytesIO(file.read_bytes())) as arrays:
            value = arrays["model"]
        return {value.tobytes().decode() if value.dtype == np.uint8 else str(value)}
    marks = set()
    if file.suffix in (".json", ".jsonl"):
        pattern = rf'"(?:fingerprint|model|{re.escape(model)})": "([0-9a-f]{{16}}[^"]*)"'
        marks = set(re.findall(pattern, file.read_text(encoding="utf-8")))
    if not marks and (table := next((folder for folder in file.parents[:2] if (folder / "occurrences.arrow").is_file()), None)):
        return {read_json(table / "meta.json", expect=dict)["model"]}
    return marks


def remake(parts: Sequence[BundlePart], data: str | None) -> dict[str, float]:
    """Rebuild stale parts in order and return the seconds of each. A run that was interrupted continues with the first part still stale."""
    seconds: dict[str, float] = {}
    if data is None and (without := [part.name for part in parts if "{data}" in part.command]):
        raise BadInput(f"These parts need data sets: {', '.join(without)}. Name their folder with --data, or other parts with --only.")
    checksums.make()  # otherwise new weights would count as a damaged file
    for k, part in enumerate(parts, 1):
        note(f"{part.name}: part {k} of {len(parts)}")
        started = time.perf_counter()
        words = [word.format(data=Path(data or "").resolve()) for word in part.command.split()]
        if subprocess.run([sys.executable, "-m", *words], cwd=config.ROOT).returncode:
            raise BadInput(f"{part.name} was not made: python -m {' '.join(words)} failed. Run the same command again to continue.")
        seconds[part.name] = round(time.perf_counter() - started, 1)
        if still := stale_parts([part]):
            raise BadInput(
                f"{part.name} still belongs to other weights: {', '.join(still[part.name][:4])}. Remake it with --only {part.name}."
            )
    checksums.make()
    return seconds


def make_table(language: Language, folder: Path) -> dict:
    """Write a language's table of labeled sentences and its maps into `folder`. Return counts and how well spaces separate senses."""
    model = open_model(language.model)
    sentences = open_corpus(language.sentences, language)
    more = open_corpus(language.reference, language) if language.reference else []
    _spell(model, language, sentences)
    how = {"model": model.fingerprint, "targets_only": True, "report": progress("tokens"), "other_files": OTHER_FILES, "more": more}
    build_index(sentences, model.encoder, folder, **how)
    table = compact(folder)
    (folder / "maps").mkdir()
    names = [*table.basic.lemmas, ALL_WORDS]
    for k, word in enumerate(names, 1):
        fit_maps(table, word).save(folder / "maps" / f"{safe_name(word)}.safetensors")
        note(f"map {k} of {len(names)}: {word}")
    senses = {}
    # leave-one-out 1-NN over all labeled words (macro), its 95% interval, and the mean with shuffled senses
    for name in model.layers.spaces:
        report = sense_report_of(table, ALL_WORDS, layer_weights(name, table.meta["layers"]))
        scores = interval(report) | {"silhouette": report.silhouette, "n": report.n}
        senses[name] = {score: round(value, 4) for score, value in scores.items()}
    write_json(folder / "senses.json", senses)
    if space := open_space(model, static_vectors(model)):
        space.keep(table)
    write_gains(folder / GAINS, word_ranking(table))
    return {"output": str(folder), "maps": len(names), "occurrences": len(table), "senses": senses}


def _spell(model: Model, language: Language, sentences: list[Sentence]) -> None:
    """Store the char-CNN vectors of the most frequent words of the model's list and of all bundled texts."""
    softmax = load_softmax(model.folder)
    common = [word for word in (softmax[1].words if softmax else ()) if word not in SPECIALS][:SPELLED]
    texts = [sentence.tokens for sentence in sentences]
    if language.code == i18n.ENGLISH:
        texts += open_data(TASKS["headlines"], **task_files(TASKS["headlines"])).texts
    words = [SENTENCE_BEGIN, SENTENCE_END, *common, *(token for text in texts for token in text)]
    note(f"{len(set(words)):,} words spelled, in {save_spelled(model.folder, model.encoder, words, model.fingerprint)}")


@command(
    "bundle",
    argument("what", "every stale part, in order; resumes where it stopped", required=False, metavar="all", choices=("all",)),
    option("--data", "of `all`: the data sets, laid out as ELMOSCOPE_DATA", metavar="FOLDER"),
    option("--language", "whose model, a code of core.text.languages (default en)", metavar="L", default="en"),
    option("--output", "default: assets/targets, or as the language's description says", metavar="DIR"),
    option("--only", "only these parts of `all`, as --list names them", metavar="PART", many=True),
    flag("--list", "only list what `all` would rebuild"),
    flag("--sums", "only write the sha256 of each file in assets to assets/SHA256"),
)
def bundle(*, data, language, output, sums, only, list, outputs, what=None) -> Answer:
    """Rebuild what ships with a bundled model: its table and maps; `bundle all` rebuilds every stale part."""
    if sums:
        return _list_sums({}, [])
    if what:
        return _bundle_all(data, only, list)
    if data or only or list:
        raise BadInput("--data, --only and --list belong to: python -m core.lab bundle all")
    language = languages.get_language(language)
    folder = Path(output or config.ASSETS / language.targets)
    outputs.check_folder(folder, own_files(OTHER_FILES), marked=is_index)
    checksums.drop()  # first, so that files being replaced are not reported as damaged
    result = make_table(language, folder)
    lines = ["{occurrences:,} labeled tokens and {maps} maps in {output}".format(**result)]
    for name, m in result["senses"].items():
        lines.append(f"{name}: 1-NN {m['one_nn']:.1%} ({m['low']:.1%} to {m['high']:.1%}), shuffled {m['null']:.1%}")
    return _list_sums(result, lines)


def _bundle_all(data: str | None, only: Sequence[str], only_list: bool) -> Answer:
    parts = {part.name: part for part in all_parts()}
    if wrong := next((name for name in only if name not in parts), None):
        raise BadInput(f"There is no part '{shorten(wrong)}'. Parts are: {', '.join(parts)}.")
    chosen = [part for name, part in parts.items() if name in only or not only]
    stale = stale_parts(chosen)
    waiting = [part for part in chosen if part.name in stale]
    answer = {"parts": [{**asdict(part), "stale": stale.get(part.name, [])} for part in chosen], "stale": [*stale]}
    if not only_list:
        answer["seconds"] = remake(waiting, data)
    cells = ((part.name, ", ".join(stale.get(part.name, ["up to date"])[:3])) for part in chosen)
    end = f"{len(stale)} of {len(chosen)} parts stale" if only_list else f"{len(stale)} parts remade"
    return answer, [*in_columns(cells), end]


def _list_sums(result: dict, lines: list[str]) -> Answer:
    """Write the list of all files in assets and their sums."""
    path = checksums.make()
    n = len(path.read_text(encoding="utf-8").splitlines())
    return result | {"sums": str(path), "files": n}, [*lines, f"{n} files named with their sha256 in {path}"]


@command(
    "texts",
    argument("files", "named by language, new ones are made (default: assets/texts/*.po)", many=True, required=False, metavar="XX.po"),
    OVERWRITE,
)
def texts(*, files, outputs) -> Answer:
    """Bring the interface's translations up to date with the code, and compile them."""
    from ..common import catalogs

    files = [Path(file) for file in files or sorted(i18n.FOLDER.glob("[!.]*.po"))]
    if wrong := next((file for file in files if not re.fullmatch(r"[A-Za-z]{2,3}(_\w{2,8})*\.po", file.name)), None):
        raise BadInput(f"{wrong} is not a catalog's name. Name it by the language's code, such as ko.po.")
    for path in files:
        outputs.check_file(path.with_suffix(".mo"))
    places = catalogs.in_code(config.ROOT)
    result = {}
    lines = []
    for path in files:
        catalog = catalogs.read(path)
        new, unused = catalogs.renew(catalog, places)
        empty = [message.id for message in catalog if message.id and (message.fuzzy or not any(message.string))]
        for file, data in ((path, catalogs.po_bytes(catalog)), (path.with_suffix(".mo"), catalogs.compiled(catalog))):
            if not file.is_file() or file.read_bytes() != data:
                with replacing(file) as temporary:
                    temporary.write_bytes(data)
            checksums.renew(file)  # also of an edited .po, which is not written here
        result[str(path)] = {"texts": len(catalog), "new": new, "empty": empty, "unused": unused}
        lines.append(f"{path}: {len(catalog):,} texts, {len(new)} new, {len(unused)} removed, {len(empty)} to translate")
        lines += [f"  {places.get(text, path.name)}: {text if isinstance(text, str) else text[0]}" for text in empty[:LISTED]]
        if len(empty) > LISTED:
            lines.append(f"  and {len(empty) - LISTED:,} more, empty in {path}")
    return result, lines
