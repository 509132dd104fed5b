"""core.learning.folders: one writer and one reader of both formats; what ships, read and written again, is the same to the byte."""

import pytest

from core.classify import head as texts
from core.common.config import ASSETS
from core.common.errors import CorruptArtifact
from core.tasks import heads as tasks

HEADS = [(texts, f"heads/headlines/{name}") for name in ("glove+elmo", "tfidf")]
HEADS += [(tasks, f"tasks/names/{name}") for name in ("elmo", "baseline")]


@pytest.mark.parametrize(("room", "place"), HEADS)
def test_a_shipped_head_is_written_again_byte_for_byte(room, place, tmp_path):
    folder = ASSETS / place
    again = room.save_head(room.load_head(folder), tmp_path / "head")
    assert {path.name: path.read_bytes() for path in again.iterdir()} == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_neither_format_is_read_as_the_other():
    for (room, _), (_, place) in ((HEADS[0], HEADS[2]), (HEADS[2], HEADS[0])):
        with pytest.raises(CorruptArtifact, match="our format of heads"):
            room.load_head(ASSETS / place)
