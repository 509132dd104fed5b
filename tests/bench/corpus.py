"""Search, collocates and keyness on a million tokens, beside NLTK, and on ten million with its memory.

usage: python -m tests.bench.corpus [--data FOLDER] [--tokens 1000000] [--nltk PYTHON] [--large 10000000]

The corpus is books-00 and wikipedia-00 of the shared data, half from each, two documents. --nltk names a Python of another environment that
has NLTK: it reads the same tokens, in small letters, and is timed by turns with ours. --large only builds, opens and searches a corpus of
that many tokens, in a process of its own, and says how much memory it took.
"""

import argparse
import json
import lzma
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from core.common.config import data_folder
from core.corpus import collocates, measures, search
from core.corpus.encoded import EncodedCorpus, encode, open_folder
from core.corpus.measures import keywords
from core.text.line_breaks import KEEP
from core.text.sentences import Sentence, sentences_of_lines

ROUNDS = 5
PARTS = ("books", "wikipedia")
WORD, WINDOW = "time", 5
# What NLTK does: an index of all places once, a line a hit; pairs of all words in a window once, of which those with the word are ranked.
NLTK = """
import json, sys, time
from nltk.collocations import BigramCollocationFinder
from nltk.metrics import BigramAssocMeasures
from nltk.text import ConcordanceIndex

tokens, word, window = open(sys.argv[1], encoding="utf-8").read().split("\\n"), sys.argv[2], int(sys.argv[3])
for line in sys.stdin:
    started = time.process_time()
    if line.startswith("first"):
        index = ConcordanceIndex(tokens, key=lambda token: token.lower())
        n = len(index.find_concordance(word, 160))
    elif line.startswith("again"):
        n = len(index.find_concordance(word, 160))
    else:
        finder = BigramCollocationFinder.from_words(tokens, window + 1)
        finder.apply_freq_filter(3)
        finder.apply_ngram_filter(lambda a, b: word not in (a, b))
        n = len(finder.score_ngrams(BigramAssocMeasures.likelihood_ratio))
    print(json.dumps([time.process_time() - started, n]), flush=True)
"""


def sentences(data: Path, tokens: int) -> Iterator[Sentence]:
    """So many tokens, as many of each part."""
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
    """Milliseconds, the median of some rounds."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - started))
    return median(times)


def questions(corpus: EncodedCorpus) -> dict[str, Callable[[], object]]:
    """Name -> what is timed: a search with its first screen of lines, counts and dispersion, as the page asks for it."""

    def page(query: str, kind: str, order: str = search.IN_TEXT) -> None:
        hits = search.sort_hits(corpus, search.find(corpus, query, kind=kind), order)
        search.lines(corpus, hits, 0, 90)
        search.forms(corpus, hits)
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


def beside_nltk(corpus: EncodedCorpus, python: str, folder: Path) -> None:
    """Ours and NLTK's by turns, on the same tokens, in processor time: what else the machine does counts for neither."""
    (folder / "tokens.txt").write_text("\n".join(corpus.word_list[k] for k in corpus.word.tolist()), encoding="utf-8")
    (folder / "peer.py").write_text(NLTK, encoding="utf-8")
    command = [python, str(folder / "peer.py"), str(folder / "tokens.txt"), WORD, str(WINDOW)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:

        def ask(what: str) -> tuple[float, int]:
            peer.stdin.write(f"{what}\n")
            peer.stdin.flush()
            seconds, n = json.loads(peer.stdout.readline())
            return 1e3 * seconds, n

        def lines() -> int:
            return len(search.lines(corpus, search.find(corpus, WORD), 0, 1_000_000))

        def screen() -> int:
            hits = search.find(corpus, WORD)
            search.lines(corpus, hits, 0, 90)
            return len(hits)

        def near() -> int:
            return len(collocates.collocates(corpus, search.find(corpus, WORD), window=WINDOW, minimum=3))

        rows = (
            ("concordance, first of a text, all lines", "first", lines),
            ("concordance, first of a text, lines as they are seen", "first", screen),
            ("concordance, a further word, all lines", "again", lines),
            ("concordance, a further word, lines as they are seen", "again", screen),
            ("collocates by log-likelihood", "collocates", near),
        )
        for name, what, own in rows:
            ours, theirs = [], []
            for _ in range(3 if what == "collocates" else ROUNDS):
                started = time.process_time()
                n = own()
                ours.append(1e3 * (time.process_time() - started))
                milliseconds, m = ask(what)
                theirs.append(milliseconds)
            ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
            spread = f"{median(ratios):,.0f} x ({ratios[0]:,.0f} to {ratios[-1]:,.0f})"
            print(f"{name}: ours {median(ours):,.1f} ms ({n:,}), NLTK {median(theirs):,.1f} ms ({m:,}): {spread}", flush=True)
        peer.stdin.close()


def large(data: Path, tokens: int) -> None:
    """Build, save, map and search; the memory of this process at its highest."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        made = encode(sentences(data, tokens))
        made.save(Path(folder) / "large")
        built = time.perf_counter() - started
        n = len(made)
        del made
        started = time.perf_counter()
        corpus = open_folder(Path(folder) / "large")
        opened = 1e3 * (time.perf_counter() - started)
        size = sum(file.stat().st_size for file in (Path(folder) / "large").iterdir())
        print(f"{n:,} tokens: made in {built:,.0f} s ({n / built:,.0f} tokens/s), {size / 1e6:,.0f} MB on disk, opened in {opened:,.0f} ms")
        show(corpus)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory, mapped pages and the making included: {peak:,.0f} MB")


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
    parser.add_argument("--nltk", default="")
    parser.add_argument("--large", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.data is None:
        sys.exit("Name the folder of data: --data FOLDER, or ELMOSCOPE_DATA.")
    if arguments.large:
        large(arguments.data, arguments.large)
        return
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
        if arguments.nltk:
            beside_nltk(corpus, arguments.nltk, Path(folder))


if __name__ == "__main__":
    main()
