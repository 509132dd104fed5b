"""Check and tag sets of sense-labeled sentences.

A model learns a sense only if its sentences differ in everything but the word. A content word in half of them, or one that always comes
first, would be learned instead. Each rule names its limit.

The bundled English sentences get parts of speech (assets/tags-en.json) by a logistic regression on a token's spelling, its affixes and shape,
and the neighboring spellings, trained on CoNLL-2000. It uses no vectors: tags that probe ELMo must not be made by ELMo.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from ..cli.options import Answer, argument, command
from ..common.errors import BadInput
from ..files import sums
from ..files.artifacts import provenance, write_json
from ..text.corpora import BUNDLED_CORPUS, open_corpus
from ..text.file_lines import is_guess, json_rows
from .datasets import read_tags
from .lessons import TAGS

SENSES = 2, 6  # of a word
FEWEST = 10  # sentences of a sense
WORDS = 7, 30  # of a sentence
SHARED = 0.25  # of a sense's sentences may share a content word
DISTINCT = 0.9  # of a word's sentences begin with three distinct tokens
ALIKE = 0.4  # Jaccard index of two sentences' content words
BEGIN_ALIKE = 2  # sentences of a sense begin with one word
THIRD = 0.7  # of a word's sentences, at most, have it in the same third
SPREAD = 2.0  # tokens: the standard deviation of a word's sentences' lengths


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A labeled sentence and its line."""

    tokens: tuple[str, ...]
    position: int
    lemma: str
    sense: str
    line: int

    @property
    def content(self) -> set[str]:
        """Return the other content words in lower case."""
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS as GRAMMAR

        others = (token.lower() for k, token in enumerate(self.tokens) if k != self.position and token.isalpha())
        return {word for word in others if word not in GRAMMAR and word != self.lemma.lower() and (len(word) > 2 or not word.isascii())}


def read_rows(path: str | Path) -> list[CheckedSentence]:
    """Read the rows of a .jsonl file that have a lemma and a sense. Raises BadInput without any."""
    results = []
    for number, (_, row) in enumerate(json_rows(Path(path)), 1):
        if isinstance(row, dict) and not is_guess(row) and row.get("lemma") and row.get("sense") and isinstance(row.get("tokens"), list):
            position = row.get("position")
            if not (isinstance(position, int) and 0 <= position < len(row["tokens"])):
                raise BadInput(f"{Path(path).name}, row {number}: position {position!r} is outside its {len(row['tokens'])} tokens.")
            results.append(CheckedSentence(tuple(map(str, row["tokens"])), position, str(row["lemma"]), str(row["sense"]), number))
    if not results:
        raise BadInput(f"{Path(path).name} has no row with tokens, position, lemma and sense. Add some.")
    return results


def shared_lines(rows: Sequence[CheckedSentence]) -> set[int]:
    """Return the lines of consecutive rows with the same sentence under two lemmas."""
    pairs = ((a, b) for a, b in pairwise(rows) if a.tokens == b.tokens and a.lemma != b.lemma)
    return {row.line for pair in pairs for row in pair}


def broken_rules(rows: Sequence[CheckedSentence]) -> Iterator[str]:
    """Yield one line for every broken rule, word by word. A sentence with two labeled words counts for neither."""
    shared = shared_lines(rows)
    rows = [row for row in rows if row.line not in shared]
    words: dict[str, list[CheckedSentence]] = defaultdict(list)
    seen: dict[str, int] = {}
    for row in rows:
        words[row.lemma].append(row)
        n = sum(any(map(str.isalnum, token)) for token in row.tokens)
        if not WORDS[0] <= n <= WORDS[1]:
            yield f"row {row.line}: {n} words; {WORDS[0]} to {WORDS[1]} wanted"
        text = " ".join(row.tokens).lower()
        if text in seen:
            yield f"row {row.line}: the same sentence as row {seen[text]}"
        seen.setdefault(text, row.line)
    for lemma, of_word in words.items():
        yield from _rules_of_word(lemma, of_word)


def _rules_of_word(lemma: str, rows: list[CheckedSentence]) -> Iterator[str]:
    senses: dict[str, list[CheckedSentence]] = defaultdict(list)
    for row in rows:
        senses[row.sense].append(row)
    if not SENSES[0] <= len(senses) <= SENSES[1]:
        yield f"{lemma}: {len(senses)} senses; {SENSES[0]} to {SENSES[1]} wanted"
    for sense, of_sense in senses.items():
        yield from (f"{lemma} / {sense}: {problem}" for problem in _rules_of_sense(of_sense))
    n_distinct = len({tuple(token.lower() for token in row.tokens[:3]) for row in rows})
    if n_distinct < DISTINCT * len(rows):
        yield f"{lemma}: the first three tokens are distinct in {n_distinct} of {len(rows)} sentences; {DISTINCT:.0%} wanted"
    thirds = Counter(min(2, 3 * row.position // len(row.tokens)) for row in rows)
    for k, name in enumerate(("first", "middle", "last")):
        if thirds[k] > THIRD * len(rows):
            yield f"{lemma}: the word is in the {name} third of {thirds[k]} of {len(rows)} sentences; at most {THIRD:.0%} wanted"
    spread = np.std([len(row.tokens) for row in rows])
    if spread < SPREAD:
        yield f"{lemma}: lengths spread by {spread:.1f} tokens; {SPREAD} wanted"
    contents = [row.content for row in rows]
    for a, b in combinations(range(len(rows)), 2):
        if (both := contents[a] & contents[b]) and len(both) / len(contents[a] | contents[b]) > ALIKE:
            yield f"{lemma}: rows {rows[a].line} and {rows[b].line} are too alike: {', '.join(sorted(both))}"


def _rules_of_sense(rows: list[CheckedSentence]) -> Iterator[str]:
    if len(rows) < FEWEST:
        yield f"{len(rows)} sentences; {FEWEST} wanted"
    for word, n in Counter(word for row in rows for word in row.content).items():
        if n > max(1, SHARED * len(rows)):
            yield f"“{word}” is in {n} of {len(rows)} sentences; at most {SHARED:.0%} wanted"
    for word, n in Counter(row.tokens[0].lower() for row in rows).items():
        if n > BEGIN_ALIKE:
            yield f"{n} sentences begin with “{word}”; at most {BEGIN_ALIKE} wanted"


@command("check-sentences", argument("file", ".jsonl or .json: rows with tokens, position, lemma and sense", metavar="F"))
def check_sentences(*, file) -> Answer:
    """Check a file of sense-labeled sentences: enough of each sense, varied, no copies."""
    rows = read_rows(file)
    problems = list(broken_rules(rows))
    counts = {
        "sentences": len(rows),
        "words": len({row.lemma for row in rows}),
        "senses": len({(row.lemma, row.sense) for row in rows}),
        "meetings": len(shared_lines(rows)) // 2,
    }
    line = "{sentences:,} labeled words in sentences, {meetings:,} times two in one; {words:,} words, {senses:,} senses".format(**counts)
    return {**counts, "faults": problems}, [*problems, f"{line}: {len(problems):,} faults"]


LETTERS = {"noun": "N", "name": "P", "verb": "V", "adjective": "A", "adverb": "R", "pronoun": "O", "determiner": "D", "preposition": "I"}
LETTERS |= {"conjunction": "C", "number": "#", "modal": "M", "particle": "T", "mark": ".", "other": "X"}
# Beginnings of the Penn Treebank's tags
PENN = {"name": "NNP", "noun": "NN", "verb": "VB", "adjective": "JJ", "adverb": "RB WRB", "pronoun": "PRP WP EX"}
PENN |= {"determiner": "DT PDT WDT", "preposition": "IN", "particle": "TO RP POS", "conjunction": "CC", "number": "CD", "modal": "MD"}


def coarse(tag: str) -> str:
    """Return the part of speech of a Penn Treebank tag."""
    matches = {start: name for name, starts in PENN.items() for start in starts.split() if tag.startswith(start)}
    if matches:
        return matches[max(matches, key=len)]
    return "other" if tag[:1].isalpha() else "mark"


def _shape(letter: str) -> str:
    """Return "A" for a capital, "a" for a small letter, "0" for a digit, and any other character itself."""
    if letter.isupper():
        return "A"
    if letter.islower():
        return "a"
    return "0" if letter.isdigit() else letter


def features(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield the features of each token: spelling, shape, affixes and neighbors."""
    padded = ["<s>", "<s>", *(token.lower() for token in tokens), "</s>", "</s>"]
    for k, token in enumerate(tokens, 2):
        previous, low, following = padded[k - 1 : k + 2]
        form = "".join(map(_shape, token[:4]))
        neighbors = [f"{d}:{padded[k + d]}" for d in (-2, -1, 1, 2)]
        ends = [f"e{n}:{low[-n:]}" for n in (1, 2, 3, 4)]
        ends += [f"n{n}:{following[-n:]}" for n in (2, 3)] + [f"b{n}:{previous[-n:]}" for n in (2, 3)]
        itself = [f"w:{low}", f"f:{form}", f"p:{low[:2]}", f"i:{k == 2}", f"t:{token}"]
        yield [*itself, f"wb:{previous} {low}", f"wn:{low} {following}", *neighbors, *ends]


@command(
    "tag-sentences",
    argument("train", "CoNLL-2000's training sentences", metavar="A"),
    argument("test", "and its test sentences", metavar="B"),
)
def tag_sentences(*, train, test) -> Answer:
    """Tag the bundled English sentences by a tagger that knows spellings alone: assets/tags-en.json."""
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import SGDClassifier

    hasher = FeatureHasher(1 << 20, input_type="string", alternate_sign=False)

    def encode(sentences: Iterable[Sequence[str]]):
        return hasher.transform(names for tokens in sentences for names in features(tokens))

    train_rows, test_rows = read_tags(train), read_tags(test)
    train_tags = [coarse(tag) for _, tags in train_rows for tag in tags]
    test_tags = [coarse(tag) for _, tags in test_rows for tag in tags]
    tagger = SGDClassifier(loss="modified_huber", alpha=1e-6, max_iter=8, tol=None, random_state=0)
    tagger.fit(encode(tokens for tokens, _ in train_rows), train_tags)
    right = tagger.predict(encode(tokens for tokens, _ in test_rows)) == test_tags
    sentences = [item.tokens for item in open_corpus(BUNDLED_CORPUS)]

    def letter(token: str, tag: str) -> str:
        """Return a tag's letter. A token without letter or digit is a mark."""
        return LETTERS[tag if any(map(str.isalnum, token)) else "mark"]

    tags = iter(tagger.predict(encode(sentences)))
    lines = ["".join(letter(token, next(tags)) for token in tokens) for tokens in sentences]
    facts = {"tags": {code: name for name, code in LETTERS.items()}, "accuracy": round(float(np.mean(right)), 4), "sentences": lines}
    write_json(TAGS, {"command": "python -m core.lab tag-sentences conll2000/train.txt.xz conll2000/test.txt.xz", **provenance(**facts)})
    sums.renew(TAGS)
    return {"accuracy": facts["accuracy"], "n": len(right)}, f"CoNLL-2000's test: {np.mean(right):.2%} of {len(right):,} -> {TAGS}"
