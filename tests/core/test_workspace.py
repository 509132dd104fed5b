"""Test that workspaces shared between threads give the answers that each computes alone."""

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

import pytest
import torch

from core import views
from core.analysis import random_pairs
from core.cli import wire
from core.common import i18n
from core.common.config import ModelShape
from core.common.errors import ElmoscopeError
from core.elmo.language_model import SPECIALS, Softmax
from core.elmo.model import BiLM
from core.elmo.weights import has_softmax, save_safetensors
from core.index import tables
from core.text import languages
from core.text.readings import WordInContext
from core.views import concordance, induction, pair, substitutes
from core.workspace import Names, Workspace, open_workspace
from tests.tiny import differences

TINY = ModelShape(filters=((1, 8), (2, 16), (3, 24)), n_highway=1, character_dim=4, hidden=24, projection=16)
REQUESTS, THREADS, SEED = 200, 4, 20_261_127
WORDS = {"en": "bank", "ko": "눈"}
VERBS = ["내렸다", "쌓였다", "온다", "녹았다", "많다", "하얗다", "아프다", "크다", "나쁘다", "맑다", "예쁘다", "빨갛다"]
SENSES = {
    "en": {
        "river": [f"We sat on the bank {place}." for place in ("of the river", "by the lake", "at noon", "in rain", "below", "alone")],
        "money": [f"The bank {did}." for did in ("lent money", "raised its interest", "closed", "sold its shares", "paid us", "is rich")],
    },
    "ko": {
        "snow": [f"{when} 눈이 {did}." for when, did in zip(["밤새", "산에", "겨울에", "어제", "마당에", "길에"], VERBS[:6], strict=True)],
        "eye": [f"{who} 눈이 {did}." for who, did in zip(["아기의", "그녀의", "의사의", "내", "친구의", "환자의"], VERBS[6:], strict=True)],
    },
}
OTHER = {
    "en": [f"In {month} {line}." for month in ("May", "June", "July") for line in ("the river bank was wet", "the bank lends money")],
    "ko": [f"{month}월에 {line}." for month in (5, 6, 7) for line in ("눈이 그쳤다", "눈을 크게 떴다", "해가 났다")],
}
UNLABELED = {"en": ("Green hills shine.", "Green tea cools."), "ko": ("푸른 산이 보인다.", "푸른 차를 마신다.")}


class Texts:
    def __init__(self, code: str, folder: Path) -> None:
        self.code, self.word, self.senses, self.swap = code, WORDS[code], SENSES[code], {"en": "sea", "ko": "강물"}[code]
        tokenize = languages.get_language(code).tokenize
        self.first, self.second = ({"text": sentences[0], "word": self.word} for sentences in self.senses.values())
        self.unlabeled = [{"text": text, "word": tokenize(text)[0]} for text in UNLABELED[code]]
        rows = [(tokenize(sentence), sense) for sense, sentences in self.senses.items() for sentence in sentences]
        lines = [json.dumps({"tokens": row, "position": row.index(self.word), "lemma": self.word, "sense": sense}) for row, sense in rows]
        self.corpus, self.other = str(folder / f"{code}.jsonl"), str(folder / f"{code}.txt")
        Path(self.corpus).write_text("\n".join(lines), encoding="utf-8")
        Path(self.other).write_text("\n".join(OTHER[code]), encoding="utf-8")


def save_tiny(folder: Path, code: str) -> Path:
    generator = torch.Generator().manual_seed(ord(code[0]))
    words = [*SPECIALS, *sorted({token for text in OTHER[code] for token in languages.get_language(code).tokenize(text)})]
    save_safetensors(BiLM(TINY, generator), folder, softmax=Softmax(len(words), TINY.projection, generator), words=words)
    (folder / "meta.json").write_text(json.dumps({"language": code}), encoding="utf-8")
    return folder


def requests_of(texts: Texts, model: str) -> list[tuple[str, dict]]:
    first, second, word = texts.first, texts.second, texts.word
    alike = {"first": texts.unlabeled[0], "second": texts.unlabeled[1]}
    spaces = [{"source": model, "layer": layer, "corpus": texts.corpus} for layer in ("1", "2")]
    requests = {
        "pair": [{"first": first, "second": second}, alike],
        "neighbors": [
            {"word": first, "space": "mix", "weights": "1,2,1", "among": "other words"},
            *({"word": second, "space": "2", "among": "types"}, {"word": second, "space": "senses"}),
        ],
        "induction": [{"word": word}, {"word": word, "space": "2", "number": 3}],
        "layouts": [{"word": word, "plan": "pca", "contexts": [first]}],
        "substitutes": [{"words": [first, second]}],
        "mix": [{"words": [first], "weights": [1, 0, 2], "among": "types"}],
        "around": [{"word": word, "plan": "between", "contexts": [second, first]}],
        "attribution": [
            {"word": first, "how": "swap", "swap": texts.swap},
            {"word": alike["first"], "other": alike["second"], "how": "mask"},
        ],
        "edits": [{**alike, "space": "1"}],
        "change": [{"word": word, "space": "1", "first": {"corpus": texts.corpus}, "second": {"corpus": texts.other}}],
        "concordance": [{"query": f"{word[:3]}*", "order": "right"}, {"query": word, "kind": "lemma", "order": "substitutes"}],
        "collocates": [{"query": word, "minimum": 1}, {"query": word, "minimum": 1, "senses": "labels", "grammar": False}],
        "keyness": [{"against": texts.other, "minimum": 1}],
        "compare": [{"first": spaces[0], "second": spaces[1]}],
    }
    assert requests.keys() == set(wire.VIEWS)
    return [(name, request) for name, each in requests.items() for request in each]


def questions(texts: Texts, model: str) -> dict[str, Callable[[Workspace], Any]]:
    tokens = tuple(languages.get_language(texts.code).tokenize(texts.first["text"]))
    typed = substitutes.NextWordsRequest(sentences=(tokens,), position=2)

    def words(workspace: Workspace) -> list[WordInContext]:
        return [workspace.words(text["text"])[0] for text in (texts.first, texts.second)]

    functions = {
        "judgment": lambda workspace: pair.judge(workspace, *words(workspace)),
        "level": lambda workspace: random_pairs.random_level(workspace, "1"),
        "words with groups": lambda workspace: induction.words_of(workspace, workspace.targets),
        "tokens": lambda workspace: workspace.with_corpus(texts.other).encoded.word_list,
        "grammar": concordance.grammar_of,
        "reference": concordance.reference_of,
        "next words": lambda workspace: substitutes.next_words(workspace, typed, substitutes.read_text(workspace, typed)),
        "in place": lambda workspace: substitutes.expected_at(workspace, typed, substitutes.read_text(workspace, typed)),
    }
    views = {f"{name} {json.dumps(given)}": partial(wire.answer, name=name, request=given) for name, given in requests_of(texts, model)}
    return views | functions


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> dict[str, Texts]:
    folder = tmp_path_factory.mktemp("corpora")
    return {code: Texts(code, folder) for code in WORDS}


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, str]:
    tiny = {code: str(save_tiny(tmp_path_factory.mktemp("models") / code, code)) for code in WORDS}
    return {"elmo-mini": "en", tiny["en"]: "en", "elmo-ko-mini": "ko", tiny["ko"]: "ko"}


def test_threads_that_share_workspaces_of_two_languages_and_models_get_the_answers_computed_alone(texts, models, monkeypatch):
    read = languages._read  # of labeled sentences, only the first 120: a model without a bundled table encodes all of them
    monkeypatch.setattr(languages, "_read", cache(lambda path: replace(read(path), basic=120)))
    monkeypatch.setattr(tables, "_labels_to_add", lambda *_: None)
    monkeypatch.setattr(tables, "_is_bundled", lambda *_: False)
    rng = random.Random(SEED)
    drawn = rng.choices([(model, name) for model, code in models.items() for name in questions(texts[code], model)], k=REQUESTS)
    alone = {}
    for model, code in models.items():
        workspace, asked = open_workspace(model, corpus=texts[code].corpus), questions(texts[code], model)
        with languages.reading(languages.get_language(code)):
            if has_softmax(workspace.model.folder):  # the words near an unlabeled one are taken from these once they are encoded
                _ = workspace.with_corpus(workspace.language.sentences).every_token
            alone |= {(model, name): wire.json_of(ask(workspace)) for name, ask in asked.items() if (model, name) in drawn}
    opener = open_workspace(next(iter(models))).opener
    workspaces = {model: Workspace(Names(model=model, corpus=texts[code].corpus), opener) for model, code in models.items()}
    languages.use("ko")

    def work(number: int) -> list[tuple[str, str]]:
        languages.use((None, "en", "ko", "en")[number])  # of what else such a thread does
        i18n.use(("ko", "en")[number % 2])
        wrong = []
        for model, name in drawn[number::THREADS]:
            try:
                answer = wire.json_of(questions(texts[models[model]], model)[name](workspaces[model]))
            except ElmoscopeError as error:
                answer = str(error)
            different = differences(answer, alone[model, name], absolute=2e-3, relative=1e-3)
            if [text for text in different if not text.startswith(".p_title:")]:  # a title, in the language of the interface
                wrong.append((model, name))
        return wrong

    try:
        with ThreadPoolExecutor(THREADS) as threads:
            wrong = [each for part in threads.map(work, range(THREADS)) for each in part]
    finally:
        languages.use(None)
    assert not wrong, f"{len(wrong)} of {REQUESTS} answers differ, the first: {wrong[0]}"


def test_a_workspace_reads_as_its_model_after_another_was_opened_and_in_new_threads(texts):
    def ask(workspace: Workspace, code: str) -> tuple:
        found = wire.answer(workspace, "concordance", {"query": texts[code].word})
        verdict = wire.answer(workspace, "pair", {"first": texts[code].first, "second": texts[code].second})["judgment"]["verdict"]
        return found["n"], found["tokens"], verdict is None

    korean = open_workspace("elmo-ko-mini", corpus=texts["ko"].corpus)
    right = {"ko": (12, korean.encoded.word.size, False)}
    assert languages.in_use().code == "en" and ask(korean, "ko") == right["ko"]
    english = open_workspace("elmo-mini", corpus=texts["en"].corpus)
    right["en"] = 12, english.encoded.word.size, False
    fresh = open_workspace("elmo-ko-mini", corpus=texts["ko"].corpus)  # nothing of it has been read yet
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(ask, fresh, "ko").result() == right["ko"]
        assert thread.submit(ask, english, "en").result() == right["en"]
    for workspace, code in ((english, "en"), (korean, "ko"), (english, "en"), (fresh, "ko")):
        assert ask(workspace, code) == right[code]


def test_every_public_function_of_a_workspace_reads_as_its_model():
    for path in Path(views.__path__[0]).glob("[a-z]*.py"):
        module = import_module(f"core.views.{path.stem}")
        for name, function in vars(module).items():
            is_public = isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
            if is_public and next(iter(signature(function).parameters), "") == "workspace":
                assert hasattr(function, "__wrapped__"), f"{module.__name__}.{name} lacks reads_as_model"
