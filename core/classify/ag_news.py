"""Clean AG News as its copies on the web contain it: remains of HTML, classes numbered from 0 or from 1."""

import html
import re
from collections.abc import Iterable, Sequence

from ..common.errors import BadInput
from ..common.i18n import t

_APOSTROPHE = re.compile(r"\s?&?#0*(?:39|145|146|8216|8217);")
_ENTITY = re.compile(r"(?:&|(?<!\w))(#\d{2,5}|#x[0-9a-f]{2,5}|quot|amp|lt|gt|nbsp);", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]{1,10}(?:\s[^<>]{0,400})?/?>", re.IGNORECASE)


def clean_ag_news(text: str) -> str:
    r"""Return AG News text as it was meant: its files lost the & of HTML entities and use \ for a line break.

    >>> clean_ag_news("Haiti #39;s second\\team pays  #36;10  quot;now quot; &lt;b&gt;(AP)&lt;/b&gt; &lt;TXN.N&gt;")
    'Haiti\'s second team pays $10 "now " (AP) <TXN.N>'
    """
    text = _APOSTROPHE.sub("'", text.replace("\\", " "))  # the blank before #39; was the lost &
    text = _ENTITY.sub(lambda match: html.unescape(f"&{match[1]};"), text)
    return " ".join(_TAG.sub(" ", text).split())


def counts_from_0(labels: Iterable[str], names: Sequence[str]) -> bool:
    """Return whether files number the classes `names` from 0, as some copies of AG News do.

    They do if a 0 is among the labels and the number of classes is not. Without a 0 the publisher's numbering from 1 is assumed. Raises
    BadInput if both are present, because there is then one class too many.
    """
    numbers = {label for label in labels if label.isdecimal()}
    n = len(names)
    if {"0", str(n)} <= numbers:
        message = t(
            "Number labels run from 1 to {n} or from 0 to {below}; these rows have both 0 and {n}. Use names instead: {names}.",
            n=n,
            below=n - 1,
            names=", ".join(names),
        )
        raise BadInput(message)
    return "0" in numbers
