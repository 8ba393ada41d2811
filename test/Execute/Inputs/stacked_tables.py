"""Writes data and specs of nine categorical columns: `apart`, whose tables are trained in two ways that come to the same, so
that few are alike, and `stacked`, whose tables are; `frozen` has one table that stays. And data and specs of many columns of
several kinds, `wide` and `wide_apart`: the second one clips gradients by a norm that none has, which keeps variables apart.

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
    wide(directory)


def wide(directory):
    """40 columns of ids of two types, weights and embeddings of them, and 14 numbers under normalizers of three kinds."""
    ids, numbers = [f"i{c}" for c in range(40)], [f"x{c}" for c in range(14)]
    with open(f"{directory}/wide.csv", "w", encoding="utf-8") as out:
        out.write(",".join(ids + numbers) + ",label\n")
        for _ in range(600):
            cells = ["" if random.random() < 0.1 else str(random.randrange(5 + c % 7)) for c in range(40)]
            cells += [f"{random.uniform(0, 3):.3f}" for _ in numbers]
            out.write(",".join(cells) + f",{random.randrange(3)}\n")
    columns = [f'feature_column {{ categorical_with_identity {{ key: "i{c}" num_buckets: {5 + c % 7} }} }}' for c in range(40)]
    columns += [f'feature_column {{ embedding {{ categorical_column: "i{c}" dimension: 2 }} }}' for c in range(0, 40, 3)]
    for c in range(14):
        kind = (f"z_score {{ mean: {c}.5 stddev: 1.25 }}", f"min_max {{ min: -{c} max: 3.5 }}")[c % 2] if c < 5 else "log1p {}" if c < 10 else ""
        columns.append(f'feature_column {{ numeric {{ key: "x{c}" {kind} }} }}')
    columns.append('feature_column { bucketized { source_column: "x13" boundaries: [0.5, 1.5] } }')
    for name, clip in (("wide", ""), ("wide_apart", "clip_by_global_norm: 1e30")):
        with open(f"{directory}/{name}.pbtxt", "w", encoding="utf-8") as out:
            out.write(f"""name: "tables"
input {{ csv {{ header: true }} column {{ name: "i[0-19]" dtype: INT64 }} column {{ name: "i[20-39]" dtype: INT32 }} column {{ name: "x[0-13]" dtype: FLOAT32 }}
  column {{ name: "label" dtype: INT64 }} }}
{chr(10).join(columns)}
model {{ dnn_linear_combined {{
  linear {{ feature_columns: ["x[0-13]", "i[0-39]", "x13_bucketized"] optimizer {{ ftrl {{ learning_rate: 0.1 }} {clip} }} }}
  dnn {{ feature_columns: ["x[0-13]", "*_embedding"] hidden_units: [8] optimizer {{ adagrad {{ learning_rate: 0.1 }} {clip} }} }}
}} }}
head {{ label: "label" multi_class {{ n_classes: 3 }} }}
train {{ files: "wide.csv" batch_size: 32 }}
""")


main()
