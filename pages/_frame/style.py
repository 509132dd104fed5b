"""The house style: what Streamlit's own theme does not say, for every page, wide and at phone width, light and dark."""

from __future__ import annotations

import json

STYLE = """
<style>
  .stMainBlockContainer {max-width: 1240px; padding-top: 3.2rem; padding-bottom: 4rem;}
  .lede {font-size: 1.12rem; line-height: 1.55; max-width: 62rem; margin: -0.4rem 0 0.6rem 0;}
  .st-key-siblings {border-bottom: 1px solid rgba(128,128,140,0.22); row-gap: 0; margin-bottom: 0.4rem;}
  .st-key-tour {position: absolute; height: 0;}
  /* Korean lines break between words, as English ones do, also where Streamlit's own rules say otherwise. */
  .stApp, .stApp :is(p, li, label, button, summary, a, span, div, h1, h2, h3, h4) {word-break: keep-all;}
  .lede, .notice, .kwic, .small, .colhead, .token, table.card, .stMarkdown, h1, h2, h3, h4 {overflow-wrap: anywhere;}
  .small {font-size: 0.86rem; opacity: 0.75; line-height: 1.5;}
  .notice {border-left: 4px solid #2171B5; padding: 0.35rem 0 0.35rem 0.9rem; margin: 0.4rem 0; line-height: 1.55;}
  .kwic {padding: 0.42rem 0; border-bottom: 1px solid rgba(128,128,140,0.22); line-height: 1.45; overflow-wrap: anywhere;}
  .kwic b.target {font-weight: 700;}
  .kwic .cosine {float: right; font-variant-numeric: tabular-nums; font-size: 0.86rem; opacity: 0.8; margin-left: 0.6rem;}
  .kwic details {display: inline;}
  .kwic summary {display: inline; cursor: pointer;}
  .kwic summary::marker, .kwic summary::-webkit-details-marker {content: ""; display: none;}
  .kwic summary::after {content: " ▸"; opacity: 0.55;}
  .kwic details[open] summary::after {content: " ▾";}
  .kwic summary:hover .target {text-decoration: underline;}
  .kwic summary:focus-visible {outline: 2px solid #2171B5; outline-offset: 2px;}
  .kwic details:not([open]) .whole, .kwic details[open] .cut {display: none;}
  .kwic .take {border: 0; background: none; color: inherit; font: inherit; font-size: 0.82rem; opacity: 0.72; text-decoration: underline;
               text-underline-offset: 2px; cursor: pointer; padding: 0 0.2rem; margin-left: 0.35rem; white-space: nowrap;}
  .kwic .take:hover, .kwic .take:focus-visible {opacity: 1;}
  .chip {display: inline-block; font-size: 0.76rem; font-weight: 600; border-radius: 0.6rem;
         padding: 0.02rem 0.5rem; margin-left: 0.4rem; white-space: nowrap;}
  [data-testid="stBaseButton-primary"]:enabled {background: #1F6BAC; border-color: #1F6BAC; color: #fff;}
  .chips .chip {margin: 0 0.4rem 0 0;}
  .meanings {display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 0.15rem 1.2rem; font-size: 0.86rem;}
  .meanings .chip {margin: 0 0.25rem 0 0;}
  [data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] p {color: inherit; opacity: 1;}
  [data-testid="stCaptionContainer"] p {opacity: 0.8;}
  .colhead {font-weight: 650; font-size: 1.05rem; border-top: 5px solid; padding-top: 0.45rem; margin-bottom: 0.2rem;}
  .tokens {line-height: 2.1; margin: 0.1rem 0 0.2rem 0;}
  .token {padding: 0.16rem 0.34rem; border-radius: 0.3rem; overflow-wrap: anywhere;}
  table.card {border-collapse: collapse; font-size: 0.95rem; line-height: 1.5;}
  table.card th, table.card td {text-align: left; vertical-align: top; padding: 0.4rem 1.2rem 0.4rem 0; border-bottom: 1px solid rgba(128,128,140,0.22);}
  table.card th {font-weight: 600; white-space: nowrap;}
  table.card td {overflow-wrap: anywhere;}
  .weights {display: grid; grid-template-columns: auto 1fr; gap: 0.75rem 0.8rem; align-items: center; padding: 0.5rem 0 0.6rem;}
  .weights .bar {display: flex; align-items: center; gap: 0.6rem; padding-right: 3.4rem;}
  .weights i {height: 2.1rem; flex: none; min-width: 1px;}
  .weights b {font-weight: 500; font-variant-numeric: tabular-nums; width: 0;}
  [data-testid="stPlotlyChart"] {overflow: visible;}
  .js-plotly-plot .modebar-group {background: none !important;}
  .js-plotly-plot .modebar-btn path {fill: currentColor !important; opacity: 0.6;}
  /* Streamlit's theme writes charts' text in a grey of 3.7:1 on white. */
  .js-plotly-plot text[style*="fill: rgb(128, 132, 149)"] {fill: currentColor !important; fill-opacity: 0.85 !important;}
  /* Home: what is typed changes the verdict above it, which keeps its height, so that no box moves under the hand. */
  .verdict {margin: 0; line-height: 1.35; display: grid; grid-template-columns: auto minmax(0, 1fr); align-items: center; gap: 1.1rem; min-height: 2.9rem;}
  .verdict b {font-size: 2rem; font-weight: 750; line-height: 1.2; color: #1F6BAC; color: light-dark(#1F6BAC, #6DB1E8);}
  .verdict span {font-size: 0.95rem;}
  .st-key-home_verdict {min-height: 2.9rem;}
  .stMainBlockContainer:has(.st-key-home_verdict) {padding-top: 2.6rem;}
  .stMainBlockContainer:has(.st-key-home_verdict) h1 {padding: 0.4rem 0 0.2rem;}
  .stVerticalBlock:has(> [data-testid="stLayoutWrapper"] > .st-key-home_verdict) {gap: 0.75rem;}
  :is(.st-key-a, .st-key-b):is(.stVerticalBlock:has(.st-key-home_verdict) *) label {display: none;}
  .stVerticalBlock:has(.st-key-home_verdict) .stVerticalBlock:has(> :is(.st-key-ai, .st-key-bi)) {gap: 0.5rem;}
  .stVerticalBlock:has(.st-key-home_verdict) .st-key-example [role="radiogroup"] {flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none;}
  .stVerticalBlock:has(.st-key-home_verdict) .st-key-example button {flex: none;}
  .scene {margin: 0; line-height: 1.45; overflow-wrap: anywhere;} .scene b {font-size: 1.05rem;}
  [data-testid="stButtonGroup"] [role="radiogroup"], [data-testid="stButtonGroup"] > div {flex-wrap: wrap; overflow: visible; row-gap: 0.3rem;}
  @media (max-width: 640px), (pointer: coarse) {
    .stMainBlockContainer {padding-left: 1rem; padding-right: 1rem; padding-top: 3.4rem;}
    [data-variant="pills"], [data-variant="segmented_control"], :is(.stButton, .stDownloadButton, .stFileUploader) button, .stExpander summary,
    [data-testid="stTextInputField"], .stSelectbox input, .stSelectbox button, [data-testid="stPageLink"] a, .kwic .take {min-height: 44px;}
  }
  @media (max-width: 640px) {
    h1 {font-size: 1.5rem !important; padding: 0 0 0.8rem 0 !important;}
    .stMainBlockContainer .stVerticalBlock {gap: 0.7rem;}
    .lede {font-size: 1rem; line-height: 1.45; margin-top: 0;}
    .st-key-siblings {flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none;}
    .st-key-siblings > * {flex: none;}
    .st-key-picture_first {flex-direction: column-reverse;}
    .stColumn:has(.st-key-flip_picture) {order: -1;}
    .st-key-a label, .st-key-b label {display: none;}
    .stHorizontalBlock:has(.st-key-ai) {gap: 0.6rem;}
    .stVerticalBlock:has(> .st-key-ai), .stVerticalBlock:has(> .st-key-bi) {gap: 0.35rem;}
    :is(.st-key-ai, .st-key-bi) [role="radiogroup"] {gap: 0.25rem 0.2rem;}
    :is(.st-key-ai, .st-key-bi) button {padding-left: 0.5rem; padding-right: 0.5rem;}
    :is(.st-key-example, .st-key-decided-example) [role="radiogroup"] {flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none;}
    :is(.st-key-example, .st-key-decided-example) button {flex: none;}
    .stMainBlockContainer:has(.st-key-home_verdict) {padding-top: 3.4rem;}
    .stMainBlockContainer:has(.st-key-home_verdict) h1 {font-size: 1.15rem !important; padding: 0 !important; margin: 0;}
    .stVerticalBlock:has(> [data-testid="stLayoutWrapper"] > .st-key-home_verdict) {gap: 0.5rem;}
    .verdict {grid-template-columns: minmax(0, 1fr); gap: 0.1rem;}
    .verdict b {font-size: 1.5rem;}
    .verdict span {font-size: 0.86rem; line-height: 1.35; min-height: 3.5rem;}
    .st-key-home_verdict {min-height: 5.4rem; padding-top: 0.5rem;}
  }
</style>
"""


def uploader_style(label: str) -> str:
    """Streamlit's box for files speaks English only: its button says `label` instead, and its limit is in our own text above it."""
    box = '[data-testid="stFileUploaderDropzone"]'
    return (
        f"<style>{box} button p {{font-size: 0 !important;}} {box} button p::after {{content: {json.dumps(label)}; font-size: 1rem;}} "
        '[data-testid="stFileUploaderDropzoneInstructions"] {display: none;}</style>'
    )
