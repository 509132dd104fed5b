"""List the bundled and published models, vectors and sentences, with their sources and licenses."""

from dataclasses import dataclass, replace

from ..common.i18n import say, t


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
    files = RemoteFile("options.json", base + "options.json"), RemoteFile("weights.hdf5", base + "weights.hdf5", *checks)
    license = "None stated. AllenNLP: 'We don't impose any restrictions on our models' (allenai/allennlp, issue 1462)"
    note = f"Trained on {corpus}. {CHECKED if checks else UNCHECKED}."
    return CatalogEntry(name, "model", f"{name}, {title}", files, size_mb, "download", license, note)


def _bundled(name: str, kind: str, title: str, license: str, *files: str) -> CatalogEntry:
    return CatalogEntry(name, kind, f"{name}, {title}", tuple(map(RemoteFile, files)), 0.0, "bundled", license)


def _gensim(name: str, size_mb: float, md5: str) -> CatalogEntry:
    """Return the entry of vectors from gensim-data, with the MD5 of its list.json. gensim.downloader downloads the same file."""
    url = f"https://github.com/RaRe-Technologies/gensim-data/releases/download/{name}/{name}.gz"
    license = "PDDL 1.0 (Stanford GloVe)" if name.startswith("glove") else "Not stated by its publisher"
    file = RemoteFile(f"{name}.gz", url, md5=md5)
    return CatalogEntry(name, "vectors", f"{name}, from gensim-data", (file,), size_mb, "download", license, MD5_CHECKED)


OURS = "Elmoscope's own, trained on Wikipedia (CC BY-SA 3.0), Project Gutenberg (public domain in the US), Wikinews (CC BY 2.5)"
CHECKED = "The weights must have the size and sha256 that a public repository records for them; AllenNLP publishes none"
UNCHECKED = "No sha256 is published: that of the first download is recorded on this machine, and must not change"
MD5_CHECKED = "Its MD5 must match gensim-data’s."
BILLION, WIKI_NEWS = "the 1 Billion Word Benchmark", "5.5 billion tokens of Wikipedia and WMT news"
SMALL = 54_402_456, "747ba97abce8a5f446558369e10bb0f7931437a46867476fdd156f5d7f576229"  # as in why2011btv/tf_1.2.0_event
ORIGINAL = 374_434_792, "a6b92b9ccbb13fe489faacd2221c795d4bebe84b75f8aded9d85ea464fa5c994"  # tamu-nlp/Dialogue-Act-Classification
MODEL_FILES = "options.json", "weights.safetensors", "vocabulary.txt", "meta.json"
OURS_KO = "Elmoscope's own, trained on Korean Wikipedia (CC BY-SA 3.0) and NSMC film reviews (CC0)"
CATALOG = (
    _bundled("elmo-mini", "model", "trained here, 18.0 M parameters", OURS, *MODEL_FILES),
    _bundled("elmo-ko-mini", "model", "Korean, trained here", OURS_KO, *MODEL_FILES),
    _allennlp("allennlp-small", "2x1024_128_2048cnn_1xhighway", "13.6 M parameters", 54.4, BILLION, *SMALL),
    _allennlp("allennlp-medium", "2x2048_256_2048cnn_1xhighway", "28.0 M parameters", 112.1, BILLION),
    _allennlp("allennlp-original", "2x4096_512_2048cnn_2xhighway", "93.6 M parameters", 374.4, BILLION, *ORIGINAL),
    _allennlp("allennlp-original-5.5B", "2x4096_512_2048cnn_2xhighway_5.5B", "93.6 M parameters", 374.4, WIKI_NEWS),
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


def in_words(entry: CatalogEntry) -> CatalogEntry:
    """Translate an entry into the language of the interface."""
    sentences = {
        f"Trained on {BILLION}.": t("Trained on 1 Billion Word Benchmark."),
        f"Trained on {WIKI_NEWS}.": t("Trained on Wikipedia and WMT news (5.5 billion tokens)."),
        f"{CHECKED}.": t("Checked against a public repository’s size and sha256."),
        f"{UNCHECKED}.": t("The first download’s sha256 must not change."),
        MD5_CHECKED: t("Its MD5 must match gensim-data’s."),
    }
    title = say(entry.title.removeprefix(f"{entry.name}, "))
    note = entry.note
    for english, text in sentences.items():
        note = note.replace(english, text)
    return replace(entry, title=f"{entry.name}, {title}", note=note)
