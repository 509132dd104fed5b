"""Give generated input to every reader and to the code behind every text box: only errors meant for people may come out.

usage: python -m tests.bench.fuzz [--inputs 100000] [--only NAME ...] [--seed N]

Control characters, writing directions, lines of 1 MB, deep JSON, wrong encodings, archives that unpack to far too much, formulas, HTML and
Markdown; and valid files with bytes changed, cut, doubled or left out. tests/core/files/test_fuzz.py runs 30 of each.
"""

import functools
import gzip
import hashlib
import io
import json
import lzma
import os
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unittest import mock
from xml.sax.saxutils import escape

import numpy as np
import torch
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from core.analysis.aligned_umap import FrozenMaps, ProjectionConfig
from core.classify.data import SplitConfig, make_dataset
from core.classify.experiments import read_results
from core.classify.head import load_head
from core.classify.tables import read_columns, read_table
from core.classify.tasks import task_named, text_tokens
from core.common import i18n, reports
from core.common.config import ASSETS, ModelShape
from core.common.errors import ElmoscopeError
from core.corpus import concordance, search, usage_graphs
from core.corpus.encoded import encode
from core.elmo.language_model import Softmax
from core.elmo.mix import layer_weights
from core.elmo.model import BiLM
from core.elmo.weights import load_bilm, load_softmax, save_hdf5, save_safetensors
from core.files import registry
from core.files.artifacts import read_json
from core.index.tables import index_plan
from core.lab.datasets import read_semcor, read_tags
from core.senses.senseval import read_senseval
from core.static.vectors import load_vectors, open_vectors
from core.text import own_corpus
from core.text.corpora import open_corpus
from core.text.normalization import STRAIGHT, legible
from core.text.sentence_ends import split_sentences
from core.text.sentences import read_labeled, read_sentences, sentences_from_text
from core.text.tokens import JOINER, character_ids, join_tokens, tokenize
from tests.bench.measure import Attempts, attack, options
from tests.tiny import epub, pdf, word_document, workbook, zipped

TENSORS, HDF5 = "weights.safetensors", "weights.hdf5"
HEAD = ASSETS / "heads" / "spam" / "mean-glove"
SLOWEST_S = 10.0  # of the processor an input may take: 1 MB of text takes about 2
CAPS = {"ELMOSCOPE_MAX_FILE_MB": "4", "ELMOSCOPE_MAX_UNPACKED_MB": "4", "ELMOSCOPE_MAX_TABLE_MB": "4", "ELMOSCOPE_MAX_PASTED": "200000"}
FRAGMENTS = (
    *("The river bank was steep. ", "bank", "\x00", "\x01\x02\x1b[31m", "\r", "\n", "\r\n", "\t", ",", ";", '"', "'", "\\", "\x85"),
    *("\u2028", "\u202e", "\u2066\u2069", "\u200b\u200d\ufeff", "e\u0301", "눈이 온다. ", "ا ب ت", "🎉", "👩‍👩‍👧", "\ud800", "\udfff", "ﬁ"),
    *("İ", "ß", "=1+1", "=cmd|'/c calc'!A1", "+1", "-1", "@SUM(A1)", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    *("</div>", "&lt;", "&#0;", "&#x110000;", "[a](javascript:alert(1))", "![x](http://x.test/y)", "$\\frac{1}{0}$", ":red[x]"),
    *(":material/home:", "{word}", "{0.__class__}", "%s", "../../etc/passwd", "NaN", "1e999", "-0", "9" * 40, "null", "true", "a.b.c"),
    *("U.S.", "don't", "...", "(" * 50, "a" * 300, " " * 60, "x y " * 60, '<lexelt item="bank-n">', '<instance id="1">'),
    *('<answer senseid="a"/>', "<context>", "<wf>", "<head>", "</context>", "# doc 1\n", "bank\tNN\tbank\tbank%1:17:01::\n"),
    *("a_b\tNN\ta\tx%9:9:9::\n", "B-NP ", "-DOCSTART- ", "(3 (2 A) (4 success))\n"),
)
HUGE = ("x" * 1_000_100, "ab " * 350_000, "[" * 200_000, '{"a":' * 100_000)
HUGE += ("\u0301" * 400_000, "'" * 600_000, "." * 600_000, "a." * 400_000)
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp949", "cp1252")


def rarely(one_in: int, what: st.SearchStrategy, otherwise: st.SearchStrategy) -> st.SearchStrategy:
    """Draw the slow inputs rarely."""
    return st.sampled_from([False] * (one_in - 1) + [True]).flatmap(lambda yes: what if yes else otherwise)


def nasty(most: int = 12) -> st.SearchStrategy[str]:
    """Text of fragments that readers trip over, rarely a megabyte of it."""
    parts = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=most).map("".join)
    return rarely(150, st.sampled_from(HUGE), parts)


def encoded(texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    names = st.sampled_from(ENCODINGS)
    return st.builds(lambda text, name: text.encode(name, "surrogatepass" if "utf" in name else "replace"), texts, names)


def json_values() -> st.SearchStrategy:
    names = st.sampled_from(("tokens", "text", "word", "position", "label", "sense", "lemma", "document")) | nasty(2)
    leaves = st.one_of(st.none(), st.booleans(), st.integers(-3, 6), st.integers(), st.floats(), nasty(3), st.just(["the", "bank"]))
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=6), max_leaves=12)


def json_bytes() -> st.SearchStrategy[bytes]:
    return st.lists(json_values(), max_size=4).map(lambda values: json.dumps(values).encode())


def changed(sample: bytes) -> st.SearchStrategy[bytes]:
    """A valid file with a few bytes changed, inserted, left out, doubled, or cut off."""
    changes: tuple[Callable[[bytes, bytes, bytes], bytes], ...] = (
        lambda part, junk, rest: (bytes([part[0] ^ (junk[0] or 1)]) + part[1:] if part else b"") + rest,
        lambda part, junk, rest: junk + part + rest,
        lambda part, junk, rest: rest,
        lambda part, junk, rest: part + part + rest,
        lambda part, junk, rest: bytes(len(junk)) + rest,
        lambda part, junk, rest: b"",
    )

    def apply(drawn: list) -> bytes:
        data = sample
        for change, where, byte, length in drawn:
            at = int(where * max(0, len(data) - 1))
            data = data[:at] + change(data[at : at + length], bytes([byte]) * length, data[at + length :])
        return data

    change = st.tuples(st.sampled_from(changes), st.floats(0, 1), st.integers(0, 255), st.integers(1, 40))
    return st.lists(change, min_size=1, max_size=4).map(apply)


def packed(data: st.SearchStrategy[bytes]) -> st.SearchStrategy[tuple[str, bytes]]:
    """(suffix, bytes): as they are, or packed by gzip or xz, complete or cut."""
    ways = {".gz": lambda raw: gzip.compress(raw, 1), ".xz": lambda raw: lzma.compress(raw, preset=0)}

    def pack(raw: bytes, how: str, cut: bool) -> tuple[str, bytes]:
        made = ways[how](raw)
        return how, made[: len(made) // 2] if cut else made

    return plain(data) | st.builds(pack, data, st.sampled_from([*ways]), st.booleans())


@functools.cache
def bombs() -> tuple[tuple[str, bytes], ...]:
    """Files of a few kilobytes that unpack to 16 MB, four times what is read here."""
    plain = (b"word " * 180 + b"\n") * (16_000_000 // 901)
    return (".gz", gzip.compress(plain, 1)), (".xz", lzma.compress(plain, preset=0)), (".gz", gzip.compress(bytes(16_000_000), 1))


def files(*parts: st.SearchStrategy[bytes]) -> st.SearchStrategy[tuple[str, bytes]]:
    return rarely(300, st.sampled_from(range(3)).map(lambda k: bombs()[k]), packed(st.one_of(*parts, st.binary(max_size=60))))


def docx_files() -> st.SearchStrategy[bytes]:
    """Word documents: another body, changed bytes, entities that multiply, members that unpack to far too much."""
    paragraph, more = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>", st.sampled_from([{}, {"../../evil.txt": "x"}])
    valid = word_document(paragraph.format("The river bank was steep.") + f"<w:tbl><w:tr><w:tc>{paragraph}</w:tc></w:tr></w:tbl>")
    with zipfile.ZipFile(io.BytesIO(valid)) as archive:
        xml = changed(archive.read("word/document.xml")).map(lambda data: zipped({"word/document.xml": data}))
    entities = "".join(f'<!ENTITY {name} "{f"&{inner};" * 10}">' for inner, name in pairwise("abcdefghij"))
    declared = [f"<!DOCTYPE w [<!ENTITY a {value}>{entities}]>" for value in ('"aaaaaaaaaa"', 'SYSTEM "file:///etc/passwd"')]
    heavy = [word_document(paragraph.format("&j;"), each) for each in declared] + [word_document(" " * 9_000_000 + "<w:p>" * 50_000)]
    texts = nasty().map(lambda text: text.encode("utf-8", "replace").decode())
    said = st.builds(lambda text, write: paragraph.format(write(text)), texts, st.sampled_from([str, escape]))
    return st.one_of(
        rarely(20, st.sampled_from(heavy), st.builds(lambda body, more: word_document(body, **more), said, more)), xml, changed(valid)
    )


@functools.cache
def vector_samples() -> tuple[bytes, ...]:
    rows = [(f"word{k}", np.linspace(-1, 1, 5, dtype="<f4") + k) for k in range(6)]
    glove = "".join(f"{word} {' '.join(f'{x:.3f}' for x in row)}\n" for word, row in rows).encode()
    binary = b"6 5\n" + b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in rows)
    return glove, b"6 5\n" + glove, binary


def vector_bytes() -> st.SearchStrategy[bytes]:
    number = st.integers(-1, 10**19)
    headers = st.builds(lambda rows, columns, text: f"{rows} {columns}\n{text}".encode("utf-8", "replace"), number, number, nasty(6))
    return st.one_of(*map(changed, vector_samples()), headers, encoded(nasty()), st.just(b"\x80\x04\x95pickle"))


def plain(data: st.SearchStrategy[bytes]) -> st.SearchStrategy[tuple[str, bytes]]:
    """Files that are not packed."""
    return data.map(lambda raw: ("", raw))


def zipped_vectors() -> st.SearchStrategy[bytes]:
    names = st.lists(st.sampled_from(["a.txt", "../b.txt", "/c.txt", "d/"]), max_size=2)
    made = st.builds(lambda data, names: zipped(dict.fromkeys(names, data)), vector_bytes(), names)
    return st.one_of(made, made, changed(zipped({"a.txt": vector_samples()[0]})))


@functools.cache
def model_files(weights: str) -> dict[str, bytes]:
    """options.json, the vocabulary and one of the two files of weights of a very small biLM."""
    model, softmax = BiLM(ModelShape(filters=((1, 4), (2, 4)), character_dim=4, hidden=6, projection=3)), Softmax(5, 3)
    for value in (*model.parameters(), *softmax.parameters()):
        torch.nn.init.normal_(value.data, std=0.1, generator=torch.Generator().manual_seed(0))
    with tempfile.TemporaryDirectory() as folder:
        save_hdf5(model, Path(folder))
        save_safetensors(model, Path(folder), softmax=softmax, words=["<S>", "</S>", "<UNK>", "a", "b"])
        return {name: data for name, data in contents(folder).items() if name == weights or not name.startswith("weights")}


@functools.cache
def vector_files() -> dict[str, bytes]:
    """The files of six words' vectors, as core.training.glove saves them."""
    vectors = {"vectors": np.ones((6, 5), np.int8), "scales": np.ones(6, np.float32)}
    files = {"vectors.safetensors": save(vectors), "words.txt": b"a\nb\nc\nd\ne\nf"}
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return {"meta.json": json.dumps({"format": "elmoscope-vectors", "version": 1, "name": "six", "sha256": sums}).encode(), **files}


def contents(folder: str | Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def options_bytes() -> st.SearchStrategy[dict[str, bytes]]:
    options = json.loads(model_files(TENSORS)["options.json"])
    numbers = st.lists(st.integers(-1, 10**9), max_size=3)
    odd = st.one_of(st.none(), st.integers(-2, 10**12), st.floats(), nasty(2), numbers, st.lists(numbers, max_size=3), st.just({}))

    def put(path: tuple[str, ...], value: object) -> bytes:
        made = place = json.loads(json.dumps(options))
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = value
        return json.dumps(made).encode()

    paths = [(part,) for part in ("lstm", "char_cnn")] + [(part, key) for part in ("lstm", "char_cnn") for key in options[part]]
    made = st.builds(put, st.sampled_from([*paths, ("char_cnn", "embedding", "dim")]), odd)
    return st.one_of(made, encoded(nasty()), json_bytes()).map(lambda data: {"options.json": data})


@functools.cache
def a_map() -> bytes:
    about = {"names": ("0", "1"), "method": "PCA", "config": ProjectionConfig(), "trustworthiness": (1.0, 1.0), "displacement": (0.0,)}
    with tempfile.TemporaryDirectory() as folder:
        FrozenMaps(coordinates=np.zeros((2, 5, 2), np.float32), **about).save(Path(folder) / "m.safetensors")
        return contents(folder)["m.safetensors"]


searched = functools.cache(lambda: encode(open_corpus("sentences")[:400], "ours"))
glove = functools.cache(lambda: open_vectors("glove-mini"))


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def reads(name: str, *read: Callable[[Path], object]) -> Callable[[Path, tuple[str, bytes]], None]:
    """A reader of one file: `name` without the suffix of packing, which comes with the input."""

    def reading(folder: Path, given: tuple[str, bytes]) -> None:
        path = _written(folder / f"{name}{given[0]}", given[1])
        with reports.collecting():
            for each in read:
                each(path)

    return reading


def loads(samples: dict[str, bytes], *load: Callable[[Path], object]) -> Callable[[Path, dict[str, bytes]], None]:
    """A reader of a folder: the sample files, some of them replaced by the input."""

    def loading(folder: Path, given: dict[str, bytes]) -> None:
        for name, data in (samples | given).items():
            _written(folder / name, data)
        for each in load:
            each(folder)

    return loading


def one_of_files(samples: dict[str, bytes]) -> st.SearchStrategy[dict[str, bytes]]:
    """One of the files, changed."""
    return st.one_of(*(changed(data).map(lambda made, name=name: {name: made}) for name, data in samples.items()))


_some = functools.partial(read_sentences, limit=5_000)  # the pages read as many as a corpus may hold


def _uses(path: Path) -> None:
    usage_graphs.sentences_of_uses(usage_graphs.read_uses(path))


def _table(path: Path) -> None:
    make_dataset("fuzz", read_table(path), SplitConfig())


def _own(folder: Path, given: list[tuple[str, bytes]]) -> None:
    places = [folder / f"{k}{Path(name).suffix or '.txt'}" for k, (name, _) in enumerate(given)]
    sources = [own_corpus.Source(name, _written(place, data)) for place, (name, data) in zip(places, given, strict=True)]
    sentences = read_sentences(own_corpus.keep_files(sources).path)
    index_plan(sentences, 3, 256)
    opened = encode(sentences, "x")
    concordance.lines(opened, search.find(opened, sentences[0].tokens[0]), 0, 5)


def _tokens(folder: Path, text: str) -> None:
    """Check that tokens contain every visible character in order, except hyphens at line ends, and that their ids are valid."""

    def visible(text: str) -> str:
        return "".join(text.translate(STRAIGHT | {0: " ", ord("-"): "", ord(JOINER): ""}).split())

    tokens = tokenize(text)
    assert all(token and not token.isspace() for token in tokens)
    assert visible("".join(tokens)) == visible(legible(text))
    for sentence in split_sentences(text)[:50]:
        join_tokens(tokenize(sentence))
    ids = character_ids(tokens[:200])
    assert ids.shape == (min(200, len(tokens)), 50) and (ids >= 0).all() and (ids < 262).all()


def _words(folder: Path, given: tuple[str, str]) -> None:
    """Call what text boxes call: sentences, words, weights, names, searches."""
    text, other = given
    answers = (
        lambda: sentences_from_text(text),
        *(lambda kind=kind: search.find(searched(), text, kind=kind) for kind in search.KINDS),
        lambda: search.similar(searched(), text),
        lambda: layer_weights("mix", 3, other[:200]),
        lambda: layer_weights(other, 3),
        lambda: text_tokens(task_named("news"), text),
        lambda: task_named(other),
        lambda: registry.resolve(other, "corpus"),
        lambda: registry.resolve(text, "model"),
        lambda: registry.resolve(text, "vectors"),
        lambda: own_corpus.files_in(other if len(other) < 200 else "x"),
        lambda: own_corpus.keep_text(text, other),
        lambda: glove().neighbors(other, 3),
        lambda: i18n.particle(text, "은", "는"),
        lambda: i18n.t("“{word:은/는}” {n:,}", word=text, n=3),
    )
    for answer in answers:
        try:
            answer()
        except ElmoscopeError as error:
            assert len(str(error)) < 4_000, f"an error of {len(str(error)):,} characters"


def workbook_bytes() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        rows = [["text", "label", "n"], *([f"text number {k}", "ab"[k % 2], 1.5 * k] for k in range(20))]
        return workbook(Path(folder) / "a.xlsx", first=rows, second=[["x"]]).read_bytes()


@functools.cache
def targets() -> dict[str, Callable[[], tuple[st.SearchStrategy, Callable]]]:
    """Name -> what gives (what is generated, what is done with it): what some need takes seconds to make."""
    rows = b'{"word": "bank", "tokens": ["the", "bank"], "position": 1, "label": "edge"}\n' * 3
    comma = b'label,text\r\nspam,win a prize\r\nham,"see, you"\r\nspam,win now\r\nham,later\r\n' * 3
    semcor = b"# d1 1\nThe\tDT\t\t\nbank\tNN\tbank\tbank%1:17:01::\n\n"
    context = b"<context><wf>a</wf> <head><wf>hard</wf></head> <wf>.</wf></context></instance>"
    senseval = b'<lexelt item="hard-a"><instance id="1"><answer senseid="H1"/>' + context
    uses = b"lemma\tgrouping\tidentifier\tcontext\tindexes_target_token\n"
    uses += b"".join(b'bank\t%d\tu%d\t"A ""river"" bank."\t10:14\n' % (k % 2, k) for k in range(12))
    trees = b"(3 (2 A) (4 success))\n(1 (2 B) (1 c))\n" * 3
    text, listed = encoded(nasty(20)), json_bytes()
    lined = st.lists(json_values(), max_size=4).map(lambda values: "\n".join(map(json.dumps, values)).encode())
    names = nasty(3).map(lambda name: f"{name[:60]}.txt") | st.sampled_from(["a.csv", "b.jsonl", "c.json"])
    return {
        "corpus .txt": lambda: (files(text), reads("a.txt", _some)),
        "corpus .csv": lambda: (files(text, changed(comma)), reads("a.csv", _some)),
        "corpus .tsv": lambda: (files(text), reads("a.tsv", _some)),
        "corpus .jsonl": lambda: (files(lined, changed(rows), text), reads("a.jsonl", _some)),
        "corpus .json": lambda: (files(listed, text), reads("a.json", _some)),
        "labeled rows": lambda: (files(lined, changed(rows)), reads("a.jsonl", read_labeled)),
        "table .csv": lambda: (files(text, changed(comma)), reads("a.csv", _table)),
        "table .tsv": lambda: (files(text, changed(comma.replace(b",", b"\t"))), reads("a.tsv", _table)),
        "table .jsonl": lambda: (files(lined, changed(rows)), reads("a.jsonl", _table)),
        "table .txt": lambda: (files(text, changed(trees)), reads("a.txt", _table)),
        "senseval": lambda: (files(text, changed(senseval)), reads("a.pos", read_senseval)),
        "semcor": lambda: (files(text, changed(semcor)), reads("a.tsv", read_semcor)),
        "tags": lambda: (files(text, changed(b"The DT\nbank NN\n\n")), reads("a.txt", read_tags)),
        "table .xlsx": lambda: (plain(changed(workbook_bytes())), reads("a.xlsx", read_columns, _table)),
        "corpus .xlsx": lambda: (plain(changed(workbook_bytes())), reads("a.xlsx", _some)),
        "corpus .pdf": lambda: (plain(changed(pdf(["The bank was steep."], ["It (was) steep."]))), reads("a.pdf", _some)),
        "corpus .epub": lambda: (plain(changed(epub({"a.xhtml": "<p>The bank.</p>"}))), reads("a.epub", _some)),
        "usage graph": lambda: (files(text, changed(uses)), reads("uses.csv", _uses)),
        "docx": lambda: (docx_files(), lambda place, data: _own(place, [("a.docx", data)])),
        "own corpus": lambda: (st.lists(st.tuples(names, st.one_of(text, lined)), min_size=1, max_size=3), _own),
        "vectors": lambda: (files(vector_bytes()), reads("v", load_vectors)),
        "vectors .zip": lambda: (plain(zipped_vectors()), reads("v.zip", load_vectors)),
        "vectors, a folder": lambda: (one_of_files(vector_files()), loads(vector_files(), load_vectors)),
        "model options": lambda: (options_bytes(), loads(model_files(TENSORS), load_bilm, load_softmax)),
        "model .safetensors": lambda: (one_of_files(model_files(TENSORS)), loads(model_files(TENSORS), load_bilm, load_softmax)),
        "model .hdf5": lambda: (one_of_files(model_files(HDF5)), loads(model_files(HDF5), load_bilm, load_softmax)),
        "maps": lambda: (changed(a_map()), lambda place, data: FrozenMaps.load(_written(place / "m.safetensors", data))),
        "head": lambda: (one_of_files(contents(HEAD)), loads(contents(HEAD), load_head)),
        "results": lambda: (files(lined), reads("r.jsonl", read_results)),
        "json": lambda: (st.one_of(listed, text), lambda place, data: read_json(_written(place / "j.json", data))),
        "tokenizer": lambda: (nasty(30), _tokens),
        "text boxes": lambda: (st.tuples(nasty(), nasty(4)), _words),
    }


def run(name: str, n: int, *, number: int = 0) -> Attempts:
    """Try `n` inputs on one reader. Faults have their traceback and input."""
    strategy, use = targets()[name]()
    result = Attempts()

    @seed(number)
    @settings(max_examples=n, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def attempt(given_) -> None:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            os.environ["ELMOSCOPE_CACHE"] = f"{folder}/cache"
            started = time.process_time()  # of this process: other work on the machine does not count
            try:
                use(Path(folder), given_)
            except ElmoscopeError as error:
                result.refused += 1
                if not str(error).strip() or len(str(error)) > 4_000:
                    result.failures.append(f"an error of {len(str(error)):,} characters for {given_!r:.300}")
            except Exception:
                result.failures.append(f"{traceback.format_exc(limit=-4)}for {given_!r:.600}")
            took = time.process_time() - started
        result.inputs, result.slowest_s = result.inputs + 1, max(result.slowest_s, took)
        if took > SLOWEST_S:
            result.failures.append(f"took {took:.1f} s for {given_!r:.300}")

    with mock.patch.dict(os.environ, CAPS):
        attempt()
    return result


def main() -> int:
    names, parser = list(targets()), options(__doc__, inputs=100_000, seed=0)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, default=names, help="only these readers")
    request = parser.parse_args()
    share = -(-request.inputs // len(request.only))
    return attack(request.only, lambda name: run(name, share, number=request.seed))


if __name__ == "__main__":
    sys.exit(main())
