"""How to cite Elmoscope and ELMo, and the text to copy into a problem report."""

import streamlit as st

from core.common import citation, i18n
from core.common.i18n import t
from pages._frame.in_use import InUse, short_name


def show(in_use: InUse) -> None:
    """Show both in expanders; each block has Streamlit's copy button."""
    with st.expander(t("How to cite"), icon=":material/format_quote:", key="model.cite"):
        st.code(citation.ELMOSCOPE, language="bibtex")
        st.code(citation.ELMO, language="bibtex", wrap_lines=True)
    with st.expander(t("Report a problem"), icon=":material/bug_report:", key="model.report"):
        st.caption(t("Say what you did and what you saw, and add this. It has no paths and nothing that you typed."))
        st.code(citation.describe_installation(_settings(in_use)), language=None)


def _settings(in_use: InUse) -> dict[str, str]:
    """Return what is in use by name: of a path its last part."""
    named = {"model": in_use.model, "vectors": in_use.vectors, "corpus": in_use.corpus, "second model": in_use.beside}
    settings = {key: short_name(name) for key, name in named.items() if name}
    return settings | {"engine": in_use.engine, "language": i18n.language()}
