"""Measure how well text is split into sentences: `python -m tests.bench.cutting DATA`, with the folder of tasks/, corpus/ and ag_news/.

Our splitter, and pysbd and syntok if they are installed (`pip install pysbd==0.3.4 syntok==1.4.4`), find the sentence ends of the documents
of UD English-EWT, joined into running text, and of the hard cases listed here.
"""

import argparse
import importlib
import lzma
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

from core.text import tokens

Splitter = Callable[[str], list[str]]
PARTS = ("train", "dev", "test")
MARKS = ".!?\u2026\"')]\u201d\u2019"  # after which a sentence may be said to end; no splitter here cuts elsewhere

# A bar stands where a sentence ends. Ours were written while the rules were; they show what is decided, not how often it is right.
HARD = """
\u201cReally?\u201d he asked.
\u201cReally?\u201d John asked. | He left.
"Stop!" she cried, and ran.
"I know." | Then she left.
"Is it late?" | "It is."
He came on Jan. 5 and left on Feb. 2, 2001.
He came in Jan. | He left in May.
See Fig. 3 and pp. 5-7. | We do.
The Fig. 3. | It is blue.
We used Yahoo! in Korea.
Yahoo! Mail was down. | Nobody knew.
Who uses Yahoo! | I do.
Wait... what?
Wait... | What?
Wait . . . what?
Well ... | He never came.
This is plan B. | We left.
Vitamin C. | It helps.
He left at 5 p.m. | She stayed.
He left at 5 p.m. Monday.
He left at 9 a.m. EST on Friday.
We met at 8 a.m. on the 5th. | He was late.
It is in the U.S. | He left.
The U.S. Army came. | It stayed.
The U.S. and the U.K. agreed. | They signed.
He lives in Washington, D.C. | She does not.
E. coli grows fast. | S. Typhimurium does not.
The growth of E. coli was slow (p < 0.05). | It stopped.
Cells were lysed at p < 0.05. | The rest was kept.
We mixed them (see Sect. 2.1). | We waited.
The gene (cf. Fig. 2B) is silent. | Its product is not.
Smith et al. showed this. | Lee et al. (2004) did not.
It was shown by Smith et al. | We agree.
IL-2 was added at 37 degrees C. | Cells died.
NF-kappa B. | It binds DNA.
The NF-kappa B. subunit binds.
Cells in G1 vs. G2 differ.
Approx. 5 ml were added, i.e. 10 drops. | We shook it.
Mix ca. 5 g with 3 ml, e.g. Tris or PBS.
The value is 0.5. | No. 7 is higher.
See eqs. 2 and 3, Ref. 4, and Suppl. Table 2.
c-fos and c-jun were measured. | p53 was not.
The protein binds p53. | p21 is not needed.
It was 3.5 kb long. | mRNA levels rose.
The new phone is out. | iPhones sell well.
Dr. Lee and Prof. Kim met Mr. Poe, Jr. at noon.
He works for Acme Inc. | She does not.
Acme Inc. Chairman Lee left. | He was old.
Acme Corp. and Coe Ltd. merged. | They sold pens, etc. | Then they failed.
J. K. Rowling wrote it. | George W. Bush read it.
So did I. | She left.
The book is by I. Newton. | It is old.
She has a Ph.D. | He has none.
She has a Ph.D. in law.
1. Open the box. | 2. Take it out.
a. Open the box. | b. Take it out.
(1) Open it. | (2) Close it.
Is he 5? | 6 or 7?
It cost $5. | 6 were sold.
He lives on Main St. | She lives in St. Louis.
It is no. 5 of ten. | The answer is no. | He left.
He is at www.example.com. | Visit it.
Version 2.0.1 is out. | Get it at example.com/a.b.
What?! | No way!! | Yes.
He said (it was late!) that he would go.
He came (at 5 p.m.) and left.
She said it (twice). | Nobody heard.
(She said it twice.) | Nobody heard.
The so-called "best!" prize went to her.
He asked why? and left.
Mt. Everest is high. | Ft. Worth is not.
On Mon. Jan. 5 it rained. | On Tue. it did not.
Rev. Coe and Hon. Poe met Gov. Doe. | They spoke.
Add 2 tbsp. of salt and 1 tsp. of oil. | Stir.
It is 5 ft. 3 in. tall. | He is taller.
Vol. 2, No. 3, ch. 4, sec. 5 are lost. | Vol. 1 is not.
\uc815\ub9d0? | \uadf8\uac00 \ubb3c\uc5c8\ub2e4.
"\uc815\ub9d0?" \ud558\uace0 \uadf8\uac00 \ubb3c\uc5c8\ub2e4. | \ub098\ub294 \uac14\ub2e4.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=["test"], help="of EWT")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="the first N places where ours is wrong")
    args = parser.parse_args()
    print_sentences(args)


def print_sentences(args: argparse.Namespace) -> None:
    documents = [document for part in args.parts for document in ewt(args.data, part)]
    hard = [line.split(" | ") for line in HARD.strip().splitlines()]
    n = sum(map(len, documents))
    print(f"{len(documents):,} documents, {n:,} sentences; {len(hard)} hard cases")
    print("| | precision | recall | F1 | F1 after a mark | hard cases | sentences/s |\n| --- | --- | --- | --- | --- | --- | --- |")
    running = [running_text(document) for document in documents]
    for name, split in splitters().items():
        started = time.perf_counter()
        cut = [split(text) for text, _ in running]
        seconds = time.perf_counter() - started
        pairs = [(ends(sentences), gold, text) for sentences, (text, gold) in zip(cut, running, strict=True)]
        every = scores((mine, gold) for mine, gold, _ in pairs)
        marked = scores((after_marks(mine, text), after_marks(gold, text)) for mine, gold, text in pairs)
        right = sum(list(map(_visible, split(" ".join(case)))) == list(map(_visible, case)) for case in hard)
        print(f"| {name} | {every[0]:.1%} | {every[1]:.1%} | {every[2]:.1%} | {marked[2]:.1%} | {right} | {n / seconds:,.0f} |")
        if name == "ours":
            show(pairs, hard, split, args.show)


def ewt(data: Path, part: str) -> list[list[list[str]]]:
    """The documents of EWT (the tokens of their sentences), as PropBank's release has them, in order."""
    documents: dict[str, list[list[str]]] = {}
    last = ""
    with lzma.open(data / f"tasks/srl/ewt_propbank.{part}.conll.xz", "rt", encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            name, _, token = line.split("\t")[:3]
            sentences = documents.setdefault(name.rpartition("-")[0], [])
            if name != last:
                sentences.append([])
            sentences[-1].append(token)
            last = name
    return list(documents.values())


def running_text(document: list[list[str]]) -> tuple[str, set[int]]:
    """A document as one line of text, and where its sentences end, in visible characters from its beginning."""
    return tokens.join_tokens([token for sentence in document for token in sentence]), ends("".join(s) for s in document)


def ends(sentences: Iterable[str]) -> set[int]:
    """Where each ends but the last, which every splitter knows."""
    result = []
    at = 0
    for sentence in sentences:
        at += len(_visible(sentence))
        result.append(at)
    return set(result[:-1])


def after_marks(places: set[int], text: str) -> set[int]:
    visible = _visible(text)
    return {place for place in places if visible[place - 1] in MARKS}


def scores(pairs: Iterable[tuple[set[int], set[int]]]) -> tuple[float, float, float]:
    """Precision, recall and F1 over all documents."""
    right = mine = gold = 0
    for of_ours, of_gold in pairs:
        right, mine, gold = right + len(of_ours & of_gold), mine + len(of_ours), gold + len(of_gold)
    return right / mine, right / gold, 2 * right / (mine + gold)


def splitters() -> dict[str, Splitter]:
    result: dict[str, Splitter] = {"ours": tokens.split_sentences}
    if pysbd := installed("pysbd"):
        result["pysbd"] = pysbd.Segmenter(language="en", clean=False).segment
    if syntok := installed("syntok.segmenter"):
        result["syntok"] = lambda text: [
            "".join(token.spacing + token.value for token in sentence) for sentence in syntok.analyze(text) for sentence in sentence
        ]
    return result


def installed(name: str) -> ModuleType | None:
    """Libraries that are compared here and required nowhere."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def show(pairs: list[tuple[set[int], set[int], str]], hard: list[list[str]], split: Splitter, most: int) -> None:
    if not most:
        return
    for case in hard:
        if (result := split(" ".join(case))) != case:
            print("   hard:", " | ".join(result))
    wrong = [(place, place in mine, text) for mine, gold, text in pairs for place in sorted(after_marks(mine ^ gold, text))]
    for place, is_cut, text in wrong[:most]:
        at = [k for k, sign in enumerate(text) if not sign.isspace()][place - 1] + 1
        print("   cut:" if is_cut else "   not:", text[max(0, at - 40) : at], "|", text[at : at + 30])


def _visible(text: str) -> str:
    return "".join(text.split())


if __name__ == "__main__":
    main()
