"""Commands that make small parts of assets: the map of the sense space, the coefficients of verdicts, the tags of the bundled sentences."""

from __future__ import annotations

from ..cli.options import Answer, argument, command, flag, option, whole

LANGUAGE = option("--language", "a code of core.text.languages (default en)", metavar="L", default="en")
WRITE = flag("--write", "store the result in assets; then: python -m core.lab bundle --sums")


@command(
    "sense-space",
    "Learn the map of the sense space, and measure it on words it has not seen.",
    LANGUAGE,
    option("--data", "a folder with senseval/: also measure on Senseval-2's four words", metavar="FOLDER"),
    flag("--nulls", "measure instead what has less information"),
    WRITE,
)
def sense_space(*, language, data, nulls, write) -> Answer:
    from . import sense_space_map

    return sense_space_map.measure(language, data, nulls=nulls, write=write)


@command(
    "verdicts",
    "Learn the coefficients of verdicts, and measure how often verdicts are right.",
    LANGUAGE,
    flag("--named", "measure instead the senses that are named"),
    option("--without", "kinds of evidence that do not count, with labels", metavar="KIND", many=True),
    WRITE,
)
def verdicts(*, language, named, without, write) -> Answer:
    from . import verdicts

    return verdicts.measure(language, named_only=named, without=without, write=write)


@command(
    "tag-sentences",
    "Tag the bundled English sentences by a tagger that knows spellings alone: assets/tags-en.json.",
    argument("train", "CoNLL-2000's training sentences", metavar="A"),
    argument("test", "and its test sentences", metavar="B"),
)
def tag_sentences(*, train, test) -> Answer:
    from . import tags

    return tags.tag_bundled(train, test)


@command(
    "quiz",
    "Measure how often the model of Guess the machine is right; with --write find the sentences that it misreads.",
    LANGUAGE,
    option("--number", "of the quiz (default 0)", metavar="N", type=whole(0), default=0),
    flag("--write", "write assets/quiz-LANGUAGE.json instead; then: python -m core.lab bundle --sums"),
)
def quiz(*, language, number, write) -> Answer:
    from . import quiz

    return quiz.write_misread(language) if write else quiz.measure(language, number)
