"""Commands that make small parts of assets or rebuild all of them: `bundle`, `texts`, `sense-space`, `verdicts`, `tag-sentences`, `quiz`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..cli.options import OVERWRITE, Answer, argument, command, flag, option, whole
from ..cli.shared import in_columns, note, progress
from ..common import config, i18n
from ..common.errors import BadInput
from ..common.markup import shorten
from ..files import sums as checksums
from ..files.atomic import replacing
from ..text import languages
from .card import evaluate_card
from .sentences import tag_bundled
from .variants import train_heads

LISTED = 20  # untranslated texts that `texts` prints of each catalog


@command(
    "bundle",
    argument("what", "every stale part, in order; resumes where it stopped", required=False, metavar="all", choices=("all",)),
    option("--data", "the data sets, laid out as ELMOSCOPE_DATA: measures and heads are made too", metavar="FOLDER"),
    option("--language", "whose model, a code of core.text.languages (default en)", metavar="L", default="en"),
    option("--output", "default: assets/targets, or as the language's description says", metavar="DIR"),
    option("--only", "only these parts of `all`, as --list names them", metavar="PART", many=True),
    flag("--list", "only list what `all` would rebuild, with minutes per part on two cores"),
    flag("--sums", "only write the sha256 of each file in assets to assets/SHA256"),
)
def bundle(*, data, language, output, sums, only, list, outputs, what=None) -> Answer:
    """Rebuild what ships with a bundled model: its table and maps; `bundle all` rebuilds every stale part."""
    if sums:
        return _list_sums({}, [])
    if what:
        return _remake(data, only, list)
    if only or list:
        raise BadInput("--only and --list belong to: python -m core.lab bundle all")
    from ..index.build import is_index, own_files
    from . import remake

    language = languages.get_language(language)
    folder = Path(output or config.ASSETS / language.targets)
    outputs.check_folder(folder, own_files(remake.BESIDE), marked=is_index)
    checksums.drop()  # first, so that files being replaced are not reported as damaged
    result = remake.make_table(language, folder, note, progress("tokens"))
    lines = ["{occurrences:,} labeled tokens and {maps} maps in {output}".format(**result)]
    for name, m in result["senses"].items():
        lines.append(f"{name}: 1-NN {m['one_nn']:.1%} ({m['low']:.1%} to {m['high']:.1%}), shuffled {m['null']:.1%}")
    if data:
        result["card"], text = evaluate_card(data=data, model=language.model)
        lines.append(text)
    if data and language.code == i18n.ENGLISH:  # the classifiers' data sets are English
        result["heads"], text = train_heads(data=data, model=language.model, vectors=language.vectors)
        lines.append(text)
    return _list_sums(result, lines)


def _remake(data: str | None, only: Sequence[str], only_list: bool) -> Answer:
    """Rebuild every stale part, or only list the stale parts."""
    from . import remake

    parts = {part.name: part for part in remake.all_parts()}
    if wrong := next((name for name in only if name not in parts), None):
        raise BadInput(f"There is no part '{shorten(wrong)}'. Parts are: {', '.join(parts)}.")
    chosen = [part for name, part in parts.items() if name in only or not only]
    stale = remake.stale_parts(chosen)
    waiting = [part for part in chosen if part.name in stale]
    answer = {"parts": [{**asdict(part), "stale": stale.get(part.name, [])} for part in chosen], "stale": [*stale]}
    if not only_list:
        answer["seconds"] = remake.remake(waiting, data, note)
    cells = ((part.name, remake.in_words(part.minutes), ", ".join(stale.get(part.name, ["as its model is"])[:3])) for part in chosen)
    end = f"{len(stale)} of {len(chosen)} parts stale; {remake.left(waiting)}" if only_list else f"{len(stale)} parts made again"
    return answer, [*in_columns(cells, right=(1,)), end]


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
        raise BadInput(f"{wrong} is not the name of a catalog: it is a language's code and .po, such as ko.po.")
    for path in files:
        outputs.check_file(path.with_suffix(".mo"))
    places, result, lines = catalogs.in_code(config.ROOT), {}, []
    for path in files:
        catalog = catalogs.read(path)
        new, unused = catalogs.renew(catalog, places)
        empty = [message.id for message in catalog if message.id and (message.fuzzy or not any(message.string))]
        for file, data in ((path, catalogs.po_bytes(catalog)), (path.with_suffix(".mo"), catalogs.compiled(catalog))):
            if not file.is_file() or file.read_bytes() != data:
                with replacing(file) as temporary:
                    temporary.write_bytes(data)
            checksums.renew(file)  # a .po that was written by hand has another, too
        result[str(path)] = {"texts": len(catalog), "new": new, "empty": empty, "unused": unused}
        lines += [f"{path}: {len(catalog):,} texts, {len(new)} new, {len(unused)} no longer said, {len(empty)} to translate"]
        lines += [f"  {places.get(text, path.name)}: {text if isinstance(text, str) else text[0]}" for text in empty[:LISTED]]
        lines += [f"  and {len(empty) - LISTED:,} more, empty in {path}"] if len(empty) > LISTED else []
    return result, lines


LANGUAGE = option("--language", "a code of core.text.languages (default en)", metavar="L", default="en")
WRITE = flag("--write", "store the result in assets; then: python -m core.lab bundle --sums")


@command(
    "sense-space",
    LANGUAGE,
    option("--data", "a folder with senseval/: also measure on Senseval-2's four words", metavar="FOLDER"),
    flag("--nulls", "measure instead what has less information"),
    WRITE,
)
def sense_space(*, language, data, nulls, write) -> Answer:
    """Learn the map of the sense space, and measure it on words it has not seen."""
    from . import sense_space_map

    return sense_space_map.measure(language, data, nulls=nulls, write=write)


@command("verdicts", LANGUAGE, flag("--named", "measure instead the senses that are named"), WRITE)
def verdicts(*, language, named, write) -> Answer:
    """Learn the coefficients of verdicts, and measure how often verdicts are right."""
    from . import verdicts

    return verdicts.measure(language, named_only=named, write=write)


@command(
    "tag-sentences",
    argument("train", "CoNLL-2000's training sentences", metavar="A"),
    argument("test", "and its test sentences", metavar="B"),
)
def tag_sentences(*, train, test) -> Answer:
    """Tag the bundled English sentences by a tagger that knows spellings alone: assets/tags-en.json."""
    return tag_bundled(train, test)


@command(
    "quiz",
    LANGUAGE,
    option("--number", "of the quiz (default 0)", metavar="N", type=whole(0), default=0),
    flag("--write", "write assets/quiz-LANGUAGE.json instead; then: python -m core.lab bundle --sums"),
)
def quiz(*, language, number, write) -> Answer:
    """Measure how often the model of Guess the machine is right; with --write find the sentences that it misreads."""
    from . import sense_space_map

    return sense_space_map.write_misread(language) if write else sense_space_map.measure_quiz(language, number)
