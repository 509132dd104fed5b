"""Time search, collocates and keyness on a million tokens: books-00 and wikipedia-00 of the shared data, half from each, two documents."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from core.common.config import data_folder
from core.corpus import concordance, measures, search
from core.corpus.encoded import EncodedCorpus, encode, open_folder
from core.text.sentences import Sentence, stream_sentences
from tests.bench.measure import alone, milliseconds, options, say, timed

ROUNDS = 5
PARTS = ("books", "wikipedia")
WINDOW = 5


def sentences(data: Path, tokens: int) -> Iterator[Sentence]:
    """Yield sentences with this many tokens, as many of each part."""
    for part in PARTS:
        left = tokens // len(PARTS)
        for sentence in chain.from_iterable(map(stream_sentences, sorted((data / "corpus").glob(f"{part}-*.txt.xz")))):
            yield Sentence(sentence.tokens, document=part, text=sentence.text)
            left -= len(sentence.tokens)
            if left <= 0:
                break


def questions(corpus: EncodedCorpus) -> dict[str, Callable[[], object]]:
    """Return by name what is timed: a search with its first screen of lines, counts and dispersion, as the page calls it."""

    def page(query: str, kind: str, order: str = concordance.IN_TEXT) -> None:
        hits = concordance.sort_hits(corpus, search.find(corpus, query, kind=kind), order)
        concordance.lines(corpus, hits, 0, 90)
        concordance.forms(corpus, hits)
        measures.deviation(*zip(*((n, size) for _, n, size in measures.by_document(corpus, hits)), strict=True))

    searches = (("time", search.WORD), ("go", search.LEMMA), ("at the * of", search.WORD), (r"\w+ness(es)?", search.PATTERN))
    result = {f"search: {query} ({kind})": partial(page, query, kind) for query, kind in searches}
    result["search: the (every hit), by the word before"] = partial(page, "the", search.WORD, "left")
    for word in ("time", "the"):
        result[f"collocates: {word}"] = lambda word=word: concordance.collocates(corpus, search.find(corpus, word), window=WINDOW)
    return result


def _say_median(name: str, work: Callable[[], object]) -> None:
    say(f"{name}: {milliseconds(name, alone(timed(work), ROUNDS))['value']:,.1f} ms")


def main() -> None:
    parser = options(__doc__, tokens=1_000_000)
    parser.add_argument("--data", type=Path, default=data_folder())
    arguments = parser.parse_args()
    if arguments.data is None:
        sys.exit("Name the folder of data: --data FOLDER, or ELMOSCOPE_DATA.")
    seconds, made = timed(lambda: encode(sentences(arguments.data, arguments.tokens)))()
    say(f"{len(made):,} tokens, {len(made.words):,} words, read and encoded in {seconds:,.1f} s, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        made.save(Path(folder) / "corpus")
        for name, work in questions(open_folder(Path(folder) / "corpus")).items():
            _say_median(name, work)
    halves = [encode([s for s in sentences(arguments.data, arguments.tokens) if s.document == part]) for part in PARTS]
    _say_median("keyness of the two halves", lambda: measures.keywords(*halves))


if __name__ == "__main__":
    main()
