"""linear_model and input_layer, as feature_column_v2_test.py of TensorFlow 2.15 has them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from columns import computed, dense_of, linear_of, says

from mlc import estimator, losses, optimizers
from mlc import feature_column as fc
from mlc.estimator import EstimatorSpec

LINEAR, LAYER = "OldLinearModelTest", "FunctionalInputLayerTest"
PRICE, WIRE = fc.numeric_column("price"), fc.categorical_column_with_hash_bucket("wire_cast", 4)
PRICES = {"price": [[1.0], [5.0]]}
# Hashed to 2, 0 and 3.
WIRES = {"wire_cast": [["omar"], ["stringer", "marlo"]]}
WIRE_WEIGHTS = [[10.0], [100.0], [1000.0], [10000.0]]
TWO = fc.numeric_column("price", shape=2)
TWO_PRICES = {"price": [[1.0, 2.0], [5.0, 6.0]]}
BODY = fc.categorical_column_with_vocabulary_list("body-style", ["hardtop", "wagon", "sedan"])
BUCKETS = fc.bucketized_column(PRICE, boundaries=[0.0, 10.0, 100.0])


def both(linear_tests: Any, layer_tests: Any, layer: Any) -> Any:
    return says(LINEAR, linear_tests) if layer is fc.linear_model else says(LAYER, layer_tests)


LAYERS = (fc.linear_model, fc.input_layer)
A = fc.numeric_column("a")


@pytest.mark.parametrize(
    ("layer", "columns", "features", "text"),
    [
        *(
            pytest.param(layer, *case, marks=both(*tests, layer))
            for layer in LAYERS
            for case, tests in [
                (([], {"a": [[0]]}, "feature_columns must not be empty"), ("test_raises_if_empty_feature_columns",) * 2),
                (({"a": A}, {"a": [[0]]}, "items must be columns"), ("test_does_not_support_dict_columns",) * 2),
                (([A, A], {"a": [[0]]}, "two columns of the name 'a'"), ("test_raises_if_duplicate_name",) * 2),
                (([TWO], PRICES, "column 'price' has the shape"), ("test_raises_if_shape_mismatch",) * 2),
                (
                    ([fc.numeric_column("price1"), fc.numeric_column("price2")],
                     {"price1": [[1.0], [5.0], [7.0]], "price2": [[3.0], [4.0]]}, "3"),
                    ("test_static_batch_size_mismatch",) * 2,
                ),
                (([PRICE], {"price": np.array(0.0)}, "price"), ("test_with_rank_0_feature",) * 2),
            ]
        ),
        pytest.param(
            fc.linear_model, "NotSupported", {"a": [[0]]}, "items must be columns",
            marks=says(LINEAR, "test_should_be_feature_column"),
        ),
        pytest.param(
            fc.input_layer, [WIRE], {"wire_cast": ["a"]}, "'wire_cast' is categorical",
            marks=says(LAYER, "test_should_be_dense_column"),
        ),
        pytest.param(
            fc.input_layer, [fc.categorical_column_with_identity("animal", 4)], {"animal": [[1, 2]]},
            "'animal' is categorical", marks=says(LAYER, "test_fails_for_categorical_column"),
        ),
    ],
)  # fmt: skip
def test_what_is_refused(layer: Any, columns: Any, features: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=text):
        computed(lambda given: layer(given, columns), features, tmp_path)


@pytest.mark.parametrize(
    ("columns", "features", "weights", "bias", "arguments", "expected"),
    [
        pytest.param([PRICE], PRICES, {"price": [[10.0]]}, [5.0], {}, [[15.0], [55.0]], marks=says(LINEAR, "test_dense_bias")),
        pytest.param(
            [WIRE], WIRES, {"wire_cast": WIRE_WEIGHTS}, [5.0], {}, [[1005.0], [10015.0]], marks=says(LINEAR, "test_sparse_bias")
        ),
        pytest.param(
            [WIRE, PRICE], {**WIRES, **PRICES}, {"wire_cast": WIRE_WEIGHTS, "price": [[10.0]]}, [5.0], {},
            [[1015.0], [10065.0]], marks=says(LINEAR, "test_dense_and_sparse_bias"),
        ),
        pytest.param(
            [PRICE], PRICES, {"price": [[10.0, 100.0, 1000.0]]}, [5.0, 6.0, 7.0], {"units": 3},
            [[15.0, 106.0, 1007.0], [55.0, 506.0, 5007.0]], marks=says(LINEAR, "test_dense_multi_output"),
        ),
        pytest.param(
            [WIRE], WIRES, {"wire_cast": np.outer([10.0, 100.0, 1000.0, 10000.0], [1.0, 1.1, 1.2])}, [5.0, 6.0, 7.0],
            {"units": 3}, [[1005.0, 1106.0, 1207.0], [10015.0, 11017.0, 12019.0]],
            marks=says(LINEAR, "test_sparse_multi_output"),
        ),
        pytest.param(
            [TWO], TWO_PRICES, {"price": [[10.0], [100.0]]}, None, {}, [[210.0], [650.0]],
            marks=says(LINEAR, "test_dense_multi_dimension"),
        ),
        pytest.param(
            [WIRE], WIRES, {"wire_cast": WIRE_WEIGHTS}, [5.0], {"sparse_combiner": "mean"}, [[1005.0], [5010.0]],
            marks=says(LINEAR, "test_sparse_combiner"),
        ),
        pytest.param(
            [fc.weighted_categorical_column(WIRE, "weights")], {**WIRES, "weights": [[1.0], [1.0, -1.0]]},
            {"wire_cast_weighted_by_weights": WIRE_WEIGHTS}, [5.0], {"sparse_combiner": "sum"}, [[1005.0], [-9985.0]],
            marks=says(LINEAR, "test_sparse_combiner_with_negative_weights"),
        ),
        pytest.param(
            [TWO], TWO_PRICES, {"price": [[1.0, 2.0, 3.0], [10.0, 100.0, 1000.0]]}, [2.0, 3.0, 4.0], {"units": 3},
            [[23.0, 205.0, 2007.0], [67.0, 613.0, 6019.0]], marks=says(LINEAR, "test_dense_multi_dimension_multi_output"),
        ),
        pytest.param(
            [fc.numeric_column("price", shape=[1, 2])], {"price": [[[1.0, 2.0]], [[5.0, 6.0]]]},
            {"price": [[10.0], [100.0]]}, None, {}, [[210.0], [650.0]], marks=says(LINEAR, "test_dense_reshaping"),
        ),
        pytest.param(
            [fc.numeric_column("price1", shape=2), fc.numeric_column("price2")],
            {"price1": [[1.0, 2.0], [5.0, 6.0]], "price2": [[3.0], [4.0]]},
            {"price1": [[10.0], [100.0]], "price2": [[1000.0]]}, [7.0], {}, [[3217.0], [4657.0]],
            marks=says(LINEAR, "test_dense_multi_column"),
        ),
        pytest.param(
            [BUCKETS, BODY], {"price": [-1.0, 12.0], "body-style": ["sedan", "hardtop"]},
            {"price_bucketized": WIRE_WEIGHTS, "body-style": [[-10.0], [-100.0], [-1000.0]]}, [5.0], {},
            [[10 - 1000 + 5.0], [1000 - 10 + 5.0]], marks=says(LINEAR, "test_with_1d_sparse_tensor"),
        ),
    ],
)  # fmt: skip
def test_linear_model(
    columns: Any, features: Any, weights: Any, bias: Any, arguments: Any, expected: Any, tmp_path: Path
) -> None:
    np.testing.assert_allclose(linear_of(columns, features, tmp_path, weights, bias, **arguments), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("column", "features", "trainable"),
    [
        pytest.param(PRICE, PRICES, True, marks=says(LINEAR, "test_dense_trainable_default")),
        pytest.param(WIRE, WIRES, True, marks=says(LINEAR, "test_sparse_trainable_default")),
        pytest.param(PRICE, PRICES, False, marks=says(LINEAR, "test_dense_trainable_false")),
        pytest.param(WIRE, WIRES, False, marks=says(LINEAR, "test_sparse_trainable_false")),
    ],
)
def test_what_is_trained(column: Any, features: Any, trainable: bool, tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        found = fc.linear_model(features, [column], trainable=trainable) if not trainable else fc.linear_model(features, [column])
        other = fc.linear_model({"other": features[column.name]}, [column_of("other", column)])
        loss = losses.mean_squared_error(labels, found + other)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss))

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    model.train(lambda: (features, np.array([[1.0], [2.0]], np.float32)), steps=1)
    for name in (f"linear_model/{column.name}/weights", "linear_model/bias_weights"):
        assert bool(np.any(model.get_variable_value(name) != 0)) == trainable, name


def column_of(key: str, column: Any) -> Any:
    """A column like the other one of another key, which is trained."""
    return fc.numeric_column(key) if column is PRICE else fc.categorical_column_with_hash_bucket(key, 4)


@says(LINEAR, "test_multiple_linear_models")
def test_two_linear_models(tmp_path: Path) -> None:
    def function(given: Any) -> Any:
        return {
            "first": fc.linear_model({"price": given["one"]}, [PRICE]),
            "second": fc.linear_model({"price": given["two"]}, [PRICE]),
        }

    weights = {f"{name}/price/weights": [[10.0]] for name in ("linear_model", "linear_model_1")}
    biases = {"linear_model/bias_weights": [5.0], "linear_model_1/bias_weights": [6.0]}
    features = {"one": [[1.0], [5.0]], "two": [[2.0], [10.0]]}
    found = computed(function, features, tmp_path, {**weights, **biases})
    assert found["first"].tolist() == [[15.0], [55.0]]
    assert found["second"].tolist() == [[26.0], [106.0]]


@pytest.mark.parametrize(
    ("columns", "features", "expected"),
    [
        pytest.param(A, {"a": [0.0]}, [[0.0]], marks=says(LAYER, "test_bare_column")),
        pytest.param([PRICE], PRICES, [[1.0], [5.0]], marks=says(LAYER, "test_one_column")),
        pytest.param([TWO], TWO_PRICES, [[1.0, 2.0], [5.0, 6.0]], marks=says(LAYER, "test_multi_dimension")),
        pytest.param(
            [fc.numeric_column("price", shape=[1, 2])], {"price": [[[1.0, 2.0]], [[5.0, 6.0]]]}, [[1.0, 2.0], [5.0, 6.0]],
            marks=says(LAYER, "test_reshaping"),
        ),
        pytest.param(
            [fc.numeric_column("price1", shape=2), fc.numeric_column("price2")],
            {"price1": [[1.0, 2.0], [5.0, 6.0]], "price2": [[3.0], [4.0]]}, [[1.0, 2.0, 3.0], [5.0, 6.0, 4.0]],
            marks=says(LAYER, "test_multi_column"),
        ),
        *(
            pytest.param(
                [fc.numeric_column(key) for key in keys], {"price_a": [[1.0]], "price_b": [[3.0]]}, [[1.0, 3.0]],
                marks=says(LAYER, "test_column_order"),
            )
            for keys in (("price_a", "price_b"), ("price_b", "price_a"))
        ),
    ],
)  # fmt: skip
def test_input_layer(columns: Any, features: Any, expected: Any, tmp_path: Path) -> None:
    assert dense_of(columns, features, tmp_path) == expected


@says(LAYER, "test_column_generator")
def test_columns_of_a_generator(tmp_path: Path) -> None:
    found = computed(
        lambda given: fc.input_layer(given, (fc.numeric_column(key) for key in ("a", "b"))), {"a": [0.0], "b": [1.0]}, tmp_path
    )
    assert found.tolist() == [[0.0, 1.0]]


@says(LAYER, "test_multiple_layers_with_same_embedding_column")
def test_two_layers(tmp_path: Path) -> None:
    column = fc.embedding_column(fc.categorical_column_with_hash_bucket("sparse_feature", 5), dimension=10)

    def function(given: Any) -> Any:
        return {"first": fc.input_layer(given, [column]), "second": fc.input_layer(given, [column])}

    variables = {
        "input_layer/sparse_feature_embedding/embedding_weights": np.full((5, 10), 1.0),
        "input_layer_1/sparse_feature_embedding/embedding_weights": np.full((5, 10), 2.0),
    }
    found = computed(function, {"sparse_feature": [["a"], ["x"]]}, tmp_path, variables)
    assert (found["first"] == 1.0).all()
    assert (found["second"] == 2.0).all()


@says(LAYER, "test_with_1d_sparse_tensor")
def test_columns_of_several_kinds(tmp_path: Path) -> None:
    country = fc.categorical_column_with_vocabulary_list("country", ["US", "JP", "CA"])
    columns = [PRICE, fc.indicator_column(BODY), fc.embedding_column(country, dimension=5)]
    features = {"price": [11.0, 12.0], "body-style": ["sedan", "hardtop"], "country": ["CA", "US"]}
    variables = {"input_layer/country_embedding/embedding_weights": np.arange(1.0, 16.0).reshape(3, 5)}
    assert dense_of(columns, features, tmp_path, variables) == [
        [0.0, 0.0, 1.0, 11.0, 12.0, 13.0, 14.0, 15.0, 11.0], [1.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 12.0]
    ]  # fmt: skip
