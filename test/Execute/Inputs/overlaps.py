"""overlaps.py FILE: how many pushes of a timeline begin while gradients are computed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

spans = [event for event in json.load(open(sys.argv[1])) if event.get("ph") == "X"]
computing = [(event["ts"], event["ts"] + event["dur"]) for event in spans if event["name"] == "compute"]
pushes = [event["ts"] for event in spans if event["name"] == "push" and event["args"].get("bytes", 0) > 1 << 20]
within = sum(any(begin <= moment <= end for begin, end in computing) for moment in pushes)
print("pushes within compute:", "all" if pushes and within == len(pushes) else f"{within} of {len(pushes)}")
