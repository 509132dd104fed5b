"""`python -m core`: see core.cli."""

import sys

from core.pythons import unsupported

if told := unsupported():  # before anything is imported that such a Python lacks
    sys.exit(f"error: {told}")

from core.cli import main

sys.exit(main())
