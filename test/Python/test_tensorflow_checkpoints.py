"""Checkpoints that TensorFlow wrote, as test/Recorded/record_checkpoints.py recorded them, and the taxi Estimator of the test data:
all numbers are read bit for bit, and an Estimator that begins with them computes what TensorFlow's did."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import csv
import json
import os
import re
import tarfile
from pathlib import Path

import numpy as np
import pytest

from mlc import _engine, data, estimator, optimizers
from mlc import feature_column as fc
from mlc.errors import MlcError

CHECKPOINTS = Path(__file__).parents[1] / "Recorded" / "Inputs" / "checkpoints"
SLOTS = {"Adam/m": "Adam", "Adam/v": "Adam_1", "Ftrl/accumulator": "Ftrl", "Ftrl/linear": "Ftrl_1", "Adagrad/accumulator": "Adagrad"}
TYPES = {"F32": "f4", "F64": "f8", "F16": "f2", "BF16": "u2", "BOOL": "?"} | {f"{c}{8 * n}": f"{c.lower()}{n}" for c in "IU" for n in (1, 2, 4, 8)}


def recorded(name):
    with np.load(CHECKPOINTS / f"{name}.npz") as file:
        return {each.replace("|", "/"): file[each] for each in file.files}


def converted(path, directory):
    """The tensors of a checkpoint by `mlc ckpt convert`."""
    out = directory / "converted.safetensors"
    assert _engine.command(["ckpt", "convert", str(path), "--to", str(out), "--quiet"]) == 0
    content = out.read_bytes()
    size = int.from_bytes(content[:8], "little")
    tensors = {}
    for name, each in json.loads(content[8 : 8 + size]).items():
        begin, end = each["data_offsets"]
        values = np.frombuffer(content[8 + size + begin : 8 + size + end], TYPES[each["dtype"]]).reshape(each["shape"])
        is_short = each["dtype"] == "BF16"
        tensors[name] = (values.astype("u4") << 16).view("f4") if is_short else values
    return tensors


def name_here(name):
    match = re.fullmatch(r"(?:training/)?(\w+)/(.+)/(\w+)", name)
    slot = match and SLOTS.get(f"{match[1]}/{match[3]}")
    return f"{match[2]}/{slot}" if slot else name


def check_equal(found, expected):
    assert sorted(found) == sorted(expected)
    for name, value in expected.items():
        assert found[name].dtype == value.dtype and found[name].shape == value.shape, name
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("name", ["dtypes", "partitioned", "estimator"])
def test_all_numbers_by_name(tmp_path, name):
    check_equal(converted(CHECKPOINTS / name, tmp_path), {name_here(each): value for each, value in recorded(name).items()
                                                          if ":" not in each and each != "logits"})  # fmt: skip


def test_objects_have_the_names_of_their_variables(tmp_path):
    expected = {name: value for name, value in recorded("objects").items() if ".ATTRIBUTES" not in name}
    found = converted(CHECKPOINTS / "objects", tmp_path)
    others = {name for name in found if name in ("save_counter", "Adam/beta_1", "Adam/beta_2", "Adam/decay", "Adam/learning_rate")}
    check_equal({name: found[name] for name in found if name not in others}, {name_here(name): value for name, value in expected.items()})
    assert {"save_counter", "Adam/learning_rate"} <= others


def test_parts_in_two_files_are_one_table(tmp_path):
    expected = recorded("parts")
    parts = [expected.pop(f"table/part_{i}") for i in range(2)]
    check_equal(converted(CHECKPOINTS / "parts" / "parts", tmp_path), expected | {"table": np.concatenate(parts)})


def test_an_index_of_several_blocks(tmp_path):
    with tarfile.open(CHECKPOINTS / "many.tar.gz") as archive:
        archive.extractall(tmp_path)
    found = converted(tmp_path / "many", tmp_path)
    check_equal(found, {f"{i * 7919 % 1000:03d}_{'x' * 400}": np.float32(i) for i in range(700)})


def canned(columns_of_dnn, columns_of_linear, units, model_dir=None, start=None, **more):
    return estimator.DNNLinearCombinedClassifier(
        model_dir, dnn_feature_columns=columns_of_dnn, linear_feature_columns=columns_of_linear, dnn_hidden_units=units,
        config=estimator.RunConfig(tf_random_seed=1), warm_start_from=start, **more)  # fmt: skip


def small(start, model_dir=None):
    """The model of the case `estimator`."""
    x, word = fc.numeric_column("x"), fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
    return canned([x, fc.embedding_column(word, 2)], [x, word], [4], model_dir, start, batch_norm=True, dnn_optimizer="Adam")


def small_rows():
    found = recorded("estimator")
    labels = found["data:label"]
    return data.Dataset.from_arrays({name: found[f"data:{name}"] for name in ("x", "word")}, labels).batch(8)


def test_an_estimator_computes_the_same_and_goes_on(tmp_path):
    """Batch norm's averages come with a warm start, so that it holds before a step is made."""
    expected = recorded("estimator")
    model = small(str(CHECKPOINTS / "estimator"), str(tmp_path))
    metrics = model.evaluate(small_rows)
    assert metrics.pop("global_step") == 0
    for name in (each[len("metric:") :] for each in expected if each.startswith("metric:") and "step" not in each):
        assert metrics[name] == pytest.approx(float(expected[f"metric:{name}"]), abs=1e-6), name
    model.train(small_rows, steps=1)
    begin = {name: _engine.variable(str(tmp_path), 0, name) for name in _engine.variables(str(tmp_path), 0)}
    for name in ("dnn/hiddenlayer_0/batchnorm_0/moving_variance", "linear/linear_model/word/weights"):
        np.testing.assert_array_equal(begin[name], expected[name])
    assert not begin["dnn/logits/kernel/Adam"].any(), "slots begin anew"
    with_slots = estimator.WarmStartSettings(str(CHECKPOINTS / "estimator" / "model.ckpt-4"), [".*", ".*/Adam"])
    small(with_slots, str(tmp_path / "slots")).train(small_rows, steps=1)
    for name, theirs in (("dnn/logits/kernel/Adam", "training/Adam/dnn/logits/kernel/m"),
                         ("dnn/logits/kernel/Adam_1", "training/Adam/dnn/logits/kernel/v")):  # fmt: skip
        np.testing.assert_array_equal(_engine.variable(str(tmp_path / "slots"), 0, name), expected[theirs])


def test_errors_name_the_place(tmp_path):
    def attempt(path, **more):
        with pytest.raises(MlcError) as error:
            small(estimator.WarmStartSettings(str(path), **more)).evaluate(small_rows)
        return str(error.value)

    assert "lacks 'linear/linear_model/words/weights'" in attempt(
        CHECKPOINTS / "estimator", var_name_to_prev_var_name={"linear/linear_model/word/weights": "linear/linear_model/words/weights"}
    )
    for name in ("model.ckpt-4.index", "model.ckpt-4.data-00000-of-00001"):
        content = (CHECKPOINTS / "estimator" / name).read_bytes()
        (tmp_path / name).write_bytes(content)
    assert "a checkpoint of TensorFlow is named by its prefix: " in attempt(tmp_path)
    (tmp_path / name).write_bytes(content[:-1])
    assert "has 4 bytes at byte 564, but the file 567" in attempt(tmp_path / "model.ckpt-4")
    (tmp_path / name).write_bytes(b"x" + content[1:])
    assert "is damaged: its checksum does not fit (bytes 0 to " in attempt(tmp_path / "model.ckpt-4")
    index = (CHECKPOINTS / "estimator" / "model.ckpt-4.index").read_bytes()
    (tmp_path / "model.ckpt-4.index").write_bytes(index[:-9])
    assert "truncated, or no index of a checkpoint" in attempt(tmp_path / "model.ckpt-4")


@pytest.fixture
def tf_data():
    directory = os.environ.get("MLC_TEST_DATA", "")
    if not directory:
        pytest.skip("MLC_TEST_DATA is not set")
    return Path(directory) / "tf"


@pytest.mark.parametrize("model", ["half_plus_two_cpu", "half_plus_two_tf2_cpu", "half_plus_three"])
def test_variables_of_saved_models(tf_data, tmp_path, model):
    """Those of the first two have Snappy's blocks."""
    (directory,) = (tf_data / "savedmodel" / f"saved_model_{model}").iterdir()
    found = converted(directory, tmp_path)
    for name, value in {"a": 0.5, "b": 3 if model == "half_plus_three" else 2, "c": 3}.items():
        assert found[name] == value


TAXI_SIZES = {"trip_start_hour_xf": 24, "trip_start_day_xf": 31, "trip_start_month_xf": 12, "pickup_latitude_xf": 10, "pickup_longitude_xf": 10,
              "dropoff_latitude_xf": 10, "dropoff_longitude_xf": 10, "payment_type_xf": 1010, "company_xf": 1010}  # fmt: skip


@pytest.mark.parametrize("start", ["checkpoint/taxi_estimator", "savedmodel/taxi_estimator/1646034756"])
def test_the_taxi_estimator(tf_data, start):
    """Logits of all rows, average_loss and the AUC of 200 thresholds, from a checkpoint and from an export."""
    dense = [fc.numeric_column(key) for key in ("fare_xf", "trip_miles_xf", "trip_seconds_xf")]
    wide = [fc.categorical_column_with_identity(key, size, default_value=0) for key, size in TAXI_SIZES.items()]
    model = canned(dense, wide, [100, 70, 48, 34], start=str(tf_data / start), dnn_optimizer=optimizers.Adagrad(0.001))
    spec = estimator.classifier_parse_example_spec(dense + wide, label_key="tips_xf")

    def rows():
        files = str(tf_data / "estimator_taxi" / "transformed_eval.tfrecord.gz")
        return data.Dataset.from_tfrecord(files, spec, label_key="tips_xf").batch(1000)

    with open(tf_data / "estimator_taxi" / "expected_eval_logits_ckpt1000.csv", newline="") as file:
        expected = np.array([float(row["logit"]) for row in csv.DictReader(file)])
    logits = np.array([float(each["logits"][0]) for each in model.predict(rows, predict_keys=["logits"])])
    metrics = model.evaluate(rows)
    far = np.abs(logits - expected).max()
    print(f"{len(logits)} rows: logits differ by at most {far:.2e}; average_loss {metrics['average_loss']:.7f}, auc {metrics['auc']:.7f}")
    assert len(logits) == len(expected) == 5091 and far < 1e-5
    assert metrics["average_loss"] == pytest.approx(0.438793, abs=1e-5)
    assert metrics["auc"] == pytest.approx(0.91330, abs=1e-5)
