"""Run the command as ``python -m backburner``."""

import sys

if __name__ == "__main__":
    try:
        from backburner.cli import main
    except KeyboardInterrupt:  # main itself answers those that come later
        sys.exit(130)
    sys.exit(main())
