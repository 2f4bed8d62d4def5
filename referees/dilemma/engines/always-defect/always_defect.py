"""Defects in every round of the prisoner's dilemma."""

import sys

for line in sys.stdin:
    if line == "?\n":
        print("defect", flush=True)
