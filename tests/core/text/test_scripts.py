"""Test that letters which a language's models cannot read are counted and reported."""

from collections import Counter

import pytest

from core.common import reports
from core.text import languages
from core.text.languages import note_unread, say_unread, unread
from core.text.sentences import read_lines, read_sentences

EN, KO = languages.get_language("en"), languages.get_language("ko")


@pytest.mark.parametrize(
    ("language", "text", "n"),
    [
        (EN, "The bank of the river.", 0),
        (EN, "The café of Zürich, 1990 🎉 — “so”.", 0),
        (EN, "은행에서 돈을 빌렸다.", 3),
        (EN, "The Ελλάδα bank.", 1),
        (EN, "中国 и Россия עברית العربية", 5),
        (EN, "ｂａｎｋ bank", 1),
        (KO, "은행에서 돈을 빌렸다.", 0),
        (KO, "KBS가 CD를 냈다. 그 회사는 LG이다.", 0),  # names in Latin letters are usual there
        (KO, "The bank of the river is closed.", 7),
        (KO, "그 Ελλάδα 은행", 1),
        (KO, "銀行에 갔다.", 1),
    ],
)
def test_tokens_in_letters_that_the_language_has_not_are_counted(language, text, n):
    counts = Counter(language.tokenize(text))
    assert unread(counts, language).total() == n
    assert (f"{n} of {sum(counts.values())} token" in say_unread(counts, language)) == bool(n)


def test_unread_letters_are_reported_once(tmp_path):
    (tmp_path / "a.txt").write_text("The bank.\n은행에서 돈을 빌렸다.\n", encoding="utf-8")
    with reports.collecting() as found:
        read_sentences(tmp_path / "a.txt")
        read_lines(tmp_path / "a.txt")
        note_unread(EN.tokenize("The bank."), EN)
    (text,) = found.values()
    assert text.startswith("a.txt: 3 of 7 tokens are not in English letters (")
