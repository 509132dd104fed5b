"""Texts in the reader's language: catalogues that fit the code, places that are filled, particles that follow the sound."""

from __future__ import annotations

import ast
import copy
import re
import string
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.common import i18n
from core.common.i18n import Said, again, catalogue, languages, particle, t

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def english_again():
    yield
    i18n.use(None)


def calls() -> list[tuple[str, ast.Call]]:
    """Every call of `t` in the app, and of `Said` in the benchmark, whose rows a page says again; with where it stands."""
    found = []
    for path in [
        ROOT / "app.py",
        *(ROOT / "pages").rglob("*.py"),
        *(ROOT / "core").rglob("*.py"),
        *(ROOT / "tests" / "bench").rglob("*.py"),
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("t", "Said"):
                found.append((f"{path.relative_to(ROOT)}:{node.lineno}", node))
    return found


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_text_is_a_literal_whose_places_are_given():
    wrong = []
    for where, call in calls():
        literal = isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str) and len(call.args) == 1
        names = {k.arg for k in call.keywords}
        if not literal:
            wrong.append(f"{where}: t takes one literal")
        elif None not in names and places(call.args[0].value) != names:
            wrong.append(f"{where}: places {places(call.args[0].value)}, given {names}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("language", [name for name in languages() if name != i18n.ENGLISH])
def test_a_catalogue_asks_for_the_places_its_english_has(language: str):
    wrong = [english for english, other in catalogue(language).items() if not places(other) <= places(english)]
    assert not wrong


@pytest.mark.parametrize("language", [name for name in languages() if name != i18n.ENGLISH])
def test_a_catalogue_has_every_text_of_the_app(language: str):
    known = catalogue(language)
    asked = [
        (where, call.args[0].value) for where, call in calls() if call.func.id == "t" and isinstance(call.args[0], ast.Constant)
    ]
    missing = [
        f"{where}: {text}"
        for where, text in asked
        if text not in known and not where.startswith("tests") and re.search(r"[A-Za-z]{2}", text)
    ]
    assert not missing, "\n".join(missing)


def test_places_are_filled_and_what_no_catalogue_has_stays_english(monkeypatch):
    assert t("{share:.0%} of {{all}}", share=0.5) == "50% of {all}"
    monkeypatch.setattr(i18n, "languages", lambda: ("en", "xx"))
    monkeypatch.setattr(i18n, "catalogue", lambda language: {"{n} words": "{n:을/를} 봅니다"} if language == "xx" else {})
    i18n.use("xx")
    assert t("{n} words", n="눈") == "눈을 봅니다" and t("nothing known of this") == "nothing known of this"
    monkeypatch.setattr(i18n, "catalogue", lambda language: {"{n} words": "“{n:”을/를} 봅니다"} if language == "xx" else {})
    assert t("{n} words", n="말") == "“말”을 봅니다" and t("{n} words", n="차") == "“차”를 봅니다"
    i18n.use("no such language")
    assert t("{n} words", n="눈") == "눈 words"


def test_what_was_said_in_english_is_said_again_in_the_readers_language(monkeypatch):
    said = Said("{n} words of {who}", n="1,000", who="our engine")
    assert said == "1,000 words of our engine" == copy.deepcopy(said) and copy.deepcopy(said).template == "{n} words of {who}"
    monkeypatch.setattr(i18n, "languages", lambda: ("en", "xx"))
    monkeypatch.setattr(i18n, "catalogue", lambda language: {"{n} words of {who}": "{who}: {n}"} if language == "xx" else {})
    i18n.use("xx")
    assert again(said.template, said.values) == "our engine: 1,000" and again("AllenNLP", {}) == "AllenNLP"


def test_a_thread_that_was_told_nothing_asks_the_source(monkeypatch):
    monkeypatch.setattr(i18n, "_source", [])
    monkeypatch.setattr(i18n, "languages", lambda: ("en", "xx"))
    i18n.follow(lambda: "xx")
    i18n.use("en")
    with ThreadPoolExecutor(1) as others:
        assert (i18n.language(), others.submit(i18n.language).result()) == ("en", "xx")
        i18n.follow(lambda: None)
        assert others.submit(i18n.language).result() == "en"


@pytest.mark.parametrize(
    ("word", "pair", "expected"),
    [
        ("눈", "은/는", "은"), ("배", "은/는", "는"), ("“말”", "이/가", "이"), ("차", "을/를", "를"), ("손", "으로/로", "으로"),
        ("길", "으로/로", "로"), ("머리", "으로/로", "로"), ("10", "이/가", "이"), ("4", "이/가", "가"), ("8", "으로/로", "로"),
        ("bank", "은/는", "은(는)"), ("bank", "으로/로", "(으)로"), ("", "이/가", "이(가)"), ("사과", "과/와", "와"),
    ],
)  # fmt: skip
def test_a_particle_follows_the_sound(word: str, pair: str, expected: str):
    assert particle(word, *pair.split("/")) == expected


def test_no_particle_stands_inside_quotation_marks_and_no_word_twice():
    wrong = [korean for korean in catalogue("ko").values() if re.search(r"“\{\w+:[^}”]+/[^}]+\}”|\{(\w+)\}”\{\1:", korean)]
    assert not wrong
