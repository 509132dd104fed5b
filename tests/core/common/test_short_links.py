"""Short links hold any view and open it again; what is cut, changed or a bomb is one clear sentence."""

import base64
import zlib
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import BadInput
from core.common.short_links import DICTIONARY, MOST, expanded, shortened

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
VIEW = [("a", "A virus made her ill."), ("b", "The virus wiped my hard disk."), ("layer", "1")]


@given(st.lists(st.tuples(texts.filter(bool), texts), min_size=1, max_size=6))
def test_any_view_comes_back_whole(parameters):
    code = shortened(parameters)
    assert expanded(code) == parameters and code.isascii() and not set(code) & set("+/=&%?#. ")


def test_a_link_given_away_opens_for_ever_and_is_shorter():
    assert expanded("SwSqKsssKi2GpEiQy4GZXA9qIkSmPLMAGCS5lcC4K0pRSMksztaDuQ0AraY") == VIEW
    korean = [("a", "아이들이 눈을 뭉쳐 던지며 놀았다."), ("b", "눈이 아파서 안과에 갔다."), ("lang", "ko")]
    assert len(shortened(VIEW)) + len("v=") < len(urlencode(VIEW)) and len(shortened(korean)) < 0.5 * len(urlencode(korean))


def bomb(size: int) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
    raw = b"a=" + b"x" * size
    packed = packer.compress(raw) + packer.flush() + (zlib.crc32(raw) & 0xFFFF).to_bytes(2, "big")
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "code",
    [
        "",
        "A",
        "%%%",
        "virus",
        "한국어",
        "x" * 7_000,
        shortened(VIEW)[:-6],
        shortened(VIEW)[:12] + "A" + shortened(VIEW)[13:],
        bomb(4_000_000),
        bomb(MOST),
    ],
    ids=["empty", "a letter", "marks", "a word", "Korean", "long", "cut", "changed", "a bomb", "one byte too much"],
)
def test_what_is_no_view_is_one_clear_sentence(code):
    with pytest.raises(BadInput, match="short link is damaged"):
        expanded(code)


def test_the_largest_view_still_opens():
    assert len(expanded(bomb(MOST - 2))[0][1]) == MOST - 2
