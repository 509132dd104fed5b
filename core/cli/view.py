"""`view`: any view of core.views as JSON, for programs."""

import json

from core.cli.options import MODEL, Answer, argument, command, option
from core.cli.shared import open_model, progress
from core.common.errors import BadInput

# core.views.wire's, which would import numpy before --help
NAMES = (
    *("pair", "neighbours", "induction", "layouts", "cloud", "substitutes", "compare", "mix", "around", "attribution", "edits"),
    *("concordance", "collocates", "keyness"),
)


@command(
    "view",
    "What a page computes, as JSON: a request in, a result out.",
    argument("name", f"which view: {', '.join(NAMES)}", metavar="NAME"),
    option("--request", 'a JSON object, such as {"word": {"text": "We sat on the bank."}, "space": "1"}', metavar="JSON", required=True),
    option("--corpus", "a registry name, an index folder, or a JSONL of sentences (default: its language's own)", metavar="C", default=""),
    option("--vectors", "static vectors: a registry name or a vector file (default: its language's own)", metavar="V", default=""),
    *MODEL,
)
def view(*, name, request, corpus, vectors, **model) -> Answer:
    from core.views import wire
    from core.workbench import open_bench

    try:
        parsed = json.loads(request)
    except ValueError as error:
        raise BadInput(f"--request is no JSON: {error}.") from None
    bench = open_bench(open_model(**model), vectors, corpus, report=progress("tokens"))
    result = wire.answer(bench, name, parsed)
    return result, json.dumps(result, ensure_ascii=False, indent=1)
