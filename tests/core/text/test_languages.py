"""Test English, Korean cut into morphemes and joined again, a third language from files alone, and unread letters."""

import json
import random
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.common import i18n, reports
from core.common.config import ASSETS, ROOT
from core.common.errors import BadInput
from core.elmo.models import open_model
from core.text import languages, morphemes
from core.text import tokens as text
from core.text.corpora import locate, longer_word, recut, with_word
from core.text.languages import say_unread, unread
from core.text.readings import dictionary_forms, forms_among
from core.text.sentences import Sentence, Target, read_lines, read_sentences, sentences_from_text
from core.text.target_word import verbs_in
from core.text.tokens import bare, find_word, join_tokens

KO, EN = languages.get_language("ko"), languages.get_language("en")
TEXTS = ("눈이 내려서 눈을 감았다.", "'눈'이 (馬)은 말(馬)이 달린다!", '그는 "눈이 와!"라고 했다.')
TEXTS += ("1997~2000년에 가·나/다를 CD로 샀다…", "ㅋㅋㅋ 넘 재밌음ㅠㅠ 😀와 눈", "He said the 눈은 was snow, didn't he?")


@pytest.fixture(autouse=True)
def default_language():
    yield
    languages.use(None)


def plain(tokens: list[str]) -> list[str]:
    return [bare(token) for token in tokens]


def test_without_a_model_of_another_language_text_is_read_as_english(write, tmp_path):
    sentence = "Let's stick to the bank's plan, don't you think?"
    assert languages.in_use() == EN and languages.tokenize(sentence) == text.tokenize(sentence)
    for code, language in (("ko", KO), ("KO", KO), ("tlh", EN), (["ko"], EN), ({"ko": 1}, EN), (3, EN), (None, EN)):
        write("meta.json", json.dumps({"language": code}))
        assert languages.of_model(tmp_path) == language
    languages.use("ko")
    with languages.reading(EN):
        assert languages.tokenize("눈이") == ["눈이"]
    assert languages.in_use() == KO and plain(languages.tokenize("눈이")) == ["눈", "이"]
    assert plain(sentences_from_text("눈이 왔다. 배가 고프다.")[1].tokens) == ["배", "가", "고프", "다", "."]
    languages.use("nowhere")
    assert languages.in_use() == EN


def test_tokens_give_the_text_back_and_words_of_another_script_are_cut_as_in_english():
    assert [join_tokens(KO.tokenize(line)) for line in TEXTS] == list(TEXTS)
    tokens = ["He", "did", "n't", "say", "눈", "이", ",", "see", "https://a.b/c?x=1"]
    assert plain(KO.tokenize("He didn't say 눈이, see https://a.b/c?x=1")) == tokens
    assert KO.tokenize("") == [] and plain(KO.tokenize("\ud800눈이")) == ["\ud800", "눈", "이"]
    assert KO.tokenize("이 눈이")[0] != KO.tokenize("이 눈이")[2]  # this, and the particle
    assert EN.writes("café") and EN.writes("1990🎉") and not EN.writes("눈snow") and KO.writes("눈") and not KO.writes("snow")
    assert languages.match_script("눈") == [KO] and EN in languages.match_script("snow") and languages.match_script("ا") == []


def test_every_example_has_its_word_and_its_sense_is_one_of_ours():
    glosses = json.loads((ASSETS / "senses-ko.json").read_text(encoding="utf-8"))
    assert set(KO.examples["pairs"]) <= set(glosses) and set(EN.examples["spelling"]) == set(KO.examples["spelling"])
    assert all(find_word(KO.tokenize(s), word) for word, pair in KO.examples["pairs"].items() for s in pair)
    assert all(find_word(KO.tokenize(e["text"]), e["word"]) and e["sense"] in glosses[e["word"]] for e in KO.examples["decided"])


def test_a_label_stays_on_its_word_when_the_sentence_is_cut_again():
    assert plain(with_word(["배도", "부르다"], "배", KO)) == ["배", "도", "부르다"]
    whole = Sentence(("하얀", "눈이", "(", "눈이", ")", "왔다"), (Target(3, "눈이", "snow", "눈", "noun"), Target(0, "하얀", "white")))
    result = recut(whole, KO)
    assert [(bare(result.tokens[t.position]), t.sense) for t in result.targets] == [("눈", "snow"), ("하얀", "white")]
    assert join_tokens(result.tokens[: result.targets[0].position]) == "하얀 눈이 ("
    assert recut(Sentence(("부엌칼",), (Target(0, "부엌칼", "s", "부엌칼"),)), KO).tokens == ("부엌칼",)


@pytest.fixture
def uninstall(monkeypatch):
    def run(*packages: str) -> None:
        morphemes._analyzer.cache_clear()
        for package in packages:
            monkeypatch.setitem(sys.modules, package, None)

    yield run
    morphemes._analyzer.cache_clear()


def test_without_the_analyzer_one_sentence_says_what_to_install(uninstall, monkeypatch):
    uninstall("mecab", "fugashi")
    for version, packages in (((3, 12), "python-mecab-ko`"), ((3, 13), "fugashi python-mecab-ko-dic`")):
        monkeypatch.setattr(sys, "version_info", version)
        with pytest.raises(BadInput, match=f"pip install {packages}"):
            KO.tokenize("눈이 온다.")
    assert KO.tokenize("No Hangul here.") == text.tokenize("No Hangul here.")


def test_where_mecab_ko_cannot_be_installed_plain_mecab_cuts_with_its_dictionary(uninstall):
    sentences = [*TEXTS, "눈\ud800이 온다", "ㅋ" * 3000, "가\n나\t다"]
    expected = [join_tokens(KO.tokenize(sentence)) for sentence in sentences]
    uninstall("mecab")
    assert [join_tokens(KO.tokenize(sentence)) for sentence in sentences] == expected
    assert plain(KO.tokenize(TEXTS[0])) == ["눈", "이", "내려서", "눈", "을", "감", "았", "다", "."]


def describe(folder: Path, code: str, **entries) -> None:
    (folder / "languages").mkdir(parents=True, exist_ok=True)
    (folder / "languages" / f"{code}.json").write_text(json.dumps(entries), encoding="utf-8")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        *(({}, "names no language"), ({"name": "X", "tokenizer": "magic"}, "unknown tokenizer 'magic'")),
        *(({"name": "X", "color": 1}, "unknown color"), ({"name": "X", "filters": [3]}, "must be pairs")),
        ({"name": "X", "tokenizer": []}, r'"tokenizer" is \[\]\. Write it in the form "words"'),
        *(({"name": "X", "corpus": "wiki.txt"}, "in the form \\[]"), ({"name": "X", "basic": True}, '"basic" is true')),
    ],
)
def test_a_description_that_cannot_be_used_says_why(entries, message, tmp_path, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path))
    describe(tmp_path, "xx", **entries)
    with pytest.raises(BadInput, match=message):
        languages.get_language("xx")
    (tmp_path / "meta.json").write_text('{"language": "xx"}')
    with pytest.raises(BadInput, match=message):  # not read as English
        languages.of_model(tmp_path)
    with pytest.raises(BadInput, match=r"Unknown language '\.\./xx'"):
        languages.get_language("../xx")


def test_missing_vectors_are_not_searched_for_among_all(monkeypatch):
    monkeypatch.setattr("core.files.registry.entries", lambda kind: pytest.fail("lists all"))
    assert languages.ranks_of("") == languages.ranks_of("no-such-vectors") == {}


def make_language(folder: Path) -> None:
    """Write the files of a language of 30 words, with "pim" in two senses."""
    draw, rows = random.Random(0), []
    for k in range(240):
        words = ["karg", "dorb", "grum", "bakt"] if k % 2 else ["lora", "sifa", "nemi", "tulo"]
        tokens = ["ra", *draw.choices(words, k=3), "pim", *draw.choices(words, k=2), "."]
        rows.append({"tokens": tokens, "position": 4, "word": "pim", "lemma": "pim", "sense": "stone" if k % 2 else "bird"})
    for name in ("corpora", "texts", "models", "vectors"):
        (folder / name).mkdir(parents=True)
    (folder / "text.txt").write_text("".join(" ".join(row["tokens"]) + "\n" for row in rows), encoding="utf-8")
    (folder / "corpora" / "sentences-xx.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:24]), encoding="utf-8")
    (folder / "texts" / "xx.po").write_text('msgid "Does a word mean the same thing twice?"\nmsgstr "Pim ra pim?"\n')
    names = {"model": "elmo-xx", "vectors": "glove-xx", "sentences": "sentences-xx"}
    describe(folder, "xx", name="Pimra", tokenizer="spaces", filters=[[1, 4], [3, 16], [5, 16], [8, 32]], **names)


def open_home(code: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    page.query_params["lang"] = code
    page.run()
    assert not page.exception
    return page


def test_a_third_language_needs_files_and_two_commands(tmp_path: Path, monkeypatch, answer):
    data = tmp_path / "data"
    make_language(data)
    monkeypatch.setenv("ELMOSCOPE_DATA", str(data))
    shared = ("--corpus", data / "text.txt", "--language", "xx", "--hold-out", "0.1")
    answer("glove", *shared, "--output", data / "vectors" / "glove-xx", "--dim", "5", "--epochs", "2", "--processes", "1")
    sizes = "--tokens 6000 --hidden 16 --projection 8 --vocabulary 30 --batch-tokens 200 --negatives 20 --threads 1"
    answer("pretrain", *shared, "--output", tmp_path / "run", "--start-vectors", "glove-xx", *sizes.split())
    shutil.copytree(tmp_path / "run" / "model", data / "models" / "elmo-xx")
    prepared = json.loads((tmp_path / "run" / "prepared" / "meta.json").read_text())
    held = (tmp_path / "run" / "prepared" / "held-out.txt").read_text().splitlines()
    assert prepared["language"] == "xx" and 5 < len(held) < 60 and prepared["sentences"] + len(held) == 240
    model = open_model("elmo-xx")
    assert model.language.name == "Pimra" and model.encoder.model.shape.filters == ((1, 4), (3, 16), (5, 16), (8, 32))
    result = answer("neighbors", "--model", "elmo-xx", "--word", "pim", "--sentence", "ra lora pim sifa .", "--k", 100)
    assert {row["sense"] for row in result["neighbors"] if row["word"] == "pim"} == {"bird", "stone"}
    page = open_home("xx")
    assert not page.error and i18n.damaged("xx") == "" and [title.value for title in page.title] == ["Pim ra pim?"]
    chosen = {box.key: box.value for box in page.selectbox if box.key in ("model", "vectors", "corpus")}
    assert chosen == {"model": "elmo-xx", "vectors": "glove-xx", "corpus": "sentences-xx"}
    assert all("pim" in box.value.split() for box in page.text_input if box.key in ("a", "b"))


def test_a_language_whose_model_is_missing_is_used_and_english_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path))
    describe(tmp_path, "xx", name="Pimra", model="elmo-xx")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "xx.mo").write_bytes(b"cut off")
    page = open_home("xx")
    assert any("No Pimra model yet" in info.value for info in page.info)
    assert any("Cannot read the Pimra texts (xx.mo)" in item.value for item in page.warning)
    assert [box.value for box in page.selectbox if box.key == "model"] == ["elmo-mini"]


# Nouns with the copula, or ones that the analyzer cuts, glues to their particles, or reads at a sign: a word and its sentences.
NOUNS = """
공: 역사가는 그 임금의 공과 허물을 치우침 없이 기록했다. / 차: 좋은 차이다.|그가 산 것은 낡은 차였다.|이건 따뜻한 차예요.|새 차라서 조심한다.|차일 것이다
차: 작은 차이고 조용하다.|싼 차이니까 샀다.|차가 아니라 멋진 차이지만 느리다.|“멋진 차이다!”|그것이 차임을 알았다.|그것이 차임은 이미 밝혀졌다.
차: 작은 차임에도 불구하고 비싸다. / 배: 강에 떠 있는 것은 배였다.|배이라서 맛있다.|그것은 배로구나! / 말: 들판을 달리는 큰 말입니다.|그건 말일까?
벌: 가벼운 벌이라서 다행이다. / 눈: 맑은 눈이네요.|(그것은 눈이다) / 기사: 용감한 기사이며 시인이다.|어제 읽은 기사입니다. / 길: 좁은 길이었던 곳이다.
다리: 긴 다리야.|아픈 다리라고 했다. / 과장: 그는 과장이던 사람이다. / 부모님: "부모님의" 집|부모님의 / 사용자: 사용자하고|사용자로부터의 편지|사용자와의
선생님: 선생님들하고 갔다.|선생님으로서의 일|선생님일 것이다.|선생님뿐이다.|선생님만의 방법|그분은 우리 선생님이셨다.|선생님까지의 거리
메타버스: 그것이 메타버스다.|다음은 메타버스지.|메타버스니까 그렇다.|메타버스네요.|메타버스거든.|메타버스로구나! / 인플루언서: 인플루언서께서는 바쁘시다.
인플루언서: 그가 인플루언서임을 알았다.|저는 인플루언서고 너는 아니다. / 챗봇: 챗봇일지도 모른다 / 팬데믹: 팬데믹으로써 끝났다|팬데믹에서의 삶
자연어처리: 자연어처리하고 / LG전자: LG전자와의 계약 / 개: 개일 수도 있다 / 1980년대: 1980년대의 노래 / 大韓民國: 大韓民國의 역사 / 돈: 돈만의 문제
술: 술치고는 약하다 / COVID-19: “COVID-19”의 확산|(COVID-19의 확산) / K-pop: K-pop이나 듣자|K-pop이다. / T셔츠: T셔츠의 색 / E-mail: e-mail로 보냈다
GPT-4: GPT-4와 GPT-3 / IT기업: IT기업의 값 / AT&T: AT&T가 샀다 / C++: C++은 어렵다|C++, 자바 / C#: C#은 어렵다 / A/B: A/B의 차이 / CD-ROM: CD-ROM이
50%: 50%가 찬성했다|50%였다 / 5km: 5km를 뛰었다 / 3D: 3D이다.|3D의 세계 / 3.5%: 3.5%를 / F-16: F-16이 날았다 / 10℃: 10℃가
"""


def words_and_sentences(table: str) -> list[tuple[str, str]]:
    """Return the pairs of a table of "word: sentence|sentence", with " / " between the words of a line."""
    entries = [entry.split(": ") for line in table.strip().splitlines() for entry in line.split(" / ")]
    return [(word, sentence) for word, sentences in entries for sentence in sentences.split("|")]


@pytest.mark.parametrize(("word", "sentence"), words_and_sentences(NOUNS))
def test_a_noun_is_found_before_its_particles_or_the_copula_whatever_the_analyzer_makes_of_it(word, sentence):
    tokens, places = locate(KO.tokenize(sentence), word, KO)
    assert places and bare(tokens[places[0]]).casefold() == word.casefold()
    assert join_tokens(tokens) == join_tokens(KO.tokenize(sentence))


VERBS = """
타다: 버스를 탑니다.|버스를 탔다더라.|버스를 탈 것이다.|버스를 탄대. / 쓰다: 글을 써서 보냈다.|약이 씁니다.|돈을 쓰려고 / 듣다: 음악을 들었다.|음악을 듣는다.
걷다: 길을 걸었다.|길을 걸을 때 / 짓다: 집을 짓는다.|집을 지은 사람 / 돕다: 친구를 도왔다.|친구를 도우면 / 보다: 영화를 봤다. / 사랑하다: 너를 사랑해.
공부하다: 공부했다. / 깨끗하다: 깨끗한 방 / 자랑스럽다: 자랑스러운 아들 / 알다: 아는 사람|아시는 분 / 살다: 여기 사는 사람 / 놀다: 아이가 논다. / 열다: 문을 엽니다.
"""
OTHERS = "듣다: 짐을 들고 갔다. / 짓다: 해가 지고 있다. / 타다: 탑이 높다. / 알다: 아이가 왔다. / 사랑하다: 사랑이 왔다."


@pytest.mark.parametrize(
    ("language", "verb", "sentence", "is_found"),
    [
        *((KO, *row, rows is VERBS) for rows in (VERBS, OTHERS) for row in words_and_sentences(rows)),
        *((EN, *row, True) for row in words_and_sentences("have: He had a dog. / Have: I've time. / be: He was here. / do: She did it.")),
        *((EN, *row, True) for row in words_and_sentences("can: They could swim.|We can't. / will: It won't.")),
        (EN, "be", "It does not have me.", False),
    ],
)
def test_a_verb_is_found_in_its_forms_and_not_in_those_of_another(language, verb, sentence, is_found):
    places = locate(language.tokenize(sentence), verb, language, forms=True)[1]
    assert bool(places) == is_found and (language is KO or places == [1] * is_found)


def test_a_word_typed_as_one_types_it_has_its_dictionary_form():
    typed = {"갔어요": "가다", "쓰는": "쓰다", "예뻐요": "예쁘다", "밥을": "밥", "그리고": "", "🎉": "", "ran": "run", "evening": ""}
    assert {word: " ".join(dictionary_forms(word)) for word in typed} == typed
    assert forms_among(["갔", "가는", "감", "집", "간다", "", "go", "\u2060가"], "가다") == [0, 1, 4]
    assert forms_among(["go", "went", ""], "go") == []
    eaten, ink = morphemes.morphemes("점심을 먹었다."), morphemes.morphemes("벼루와 먹과 붓을 샀다.")
    assert "먹다" in verbs_in(eaten)[eaten.index("먹")] and "먹다" not in verbs_in(ink)[ink.index("먹")]


# A word and the longer one of which it is only a part in the sentences; "-" where the analyzer has none.
PARTS = """
밤 밤길: 밤길을 혼자 걸었다.|밤길의 끝이 보인다. / 밤 어젯밤: 어젯밤의 비가 그쳤다.|어젯밤하고 달랐다. / 눈 눈물: 눈물의 밤을 보냈다. / 달 -: 닭을 키운다.
배 배나무: 배나무를 심었다. / 배 배우: 배우일 것이다.|배우하고 말했다. / 차 차이: 둘의 차이가 크다.|차이일 것이다.|차이하고 합을 구했다.|차이만의 문제가 아니다.
차 차임: 종이 차임을 울렸다. / 책 책임: 그는 자기 책임을 알았다. / 메타버 메타버스다: 그것이 메타버스다. / 차 차고: 차고에 넣었다. / 말 거짓말: 거짓말을 했다.
강 강의: 강의 시간에 졸았다. / 매 매일: 매일 아침 운동했다. / 독 독일: 독일 사람을 만났다. / 불 불만: 불만의 소리가 높다. / 정 정하: 날짜를 정하고 갔다.
망 망치: 일을 망치고는 달아났다. / 학생 학생회: 학생회의 일을 했다. / 주민등록 주민등록일: 주민등록일 현재의 집이다. / 김 김치: 김치고는 맵다.
선생님 선생님댁의: 선생님댁의 문을 열었다. / 다리 다리미: 다리미의 값을 물었다. / 민원 민원인: 민원인을 찾아갔다. / 일주 일주일: 일주일 만에 왔다.
아 아들: 남은 것은 아들뿐이었다. / C+ -: C++은 어렵다. / GPT-4 -: GPT-4o가 나왔다.|GPT-4-turbo가 나왔다. / COVID-1 -: COVID-19의 확산을 막았다.
10k 10kg을: 10kg을 샀다. / 0% -: 50%가 찬성했다. / 0kg 10kg을: 10kg을 샀다. / 5km 15km를: 15km를 뛰었다. / LG전 LG전자의: LG전자의 값을 물었다. / AT& -: AT&T가 샀다.
회 회의: 회의 시간이 길었다. / 파 파일: 파일 이름을 고쳤다. / 3D 3D프린터를: 3D프린터를 샀다. / 대 대만: 대만의 도시를 보았다. / 게 게임: 게임을 했다.
변 변하: 마음이 변하고 말았다. / 말 말씀: 말씀하고 나가셨다. / 부모님 부모님집하고: 부모님집하고 가깝다. / K-p -: K-pop이 좋다. / 지 지도: 지도 한 장
"""


@pytest.mark.parametrize(("words", "sentence"), words_and_sentences(PARTS))
def test_a_word_that_is_only_a_part_of_a_longer_one_is_not_cut_out_and_the_longer_one_is_named(words, sentence):
    word, longer = words.split()
    tokens = KO.tokenize(sentence)
    assert locate(tokens, word, KO) == (tokens, []) and longer_word(tokens, word) == longer.replace("-", "")


@pytest.mark.parametrize(
    ("language", "text", "n"),
    [
        *((EN, "The café of Zürich, 1990 🎉 — “so”.", 0), (EN, "은행에서 돈을 빌렸다.", 3)),
        *((EN, "The Ελλάδα bank.", 1), (EN, "中国 и Россия עברית العربية", 5)),
        (EN, "The 1º bank, nº 5, 5 µm, 5Ω and Hawaiʻi.", 0),
        (EN, "ｂａｎｋ bank", 0),  # read as bank
        (KO, "KBS가 CD를 냈다. 그 회사는 LG이다.", 0),  # names in Latin letters are usual there
        *((KO, "은행에서 돈을 빌렸다.", 0), (KO, "The bank of the river is closed.", 7)),
        *((KO, "그 Ελλάδα 은행", 1), (KO, "銀行에 갔다.", 1)),
    ],
)
def test_tokens_in_letters_that_the_language_has_not_are_counted(language, text, n):
    counts = Counter(language.tokenize(text))
    assert unread(counts, language).total() == n
    assert (f"letters: {n} of {sum(counts.values())} (" in say_unread(counts, language)) == bool(n)


def test_unread_letters_are_reported_once(write):
    path = write("a.txt", "The bank.\n은행에서 돈을 빌렸다.\n")
    with reports.collecting() as found:
        read_sentences(path)
        read_lines(path)
    (note,) = found.values()
    assert note.startswith("a.txt: Tokens not in English letters: 3 of 7 (")
