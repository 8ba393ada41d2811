"""check_reference.py PAGE FILE: fails unless the page of the command line tells the keys of all JSON objects of FILE, or, of a header, all
exit statuses of its enum. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import json
import re
import sys

page, path = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    rows = [line.split("|")[1:-1] for line in file if line.startswith("| ")]
with open(path, encoding="utf-8") as file:
    text = file.read()
if path.endswith(".h"):
    statuses = re.findall(r"^\s*\w+ = (\d+),", text, re.MULTILINE)
    told = {row[0].strip() for row in rows}
    missing = [f"no exit status {status}" for status in statuses if status not in told]
else:
    keys = {row[0].strip(" `"): set(re.findall(r"`(\w+)`", row[1])) for row in rows if len(row) == 3}
    objects = [json.loads(line) for line in text.splitlines()]
    statuses, missing = objects, []
    for entry in objects:
        kind = entry.get("event", "messages")
        missing += [f"no '{key}' of {kind}" for key in entry if key != "event" and key not in keys.get(kind, set())]
if missing or not statuses:
    sys.exit("\n".join(missing) or f"nothing in {path}")
