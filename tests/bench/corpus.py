"""Time search, collocates and keyness on a million tokens: books-00 and wikipedia-00 of the shared data, half from each, two documents."""

import argparse
import lzma
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from core.common.config import data_folder
from core.corpus import collocates, concordance, measures, search
from core.corpus.encoded import EncodedCorpus, encode, open_folder
from core.corpus.measures import keywords
from core.text.line_breaks import KEEP
from core.text.sentences import Sentence, sentences_of_lines

ROUNDS = 5
PARTS = ("books", "wikipedia")
WORD, WINDOW = "time", 5


def sentences(data: Path, tokens: int) -> Iterator[Sentence]:
    """Yield sentences with this many tokens, as many of each part."""
    for part in PARTS:
        left = tokens // len(PARTS)
        for path in sorted((data / "corpus").glob(f"{part}-*.txt.xz")):
            with lzma.open(path, "rt", encoding="utf-8") as lines:
                while left > 0 and (some := list(islice(lines, 2_000))):
                    for sentence in sentences_of_lines(some, lines=KEEP):
                        yield Sentence(sentence.tokens, document=part, text=sentence.text)
                        left -= len(sentence.tokens)
                        if left <= 0:
                            break


def timed(work: Callable[[], object]) -> float:
    """Return milliseconds, the median of ROUNDS rounds."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - started))
    return median(times)


def questions(corpus: EncodedCorpus) -> dict[str, Callable[[], object]]:
    """Return by name what is timed: a search with its first screen of lines, counts and dispersion, as the page calls it."""

    def page(query: str, kind: str, order: str = concordance.IN_TEXT) -> None:
        hits = concordance.sort_hits(corpus, search.find(corpus, query, kind=kind), order)
        concordance.lines(corpus, hits, 0, 90)
        concordance.forms(corpus, hits)
        measures.deviation(*zip(*((n, size) for _, n, size in measures.by_document(corpus, hits)), strict=True))

    def near(query: str, kind: str = search.WORD) -> None:
        collocates.collocates(corpus, search.find(corpus, query, kind=kind), window=WINDOW)

    return {
        "search: time": lambda: page("time", search.WORD),
        "search: go, all forms": lambda: page("go", search.LEMMA),
        "search: at the * of": lambda: page("at the * of", search.WORD),
        "search: un*ed": lambda: page("un*ed", search.WORD),
        r"search: \w+ness(es)?": lambda: page(r"\w+ness(es)?", search.PATTERN),
        "search: the (every hit), by the word before": lambda: page("the", search.WORD, "left"),
        "collocates: time": lambda: near("time"),
        "collocates: go, all forms": lambda: near("go", search.LEMMA),
        "collocates: the": lambda: near("the"),
    }


def show(corpus: EncodedCorpus) -> None:
    for name, work in questions(corpus).items():
        started = time.perf_counter()
        work()
        first = 1e3 * (time.perf_counter() - started)
        print(f"{name}: {timed(work):,.1f} ms (the first time {first:,.1f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--tokens", type=int, default=1_000_000)
    arguments = parser.parse_args()
    if arguments.data is None:
        sys.exit("Name the folder of data: --data FOLDER, or ELMOSCOPE_DATA.")
    started = time.perf_counter()
    made = encode(sentences(arguments.data, arguments.tokens))
    print(
        f"{len(made):,} tokens, {len(made.words):,} words, read and encoded in {time.perf_counter() - started:,.1f} s, load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        made.save(Path(folder) / "corpus")
        corpus = open_folder(Path(folder) / "corpus")
        show(corpus)
        halves = [encode([s for s in sentences(arguments.data, arguments.tokens) if s.document == part]) for part in PARTS]
        print(f"keyness of the two halves: {timed(lambda: keywords(*halves)):,.1f} ms")


if __name__ == "__main__":
    main()
