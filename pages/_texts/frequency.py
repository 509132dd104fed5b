"""A bar chart of the hits of a search by document, by tenth of the text, or by date."""

from core.common.i18n import t
from core.common.markup import shorten
from core.figures.measures import frequency_bars, frequency_columns
from core.views.concordance import Concordance
from pages._frame.choices import coded_choice
from pages._widgets.charts import draw

BARS = 12
DOCUMENTS, DATES = "documents", "dates"


def show(result: Concordance) -> None:
    """Draw the bars. The user chooses between documents and dates if the corpus has both."""
    by = DATES if result.dates and len(result.documents) < 2 else DOCUMENTS
    if result.dates and len(result.documents) > 1:
        by = coded_choice("find_by", t("Frequency by"), {DOCUMENTS: t("document"), DATES: t("date")}, DATES)
    if by == DATES:
        figure = frequency_columns(result.dates)
        alt = t("{n:,} occurrences by date.", n=result.n)
    elif len(result.documents) > 1:
        ranked = sorted(result.documents, key=lambda part: -part[1])[:BARS]
        figure = frequency_bars(ranked, [shorten(name, 20, end=8) for name, _, _ in ranked], t("Occurrences by document"))
        alt = t("{n:,} occurrences by document.", n=result.n)
    else:
        names = [t("{a} to {b}%", a=10 * k, b=10 * k + 10) for k in range(len(result.stretches))]
        figure = frequency_bars(result.stretches, names, t("Where in the text"))
        alt = t("{n:,} occurrences by tenth of the text.", n=result.n)
    draw(figure, key="corpus.bars", alt=alt)
