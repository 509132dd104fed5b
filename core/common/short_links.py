"""Short links: the parameters of a view as one, compressed with a dictionary of frequent parameters.

Every shared link depends on the dictionary: if it changes, none of them opens any more.
"""

import base64
import re
import zlib
from collections.abc import Sequence
from urllib.parse import parse_qsl, quote

from .errors import BadInput
from .i18n import t

MOST = 64_000  # bytes of a view's parameters: two boxes of 5,000 letters, most of them of 3 bytes, and its controls
LONGEST = 50_000  # characters of a short link's code
LONGEST_ADDRESS = 60_000  # characters of an address; a request with its headers has at most 64 kB
DICTIONARY = (
    "would could should there their about which other after before under over through between again another while where when what "
    "why still never always every each many most much few long little old good great new last next first time year day people "
    "house home water river money city street school work world life hand head light night morning evening room door table book "
    "train game play match spring mouse watch rock cell right left down back went came took gave made said saw put read wrote "
    "walked turned opened closed 은행 아이들이 사람들이 에서 으로 하고 했다. 있다. 없다. 었다. 았다. 는다. 니다. 눈이 배를 밤에 말을 차를 "
    "his her him she they we you this that had have has was were are been not but all out up into from with for and the of the "
    "in the on the to the at the from the by the with the and the a  an  is  as  it  or  ing ed er ly s . , ? ! "
    "&gamma=1.0&w2=0.0&w1=-6.0&w0=6.0&k=12&among=other words&among=types&map_word=&dlayer=mix&nlayer=mix&nlayer=1&layer=0&layer=1"
    "&layer=mix&lang=ko&bi=bank&ai=bank&b=The &b=She &b=He &b=A &a=They &a=We &a=He &a=She &a=The "
).encode()
MARKS = re.compile(r"[%&=+;#\x00-\x1f]")  # characters of a value that a query string would interpret


def shortened(parameters: Sequence[tuple[str, str]]) -> str:
    """Return the parameters as one value of characters that links never escape; "" if such a link could not be opened."""
    query = "&".join("=".join(MARKS.sub(lambda mark: quote(mark[0]), part) for part in pair) for pair in parameters)
    raw = query.encode("utf-8", "replace")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
    packed = packer.compress(raw) + packer.flush() + _check(raw)
    code = base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
    return code if len(raw) <= MOST and len(code) <= LONGEST else ""


def expanded(code: str) -> list[tuple[str, str]]:
    """Return the parameters given to `shortened`. Raises BadInput if the link was cut, changed, or holds too much."""
    code = re.sub(r"[^\w-]+$", "", code, flags=re.ASCII)  # punctuation that was copied along
    try:
        if len(code) > LONGEST or not re.fullmatch(r"[\w-]+", code, re.ASCII):
            raise ValueError
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        reader = zlib.decompressobj(-15, DICTIONARY)
        raw = reader.decompress(packed[:-2], MOST)
        if not reader.eof or reader.unused_data or _check(raw) != packed[-2:]:
            raise ValueError
        return parse_qsl(raw.decode("utf-8"), keep_blank_values=True)
    except (ValueError, zlib.error):
        raise BadInput(t("This short link is damaged. Showing the default page.")) from None


def _check(raw: bytes) -> bytes:
    """Return two bytes by which a changed link is detected."""
    return (zlib.crc32(raw) & 0xFFFF).to_bytes(2, "big")
