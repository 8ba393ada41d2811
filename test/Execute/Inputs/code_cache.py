#!/usr/bin/env python3
# Edits a spec, trains each edit with a cache that has the code of the spec, and with an empty one.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   code_cache.py DIRECTORY
#
# Everything stands in DIRECTORY.
import os
import re
import subprocess
import sys

BASE = """# A model with one of each.
input {
  csv { header: true }
  column { name: "x" dtype: FLOAT32 }
  column { name: "job" dtype: STRING }
  column { name: "tags" dtype: STRING multi_value { separator: "|" } }
  column { name: "y" dtype: INT64 }
}
feature_column { name: "n" numeric { key: "x" } }
feature_column { name: "job_list" categorical_with_vocabulary_list { key: "job" vocabulary_list: ["a", "b", "c"] num_oov_buckets: 1 } }
feature_column { name: "tag_file" categorical_with_vocabulary_file { key: "tags" vocabulary_file: "tags.txt" } }
feature_column { name: "job_embedding" embedding { categorical_column: "job_list" dimension: 4 } }
feature_column { name: "tag_embedding" embedding { categorical_column: "tag_file" dimension: 4 } }
model {
  dnn {
    feature_columns: ["n", "job_embedding", "tag_embedding"]
    hidden_units: [8]
    dropout: 0.2
    optimizer { adagrad { learning_rate: 0.1 } }
  }
}
head { label: "y" binary_class {} }
train { files: "rows.csv" batch_size: 16 max_steps: 20 }
run_config { seed: 3 }
"""

# name -> (what is replaced, by what, whether the numbers change)
EDITS = {
    "comment": ("# A model with one of each.", "# Another comment.\n# Of two lines.", False),
    "dropout": ("dropout: 0.2", "dropout: 0.4", True),
    "learning_rate": ("learning_rate: 0.1", "learning_rate: 0.02", True),
    "steps": ("max_steps: 20", "max_steps: 30", True),
    "batch": ("batch_size: 16", "batch_size: 24", True),
    "list": ('["a", "b", "c"]', '["e", "b", "a"]', True),
    "file": ('"tags.txt"', '"other/tags.txt"', True),
    "path": ('"rows.csv"', '"./rows.csv"', False),
    "delimiter": ('header: true }', 'header: true field_delim: ";" }', False),
    "strip": ('name: "job" dtype: STRING', 'name: "job" dtype: STRING strip: "."', False),
}
FILES = {"delimiter": "other/rows.txt", "strip": "dots.csv"}
# These are other code.
OTHERS = {
    "units": ("hidden_units: [8]", "hidden_units: [9]"),
    "no_dropout": ("dropout: 0.2", "dropout: 0"),
    "more_terms": ('["a", "b", "c"]', '["a", "b", "c", "d"]'),
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def train(name, cache):
    """Trains NAME.pbtxt; gives how it was compiled, and the checkpoint's bytes."""
    model = f"m-{name}-{os.path.basename(cache)}"
    said = run("mlc", "train", f"{name}.pbtxt", "--model_dir", model, "--cache_dir", cache, "--cpu", "native")
    compiled = re.search(rf"compiled {name} for cpu native in [0-9.]+ s(.*)\n", said)
    if not compiled:
        sys.exit(f"{name}: not compiled at all:\n{said}")
    run("mlc", "ckpt", "convert", model, "--to", f"{model}.safetensors")
    with open(f"{model}.safetensors", "rb") as file:
        return compiled.group(1), file.read()


def write_data():
    os.makedirs("other", exist_ok=True)
    for path, comma, dot in (("rows.csv", ",", ""), ("other/rows.txt", ";", ""), ("dots.csv", ",", ".")):
        with open(path, "w") as file:
            print("x", "job", "tags", "y", sep=comma, file=file)
            for i in range(120):
                tags = "pqr"[i % 3] + "|" + "qrs"[i * 5 % 3]
                print(i * 37 % 100 / 50 - 1, dot + "abcde"[i * 7 % 5] + dot, tags, int(i * i % 7 < 3), sep=comma,
                      file=file)
    for path, terms in (("tags.txt", "pqr"), ("other/tags.txt", "srp")):
        with open(path, "w") as file:
            print(*terms, sep="\n", file=file)


def write(name, old, new):
    if old not in BASE:
        sys.exit(f"{name}: the spec has no '{old}'")
    with open(f"{name}.pbtxt", "w") as file:
        text = BASE.replace(old, new)
        file.write(text.replace('"rows.csv"', f'"{FILES[name]}"') if name in FILES else text)


def main():
    os.chdir(sys.argv[1])
    write_data()
    write("base", "# A", "# A")
    how, base = train("base", "cache")
    if how:
        sys.exit(f"base: {how}")
    kept = sorted(os.listdir("cache/code"))
    for name, (old, new, changes) in EDITS.items():
        write(name, old, new)
        how, state = train(name, "cache")
        if "from code that was compiled before" not in how:
            sys.exit(f"{name}: compiled anew")
        if (state != base) != changes:
            sys.exit(f"{name}: the state is {'what it was' if changes else 'another one'}")
        how, fresh = train(name, f"fresh-{name}")
        if how:
            sys.exit(f"{name}: a new cache has code: {how}")
        if state != fresh:
            sys.exit(f"{name}: the state is not that of a fresh compilation")
    if sorted(os.listdir("cache/code")) != kept:
        sys.exit("an edit left code behind")
    for name, (old, new) in OTHERS.items():
        write(name, old, new)
        how, _ = train(name, "cache")
        if how:
            sys.exit(f"{name}: {how}, of another model")


main()
