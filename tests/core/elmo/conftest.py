"""Tests of the models: the bundled model's substitutes, and one thread."""

import pytest
import torch

from core.elmo.substitutes import Substitutes
from core.workspace import Workspace

torch.set_num_threads(1)  # tiny products: threads only get in each other's way


@pytest.fixture(scope="module")
def bundled(workspace: Workspace) -> Substitutes:
    return workspace.substitutes
