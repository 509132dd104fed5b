"""`live`: a page that runs a model in the reader's own browser, as one HTML file."""

from pathlib import Path

from ..files.artifacts import read_json
from .options import MODEL, Answer, command, option
from .shared import note, open_model


@command(
    "live",
    "Write one HTML file that runs the model in any browser, from disk, without a server.",
    option("--output", "the file", metavar="FILE", default="elmoscope.html"),
    option("--examples", 'your own: {"bank": ["We sat on the bank.", "The bank lent money."]}', metavar="FILE"),
    *MODEL,
)
def live(*, output, examples, model) -> Answer:
    """Write the page; bytes and seconds."""
    from ..live.page import page_of, read_examples, write
    from ..workspace import open_workspace

    own = read_examples(read_json(Path(examples)), examples) if examples else ()
    path, model = Path(output), open_model(model)
    size = write(path, page_of(open_workspace(model), own, lambda share, what: note(f"{share:4.0%} {what}")))
    return {"output": str(path), "bytes": size, "model": model.name}, f"{path}: {size / 1e6:.1f} MB, {model.name}. Open it in a browser."
