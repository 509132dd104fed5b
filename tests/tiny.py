"""Small models, vectors, tables, texts and documents that tests of several packages share."""

import io
import json
import lzma
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
import torch

from core.classify.data import Dataset, SplitConfig, make_dataset
from core.classify.model import NetworkConfig, live_layers
from core.classify.tables import Table, TableRow
from core.classify.train import TrainConfig
from core.common.config import ModelShape
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM
from core.learning.features import Frozen
from core.static.vectors import StaticVectors
from core.tasks.heads import TASKS
from core.tasks.task import TaskRecipe
from core.text.sentences import Sentence

SHAPE = ModelShape(filters=((1, 8), (2, 16), (3, 16)), hidden=16, projection=8)
TOPICS = {"sport": ["goal", "match", "team", "cup"], "money": ["bank", "stock", "price", "loan"], "sky": ["moon", "star", "comet", "orbit"]}
FILLERS = ["the", "a", "of", "new", "old", "big", "on", "Monday", "says", "again"]
NETWORK = NetworkConfig(word_dim=6, hidden=5, mean_hidden=8, dropout=0.2, elmo_dropout=0.2, word_dropout=0.05)
CONFIG = TrainConfig(network=NETWORK, epochs=8, batch_size=16, learning_rate=0.02, patience=8, max_words=60)


def tiny_encoder(seed: int = 0) -> Encoder:
    """Return the encoder of a random biLM whose filters are strong enough that two spellings differ."""
    torch.manual_seed(seed)
    model = BiLM(SHAPE)
    with torch.no_grad():
        for convolution in model.characters.convolutions:
            convolution.weight.mul_(20)
    return Encoder(model, name="tiny")


def tiny_vectors(dim: int = 7, seed: int = 0) -> StaticVectors:
    """Return vectors of all words but two. The words of a topic are near each other."""
    random = np.random.default_rng(seed)
    center = {word: random.normal(size=dim) for words in TOPICS.values() for word in words[:1]}
    vectors = [0.3 * random.normal(size=dim) + center[words[0]] for words in TOPICS.values() for _ in words]
    vectors += [0.5 * random.normal(size=dim) for _ in FILLERS[:-2]]
    names = [word for words in TOPICS.values() for word in words] + [word.lower() for word in FILLERS[:-2]]
    return StaticVectors(names, np.array(vectors, np.float32), name="tiny vectors", provenance={})


def table(n: int = 240, *, labels=tuple(TOPICS), seed: int = 0) -> Table:
    """Return sentences of 3 to 8 words, one of which is of the topic."""
    random = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        label = labels[k % len(labels)]
        words = [str(random.choice(FILLERS)) for _ in range(random.integers(2, 8))]
        words.insert(int(random.integers(len(words) + 1)), str(random.choice(TOPICS[label])))
        rows.append(TableRow(" ".join([*words, f"n{k}"]), label))
    return Table("tiny.csv", tuple(rows), ("text",), "label")


def dataset(n: int = 240, **options) -> Dataset:
    return make_dataset("topics", table(n, **options), SplitConfig())


def frozen(encoder: Encoder | None = None, vectors: StaticVectors | None = None) -> Frozen:
    encoder, vectors = encoder or tiny_encoder(), vectors or tiny_vectors()
    facts = {"model": "f" * 16, "model_name": "tiny", "vectors": "e" * 16, "vectors_name": "tiny vectors"}
    return Frozen(vectors, live_layers(encoder), facts, encoder.n_layers, encoder.dim)


def spaced_tokens(sentences: Iterable[Sentence]) -> list[str]:
    return [" ".join(sentence.tokens) for sentence in sentences]


BANK_PLACES = ("mill", "bridge", "old ferry", "church", "willows", "lock", "meadow", "village")
BANK_PEOPLE = ("a baker", "the farmer", "our aunt", "a young clerk", "the widow", "his partner", "the miller", "a student")
GARDEN = "{person} planted roses in the garden beside the {place}."
RIVER = ("The boat drifted to the muddy bank near the {place}.", "Reeds grew along the grassy bank below the {place}.")
MONEY = ("The bank lent {person} a large sum at a low rate.", "The bank refused {person} a loan and closed the account.")


def bank_text(*lines: str) -> list[str]:
    """Return the lines once for each place and person, with a line about a garden."""
    pairs = zip(BANK_PLACES, BANK_PEOPLE, strict=True)
    return [line.format(place=place, person=person) for place, person in pairs for line in (*lines, GARDEN)]


def write_two_texts(folder: Path) -> tuple[str, str]:
    """Write two texts, and return their paths: "bank" is the river's in the first, mostly the money's in the second; "garden" is the same."""
    for name, lines in (("first", RIVER), ("second", MONEY)):
        (folder / f"{name}.txt").write_text("\n\n".join(line[0].upper() + line[1:] for line in bank_text(*lines)), "utf-8")
    return str(folder / "first.txt"), str(folder / "second.txt")


def write_dated_text(folder: Path) -> str:
    """Write both texts as rows of one file, a document a year: the first in the 1840s, the second in the 1890s."""
    path = folder / "dated.jsonl"
    rows = [(year + k % 8, line) for year, lines in ((1840, RIVER), (1890, MONEY)) for k, line in enumerate(bank_text(*lines))]
    lines = [json.dumps({"tokens": [*line.rstrip(".").split(), "."], "document": f"letters of {year}"}) for year, line in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


TASK_RECIPE = {"hidden": 6, "character_dim": 4, "epochs": 2, "batch_size": 4, "train_limit": 0, "dev_limit": 8, "test_limit": 0}
PEOPLE = ["Ada", "Bruno", "Clara", "Dario"]
PLACES = ["Lund", "Oslo", "Porto", "Riga"]


def task_recipe(task: str, **changes) -> TaskRecipe:
    return replace(TASKS[task].recipe, **(TASK_RECIPE | changes))


def write_task_files(folder: Path) -> Path:
    """Write files of every task, with 8 examples or more in each part. Return their folder."""
    texts = {}
    for part in ("train", "dev", "test"):
        texts[f"ner/wnut17_{part}.conll.xz"] = "\n".join(
            f"{who}\tB-person\nsaw\tO\nPort\tB-location\n{where}\tI-location\n.\tO\n"
            for who, where in zip(PEOPLE * 2, PLACES * 2, strict=True)
        )
        texts[f"srl/ewt_propbank.{part}.conll.xz"] = "\n".join(_roles(who, where) for who in PEOPLE for where in PLACES[:2])
        texts[f"entailment/snli_{'train_33k' if part == 'train' else part}.jsonl.xz"] = "\n".join(
            json.dumps({"sentence1": f"{who} is in {where}.", "sentence2": said.format(who, where), "gold_label": label})
            for who in PEOPLE
            for where in PLACES[:2]
            for label, said in (("entailment", "{0} is somewhere ."), ("contradiction", "{0} is not in {1}."), ("-", "{0}."))
        )
        texts[f"coref/ontogum.{part}.conll.xz"] = "\n".join(
            f"# begin document d_{who}\n0\t{who}\t(1)\n1\tmet\t_\n2\tthe\t(2\n3\tking\t2)\n4\tof\t_\n5\t{where}\t_\n6\t.\t_\n"
            f"7\tThe\t(2\n8\tking\t2)\n9\tliked\t_\n10\t{who}\t(1)\n11\t.\t_\n# end document"
            for who, where in zip(PEOPLE * 2, PLACES * 2, strict=True)
        )
        gap = {"train": "development", "dev": "validation", "test": "test"}[part]
        header = "ID Text Pronoun Pronoun-offset A A-offset A-coref B B-offset B-coref URL".replace(" ", "\t")
        texts[f"coref/gap-{gap}.tsv.xz"] = "\n".join([header, *(_gap(k) for k in range(8))])
    for part, n in (("train", 118), ("test", 1)):
        texts[f"conll2000/{part}.txt.xz"] = "\n".join(
            f"{who} NNP B-NP\nsaw VBD B-VP\nthe DT B-NP\nport NN I-NP\n. . O\n" for who in PEOPLE * 2 * n
        )
    articles = [{"title": f"t{k}", "paragraphs": [_paragraph(k)]} for k in range(48)]
    texts["qa/squadshifts_new_wiki.json.xz"] = json.dumps({"data": articles})
    texts["qa/squadshifts_reddit.json.xz"] = texts["qa/xquad_en.json.xz"] = json.dumps({"data": articles[:5]})
    texts["ner/wikigold.conll.xz"] = "\n-DOCSTART- O\n\n".join(
        f"{who} I-PER\nsaw O\n{where} I-LOC\n. O\n" for who, where in zip(PEOPLE * 5, PLACES * 5, strict=True)
    )
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(lzma.compress(text.encode() + b"\n"))
    return folder


def _roles(who: str, where: str) -> str:
    words = [(who, "-", "(ARG0*)", "(ARG0*)"), ("went", "go.01", "(V*)", "*"), ("to", "-", "(ARG4*", "*"), (where, "-", "*)", "*")]
    words += [("and", "-", "*", "*"), ("sang", "sing.01", "*", "(V*)"), (".", "-", "*", "*")]
    return "".join(f"s\t{k}\t{word}\tX\tX\t-\t{sense}\t{item}\t{two}\n" for k, (word, sense, item, two) in enumerate(words))


def _gap(k: int) -> str:
    a, b, pronoun = PEOPLE[k % 4], PEOPLE[(k + 1) % 4], ("he", "she")[k % 2]
    text = f"It rained. {a} met {b} there. Then {pronoun} left."
    cells = [f"x-{k}", text, pronoun, text.index(f" {pronoun} ") + 1, a, text.index(a), str(k % 3 == 0).upper(), b, text.index(b)]
    return "\t".join(map(str, [*cells, str(k % 3 == 1).upper(), "u"]))


def _paragraph(k: int) -> dict:
    who, where = PEOPLE[k % 4], PLACES[k % 3]
    context = f"{who} was born in {where}. The town lies by the sea."
    answers = [{"text": where, "answer_start": context.index(where)}] * 2 + [{"text": who, "answer_start": 0}]
    return {"context": context, "qas": [{"question": f"Where was {who} born?", "id": str(k), "answers": answers}]}


CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def pdf(*pages: Sequence[str]) -> bytes:
    """Return a PDF of these pages, each a list of lines. A page without lines has no text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    numbers = []
    for lines in pages:
        shown = [line.replace("(", r"\(").replace(")", r"\)") for line in lines]
        stream = "BT /F1 12 Tf 14 TL 72 720 Td " + " ".join(f"({line}) Tj T*" for line in shown) + " ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents {len(objects)} 0 R >>")
        numbers.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(numbers)}] /Count {len(numbers)} >>"
    out, table = "%PDF-1.4\n", ""
    for number, content in enumerate(objects, start=1):
        table += f"{len(out):010} 00000 n \n"
        out += f"{number} 0 obj\n{content}\nendobj\n"
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return f"{out}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def epub(chapters: dict[str, str], spine: Sequence[str] = (), *, more: dict[str, str] | None = None) -> bytes:
    """Return an e-book of chapters (file name -> body) in the order of `spine`. `more` members are added as they are."""
    properties = {name: ' properties="nav"' for name in chapters if name.startswith("nav")}
    items = "".join(
        f'<item id="i{k}" href="{name}" media-type="application/xhtml+xml"{properties.get(name, "")}/>' for k, name in enumerate(chapters)
    )
    places = {name: k for k, name in enumerate(chapters)}
    references = "".join(f'<itemref idref="i{places[name]}"/>' for name in spine or chapters)
    package = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{references}</spine></package>'
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package}
    head = "<head><title>A title</title><style>p {color: red}</style></head>"
    for name, body in chapters.items():
        members[f"OEBPS/{name}"] = f'<html xmlns="http://www.w3.org/1999/xhtml">{head}<body>{body}</body></html>'
    return zipped(members | (more or {}))


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word_document(body: str, declared: str = "", **more: str) -> bytes:
    """Return a Word document with this body. `declared` comes before it, `more` members are added as they are."""
    return zipped({"word/document.xml": f"{declared}<w:document {WORD}><w:body>{body}</w:body></w:document>"} | more)


def workbook(path: Path, **sheets: Sequence[Sequence]) -> Path:
    book = openpyxl.Workbook(write_only=True)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path


def differences(value: Any, expected: Any, path: str = "", *, absolute: float = 2e-4, relative: float = 2e-4) -> Iterator[str]:
    """Yield the differences between two JSON values, by default up to the precision of float16."""
    bounds = {"absolute": absolute, "relative": relative}
    if isinstance(expected, dict) and isinstance(value, dict) and value.keys() == expected.keys():
        for key, each in expected.items():
            yield from differences(value[key], each, f"{path}.{key}", **bounds)
    elif isinstance(expected, list) and isinstance(value, list) and len(value) == len(expected):
        if expected and all(type(each) is float for each in (*value, *expected)):  # thousands of them
            a, b = np.array(value), np.array(expected)
            if not (np.abs(a - b) <= np.maximum(absolute, relative * np.abs(b))).all():
                yield f"{path}: {value} for {expected}"
        else:
            for k, pair in enumerate(zip(value, expected, strict=True)):
                yield from differences(*pair, f"{path}[{k}]", **bounds)
    elif value != (pytest.approx(expected, abs=absolute, rel=relative) if isinstance(expected, float) else expected):
        yield f"{path}: {value} for {expected}"
