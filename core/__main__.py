"""`python -m core`: see core.cli.main."""

import sys

from core.common.pythons import unsupported

if told := unsupported():  # before anything is imported that such a Python lacks
    sys.exit(f"error: {told}")

from core.cli.main import main

sys.exit(main())
