# Random models in random shapes of clusters: synchronous training must leave the checkpoint of one process that
# computes as many virtual shards, byte by byte.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   random_clusters.py DIRECTORY [--first SEED] [--count N] [--keep]
#
# A seed tells the model, the shape of the cluster and the batches; the data are the same for all. A seed that fails
# leaves its spec, trainer and directories in DIRECTORY/SEED and is printed with the command that repeats it.
import argparse
import os
import random
import shutil
import subprocess
import sys

ROWS = 700
WORDS = ["red", "green", "blue", "grey", "black", "white", "pink", "brown"]


def write_data(path):
    """Numbers, words (one of them hot), tags and three kinds of label."""
    r = random.Random(1)
    with open(path, "w") as out:
        for _ in range(ROWS):
            x = [r.uniform(-2, 2) for _ in range(4)]
            word = r.choice(WORDS) if r.random() < 0.4 else "red"
            number = int(r.paretovariate(0.7)) % 5000
            tags = "|".join(r.choice(WORDS) for _ in range(r.randrange(4)))
            y = x[0] - x[1] * x[2] + len(word) * 0.2 + r.gauss(0, 0.3)
            cells = [f"{v:.4f}" for v in x] + [word, str(number), tags, f"{y:.4f}", str(int(y > 0.8)), str(int(abs(y)) % 3)]
            out.write(",".join(cells) + "\n")


def optimizer(r):
    rate = r.choice([0.003, 0.01, 0.05])
    rule = r.choice([
        f"sgd {{ learning_rate: {rate} }}",
        f"momentum {{ learning_rate: {rate} momentum: 0.9 use_nesterov: {r.choice(['true', 'false'])} }}",
        f"adagrad {{ learning_rate: {rate} }}",
        f"adadelta {{ learning_rate: {20 * rate} }}",
        f"adam {{ learning_rate: {rate} amsgrad: {r.choice(['true', 'false'])} }}",
        f"adamax {{ learning_rate: {rate} }}",
        f"nadam {{ learning_rate: {rate} schedule_decay: {r.choice([0, 0.004, 1])} }}",
        f"rms_prop {{ learning_rate: {rate} momentum: {r.choice([0, 0.5])} centered: {r.choice(['true', 'false'])} }}",
        f"ftrl {{ learning_rate: {rate} l1_regularization_strength: {r.choice([0, 0.01])}"
        f" l2_regularization_strength: {r.choice([0, 0.1])} beta: {r.choice([0, 1])} }}",
    ])
    schedule = r.choice(["", "", "schedule { warmup_steps: 5 }",
                         "schedule { exponential_decay { decay_steps: 4 decay_rate: 0.9 } }",
                         "schedule { cosine_decay_restarts { first_decay_steps: 3 m_mul: 0.5 } }"])
    clip = r.choice(["", "clip_by_value: 0.01", "clip_by_norm: 0.05", "clip_by_global_norm: 0.001",
                     "clip_by_global_norm: 0.5"])
    return f"optimizer {{ {rule} {schedule} {clip} }}"


def regularizer(r):
    return r.choice(["", "regularizer { l2: 0.001 }", "regularizer { l1: 0.0005 l2: 0.01 }"])


def layers(r):
    return [r.randint(1, 300) for _ in range(r.randint(1, 3))]


def dnn(r, columns):
    parts = [f"feature_columns: [{', '.join(columns)}]", f"hidden_units: {layers(r)}",
             f"activation_fn: {r.choice(['RELU', 'TANH', 'SIGMOID'])}", regularizer(r), optimizer(r)]
    if r.random() < 0.4:
        parts.append("batch_norm: true")
    if r.random() < 0.3:
        parts.append("dropout: 0.3")
    return "\n    ".join(p for p in parts if p)


def linear(r, columns):
    return "\n    ".join(p for p in [f"feature_columns: [{', '.join(columns)}]",
                                     f"sparse_combiner: {r.choice(['SUM', 'MEAN', 'SQRTN'])}", regularizer(r),
                                     optimizer(r)] if p)


def spec_of(seed, data):
    r = random.Random(seed)
    label, kind, dtype = r.choice([("y", "regression {}", "FLOAT32"), ("b", "binary_class {}", "INT64"),
                                   ("c", "multi_class { n_classes: 3 }", "INT64")])
    dense, wide, columns, extra = [], [], [], []
    columns.append('feature_column { numeric { key: ["x0", "x1", "x2", "x3"] } }')
    dense += ['"x0"', '"x1"', '"x2"', '"x3"']
    wide += ['"x0"', '"x2"']
    used = set()

    def embedding(column):
        norm = "max_norm: 0.8" if r.random() < 0.3 else ""
        update = r.choice(["EXACT", "LAZY"])
        return (f'feature_column {{ embedding {{ categorical_column: "{column}" dimension: {r.randint(1, 70)}'
                f" combiner: {r.choice(['SUM', 'MEAN', 'SQRTN'])} {norm} sparse_update: {update} {regularizer(r)} }} }}")

    if r.random() < 0.7:
        used.add("word")
        columns.append('feature_column { categorical_with_hash_bucket { key: "word" hash_bucket_size: %d } }' %
                       r.choice([3, 20, 1000]))
        columns.append(embedding("word"))
        dense.append('"word_embedding"')
        wide.append('"word"')
    if r.random() < 0.6:
        used.add("number")
        columns.append('feature_column { categorical_with_hash_bucket { key: "number" hash_bucket_size: %d } }' %
                       r.choice([7, 500, 5000]))
        columns.append(embedding("number"))
        dense.append('"number_embedding"')
        wide.append('"number"')
    if r.random() < 0.5:
        used.add("tags")
        columns.append('feature_column { categorical_with_vocabulary_list { key: "tags" vocabulary_list: [%s] } }' %
                       ", ".join(f'"{w}"' for w in WORDS))
        columns.append(r.choice([embedding("tags"), 'feature_column { indicator { categorical_column: "tags" } }']))
        dense.append('"tags_embedding"' if "embedding" in columns[-1] else '"tags_indicator"')
        wide.append('"tags"')
    if r.random() < 0.3 and "word" in used:
        columns.append('feature_column { bucketized { source_column: "x1" boundaries: [-1, 0, 1] } }')
        columns.append('feature_column { crossed { term { column: "x1_bucketized" } term { key: "word" }'
                       ' hash_bucket_size: 64 } }')
        wide += ['"x1_bucketized"', '"word_X_x1_bucketized"']
    body = r.choice(["dnn", "dnn", "dnn", "dnn_linear_combined", "linear"])
    if body == "dnn":
        model = f"dnn {{\n    {dnn(r, dense)}\n  }}"
    elif body == "linear":
        model = f"linear {{\n    {linear(r, wide)}\n  }}"
    else:
        model = f"dnn_linear_combined {{\n  linear {{\n    {linear(r, wide)}\n  }}\n  dnn {{\n    {dnn(r, dense)}\n  }} }}"
    if "linear" == body:
        columns = [c for c in columns if "embedding {" not in c and "indicator {" not in c]
    inputs = ['column { name: ["x0", "x1", "x2", "x3"] dtype: FLOAT32 }',
              f'column {{ name: "{label}" dtype: {dtype} }}']
    if "word" in used:
        inputs.append('column { name: "word" dtype: STRING }')
    if "number" in used:
        inputs.append('column { name: "number" dtype: INT64 }')
    if "tags" in used:
        inputs.append('column { name: "tags" dtype: STRING multi_value {} }')
    names = ["x0", "x1", "x2", "x3", "word", "number", "tags", "y", "b", "c"]
    text = "\n".join([
        f'name: "random{seed}"', f"compat: {r.choice(['TF2', 'TF1'])}",
        "input {\n  csv { header: false column_names: [%s] }" % ", ".join(f'"{n}"' for n in names),
        *("  " + line for line in inputs), "}", *columns, f"model {{ {model} }}",
        f'head {{ label: "{label}" {kind} }}',
        f'train {{ files: "{data}" batch_size: {r.choice([1, 7, 37, 64, 150, 333])} epochs: 1000 }}',
        f"run_config {{ seed: {seed} }}", ""])
    shape = {"workers": r.randint(1, 3), "ps": r.randint(1, 3), "shards": r.choice([4, 5, 8, 13]),
             "steps": r.randint(8, 25), "level": r.choice([[], [], ["--cpu", "native"]])}
    return text, shape


def run(command, log):
    with open(log, "a") as out:
        out.write("$ " + " ".join(command) + "\n")
        out.flush()
        # The model_dirs and what they hold decide; a cluster that hangs would hang the test.
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, timeout=600).returncode
    return code


def check(directory, seed, data):
    """What is wrong with a seed, or nothing."""
    os.makedirs(directory)
    text, shape = spec_of(seed, data)
    at = lambda name: os.path.join(directory, name)
    with open(at("spec.pbtxt"), "w") as out:
        out.write(text)
    log = at("log")
    train = ["train", "--quiet", "--max_steps", str(shape["steps"]), "--virtual_shards", str(shape["shards"])]
    tasks = ["--workers", str(shape["workers"]), "--ps", str(shape["ps"])]
    steps = [["mlc", "compile", at("spec.pbtxt"), "-o", at("trainer"), "--quiet", *shape["level"]],
             [at("trainer"), *train, "--model_dir", at("one")],
             ["mlc", "launch", *tasks, "--", at("trainer"), *train, "--sync", "--model_dir", at("cluster")],
             ["mlc", "ckpt", "diff", at("one"), at("cluster")]]
    for step in steps:
        if code := run(step, log):
            with open(log) as told:
                tail = "".join(told.readlines()[-12:])
            return f"{' '.join(step)}\n  exit {code}, cluster of {shape}\n{tail}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--keep", action="store_true", help="also the directories of seeds that pass")
    arguments = parser.parse_args()
    os.makedirs(arguments.directory, exist_ok=True)
    data = os.path.abspath(os.path.join(arguments.directory, "data.csv"))
    write_data(data)
    failed = 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        directory = os.path.abspath(os.path.join(arguments.directory, str(seed)))
        shutil.rmtree(directory, ignore_errors=True)
        if wrong := check(directory, seed, data):
            failed += 1
            print(f"seed {seed}: {wrong}", flush=True)
        elif not arguments.keep:
            shutil.rmtree(directory)
    print(f"{arguments.count - failed} of {arguments.count} clusters hold the bits of one process", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
