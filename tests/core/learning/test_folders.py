"""Both formats of heads: what ships, read and written again, is the same to the byte, and neither is read as the other."""

import pytest

from core.classify import head as texts
from core.common.config import ASSETS
from core.common.errors import CorruptArtifact
from core.tasks import heads as tasks


@pytest.mark.parametrize(
    ("package", "other", "name"),
    [
        *((texts, tasks, f"heads/headlines/{name}") for name in ("glove+elmo", "tfidf")),
        *((tasks, texts, f"tasks/names/{name}") for name in ("elmo", "baseline")),
    ],
)
def test_a_shipped_head_is_written_again_byte_for_byte_and_not_read_as_the_other_format(package, other, name, tmp_path):
    again = package.save_head(package.load_head(ASSETS / name), tmp_path / "head")
    assert {path.name: path.read_bytes() for path in again.iterdir()} == {
        path.name: path.read_bytes() for path in (ASSETS / name).iterdir()
    }
    with pytest.raises(CorruptArtifact, match="our format of heads"):
        other.load_head(ASSETS / name)
