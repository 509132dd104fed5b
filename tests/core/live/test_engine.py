"""The page's engine under node, compared with core: tokens, target words, vectors, substitutes, verdicts, with WebAssembly and without."""

import base64
import json
import re
import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.analysis.word_maps import links
from core.common.config import ASSETS, ModelShape
from core.elmo.language_model import Softmax
from core.elmo.model import BiLM
from core.elmo.weights import save_safetensors
from core.live import pack, page
from core.senses.calibration import calibration_of
from core.text.languages import get_language
from core.text.target_word import find_target_words, lemmas, same_word, words_of
from core.text.tokens import pieces, tokenize
from core.views import pair
from core.views.layouts import maps_of
from core.views.pair import PairRequest
from core.workspace import open_workspace
from tests.core.live.truth import compare, truths
from tests.core.text.test_target_word import SPELLED_ALIKE

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not on this machine")
DRIVER = """
const zlib = require("zlib"), fs = require("fs"), [, , pack, plain] = process.argv;
const bytes = new Uint8Array(zlib.gunzipSync(fs.readFileSync(pack))), reader = newReader([bytes], plain === "plain");
const plainly = (value) => JSON.stringify(value, (_, one) => (ArrayBuffer.isView(one) ? [...one] : one));
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { call, given } = JSON.parse(line), asked = call === "answer" && reader.question(given.texts, given.tapped);
  const calls = {
    answer: () => ({ fast: reader.fast, asked, pair: reader.pair(asked, given.direction ?? "both"), around: reader.around(asked) }),
    question: () => reader.question(given.texts, given.tapped),
    same: () => reader.words.sameWord(given[0], given[1], given[2], given[3]),
    lemmas: () => reader.words.lemmas(given), pieces: () => pieces(given), tokens: () => tokenize(given),
    word: () => reader.word(given),
  };
  console.log(plainly(calls[call]()));
});
"""


def write_engine(folder: Path, packed: bytes) -> None:
    script = "".join((page.FOLDER / f"{name}.js").read_text("utf-8") for name in page.ENGINE if name != "worker") + DRIVER
    (folder / "engine.js").write_text(script, encoding="utf-8")
    (folder / "pack.gz").write_bytes(packed)


@pytest.fixture(scope="module")
def ask(live_page: Path, tmp_path_factory: pytest.TempPathFactory):
    """ask("tokens", "We sat."), or many at once."""
    folder = tmp_path_factory.mktemp("live")
    write_engine(folder, base64.b64decode(re.search(r'id="pack">([^<]*)<', live_page.read_text("utf-8"))[1]))

    @cache
    def start(plain: bool) -> subprocess.Popen:
        command = [NODE, "engine.js", "pack.gz", *["plain"] * plain]
        pipes = {"stdin": PIPE, "stdout": PIPE, "text": True, "encoding": "utf-8", "bufsize": 1}
        return processes.enter_context(subprocess.Popen(command, cwd=folder, **pipes))

    def run(call: str, *given: object, plain: bool = False) -> list:
        process, lines = start(plain), []
        for item in given:
            process.stdin.write(json.dumps({"call": call, "given": item}) + "\n")
            lines.append(process.stdout.readline())
        return [json.loads(line) for line in lines]

    with ExitStack() as processes:
        yield run


def question(texts: list[str], tapped: list | None = None) -> dict:
    return {"texts": texts, "tapped": tapped or [None, None]}


BANKS, JAGUARS = ["We sat on the bank.", "The bank lent money."], ["The jaguar slept in a tree.", "He drove a silver jaguar."]
ODD = [
    "Let's stick to the bank's plan, don't you think?",
    "Dr. Lee (born 1990s) paid $3.14, 1,000 won at 5p.m. in the U.S., e.g. AT&T's 3.2GHz box.",
    'He said "yes!" -- and "no"... at 7:30am; see https://a.b/c?d=e. or a.b+c@d.example',
    "O’Brien’s naïve café, “quoted”, 12:30 1st 2nd 10km rock-'n'-roll ``so''",
    "Cafe\u0301 \U0001f1f0\U0001f1f7 \U0001f44d\U0001f3fd 3\ufe0f\u20e3 no. 5 No. no.",
    "ban\u00adking\u200b of\ufb01ce well\u2011known \u202aword\u202c \U0001f468\u200d\U0001f469 \u2764\ufe0f a\ufe0f blank\u3164bank \ufeff",
    "bank\x1cof\x1d the\x1e\x1f river\x85mud",
    "_The Bank._ It_ (_was_) snake_case __init__ __ council\u00b9 met.\u00b2 km\u00b2 x\u00b2y\u00b3 sec\u207b\u00b9 은행\u00b9 don\u02bct \uff42\uff41\uff4e\uff4b \U0001d41b",
    "1,000원, 3.5배, 12:30에 2.5kg을, 1,500mg of 5원 हिन्दी भाषा में مُحَمَّد שָׁלוֹם தமிழ்",
    "",
]
CUT = [
    "The impor-\ntance of coun-\ncil, pre-\nventing a well-\nknown co-\noperate and Anglo-\nSaxon newly-\nformed IMPOR-\nTANCE.",
    "im\u00ad\nportance im\u00ac\nportance govern-\nment's pre-\nand post-war state-of-\nthe-art impor- tance long- and short-term impor\u00ad tance of\u00ac the im\u2011\nportance",
]


def test_text_is_cut_as_core_cuts_it(workspace, ask):
    table = workspace.targets.basic
    texts = ODD + [table.occurrence(row).sentence for row in range(0, len(table), 5)]
    cut = ask("tokens", *texts)
    assert [[*item] for item in cut] == [tokenize(text) for text in texts]
    read = ask("question", *(question([text, "A bank."]) for text in CUT))
    assert [item["tokens"][0] for item in read] == [get_language("en").tokenize(text) for text in CUT]
    shown = [tokens for tokens in cut if tokens]
    assert ask("pieces", *shown) == [pieces(tokens) for tokens in shown]


def test_one_spelling_in_both_comes_before_two_forms_of_a_word(ask):
    language = get_language("en")
    both = [(a, b, words) for spelled, a, b, words in SPELLED_ALIKE if spelled.code == "en"]
    answers = ask("question", *(question([a, b]) for a, b, _ in both))
    meant = [tuple(of[k] for of, k in zip(item["tokens"], item["positions"], strict=True)) for item in answers]
    assert len(both) > 15 and meant == [words for *_, words in both]
    for answer in ask("question", *map(question, language.examples["pairs"].values())):
        assert answer["positions"] == list(find_target_words(*answer["tokens"], language)), answer["tokens"]
    forms = ["banks", "running", "flies", "stopped", "wider", "happiest", "lay", "news", "boxes", "agreed", "studied"]
    forms += ["thing", "used", "being", "going", "its", "taxis", "taxi", "kneed", "disagreed", "feed"]
    known = words_of(language)
    assert [tuple(item) for item in ask("lemmas", *forms)] == [lemmas(word, known) for word in forms]
    pairs = [(["He", "ran"], 1, ["Run", "away"], 0), (["a", "bank"], 1, ["the", "river"], 1)]
    assert ask("same", *pairs) == [same_word(*pair, language) for pair in pairs]


INHERITED = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf", "__defineGetter__", "toLocaleString"]


def test_words_that_plain_objects_inherit_are_answered_as_core_answers_them(workspace, ask):
    words = [*INHERITED, "Zwölf", "qwrtx", "antidisestablishmentarianism"]
    texts = [[f"The {word} built the house.", f"A {word} came to us."] for word in words]
    for word, pair_, answer in zip(words, texts, ask("answer", *map(question, texts)), strict=True):
        first, second = workspace.words(*pair_)
        known = pair.compute(workspace, PairRequest(first=first, second=second))
        assert answer["pair"]["words"] == [word, word] == list(known.words)
        assert answer["pair"]["values"] == pytest.approx(list(known.cosines.values()), abs=0.02), word
        assert answer["around"]["lemma"] is None and answer["pair"]["judgment"]["lemma"] == "", word


def test_the_first_word_in_letters_of_another_language_is_named(ask):
    words = [("שלום", "bank"), ("bank", "은행"), ("水水", "水水"), ("bank", "café"), ("😀", "😀"), ("1990", "3")]
    answers = ask("answer", *(question(list(pair_), [{"position": 0}] * 2) for pair_ in words))
    assert [item["pair"]["foreign"] for item in answers] == ["שלום", "은행", "水水", "", "", ""]


def test_answers_are_core_s(workspace, ask):
    pairs = list(truths(workspace, 30))
    answers = ask("answer", *(question(item.texts, item.tapped) for item in pairs))
    read = [(item, answer) for item, answer in zip(pairs, answers, strict=True) if item.tokens == answer["asked"]["tokens"]]
    assert len(read) >= 29
    far = [compare(*pair) for pair in read]
    values = {name: np.array([each[name] for each in far]) for name in far[0]}
    assert values["cosine"].max() < 0.02 and values["static"].max() < 1e-3 and values["same_verdict"].mean() >= 0.96
    assert values["substitutes"].mean() >= 4 and values["near"].mean() >= 9


def test_without_webassembly_the_numbers_are_the_same(ask):
    (fast,), (plain,) = (ask("answer", question(BANKS), plain=plain) for plain in (False, True))
    assert (fast["fast"], plain["fast"]) == (True, False)
    np.testing.assert_allclose(fast["pair"]["values"], plain["pair"]["values"], atol=1e-5)


def test_pictures_and_neighbors_are_core_s_with_stars_near_core_s(workspace, ask):
    pairs = [pair for _, *pair in page.examples_of(workspace)[:5]]
    answers = ask("answer", *map(question, pairs))
    for texts, answer in zip(pairs, answers, strict=True):
        known, given = pair.draw_scene(workspace, *workspace.words(*texts)), answer["pair"]["scene"]
        assert tuple(given["spaces"]) == known.spaces and tuple(given["senses"]) == known.senses and given["in_own"] == list(known.in_own)
        np.testing.assert_allclose(np.array(given["points"]), known.points, atol=1e-4)
        extent = np.ptp(known.points, axis=(0, 1)).max()
        assert np.abs(np.array(given["stars"]) - known.stars).max() < 0.05 * extent, texts
        assert given["nearest"][-1] == [senses[0] for senses in known.nearest[-1]]
    (word,) = ask("word", "bank")
    table, maps = workspace.targets.basic, maps_of(workspace, "bank")
    rows = table.labeled_rows("bank")
    assert word["rows"] == rows.tolist()
    np.testing.assert_allclose(np.array(word["places"]), maps.coordinates, atol=1e-5)
    similar, places = table.similarities(rows, np.eye(3)[1]), maps.coordinates[1]
    known = [links(similar[k], places, places[k], itself=k).rows.tolist() for k in range(len(rows))]
    assert np.mean([len({*near} & {*word["links"][k][1][0]}) for k, near in enumerate(known)]) >= 9


def test_a_word_without_labels_has_a_verdict_neighbors_and_no_map(ask):
    jordans = question(["They flew to Jordan in spring.", "We saw Jordan play."], [{"position": 3, "word": "Jordan"}, None])
    answer, name, opening = ask("answer", question(JAGUARS), jordans, question(["Paris is warm.", "Paris Hilton came."]))
    judgment = answer["pair"]["judgment"]
    assert answer["pair"]["words"] == ["jaguar", "jaguar"] and judgment["lemma"] == ""
    assert judgment["verdict"]["evidence"].keys() == {"senses", "around", "expected"}
    assert answer["around"]["lemma"] is None and len(answer["around"]["parts"][0]["rows"]) > 20
    assert all(item["pair"]["judgment"]["verdict"]["name"] for item in (name, opening)) and not judgment["verdict"]["name"]


def test_a_model_without_clips_and_a_learned_sense_space_is_answered_as_by_core(tmp_path, monkeypatch):
    torch.manual_seed(0)
    words = (ASSETS / "elmo-mini" / "vocabulary.txt").read_text("utf-8").split("\n")[:3000]
    size = {"filters": ((1, 8), (3, 16)), "hidden": 24, "projection": 16, "n_highway": 2, "max_characters": 20}
    bilm = BiLM(ModelShape(**size, cell_clip=np.inf, projection_clip=np.inf)).eval()  # JSON has no infinity
    save_safetensors(bilm, tmp_path / "tiny", softmax=Softmax(len(words), 16), words=words, dtype=torch.float32)
    tiny = open_workspace(str(tmp_path / "tiny"))
    known, table = calibration_of(tiny), tiny.targets.basic
    monkeypatch.setattr(pack, "calibration_of", lambda _: replace(known, words={"bank": known.words["bank"]}))  # one word is enough
    names = [*tiny.layers.spaces]
    blank = lambda _, lemma: SimpleNamespace(names=names, coordinates=np.zeros((len(names), len(table.labeled_rows(lemma)), 2)))  # noqa: E731
    monkeypatch.setattr(pack.layouts, "maps_of", blank)
    write_engine(tmp_path, pack.pack_workspace(tiny, lambda share, what: None)[0])
    lines = "\n".join(json.dumps({"call": "answer", "given": question(texts)}) for texts in (BANKS, JAGUARS))
    done = subprocess.run([NODE, "engine.js", "pack.gz"], cwd=tmp_path, input=lines, capture_output=True, text=True, check=True)
    for texts, line in zip((BANKS, JAGUARS), done.stdout.splitlines(), strict=True):
        answer, (first, second) = json.loads(line)["pair"], tiny.words(*texts)
        core = pair.compute(tiny, PairRequest(first=first, second=second))
        assert answer["values"] == pytest.approx(list(core.cosines.values()), abs=0.02)
        assert answer["judgment"]["verdict"]["probability"] == pytest.approx(core.judgment.verdict.probability, abs=0.1)


def test_the_file_asks_for_nothing_and_is_small(live_page: Path):
    assert live_page.stat().st_size <= 32_000_000
    assert "connect-src" not in page.POLICY and page.POLICY.startswith("default-src 'none'")
    text = live_page.read_text("utf-8").split('id="pack"')[0]
    assert not re.findall(r"""(?:src|href)=["']?(?!data:|")[\w/.:]+|@import|fetch\(|XMLHttpRequest""", text)
