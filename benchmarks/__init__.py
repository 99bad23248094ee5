"""Backburner beside other libraries, at the same work: ``tox -e bench``, or ``python -m benchmarks`` from the root.

Each library runs in a process of its own, and the processes take turns. What is timed is checked first: a row
whose libraries disagree is an error. See docs/benchmarks.md.
"""
