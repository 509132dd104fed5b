"""Commands `senses change`, `senses spread` and `senses glosses`: change of meaning, spreading of labels, WordNet glosses."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path

from ..common.errors import BadInput
from ..common.libraries import Frame, frame
from ..common.markup import shorten
from ..files.atomic import locked
from ..files.formats import format_csv
from ..files.user_names import corpus_titles
from .options import CORPUS, MODEL, Answer, command, flag, group, option, whole
from .shared import counted, in_columns, note, progress, table_lines, workspace_of, write_texts

WORD = option("--word", "the word", metavar="W", required=True)
TABLE = (option("--csv", "write the table there, too", metavar="FILE"), *MODEL)
LAYER = option("--layer", 'a layer\'s number, "mix", or "senses": the sense space (default)', metavar="L", default="senses")
GRAPH = ("uses.csv", "clusters.csv", "judgments.csv")
DATES = "its texts from one date to another, such as 1850..1899 (850..899, 44 BC.., 1850-06..1850-07)"


@command(
    "change",
    option("--word", "the word; left out: a list of all words that are frequent enough", metavar="W"),
    option("--first", CORPUS.help, metavar="C", default=""),
    option("--second", "the second corpus (default: the first)", metavar="C", default=""),
    option("--first-dates", DATES, metavar="A..B", default=""),
    option("--second-dates", DATES, metavar="A..B", default=""),
    option("--uses", "a word usage graph's uses.csv instead: its two groupings", metavar="FILE"),
    option("--clusters", "its clusters.csv: the groups to go by", metavar="FILE"),
    option("--judgments", "its judgments.csv: how far annotators agree, and the vectors with them", metavar="FILE"),
    LAYER,
    option("--groups", "how many sense groups (default: the corpus's labels, else as many as the vectors suggest)", type=whole(1, 20)),
    option("--at-least", "for the list of words: fewest occurrences on each side (default 10)", type=whole(5), default=10),
    option("--most", "for the list of words: at most this many, the most frequent (default 1000)", type=whole(1), default=1000),
    flag("--like-frequency", "also count how many of 20 words of similar frequency differ less: reads every token of both sides"),
    option("--graph", "write uses.csv, clusters.csv and judgments.csv of the word into this folder", metavar="DIR"),
    *TABLE,
    sides="first second first_dates second_dates uses clusters judgments",
    ranking="at_least most",
)
def senses_change(*, word, sides, layer, groups, ranking, like_frequency, graph, csv, model, outputs) -> Answer:
    """Measure how a word's use differs between two corpora or spans of dates; without --word, rank the words that differ most."""
    from ..corpus import usage_graphs
    from ..views import change
    from ..views.sides import Side, choose

    for name in ("clusters", "judgments"):
        if getattr(sides, name) and not sides.uses:
            raise BadInput(f"--{name} belong to a file of uses: name it with --uses.")
    if sides.uses and (more := [name for name in ("first", "second", "first_dates", "second_dates") if getattr(sides, name)]):
        raise BadInput(f"--uses has both sides: leave out --{more[0].replace('_', '-')}.")
    if graph and not (word or sides.uses):
        raise BadInput("--graph writes one word's files: name it with --word.")
    for name in GRAPH if graph else ():
        outputs.check_file(Path(graph) / name)
    workspace = workspace_of(model, sides.first)
    if sides.uses:
        word, *corpora = usage_graphs.keep_sides(sides.uses, sides.clusters, word)
        first, second = (Side(corpus=name) for name in corpora)
    else:
        first = _side(sides.first, sides.first_dates, "--first-dates")
        second = _side(sides.second or sides.first, sides.second_dates, "--second-dates")
    if not word:
        layer = str(change.LAYER) if layer == change.SENSES else layer
        left_out = choose(workspace, first, second).left_out
        for text in left_out.describe():
            note(text)
        read = change.read(workspace, first, second)
        ranked = change.rank(read, progress("words"), at_least=ranking.at_least, max_words=ranking.most, space=layer)
        rows = [{"word": item.word, **_row(item.change), "corrected_p": round(item.corrected, 6)} for item in ranked]
        return {"layer": layer, "left_out": asdict(left_out), "words": rows}, _write_table(change.tabulate_ranking(ranked), csv)
    result = change.compute(workspace, change.ChangeRequest(word=word, first=first, second=second, space=layer, number=groups))
    if graph:
        write_texts({Path(graph) / name: text for name, text in change.graph_files(result).items()})
        note(f"wrote {', '.join(GRAPH)} to {Path(graph)}")
    bands = _bands(result, (first, second), workspace.corpus)
    control = None
    if like_frequency:
        request = change.ChangeRequest(word=word, first=first, second=second)
        control = change.control(workspace, request, progress("words"))
    answer = {"word": result.word, "layer": result.space, **_row(result.change), "shuffled": result.change.shuffled, "bands": bands}
    answer |= {"measures": {name: asdict(measure) for name, measure in result.change.measures.items()}}
    answer |= {"groups": list(result.names), "groups_are_labels": result.labeled, "groups_are_clear": result.clear}
    answer |= {"left_out": asdict(result.left_out)}
    answer |= {"control": control and {"words": list(control.words), "below": control.below}}
    lines = [f"“{result.word}” in {result.change.first} and {result.change.second} sentences, p = {result.change.p:.3f}"]
    for name, measure in result.change.measures.items():
        chance = f"shuffled {measure.null:.3f}, 95% below {measure.limit:.3f}"
        lines.append(f"{name.upper()}: {measure.value:.3f}; {chance}; p = {measure.p:.3f}")
    lines += result.left_out.describe()
    if control is not None and control.words:
        lines.append(f"differs more than {control.below} of {counted(len(control.words), 'word')} of similar frequency")
    if sides.judgments:
        answer["judgments"], reasons = _score_judgments(sides, word, result)
        text = "judgments: {pairs}; Krippendorff's alpha {alpha}, Spearman's rho with the cosines {spearman}"
        values = answer["judgments"] | {"pairs": counted(answer["judgments"]["pairs"], "pair")}
        lines += [text.format(**values).replace("None", "–"), *reasons]
    lines += filter(None, [change.describe_groups(result)])
    return answer, [*lines, "sentences of each sense:", *_write_table(bands, csv)]


def _bands(result, sides, corpus: str) -> list[dict]:
    """Count the sentences of each named sense group on each named side, or in each period."""
    titles = corpus_titles([side.corpus or corpus for side in sides])
    dated = [f" {side.start or '…'}..{side.end or '…'}" if side.start or side.end else "" for side in sides]
    named = [f"{which}: {title}{dates}" for which, title, dates in zip(("first", "second"), titles, dated, strict=True)]
    names = result.names
    senses = [f"{name} ({names[:k].count(name) + 1})" if names.count(name) > 1 else name for k, name in enumerate(names)]
    return [{"texts": band.name or named[k], **dict(zip(senses, band.counts, strict=True))} for k, band in enumerate(result.bands)]


def _score_judgments(sides, word: str, result) -> tuple[dict, list[str]]:
    """Return the annotators' agreement (ordinal alpha), Spearman's rho of mean judgments and cosines, and reasons for missing values.

    A value that cannot be computed is None.
    """
    from scipy.stats import spearmanr

    from ..corpus import usage_graphs
    from ..corpus.label_files import tokens_of
    from ..corpus.measures import ORDINAL, alpha

    uses = [use for use in usage_graphs.read_uses(sides.uses) if use.lemma.casefold() == word]
    names = {use.identifier for use in uses}
    everything = usage_graphs.read_judgments(sides.judgments)
    judgments = [pair for pair in everything if {pair.first, pair.second} <= names]
    if not judgments:
        raise BadInput(
            f"None of the judgments in {sides.judgments} is on two uses of “{word}” in {sides.uses}. Name the file of its judgments."
        )
    if missing := len(everything) - len(judgments):
        note(f"{counted(missing, 'judgment')} of {len(everything):,} not used: on other uses than those of “{word}” in {sides.uses}.")
    cosines, means = usage_graphs.cosines_and_judgments(uses, judgments, tokens_of(result.items), result.vectors)
    agreement = rho = None
    reasons = []
    answers = usage_graphs.answers_of(judgments)
    try:
        agreement = round(alpha(answers, ORDINAL), 4)
    except BadInput:
        is_judged_twice = any(sum(answer is not None for answer in pair) > 1 for pair in zip(*answers, strict=True))
        reason = "all judgments are the same" if is_judged_twice else "no pair has the judgments of two annotators"
        reasons.append(f"no alpha: {reason}.")
    if len(set(means)) < 2:
        reasons.append("no rho: the pairs' mean judgments are all the same." if means else "no rho: no pair was decided.")
    elif max(cosines) - min(cosines) < 1e-6:  # such as those of one spelling at layer 0
        reasons.append("no rho: the pairs' cosines are all the same.")
    else:
        rho = round(float(spearmanr(cosines, means).statistic), 4)
    return {"pairs": len(means), "alpha": agreement, "spearman": rho}, reasons


def _row(change) -> dict:
    """Return a word's measures as a row."""
    measures = {name: round(measure.value, 6) for name, measure in change.measures.items()}
    return {"first": change.first, "second": change.second, **measures, "p": round(change.p, 6)}


def _side(corpus: str, dates: str, name: str):
    from ..views.sides import Side

    start, dots, end = dates.partition("..")
    if dates and (not dots or not (start or end) or ".." in end):
        raise BadInput(f"{name} is '{shorten(dates)}'. Write it as 1850..1899, either end may be left out.")
    return Side(corpus=corpus, start=start.strip(), end=end.strip())


@command(
    "spread",
    WORD,
    option("--labels", "JSONL: tokens, position, sense, as this command and the page write it", metavar="FILE", required=True),
    CORPUS,
    option("--second", "a second annotator's file: Krippendorff's alpha of both", metavar="FILE"),
    option("--merge", "senses to put into others before: from=into", metavar="A=B", many=True),
    option("--ask", "how many of the most doubtful sentences to name (default 10)", type=whole(0), default=10),
    option(
        "--output", "write all sentences with senses, and the other rows of --labels (may be that file)", metavar="FILE", is_checked=False
    ),
    LAYER,
    *TABLE,
    annotation="labels second merge",
)
def senses_spread(*, word, annotation, corpus, ask, output, layer, csv, model, outputs) -> Answer:
    """Spread a few labels of a word's sentences to all of them, with probabilities, and name the most doubtful ones."""
    from ..corpus import label_files
    from ..corpus.label_files import carry_rows
    from ..corpus.spread import Labels, end_of
    from ..views import induction

    merged = label_files.pairs(annotation.merge)
    adds = _adds_to_labels(output, annotation)
    if output and not adds:
        outputs.check_file(output)
    files = [file for file in (annotation.labels, annotation.second) if file]
    senses = [sense for file in files for sense in label_files.read_senses(file, word).values()]
    Labels(tuple(enumerate(senses))).merge(merged)  # report wrong files and merges before the model reads
    workspace = workspace_of(model, corpus)
    occurrences = induction.compute(workspace, induction.InductionRequest(word=word, space=layer)).occurrences
    sentences = label_files.tokens_of(occurrences.items)
    read, *others = (label_files.read_labels(file, sentences, partial(end_of, into=merged), word) for file in files)
    if missing := len(read.labels.elsewhere):
        note(f"{counted(missing, 'label')} without a sentence among the {len(sentences):,} that were read.")
    labels, n_labels = read.labels, len(read.by_sentence) - missing
    agreements = [label_files.agreement(labels, second.labels, sentences) for second in others]
    result = induction.compute(workspace, induction.InductionRequest(word=word, space=layer, given=labels.given)).spread
    if result is None:
        raise BadInput(f"{Path(annotation.labels).name} has {len(labels.senses)} sense; label sentences of at least 2.")
    if output:
        text = label_files.format_labels(occurrences.word, sentences, labels, result, [o.text for o in occurrences.items])
        with locked(output) if adds else nullcontext():  # another process may have added rows
            text, carried = carry_rows(text, Path(annotation.labels), sentences, partial(end_of, into=merged), word)
            write_texts({Path(output): text})
        if carried:
            note(f"{annotation.labels}: {counted(carried, 'row')} on other sentences copied to {output}.")
    rows = [
        {"number": k, "sense": result.senses[sense], "probability": round(float(result.shares[k, sense]), 4)}
        | {"labeled": bool(result.labeled[k]), "sentence": occurrences.items[k].sentence}
        for k, sense in enumerate(result.sense_of.tolist())
    ]
    doubtful = [rows[k] for k in result.doubtful[:ask].tolist()]
    answer = {"word": occurrences.word, "senses": list(result.senses), "labels": n_labels}
    counts = ", ".join(f"{sense} {int((result.sense_of == k).sum())}" for k, sense in enumerate(result.senses))
    lines = [f"{counted(len(rows), 'sentence')} of “{occurrences.word}”, {n_labels} labeled: {counts}"]
    for value, n in agreements:
        answer |= {"alpha": round(value, 4), "labeled_by_both": n}
        lines.append(f"Krippendorff's alpha of both annotators: {value:.3f}, on {counted(n, 'sentence')}")
    _write_table(result.table(occurrences.items), csv)
    if doubtful:
        lines.append("the most doubtful:")
    lines += in_columns((f"{row['probability']:.2f}", row["sense"], row["sentence"]) for row in doubtful)
    return {**answer, "doubtful": doubtful, "sentences": rows}, lines


@command(
    "glosses",
    WORD,
    CORPUS,
    option("--groups", "how many groups (default: as many as the vectors suggest)", type=whole(1, 20)),
    option("--most", "glosses of each group (default 3)", type=whole(1), default=3),
    LAYER,
    *TABLE,
)
def senses_glosses(*, word, corpus, groups, most, layer, csv, model) -> Answer:
    """List a WordNet's glosses for a word's sense groups, the likeliest first: a guess. Needs the package wn and its data."""
    from ..views import induction

    workspace = workspace_of(model, corpus)
    result = induction.compute(workspace, induction.InductionRequest(word=word, space=layer, number=groups))
    glosses = induction.glosses(workspace, result)
    rows = [
        {"group": name, "sentences": int((result.groups.numbers == k).sum()), "sense": sense.number, "pos": sense.pos, "gloss": sense.gloss}
        for k, name in enumerate(result.groups.names)
        for sense in glosses.likeliest(k, most)
    ]
    return {"word": result.occurrences.word, "lexicon": glosses.lexicon, "guesses": rows}, _write_table(rows, csv)


def _adds_to_labels(output: str | None, annotation) -> bool:
    """Return whether the labels' own file is written again. Raises BadInput if that would lose labels."""
    places = [Path(output or ""), Path(annotation.labels)]
    if not output or not all(place.exists() for place in places) or not places[0].samefile(places[1]):
        return False
    if annotation.merge:
        raise BadInput(f"--merge would replace senses in {output}. Name another file with --output.")
    for place in (*places, places[0].resolve()):  # a link may have another ending than its file
        if place.suffix != ".jsonl":
            raise BadInput(f"{place} is not a .jsonl file, which --output writes. Name another file.")
    return True


def _write_table(table: "Frame | Sequence[dict]", path: str | None) -> list[str]:
    """Write a table, or a list of rows, to a CSV file if one is named, and return its lines."""
    table = frame(table)
    if path:
        write_texts({Path(path): format_csv(table)})
    return table_lines(table)


COMMANDS = (senses_change, senses_spread, senses_glosses)
senses = group("senses", "Change of meaning, labels that spread, a dictionary's glosses.", commands=COMMANDS)
