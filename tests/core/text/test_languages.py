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
from core.text.corpora import locate, longer_word, open_corpus, recut, with_word
from core.text.languages import note_unread, say_unread, unread
from core.text.sentences import Sentence, Target, read_lines, read_sentences, sentences_from_text
from core.text.tokens import JOINER, bare, character_ids, find_word, join_tokens

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
    assert languages.of_model(ASSETS / "elmo-mini") == EN
    for code, language in (("ko", KO), ("KO", KO), ("tlh", EN), (["ko"], EN), ({"ko": 1}, EN), (3, EN), (None, EN)):
        write("meta.json", json.dumps({"language": code}))
        assert languages.of_model(tmp_path) == language
    languages.use("ko")
    assert languages.in_use() == KO
    with languages.reading(EN):
        assert languages.tokenize("눈이") == ["눈이"]
    assert plain(languages.tokenize("눈이")) == ["눈", "이"]
    assert plain(sentences_from_text("눈이 왔다. 배가 고프다.")[1].tokens) == ["배", "가", "고프", "다", "."]
    languages.use("nowhere")
    assert languages.in_use() == EN


def test_a_word_in_another_script_is_of_another_language():
    assert EN.writes("café") and not EN.writes("눈") and not EN.writes("눈snow")
    assert KO.writes("눈") and not KO.writes("snow")
    assert languages.match_script("눈") == [KO] and EN in languages.match_script("snow") and languages.match_script("ا") == []
    assert EN.writes("1990") and EN.writes("🎉")  # no letters, no language


def test_a_word_is_the_same_token_whatever_particle_follows():
    lines = [KO.tokenize(line) for line in ("눈이 온다.", "하얀 눈을 보았다.", "코도 눈도 크다.")]
    first, *others = [character_ids(tokens)[find_word(tokens, "눈")[0]] for tokens in lines]
    assert all((ids == first).all() for ids in others)
    assert KO.tokenize("이 눈이")[0] != KO.tokenize("이 눈이")[2]  # this, and the particle


@pytest.mark.parametrize("line", TEXTS)
def test_tokens_give_the_text_back(line: str):
    tokens = KO.tokenize(line)
    assert join_tokens(tokens) == line and KO.tokenize(join_tokens(tokens)) == tokens


def test_our_sentences_give_their_text_back_and_each_has_its_word_as_a_token():
    rows = list(map(json.loads, (ASSETS / "sentences-ko.jsonl").read_text("utf-8").splitlines()[: KO.basic]))
    result = open_corpus("sentences-ko")
    assert [join_tokens(s.tokens) for s in result] == [join_tokens(row["tokens"]) for row in rows]
    assert [bare(s.tokens[s.targets[0].position]) for s in result] == [row["lemma"] for row in rows]
    assert all(s.tokens[s.targets[0].position] == s.targets[0].word for s in result)


def test_every_example_has_its_word_and_its_sense_is_one_of_ours():
    glosses = json.loads((ASSETS / "senses-ko.json").read_text(encoding="utf-8"))
    assert {"의사", "말", "길", "머리", "가지", "벌", "전기", "공"} <= set(KO.examples["pairs"]) <= set(glosses)
    assert all(find_word(KO.tokenize(s), word) for word, pair in KO.examples["pairs"].items() for s in pair)
    assert all(find_word(KO.tokenize(e["text"]), e["word"]) for e in KO.examples["decided"])
    assert all(e["sense"] in glosses[e["word"]] for e in KO.examples["decided"])
    assert set(EN.examples["spelling"]) == set(KO.examples["spelling"])


def test_words_of_another_script_are_cut_as_in_english():
    tokens = ["He", "did", "n't", "say", "눈", "이", ",", "see", "https://a.b/c?x=1"]
    assert plain(KO.tokenize("He didn't say 눈이, see https://a.b/c?x=1")) == tokens
    assert KO.tokenize("") == [] and KO.tokenize(" \n") == []
    assert plain(KO.tokenize("\ud800눈이")) == ["\ud800", "눈", "이"]


def test_a_word_is_cut_out_where_the_analyzer_leaves_it_in_another():
    tokens = KO.tokenize("벌도 벌에게 쏘였다.")
    assert plain(with_word(["배도", "부르다"], "배", KO)) == ["배", "도", "부르다"]
    cut = with_word(tokens, "벌", KO)
    assert find_word(cut, "벌") and join_tokens(cut) == join_tokens(tokens) and with_word(tokens, "닭", KO) == tokens


def test_a_label_stays_on_its_word_when_the_sentence_is_cut_again():
    whole = Sentence(("하얀", "눈이", "(", "눈이", ")", "왔다"), (Target(3, "눈이", "snow", "눈", "noun"), Target(0, "하얀", "white")))
    result = recut(whole, KO)
    assert [(bare(result.tokens[t.position]), t.sense) for t in result.targets] == [("눈", "snow"), ("하얀", "white")]
    assert join_tokens(result.tokens[: result.targets[0].position]) == "하얀 눈이 ("
    assert recut(Sentence(("부엌칼",), (Target(0, "부엌칼", "s", "부엌칼"),)), KO).tokens == ("부엌칼",)


@pytest.fixture
def uninstall(monkeypatch):
    """`uninstall("mecab")` hides packages of the analyzer."""

    def run(*packages: str) -> None:
        morphemes._analyzer.cache_clear()
        for package in packages:
            monkeypatch.setitem(sys.modules, package, None)

    yield run
    morphemes._analyzer.cache_clear()


@pytest.mark.parametrize(("version", "packages"), [((3, 12), "python-mecab-ko`"), ((3, 13), "fugashi python-mecab-ko-dic`")])
def test_without_the_analyzer_one_sentence_says_what_to_install(uninstall, monkeypatch, version, packages):
    uninstall("mecab", "fugashi")
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
        ({"name": "X", "corpus": 5}, '"corpus" is 5'),
        *(({"name": "X", "corpus": "wiki.txt"}, "in the form \\[]"), ({"name": "X", "examples": []}, "in the form {}")),
        *(({"name": "X", "words": None}, '"words" is null'), ({"name": "X", "basic": True}, '"basic" is true')),
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


@pytest.mark.parametrize("vectors", ["", "no-such-vectors"])
def test_missing_vectors_are_not_searched_for_among_all(vectors, monkeypatch):
    monkeypatch.setattr("core.files.registry.entries", lambda kind: pytest.fail("lists all"))
    assert languages.ranks_of(vectors) == {}


def make_language(folder: Path) -> None:
    """Write the files of a language of 30 words, with "pim" in two senses."""
    draw = random.Random(0)
    worlds = {"bird": ["lora", "sifa", "nemi", "tulo"], "stone": ["karg", "dorb", "grum", "bakt"]}
    rows, lines = [], []
    for k in range(240):
        sense = ("bird", "stone")[k % 2]
        tokens = ["ra", *draw.choices(worlds[sense], k=3), "pim", *draw.choices(worlds[sense], k=2), "."]
        lines.append(" ".join(tokens))
        if k < 24:
            rows.append({"tokens": tokens, "position": 4, "word": "pim", "lemma": "pim", "sense": sense})
    for name in ("corpora", "texts", "models", "vectors"):
        (folder / name).mkdir(parents=True)
    (folder / "text.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "corpora" / "sentences-xx.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
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
    assert not page.error
    assert [title.value for title in page.title] == ["Pim ra pim?"]
    chosen = {box.key: box.value for box in page.selectbox if box.key in ("model", "vectors", "corpus")}
    assert chosen == {"model": "elmo-xx", "vectors": "glove-xx", "corpus": "sentences-xx"}
    assert all("pim" in box.value.split() for box in page.text_input if box.key in ("a", "b"))
    assert i18n.damaged("xx") == "" and JOINER not in page.title[0].value


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
공: 역사가는 그 임금의 공과 허물을 치우침 없이 기록했다.
차: 좋은 차이다.|그가 산 것은 낡은 차였다.|향이 좋은 차입니다.|이건 따뜻한 차예요.|비싼 차인데 자주 고장난다.|작은 차이고 조용하다.|새 차라서 조심한다.
차: 싼 차이니까 샀다.|차가 아니라 멋진 차이지만 느리다.|“멋진 차이다!”|차일 것이다|그것이 차임을 알았다.
차: 그것이 차임은 이미 밝혀졌다.|작은 차임에도 불구하고 비싸다.
배: 강에 떠 있는 것은 배였다.|큰 배이지만 느리다.|배이라서 맛있다.|항구에 들어온 배이다.|달콤한 배입니다.|그것은 배로구나!
말: 들판을 달리는 큰 말입니다.|그것은 진심 어린 말이었다.|그건 말일까?|그것이 말임을 알았다.|흰 말인데 빠르다.
벌: 꽃에 앉은 것은 벌이었다.|무서운 벌이에요.|가벼운 벌이라서 다행이다. / 눈: 맑은 눈이네요.|(그것은 눈이다)|밤새 내린 것은 눈이었다.
기사: 그는 택시 기사였다.|용감한 기사이며 시인이다.|어제 읽은 기사입니다. / 길: 좁고 험한 길이라도 가겠다.|좁은 길이었던 곳이다.
다리: 강 위의 다리였다.|긴 다리야.|아픈 다리라고 했다. / 과장: 새로 온 과장이에요.|그는 과장이던 사람이다.
부모님: 부모님의 집에 갔다.|"부모님의" 집|부모님의 / 사용자: 사용자의 뜻|사용자하고|사용자에서의 일|사용자로부터의 편지|사용자와의
선생님: 선생님의 말씀|선생님하고 갔다.|선생님들하고 갔다.|선생님과의 대화|선생님으로서의 일|선생님일 것이다.|선생님일 수 있다|선생님일 때|선생님뿐이다.
선생님: 선생님만의 방법|그분은 우리 선생님이셨다.|선생님까지의 거리 / 교수님: 교수님의 책|교수님의 / 사장님: 사장님의 차 / 형님: 형님의 집
메타버스: 그것이 메타버스다.|다음은 메타버스지.|메타버스니까 그렇다.|메타버스네요.|메타버스거든.|메타버스였다.|메타버스로구나!
인플루언서: 그는 인플루언서다.|인플루언서께서는 바쁘시다.|그가 인플루언서임을 알았다.|저는 인플루언서고 너는 아니다.
챗봇: 챗봇의 답|챗봇하고 논다|챗봇과의 대화|챗봇으로의 전환|챗봇일지도 모른다 / 팬데믹: 팬데믹의 끝|팬데믹으로써 끝났다|팬데믹에서의 삶
자연어처리: 자연어처리의 길|자연어처리하고 / 기계학습: 기계학습의 길 / LG전자: LG전자의 값|LG전자와의 계약 / 개: 개일 것이다|개일 수도 있다
1980년대: 1980년대의 노래|1980년대하고 / 大韓民國: 大韓民國의 역사 / 돈: 돈만의 문제 / 술: 술치고는 약하다 / AI반도체: AI반도체의 값
COVID-19: COVID-19의 확산|“COVID-19”의 확산|(COVID-19의 확산) / K-pop: K-pop이 좋다|K-pop이나 듣자|K-pop이다. / T셔츠: T셔츠의 색
E-mail: e-mail로 보냈다 / e-mail: e-mail을 보냈다 / GPT-4: GPT-4가 나왔다|GPT-4와 GPT-3 / Wi-Fi: Wi-Fi가 끊겼다 / IT기업: IT기업의 값
AT&T: AT&T가 샀다 / C++: C++은 어렵다|C++, 자바 / C#: C#은 어렵다 / A/B: A/B의 차이 / H2O: H2O의 화학식 / CD-ROM: CD-ROM이
50%: 50%가 찬성했다|50%였다 / 5km: 5km를 뛰었다 / 3D: 3D가 좋다|3D이다.|3D의 세계 / 3.5%: 3.5%를 / F-16: F-16이 날았다
10%: 10%의 사람 / 10kg: 10kg을 샀다 / 10℃: 10℃가 / U2: U2의 노래
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
타다: 버스를 탑니다.|버스를 타세요.|버스를 탔다더라.|버스를 탈 것이다.|버스를 타거라.|버스를 탄대.|버스를 타셨다.
쓰다: 글을 써서 보냈다.|약이 씁니다.|모자를 썼단다.|돈을 쓰려고|글을 쓰라고 했다.
듣다: 음악을 듣는다.|음악을 들었다.|음악을 들어요.|음악을 들으면|음악을 들은 사람
걷다: 길을 걷는다.|길을 걸었다.|길을 걸을 때
짓다: 집을 짓는다.|집을 지었다.|집을 지은 사람
돕다: 친구를 도왔다.|친구를 도우면
보다: 영화를 봤다. / 사랑하다: 너를 사랑해.|사랑하는 사람 / 공부하다: 공부했다. / 깨끗하다: 깨끗한 방 / 자랑스럽다: 자랑스러운 아들
알다: 아는 사람|아시는 분 / 살다: 여기 사는 사람 / 팔다: 책을 파는 가게 / 놀다: 아이가 논다. / 열다: 문을 엽니다. / 만들다: 집을 만듭니다.
"""


OTHERS = "듣다: 짐을 들고 갔다. / 짓다: 해가 지고 있다. / 타다: 탑이 높다. / 알다: 아이가 왔다. / 사랑하다: 사랑이 왔다."


@pytest.mark.parametrize(
    ("language", "verb", "sentence", "is_found"),
    [
        *((KO, *row, True) for row in words_and_sentences(VERBS)),
        *((KO, *row, False) for row in words_and_sentences(OTHERS)),
        *((EN, *row, True) for row in words_and_sentences("have: He had a dog. / Have: I've time. / be: He was here. / do: She did it.")),
        *((EN, *row, True) for row in words_and_sentences("can: They could swim.|We can't. / will: It won't.")),
        (EN, "be", "It does not have me.", False),
    ],
)
def test_a_verb_is_found_in_its_forms_and_not_in_those_of_another(language, verb, sentence, is_found):
    places = locate(language.tokenize(sentence), verb, language, forms=True)[1]
    assert bool(places) == is_found and (language is KO or places == [1] * is_found)


# A word and the longer one of which it is only a part in the sentences; "-" where the analyzer has none.
PARTS = """
밤 밤길: 밤길을 혼자 걸었다.|밤길의 끝이 보인다. / 밤 어젯밤: 어젯밤에 비가 왔다.|어젯밤의 비가 그쳤다.|어젯밤하고 달랐다.
눈 눈물: 눈물을 흘렸다.|눈물의 밤을 보냈다. / 배 배나무: 배나무를 심었다. / 배 배우: 배우일 것이다.|배우하고 말했다.
차 차이: 둘의 차이가 크다.|차이일 것이다.|차이하고 합을 구했다.|차이만의 문제가 아니다.|두 값의 차이도 작다.|차이의 크기를 쟀다.
차 차임: 종이 차임을 울렸다.|월 차임을 냈다. / 책 책임: 그는 자기 책임을 알았다.|책임을 밝혔다. / 메타버 메타버스다: 그것이 메타버스다.
차 차고: 차고에 넣었다. / 말 거짓말: 거짓말을 했다. / 달 -: 닭을 키운다. / 강 강의: 강의 시간에 졸았다. / 매 매일: 매일 아침 운동했다.
제 제일: 제일 좋은 것을 샀다. / 독 독일: 독일 사람을 만났다. / 불 불만: 불만의 소리가 높다. / 책 책임: 책임을 졌다. / 모 모임: 모임을 열었다.
정 정하: 날짜를 정하고 갔다. / 강 강하: 강하고 빠른 말이다. / 망 망치: 일을 망치고는 달아났다. / 학생 학생회: 학생회의 일을 했다.
개 개미: 개미의 집을 보았다.|개미일 것이다.|개미하고 벌이 산다. / 주민등록 주민등록일: 주민등록일 현재의 집이다. / 김 김치: 김치고는 맵다.
선생님 선생님댁의: 선생님댁의 문을 열었다. / 다리 다리미: 다리미의 값을 물었다. / 민원 민원인: 민원인을 찾아갔다. / 일주 일주일: 일주일 만에 왔다.
아 아들: 남은 것은 아들뿐이었다. / C+ -: C++은 어렵다. / GPT-4 -: GPT-4o가 나왔다.|GPT-4-turbo가 나왔다. / COVID-1 -: COVID-19의 확산을 막았다.
10k 10kg을: 10kg을 샀다. / 0% -: 50%가 찬성했다. / 5km 15km를: 15km를 뛰었다. / LG전 LG전자의: LG전자의 값을 물었다. / AT& -: AT&T가 샀다.
배 배지: 배지를 달았다. / 회 회의: 회의 시간이 길었다. / 내 내일: 내일 만나자. / 과 과일: 과일 가게에 갔다. / 종 종일: 종일 잠을 잤다.
파 파일: 파일 이름을 고쳤다. / 통 통일: 통일 문제를 다루었다. / 생 생일: 생일 선물을 받았다. / 비 비만: 비만의 원인을 찾았다.
대 대만: 대만의 도시를 보았다. / 교 교만: 교만의 죄를 지었다. / 게 게임: 게임을 했다. / 변 변하: 마음이 변하고 말았다. / 구 구하: 방을 구하고 쉬었다.
배 배꼽: 배꼽의 모양이 다르다.|배꼽일 것이다. / 말 말씀: 말씀의 뜻을 물었다.|말씀하고 나가셨다. / 술 술집: 술집의 문을 열었다.
부모님 부모님집하고: 부모님집하고 가깝다. / 대학 대학원: 대학원의 문을 열었다. / 사 사람: 사람의 뜻을 물었다. / K-p -: K-pop이 좋다.
시 시인: 시인 윤동주를 좋아한다. / 개 개인: 개인 정보를 지킨다. / 파 파도: 파도 소리 / 포 포도: 포도 주스 / 나 나라: 나라 사랑
주 주인: 주인 아저씨가 왔다. / 한국 한국인: 한국인 친구가 왔다. / 지 지도: 지도 한 장 / 결 결과: 결과 보고
0kg 10kg을: 10kg을 샀다. / 3D 3D프린터를: 3D프린터를 샀다.
"""


@pytest.mark.parametrize(("words", "sentence"), words_and_sentences(PARTS))
def test_a_word_that_is_only_a_part_of_a_longer_one_is_not_cut_out_and_the_longer_one_is_named(words, sentence):
    word, longer = words.split()
    tokens = KO.tokenize(sentence)
    assert locate(tokens, word, KO) == (tokens, []) and longer_word(tokens, word) == longer.replace("-", "")


@pytest.mark.parametrize(
    ("language", "text", "n"),
    [
        *((EN, "The bank of the river.", 0), (EN, "The café of Zürich, 1990 🎉 — “so”.", 0), (EN, "은행에서 돈을 빌렸다.", 3)),
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
        note_unread(EN.tokenize("The bank."), EN)
    (text,) = found.values()
    assert text.startswith("a.txt: Tokens not in English letters: 3 of 7 (")
