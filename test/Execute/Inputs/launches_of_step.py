#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""launches_of_step.py FEW MORE --steps N --most M: launches of a step, by the emulator's counters of two runs of which MORE has N steps more.

Fails where there are more than M, or fewer than one.
"""
import argparse
import json
import sys
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("few", type=Path)
    parser.add_argument("more", type=Path)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--most", type=float, required=True)
    given = parser.parse_args()
    few, more = (json.loads(path.read_text())["launches"] for path in (given.few, given.more))
    launches = (more - few) / given.steps
    print(f"{launches:g} launches in a step")
    if not 1 <= launches <= given.most:
        sys.exit(f"a step has {launches:g} launches; expected 1 to {given.most:g}")


if __name__ == "__main__":
    main()
