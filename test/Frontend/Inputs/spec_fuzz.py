#!/usr/bin/env python3
"""spec_fuzz.py DIRECTORY [--first SEED] [--count N] [--keep] [--lower N]: random specs, and each with one mistake.

Oracles of `mlc spec check --json`: a spec without a mistake gets exit status 0 and no message; one with a mistake 2 and
one error, in its file; one whose text was damaged 0 or 2, and as many errors as a person may read. None crashes, prints
what is no message, takes more than SECONDS, or more memory than MEMORY. Of each N-th spec without a mistake
(--lower) `mlc compile --emit=df` must agree.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys

SECONDS = 20
MEMORY = 1 << 30  # of resident memory
MOST_ERRORS = 40


class Field:
    """A field of a spec: a number, a word, a text, a list, or a block of fields."""

    def __init__(self, name, value, kind):
        self.name, self.value, self.kind = name, value, kind

    def lines(self, indent=0):
        pad = "  " * indent
        if self.kind == "block":
            yield f"{pad}{self.name} {{"
            for field in self.value:
                yield from field.lines(indent + 1)
            yield f"{pad}}}"
        else:
            yield f"{pad}{self.name}: {self.text()}"

    def text(self):
        if self.kind == "text":
            return f'"{self.value}"'
        if self.kind == "texts":
            return "[" + ", ".join(f'"{v}"' for v in self.value) + "]"
        if self.kind == "numbers":
            return "[" + ", ".join(str(v) for v in self.value) + "]"
        return str(self.value)


def number(name, value):
    return Field(name, value, "number")


def word(name, value):
    return Field(name, value, "word")


def text(name, value):
    return Field(name, value, "text")


def block(name, *fields):
    return Field(name, list(fields), "block")


class Spec:
    """A random spec that has no mistake."""

    def __init__(self, rng):
        self.rng = rng
        self.fields = []
        self.columns = {}  # name -> dtype
        self.dense, self.sparse, self.sequences = [], [], []
        self.make()

    def text(self):
        return "".join(line + "\n" for field in self.fields for line in field.lines())

    def maybe(self, share, make):
        return [make()] if self.rng.random() < share else []

    def make(self):
        rng = self.rng
        names = rng.sample(["age", "job", "x1", "x2", "city", "tags", "price", "Zip", "a_b", "n.m"], rng.randint(2, 8))
        inputs = [block("csv", *self.maybe(0.3, lambda: text("field_delim", rng.choice(";|"))),
                        *self.maybe(0.2, lambda: word("skip_initial_space", "true")))]
        for name in names:
            dtype = rng.choice(["FLOAT32", "INT64", "STRING"])
            self.columns[name] = dtype
            inputs.append(block("column", text("name", name), word("dtype", dtype),
                                *self.maybe(0.2, lambda: text("missing", "?"))))
        steps = rng.random() < 0.25
        if steps:
            inputs.append(block("column", text("name", "words"), word("dtype", "STRING"), block("multi_value")))
            inputs.append(block("column", text("name", "prices"), word("dtype", "FLOAT32"), block("multi_value")))
        task = rng.choice(["binary_class", "multi_class", "regression", "logistic_regression"])
        inputs.append(block("column", text("name", "label"),
                            word("dtype", "FLOAT32" if "regression" in task else "INT64")))
        self.fields.append(block("input", *inputs))
        for name, dtype in self.columns.items():
            self.column(name, dtype)
        if steps:
            self.steps()
        if not self.dense and not self.sparse:
            self.dense.append(self.numeric_of_last())
        self.fields.append(self.model())
        kind = block(task)
        if task == "multi_class":
            kind.value.append(number("n_classes", rng.randint(3, 20)))
        self.fields.append(block("head", text("label", "label"), kind))
        self.fields.append(block("train", Field("files", ["rows.csv"], "texts"),
                                 number("batch_size", rng.choice([1, 16, 100])),
                                 number("max_steps", rng.randint(1, 1000))))
        self.fields += self.maybe(0.4, lambda: block("run_config", number("seed", rng.randint(0, 99))))

    def numeric_of_last(self):
        name = next(iter(self.columns))
        self.feature(block("categorical_with_hash_bucket", text("key", name), number("hash_bucket_size", 10)),
                     "only")
        self.feature(block("indicator", text("categorical_column", "only")), "only_indicator")
        return "only_indicator"

    def feature(self, kind, name):
        self.fields.append(block("feature_column", text("name", name), kind))

    def column(self, name, dtype):
        rng = self.rng
        if dtype == "FLOAT32":
            kind = block("numeric", text("key", name))
            if rng.random() < 0.4:
                kind.value.append(block("z_score", number("mean", rng.randint(-9, 9)), number("stddev", 2.5)))
            self.feature(kind, name)
            self.dense.append(name)
            if rng.random() < 0.3 and len(kind.value) == 1:
                self.feature(block("bucketized", text("source_column", name),
                                   Field("boundaries", sorted(rng.sample(range(100), 3)), "numbers")), name + "_b")
                self.sparse.append(name + "_b")
            return
        if rng.random() < 0.3:
            return  # a column that the model does not read
        if dtype == "INT64" and rng.random() < 0.4:
            kind = block("categorical_with_identity", text("key", name), number("num_buckets", rng.randint(1, 50)))
        elif dtype == "STRING" and rng.random() < 0.5:
            kind = block("categorical_with_vocabulary_list", text("key", name),
                         Field("vocabulary_list", rng.sample(["a", "b", "c", "d e", "f"], rng.randint(1, 5)), "texts"))
            if rng.random() < 0.5:
                kind.value.append(number("num_oov_buckets", rng.randint(0, 3)))
        else:
            kind = block("categorical_with_hash_bucket", text("key", name),
                         number("hash_bucket_size", rng.randint(2, 1000)))
        self.feature(kind, name + "_ids")
        self.sparse.append(name + "_ids")
        if rng.random() < 0.5:
            self.feature(block("embedding", text("categorical_column", name + "_ids"),
                               number("dimension", rng.randint(1, 32)),
                               *self.maybe(0.3, lambda: word("combiner", rng.choice(["SUM", "MEAN", "SQRTN"])))),
                         name + "_emb")
        else:
            self.feature(block("indicator", text("categorical_column", name + "_ids")), name + "_emb")
        self.dense.append(name + "_emb")

    def steps(self):
        rng = self.rng
        self.feature(block("categorical_with_hash_bucket", text("key", "words"),
                           number("hash_bucket_size", rng.randint(2, 1000))), "words_ids")
        self.feature(block("embedding", text("categorical_column", "words_ids"), number("dimension", rng.randint(1, 8))),
                     "words_emb")
        self.feature(block("sequence_numeric", text("key", "prices")), "prices")
        self.sequences = ["words_emb", "prices"]

    def optimizer(self):
        rng = self.rng
        rule = rng.choice(["sgd", "momentum", "adagrad", "adadelta", "adam", "adamax", "nadam", "rms_prop", "ftrl"])
        fields = self.maybe(0.6, lambda: number("learning_rate", rng.choice([0.001, 0.1, 1])))
        if rule == "momentum":
            fields.append(number("momentum", 0.9))
        return block("optimizer", block(rule, *fields))

    def model(self):
        rng = self.rng
        dnn = block("dnn", Field("feature_columns", self.dense, "texts"),
                    Field("hidden_units", [rng.randint(1, 64) for _ in range(rng.randint(1, 3))], "numbers"),
                    *self.maybe(0.4, lambda: number("dropout", rng.choice([0, 0.1, 0.5]))),
                    *self.maybe(0.3, lambda: word("activation_fn", rng.choice(["RELU", "TANH", "GELU"]))),
                    *self.maybe(0.5, self.optimizer))
        linear = block("linear", Field("feature_columns", self.sparse or self.dense, "texts"),
                       *self.maybe(0.5, self.optimizer))
        kinds = [linear] + ([dnn, block("dnn_linear_combined", linear, dnn)] if self.dense else [])
        if self.sequences:
            kinds = [block("rnn", Field("sequence_feature_columns", self.sequences, "texts"),
                           *([Field("context_feature_columns", self.dense, "texts")] if self.dense else []),
                           Field("units", [rng.randint(1, 16) for _ in range(rng.randint(1, 2))], "numbers"),
                           *self.maybe(0.7, lambda: word("cell_type", rng.choice(["SIMPLE_RNN", "LSTM", "GRU"]))),
                           *self.maybe(0.5, self.optimizer))]
        return block("model", rng.choice(kinds))


def walk(fields, within=None):
    """Each field with the list that holds it and the block around it."""
    for field in list(fields):
        yield field, fields, within
        if field.kind == "block":
            yield from walk(field.value, field)


# Letters that make no other field of these names; of what is short a typo may be another word.
def misspelt(rng, name):
    at = rng.randint(1, len(name) - 1)
    return rng.choice([name[:at] + "zq" + name[at:], name[:at] + "q" + name[at + 1:]])


def typo(rng, spec):
    field, _, _ = rng.choice([f for f in walk(spec.fields) if len(f[0].name) > 3])
    old, field.name = field.name, misspelt(rng, field.name)
    return f"'{old}' is called '{field.name}'"


def wrong_word(rng, spec):
    field = rng.choice([f for f, _, _ in walk(spec.fields) if f.kind == "word" and f.name != "skip_initial_space"])
    field.value += "ZQ"
    return f"{field.name}: {field.value}"


def wrong_type(rng, spec):
    field = rng.choice([f for f, _, _ in walk(spec.fields) if f.kind == "number"])
    field.value = rng.choice(['"many"', "many", "true", "1.2.3", "0x", "-", "1e"])
    return f"{field.name}: {field.value}"


def huge_number(rng, spec):
    field = rng.choice([f for f, _, _ in walk(spec.fields) if f.kind == "number" and f.name != "mean"])
    # Rates and deviations may be of any size that a number has.
    large = [] if field.name in ("learning_rate", "stddev") else ["9" * 20, "1e50"]
    field.value = rng.choice([*large, "1e400", "-" + "9" * 19, "nan", "inf", "9" * 5000])
    return f"{field.name}: {field.value[:30]}"


def wrong_nesting(rng, spec):
    """A copy of a field where it does not belong."""
    field = rng.choice([f for f, _, w in walk(spec.fields) if w and f.name in
                        ("hidden_units", "batch_size", "dtype", "max_steps", "vocabulary_list", "label", "num_buckets")])
    blocks = [f for f, _, _ in walk(spec.fields) if f.kind == "block" and f.name in ("csv", "run_config", "dnn", "linear", "input")
              and field not in f.value]
    into = rng.choice(blocks)
    into.value.append(field)
    return f"{field.name} in {into.name}"


def duplicate(rng, spec):
    field, fields, _ = rng.choice([f for f in walk(spec.fields) if f[0].kind in ("number", "word", "text") and f[2]
                                   and f[0].name not in ("name", "missing", "key", "categorical_column")])
    fields.append(field)
    return f"{field.name} twice"


def unknown_reference(rng, spec):
    field = rng.choice([f for f, _, _ in walk(spec.fields) if f.name in ("source_column", "label") or
                        (f.name == "feature_columns")])
    if field.kind == "texts":
        field.value = field.value + ["no_such_zq"]
    else:
        field.value = "no_such_zq"
    return f"{field.name} names what is not there"


def duplicate_name(rng, spec):
    column = rng.choice([f for f, _, w in walk(spec.fields) if f.name == "feature_column"])
    spec.fields.append(column)
    return f"feature_column '{column.value[0].value}' twice"


MISTAKES = [typo, wrong_word, wrong_type, huge_number, wrong_nesting, duplicate, unknown_reference, duplicate_name]


def damage(rng, content):
    """A text that need not be a spec any more."""
    kind = rng.randint(0, 7)
    at = rng.randint(0, len(content))
    if kind == 0:
        return content[:at] + rng.choice('{}[]":#<>,;\0\x7f\\\'-\u00e9') + content[at:]
    if kind == 1:
        return content[:at] + content[at + rng.randint(1, 30):]
    if kind == 2:
        return content[:at]
    if kind == 3:
        return content[:at] + "model { dnn " * rng.choice([1, 50, 20000]) + content[at:]
    if kind == 4:
        return content[:at] + content[:rng.randint(0, len(content))] + content[at:]
    if kind == 5:
        return content[:at] + "[" * rng.choice([1, 100, 100000]) + content[at:]
    if kind == 6:
        return content[:at] + '"' + "x" * rng.choice([10, 300000]) + content[at:]
    lines = content.split("\n")
    rng.shuffle(lines)
    return "\n".join(lines)


def run(*command):
    """Exit status, both streams, the most memory."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))) as process:
        out, err = process.communicate()
    return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def errors_of(err):
    """The errors among messages, or what is no message."""
    errors = []
    for line in err.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            return None, f"prints what is no message: {line[:200]}"
        if message.get("severity") == "error":
            errors.append(message)
    return errors, None


def check(path, expected):
    """What is wrong with what mlc says of a spec; None: nothing. `expected`: errors, or None for any."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    status, _, err = run("mlc", "spec", "check", path, "--json")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if status < 0 or status not in (0, 2):
        return f"exit status {status}: {err[:400]}"
    if most > before and most * 1024 > MEMORY:
        return f"{most >> 10} MiB of memory"
    errors, complaint = errors_of(err)
    if complaint:
        return complaint
    if (status == 0) != (not errors):
        return f"exit status {status} with {len(errors)} errors: {err[:400]}"
    if expected is None:
        return f"{len(errors)} errors" if len(errors) > MOST_ERRORS else None
    if len(errors) != expected:
        return f"{len(errors)} errors: {' / '.join(e['message'] for e in errors)[:600]}"
    if any(e.get("file") != path or not e.get("line") for e in errors):
        return f"an error without a place: {err[:400]}"
    if any(len(line) > 20000 for line in err.splitlines()):
        return "a message of more than 20,000 characters"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--lower", type=int, default=10)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    failures = checked = 0
    for seed in range(options.first, options.first + options.count):
        cases = [("", 0, Spec(random.Random(seed)).text())]
        for i, mistake in enumerate(MISTAKES):
            rng, spec = random.Random(seed * 100 + i), Spec(random.Random(seed))
            try:
                what = mistake(rng, spec)
            except IndexError:
                continue  # a spec without such a field
            cases.append((f"{mistake.__name__}: {what}", 1, spec.text()))
        for i in range(3):
            rng = random.Random(seed * 100 + 50 + i)
            cases.append((f"damage {i}", None, damage(rng, cases[0][2])))
        for number_, (what, expected, content) in enumerate(cases):
            path = os.path.join(options.directory, f"{seed}-{number_}.pbtxt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            wrong = check(path, expected)
            if not wrong and expected == 0 and options.lower and seed % options.lower == 0:
                status, out, err = run("mlc", "compile", path, "--emit=df")
                if status != 0 or "df.function" not in out:
                    wrong = f"compile --emit=df: exit status {status}: {err[:400]}"
            checked += 1
            if wrong:
                failures += 1
                print(f"{path}: {what or 'no mistake'}: {wrong}")
            elif not options.keep:
                os.remove(path)
    print(f"{checked} specs checked, {failures} failures")
    sys.exit(1 if failures else 0)


main()
