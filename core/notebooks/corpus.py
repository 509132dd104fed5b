"""Notebooks of a corpus: its lines, collocates and keywords; a word's groups and labels; change over time; two spaces compared."""

# %% parameters
model_name = "elmo-mini"
corpus = "sentences"
query = "bank"
kind = "word"  # word, lemma or pattern
order = "text"  # order of lines; for collocates: log_dice or log_likelihood
documents = ()
window = 5  # words each side
minimum = 2  # occurrences
senses = "labels"  # those of the corpus, or groups that the model finds
grammar = False  # function words as well
against = ""  # the other corpus; "": more labeled sentences of the language
correction = "benjamini-hochberg"
most = 100
word = "bank"
layer = "senses"
number = None  # number of groups; None: as many as the vectors suggest
labels = []  # ((tokens, position), sense) of each sentence that the user labeled
sides = [("sentences", "", ""), ("", "", "")]  # corpus, first date, last date; "": the example's news
spaces = [("glove-mini", "sentences"), ("elmo-mini · 2", "sentences")]
k = 10  # neighbors

# %% search collocates keyness found spread
from elmoscope.core.workspace import open_workspace

workspace = open_workspace(model_name, corpus=corpus)

# %% search
from elmoscope.core.views.concordance import ConcordanceRequest, concordance, with_senses

request = ConcordanceRequest(query=query, kind=kind, order=order, documents=documents, number=200)
result = concordance(workspace, with_senses(workspace, request))
about = f", {result.per_million:,.1f} per million, DP {result.deviation:.2f}; forms: {dict(result.forms)}" if result.n else ""
print(f"{result.n:,} occurrences{about}")
result.table()

# %% search
import pandas as pd

parts = result.dates or (result.documents if len(result.documents) > 1 else result.stretches)
pd.DataFrame(parts, columns=["part", "occurrences", "tokens"])

# %% collocates
from elmoscope.core.views.concordance import CollocatesRequest, collocates

about = {"query": query, "kind": kind, "window": window, "minimum": minimum, "order": order, "senses": senses, "grammar": grammar}
result = collocates(workspace, CollocatesRequest(**about))
result.table()

# %% collocates
result.senses_table()

# %% keyness
from elmoscope.core.views.concordance import KeynessRequest, keyness

request = KeynessRequest(against=against, minimum=minimum, correction=correction, most=most)
result = keyness(workspace, request)
result.table()

# %% found
from elmoscope.core.views import induction

result = induction.compute(workspace, induction.InductionRequest(word=word, space=layer, number=number))
occurrences, groups, suggestion = result.occurrences, result.groups, result.occurrences.suggestion
{name: int((groups.numbers == k).sum()) for k, name in enumerate(groups.names)}  # sentences of each

# %% found
import numpy as np

typical = {  # the three sentences nearest to the middle of each group
    name: [occurrences.items[k].sentence for k in np.argsort(-np.where(groups.numbers == group, groups.closeness, -2), kind="stable")[:3]]
    for group, name in enumerate(groups.names)
}
typical, groups.agreement, groups.shares.round(2)  # shares of each sentence in each group

# %% found
from elmoscope.core.figures.spaces import number_figure
from elmoscope.core.senses import clusters

number_figure(clusters.NUMBERS, suggestion.silhouettes, suggestion.limit, len(groups.names), suggestion.small)

# %% spread
from elmoscope.core.corpus.label_files import numbered, tokens_of
from elmoscope.core.views import induction

occurrences = induction.compute(workspace, induction.InductionRequest(word=word, space=layer)).occurrences
typed = numbered(labels, tokens_of(occurrences.items)).given  # labels stay on their sentences, whatever else the corpus holds
spread = induction.compute(workspace, induction.InductionRequest(word=word, space=layer, given=typed)).spread  # None below two senses
[occurrences.items[k].sentence for k in spread.doubtful[:3]] if spread else None  # the sentences to label next

# %% spread
import pandas as pd

table = spread.table(occurrences.items) if spread else pd.DataFrame({"sentence": [o.sentence for o in occurrences.items]})
table

# %% spread
from elmoscope.core.figures.spaces import label_map

sentences = [o.sentence for o in occurrences.items]
label_map(
    occurrences.coordinates, spread.sense_of, spread.shares.max(axis=1), spread.labeled, spread.senses, sentences, key="spread"
) if spread else None

# %% change
import pandas as pd
from elmoscope.core.views import change
from elmoscope.core.views.sides import Side, keep_news
from elmoscope.core.workspace import open_workspace

news = keep_news()  # the example's second side
first, second = (Side(corpus=corpus or news, start=start, end=end) for corpus, start, end in sides)
workspace = open_workspace(model_name, corpus=first.corpus)
result = change.compute(workspace, change.ChangeRequest(word=word, first=first, second=second))
measures = result.change.measures
pd.DataFrame({name: [measure.value, measure.null, measure.p] for name, measure in measures.items()}, index=["here", "shuffled", "p"]).T

# %% change
import numpy as np
from elmoscope.core.figures.spaces import bands_figure

bands = [band.name or ("first", "second")[k] for k, band in enumerate(result.bands)]
bands_figure(bands, np.array([band.counts for band in result.bands]), result.names, key="bands")

# %% change
control = change.control(workspace, change.ChangeRequest(word=word, first=first, second=second))  # reads every token of both sides
f"differs more than {control.below} of {len(control.words)} words of similar frequency" if control else None

# %% compare
from elmoscope.core.views import compare
from elmoscope.core.views.compare import CompareRequest, space_named
from elmoscope.core.workspace import open_workspace

first, second = (space_named(*space) for space in spaces)  # a vector file, or the mean vectors of a model's words in a corpus, at one layer
result = compare.compute(open_workspace(model_name), CompareRequest(first=first, second=second, k=k))
compared, words = result.comparison, result.comparison.words
result.names, len(words), result.halves

# %% compare
from elmoscope.core.figures.spaces import overlap_histogram

print(float(compared.shared.mean()), "of", k, "on average; linear CKA", result.cka_pair)
overlap_histogram(compared.shared, k, compared.chance)

# %% compare
result.table(compared.most_changed())
