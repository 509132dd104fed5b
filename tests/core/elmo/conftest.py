"""The substitutes of the bundled model, made once for the process."""

import pytest

from core.elmo.substitutes import Substitutes
from core.workspace import Workspace


@pytest.fixture(scope="module")
def bundled(workspace: Workspace) -> Substitutes:
    return workspace.substitutes
