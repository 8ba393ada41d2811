"""Estimators with the native module: they learn, go on, are evaluated and predict, and say what is wrong."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import logging
import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mlc
from mlc import errors, estimator, optimizers
from mlc import feature_column as fc
from mlc.data import Dataset

pytest.importorskip("mlc._native")

IRIS = Path(__file__).parents[2] / "examples" / "iris" / "data"
SPECIES = ["setosa", "versicolor", "virginica"]


def iris(name: str) -> pd.DataFrame:
    """The rows of one of iris' files."""
    return pd.read_csv(IRIS / f"iris_{name}.csv")


def iris_columns(frame: pd.DataFrame) -> list[Any]:
    return [fc.numeric_column(str(name)) for name in frame.columns[:-1]]


def iris_classifier(model_dir: Any, **arguments: Any) -> estimator.Estimator:
    return estimator.DNNClassifier(
        [16, 8],
        iris_columns(iris("test")),
        model_dir=str(model_dir),
        n_classes=3,
        optimizer=optimizers.Adam(0.02),
        config=estimator.RunConfig(tf_random_seed=1),
        **arguments,
    )


def iris_input(name: str, labels: Any = None, train: bool = False) -> Any:
    """An input_fn of one of iris' files; `labels` maps numbers of species to labels."""
    frame = iris(name)
    y = frame.pop(frame.columns[-1])
    if labels is not None:
        y = y.map(lambda number: labels[number])
    epochs = None if train else 1
    return estimator.inputs.pandas_input_fn(frame, y, batch_size=32, num_epochs=epochs, shuffle=train)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> estimator.Estimator:
    """A classifier of iris after 300 steps."""
    return iris_classifier(tmp_path_factory.mktemp("iris")).train(iris_input("training", train=True), steps=300)


def test_iris_is_learned(trained: estimator.Estimator) -> None:
    metrics = trained.evaluate(iris_input("test"))
    assert metrics["accuracy"] > 0.9
    assert metrics["global_step"] == 300
    assert all(np.isscalar(value) for value in metrics.values())
    assert trained.evaluate(iris_input("test"), steps=1, name="part")["global_step"] == 300


def test_predictions_have_shapes_and_types_of_tf(trained: estimator.Estimator) -> None:
    rows = list(trained.predict(iris_input("test")))
    assert len(rows) == 30
    row = rows[0]
    assert {key: (value.shape, value.dtype) for key, value in row.items()} == {
        "logits": ((3,), np.float32),
        "probabilities": ((3,), np.float32),
        "class_ids": ((1,), np.int64),
        "classes": ((1,), object),
        "all_class_ids": ((3,), np.int64),
        "all_classes": ((3,), object),
    }
    assert row["classes"][0] == str(row["class_ids"][0]).encode()
    assert row["probabilities"].sum() == pytest.approx(1)
    right = sum(row["class_ids"][0] == label for row, label in zip(rows, iris("test").iloc[:, -1], strict=True))
    assert right / 30 == pytest.approx(trained.evaluate(iris_input("test"))["accuracy"])


def test_checkpoints_are_found_again(trained: estimator.Estimator) -> None:
    again = iris_classifier(trained.model_dir)
    assert again.latest_checkpoint() == f"{trained.model_dir}/ckpt-0000000300"
    assert again.evaluate(iris_input("test")) == trained.evaluate(iris_input("test"))
    first = again.evaluate(iris_input("test"), checkpoint_path=f"{trained.model_dir}/ckpt-0000000000")
    assert first["global_step"] == 0
    assert first["loss"] > again.evaluate(iris_input("test"))["loss"]
    assert again.get_variable_value("dnn/hiddenlayer_0/kernel").shape == (4, 16)
    assert "dnn/logits/bias" in again.get_variable_names()
    assert again.get_variable_value("global_step") == 300


def test_training_goes_on(tmp_path: Any) -> None:
    at_once, in_parts = iris_classifier(tmp_path / "a"), iris_classifier(tmp_path / "b")
    at_once.train(iris_input("training", train=True), steps=60)
    for _ in range(3):
        in_parts.train(iris_input("training", train=True), steps=20)
    assert in_parts.latest_checkpoint() == f"{tmp_path}/b/ckpt-0000000060"
    for name in at_once.get_variable_names():
        np.testing.assert_array_equal(at_once.get_variable_value(name), in_parts.get_variable_value(name))
    before = in_parts.evaluate(iris_input("test"))
    assert in_parts.train(iris_input("training", train=True), max_steps=60).evaluate(iris_input("test")) == before


def test_each_call_goes_through_its_input_anew(tmp_path: Any) -> None:
    model = iris_classifier(tmp_path)
    for steps in (4, 8):
        model.train(iris_input("training"))  # 120 rows, 32 to a batch
        assert model.get_variable_value("global_step") == steps


def test_labels_of_text(tmp_path: Any) -> None:
    model = iris_classifier(tmp_path, label_vocabulary=SPECIES)
    model.train(iris_input("training", SPECIES, train=True), steps=300)
    assert model.evaluate(iris_input("test", SPECIES))["accuracy"] > 0.9
    row = next(model.predict(iris_input("test")))
    assert row["classes"][0].decode() in SPECIES
    assert row["all_classes"].tolist() == [label.encode() for label in SPECIES]
    with pytest.raises(errors.DataError, match="'setoza' is not in the vocabulary"):
        model.evaluate(iris_input("test", ["setoza", *SPECIES[1:]]))


def shop(rows: int = 400) -> tuple[dict[str, Any], np.ndarray]:
    """Columns of every kind, and labels that they tell."""
    random = np.random.default_rng(0)
    price = random.uniform(0, 50, rows)
    city = random.choice(["Oslo", "Rome", ""], rows)
    features = {
        "price": np.where(random.uniform(size=rows) < 0.05, np.nan, price),
        "city": pd.Series(city).replace("", None).astype("category"),
        "country": np.where(city == "Oslo", "Norway", "Italy"),
        "genre": [f"g{number % 7}" for number in range(rows)],
        "size": random.integers(0, 5, rows).astype("i2"),
        "box": random.normal(size=(rows, 3)),
        "weight": np.ones(rows),
        "share": random.uniform(size=rows),
    }
    return features, np.where((price > 25) ^ (city == "Oslo"), "yes", "no")


def test_wide_and_deep_over_columns_of_every_kind(tmp_path: Any) -> None:
    price = fc.numeric_column("price", default_value=25, normalizer_fn=fc.zscore(25, 14))
    city = fc.categorical_column_with_vocabulary_list("city", ["Oslo", "Rome"])
    genre = fc.categorical_column_with_hash_bucket("genre", 20)
    size = fc.categorical_column_with_identity("size", 5)
    buckets = fc.bucketized_column(price, [-1, -0.5, 0, 0.5, 1])
    model = estimator.DNNLinearCombinedClassifier(
        model_dir=str(tmp_path),
        linear_feature_columns=[city, genre, fc.crossed_column([buckets, "city"], 100)],
        linear_optimizer=optimizers.Ftrl(0.1),
        dnn_feature_columns=[
            price,
            fc.numeric_column("box", shape=3),
            fc.indicator_column(size),
            fc.numeric_column("size"),
            fc.embedding_column(fc.weighted_categorical_column(genre, "share"), 4),
            *fc.shared_embeddings(
                [city, fc.categorical_column_with_vocabulary_list("country", ["Norway", "Italy"])], 2
            ),
        ],
        dnn_hidden_units=[16],
        dnn_optimizer="Adam",
        dnn_dropout=0.1,
        weight_column="weight",
        label_vocabulary=["no", "yes"],
    )
    features, labels = shop()
    model.train(lambda: Dataset.from_arrays(features, labels).shuffle().repeat().batch(40), steps=300)
    metrics = model.evaluate(lambda: (features, labels))
    assert metrics["accuracy"] > 0.85
    row = next(model.predict(lambda: {key: value for key, value in features.items() if key != "weight"}))
    assert row["probabilities"].shape == (2,)


def test_one_bucket_is_a_weight_of_rows_that_have_the_value(tmp_path: Any) -> None:
    word = fc.categorical_column_with_hash_bucket("word", 1)
    model = estimator.LinearRegressor([word], model_dir=str(tmp_path), optimizer=optimizers.SGD(0.5))
    features = {"word": np.array(["a", "b", "", "c"])}
    model.train(lambda: (features, np.array([3.0, 3.0, 1.0, 3.0])), steps=100)
    found = [row["predictions"][0] for row in model.predict(lambda: features)]
    np.testing.assert_allclose(found, [3, 3, 1, 3], atol=1e-3)


def test_several_ids_per_row(tmp_path: Any) -> None:
    tags = fc.categorical_column_with_vocabulary_list("tags", ["up", "down", "flat"])
    weighted = fc.weighted_categorical_column(fc.categorical_column_with_identity("ids", 4), "shares")
    model = estimator.LinearRegressor([tags, weighted], str(tmp_path), optimizer=optimizers.Ftrl(1.0))
    features = {
        "tags": [["up"], ["down", "flat"], None, ["up", "up"]] * 10,
        "ids": [[0, 1], [2], [3], []] * 10,
        "shares": [[1.0, 2.0], [1.0], [0.5], []] * 10,
    }
    labels = [1.0, -1.0, 0.5, 2.0] * 10
    model.train(lambda: (features, labels), steps=300)
    assert model.evaluate(lambda: (features, labels))["loss"] < 0.01


def test_export(trained: estimator.Estimator, tmp_path: Any) -> None:
    path = trained.export_saved_model(tmp_path)
    assert (Path(os.fsdecode(path)) / "signature.json").is_file()


def test_regression_and_baseline(tmp_path: Any) -> None:
    x = np.linspace(-1, 1, 50)
    features, labels = {"x": x}, np.stack([3 * x + 1, -x], axis=1)
    line = estimator.LinearRegressor([fc.numeric_column("x")], str(tmp_path / "l"), 2, optimizer=optimizers.Ftrl(1.0))
    line.train(lambda: (features, labels), steps=300)
    assert line.evaluate(lambda: (features, labels))["loss"] < 0.01
    np.testing.assert_allclose(next(line.predict(lambda: {"x": [0.5]}))["predictions"], [2.5, -0.5], atol=0.1)
    mean = estimator.BaselineRegressor(str(tmp_path / "b"), optimizer=optimizers.Ftrl(1.0))
    mean.train(lambda: (features, labels[:, 0]), steps=200)
    assert next(mean.predict(lambda: features))["predictions"][0] == pytest.approx(1, abs=0.1)


def test_warm_start(trained: estimator.Estimator, tmp_path: Any) -> None:
    model = iris_classifier(tmp_path, warm_start_from=trained.model_dir)
    before = model.evaluate(iris_input("test"))
    assert {**before, "global_step": 0} == {**trained.evaluate(iris_input("test")), "global_step": 0}
    model.train(iris_input("training", train=True), steps=1)
    assert model.evaluate(iris_input("test"))["accuracy"] > 0.9


def test_train_and_evaluate(tmp_path: Any) -> None:
    model = iris_classifier(tmp_path)
    metrics, exports = estimator.train_and_evaluate(
        model,
        estimator.TrainSpec(iris_input("training", train=True), max_steps=300),
        estimator.EvalSpec(iris_input("test"), name="test"),
    )
    assert metrics is not None
    assert (metrics["global_step"], exports) == (300, [])
    assert metrics == pytest.approx(model.evaluate(iris_input("test")))
    assert os.listdir(model.eval_dir("test"))


def test_what_a_run_says_goes_to_the_log(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "mlc"):
        iris_classifier(tmp_path).train(iris_input("training", train=True), steps=5)
    assert "ckpt-0000000005" in caplog.text


def test_errors_name_what_is_wrong(trained: estimator.Estimator, tmp_path: Any) -> None:
    features, _ = shop(4)
    regressor = estimator.LinearRegressor([fc.numeric_column("size")], str(tmp_path / "r"))
    with pytest.raises(errors.DataError, match="row 2: found no value"):
        regressor.train(lambda: (features, [1, 2, None, 4]), steps=1)
    with pytest.raises(errors.NanLossDuringTrainingError):
        steep = estimator.LinearRegressor(
            [fc.numeric_column("size")], str(tmp_path / "n"), optimizer=optimizers.SGD(1e30)
        )
        steep.train(lambda: (features, [1, 2, 3, 4]), steps=20)
    classes = estimator.LinearClassifier([fc.numeric_column("size")], str(tmp_path / "c"), n_classes=3)
    with pytest.raises(errors.DataError, match="7 is out of range"):
        classes.train(lambda: (features, [0, 1, 2, 7]), steps=1)
    with pytest.raises(errors.CheckpointError) as raised:
        estimator.LinearRegressor([fc.numeric_column("size")], trained.model_dir).evaluate(lambda: (features, [1] * 4))
    assert raised.value.codes == ("E0402",)
    ids = fc.categorical_column_with_identity("size", 2)
    small = estimator.LinearRegressor([ids], str(tmp_path / "i"))
    with pytest.raises(errors.DataError, match="size"):
        small.train(lambda: ({"size": [0, 1, 5]}, [1, 2, 3]), steps=1)


def test_ctrl_c_saves(tmp_path: Any) -> None:
    model = iris_classifier(tmp_path)
    model.train(iris_input("training", train=True), steps=1)
    # A shell's job in the background begins with a Ctrl-C that does nothing.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.train(iris_input("training", train=True))
    finally:
        signal.signal(signal.SIGINT, handler)
    timer.join()
    step = int(model.get_variable_value("global_step"))
    assert step > 1
    model.train(iris_input("training", train=True), steps=1)
    assert model.get_variable_value("global_step") == step + 1


def test_version() -> None:
    assert mlc.__version__.count(".") == 2


def test_compat_trains_as_the_numbers_of_tensorflow_1(tmp_path: Path) -> None:
    def trained(directory: str, **arguments: Any) -> np.ndarray:
        columns = iris_columns(iris("test"))
        config = estimator.RunConfig(tf_random_seed=7)
        model = estimator.DNNClassifier([4], columns, tmp_path / directory, n_classes=3, config=config, **arguments)
        model.train(iris_input("training", train=True), steps=20)
        return model.get_variable_value("dnn/hiddenlayer_0/kernel")

    old = trained("tf1", compat="tf1")
    said = trained("said", optimizer=mlc.train.AdagradOptimizer(0.05), loss_reduction="sum")
    np.testing.assert_array_equal(old, said)
    assert not np.array_equal(old, trained("tf2"))
