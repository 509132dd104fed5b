"""Dates as archives, spreadsheets, programs and Korean texts write them: the span of each, and what is no date."""

import time

import pytest

from core.text.dates import DISTANT, format_year, format_years, parse_date, parse_dates

YEARS = {
    (1850, 1850): "1850|c. 1850|ca. 1850|circa 1850|c1850|[1850]|[c. 1850?]|1850?|1850 (?)|1850~|(1850)|1850.|1850.0|in 1850|mid-1850|©1850"
    "|MDCCCL|n.d. [1850]|1849 [i.e. 1850]|Spring 1850|Winter, 1850|1850년|1850년경|약 1850년|1850年|AD 1850|1850-XX-XX|1850-00-00|１８５０|1850.5"
    "|℗1850|1850,0|um 1850|vers 1850|ABT 1850|1850년도|1850 경|1850년(추정)"
    "|MDCCCL [1850]|etwa 1850|1850년(철종 1)|단기 4183년|1850년 상반기|1850年頃|(1849, 1850]",
    (1925, 1925): "MCMXXV|大正14年",
    (1989, 1989): "平成元年",
    (1850, 1859): "1850s|1850's|the 1850s|[185-?]|185X|1850년대|c. 1850s"
    "|1850er Jahre|1850er|années 1850|década de 1850|[1850, 1860)|[1850.0, 1860.0)",
    (2000, 2009): "2000s|the 2000s|2000년대",
    (2000, 2003): "early 2000s|2000년대 초",
    (2007, 2009): "late 2000s|2000년대 말",
    (2005, 2009): "2000년대 후반|2nd half of the 2000s",
    (1900, 1999): "1900s|1900년대|20th century",
    (1850, 1860): "1850-60|1850–60|1850–1860|1850 - 1860|1850 to 1860|between 1850 and 1860|from 1850 to 1860|1850-ca. 1860"
    "|1850/1860|1850~1860|1850년~1860년|1850~60년|1850년에서 1860년 사이|c. 1850-c. 1860|[1850 or 1860]"
    "|1850x1860|1850 × c. 1860|zwischen 1850 und 1860|entre 1850 et 1860|BET 1850 AND 1860|1850 bis 1860|1850년 말~1860년 초"
    "|since 1850 until 1860|not before 1850, not after 1860|1850년 이후 1860년 이전|de 1850 à 1860|(1849.999, 1860.0]",
    (1851, 1859): "after 1850 and before 1860|after 1850, before 1860|post 1850 and ante 1860|before 1860 and after 1850",
    (1851, 1860): "after 1850 until 1860|after 1850 to 1860",
    (1850, 1851): "1850/51|1850–1|1850-1|Winter 1850/51|1850 or 1851|1850, 1851",
    (1850, 1869): "1850s-60s|1850s–1860s|1850s and 1860s",
    (1999, 2000): "1999/00|1999-00",
    (1800, 1899): "19th century|19th c.|19th cent.|nineteenth century|XIX century|XIXe siècle|19. Jh.|siglo XIX|s. XIX|18--|18XX"
    "|1800s|19세기|19世紀|18??|19. Jhdt.|[18..]",
    (1800, 1833): "early 19th century|early 19th c.|19세기 초|Anfang des 19. Jahrhunderts|début XIXe siècle",
    (1834, 1866): "mid-19th century|mid 19th c.",
    (1867, 1899): "late 19th century|19세기 말|19th century, late|Ende 19. Jh.|finales del siglo XIX",
    (1800, 1849): "first half of the 19th century|1st half 19th c.|19세기 전반|1. Hälfte 19. Jh.|19C 전반|première moitié du XIXe siècle",
    (1850, 1899): "zweite Hälfte des 19. Jahrhunderts|seconde moitié du XIXe siècle|19世紀後半",
    (1875, 1899): "last quarter of the 19th century",
    (1767, 1833): "late 18th–early 19th century|late 18th to early 19th c.",
    (1700, 1899): "18th-19th centuries|18th or 19th c.|18~19세기|18-19C",
    (1867, 1933): "19세기 말~20세기 초",
    (850, 850): "850|AD 850|850 AD|A.D. 850|850 CE|0850|서기 850년",
    (185, 185): "185|AD 185?|A.D. 185.|185.0|185년",
    (-185, -185): "185 BC?|185 B.C.|BC 185?",
    (50, 50): "0050|AD 50|50 CE",
    (-44, -44): "44 BC|44BC|44 B.C.|44 BCE|44 v. Chr.|44 av. J.-C.|44 a.C.|-44|-0044|기원전 44년|15 March 44 BC",
    (-1, -1): "1 BC|-0001",
    (-500, -400): "500-400 BC|500BC-400BC|500–400 B.C.E.|500 BC to 400 BC",
    (-100, -44): "100-44 BC|BC 100-44|BC 100 to 44|기원전 100~44년|기원전 100년부터 44년까지|기원전 100년-기원전 44년",
    (-100, -12): "100-12 BC|BC 100-12|기원전 100-12년",
    (-44, -43): "44/3 BC|BC 44/3|44/43 BC",
    (-300, -1): "3rd-1st century BC|BC 3rd-1st century|기원전 3세기~1세기|기원전 3-1세기|기원전 3~1세기|BC 3-1C",
    (-300, 100): "300 BC-AD 100|300 a.C. - 100 d.C.",
    (-100, 99): "기원전 1세기~1세기|1st century BC–1st century AD",
    (-100, 199): "기원전 1~2세기",
    (200, 399): "서기 3~4세기",
    (-37, 668): "기원전 37년~668년|기원전 37~668년|BC 37-668|37 BC-AD 668",
    (-500, -401): "5th c. BC|5th century BC|fifth century B.C.|기원전 5세기",
    (1, 99): "1st century|1st c. AD",
    (-333, -301): "late 4th c. BC",
    (-400, -400): "紀元前400年",
    (850, 860): "AD 850-60",
    (-DISTANT, 1849): "before 1850|pre-1850|1850년 전|vor 1850|avant 1850|antes de 1850",
    (-DISTANT, 1850): "until 1850|1850 or earlier|not after 1850|../1850|1850년 이전|?-1850|bis 1850",
    (1851, DISTANT): "after 1850|post-1850|nach 1850|après 1850",
    (-DISTANT, 149): "before 150|서기 150년 전",
    (1850, DISTANT): "since 1850|1850 or later|not before 1850|1850/..|1850-|1850–|1850년 이후"
    "|1850-present|1850년 ~ 현재|1850년~|1850년 이래|seit 1850|ab 1850|1850 on|1850 and on",
}
MAY = ((1850, 5, 12), (1850, 5, 12))
DAYS = {
    MAY: "1850-05-12|1850/5/12|1850.05.12|1850. 5. 12.|18500512|12 May 1850|12th of May, 1850|May 12, 1850|May 12th 1850|12-May-1850|1850 May 12"
    "|12. Mai 1850|12 mai 1850|12 de mayo de 1850|1850년 5월 12일|1850年5月12日|1850-05-12 00:00:00|1850-05-12T00:00:00Z"
    "|1850-05-12T10:15:00.123+01:00|1850-05-12 10:15|18500512T101500Z|Sunday, May 12, 1850|Sun, 12 May 1850 10:15:00 +0900 (KST)|Sun May 12 10:00:00 +0000 1850|Sun May 12 10:00:00 EST 1850"
    "|1850-05-12(일)|1850. 5. 12. 오전 10:15|1850년 5월 12일 10시 15분|1850년 5월 12일자|May 12,1850|le 12 mai 1850",
    ((1798, 10, 3), (1798, 10, 3)): "Octr. 3d 1798|3d October 1798",
    (
        (1850, 5, 1),
        (1850, 5, 31),
    ): "1850-05|05/1850|5.1850|May 1850|May, 1850|1850년 5월|1850-05-XX|mai 1850|1850. 5.|1850년 5월호|1850년 5월경"
    "|1850-5|1850/5|im Mai 1850",
    ((1850, 12, 25), (1850, 12, 25)): "25/12/1850|12/25/1850|25.12.1850|25-12-1850",
    ((1995, 3, 12), (1995, 12, 3)): "03/12/1995|12/03/1995|3.12.1995",  # whichever of the two is the day
    ((1850, 5, 12), (1850, 5, 15)): "12–15 May 1850|12-15 May 1850|May 12-15, 1850|1850년 5월 12일~15일|1850. 5. 12. ~ 5. 15."
    "|1850. 5. 12. ~ 1850. 5. 15.",
    ((1850, 5, 1), (1850, 6, 30)): "1850년 5월~6월|1850 May-June",
    ((2020, 1, 2), (2020, 1, 2)): "令和2年1月2日|1577923200000",
    ((1850, 1, 1), (1850, 1, 1)): "-3786825600000",
    ((1850, 5, 12), (1850, 6, 3)): "12 May - 3 June 1850|1850-05-12/1850-06-03|between 12 May 1850 and 3 June 1850"
    "|May 12, 1850-June 3, 1850|[between May 12, 1850 and June 3, 1850]",
    ((1850, 5, 1), (1851, 6, 30)): "May 1850 – June 1851|May 1850-June 1851",
    ((1850, 4, 1), (1850, 6, 30)): "1850Q2|Q2 1850|1850 Q2|1850년 2분기",
    ((-DISTANT, 1, 1), (1850, 6, 30)): "until June 1850|before 1 July 1850",
    ((-DISTANT, 1, 1), (1850, 2, 28)): "until Feb 1850|before March 1850|before 1 March 1850",
    ((1850, 7, 1), (DISTANT, 12, 31)): "after 30 June 1850|after June 1850|since July 1850",
    ((1852, 2, 1), (1852, 2, 29)): "Feb 1852|1852-02|1852년 2월",
    ((1732, 2, 29), (1732, 2, 29)): "29 February 1731/2",
    ((185, 5, 12), (185, 5, 12)): "185. 5. 12.|185.5.12",
    ((1731, 2, 10), (1732, 2, 10)): "10 February 1731/2",
}
NONE = (
    "|n.d.|n. d.|s.d.|undated|unknown|?|-|nan|NaT|None|미상|hello|50|'50|12/05/50|May 50|12 May 50|50s|50년대|12-May-50|0|0000|9999|43961|43961.5"
    "|1850-13-01|2001-04-31|1850-02-30|1850-02-29|29 Feb 1850|31/31/1850|1850-49|185?|1850 edition|<1850|turn of the century|1,850|-|00/00/0000|20th|XIX|1850 1851 1852"
    "|-9999|-9999.0|-999|-999.0|-99|-9|-1|−999"
    "|before 1850 or after 1860|after 1860 or before 1850|before 1860 and after 1870|between 1850 and before 1860|before 1850-after 1860"
    "|100 BC-50|300 BC-100|300 BC to 100|300 BC or 299|300 BC/299|2nd century BC-1st century"
    "|1850,5|1801,12|1900-01-00|0001-01-01 00:00:00|2543"
    "|[185.]|185.|185. |before 185.|after 185?|c. 185?|[c. 185.]|c.185.|[185.?]|185.-186.|[200.]"
    "|150년 전|약 100년 전|150년전|100~150년 전|150년 후|150년 전부터|1000년 전|1500년 후|1000~1500년 전|∼1850|202001021530"
)


@pytest.mark.parametrize(("years", "text"), [(years, text) for years, texts in YEARS.items() for text in texts.split("|")])
def test_a_date_is_its_years(years, text):
    assert parse_date(text).years == years


@pytest.mark.parametrize(("days", "text"), [(days, text) for days, texts in DAYS.items() for text in texts.split("|")])
def test_a_date_with_a_month_is_its_days(days, text):
    assert parse_date(text) == days


@pytest.mark.parametrize("text", NONE.split("|"))
def test_a_text_that_is_no_date_or_has_a_short_year_is_not_guessed(text):
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("texts", "firsts", "last"),
    [
        ("2020-1|2020-2|2020-12", [(2020, 1, 1), (2020, 2, 1), (2020, 12, 1)], (2020, 1, 31)),
        ("2010/1|2010/11", [(2010, 1, 1), (2010, 1, 1)], (2011, 12, 31)),  # nothing says whether these are months
        ("2010/1|2010/11|2011/5", [(2010, 1, 1), (2010, 11, 1), (2011, 5, 1)], (2010, 1, 31)),
        ("1850-1|1850-60|1850-05", [(1850, 1, 1), (1850, 1, 1), (1850, 5, 1)], (1851, 12, 31)),
        ("2/1/2020|2/2/2020|1/25/2020", [(2020, 2, 1), (2020, 2, 2), (2020, 1, 25)], (2020, 2, 1)),
        ("2/1/2020|25/1/2020 0:00|n.d.", [(2020, 1, 2), (2020, 1, 25), None], (2020, 1, 2)),
        ("2/1/2020|25/1/2020|1/25/2020", [(2020, 1, 2), (2020, 1, 25), (2020, 1, 25)], (2020, 2, 1)),
    ],
)
def test_a_date_with_two_readings_is_read_as_the_others_of_its_column(texts, firsts, last):
    spans = parse_dates(texts.split("|"))
    assert [span and span.first for span in spans] == firsts and spans[0].last == last


def test_spans_are_compared_by_number():
    early, late = parse_date("860"), parse_date("1010")
    assert early < late
    assert early.is_within(parse_date("before 900")) and not late.is_within(parse_date("before 900"))
    assert parse_date("1845–1855").overlaps(parse_date("1850")) and not parse_date("1845–1849").overlaps(parse_date("1850"))
    assert all(parse_date(format_year(year)).years == (year, year) for year in (1850, 50, 1, -1, -3000))
    assert [format_years(*years) for years in ((1850, 1850), (1850, 1859), (-DISTANT, 1849))] == ["1850", "1850–1859", "…–1849"]


@pytest.mark.parametrize(
    "text", ["1850-" * 16, "1-2-" * 20, "1850, " * 13, "c. " * 26, "may–" * 16 + "1850", "before " * 11, "(1850 or " * 8, "x" * 9_000]
)
def test_no_text_takes_long(text):
    start_cpu_s = time.process_time()
    parse_date(text)
    assert time.process_time() - start_cpu_s < 1
