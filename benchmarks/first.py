"""A fresh process that does one thing and says so.

python -m benchmarks.first LIBRARY TASK MODEL DATA
"""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    library, task, model, data = sys.argv[1:]
    made = import_module(f"benchmarks.libraries.{library}").Library(2)
    getattr(made, task)(model=model, data=data).run()
    print("done", flush=True)


if __name__ == "__main__":
    main()
