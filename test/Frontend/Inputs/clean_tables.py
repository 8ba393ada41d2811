# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a spec of four fifths of the training rows of each table of the test data, and counts the warnings of
`mlc spec check --data` about these rows and the last fifth: all are false alarms."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks" / "quality"))
from tables import SOURCES, load, split, write  # noqa: E402

data, folder = Path(sys.argv[1]), Path(sys.argv[2])
alarms = 0
for source in SOURCES:
    table = load(data, source)
    parts = dict(zip(("train", "new"), split(table, 0, "cv", most=5000)))
    for name, rows in parts.items():
        write(folder / f"{source.name}-{name}.csv", table, rows)
    spec = folder / f"{source.name}.pbtxt"
    task = ["--task", "regression"] if source.regression else []
    subprocess.run(["mlc", "spec", "init", folder / f"{source.name}-train.csv", "--label", source.label, "-o", spec,
                    "--quiet", *task], check=True)
    with open(spec, "a") as file:
        file.write(f'eval {{ name: "new"  files: "{source.name}-new.csv" }}\n')
    done = subprocess.run(["mlc", "spec", "check", spec, "--data"], capture_output=True, text=True)
    found = [line for line in done.stderr.splitlines() if "[E08" in line]
    alarms += len(found)
    print(f"{source.name}: exit {done.returncode}, {len(parts['new'])} new rows, {len(found)} warnings", *found,
          sep="\n  ", flush=True)
print(f"{len(SOURCES)} tables, {alarms} false alarms")
