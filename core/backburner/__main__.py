"""Run the command as ``python -m backburner``."""

import sys

from backburner.cli import main

if __name__ == "__main__":
    sys.exit(main())
