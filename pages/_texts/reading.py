"""Show the size of a corpus, the progress of its index, its deletion, and the numbers of a search."""

from pathlib import Path

import streamlit as st

from core.common.i18n import t, tn
from core.common.limits import limits, texts_expire
from core.common.markup import Markup, html, plain, shorten
from core.corpus.dispersion import by_document
from core.corpus.encoded import EncodedCorpus
from core.corpus.search import Hits, commonest_beside, similar
from core.files import own_names
from core.files.quotas import VISITS
from core.index.index_plan import Plan, check_room
from core.index.sense_space import keeps_substitutes
from core.text import languages, own_corpus
from core.text.corpora import BUNDLED_CORPUS, sentences_of
from core.text.own_corpus import KeptCorpus
from core.views.concordance import Concordance
from pages._cached import jobs, label_store, opened
from pages._cached.progress import duration, show_state
from pages._frame import uploads
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._frame.menu import page_link
from pages._texts import inputs, store

FEW_TOKENS = 3_000
COMMONEST = 6  # words listed
FORMS = 6  # forms of a query listed
STOPS_WITHIN_S = 30


def offer_deletion(corpus: str) -> None:
    """Show how long the texts of this visit are stored, and a button that deletes one. Show nothing if the visit has no texts."""
    names = sorted(name for path in tuple(VISITS.get_holdings().texts) if (name := own_names.name_of(path)))
    if own_corpus.is_own(corpus):
        names = list(dict.fromkeys([corpus, *names]))
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="corpus.stored"):
        with st.popover(t("Delete"), icon=":material/delete:"):
            name = names[0]
            if names != [corpus]:
                name = st.selectbox(t("Text"), names, format_func=lambda item: own_names.title_of(item, names), key="corpus.forgotten")
            if texts_expire():
                st.write(
                    t("Deletes this text and everything made from it. While another visit uses the same text, it stays for that visit.")
                )
            else:
                st.write(t("Deletes this corpus, the labels of its words, its maps and other results from this machine, for everyone."))
            st.button(t("Delete for good"), key="corpus.forget", on_click=_forget, args=(name,))
        if texts_expire():
            n = limits().max_text_hours
            st.caption(
                tn(
                    "Your texts are deleted {n} hour after your visit ends, or earlier if space runs short.",
                    "Your texts are deleted {n} hours after your visit ends, or earlier if space runs short.",
                    n,
                )
            )


def _forget(corpus: str) -> None:
    """Delete a text from this machine. A public server keeps it while another visit uses it, and deletes it only from this visit."""
    path = own_names.path_of(corpus) if own_names.is_kept(corpus) else Path(corpus)
    if VISITS.release(path) and texts_expire():
        jobs.leave(corpus)
    else:
        jobs.end(corpus, STOPS_WITHIN_S)
        label_store.forget(corpus)
        own_corpus.forget(corpus)
    state = st.session_state
    state["corpus.own"] = [name for name in state.get("corpus.own", ()) if name != corpus]
    kept = state.get("corpus.kept", ("", None))[1]
    if isinstance(kept, KeptCorpus) and kept.name == corpus:
        state.update(corpus_text="", corpus_folder="")
        state.pop("corpus.kept")
        uploads.remove(inputs.KEY)
    if state.get("corpus") == corpus:
        state.corpus = languages.in_use().sentences or BUNDLED_CORPUS


def show_plan(in_use: InUse, corpus: str, kept: KeptCorpus | None) -> None:
    """Show the size of a corpus and of its index."""
    own = sentences_of(corpus) is None
    plan = store.plan(corpus, in_use.model)
    figures = [
        (t("Documents"), f"{plan.documents:,}"),
        (t("Sentences"), f"{plan.sentences:,}"),
        (t("Tokens"), f"{plan.tokens:,}"),
        (t("Distinct words"), f"{plan.words:,}"),
    ]
    if own:
        with st.spinner(t("Measuring reading speed…")):
            pace = store.pace(in_use.model, corpus)
        figures += [(t("Estimated time"), duration(pace.seconds(plan))), (t("Disk space"), _size(plan.working_bytes))]
    words = " · ".join(f"{shorten(word)} {n:,}" for word, n in plan.commonest[:COMMONEST])
    lines = [t("Most frequent: {words}.", words=words)]
    if not own:
        lines.insert(0, " · ".join(f"{label} {value}" for label, value in figures))
    else:
        for place, (label, value) in zip(st.columns(len(figures)), figures, strict=True):
            place.metric(label, value)
        lines.append(t("Reading needs about {memory} of memory.", memory=_size(plan.memory_bytes)))
        lines.append(
            t("The index keeps the layers of every token and, for the sense space, its substitutes.")
            if plan.keeps_substitutes
            else t("The index keeps the layers of every token.")
        )
    show_html('<p class="small">{}</p>', Markup("<br>").join(lines))
    _left_out(kept)
    if own and (unread := store.unread(in_use, corpus)):
        st.warning(plain(unread, 400), icon=":material/translate:")


def show_use(in_use: InUse, corpus: str) -> None:
    """Show the button that selects a corpus on every page, the progress of its index, and that it is selected."""
    plan = store.plan(corpus, in_use.model)
    if corpus != in_use.corpus:
        _offer(corpus, plan)
    elif sentences_of(corpus) is None:
        _reading(in_use, corpus, plan)


def show_facts(result: Concordance) -> None:
    """Show the frequency, the dispersion and the forms of the hits in one line."""
    figures = [tn("{n:,} occurrence", "{n:,} occurrences", result.n), t("{rate:,.0f} per million", rate=result.per_million)]
    over = t("documents") if len(result.documents) > 1 else t("tenths of the text")
    figures.append(t("dispersion DP {value:.2f} over {parts}", value=result.deviation, parts=over))
    if len(result.forms) > 1:
        forms = ", ".join(f"{shorten(form)} {n:,}" for form, n in result.forms[:FORMS])
        figures.append(forms + (", …" if len(result.forms) > FORMS else ""))
    show_html('<p class="small">{}</p>', " · ".join(figures))


def write_notices(corpus: EncodedCorpus, query: str, guessed: bool, hits: Hits) -> list[str]:
    """Describe the frequency, the documents and the neighbors of the hits."""
    shown = shorten(query.strip())
    lines = []
    total = len(corpus)
    if not len(hits):
        near = ", ".join(f"“{word}”" for word in similar(corpus, query))
        lines.append(t("“{word}” does not occur.", word=shown))
        return [*lines, t("Similar spellings: {words}.", words=near)] if near else lines
    rates = sorted(((1000 * n / max(1, size), name) for name, n, size in by_document(corpus, hits)), reverse=True)
    rate = 1e6 * len(hits) / total
    values = {"word": shown, "n": len(hits), "rate": f"{rate:,.0f}", "tokens": total}
    if len(hits) == 1:
        lines.append(tn("“{word}” is the only token.", "“{word}” occurs once in {tokens:,} tokens.", total, **values))
    else:
        lines.append(t("“{word}” occurs {n:,} times ({rate} per million tokens).", **values))
    if len(rates) > 1:
        within = sum(rate > 0 for rate, _ in rates)
        values = {"n": within, "all": len(rates), "name": shorten(rates[0][1])}
        if rates[0][0] > rates[1][0]:
            lines.append(t("In {n:,} of {all:,} documents, densest in {name}.", **values))
        else:
            lines.append(t("In {n:,} of {all:,} documents.", **values))
    after, before = (commonest_beside(corpus, hits, step) or ([], 0) for step in (-1, 1))
    if after[1] > 1:
        lines.append(t("Most often after “{other}” ({n:,}).", other=_join_words(after[0]), n=after[1]))
    if before[1] > 1:
        lines.append(t("Most often before “{other}” ({n:,}).", other=_join_words(before[0]), n=before[1]))
    if guessed:
        lines.append(t("Example: “{word}”.", word=shown))
    if total < FEW_TOKENS:
        lines.append(tn("{n:,} token is few: expect chance neighbors.", "{n:,} tokens are few: expect chance neighbors.", total))
    return lines


def _join_words(words: list[str]) -> str:
    """Join words that share a rank, for one pair of quotation marks."""
    return "”, “".join(shorten(word) for word in words)


def _size(n_bytes: float) -> str:
    if n_bytes >= 9.95e8:
        return t("{n:.1f} GB", n=n_bytes / 1e9)
    return t("{n:,.0f} MB", n=n_bytes / 1e6) if n_bytes >= 9.95e6 else t("{n:.1f} MB", n=n_bytes / 1e6)


def _left_out(kept: KeptCorpus | None) -> None:
    if kept is None or not kept.skipped:
        return
    n = len({file.name for file in kept.skipped})  # one file may have several notes
    with st.expander(
        tn("{n} file skipped or incomplete", "{n} files skipped or incomplete", n),
        icon=":material/warning:",
        expanded=n < 4,
        key="corpus.left_out",
    ):
        lines = ((file.name, file.why.removeprefix(f"{file.name}: ")) for file in kept.skipped)  # the line begins with the name
        show_html("{}", [html('<div class="kwic"><b>{}</b> {}</div>', name, why) for name, why in lines])


def _offer(corpus: str, plan: Plan) -> None:
    free = VISITS.estimate_room(plan.working_bytes).free
    if free < plan.working_bytes:
        sizes = {"need": _size(plan.working_bytes), "free": _size(free)}
        st.warning(t("Reading needs {need} of disk; {free} is free. Free space to use it; search works.", **sizes))
    refused = True
    with show_errors():
        check_room(plan, sum(opened.spent_by_visit().values()))
        refused = free < plan.working_bytes
    st.button(
        t("Use these texts everywhere"),
        type="primary",
        icon=":material/done_all:",
        key="corpus.use",
        on_click=_use,
        args=(corpus,),
        disabled=refused,
        help=t("Reads every word in the background; you can stop and continue."),
    )


def _use(corpus: str) -> None:
    st.session_state.corpus = corpus


def _reading(in_use: InUse, corpus: str, plan: Plan) -> None:
    job = opened.table_job(corpus, in_use.model)
    job.wait(1.0)
    if job.result is None:
        show_state(job, lambda: opened.go_on(corpus, in_use.model))
    else:
        row = st.columns([4, 2, 2], vertical_alignment="center")
        n = len(job.result)
        message = tn("These texts are used everywhere ({n:,} token).", "These texts are used everywhere ({n:,} tokens).", n)
        row[0].success(message, icon=":material/done_all:")
        page_link("neighbors", t("Neighbors"), place=row[1], icon=":material/hub:")
        page_link("found", t("Senses"), place=row[2], icon=":material/category:")
        if plan.keeps_substitutes and not keeps_substitutes(job.result):
            st.caption(t("This index keeps no substitutes: the sense space computes them when you ask."))
        if not opened.is_labeled(corpus):
            st.caption(t("No sense labels: Map colors context by your nearer sentence."))
