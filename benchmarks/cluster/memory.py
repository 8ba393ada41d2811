#!/usr/bin/env python3
"""B19: memory of a server beyond its parameters and slots. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import random
import re
import tempfile

from cluster import Launch, add_build_dir, compile_trainer, show_load

MIB = 2**20
SLACK_MIB, SLACK_SHARE = 64, 0.05
TABLES, WIDTH = 4, 32

SPEC = """name: "tables"
input {{
  csv {{ header: true }}
  column {{ name: "C[1-{tables}]"  dtype: INT64 }}
  column {{ name: "label"  dtype: INT64 }}
}}
feature_column {{ categorical_with_identity {{ key: "C[1-{tables}]"  num_buckets: {rows} }} }}
feature_column {{ embedding {{ categorical_column: "C[1-{tables}]"  dimension: {width} }} }}
model {{ dnn {{ feature_columns: ["*_embedding"]  hidden_units: [64]  optimizer {{ adagrad {{ learning_rate: 0.05 }} }} }} }}
head {{ label: "label"  binary_class {{}} }}
train {{ batch_size: 128 }}
"""


def status(pid, name):
    """MiB of a line of /proc/PID/status."""
    return int(re.search(rf"^{name}:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]) / 1024


def main():
    parser = argparse.ArgumentParser(description="Memory of servers beyond parameters and slots")
    add_build_dir(parser)
    parser.add_argument("--mib", type=int, default=256, help="of embeddings; their slots are as much again")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--sync", action="store_true")
    arguments = parser.parse_args()
    show_load()
    rows = arguments.mib * MIB // (TABLES * WIDTH * 4)
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        (scratch / "tables.pbtxt").write_text(SPEC.format(tables=TABLES, rows=rows, width=WIDTH))
        draw = random.Random(1)
        with open(scratch / "rows.csv", "w") as file:
            file.write(",".join(f"C{i + 1}" for i in range(TABLES)) + ",label\n")
            for _ in range(128 * 16):
                file.write(",".join(str(draw.randrange(rows)) for _ in range(TABLES)) + f",{draw.randrange(2)}\n")
        trainer = scratch / "tables"
        compile_trainer(arguments, scratch / "tables.pbtxt", trainer)
        launch = Launch(arguments, trainer, [
            "train", "--model_dir", scratch / "m", "--train_files", scratch / "rows.csv", "--epochs", 1000, "--max_steps",
            arguments.steps, *(["--sync"] if arguments.sync else []), "--set", "run_config.log_step_count_steps=1", "--set",
            "run_config.save_checkpoints_steps=1000000000", "--set", "run_config.save_summary_steps=0"],
                        arguments.workers, arguments.servers)
        now, most = {}, {}
        for _, event in launch:
            if event["event"] == "step":
                for task, pid in launch.tasks.items():
                    try:
                        now[task], most[task] = status(pid, "VmRSS"), status(pid, "VmHWM")
                    except (OSError, TypeError):
                        pass  # it has ended
    state = 2 * arguments.mib / arguments.servers  # the layers are less than 1 MiB
    allowed = SLACK_MIB + SLACK_SHARE * state
    for task in sorted(now):
        line = f"{task:10} {now[task]:8.1f} MiB, at most {most[task]:8.1f}"
        if task.startswith("ps"):
            beyond = now[task] - state
            line += (f"   {beyond:.1f} MiB beyond {state:.0f} of parameters and slots; allowed {allowed:.1f}: "
                     f"{'reached' if beyond <= allowed else 'MISSED'} (at the peak {most[task] - state:.1f})")
        print(line)


if __name__ == "__main__":
    main()
