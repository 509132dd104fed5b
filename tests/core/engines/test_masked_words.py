"""Which folders have a masked-word head: read without the library `transformers`."""

import pytest

from core.common.errors import MissingArtifact
from core.engines.transformer import MaskedWords, has_head


@pytest.mark.parametrize("config", [None, "{", "[]", '{"architectures": null}', '{"architectures": ["BertModel"]}'])
def test_folder_that_declares_no_masked_word_head_is_refused(tmp_path, config):
    if config is not None:
        (tmp_path / "config.json").write_text(config)
    with pytest.raises(MissingArtifact, match=f"{tmp_path.name} has no masked-word head"):
        MaskedWords(tmp_path, encoder=None)


def test_declared_head_is_found(tmp_path):
    (tmp_path / "config.json").write_text('{"architectures": ["BertForMaskedLM"]}')
    assert has_head(tmp_path)
