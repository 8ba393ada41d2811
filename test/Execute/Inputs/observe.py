#!/usr/bin/env python3
# Looks at what a run shows of itself. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: observe.py scrape COMMAND...             runs it, reads its metrics twice, ends it with SIGINT
          observe.py timeline FILE ROLE FIRST END NAME...   a timeline of that task with spans of those names and steps
          observe.py merged FILE                   timelines of a cluster in one file
          observe.py log FILE TASK                 lines as JSON
"""
import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time

SAMPLE = re.compile(r'^([a-z_:][a-z0-9_:]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)$')


def fail(text):
    sys.exit(f"observe.py: {text}")


def parse_metrics(text):
    """The samples of a page by name and labels; checks what the text format 0.0.4 asks for."""
    samples, types, current = {}, {}, None
    if not text.endswith("\n"):
        fail("the page does not end with a line end")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            current = line.split(" ", 3)[2]
            if current in types:
                fail(f"{current} comes twice")
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name != current or kind not in ("counter", "gauge", "histogram"):
                fail(f"a type out of place: {line}")
            types[name] = kind
        else:
            match = SAMPLE.match(line)
            if not match:
                fail(f"no sample: {line}")
            name, labels, value = match.groups()
            if not re.fullmatch(re.escape(current) + ("_(bucket|sum|count)" if types[current] == "histogram" else ""), name):
                fail(f"a sample out of place: {line}")
            if (name, labels) in samples:
                fail(f"a sample twice: {line}")
            samples[name, labels] = float(value)
    for name, kind in types.items():
        if kind == "counter" and not name.endswith("_total"):
            fail(f"a counter without _total: {name}")
        if kind == "histogram":
            buckets = [value for (of, _), value in samples.items() if of == name + "_bucket"]
            if buckets != sorted(buckets) or buckets[-1] != samples[name + "_count", None]:
                fail(f"buckets of {name}: {buckets}")
    return samples


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    reply = connection.getresponse()
    return reply.status, reply.getheader("Content-Type"), reply.read().decode()


def scrape(command):
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    lines = []
    try:
        for line in process.stderr:
            lines.append(json.loads(line))
            found = re.match(r"metrics  http://127\.0\.0\.1:(\d+)/metrics", lines[-1]["message"])
            if found:
                break
        else:
            fail(f"no address in {lines}")
        port = int(found.group(1))
        # What comes is read, or the pipe would fill.
        rest = threading.Thread(target=lambda: lines.extend(json.loads(line) for line in process.stderr))
        rest.start()

        def after(steps):
            while True:
                status, kind, page = get(port, "/metrics")
                if status != 200 or kind != "text/plain; version=0.0.4; charset=utf-8":
                    fail(f"{status} {kind}")
                samples = parse_metrics(page)
                if samples["mlc_steps_total", None] > steps:
                    return samples
                time.sleep(0.01)

        first = after(110)  # the timeline ends there
        second = after(first["mlc_steps_total", None])
        for name in ("mlc_examples_total", "mlc_step_seconds_sum", "mlc_input_wait_seconds_total"):
            if not second[name, None] > first[name, None]:
                fail(f"{name} does not grow: {first[name, None]}, {second[name, None]}")
        if second["mlc_step_seconds_count", None] != second["mlc_steps_total", None] and \
                abs(second["mlc_step_seconds_count", None] - second["mlc_steps_total", None]) > 1:
            fail("as many times of steps as steps")
        if second["mlc_checkpoints_total", None] < 1 or second["mlc_checkpoint_bytes_total", None] <= 0:
            fail("no checkpoint was counted")
        if second["process_resident_memory_bytes", None] < 1e6 or second["process_cpu_seconds_total", None] <= 0:
            fail("no memory, no time")
        info = [labels for name, labels in second if name == "mlc_task_info"]
        if len(info) != 1 or 'role="chief",index="0",version="' not in info[0]:
            fail(f"task info: {info}")
        if get(port, "/healthz")[::2] != (200, "ok\n") or get(port, "/x")[0] != 404:
            fail("/healthz, /x")
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=120)
        rest.join()
        if status != 130:
            fail(f"status {status}")
    finally:
        process.kill()
    check_lines(lines, "chief 0")


def check_lines(lines, task):
    for line in lines:
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"]) or line["level"] != "info":
            fail(f"time, level: {line}")
        if line["task"] != task or not isinstance(line["step"], int) or not line["message"]:
            fail(f"task, step: {line}")
    if lines[-1]["step"] <= 0 or not lines[-1]["message"].startswith("done "):
        fail(f"the last line: {lines[-1]}")


def spans_of(events):
    """Spans by (process, thread), with the names of those; no two of a thread overlap but where one lies in the other."""
    names, spans = {}, {}
    for event in events:
        if event["ph"] == "M":
            key = (event["pid"], event["tid"]) if event["name"] == "thread_name" else event["pid"]
            if event["name"] != "process_sort_index":
                names[key] = event["args"]["name"]
        elif event["ph"] == "X":
            spans.setdefault((event["pid"], event["tid"]), []).append(event)
        else:
            fail(f"an event {event}")
    for key, own in spans.items():
        if key not in names or key[0] not in names:
            fail(f"no name of {key}")
        open_ends = []
        for span in sorted(own, key=lambda span: (span["ts"], -span["dur"])):
            end = span["ts"] + span["dur"]
            while open_ends and open_ends[-1] <= span["ts"]:
                open_ends.pop()
            if span["dur"] < 0 or (open_ends and end > open_ends[-1]):
                fail(f"{span} overlaps another one of {names[key]}")
            open_ends.append(end)
    return names, spans


def timeline(path, role, first, end, wanted):
    with open(path, encoding="utf-8") as file:
        names, spans = spans_of(json.load(file))
    everything = [span for own in spans.values() for span in own]
    if not all(names[pid].startswith(role + " ") for pid, _ in spans):
        fail(f"processes: {names}")
    outside = [span for span in everything if not first <= span["args"]["step"] < end]
    if outside:
        fail(f"steps that nobody asked for: {outside[0]}")
    missing = set(wanted) - {span["name"] for span in everything}
    if missing:
        fail(f"no spans {missing} in {path}")
    # What is computed in a step lies in its span.
    steps = {span["args"]["step"]: span for span in everything if span["name"] == "step" and "train" == names[span["pid"], span["tid"]]}
    for span in everything:
        step = steps.get(span["args"]["step"])
        if span["name"] == "compute" and not (
                step and step["ts"] <= span["ts"] and span["ts"] + span["dur"] <= step["ts"] + step["dur"]):
            fail(f"{span} is not in its step {step}")


def merged(path):
    with open(path, encoding="utf-8") as file:
        names, spans = spans_of(json.load(file))
    if sorted(name for key, name in names.items() if isinstance(key, int)) != ["chief 0", "ps 0", "worker 0"]:
        fail(f"processes: {names}")
    # The server's update of a step lies between the pushes of the tasks and what they got: the clocks agree.
    by_name = {}
    for own in spans.values():
        for span in own:
            by_name.setdefault((names[span["pid"]], span["name"], span["args"]["step"]), []).append(span)
    compared = 0
    for step in range(6, 34):
        apply = by_name["ps 0", "apply", step][0]
        for task in ("chief 0", "worker 0"):
            whole = by_name[task, "step", step][0]
            compared += 1
            # A clock has microseconds; tasks read theirs once, at their start.
            if not whole["ts"] - 2000 <= apply["ts"] <= whole["ts"] + whole["dur"] + 2000:
                fail(f"step {step}: {apply} is not in {whole}")
    if compared != 56:
        fail(f"{compared} comparisons")


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == "scrape":
        scrape(rest)
    elif command == "timeline":
        timeline(rest[0], rest[1], int(rest[2]), int(rest[3]), rest[4:])
    elif command == "merged":
        merged(rest[0])
    else:
        with open(rest[0], encoding="utf-8") as file:
            check_lines([json.loads(line) for line in file if line.startswith("{")], rest[1])


if __name__ == "__main__":
    main()
