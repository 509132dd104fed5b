"""Commands `corpus search`, `corpus collocates` and `corpus keyness`: results as a table, JSON or CSV."""

from ..common.i18n import format_rate
from ..files.formats import format_csv
from .options import MODEL, Answer, argument, command, flag, group, option, whole
from .shared import counted, in_columns, note, progress, table_lines, workspace_of

CORPUS = option(
    "--corpus", "a name, or a file: .txt .csv .tsv .xlsx .jsonl .docx .pdf .epub (default: its language's)", metavar="C", default=""
)
QUERY = (
    argument("query", "a word, or a phrase in quotation marks; bank* is every word that begins with bank, * any word", metavar="QUERY"),
    CORPUS,
    option(
        "--kind",
        "words (default), lemmas in all their forms, or one regular expression per word",
        choices=("word", "lemma", "pattern"),
        default="word",
    ),
    option("--documents", "only in these documents", metavar="NAME", many=True),
)
WINDOW = option("--window", "words each side (default 5)", type=whole(1, 10), default=5)
SENSES = ("labels", "groups")
CORRECTIONS = ("benjamini-hochberg", "bonferroni", "none")
TABLE = (flag("--csv", "print CSV instead of a table"), *MODEL)


@command(
    "search",
    *QUERY,
    option("--order", "text, source, sense, random, substitutes, or the word at left, left2, left3, right, right2, right3", default="text"),
    option("--near", "only lines that also have this word or phrase within the window", metavar="W", default=""),
    WINDOW,
    option("--sense", "only lines with this sense", default=""),
    option("--senses", "those of the file's labels, or groups that the model finds", choices=SENSES, default="labels"),
    option("--first", "the first line, from 0", type=whole(0), default=0),
    option("--number", "how many lines (default 20)", type=whole(0, 100_000), default=20),
    option("--seed", "seed of the random order", type=whole(0), default=0),
    *TABLE,
)
def search(*, query, corpus, documents, csv, model, **options) -> Answer:
    """List every line with a word, and how often and how evenly it occurs."""
    from ..views import concordance as views

    request = views.ConcordanceRequest(query=query, documents=tuple(documents), **options)
    result = views.concordance(workspace_of(model, corpus), request, progress("sentences"))
    lines = result.lines
    if csv:
        labels = {"date": [line.date for line in lines], "sense": [line.sense for line in lines]}
        return result, _csv(result.table().assign(**labels))
    spread = f", {format_rate(result.per_million)} per million tokens, dispersion DP {result.deviation:.3f}" if result.n else ""
    notes = (f"{counted(result.n, 'occurrence')}{spread}", *views.describe_limits(result))
    forms = ", ".join(f"{form} {n:,}" for form, n in result.forms)
    table = in_columns([(line.before[-60:], line.hit, line.after[:60]) for line in lines], right=(0,))
    if result.n and not lines and options["number"]:
        notes += (f"--first {options['first']:,} is after the last line, {result.n - 1:,}.",)
    similar = f"Similar spellings: {', '.join(result.similar)}" if result.similar else ""
    return result, filter(None, (*notes, forms, similar, *table))


@command(
    "collocates",
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
    """List the words near a word, by how strongly they go with it."""
    from ..views import concordance as views

    request = views.CollocatesRequest(query=query, documents=tuple(documents), grammar=not content, senses=senses or "", **options)
    result = views.collocates(workspace_of(model, corpus), request)
    by_sense = result.senses_table()
    if csv:
        return result, _csv(result.table() if by_sense.empty else by_sense)
    why = f"No word is within {options['window']} words of it {options['minimum']:,} times or more." if result.n else "It does not occur."
    table = table_lines(result.table()) if result.items else [why]
    return result, [counted(result.n, "occurrence"), *table, *([] if by_sense.empty else table_lines(by_sense))]


@command(
    "keyness",
    CORPUS,
    option("--against", "the other corpus (default: more labeled sentences of the language)", metavar="C", default=""),
    option("--minimum", "how often at least (default 5)", type=whole(1), default=5),
    option("--correction", "how p is corrected (default benjamini-hochberg)", choices=CORRECTIONS, default="benjamini-hochberg"),
    option("--most", "how many words of each corpus (default 50)", type=whole(1), default=50),
    *TABLE,
)
def keyness(*, corpus, csv, model, **options) -> Answer:
    """List the words that a corpus has more often than another, by log-likelihood."""
    from ..views import concordance as views
    from ..views.sides import describe_shared

    result = views.keyness(workspace_of(model, corpus), views.KeynessRequest(**options))
    if result.shared:
        note(describe_shared(result.shared, result.reduced))
    if csv:
        return result, _csv(result.table())
    why = f"No word with {options['minimum']:,} occurrences or more is a keyword of either corpus."
    return result, table_lines(result.table()) if result.first or result.second else why


def _csv(table) -> str:
    """Return a table as CSV without the last line end, which is printed after every answer."""
    return format_csv(table).removesuffix("\r\n")


corpus = group("corpus", "A corpus searched and counted.", commands=(search, collocates, keyness))
