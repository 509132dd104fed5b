"""Torch's threads: what one thread of ours is given, no later thread inherits."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
# A server of 16 cores: each run is a thread of its own, as Streamlit's are, and searches and encodes.
RUNS = """
import json, sys, threading
import numpy as np, torch
from core.index import neighbors
from core.index.neighbors import Query, products
from tests.tiny import tiny_encoder

class Table:
    def __init__(self, blocks):
        self.layers, self.starts, self.spellings = blocks, np.cumsum([0, *map(len, blocks)]), None
        self.n_layers, self.dim = blocks[0].shape[1:]

    def __len__(self):
        return int(self.starts[-1])

torch.set_num_threads(16)  # as torch finds it on 16 cores
encoder = tiny_encoder()
began, directions, readers = [], [], []
run, multiply = encoder.model.run_direction, neighbors._layer_products

def direction(*args, **options):
    directions.append(torch.get_num_threads())
    return run(*args, **options)

def reader(*args):
    readers.append(torch.get_num_threads())
    return multiply(*args)

encoder.model.run_direction, neighbors._layer_products = direction, reader

def visit():
    began.append(torch.get_num_threads())
    layers = encoder.encode([["the", "bank", "opens"]])[0]
    block = np.repeat(layers[None, :, 1], 9, axis=0).astype(np.float16)
    products(Table([block]), Query(("bank",), 0, layers[:, 1]))

for _ in range(50):
    thread = threading.Thread(target=visit)
    thread.start()
    thread.join()
print(json.dumps([began, directions, readers, torch.get_num_threads()]))
"""


def test_fifty_runs_on_sixteen_cores_each_have_them_all():
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", RUNS], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    began, directions, readers, after = json.loads(done.stdout.splitlines()[-1])
    assert began == [16] * 50 and after == 16
    assert directions == [8] * 100 and readers == [1] * 50
