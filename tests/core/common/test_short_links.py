"""Test that short links hold any view, and that a damaged one is refused."""

import base64
import random
import zlib
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import BadInput
from core.common.short_links import DICTIONARY, LONGEST, MOST, expanded, shortened

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
VIEW = [("a", "A virus made her ill."), ("b", "The virus wiped my hard disk."), ("layer", "1")]


@given(st.lists(st.tuples(texts.filter(bool), texts), min_size=1, max_size=6))
def test_any_view_comes_back_whole(parameters):
    code = shortened(parameters)
    assert expanded(code) == parameters and code.isascii() and not set(code) & set("+/=&%?#. ")


def test_a_link_given_away_opens_for_ever_and_is_shorter():
    assert expanded("SwSqKsssKi2GpEiQy4GZXA9qIkSmPLMAGCS5lcC4K0pRSMksztaDuQ0AraY") == VIEW
    assert all(expanded(f"{shortened(VIEW)}{end}") == VIEW for end in (".", ")", "),", "를", "”."))
    assert len(shortened(VIEW)) + len("v=") < len(urlencode(VIEW))


def bomb(size: int) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
    raw = b"a=" + b"x" * size
    packed = packer.compress(raw) + packer.flush() + (zlib.crc32(raw) & 0xFFFF).to_bytes(2, "big")
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


DAMAGED = {name: name for name in ("", "A", "%%%", "virus", "한국어")} | {"long": "x" * (LONGEST + 1), "cut": shortened(VIEW)[:-6]}
DAMAGED |= {"changed": shortened(VIEW)[:12] + "A" + shortened(VIEW)[13:], "a bomb": bomb(4_000_000), "one byte too much": bomb(MOST)}


@pytest.mark.parametrize("code", DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_view_is_one_clear_sentence(code):
    with pytest.raises(BadInput, match="short link is damaged"):
        expanded(code)


LETTERS = {
    "Korean": [chr(code) for code in range(0xAC00, 0xD7A4)],
    "emoji": [chr(code) for code in (*range(0x1F300, 0x1F5FF), *range(0x1F600, 0x1F64F), *range(0x1F900, 0x1F9FF))],
    "English": list("abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ.,;:!?'0123456789"),
    "marks": list("%&=+;#\n\t"),
    "Chinese": [chr(code) for code in range(0x4E00, 0x9FFF)],
    "anything": [chr(code) for code in range(0x20, 0x30000, 7) if not 0xD800 <= code < 0xE000],
}


@pytest.mark.parametrize("script", LETTERS)
def test_two_full_boxes_of_any_script_have_a_short_link_that_opens(script):
    for n in (60, 2_000, 5_000):
        draw = random.Random(n)
        parameters = [(name, "".join(draw.choices(LETTERS[script], k=n))) for name in ("a", "text")] + [("layer", "mix"), ("lang", "ko")]
        code = shortened(parameters)
        assert 0 < len(code) <= LONGEST and expanded(code) == parameters


def test_none_is_offered_where_it_could_not_be_opened_and_the_largest_view_still_opens():
    for n in (MOST, 200_000):
        assert shortened([("a", "x" * n)]) == ""
        assert shortened([("a", "".join(random.Random(0).choices(LETTERS["anything"], k=n)))]) == ""
    assert len(expanded(bomb(MOST - 2))[0][1]) == MOST - 2
