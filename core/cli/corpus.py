"""`corpus search`, `corpus collocates` and `corpus keyness`: the parts of Your texts, as a table, JSON or CSV."""

from ..files.own_names import titles_of
from .options import MODEL, Answer, argument, command, flag, group, option, whole
from .shared import as_csv, in_columns, note, progress, workspace_of

CORPUS = option(
    "--corpus",
    "a registry name, or a file: .txt, .csv, .tsv, .xlsx, .jsonl, .docx, .pdf, .epub (default: its language's)",
    metavar="C",
    default="",
)
KINDS = ("word", "lemma", "pattern")
QUERY = (
    argument("query", "a word, or a phrase in quotation marks; bank* is every word that begins with bank, * any word", metavar="QUERY"),
    CORPUS,
    option("--kind", "words (default), lemmas in all their forms, or one regular expression per word", choices=KINDS, default="word"),
    option("--documents", "only in these documents", metavar="NAME", many=True),
)
WINDOW = option("--window", "words each side (default 5)", type=whole(1, 10), default=5)
SENSES = ("labels", "groups")
CORRECTIONS = ("benjamini-hochberg", "bonferroni", "none")
TABLE = (flag("--csv", "print CSV instead of a table"), *MODEL)


@command(
    "search",
    "Every line with a word, how often and how evenly it occurs.",
    *QUERY,
    option(
        "--order",
        "text, source, sense, random, substitutes, or the word beside it: left, left2, left3, right, right2, right3",
        default="text",
    ),
    option("--near", "only lines that also have this word or phrase within the window", metavar="W", default=""),
    WINDOW,
    option("--sense", "only lines with this sense", default=""),
    option("--senses", "those of the file's labels, or groups that the model finds", choices=SENSES, default="labels"),
    option("--first", "the first line, from 0", type=whole(0), default=0),
    option("--number", "how many lines (default 20)", type=whole(0, 100_000), default=20),
    option("--seed", "of the order at random", type=whole(0), default=0),
    *TABLE,
)
def search(*, query, corpus, documents, csv, model, **options) -> Answer:
    from ..views import concordance as views

    request = views.ConcordanceRequest(query=query, documents=tuple(documents), **options)
    result = views.concordance(workspace_of(model, corpus), request, progress("sentences"))
    lines = result.lines
    if csv:
        rows = ((line.document, line.date, line.sense, line.sentence + 1, line.before, line.hit, line.after) for line in lines)
        return result, as_csv(("document", "date", "sense", "sentence", "before", "hit", "after"), rows)
    spread = f", {result.per_million:,.1f} per million tokens, dispersion DP {result.deviation:.3f}" if result.n else ""
    notes = (f"{result.n:,} occurrences{spread}", *views.describe_limits(result))
    forms = ", ".join(f"{form} {n:,}" for form, n in result.forms)
    table = in_columns([(line.before[-60:], line.hit, line.after[:60]) for line in lines], right=(0,))
    near = f"Similar spellings: {', '.join(result.similar)}" if result.similar else ""
    return result, filter(None, (*notes, forms, near, *table))


@command(
    "collocates",
    "Words near a word, by how strongly they go with it.",
    *QUERY,
    WINDOW,
    option("--minimum", "how often at least (default 3)", type=whole(1), default=3),
    option("--order", "log_dice or log_likelihood (default log_dice)", choices=("log_dice", "log_likelihood"), default="log_dice"),
    option("--senses", "also a list for each sense of the file's labels, or of groups that the model finds", choices=SENSES),
    option("--most", "how many (default 50)", type=whole(1), default=50),
    flag("--content", "leave out function words"),
    *TABLE,
)
def collocates(*, query, corpus, documents, content, senses, csv, model, **options) -> Answer:
    from ..views import concordance as views

    request = views.CollocatesRequest(query=query, documents=tuple(documents), grammar=not content, senses=senses or "", **options)
    result = views.collocates(workspace_of(model, corpus), request)
    head = ("word", "logDice", "log-likelihood", "together", "before", "after", "in the corpus")
    rows = [(c.word, f"{c.log_dice:.2f}", f"{c.log_likelihood:.1f}", c.together, c.left, c.right, c.frequency) for c in result.items]
    numbers = range(1, 7)
    lines = [f"{result.n:,} occurrences", *in_columns([head, *rows], right=numbers)]
    if of_senses := [(of.sense, w.word, f"{w.z:.2f}", w.here, w.elsewhere) for of in result.senses for w in of.words]:
        head, rows = ("sense", "word", "z", "here", "other senses"), of_senses
        numbers = range(2, 5)
        lines += in_columns([head, *rows], right=numbers)
    return result, as_csv(head, rows, numbers=numbers) if csv else lines


@command(
    "keyness",
    "The words that a corpus has more often than another, by log-likelihood.",
    CORPUS,
    option("--against", "the other corpus (default: more labeled sentences of the language)", metavar="C", default=""),
    option("--minimum", "how often at least (default 5)", type=whole(1), default=5),
    option("--correction", "of p for many tests (default benjamini-hochberg)", choices=CORRECTIONS, default="benjamini-hochberg"),
    option("--most", "how many words of each corpus (default 50)", type=whole(1), default=50),
    *TABLE,
)
def keyness(*, corpus, csv, model, **options) -> Answer:
    from ..views import concordance as views
    from ..views.left_out import describe_shared

    result = views.keyness(workspace_of(model, corpus), views.KeynessRequest(**options))
    head = ("word", *titles_of(result.names), "log-likelihood", "log ratio", "p")
    if result.shared:
        note(describe_shared(result.shared, result.reduced))
    words = (*result.first, *result.second)
    rows = [(w.word, w.first, w.second, f"{w.log_likelihood:.1f}", f"{w.log_ratio:+.2f}", f"{w.p:.2g}") for w in words]
    return result, as_csv(head, rows, numbers=range(1, 6)) if csv else in_columns([head, *rows], right=range(1, 6))


corpus = group("corpus", "A corpus searched and counted.", commands=(search, collocates, keyness))
