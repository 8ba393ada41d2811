"""Writes data and specs of nine categorical columns: `apart`, whose tables are trained in two ways that come to the same, so
that few are alike, and `stacked`, whose tables are; `frozen` has one table that stays.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
import sys

COLUMNS = range(9)


def main():
    random.seed(5)
    directory = sys.argv[1]
    buckets = [50, 70, 50, 90]
    with open(f"{directory}/data.csv", "w", encoding="utf-8") as out:
        out.write(",".join(f"c{i}" for i in COLUMNS) + ",label\n")
        for _ in range(1000):
            cells = ["" if random.random() < 0.1 else str(min(int(random.paretovariate(0.5)), buckets[i % 4] - 1)) for i in COLUMNS]
            out.write(",".join(cells) + f",{random.randrange(2)}\n")
    for name, is_lazy, is_frozen in (("stacked", [0] * 9, [0] * 9), ("apart", [0, 1, 2] * 3, [0] * 9),
                                     ("frozen", [0] * 9, [0, 0, 0, 1, 0, 0, 0, 0, 0])):
        lines = []
        for i in COLUMNS:
            lines.append(f'feature_column {{ categorical_with_identity {{ key: "c{i}" num_buckets: {buckets[i % 4]} }} }}')
            # Three ways: exact, lazy, and exact with a width of its own.
            way = f"sparse_update: {'LAZY' if is_lazy[i] == 1 else 'EXACT'} dimension: {3 if i % 3 == 2 else 4}"
            frozen = "trainable: false" if is_frozen[i] else ""
            lines.append(f'feature_column {{ embedding {{ categorical_column: "c{i}" {way} {frozen} }} }}')
        spec = f"""name: "tables"
input {{ csv {{ header: true }} column {{ name: "c[0-8]" dtype: INT64 }} column {{ name: "label" dtype: INT64 }} }}
{chr(10).join(lines)}
model {{ dnn {{ feature_columns: ["*_embedding"] hidden_units: [8] optimizer {{ adagrad {{ learning_rate: 0.1 }} }} }} }}
head {{ label: "label" binary_class {{}} }}
train {{ files: "data.csv" batch_size: 32 }}
"""
        with open(f"{directory}/{name}.pbtxt", "w", encoding="utf-8") as out:
            out.write(spec)


main()
