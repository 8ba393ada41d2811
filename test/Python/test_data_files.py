"""Datasets of files: that the runtime reads them as the command line does, and what is told of those it cannot read."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc import _engine, estimator, losses, ops, optimizers, train
from mlc import feature_column as fc
from mlc.data import Dataset, FileDataset, make_batched_features_dataset, make_csv_dataset
from mlc.errors import DataError, RunError, SpecError, UnsupportedError
from mlc.io import FixedLenFeature, VarLenFeature
from records import example, frame

ROOT = Path(__file__).resolve().parents[2]
CENSUS = ROOT / "examples/census/data/adult-train.csv"
NAMES = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship", "race",
         "gender", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income_bracket"]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file of 200 rows: x, job (sometimes missing), y = x > 0, and one that nobody reads."""
    rng = np.random.default_rng(7)
    lines = ["x,job,y,other"]
    for number, x in enumerate(rng.normal(size=200)):
        lines.append(f"{x:.6f},{['cook', 'smith', ''][number % 3]},{int(x > 0)},{number}")
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def linear(model_dir: Path, **arguments: Any) -> estimator.LinearClassifier:
    columns = [fc.numeric_column("x"), fc.categorical_column_with_hash_bucket("job", 10)]
    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    return estimator.LinearClassifier(columns, str(model_dir), config=config, **arguments)


def variables(model: estimator.Estimator) -> dict[str, np.ndarray]:
    return {name: model.get_variable_value(name) for name in model.get_variable_names()}


def assert_same(one: estimator.Estimator, other: estimator.Estimator) -> None:
    first, second = variables(one), variables(other)
    assert first.keys() == second.keys()
    for name in first:
        assert first[name].tobytes() == second[name].tobytes(), name


# As the command line


@pytest.mark.parametrize("packed", ["plain", "gzip", "zstd"])
def test_trains_the_bytes_of_the_trainer(packed: str, tmp_path: Path) -> None:
    lines = CENSUS.read_text().splitlines(keepends=True)
    for part in range(2):
        path = tmp_path / f"part-{part}.csv"
        path.write_text("".join(lines[part * 1000 : (part + 1) * 1000]))
        if packed == "gzip":
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        elif packed == "zstd":
            subprocess.run(["zstd", "-q", path], check=True)
    pattern = tmp_path / {"plain": "part-*.csv", "gzip": "part-*.gz", "zstd": "part-*.zst"}[packed]
    columns = [fc.numeric_column("age"), fc.categorical_column_with_hash_bucket("occupation", 100)]
    model = estimator.LinearClassifier(
        columns, str(tmp_path / "python"), label_vocabulary=["<=50K", ">50K"],
        config=estimator.RunConfig(tf_random_seed=3, save_summary_steps=0),
    )

    def dataset() -> FileDataset:
        files = Dataset.from_csv(
            pattern, "income_bracket", column_names=NAMES, header=False, skip_initial_space=True, na_value="?"
        )
        return files.shuffle().repeat(2).batch(64)

    # In two calls, the second of which begins within a pass.
    model.train(dataset, steps=45)
    model.train(dataset, max_steps=60)
    model.compile_trainer(tmp_path / "trainer")
    flags = ["--train_files", str(pattern), "--batch_size", "64", "--max_steps", "60", "--quiet"]
    subprocess.run([tmp_path / "trainer", "train", "--model_dir", tmp_path / "command", *flags], check=True)
    found, expected = (sorted((tmp_path / each / "ckpt-0000000060").glob("*.safetensors")) for each in ("python", "command"))
    assert [path.name for path in found] == [path.name for path in expected] != []
    for mine, other in zip(found, expected):
        assert mine.read_bytes() == other.read_bytes()


def test_characters_that_are_cut_from_cells(tmp_path: Path) -> None:
    plain, quoted = tmp_path / "plain.csv", tmp_path / "quoted.csv"
    rng = np.random.default_rng(4)
    cells = [(f"{x:.3f}", ["cook", "smith"][int(x > 1)], int(x > 0)) for x in rng.normal(size=60)]
    plain.write_text("x,job,y\n" + "".join(f"{x},{job},{y}\n" for x, job, y in cells))
    quoted.write_text("x,job,y\n" + "".join(f"${x}%,'{job}',<{y}>\n" for x, job, y in cells))
    models = []
    for path, strip in ((plain, ""), (quoted, "$%'<>"), (quoted, {"x": "%$", "job": "'", "y": "><"})):
        dataset = Dataset.from_csv(path, "y", strip=strip)
        assert [field.dtype for field in dataset.files.fields.values()] == ["float32", "string", "int32"]
        models.append(linear(tmp_path / f"m{len(models)}"))
        models[-1].train(lambda: dataset.batch(20))  # noqa: B023
    assert_same(models[0], models[1])
    assert_same(models[0], models[2])
    spec = models[2].to_spec()
    assert 'strip: "%$"' in spec and 'strip: "><"' in spec and "strip" not in models[0].to_spec()
    with pytest.raises(DataError, match="strip: the files have no column 'z'"):
        Dataset.from_csv(plain, strip={"z": "x"})
    with pytest.raises(ValueError, match="strip of 'x' must be characters of ASCII"):
        Dataset.from_csv(plain, strip="é")


def test_files_train_as_arrays(rows: Path, tmp_path: Path) -> None:
    table = np.genfromtxt(rows, delimiter=",", names=True, dtype=None, encoding="utf-8")
    features = {"x": table["x"].astype(np.float32), "job": table["job"].tolist()}
    of_files, of_arrays = linear(tmp_path / "files"), linear(tmp_path / "arrays")
    of_files.train(lambda: Dataset.from_csv(rows, "y").shuffle().repeat(3).batch(32))
    of_arrays.train(lambda: Dataset.from_arrays(features, table["y"]).shuffle().repeat(3).batch(32))
    assert_same(of_files, of_arrays)
    batches = lambda: Dataset.from_csv(rows, "y").batch(33)  # noqa: E731
    assert of_files.evaluate(batches) == of_arrays.evaluate(lambda: Dataset.from_arrays(features, table["y"]).batch(33))
    mine = [p["logits"] for p in of_files.predict(batches)]
    others = [p["logits"] for p in of_arrays.predict(lambda: Dataset.from_arrays(features).batch(33))]
    assert np.array_equal(mine, others)


def test_passes_and_steps(rows: Path, tmp_path: Path) -> None:
    model = linear(tmp_path / "m")
    csv = Dataset.from_csv(rows, "y")
    model.train(lambda: csv.repeat(2).batch(64))
    assert model._newest_step() == 8
    model.train(lambda: csv.repeat(2).batch(64, drop_remainder=True))
    assert model._newest_step() == 14
    model.train(lambda: csv.repeat().batch(64), steps=3)
    assert model._newest_step() == 17
    model.train(lambda: csv.batch(64), max_steps=100)
    assert model._newest_step() == 21
    model.train(lambda: csv.repeat().batch(64), max_steps=23)
    assert model._newest_step() == 23
    # Evaluations go through repeated files as through repeated arrays.
    table = np.genfromtxt(rows, delimiter=",", names=True, dtype=None, encoding="utf-8")
    arrays = Dataset.from_arrays({"x": table["x"], "job": table["job"].tolist()}, table["y"])
    for arrange in (
        lambda d: (d.batch(64), 2), lambda d: (d.repeat().batch(64), 6), lambda d: (d.repeat(2).batch(64), 99),
        lambda d: (d.batch(64, drop_remainder=True), None), lambda d: (d.repeat().batch(64, drop_remainder=True), 4),
    ):  # fmt: skip
        (files, steps), (others, _) = arrange(csv), arrange(arrays)
        found, expected = model.evaluate(lambda: files, steps), model.evaluate(lambda: others, steps)
        assert found.keys() == expected.keys()
        # The loss is a mean of batches, and those of repeated arrays do not end with a pass here.
        assert found | {"loss": 0} == pytest.approx(expected | {"loss": 0}, rel=1e-6)
    with pytest.raises(ValueError, match="no end"):
        model.evaluate(lambda: csv.repeat().batch(64))
    assert len(list(model.predict(lambda: csv.repeat(2).batch(64, drop_remainder=True)))) == 2 * 192


def test_train_and_evaluate(rows: Path, tmp_path: Path) -> None:
    model = linear(tmp_path / "m")
    csv = Dataset.from_csv(rows, "y").batch(50)
    spec = estimator.TrainSpec(lambda: Dataset.from_csv(rows, "y").shuffle().repeat().batch(50), max_steps=40)
    metrics, _ = estimator.train_and_evaluate(model, spec, estimator.EvalSpec(lambda: csv, steps=None, throttle_secs=0))
    assert metrics is not None
    assert metrics["accuracy"] == pytest.approx(model.evaluate(lambda: csv)["accuracy"])


def test_model_fn_reads_files(rows: Path, tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        assert features["other"].dtype == "int32" and features["job"].dtype == "string"
        from mlc import layers

        logits = layers.dense(ops.stack([features["x"], ops.cast(features["other"], "float32") / 200.0], axis=1), 1)
        if mode == "infer":
            return estimator.EstimatorSpec(mode, predictions=logits)
        loss = losses.sigmoid_cross_entropy(ops.reshape(ops.cast(labels, "float32"), [-1, 1]), logits)
        step = train.GradientDescentOptimizer(0.5).minimize(loss, global_step=train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    of_files = estimator.Estimator(model_fn, str(tmp_path / "files"), config)
    of_arrays = estimator.Estimator(model_fn, str(tmp_path / "arrays"), config)
    table = np.genfromtxt(rows, delimiter=",", names=True, dtype=None, encoding="utf-8")
    features = {"x": table["x"].astype(np.float32), "job": table["job"].tolist(), "other": table["other"].astype(np.int32)}
    of_files.train(lambda: Dataset.from_csv(rows, "y").shuffle().repeat(5).batch(20))
    of_arrays.train(lambda: Dataset.from_arrays(features, table["y"].astype(np.int32)).shuffle().repeat(5).batch(20))
    assert_same(of_files, of_arrays)
    assert len(list(of_files.predict(lambda: Dataset.from_csv(rows, "y").batch(64)))) == 200


def test_spec_of_files(rows: Path, tmp_path: Path) -> None:
    model = linear(tmp_path / "m")
    path = tmp_path / "other.csv"
    path.write_text("# made by hand\n1;cook;1\n-1;-;0\n")
    csv = Dataset.from_csv(
        path, "y", column_names=["x", "job", "y"], column_defaults={"x": 0.5}, field_delim=";", comment=["#"], header=False,
        na_value="-", max_bad_rows=2, compression_type="NONE",
    )
    model.train(lambda: csv.batch(2))
    text = model.to_spec()
    for part in ('field_delim: ";"', 'comment: ["#"]', "max_bad_rows: 2", "compression: NONE", 'missing: ["-"]', 'label: "y"',
                 'column_names: ["x", "job", "y"]', 'name: "x"  dtype: FLOAT32  default_value: "0.5"'):
        assert part in text, text
    assert _engine.compile_model(text) is not None


def test_spec_of_a_baseline_reads_the_files(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("job,n,y\n" + "".join(f"{'a' if i % 3 else ''},{i if i % 2 else ''},{i % 2}\n" for i in range(20)))
    config = estimator.RunConfig(tf_random_seed=1)
    model = estimator.BaselineClassifier(str(tmp_path / "m"), config=config)
    csv = Dataset.from_csv(path, "y", column_defaults={"n": 0})
    model.train(lambda: csv.repeat(2).batch(5))
    (tmp_path / "spec.pbtxt").write_text(model.to_spec())
    # As the command line trains: the header of the files has all columns of the spec.
    words = ["train", str(tmp_path / "spec.pbtxt"), "--model_dir", str(tmp_path / "n"), "--train_files", str(path), "--steps", "8",
             "--batch_size", "5", "--set", "train.shuffle=false", "--quiet"]  # fmt: skip
    subprocess.run([sys.executable, "-m", "mlc", *words], check=True)
    again = estimator.BaselineClassifier(str(tmp_path / "n"))
    np.testing.assert_array_equal(again.get_variable_value("baseline/bias"), model.get_variable_value("baseline/bias"))


# Names and types of columns


def types(dataset: FileDataset) -> dict[str, str]:
    return {name: field.dtype for name, field in dataset.files.fields.items()}


def test_types_are_those_of_tensorflow(tmp_path: Path) -> None:
    # What TensorFlow 2.15 infers, but for "1_0", which it takes for an integer that it cannot read then, and -1e39, which
    # it takes for a float32 that is infinite.
    expected = {
        "int32": (["1", "2", ""], [" 7", "8 ", "9"], ["-1", "+2", "007"], ["-", "-", "5"], ["2147483647", "1", "2"]),
        "int64": (["1", "3000000000", "2"], ["-2147483649", "", "1"]),
        "float32": (["1.5", "", "2"], ["1.", "2", ".5"], ["99999999999999999999", "1", "2"]),
        "float64": (["1", "1e39", "3"], ["-1e39", "1", "2"]),
        "string": (["", "", ""], ["1", "x", "2.5"], ["nan", "1", "2"], ["inf", "1", "2"], ["1e400", "1", "2"],
                   ["0x10", "1", "2"], ["True", "1", "0"], ["1_0", "1", "2"]),
    }  # fmt: skip
    columns = {f"{dtype}{i}": cells for dtype, lists in expected.items() for i, cells in enumerate(lists)}
    path = tmp_path / "types.csv"
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values()))]
    path.write_text("\n".join(lines) + "\n")
    found = types(make_csv_dataset(path, 2, na_value="-"))
    assert found == {name: name.rstrip("0123456789") if "string" in name else name[:-1] for name in columns}
    # Rows after those that are looked at do not count.
    path.write_text("a\n1\n2\nx\n")
    assert types(Dataset.from_csv(path, num_rows_for_inference=2)) == {"a": "int32"}
    assert types(Dataset.from_csv(path, num_rows_for_inference=None)) == {"a": "string"}


def test_arguments_of_make_csv_dataset(rows: Path, tmp_path: Path) -> None:
    dataset = make_csv_dataset(str(rows), 16, label_name="y", select_columns=["y", "x"], shuffle_seed=5)
    assert (dataset.batch_size, dataset.epochs, dataset.shuffled, dataset.seed) == (16, None, True, 5)
    assert list(dataset.files.fields) == ["x", "y"] and list(dataset.features) == ["x"]
    assert not make_csv_dataset(str(rows), 16, num_epochs=1, shuffle=False).shuffled
    told = make_csv_dataset(rows, 4, column_names=list("abcd"), column_defaults=["float64", "?", 7, np.int64(3)])
    assert types(told) == {"a": "float64", "b": "string", "c": "int32", "d": "int64"}
    assert [field.default for field in told.files.fields.values()] == [None, "?", "7", "3"]
    # Names that are given stand for those of the header, which is no row.
    assert told.files.settings["csv"]["skip_lines"] == 1
    # A missing number is 0, and a row with an error left out.
    path = tmp_path / "bad.csv"
    path.write_text("x,job,y\n1,a,1\n,b,0\nfour,c,1\n2,d,0,9\n")
    model = linear(tmp_path / "m")
    dataset = make_csv_dataset(path, 1, label_name="y", num_epochs=1, shuffle=False, ignore_errors=True,
                               num_rows_for_inference=2)  # fmt: skip
    model.train(lambda: dataset)
    assert model._newest_step() == 2
    for wrong, text in (({"encoding": "latin-1"}, "encoding"), ({"compression_type": "ZLIB"}, "ZLIB")):
        with pytest.raises(UnsupportedError, match=text):
            make_csv_dataset(str(rows), 16, **wrong)


def test_several_values_in_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "tags.csv"
    path.write_text("tags,y\na;b,1.5\n,0\nb,2.5\n")
    csv = Dataset.from_csv(path, "y", separators={"tags": ";"})
    arrays = Dataset.from_arrays({"tags": [["a", "b"], ["", ""], ["b", ""]]}, [1.5, 0.0, 2.5])
    results = []
    for number, dataset in enumerate((csv, arrays)):
        column = fc.categorical_column_with_vocabulary_list("tags", ["a", "b"])
        model = estimator.LinearRegressor([column], str(tmp_path / f"{number}"),
                                          config=estimator.RunConfig(tf_random_seed=1, save_summary_steps=0))  # fmt: skip
        model.train(lambda: dataset.repeat(20).batch(3))
        results.append(model)
    assert_same(*results)


# What is refused


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda p: Dataset.from_csv(p.parent / "row.csv"), DataError, "no file matches .*row.csv'; did you mean 'rows.csv'"),
        (lambda p: Dataset.from_csv(p.parent / "none/*.csv"), DataError, "no directory"),
        (lambda p: Dataset.from_csv([]), DataError, "empty list"),
        (lambda p: Dataset.from_csv(p.parent), DataError, "is a directory; expected a file, or a pattern"),
        (lambda p: Dataset.from_csv(p, "why"), DataError, "no column 'why' for labels; found 'x', 'job', 'y'"),
        (lambda p: Dataset.from_csv(p, select_columns=["jobs"]), DataError, "no column 'jobs'.*did you mean 'job'"),
        (lambda p: Dataset.from_csv(p, select_columns=[9]), DataError, "no column 9; expected 0 to 3"),
        (lambda p: Dataset.from_csv(p, column_defaults={"z": 1}), DataError, "no column 'z'"),
        (lambda p: Dataset.from_csv(p, column_defaults=[1, 2]), ValueError, "has 2 entries; expected 4"),
        (lambda p: Dataset.from_csv(p, column_defaults={"x": [1, 2]}), ValueError, "a dtype or one value"),
        (lambda p: Dataset.from_csv(p, column_names=list("abc")), DataError, "found 4 fields"),
        (lambda p: Dataset.from_csv(p, field_delim=",,"), ValueError, "one character"),
        (lambda p: Dataset.from_csv(p, field_delim='"'), ValueError, "no quote"),
        (lambda p: Dataset.from_csv(p, column_names=["a", "b", "b", "c"]), ValueError, "'b' twice"),
        (lambda p: Dataset.from_csv(p, header=False), ValueError, "give column_names"),
        (lambda p: Dataset.from_csv(p, separators={"z": ";"}), DataError, "no column 'z'"),
        (lambda p: len(Dataset.from_csv(p)), TypeError, "are counted when"),
    ],
)
def test_what_csv_datasets_refuse(make: Any, error: type[Exception], text: str, rows: Path) -> None:
    with pytest.raises(error, match=text):
        make(rows)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("x,job,y\n1,a,1\nfour,b,0\n", r"bad\.csv:3:1: bad number 'four' in column 'x'\n    expected: FLOAT32"),
        ("x,job,y\n1,a,1\n2,b\n", r"bad\.csv:3:3: ragged row: found 2 fields\n    expected: 3"),
        ("x,job,y\n1,a,1\n,b,1\n", r"bad\.csv:3:1: missing value in column 'x'"),
        ("x,job,y\n1,a,1\n2,b,x\n", r"bad\.csv:3:3: .*bad number 'x' in column 'y'"),
        ("x,job,y\n1,a,1\n2,\"b,0\n", r"bad\.csv:3:2: .*quote"),
    ],
)
def test_bad_rows_are_placed(content: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=text):
        # Types of the first row, so that it is the run that finds the bad one.
        csv = Dataset.from_csv(path, "y", num_rows_for_inference=1)
        linear(tmp_path / "m").train(lambda: csv.batch(2))


def test_names_of_headers(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x,x,y\n1,2,0\n")
    for select in (None, ["x", "y"]):
        with pytest.raises(DataError, match="two columns 'x'"):
            Dataset.from_csv(path, select_columns=select)
    assert list(Dataset.from_csv(path, select_columns=["y"]).files.fields) == ["y"]
    path.write_bytes("x,\u00e4\n1,0\n".encode("latin-1"))
    with pytest.raises(DataError, match="rows.csv: the header is no UTF-8"):
        Dataset.from_csv(path)
    path.write_bytes(b'\xef\xbb\xbf"x ""1""", y \r\n1,0\r\n2,1\r\n')
    csv = Dataset.from_csv(os.fsencode(path), "y")
    assert csv and list(csv.features) == ['x "1"']
    model = estimator.LinearClassifier([fc.numeric_column('x "1"')], str(tmp_path / "m"))
    model.train(lambda: csv.batch(2))
    assert model._newest_step() == 1


def test_columns_that_files_lack(rows: Path, tmp_path: Path) -> None:
    model = linear(tmp_path / "m", weight_column="othr")
    with pytest.raises(DataError, match="no column 'othr', which weight_column 'othr' needs; .*did you mean 'other'"):
        model.train(lambda: Dataset.from_csv(rows, "y").batch(2))
    with pytest.raises(DataError, match="no labels"):
        linear(tmp_path / "m").train(lambda: Dataset.from_csv(rows).batch(2))
    # Two files with different columns.
    (tmp_path / "rows2.csv").write_text("x,y\n1,2\n")
    with pytest.raises(DataError, match=r"rows2\.csv:1: the header is x, y\n    expected: x, job, y, other"):
        Dataset.from_csv(tmp_path / "rows*.csv", num_rows_for_inference=500)
    with pytest.raises(DataError, match=r"rows2\.csv:1: the header lacks the column 'job'"):
        linear(tmp_path / "m").train(lambda: Dataset.from_csv(tmp_path / "rows*.csv", "y").batch(2))
    with pytest.raises((SpecError, RunError, DataError), match="batch_size 500 is above the 200 examples"):
        linear(tmp_path / "m").train(lambda: Dataset.from_csv(rows, "y").batch(500, drop_remainder=True))


def test_changed_and_packed_files(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    text = b"x,job,y\n" + b"0.25,cook,1\n" * 50000
    path.write_bytes(gzip.compress(text))
    assert types(Dataset.from_csv(path)) == {"x": "float32", "job": "string", "y": "int32"}
    path.write_bytes(gzip.compress(text)[:-20])
    csv = Dataset.from_csv(path, "y")  # whose beginning is whole
    with pytest.raises(DataError, match=r"rows\.csv\.gz"):
        linear(tmp_path / "m").train(lambda: csv.batch(2))
    path.write_bytes(gzip.compress(text)[:10])
    with pytest.raises(DataError, match=r"rows\.csv\.gz"):
        Dataset.from_csv(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="the file is empty\n    expected: a header"):
        Dataset.from_csv(path)


# TFRecord


def records(path: Path, count: int = 60) -> tuple[dict[str, Any], np.ndarray]:
    """Writes tf.Examples; returns the same as arrays."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(count, 2)).astype(np.float32)
    jobs = [[b"cook", b"smith"][: number % 3] for number in range(count)]
    y = (x[:, 0] > 0).astype(np.int64)
    path.write_bytes(b"".join(frame(example(x=x[i], job=jobs[i], y=y[i : i + 1])) for i in range(count)))
    return {"x": x, "job": [each + [b""] * (2 - len(each)) for each in jobs]}, y


RECORD_COLUMNS = [fc.numeric_column("x", shape=2), fc.categorical_column_with_vocabulary_list("job", ["cook", "smith"])]


def of_records(model_dir: Path) -> estimator.LinearClassifier:
    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    return estimator.LinearClassifier(RECORD_COLUMNS, str(model_dir), config=config)


def test_records_train_as_arrays(tmp_path: Path) -> None:
    features, labels = records(tmp_path / "rows.tfrecord")
    packed = tmp_path / "rows.tfrecord.gz"
    packed.write_bytes(gzip.compress((tmp_path / "rows.tfrecord").read_bytes()))
    spec = estimator.classifier_parse_example_spec(RECORD_COLUMNS, "y")
    of_arrays = of_records(tmp_path / "arrays")
    of_arrays.train(lambda: Dataset.from_arrays(features, labels).shuffle().repeat(4).batch(16))
    for path in (tmp_path / "rows.tfrecord", packed):
        of_files = of_records(tmp_path / path.suffix)
        of_files.train(lambda: Dataset.from_tfrecord(path, spec, "y").shuffle().repeat(4).batch(16))
        assert_same(of_files, of_arrays)
        dataset = make_batched_features_dataset(path, 16, spec, label_key="y", num_epochs=1, shuffle=False)
        assert of_files.evaluate(lambda: dataset) == of_arrays.evaluate(
            lambda: Dataset.from_arrays(features, labels).batch(16)
        )
    assert 'multi_value {}' in of_files.to_spec() and "tfrecord {" in of_files.to_spec()


def test_arguments_of_make_batched_features_dataset(tmp_path: Path) -> None:
    path = tmp_path / "rows.tfrecord"
    records(path)
    spec = {"x": FixedLenFeature([2], "float32"), "y": FixedLenFeature([], "int64", 0)}
    dataset = make_batched_features_dataset(path, 8, spec, label_key="y", shuffle_seed=2, drop_final_batch=True)
    assert (dataset.batch_size, dataset.epochs, dataset.seed, dataset.drop_remainder) == (8, None, 2, True)
    assert dataset.files.fields["y"].default == "0" and dataset.files.fields["x"].required
    with pytest.raises(UnsupportedError, match="expected None"):
        make_batched_features_dataset(path, 8, spec, reader=object)
    with pytest.raises(UnsupportedError, match="expected a FixedLenFeature, VarLenFeature or SparseFeature"):
        make_batched_features_dataset(path, 8, {"x": "float32"})
    with pytest.raises(DataError, match="no column 'z' for labels"):
        make_batched_features_dataset(path, 8, spec, label_key="z")
    with pytest.raises(ValueError, match="default_value has 3 values; expected one, or 2"):
        Dataset.from_tfrecord(path, {"x": FixedLenFeature([2], "float32", [1, 2, 3])})
    with pytest.raises(ValueError, match="expected int64"):
        Dataset.from_tfrecord(path, {"x": FixedLenFeature([], "int64", "a")})


def test_bad_records(tmp_path: Path) -> None:
    path = tmp_path / "rows.tfrecord"
    records(path)
    spec = estimator.classifier_parse_example_spec(RECORD_COLUMNS, "y")
    whole = path.read_bytes()

    def trains(features: Any = spec) -> None:
        of_records(tmp_path / "m").train(lambda: Dataset.from_tfrecord(path, features, "y").batch(8))

    path.write_bytes(whole[:-5])
    with pytest.raises(DataError, match=r"rows\.tfrecord: record 60"):
        trains()
    path.write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    with pytest.raises(DataError, match=r"rows\.tfrecord: record \d"):
        trains()
    path.write_bytes(frame(example(x=np.ones(3, np.float32), y=np.ones(1, np.int64))))
    with pytest.raises(DataError, match=r"record 1: feature 'x' has 3 values\n    expected: 2 of FLOAT32"):
        trains()
    path.write_bytes(frame(example(x=np.ones(2, np.float32))))
    with pytest.raises(DataError, match=r"record 1: missing value in feature 'y'"):
        trains()
    path.write_bytes(frame(example(x=np.ones(2, np.int64), y=np.ones(1, np.int64))))
    with pytest.raises(DataError, match="feature 'x' is of kind int64 list\n    expected: float list"):
        trains()
    with pytest.raises(DataError, match="'x' is int64 in the tf.Examples; expected float32"):
        trains(spec | {"x": FixedLenFeature([2], "int64")})
    with pytest.raises(DataError, match=r"'x' has rows of the shape \(3,\) in the files; expected 2 values"):
        trains(spec | {"x": FixedLenFeature([3], "float32")})
    with pytest.raises(DataError, match="'x' has any number of values in the files; expected 2 values"):
        trains(spec | {"x": VarLenFeature("float32")})


def test_model_fn_takes_fixed_features(tmp_path: Path) -> None:
    records(tmp_path / "rows.tfrecord")
    model = estimator.Estimator(lambda features, mode: None, str(tmp_path / "m"))
    dataset = Dataset.from_tfrecord(tmp_path / "rows.tfrecord", fc.make_parse_example_spec(RECORD_COLUMNS))
    with pytest.raises(UnsupportedError, match="'job' has any number of values"):
        next(model.predict(lambda: dataset.batch(2)))


def test_weights_of_values_have_a_key_of_their_own(tmp_path: Path) -> None:
    ids = [[b"a", b"b"], [b"b"], [], [b"c", b"a"]]
    weights = [[0.5, 2.0], [3.0], [], [1.0, -1.0]]
    y = np.asarray([1.0, -2.0, 0.5, 3.0], np.float32)
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(b"".join(
        frame(example(ids=ids[i], share=np.asarray(weights[i], np.float32), y=y[i : i + 1])) for i in range(4)
    ))  # fmt: skip
    column = fc.weighted_categorical_column(fc.categorical_column_with_vocabulary_list("ids", ["a", "b", "c"]), "share")
    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    of_files = estimator.LinearRegressor([column], str(tmp_path / "files"), config=config)
    spec = estimator.regressor_parse_example_spec([column], "y")
    of_files.train(lambda: Dataset.from_tfrecord(path, spec, "y").repeat(20).batch(4))
    of_arrays = estimator.LinearRegressor([column], str(tmp_path / "arrays"), config=config)
    padded = {"ids": [each + [b""] * (2 - len(each)) for each in ids], "share": [w + [0.0] * (2 - len(w)) for w in weights]}
    of_arrays.train(lambda: Dataset.from_arrays(padded, y).repeat(20).batch(4))
    assert_same(of_files, of_arrays)
    with pytest.raises(SpecError, match="reads the weights of 'ids' of tf.Examples from the feature 'ids.weight'"):
        of_files.to_spec()
    with pytest.raises(DataError, match="no column 'share', which weighted_categorical_column"):
        del spec["share"]
        of_files.train(lambda: Dataset.from_tfrecord(path, spec, "y").batch(4))
    (tmp_path / "rows.csv").write_text("ids,y\na:0.5|b:2,1\n")
    with pytest.raises(UnsupportedError, match="weights stand in the cells of 'ids'"):
        of_files.train(lambda: Dataset.from_csv(tmp_path / "rows.csv", "y", separators={"ids": "|"}).batch(4))


def test_weights_of_rows(rows: Path, tmp_path: Path) -> None:
    table = np.genfromtxt(rows, delimiter=",", names=True, dtype=None, encoding="utf-8")
    arrays = {name: table[name].tolist() for name in ("x", "job", "other")}
    of_files = linear(tmp_path / "files", weight_column="other")
    of_files.train(lambda: Dataset.from_csv(rows, "y").repeat(3).batch(50))
    of_arrays = linear(tmp_path / "arrays", weight_column="other")
    of_arrays.train(lambda: Dataset.from_arrays(arrays, table["y"]).repeat(3).batch(50))
    assert_same(of_files, of_arrays)


def test_baseline_counts_rows(rows: Path, tmp_path: Path) -> None:
    model = estimator.BaselineClassifier(str(tmp_path / "m"))
    model.train(lambda: Dataset.from_csv(rows, "y").repeat(30).batch(50))
    predictions = list(model.predict(lambda: Dataset.from_csv(rows).batch(64)))
    assert len(predictions) == 200
    share = np.genfromtxt(rows, delimiter=",", skip_header=1, usecols=2).mean()
    assert predictions[0]["logistic"][0] == pytest.approx(share, abs=0.05)
    (tmp_path / "texts.csv").write_text("a\nx\n")
    with pytest.raises(UnsupportedError, match="counts the rows of files by a column of integers"):
        next(model.predict(lambda: Dataset.from_csv(tmp_path / "texts.csv").batch(1)))


def test_files_that_tensorflow_wrote(tmp_path: Path) -> None:
    data = os.environ.get("MLC_TEST_DATA", "")
    if not os.path.isdir(data):
        pytest.skip("MLC_TEST_DATA is not set")
    names = ["culmen_length_mm", "culmen_depth_mm", "flipper_length_mm", "body_mass_g"]
    columns = [fc.numeric_column(name) for name in names]
    spec = estimator.classifier_parse_example_spec(columns, "species")
    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    model = estimator.DNNClassifier(
        [16], columns, str(tmp_path / "m"), n_classes=3, optimizer=optimizers.Adam(0.02), config=config
    )
    files = lambda kind: f"{data}/penguins/{kind}-*.tfrecord.gz"  # noqa: E731
    model.train(lambda: make_batched_features_dataset(files("train"), 20, spec, label_key="species"), steps=600)
    metrics = model.evaluate(
        lambda: make_batched_features_dataset(files("eval"), 20, spec, label_key="species", num_epochs=1, shuffle=False)
    )
    assert metrics["accuracy"] > 0.95
