"""fingerprints.py DIR BASE NAME=[state][,plan]...: compares DIR/NAME.json with DIR/BASE.json, as `TRAINER info --json` wrote
them: the fingerprints that are named are equal, the others differ.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

directory, base, *cases = sys.argv[1:]


def load(name):
    with open(f"{directory}/{name}.json") as file:
        return json.load(file)


reference, failed = load(base), False
for case in cases:
    name, equal = case.split("=")
    found = load(name)
    for kind in ("state", "plan"):
        same = found[kind + "_fingerprint"] == reference[kind + "_fingerprint"]
        if same != (kind in equal.split(",")):
            print(f"{name}: {kind} fingerprint is {'equal' if same else 'different'}")
            failed = True
sys.exit(1 if failed else 0)
