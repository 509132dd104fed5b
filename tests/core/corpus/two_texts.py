"""Two small texts, made of frames: in the first "bank" is the river's, in the second mostly the money's; "garden" is the same in both."""

from pathlib import Path

PLACES = ("mill", "bridge", "old ferry", "church", "willows", "lock", "meadow", "village")
PEOPLE = ("a baker", "the farmer", "our aunt", "a young clerk", "the widow", "his partner", "the miller", "a student")
GARDEN = "{person} planted roses in the garden beside the {place}."
RIVER = ("The boat drifted to the muddy bank near the {place}.", "Reeds grew along the grassy bank below the {place}.")
MONEY = ("The bank lent {person} a large sum at a low rate.", "The bank refused {person} a loan and closed the account.")


def first() -> list[str]:
    return [text.format(place=place, person=person) for place, person in zip(PLACES, PEOPLE, strict=True) for text in (*RIVER, GARDEN)]


def second() -> list[str]:
    return [text.format(place=place, person=person) for place, person in zip(PLACES, PEOPLE, strict=True) for text in (*MONEY, GARDEN)]


def written(folder: Path) -> tuple[str, str]:
    """Both as files, one sentence a line."""
    paths = []
    for name, lines in (("first", first()), ("second", second())):
        path = folder / f"{name}.txt"
        path.write_text("\n\n".join(line[0].upper() + line[1:] for line in lines), "utf-8")
        paths.append(str(path))
    return paths[0], paths[1]


def dated(folder: Path) -> str:
    """Both in one file of rows, a document a year: the first in the 1840s, the second in the 1890s."""
    import json

    path = folder / "dated.jsonl"
    rows = [(1840 + k % 8, line) for k, line in enumerate(first())] + [(1890 + k % 8, line) for k, line in enumerate(second())]
    lines = [json.dumps({"tokens": [*line.rstrip(".").split(), "."], "document": f"letters of {year}"}) for year, line in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)
