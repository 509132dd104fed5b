"""Workspaces shared between threads: whatever other workspaces are asked in other threads, every answer is the one that is computed alone."""

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
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
EN = {  # by sense, of "bank"
    "river": "We sat on the bank of the river. The boat lay at the bank of the stream. Grass grows on the steep bank by the water. "
    "They walked along the muddy bank at noon. Reeds hide the far bank from us. A heron stood on the bank in the rain.",
    "money": "The bank lent us money for a house. She opened an account at the bank today. The bank raised its interest again. "
    "He paid the check in at the bank. Our bank closes at noon on Friday. The bank sold its shares last year.",
}
KO = {  # of "눈"
    "snow": "밤새 눈이 많이 내렸다. 아이들이 눈을 뭉쳐서 던졌다. 산에 눈이 하얗게 쌓였다. 눈이 와서 길이 미끄럽다. 겨울에는 눈이 자주 온다. 마당의 눈을 함께 치웠다.",
    "eye": "그는 눈을 감고 잠을 잤다. 아기의 눈이 크고 맑다. 눈이 나빠서 안경을 썼다. 눈에 먼지가 들어갔다. 그녀의 눈에서 눈물이 흘렀다. 의사가 환자의 눈을 보았다.",
}
EN, KO = ({sense: [f"{line}." for line in text.rstrip(".").split(". ")] for sense, text in senses.items()} for senses in (EN, KO))
OTHER = {
    "en": [
        f"In {month} {line}."
        for month in ("May", "June", "July")
        for line in ("rain fell on the bank", "the river bank was wet", "banks lend money", "the banks of the river are green")
    ],
    "ko": [
        f"{month}월에 {line}."
        for month in (5, 6, 7)
        for line in ("눈이 그치고 해가 났다", "차가운 눈이 내린다", "눈을 크게 떴다", "내 눈이 아프다")
    ],
}


@dataclass(frozen=True)
class Texts:
    """The questions to the workspaces of one language."""

    code: str
    word: str
    senses: tuple[str, str]
    first: dict
    second: dict
    unlabeled: tuple[dict, dict]
    swap: str
    corpus: str
    other: str


def write_corpora(folder: Path) -> dict[str, Texts]:
    results = {}
    for code, word, labeled in (("en", "bank", EN), ("ko", "눈", KO)):
        language = languages.get_language(code)
        rows = []
        for sense, sentences in labeled.items():
            for sentence in sentences:
                tokens = language.tokenize(sentence)
                rows.append({"tokens": tokens, "position": tokens.index(word), "lemma": word, "sense": sense})
        corpus, other = folder / f"{code}.jsonl", folder / f"{code}.txt"
        corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        other.write_text("\n".join(OTHER[code]), encoding="utf-8")
        one, two = labeled.values()
        texts = [{"text": one[0], "word": word}, {"text": two[0], "word": word}]
        alike = ("Green hills shine.", "Green tea cools.") if code == "en" else ("푸른 산이 보인다.", "푸른 차를 마신다.")
        unlabeled = tuple({"text": text, "word": language.tokenize(text)[0]} for text in alike)
        results[code] = Texts(code, word, tuple(labeled), *texts, unlabeled, "강물" if code == "ko" else "sea", str(corpus), str(other))
    return results


def save_tiny(folder: Path, code: str) -> Path:
    """A random biLM of a language, with a softmax over a few words."""
    generator = torch.Generator().manual_seed(len(code) + ord(code[0]))
    with torch.random.fork_rng():
        torch.manual_seed(7 + ord(code[0]))
        model = BiLM(TINY)
    words = [*SPECIALS, *sorted({token for text in OTHER[code] for token in languages.get_language(code).tokenize(text)})]
    save_safetensors(model, folder, softmax=Softmax(len(words), TINY.projection, generator), words=words)
    (folder / "meta.json").write_text(json.dumps({"language": code}), encoding="utf-8")
    return folder


def requests_of(texts: Texts, model: str) -> list[tuple[str, dict]]:
    """Requests to every view, of a model by its name."""
    first, second, word = texts.first, texts.second, texts.word
    alike = {"first": texts.unlabeled[0], "second": texts.unlabeled[1]}
    both = {"first": first, "second": second}
    sides = {"word": word, "first": {"corpus": texts.corpus}, "second": {"corpus": texts.other}}
    spaces = [{"source": model, "layer": layer, "corpus": texts.corpus} for layer in ("1", "2")]
    requests = {
        "pair": [both, alike],
        "neighbors": [
            {"word": first, "space": "1"},
            {"word": first, "space": "mix", "weights": "1,2,1", "among": "other words"},
            {"word": second, "space": "2", "among": "types"},
            {"word": second, "space": "senses"},
        ],
        "induction": [{"word": word}, {"word": word, "space": "2", "number": 3}, {"word": word, "given": [[0, "a"], [7, "b"]]}],
        "layouts": [
            {"word": word, "plan": "pca", "contexts": [first]},
            {"word": word, "plan": "poles", "ends": [f"{word}: {sense}" for sense in texts.senses]},
        ],
        "substitutes": [{"words": [first, second]}, {"words": [second], "direction": "forward", "k": 3}],
        "mix": [{"words": [first], "weights": [1, 0, 2], "among": "types"}],
        "around": [{"word": word, "contexts": [first, second]}, {"word": word, "plan": "between", "contexts": [second, first]}],
        "attribution": [
            {"word": first},
            {"word": first, "how": "swap", "swap": texts.swap},
            {"word": texts.unlabeled[0], "other": texts.unlabeled[1], "how": "mask"},
        ],
        "edits": [{**alike, "space": "1"}],
        "change": [{**sides, "space": "1"}, {**sides, "space": "senses", "number": 2}],
        "concordance": [
            *({"query": word}, {"query": f"{word[:3]}*", "order": "right"}, {"query": word, "order": "substitutes"}),
            *({"query": word, "kind": "lemma", "order": "left"}, {"query": first["text"].rstrip("."), "order": "random", "seed": 3}),
        ],
        "collocates": [{"query": word, "minimum": 1}, {"query": word, "minimum": 1, "senses": "labels", "grammar": False}],
        "keyness": [{"against": texts.other, "minimum": 1}],
        "compare": [{"first": spaces[0], "second": spaces[1]}],
    }
    assert requests.keys() == set(wire.VIEWS)
    return [(name, request) for name, each in requests.items() for request in each]


def questions(texts: Texts, model: str) -> dict[str, Callable[[Workspace], Any]]:
    """Return named calls of every view and of the other functions of a workspace."""
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
        "widest gap": lambda workspace: substitutes.opening_place(workspace, substitutes.read_text(workspace, typed)),
    }
    views = {f"{name} {json.dumps(given)}": partial(wire.answer, name=name, request=given) for name, given in requests_of(texts, model)}
    return views | functions


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> dict[str, Texts]:
    return write_corpora(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, str]:
    """Two models of each language, and the language of each."""
    tiny = {code: str(save_tiny(tmp_path_factory.mktemp("models") / code, code)) for code in ("en", "ko")}
    return {"elmo-mini": "en", tiny["en"]: "en", "elmo-ko-mini": "ko", tiny["ko"]: "ko"}


ROUNDING = {"absolute": 2e-3, "relative": 1e-3}


def test_threads_that_share_workspaces_of_two_languages_and_models_get_the_answers_computed_alone(texts, models, monkeypatch):
    read = languages._read  # of labeled sentences, only the first 120: a model without a bundled table encodes all of them
    monkeypatch.setattr(languages, "_read", cache(lambda path: replace(read(path), basic=120)))
    monkeypatch.setattr(tables, "_labels_to_add", lambda *_: None)
    monkeypatch.setattr(tables, "_is_bundled", lambda *_: False)
    rng = random.Random(SEED)
    pool = [(model, name) for model, code in models.items() for name in questions(texts[code], model)]
    drawn = rng.choices(pool, k=REQUESTS)
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
            if [*differences(answer, alone[model, name], **ROUNDING)]:
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
        first, second = ({"text": sentences[0], "word": texts[code].word} for sentences in (EN if code == "en" else KO).values())
        found = wire.answer(workspace, "concordance", {"query": texts[code].word})
        verdict = wire.answer(workspace, "pair", {"first": first, "second": second})["judgment"]["verdict"]
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
