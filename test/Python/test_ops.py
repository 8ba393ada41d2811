"""Functions of mlc.ops, compiled, beside numpy's of the same name."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math

import numpy as np
import pytest

from mlc import estimator, ops
from mlc import feature_column as fc
from mlc.errors import ModelError, ModelTypeError
from traced import compute

F = np.float32


def _numbers(*shape, low=-3.0, high=3.0, seed=0, dtype=F):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


X, Y = _numbers(5, 3, seed=1), _numbers(5, 3, seed=2)
POSITIVE = _numbers(5, 3, low=0.1, seed=3)
IDS = np.array([2, 0, 1, 2, 0])


@pytest.mark.parametrize(
    ("traced", "expected"),
    [
        (lambda x, y: x + y, X + Y),
        (lambda x, y: 2 - x * 3, 2 - X * 3),
        (lambda x, y: x / y, X / Y),
        (lambda x, y: 1 / (1 + ops.exp(-x)), 1 / (1 + np.exp(-X))),
        (lambda x, y: x // y, X // Y),
        (lambda x, y: x % y, X % Y),
        (lambda x, y: ops.clip(x, -1, 1), X.clip(-1, 1)),
        (lambda x, y: ops.maximum(x, y), np.maximum(X, Y)),
        (lambda x, y: ops.where(x > y, x, 0.0), np.where(X > Y, X, 0)),
        (lambda x, y: ((x > 0) & ~(y > 0)).astype("int64"), ((X > 0) & ~(Y > 0)).astype(np.int64)),
        (lambda x, y: (x > 0) == (y > 0), (X > 0) == (Y > 0)),
        (lambda x, y: x**2 + abs(y), X**2 + abs(Y)),
        (lambda x, y: x - ops.mean(x, axis=1, keepdims=True), X - X.mean(1, keepdims=True)),
        (lambda x, y: x * np.array([1.0, 2.0, 3.0]), X * np.array([1, 2, 3], F)),
        (lambda x, y: x[:, :1] * y, X[:, :1] * Y),
        (lambda x, y: ops.std(x, axis=1), X.std(1)),
        (lambda x, y: ops.logsumexp(x, axis=1), np.log(np.exp(X).sum(1))),
        (lambda x, y: ops.argmax(x, axis=1), X.argmax(1)),
        (lambda x, y: ops.cumsum(x, axis=1), X.cumsum(1)),
        (lambda x, y: ops.norm(x, axis=1), np.linalg.norm(X, axis=1)),
        (lambda x, y: x @ np.ones((3, 2), F), X @ np.ones((3, 2), F)),
        (lambda x, y: ops.einsum("ni,nj->nij", x, y), np.einsum("ni,nj->nij", X, Y)),
        (lambda x, y: ops.concatenate([x, y], axis=1), np.concatenate([X, Y], 1)),
        (lambda x, y: ops.stack([x, y], axis=1), np.stack([X, Y], 1)),
        (lambda x, y: ops.transpose(ops.stack([x, y], axis=-1), [0, 2, 1]), np.stack([X, Y], 1)),
        (lambda x, y: x.reshape(-1, 3, 1), X.reshape(-1, 3, 1)),
        (lambda x, y: ops.expand_dims(x, 1) - ops.expand_dims(y, 2), X[:, None] - Y[:, :, None]),
        (lambda x, y: ops.pad(x, [[0, 0], [1, 2]], 7.0), np.pad(X, [(0, 0), (1, 2)], constant_values=7)),
        (lambda x, y: ops.tile(x, [1, 2]), np.tile(X, (1, 2))),
        (lambda x, y: ops.flip(x, 1), X[:, ::-1]),
        (lambda x, y: ops.sort(x, 1), np.sort(X, 1)),
        (lambda x, y: ops.top_k(x, 2)[0], -np.sort(-X, 1)[:, :2]),
        (lambda x, y: ops.split(x, [1, 2], axis=1)[1], X[:, 1:]),
        (lambda x, y: ops.softmax(x), np.exp(X) / np.exp(X).sum(1, keepdims=True)),
        (lambda x, y: ops.zeros_like(x) + ops.ones_like(y, "float32"), np.ones_like(X)),
        (lambda x, y: ops.full([ops.shape(x)[0], 2], 4.0), np.full((5, 2), 4, F)),
        (lambda x, y: ops.broadcast_to(ops.constant([1.0, 2.0]), [3, 2]) [None] + x[:, :2, None][:, :1], np.array([1, 2], F)[None, None] + X[:, :1, None] + np.zeros((5, 3, 2), F)),
    ],
)
def test_as_numpy(traced, expected):
    found = compute(traced, X, Y)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)
    assert found.dtype == expected.dtype


@pytest.mark.parametrize(
    "key",
    [
        (slice(None), 0), (slice(None), -1), (slice(None), slice(1, None)), (slice(None), slice(-2, None)),
        (Ellipsis, 1), (slice(None), None), (slice(None), slice(None, None, 2)), (slice(None), slice(None, None, -1)),
        (slice(None), slice(3, 0, -1)), (slice(None), slice(None, None, -2)), (slice(None), slice(-2, None, -1)),
        (slice(None), slice(0, 3, -1)), (slice(None), [0, 2, -1]), (slice(None), np.array([[1, 0], [2, 2]])), (Ellipsis, [1]),
        (slice(None), np.array([True, False, True])), (slice(None), None, [1, 0]),
        (slice(None), slice(2, 1)), Ellipsis, (slice(1, None),), (slice(0, 4, 2),),
    ],
)  # fmt: skip
def test_indices_as_numpy(key):
    if isinstance(key, tuple) and len(key) == 1:  # rows of the batch
        expected = X[key]
        found = compute(lambda x: ops.sum(x[key], axis=0)[None] + ops.zeros_like(x[:, :1]), X)
        np.testing.assert_allclose(found[0], expected.sum(0), rtol=1e-6)
        return
    np.testing.assert_array_equal(compute(lambda x: x[key], X), X[key])


def test_rows_and_counts_as_numpy():
    found = compute(lambda x: x[[0, 2, 2]].sum(0)[None] + ops.zeros_like(x), X)
    np.testing.assert_allclose(found[0], X[[0, 2, 2]].sum(0), rtol=1e-6)
    counts = compute(lambda x: ops.sum(x > 0, axis=1), X)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, (X > 0).sum(1))


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "log1p", "expm1", "sin", "cos", "floor", "ceil", "square", "sign"])
def test_functions_of_elements(name):
    np.testing.assert_allclose(compute(getattr(ops, name), POSITIVE), getattr(np, name)(POSITIVE), rtol=1e-6)


def test_rows_at_indices():
    table = _numbers(4, 2)
    found = compute(lambda i: ops.gather(ops.constant(table), i), IDS)
    np.testing.assert_array_equal(found, table[IDS])
    found = compute(lambda i, x: ops.take_along_axis(x, i[:, None]), IDS, X)
    np.testing.assert_array_equal(found[:, 0], X[np.arange(5), IDS])
    np.testing.assert_array_equal(compute(lambda i: ops.one_hot(i, 3), IDS), np.eye(3, dtype=F)[IDS])
    np.testing.assert_array_equal(compute(lambda x: x[-1][None] + x * 0, X), X[-1:] + X * 0)


def test_integers_divide_as_floats():
    np.testing.assert_allclose(compute(lambda i: i / 2, IDS), IDS / 2)
    np.testing.assert_array_equal(compute(lambda i: (i + 1) // 2, IDS), (IDS + 1) // 2)


def test_texts():
    words = np.array(["a", "b", "a", "cc", ""])
    np.testing.assert_array_equal(compute(lambda w: w == "a", words), words == "a")


def _branches(x):
    return ops.cond(ops.sum(x) > 0, lambda: {"y": x + 1}, lambda: {"y": x - 1})["y"]


def test_branches():
    np.testing.assert_allclose(compute(_branches, abs(X)), abs(X) + 1)
    np.testing.assert_allclose(compute(_branches, -abs(X)), -abs(X) - 1)


def test_loops():
    def powers(x):
        def body(i, y):
            return i + 1, y * x

        return ops.while_loop(lambda i, y: i < 3, body, [ops.constant(0), ops.ones_like(x)])[1]

    np.testing.assert_allclose(compute(powers, X), X**3, rtol=1e-6)

    def sums(x):
        times = ops.transpose(x)
        stacked = ops.scan(lambda total, row: total + row, times, ops.zeros_like(times[0]))
        return ops.transpose(stacked)

    np.testing.assert_allclose(compute(sums, X), X.cumsum(1), rtol=1e-6)


def test_gradients_of_loops_and_branches():
    def slope(x):
        y = ops.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [ops.constant(0), ops.ones_like(x)], maximum_iterations=5
        )[1]
        return ops.gradients(ops.sum(y), x)[0]

    np.testing.assert_allclose(compute(slope, X), 3 * X**2, rtol=1e-5)
    np.testing.assert_allclose(compute(lambda x: ops.gradients(ops.sum(_branches(x) * x), x)[0], abs(X)), 2 * abs(X) + 1, rtol=1e-6)
    second = compute(lambda x: ops.gradients(ops.sum(ops.gradients(ops.sum(x**3), x)[0]), x)[0], X)
    np.testing.assert_allclose(second, 6 * X, rtol=1e-5)


def test_gradients_of_ones_own():
    @ops.custom_gradient
    def reverse(x):
        return x, lambda upstream: -upstream

    @ops.custom_gradient
    def both(x, ids, y):
        z = ops.exp(x) * y
        return {"z": z, "i": ids + 1}, lambda upstream: [upstream * z * 10.0, ops.zeros_like(y)]

    np.testing.assert_array_equal(compute(reverse, X), X)
    found = compute(lambda x: ops.gradients(ops.sum(reverse(x) * x), x)[0], X)
    np.testing.assert_allclose(found, -X + X, atol=1e-6)
    found = compute(lambda x, i, y: ops.gradients(ops.sum(both(x, i, y)["z"]), x)[0], X, IDS, Y)
    np.testing.assert_allclose(found, 10 * np.exp(X) * Y, rtol=1e-5)
    np.testing.assert_array_equal(compute(lambda x, i, y: both(x, i, y)["i"], X, IDS, Y), IDS + 1)

    @ops.custom_gradient
    def noisy(x):
        mask = ops.dropout(ops.ones_like(x), 0.5)
        return x * mask, lambda upstream: upstream * mask

    def product(x):
        y = noisy(x)
        return ops.concatenate([y, ops.gradients(ops.sum(y), x)[0] * x], axis=1)

    found = compute(product, POSITIVE)  # the mask of the gradient is that of the function
    np.testing.assert_array_equal(found[:, :3], found[:, 3:])
    for wrong, text in (
        (lambda x: x, "expected its result and the function"),
        (lambda x: (x, lambda g: (g, g)), "gives 2 Tensors; expected 1"),
        (lambda x: (x, lambda g: g[:, :1]), "for an argument"),
    ):
        with pytest.raises(ModelError) as error:
            compute(ops.custom_gradient(wrong), X)
        assert text in str(error.value)


def test_convolutions():
    image, kernel = _numbers(2, 5, 5, 1), _numbers(3, 3, 1, 2, seed=4)
    found = compute(lambda x: ops.conv(x, ops.constant(kernel), padding="same"), image)
    padded = np.pad(image, [(0, 0), (1, 1), (1, 1), (0, 0)])
    expected = np.zeros((2, 5, 5, 2), F)
    for i in range(5):
        for j in range(5):
            expected[:, i, j] = np.einsum("nabc,abco->no", padded[:, i : i + 3, j : j + 3], kernel)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    pooled = compute(lambda x: ops.max_pool(x[:, :4, :4], 2), image)
    np.testing.assert_array_equal(pooled, image[:, :4, :4].reshape(2, 2, 2, 2, 2, 1).max((2, 4)))


def test_random_numbers_depend_on_row_and_step_alone():
    drawn = compute(lambda x: ops.random_uniform_like(x), np.zeros((1000, 2), F))
    assert 0.45 < drawn.mean() < 0.55 and len(np.unique(drawn)) > 1900


@pytest.mark.parametrize(
    ("traced", "kind", "text"),
    [
        (lambda x, y: x @ np.ones((2, 4), F), ModelError, "float32[?, 3], float32[2, 4]"),
        (lambda x, y: x + np.ones(4, F), ModelError, "cannot be broadcast"),
        (lambda x, y: x + y.astype("int64"), ModelTypeError, "different dtypes"),
        (lambda x, y: x if x[0, 0] > 0 else y, ModelTypeError, "ops.where, ops.cond"),
        (lambda x, y: [row for row in x][0], ModelTypeError, "ops.scan"),
        (lambda x, y: np.exp(x), ModelTypeError, "mlc.ops"),
        (lambda x, y: np.mean(x), ModelTypeError, "numpy.mean was given <Tensor float32[?, 3]>"),
        (lambda x, y: math.sqrt(x[0, 0]), ModelTypeError, "no value while the model is traced"),
        (lambda x, y: range(len(x)), ModelTypeError, "ops.shape(x)[0]"),
        (lambda x, y: x[:, 3], ModelError, "index 3 is not within axis 1 of 3 elements"),
        (lambda x, y: x[0, 0, 0], ModelError, "more indices than dimensions"),
        (lambda x, y: x[:, [0, 3]], ModelError, "indices [0, 3] are not all within axis 1 of 3 elements"),
        (lambda x, y: x[[-1]], ModelError, "an index counts from the end of axis 0"),
        (lambda x, y: x[:, [0.5]], ModelTypeError, "an index is [0.5]"),
        (lambda x, y: x[:, [True]], ModelError, "a mask has the shape (1,), and axis 1 3 elements"),
        (lambda x, y: x[[0], [1]], ModelError, "several axes have lists of indices"),
        (lambda x, y: x[:, :, None][0, :, [0]], ModelError, "have a slice between them"),
        (lambda x, y: x[::-2], ModelError, "a slice has the step -2"),
        (lambda x, y: ops.sum(x, axis=2), ModelError, "there is no axis 2"),
        (lambda x, y: ops.cast(x, "float33"), ValueError, "float33"),
        (lambda x, y: x + "a", ModelTypeError, ""),
        (lambda x, y: ops.maximum(x, None), ModelTypeError, "labels are None in ModeKeys.PREDICT"),
        (lambda x, y: ops.cond(ops.sum(x) > 0, lambda: x, lambda: x[:, :1]), ModelError, "false_fn returns float32[?, 1]"),
        (lambda x, y: ops.cond(x > 0, lambda: x, lambda: y), ModelTypeError, "expected a scalar of bool"),
        (lambda x, y: ops.while_loop(lambda v: ops.sum(v) > 0, lambda v: v[:, :1], [x]), ModelError, "body returns"),
        (lambda x, y: ops.gradients(x, y), ModelTypeError, "expected a scalar float"),
        (
            lambda x, y: ops.cond(ops.sum(x) > 0, lambda: ops.gradients(ops.sum(x), x)[0], lambda: x), ModelError,
            "gradients are made in a branch or loop; make them before it",
        ),
    ],
)
def test_mistakes_name_the_line_and_the_shapes(traced, kind, text):
    with pytest.raises(kind) as found:
        compute(traced, X, Y)
    assert text in str(found.value)
    if isinstance(found.value, ModelError):
        assert f"{__file__}:" in str(found.value)


def test_a_tensor_of_a_branch_that_has_ended_is_refused():
    kept = []

    def leak(x):
        ops.cond(ops.sum(x) > 0, lambda: kept.append(x * 2) or x, lambda: x)
        return kept[0] + 1

    with pytest.raises(ModelError, match="branch or loop that has ended"):
        compute(leak, X)


def test_a_tensor_of_another_model_is_refused():
    kept = []
    compute(lambda x: kept.append(x) or x, X)
    with pytest.raises(ModelError, match="of another model"):
        compute(lambda x: x + kept[0], X)


def test_names_of_tensorflow_are_told():
    with pytest.raises(AttributeError, match="'reduce_mean'; 'mean' is its name here"):
        ops.reduce_mean  # noqa: B018
    with pytest.raises(AttributeError, match="'concat'; 'concatenate'"):
        ops.concat  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'no_such'$"):
        ops.no_such  # noqa: B018


def test_names_that_are_gone_are_told():
    for module, name, text in (
        (estimator, "BoostedTreesClassifier", "trees are not here"), (estimator, "LinearSDCA", "optimizers.Ftrl"),
        (estimator.export, "build_parsing_serving_input_receiver_fn", "takes the features by their keys"),
        (fc, "shared_embedding_columns", "'shared_embeddings' is its name here"), (fc, "nothing", "has no attribute 'nothing'$"),
    ):  # fmt: skip
        with pytest.raises(AttributeError, match=text):
            getattr(module, name)


def test_ops_outside_of_a_model():
    with pytest.raises(RuntimeError, match="no model is being traced"):
        ops.constant(1.0)
    assert estimator.ModeKeys.TRAIN == "train"
