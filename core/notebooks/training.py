"""The notebook of a training that a user ordered on Train: its command, and the results by variant."""

# %% parameters
command = "python -m core train --task news-title --json"

# %%
import json
import shlex
import subprocess
import sys

import pandas as pd

module = "core" if ".package" in sys.path else "elmoscope.core"  # in the folder of the project, or installed
arguments = shlex.split(command)[3:]  # without python -m core
done = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, text=True, check=True)
result = json.loads(done.stdout)
runs = pd.DataFrame(result.get("runs", [result]))
runs.groupby("variant")[["accuracy", "macro_f1", "seconds"]].agg(["mean", "std"])
