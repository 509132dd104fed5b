"""Sixty words of a visitor's own, opened cold by link on every page that follows it: `python -m tests.bench.own_words`.

usage: python -m tests.bench.own_words [--language en|ko] [--words jam mole ...] [--pages map flip ...]

Each word stands in two sentences in which it means two things; most of the words have no labeled sentences here. Asked of every
page: no error, the word found in both sentences, something in every list, no number that contradicts itself, no path of the
server. Prints a line a word, then the figures; ends with status 1 if anything was found. Some 4 s a page on a busy machine.
"""

import argparse
import json
import re
import statistics
import sys
import time
from collections import defaultdict
from html import unescape
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.text.tokens import bare
from pages._frame.menu import door

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 240
ENGLISH = {
    "tablet": ("The doctor told her to swallow one tablet after every meal.", "He reads comics on his tablet until the battery dies."),
    "python": ("A python had coiled itself around the warm pipe in the cellar.", "Our homework has to be written in Python and tested."),
    "jam": ("We spread plum jam on the warm rolls.", "A lorry had overturned, and the jam reached back to the airport."),
    "mole": ("A mole has pushed up fresh earth all over our lawn.", "The agency searched for the mole who sold its secrets."),
    "bug": ("A green bug crawled across the tent and into his boot.", "One small bug in the program stopped every payment."),
    "cricket": ("A cricket chirped under the stove all evening.", "They play cricket in white and stop for tea."),
    "mint": ("Chop some fresh mint and stir it into the yoghurt.", "The mint struck a new coin for the jubilee."),
    "pitch": ("The choir could not hold the pitch without a piano.", "Heavy rain had turned the football pitch into mud."),
    "port": ("Two freighters waited outside the port for the tide.", "Plug the cable into the left port of the computer."),
    "tank": ("The tank rolled over the trench and turned its gun.", "Fill up the tank before we reach the desert."),
    "toast": ("He burnt the toast and opened the kitchen window.", "The best man raised his glass and proposed a toast."),
    "yard": ("The cloth costs nine pounds a yard.", "The dog slept in the yard behind the barn."),
    "pen": ("Sign here with a blue pen, please.", "The pigs broke out of their pen during the storm."),
    "nut": ("A squirrel buried a nut beneath the hedge.", "Tighten the nut with a wrench until the wheel holds."),
    "straw": ("The roof was thatched with straw.", "She drank the milkshake through a paper straw."),
    "sentence": ("Underline the verb in every sentence.", "The judge passed a sentence of nine years."),
    "trailer": ("The trailer showed the whole film in two minutes.", "He towed the boat on a trailer behind his van."),
    "shower": ("I sang in the shower until the water turned cold.", "A sudden shower soaked the wedding guests."),
    "cabinet": ("The prime minister dismissed half of her cabinet.", "The plates are kept in the cabinet above the sink."),
    "temple": ("Pilgrims lit candles in the temple on the hill.", "A vein throbbed at his temple as he shouted."),
    "deck": ("Shuffle the deck and deal five cards to everyone.", "Sailors scrubbed the deck before breakfast."),
    "hood": ("Pull up your hood, it is snowing.", "Steam rose from under the hood of the truck."),
    "barrel": ("The wine aged for two years in an oak barrel.", "He looked down the barrel of the rifle."),
    "draft": ("A cold draft came in under the door.", "Her editor returned the first draft covered in red ink."),
    "pool": ("The children splashed about in the pool all afternoon.", "The whole village shares a pool of four cars."),
    "bank": ("Herons nest along the bank of the canal.", "The bank closed my account without a word."),
    "crane": ("A crane lifted the steel beams onto the roof.", "One crane danced in the shallow marsh at dawn."),
    "plant": ("This plant needs little light and less water.", "The chemical plant was shut after the explosion."),
    "light": ("The light in the stairwell flickers at night.", "Her new bicycle is so light that she lifts it with a finger."),
    "spring": ("Swallows return in spring and nest under our roof.", "A rusty spring poked through the mattress."),
}
KOREAN = {
    "김": ("할머니가 김에 참기름을 발라 구우셨다.", "주전자에서 하얀 김이 솟아올랐다."),
    "절": ("산속의 오래된 절에서 종소리가 들렸다.", "아이들이 어른들께 공손히 절을 올렸다."),
    "코": ("감기에 걸려 코가 꽉 막혔다.", "목도리를 뜨다가 코를 하나 빠뜨렸다."),
    "침": ("신 레몬을 보니 입안에 침이 고였다.", "한의원에서 허리에 침을 맞았다."),
    "초": ("생일 케이크에 초를 여덟 개 꽂았다.", "백 미터를 십이 초에 달렸다."),
    "해": ("해가 바다 너머로 천천히 졌다.", "그 해에는 비가 유난히 많이 왔다."),
    "상": ("글짓기 대회에서 상을 받았다.", "어머니가 저녁 상을 차리셨다."),
    "양": ("양이 언덕에서 풀을 뜯고 있었다.", "약을 먹을 때는 양을 지켜야 한다."),
    "점": ("얼굴에 작은 점이 하나 있다.", "시장 골목에서 올해의 운세를 보려고 점을 쳤다."),
    "창": ("창을 여니 찬 바람이 들어왔다.", "병사들은 창과 방패를 들고 싸웠다."),
    "파": ("국에 송송 썬 파를 넣었다.", "그 정당은 두 파로 갈라졌다."),
    "등": ("아기를 등에 업고 골목을 걸었다.", "어두운 마루에 등을 켰다."),
    "달": ("밤하늘에 둥근 달이 떠올랐다.", "다음 달에 이사를 간다."),
    "표": ("기차 표를 미리 예매해 두었다.", "선거에서 누구에게 표를 줄지 고민했다."),
    "탈": ("광대가 우스꽝스러운 탈을 쓰고 춤을 추었다.", "찬 음식을 먹고 배에 탈이 났다."),
    "종": ("수업이 끝나자 종이 울렸다.", "이 숲에는 희귀한 종의 나비가 산다."),
    "수도": ("서울은 대한민국의 수도이다.", "겨울에 수도가 얼어 물이 나오지 않았다."),
    "연기": ("공장 굴뚝에서 검은 연기가 났다.", "그 배우의 연기에 관객이 울었다."),
    "사고": ("빗길에서 버스 사고가 났다.", "논리적인 사고를 기르는 수업이다."),
    "시장": ("시장에서 싱싱한 생선을 샀다.", "새로 뽑힌 시장이 취임 연설을 했다."),
    "감": ("마당의 나무에 감이 빨갛게 익었다.", "이번에는 왠지 이길 것 같은 감이 든다."),
    "장기": ("공원에서 노인들이 장기를 두고 있다.", "그는 세상을 떠나며 장기를 기증했다."),
    "도장": ("계약서에 도장을 찍었다.", "동생은 방과 후에 태권도 도장에 다닌다."),
    "동기": ("그가 범행을 저지른 동기는 알 수 없다.", "회사에 함께 들어온 동기와 점심을 먹었다."),
    "지방": ("고기의 지방을 떼어 내고 구웠다.", "남쪽 지방에는 벌써 꽃이 피었다."),
    "인도": ("인도에는 여러 언어와 종교가 있다.", "자동차가 인도로 뛰어들어 행인이 다쳤다."),
    "눈": ("밤새 눈이 내려 마을이 하얗다.", "책을 오래 읽었더니 눈이 아프다."),
    "배": ("부산에서 배를 타고 섬에 갔다.", "과수원에서 노란 배를 한 상자 땄다."),
    "밤": ("깊은 밤에 부엉이가 울었다.", "난로 위에서 밤을 구워 먹었다."),
    "사과": ("아침마다 사과를 한 개씩 먹는다.", "그는 늦은 것에 대해 진심으로 사과를 했다."),
}
WORDS = {"en": ENGLISH, "ko": KOREAN}
PAGES = {  # -> how many lines, and how many charts, it shows at least
    "home": (0, 2),
    "neighbors": (16, 0),
    "map": (0, 1),
    "mix": (6, 1),
    "why": (2, 1),
    "found": (0, 0),
    "how": (0, 0),
    "compare": (0, 0),
}
OWN = ("home", "neighbors", "map", "mix", "why")  # pages with both sentences, each with its word to tap
CONTRADICTS = re.compile(
    r"(?<![\w가-힣])nan(?![\w가-힣])|[-−]0\.0+(?!\d)|(?<![\d.,])0 of 0(?!\d)|(?<!\d)0개 중 0|(?<!\w)(None|inf|Infinity)(?!\w)|\{\w+\}"
)
PATHS = re.compile(r"(?<![\w/:])/(?:home|root|tmp|var|work|usr|opt|mnt|Users)/\w|Traceback|\.safetensors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=WORDS, help="one language alone")
    parser.add_argument("--words", nargs="+", help="these alone")
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    args = parser.parse_args()
    chosen = [
        (language, word)
        for language, words in WORDS.items()
        for word in words
        if args.language in (None, language) and (not args.words or word in args.words)
    ]
    result, seconds = [], defaultdict(list)
    for language, word in chosen:
        wrong = []
        for page in args.pages:
            started = time.perf_counter()
            wrong += [f"{page}: {what}" for what in looked_at(page, language, word)]
            seconds[page].append(time.perf_counter() - started)
        print(f"{language} {word}: {'; '.join(wrong) or 'nothing wrong'}", flush=True)
        result += wrong
    times = {page: {"median_s": round(statistics.median(each), 1), "max_s": round(max(each), 1)} for page, each in seconds.items()}
    print(
        json.dumps(
            {
                "words": len(chosen),
                "pages": len(args.pages),
                "visits": sum(map(len, seconds.values())),
                "wrong": len(result),
                "seconds": times,
            }
        )
    )
    sys.exit(bool(result))


def looked_at(page: str, language: str, word: str) -> list[str]:
    """What is wrong with a page opened cold on a word's two sentences."""
    shown = _opened(page, language, *WORDS[language][word])
    if shown.exception:
        return [f"exception {shown.exception[0].message[:200]}"]
    wrong = [f"error {item.value[:200]}" for item in shown.error]
    text = _text(shown)
    if result := CONTRADICTS.search(text):
        wrong.append(f"says “{text[max(0, result.start() - 60) : result.end() + 30]}”")
    if result := PATHS.search(text):
        wrong.append(f"shows “{text[max(0, result.start() - 20) : result.end() + 40]}”")
    if page in OWN:
        wrong += _wrong_word(shown, word)
    lines = sum(block.proto.body.count('class="kwic') for block in shown.get("html"))
    charts = len(shown.get("plotly_chart"))
    if lines < PAGES[page][0] or charts < PAGES[page][1]:
        wrong.append(f"{lines} lines, {charts} charts")
    if "What to notice" not in text and "눈여겨볼 점" not in text:
        wrong.append("nothing to notice")
    return wrong


def _opened(page: str, language: str, first: str, second: str) -> AppTest:
    """A page by its link, once what is read beside it has been read."""
    shown = AppTest.from_file(str(ROOT / "app.py"), default_timeout=TIME_LIMIT_S)
    file, parameters = door(page)
    if page != "home":
        shown.switch_page(file)
    query = {**parameters, "a": first, "b": second} | ({"lang": language} if language != "en" else {})
    for name, value in query.items():
        shown.query_params[name] = value
    until = time.monotonic() + TIME_LIMIT_S
    shown.run()
    while not shown.exception and shown.get("progress") and time.monotonic() < until:
        time.sleep(0.5)
        shown.run()
    return shown


def _wrong_word(shown: AppTest, word: str) -> list[str]:
    """Where another word than the one meant is in question."""
    request = shown.session_state["asked"]
    message = [bare(tokens[at]).casefold() for tokens, at in zip(request.tokens, request.positions, strict=True) if at is not None]
    return [] if message == [word, word] else [f"in question: {message}"]


def _text(shown: AppTest) -> str:
    """All that a page says, without its markup."""
    html = [block.proto.body for block in shown.get("html")]
    said = [item.value for kind in ("markdown", "caption", "info", "warning", "error", "success", "title") for item in getattr(shown, kind)]
    said += [f"{item.label} {item.value}" for item in shown.metric]
    html = [re.sub(r"<style>.*?</style>", " ", item, flags=re.DOTALL) for item in html]
    return unescape(re.sub(r"<[^>]*>", " ", "\n".join([*html, *map(str, said)])))


if __name__ == "__main__":
    main()
