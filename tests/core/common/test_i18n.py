"""Test texts in the user's language: catalogs that fit the code, placeholders, and Korean particles."""

import ast
import gettext
import hashlib
import re
import string
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.classify.model import VARIANTS
from core.common import catalogs, i18n
from core.common.i18n import FOLDER, damaged, languages, particle, say, t, tn
from core.files.published import catalog
from core.tasks.heads import TASKS

ROOT = Path(__file__).resolve().parents[3]
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: {plurals};"\n\n'


@pytest.fixture
def spoken(tmp_path: Path, monkeypatch):
    def speak(entries: str, plurals: str = "nplurals=2; plural=(n != 1)") -> Path:
        path = tmp_path / "texts" / "xx.po"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEADER.format(plurals=plurals) + entries, encoding="utf-8")
        monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path))
        i18n._read.cache_clear()
        i18n.use("xx")
        return path

    return speak


@pytest.fixture(scope="module")
def in_code() -> dict:
    return catalogs.in_code(ROOT)


def places(*texts: str) -> set[str]:
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def entries(language: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the English forms and the translated forms of each entry of a catalog."""
    read = [(m.id, m.string) for m in catalogs.read(FOLDER / f"{language}.po") if m.id]
    return [tuple((item,) if isinstance(item, str) else tuple(item) for item in entry) for entry in read]


def test_every_text_is_a_literal_whose_places_are_given(nodes):
    wrong = []
    for path, call in nodes:
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in catalogs.CALLS:
            continue
        n = catalogs.CALLS[call.func.id]
        texts = [arg.value for arg in call.args[:n] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        names = {k.arg for k in call.keywords}
        counted = {"n"} if n == 2 else set()
        if len(texts) < n or len(call.args) != n + len(counted):
            wrong.append(f"{path}:{call.lineno}: t takes one literal, tn two and a count")
        elif None not in names and places(*texts) | counted != names | counted:
            wrong.append(f"{path}:{call.lineno}: places {places(*texts)}, given {names}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("language", [name for name in languages() if name != i18n.ENGLISH])
def test_a_catalog_has_every_text_of_the_app_with_its_places_and_is_compiled(language: str, in_code):
    path = FOLDER / f"{language}.po"
    texts = catalogs.read(path)
    assert all(map(all, (other for _, other in entries(language)))), "an entry is empty"
    assert not [english for english, other in entries(language) if not places(*other) <= places(*english)]
    assert catalogs.renew(texts, in_code) == ([], []), "new, and no longer used: python -m core.lab texts"
    assert path.read_bytes() == catalogs.po_bytes(texts), "not sorted, or not one line each: python -m core.lab texts"
    assert path.with_suffix(".mo").read_bytes() == catalogs.compiled(texts), "not compiled: python -m core.lab texts"


def test_places_are_filled_and_what_no_catalog_has_stays_english(spoken):
    assert t("{share:.0%} of {{all}}", share=0.5) == "50% of {all}"
    spoken('msgid "{n} words"\nmsgstr "{n:을/를} 봅니다"\n')
    assert t("{n} words", n="눈") == "눈을 봅니다" and t("nothing known of this") == "nothing known of this" and say("") == ""
    spoken('msgid "{n} words"\nmsgstr "“{n:”을/를} 봅니다"\n')
    assert t("{n} words", n="말") == "“말”을 봅니다" and t("{n} words", n="차") == "“차”를 봅니다"
    i18n.use("no such language")
    assert t("{n} words", n="눈") == "눈 words"


def test_titles_that_are_reported_by_name_have_their_korean():
    english = catalog()
    i18n.use("ko")
    titles = [task.title for task in TASKS.values()] + [entry.title.removeprefix(f"{entry.name}, ") for entry in english]
    titles += [variant.title for variant in VARIANTS.values() if re.search(r"(?<![.\w])[a-z]{3}", variant.title)]  # names stay as they are
    assert len(titles) > 30 and not [title for title in titles if not re.search("[가-힣]", say(title))]


def test_a_number_takes_the_form_that_its_language_has_for_it(spoken):
    def said(n: int) -> str:
        return tn("{n:,} file in {place}", "{n:,} files in {place}", n, place="x")

    assert [said(n) for n in (0, 1, 2, 1000)] == ["0 files in x", "1 file in x", "2 files in x", "1,000 files in x"]
    entry = 'msgid "{n:,} file in {place}"\nmsgid_plural "{n:,} files in {place}"\n'
    three = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2)"
    spoken(entry + 'msgstr[0] "plik"\nmsgstr[1] "{n} pliki"\nmsgstr[2] "{n} plików"\n', three)
    assert [said(n) for n in (1, 3, 5, 22)] == ["plik", "3 pliki", "5 plików", "22 pliki"]
    spoken(entry + 'msgstr[0] "{n}: {nothing}"\nmsgstr[1] ""\n')  # one form that cannot be filled, one not written yet
    assert [said(n) for n in (1, 2)] == ["1 file in x", "2 files in x"]
    i18n.use("ko")
    assert [tn("{n:,} occurrence", "{n:,} occurrences", n) for n in (1, 5)] == ["1회", "5회"]


KOREAN = (FOLDER / "ko.mo").read_bytes()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(("xx.mo", content) for content in (b"", b"nothing of the kind", KOREAN[:9000])),
        ("xx.mo", KOREAN[:30_000] + b"\xff" * 9 + KOREAN[30_009:]),
        *(("xx.po", content) for content in (b'msgid "yes"\nmsgst "ja"\n', b"\xff\xfe\x00", b"[1, 2]")),
        ("xx.po", b'msgid ""\nmsgstr "Plural-Forms: nplurals=x; plural=import;"\n'),
    ],
)
def test_a_damaged_catalog_is_named_and_english_is_used(tmp_path: Path, monkeypatch, name: str, content: bytes):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / name).write_bytes(content)
    monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path))
    i18n.use("xx")
    assert t("#### Comparison") == "#### Comparison" and tn("{n} find", "{n} finds", 2) == "2 finds"
    assert damaged("xx") == name and damaged("ko") == damaged("en") == ""


def test_a_translator_s_command_keeps_what_is_reported_and_compiles_it(tmp_path: Path, call, answer, refused, monkeypatch, in_code):
    monkeypatch.setattr(catalogs, "in_code", lambda _: in_code)
    path = tmp_path / "fr.po"
    made = answer("lab", "texts", path)[str(path)]
    assert made["texts"] == len(made["new"]) == len(made["empty"]) > 2000 and not made["unused"]
    written = path.read_text(encoding="utf-8")
    assert '"Language: fr\\n"' in written and "nplurals=2" in written and "Date" not in written and "Babel" not in written
    written = written.replace('msgid "#### Comparison"\nmsgstr ""', 'msgid "#### Comparison"\nmsgstr "#### Comparaison"')
    written += '\nmsgid "no longer said"\nmsgstr "x"\n\n# a name\nmsgid "said by its name"\nmsgstr "nom"\n'
    path.write_text(written, encoding="utf-8")
    _, message, _ = call("lab", "texts", path)
    assert "0 new, 1 removed" in message and "#### Comparison" not in message and message.endswith(f" more, empty in {path}\n")
    once = path.read_bytes(), path.with_suffix(".mo").read_bytes()
    french = gettext.GNUTranslations(path.with_suffix(".mo").open("rb"))
    assert french.gettext("#### Comparison") == "#### Comparaison" and french.gettext("said by its name") == "nom"
    assert b"no longer said" not in once[0]
    monkeypatch.setattr("core.common.config.ASSETS", tmp_path)
    (tmp_path / "SHA256").write_text(f"{'0' * 64}  fr.po\n")  # as the sum is of what a translator has since written over
    assert call("lab", "texts", path)[0] == 0 and once == (path.read_bytes(), path.with_suffix(".mo").read_bytes())
    assert f"{hashlib.sha256(once[0]).hexdigest()}  fr.po" in (tmp_path / "SHA256").read_text()
    path.write_text("no catalog", encoding="utf-8")
    assert "cannot be read as a .po file" in refused("lab", "texts", path)


def test_a_thread_that_was_told_nothing_asks_the_source(monkeypatch):
    monkeypatch.setattr(i18n._language, "_source", lambda: None)
    i18n.follow(lambda: "ko")
    i18n.use("en")
    with ThreadPoolExecutor(1) as others:
        assert (i18n.language(), others.submit(i18n.language).result()) == ("en", "ko")


def test_a_particle_follows_the_sound():
    for pair, words in (
        ("은/는", {"눈": "은", "배": "는", "bank": "은(는)", "ELMo": "는", "GloVe": "은(는)"}),
        *(("이/가", {"“말”": "이", "10": "이", "4": "가", "": "이(가)"}), ("을/를", {"차": "를"})),
        ("으로/로", {"손": "으로", "길": "로", "머리": "로", "8": "로", "elmo-mini": "로", "bank": "(으)로"}),
        ("과/와", {"사과": "와"}),
    ):
        assert {word: particle(word, *pair.split("/")) for word in words} == words


def test_no_particle_stands_inside_quotation_marks_and_no_word_twice():
    result = [korean for _, forms in entries("ko") for korean in forms]
    assert not [korean for korean in result if re.search(r"“\{\w+:[^}”]+/[^}]+\}”|\{(\w+)\}”\{\1:", korean)]
    fixed = r"(\{\w+:[^}/%]*[def]\}|“\{\w+\}”)([은는이가을를과와]|으?로)(?![가-힣(])"  # whatever number or word is before it
    assert not [korean for korean in result if re.search(fixed, korean)]
