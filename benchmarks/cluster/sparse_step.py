#!/usr/bin/env python3
"""B6: steps that read and write rows of tables on a server, of large tables against small ones. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import array
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

from cluster import ROOT, add_build_dir, raw_rates, show_load

sys.path.insert(0, str(ROOT / "benchmarks" / "sampled"))
from run import write_safetensors  # noqa: E402

GOAL, GOAL_LIMIT = 1.25, 0.4
FEATURES, WIDTH, BATCHES, ZIPF = 26, 32, 16, 1.05
SCATTER = 2654435761  # a prime: no two ranks meet

SPEC = """name: "sparse"
input {{
  csv {{ header: true }}
  column {{ name: "C[1-{features}]"  dtype: INT64 }}
  column {{ name: "label"  dtype: INT64 }}
}}
feature_column {{ categorical_with_identity {{ key: "C[1-{features}]"  num_buckets: {rows} }} }}
feature_column {{ embedding {{ categorical_column: "C[1-{features}]"  dimension: {width} }} }}
model {{ dnn {{ feature_columns: ["*_embedding"]  hidden_units: [1]  optimizer {{ adagrad {{ learning_rate: 0.05 }} }} }} }}
head {{ label: "label"  binary_class {{}} }}
"""


def make_batches(path, batch, ranks, rows):
    """Ids of ranks by Zipf's law, the same ranks for tables of any size, scattered over the rows."""
    draw = random.Random(1)
    cumulated = list(itertools.accumulate(k**-ZIPF for k in range(1, ranks + 1)))
    tensors = {}
    for i in range(1, FEATURES + 1):
        drawn = draw.choices(range(ranks), cum_weights=cumulated, k=BATCHES * batch)
        tensors[f"C{i}"] = ("I64", [BATCHES, batch], array.array("q", (rank * SCATTER % rows for rank in drawn)))
    tensors["label"] = ("I64", [BATCHES, batch], array.array("q", (draw.randrange(2) for _ in range(BATCHES * batch))))
    write_safetensors(path, tensors)


def main():
    parser = argparse.ArgumentParser(description="Sparse steps of large and small tables")
    add_build_dir(parser)
    parser.add_argument("--mib", type=int, nargs=2, default=[64, 4096], help="of the tables; their slots are as much again")
    parser.add_argument("--batch", type=int, action="append", help="examples of 26 ids (default: 4096, and 1: about 32 rows)")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--small_pages", action="store_true", help="a server's state on small pages")
    arguments = parser.parse_args()
    show_load()
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        rows = [mib * 2**20 // (FEATURES * WIDTH * 4) for mib in arguments.mib]
        for mib, each in zip(arguments.mib, rows):
            assert math.gcd(SCATTER, each) == 1
            (scratch / f"{mib}.pbtxt").write_text(SPEC.format(features=FEATURES, rows=each, width=WIDTH))
            subprocess.run([arguments.build_dir / "bin" / "mlc", "compile", scratch / f"{mib}.pbtxt", "--emit=so", "--cpu=native",
                            "--quiet", "-o", scratch / f"{mib}.so"], check=True)
        for batch in arguments.batch or [4096, 1]:
            command = [arguments.build_dir / "bin" / "mlc_sparse_benchmark", max(16, 16000 // (100 + batch)), arguments.rounds,
                       int(not arguments.small_pages)]
            for mib, each in zip(arguments.mib, rows):
                make_batches(scratch / f"{mib}-{batch}.safetensors", batch, min(rows), each)
                command += [scratch / f"{mib}.so", scratch / f"{mib}-{batch}.safetensors"]
            out = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
            found = [json.loads(line) for line in out.splitlines()]
            size = found[-1]["rows"] * (WIDTH * 4 + 8)
            rates, _ = raw_rates(arguments, max(1, round(size / 2**20)), tcp=False)
            socket = 1 / ((WIDTH * 4 + 8) * (1 / (rates[0] * 1e9) + 1 / (rates[1] * 1e9)))
            for mib, of in zip(arguments.mib, found):
                rate = of["rows"] / (of["step_ns"] * 1e-9)
                limit = min(of["gather_rows_per_second"], socket)
                print(f"{mib:5} MiB, batch {batch}: step {of['step_ns'] * 1e-6:.3f} ms, {of['rows']:.0f} rows, {rate * 1e-6:.2f} M rows/s "
                      f"= {rate / limit:.2f} of the lesser of gather {of['gather_rows_per_second'] * 1e-6:.1f} and sockets "
                      f"{socket * 1e-6:.1f}" + (f", goal {GOAL_LIMIT}: {'reached' if rate / limit >= GOAL_LIMIT else 'MISSED'}"
                                               if batch > 1 else ""))
            ratio = found[1]["step_ns"] / found[0]["step_ns"]
            print(f"batch {batch}, {'small' if arguments.small_pages else 'large'} pages: {arguments.mib[1]} / {arguments.mib[0]} MiB "
                  f"{ratio:.2f}, goal {GOAL}: {'reached' if ratio <= GOAL else 'MISSED'}", flush=True)


if __name__ == "__main__":
    main()
