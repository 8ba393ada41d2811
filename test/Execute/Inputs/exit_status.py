#!/usr/bin/env python3
# What each task of a cluster exits with, by what happens to one of them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: exit_status.py DIRECTORY TRAINER OTHER_TRAINER DATA PAGE

Makes happen what each row of the table after `<!-- tested: exit statuses -->` of PAGE says, in synchronous and in asynchronous
jobs unless the row says of which, and compares the statuses. The page must have a row for each end of each role. DATA is a CSV file.
"""
import concurrent.futures
import os
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from task_cluster import PATIENCE, Cluster  # noqa: E402

directory, trainer, other_trainer, data, page = sys.argv[1:6]
SIZES = {"chief": 1, "worker": 2, "ps": 2, "evaluator": 1}
# What the rows call the task that something happens to; of several the last one, as others need not be first.
SUBJECTS = {"the chief": "chief 0", "a worker": "worker 1", "a server": "ps 1", "the evaluator": "evaluator 0"}
SIGNALS = {"SIGTERM": signal.SIGTERM, "SIGKILL": signal.SIGKILL}
# Long enough that a job in which something happens after its first steps has not ended by itself, and short enough to wait for:
# where it happened after half of them, the job runs again with more.
STEPS = {"synchronous": 3000, "asynchronous": 10000}
MORE = (1, 4, 16)
COLUMNS = ["chief", "worker", "ps", "evaluator"]
MODES = {"synchronous": ["--sync"], "asynchronous": []}


def table(text):
    """Rows of the table: what happens, and the statuses by column."""
    lines = text.split("<!-- tested: exit statuses -->", 1)[1].strip().splitlines()
    rows = {}
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        what, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[what] = dict(zip(COLUMNS, cells, strict=True))
    return rows


def ends():
    """What must stand in the table."""
    yield "the job is done"
    yield "SIGTERM to all"
    for number in SIGNALS:
        for subject in SUBJECTS:
            # Only for workers it matters whether others wait for them.
            yield from ([f"{number} to {subject}, {mode}" for mode in MODES] if subject == "a worker" else [f"{number} to {subject}"])
    for subject in SUBJECTS:
        yield f"{subject} is of another program"
    yield "a worker has other data"


def expected(cells, subject):
    """Statuses by task. "143, 0": of the task that it happens to, and of the others of its role."""
    statuses = {}
    for role, size in SIZES.items():
        first, *rest = [int(cell) for cell in cells[role].split(", ")]
        for index in range(size):
            name = f"{role} {index}"
            statuses[name] = first if not rest or name == subject else rest[0]
    return statuses


def last_step(text):
    """The last step that the chief has told."""
    return int(re.findall(r'"event":"step","step":(\d+)', text)[-1])


def happen(what, mode, cells, steps):
    """Makes it happen; lines that say what ended otherwise than it should. None: it came so late that the job may have ended by itself."""
    subject = next((task for words, task in SUBJECTS.items() if words in what), None)
    case = re.sub(r"\W+", "-", f"{what} {mode} {steps}")
    is_refused = "another program" in what or "other data" in what
    with Cluster(directory, case, [], **SIZES) as job:

        def start(name, patience):
            program = other_trainer if name == subject and "another program" in what else trainer
            data = "other" if name == subject and "other data" in what else "data"
            job.command = ["env", "-C", f"{directory}/{data}", program, "train", "--train_files", "train.csv", "--json", "--model_dir", f"{directory}/{case}", "--max_steps", str(steps), "--heartbeat", "1",
                           "--start_timeout", str(patience), "--set", "train.epochs=1000000", *MODES[mode]]
            job.start(name)

        for name in job.names:
            if name != "evaluator 0" or is_refused:
                start(name, patience=20)
        if not is_refused:
            try:
                job.await_steps()
                # Now there is a chief, and if there is none any more there comes none.
                start("evaluator 0", patience=2)
                job.await_text("evaluator 0", "evaluator of")
                if mode == "asynchronous":
                    job.await_text("worker 1", "asks for tickets")
            except AssertionError:
                if job.tasks["chief 0"].poll() == 0:
                    return None
                raise
        if found := re.match("(SIG[A-Z]+) to", what):
            job.signal(SIGNALS[found[1]], *([subject] if subject else []))
            if last_step(job.text("chief 0")) > steps // 2:
                return None
        wrong = []
        for name, status in expected(cells, subject).items():
            found = job.tasks[name].wait(timeout=5 * PATIENCE)
            if (found if found >= 0 else 128 - found) != status:
                wrong.append(f"{case}: {name} ended with {found}, the page says {status}")
        if wrong:
            job.show()
        return wrong


def ends_as_told(what, mode, cells):
    """What happen says of a job that is long enough."""
    for more in MORE:
        wrong = happen(what, mode, cells, more * STEPS[mode])
        if wrong is not None:
            return wrong
    return [f"{what}, {mode}: {MORE[-1] * STEPS[mode]} steps are too few for it to happen in"]


def main():
    rows = table(pathlib.Path(page).read_text(encoding="utf-8"))
    assert list(rows) == list(ends()), f"the page has the rows {list(rows)}, expected {list(ends())}"
    # The same name, other rows.
    for name, rows_less in ("data", 0), ("other", 1):
        os.makedirs(f"{directory}/{name}", exist_ok=True)
        lines = pathlib.Path(data).read_text(encoding="utf-8").splitlines(keepends=True)
        pathlib.Path(directory, name, "train.csv").write_text("".join(lines[:len(lines) - rows_less]), encoding="utf-8")
    token = pathlib.Path(directory, "token")
    token.write_text("a token\n", encoding="utf-8")
    os.environ["MLC_TOKEN_FILE"] = str(token)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        cases = [pool.submit(ends_as_told, what, mode, cells) for what, cells in rows.items() for mode in MODES
                 if mode in what.split(", ") or not any(other in what.split(", ") for other in MODES)]
    wrong = []
    for case in cases:
        try:
            wrong += case.result()
        except AssertionError as error:
            wrong.append(str(error))
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(cases)} jobs ended as the page says")


if __name__ == "__main__":
    main()
