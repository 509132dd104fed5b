"""A view of the pages as a Jupyter notebook that computes it anew with the functions of `core` that the page calls.

`notebook("neighbours", {"a": "We sat on the bank.", "ai": 4, ...})` takes the settings by the names they have in the address.
"""

from core.notebooks.write import VIEWS as VIEWS
from core.notebooks.write import notebook as notebook
