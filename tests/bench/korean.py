"""Words between spaces or morphemes, measured: `python -m tests.bench.korean DATA` (the folder that holds korean/), some minutes.

Of the text, 98 in 100 lines are read as training text and 2 in 100 (by a hash of the line) as held out, up to --lines a file.
"""

import argparse
import json
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np

from core.common.config import ASSETS
from core.text.languages import TOKENIZERS
from core.text.morphemes import mecab_ko, plain_mecab
from core.text.tokens import IDS_PER_TOKEN, bare, find_word, join_tokens
from core.training.data import _is_held_out, read_lines

FILES = "korean/wikipedia-ko.txt.xz", "korean/reviews-ko.txt.xz"
KNOWN = 50_000  # words that the softmax names
HELD_OUT = 0.02
RANK = 8  # occurrences from which a vector is learned (core.static.glove)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--lines", type=int, default=1_000_000)
    args = parser.parse_args()
    lines = [line.strip() for name in FILES for line in islice(read_lines(args.data / name), args.lines)]
    rows = {name: measured(TOKENIZERS[name], lines) for name in ("words", "morphemes-ko")}
    for what in rows["words"]:
        print(f"| {what} | " + " | ".join(f"{result[what]:.4g}" for result in rows.values()) + " |")
    print(f"% of cuts that plain MeCab makes otherwise: {100 * differing(lines):.2f}")


def measured(tokenize, lines: list[str]) -> dict[str, float]:
    """One way to cut the text, as figures."""
    known: Counter[str] = Counter()
    held, cut, n_lines = [], 0, 0
    for line in lines:
        tokens = tokenize(line)
        if _is_held_out(line, HELD_OUT):
            held += tokens
        else:
            known.update(tokens)
            n_lines += 1
            cut += sum(len(token.encode()) > IDS_PER_TOKEN - 2 for token in tokens)
    listed = {word for word, _ in known.most_common(KNOWN)}
    n = known.total()
    result = {
        "tokens a sentence": n / n_lines,
        "types": len(known),
        "% of tokens longer than 48 bytes": 100 * cut / n,
        "% of types longer than 48 bytes": 100 * sum(len(word.encode()) > IDS_PER_TOKEN - 2 for word in known) / len(known),
        f"% of held-out tokens not among the {KNOWN:,} commonest": 100 * np.mean([word not in listed for word in held]),
        f"% of held-out tokens seen fewer than {RANK} times": 100 * np.mean([known[word] < RANK for word in held]),
        "% of lines that are their text again": 100 * np.mean([join_tokens(tokenize(s)) == _plain(s) for s in lines[:1000]]),
    }
    return result | of_our_sentences(tokenize, known)


def of_our_sentences(tokenize, known: Counter[str]) -> dict[str, float]:
    """How our labeled words come out of it."""
    rows = [json.loads(line) for line in (ASSETS / "sentences-ko.jsonl").read_text(encoding="utf-8").splitlines()]
    alone = forms = rare = 0
    spellings: dict[str, set[str]] = {}
    for row in rows:
        tokens = tokenize(join_tokens(row["tokens"]))
        alone += bool(find_word(tokens, row["lemma"]))
        place = next((k for k, token in enumerate(tokens) if bare(token).startswith(row["lemma"])), 0)
        spellings.setdefault(row["lemma"], set()).add(tokens[place])
        rare += known[tokens[place]] < RANK
        forms += 1
    return {
        "% of our sentences with their word as a token": 100 * alone / forms,
        "spellings a word of ours has": float(np.mean([len(s) for s in spellings.values()])),
        f"% of our words seen fewer than {RANK} times": 100 * rare / forms,
    }


def differing(lines: list[str]) -> float:
    """Of the places where mecab-ko or plain MeCab lets a morpheme begin, those that only one of them names, by mecab-ko's count."""
    ours, plain = mecab_ko(), plain_mecab()
    cuts = [tuple({item.start for item in read(line)} for read in (ours, plain)) for line in lines]
    return sum(len(a ^ b) for a, b in cuts) / sum(len(a) for a, _ in cuts)


def _plain(line: str) -> str:
    return " ".join(line.translate(str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")).split())


if __name__ == "__main__":
    main()
