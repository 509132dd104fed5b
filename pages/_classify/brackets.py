"""Labeled spans as brackets under words, and an answer marked in its text, as HTML.

A label is always written, so that nothing depends on color alone.
"""

from collections.abc import Sequence

from core.common.markup import Markup, html
from core.text.tokens import pieces

STYLE = Markup("""<style>
  .spans {line-height: 2.7; font-size: 1.05rem; margin: 0.3rem 0 0.5rem; overflow-wrap: anywhere;}
  .spans .span {display: inline-flex; flex-direction: column; vertical-align: top; line-height: 1.3; margin: 0.5rem 0.15rem 0; max-width: 100%;}
  .spans .words {border: solid var(--c); border-width: 0 2px 3px 2px; padding: 0 0.25rem 0.1rem;}
  .spans .label {font-size: 0.76rem; font-weight: 600; text-align: center;}
  .spans .alone .words {border-style: dashed;}
  .spans mark {background: rgba(33,113,181,0.22); color: inherit; border-bottom: 3px solid #2171B5; padding: 0 0.15rem;}
  .spans mark.alone {border-bottom-style: dashed;}
</style>""")
Labeled = tuple[int, int, str]


def spans(tokens: Sequence[str], labeleds: Sequence[Labeled], *, colors: dict[str, str], alone: Sequence[Labeled] = ()) -> Markup:
    """Return tokens with a bracket and a label under each span. Spans may be nested; those in `alone` are dashed and marked with ≠."""
    shown = pieces(tokens)

    def draw_span(first: int, last: int, within: Sequence[Labeled]) -> list[Markup | str]:
        parts: list[Markup | str] = []
        k = first
        while k <= last:
            here = max((span for span in within if span[0] == k and span[1] <= last), key=lambda span: span[1], default=None)
            if here is None:
                parts.append(shown[k].lstrip() if k == first else shown[k])
                k += 1
                continue
            only = here in alone
            parts.append(
                html(
                    ' <span class="span{}" style="--c:{}"><span class="words">{}</span><span class="label">{}{}</span></span> ',
                    " alone" if only else "",
                    colors.get(here[2], "#7F7F7F"),
                    draw_span(k, here[1], [span for span in within if span != here]),
                    "≠ " if only else "",
                    here[2],
                )
            )
            k = here[1] + 1
        return parts

    return html('{}<div class="spans">{}</div>', STYLE, draw_span(0, len(tokens) - 1, labeleds))


def mark_text(text: str, begin: int, end: int, *, alone: bool) -> Markup:
    """Mark the characters from `begin` to `end` of a text."""
    mark = html("<mark{}>{}{}</mark>", " class=alone" if alone else "", "≠ " if alone else "", text[begin:end])
    return html('{}<div class="spans" style="line-height:1.7">{}{}{}</div>', STYLE, text[:begin], mark, text[end:])
