"""The Texts part: the size of the user's texts, the cost and the progress of their index, and their deletion."""

from pathlib import Path

import streamlit as st

from core.common.i18n import t, tn
from core.common.limits import limits, texts_expire
from core.common.markup import Markup, html, plain, shorten
from core.files import registry, user_names
from core.files.artifacts import megabytes
from core.files.quotas import VISITS
from core.index.sense_space import keeps_substitutes
from core.index.tables import Plan, check_room
from core.text import languages, own_corpus
from core.text.corpora import BUNDLED_CORPUS, sentences_of
from core.text.own_corpus import KeptCorpus
from pages._cached import cache, label_store, shared_jobs
from pages._cached.shared_jobs import duration, show_index_state
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._frame.menu import page_link
from pages._texts import inputs, store

COMMONEST = 6  # words listed
STOPS_WITHIN_S = 30


def show(in_use: InUse) -> None:
    texts = store.own_texts()
    corpus = store.workspace_over(in_use, texts).corpus
    registry.resolve(corpus, "corpus")  # states a missing corpus once
    use = st.container()
    offer_deletion(corpus)
    with show_errors():
        show_plan(in_use, corpus, texts)
        with use:
            plan = store.plan(corpus, in_use.model)
            if corpus != in_use.corpus:
                _offer_use(corpus, plan)
            elif sentences_of(corpus) is None:
                _show_reading(in_use, corpus, plan)
        message = t("Sentences that every page uses: {n:,}.", n=plan.sentences)
        if corpus != in_use.corpus:
            used = user_names.corpus_title(in_use.corpus)
            message = t("Sentences searched here: {n:,}. Other pages use the corpus “{used}”.", n=plan.sentences, used=used)
        notice([message])


def offer_deletion(corpus: str) -> None:
    """Show how long the texts of this visit are stored, and a button that deletes one. Show nothing if the visit has no texts."""
    names = sorted(name for path in tuple(VISITS.get_holdings().texts) if (name := user_names.corpus_name(path)))
    if own_corpus.is_own(corpus):
        names = list(dict.fromkeys([corpus, *names]))
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="corpus.stored"):
        with st.popover(t("Delete"), icon=":material/delete:"):
            name = names[0]
            if names != [corpus]:
                name = st.selectbox(t("Text"), names, format_func=lambda item: user_names.corpus_title(item, names), key="corpus.forgotten")
            about = t("Deletes this corpus, the labels of its words, its maps and other results from this machine, for everyone.")
            if texts_expire():
                about = t("Deletes this text and everything made from it. If another visit uses the same text, it stays for that visit.")
            st.write(about)
            st.button(t("Delete for good"), key="corpus.forget", on_click=_forget, args=(name,))
        if texts_expire():
            about = t("Your texts are deleted {n} h after your visit ends, or earlier if space runs short.", n=limits().max_text_hours)
            st.caption(about)


def _forget(corpus: str) -> None:
    """Delete a text from this machine. A public server keeps it while another visit uses it, and deletes it only from this visit."""
    path = user_names.corpus_path(corpus) if user_names.corpus_exists(corpus) else Path(corpus)
    if VISITS.release(path) and texts_expire():
        shared_jobs.leave(corpus)
    else:
        shared_jobs.end(corpus, STOPS_WITHIN_S)
        label_store.forget(corpus)
        own_corpus.forget(corpus)
    state = st.session_state
    state["corpus.own"] = [name for name in state.get("corpus.own", ()) if name != corpus]
    stored = state.get("corpus.kept", ("", None))[1]
    if isinstance(stored, KeptCorpus) and stored.name == corpus:
        state.pop("corpus.kept")
    if source := state.get(store.SOURCES, {}).pop(corpus, None):
        inputs.clear(*source)  # or the next look at them would store the text again
    if state.get("corpus") == corpus:
        state.corpus = languages.in_use().sentences or BUNDLED_CORPUS


def show_plan(in_use: InUse, corpus: str, stored: KeptCorpus | None) -> None:
    is_custom = sentences_of(corpus) is None
    plan = store.plan(corpus, in_use.model)
    figures = [(t("Documents"), f"{plan.documents:,}"), (t("Sentences"), f"{plan.sentences:,}")]
    figures += [(t("Tokens"), f"{plan.tokens:,}"), (t("Distinct words"), f"{plan.words:,}")]
    if is_custom:
        with st.spinner(t("Measuring reading speed…")):
            pace = store.pace(in_use.model, corpus)
        figures += [(t("Estimated time"), duration(plan.seconds(*pace))), (t("Disk space"), megabytes(plan.working_bytes))]
    words = " · ".join(f"{shorten(word)} {n:,}" for word, n in plan.commonest[:COMMONEST])
    lines = [t("Most frequent: {words}.", words=words)] if words else []
    if not is_custom:
        lines.insert(0, " · ".join(f"{label} {value}" for label, value in figures))
    else:
        for place, (label, value) in zip(st.columns(len(figures)), figures, strict=True):
            place.metric(label, value)
        lines.append(t("Reading needs about {memory} of memory.", memory=megabytes(plan.memory_bytes)))
        index = t("The index keeps the layers of every token.")
        with_substitutes = t("The index keeps the layers of every token and, for the sense space, its substitutes.")
        lines.append(with_substitutes if plan.keeps_substitutes else index)
    show_html('<p class="small">{}</p>', Markup("<br>").join(lines))
    _show_left_out(stored)
    if is_custom and (unread := store.unread(in_use, corpus)):
        st.warning(plain(unread, 400), icon=":material/translate:")


def _show_left_out(stored: KeptCorpus | None) -> None:
    if stored is None or not stored.skipped:
        return
    n = len({file.name for file in stored.skipped})  # one file may have several notes
    label = tn("Notes on {n} file", "Notes on {n} files", n)
    with st.expander(label, icon=":material/warning:", expanded=n < 4, key="corpus.left_out"):
        lines = [(file.name, f" {file.why}".removeprefix(f" {file.name}")) for file in stored.skipped]  # the line begins with the name
        show_html("{}", [html('<div class="kwic"><b>{}</b>{}</div>', name, why) for name, why in lines])


def _offer_use(corpus: str, plan: Plan) -> None:
    """Draw the button that selects a corpus on every page, unless its index is too large."""
    refused = True
    with show_errors():
        check_room(plan)
        refused = False
    about = t("Reads every word in the background; you can stop and continue.")
    options = {"type": "primary", "icon": ":material/done_all:", "disabled": refused, "help": about}
    st.button(t("Use these texts everywhere"), key="corpus.use", on_click=lambda: st.session_state.update(corpus=corpus), **options)
    st.caption(t("Until then, reloading the page loses them."))


def _show_reading(in_use: InUse, corpus: str, plan: Plan) -> None:
    job = cache.table_job(corpus, in_use.model)
    job.wait(1.0)
    if job.result is None:
        show_index_state(job, lambda: cache.go_on(corpus, in_use.model))
    else:
        row = st.columns([4, 2, 2], vertical_alignment="center")
        n = len(job.result)
        message = tn("These texts are used everywhere ({n:,} token).", "These texts are used everywhere ({n:,} tokens).", n)
        row[0].success(message, icon=":material/done_all:")
        page_link("neighbors", t("Neighbors"), place=row[1], icon=":material/hub:")
        page_link("found", t("Senses"), place=row[2], icon=":material/category:")
        if plan.keeps_substitutes and not keeps_substitutes(job.result):
            st.caption(t("This index keeps no substitutes: the sense space computes them when you ask."))
        if not cache.is_labeled(corpus):
            st.caption(t("No sense labels: Map colors context by your nearer sentence."))
