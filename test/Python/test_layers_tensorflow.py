"""Layers beside what Keras 2.15 makes of the same numbers: attention, separable and transposed convolutions, pooling."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, layers, ops, variables
from mlc.errors import ModelError, UnsupportedError
from mlc.estimator import EstimatorSpec


def grid(*shape):
    return ((np.arange(np.prod(shape)) * 7 % 23 - 11) / 23).astype(np.float32).reshape(shape)



def computed(tmp_path, function, **features):
    """What the function makes of features, variables beginning as grid(*shape)."""

    def model_fn(features, mode):
        return EstimatorSpec(mode, predictions=function(features))

    model = estimator.Estimator(model_fn, str(tmp_path))
    return next(iter(model.predict(lambda: data.Dataset.from_arrays(features).batch(len(next(iter(features.values())))), yield_single_examples=False)))


@pytest.fixture(autouse=True)
def variables_of_grids(monkeypatch):
    make = variables.make_variable

    def of_grid(name, dtype, shape, initializer, trainable, *arguments, **keywords):
        return make(name, dtype, shape, grid(*shape) * SCALE[0], trainable, *arguments, **keywords)

    monkeypatch.setattr(variables, "make_variable", of_grid)
    SCALE[0] = 1.0


SCALE = [1.0]


def test_multi_head_attention(tmp_path):
    q, v = grid(2, 3, 4), grid(2, 5, 6)
    k = v[:, ::-1] * 0.5
    mask = np.array([[1, 1, 0, 1, 0], [1, 0, 1, 1, 1], [0, 1, 1, 1, 1]], bool)
    SCALE[0] = np.float32(0.9)
    expected = [
        -0.32226163148880005, 0.1186712384223938, 0.15723109245300293, 0.11839202046394348, -0.29171451926231384, 0.08599914610385895,
        0.13660959899425507, 0.11680406332015991, -0.2776349186897278, 0.1379137933254242, 0.11027517914772034, 0.0098896324634552,
    ]  # fmt: skip
    for dropout in (0.0, 0.5):  # which only training does
        found = computed(
            tmp_path / str(dropout),
            lambda f: layers.multi_head_attention(f["q"], f["v"], 2, 3, 4, f["k"], attention_mask=mask, dropout=dropout),
            q=q, v=v, k=k,
        )  # fmt: skip
        np.testing.assert_allclose(found[1].ravel(), expected, rtol=2e-5, atol=2e-6)
    SCALE[0] = np.float32(1.0)
    causal = computed(tmp_path / "c", lambda f: layers.multi_head_attention(f["q"], f["q"], 2, 3, use_causal_mask=True, use_bias=False), q=q)
    np.testing.assert_allclose(
        causal[0].ravel(),
        [
            0.014300995506346226, -0.3022930920124054, 0.2601298391819, 0.19684390723705292, -0.04335148259997368,
            -0.19257070124149323, 0.16318842768669128, 0.1296072006225586, -0.06973091512918472, -0.08385955542325974,
            0.052843138575553894, 0.06254591792821884,
        ], rtol=2e-5, atol=2e-6,
    )  # fmt: skip


def test_dropout_of_attention_drops_weights(tmp_path):
    q = grid(40, 3, 4)

    def both(f):
        kept = layers.multi_head_attention(f["q"], f["q"], 2, 3, use_causal_mask=True, name="a")
        dropped = [
            layers.multi_head_attention(f["q"], f["q"], 2, 3, use_causal_mask=True, dropout=rate, training=True, name="a", reuse=True)
            for rate in (1e-9, 0.5)
        ]
        return {"kept": kept, "all": dropped[0], "half": dropped[1]}

    found = computed(tmp_path, both, q=q)
    np.testing.assert_allclose(found["all"], found["kept"], rtol=2e-5, atol=2e-6)
    assert np.abs(found["half"] - found["kept"]).mean() > 0.01


@pytest.mark.parametrize(
    ("layer", "shape", "result", "total", "first"),
    [
        (
            lambda x: layers.separable_conv1d(x, 3, 2, padding="same", depth_multiplier=2), (2, 5, 2), (2, 5, 3), -5.227500915527344,
            [-0.5472179055213928, -0.17703625559806824, 0.18369358777999878, -0.42541301250457764, -0.2666228413581848, 0.10388756543397903],
        ),
        (
            lambda x: layers.separable_conv2d(x, 2, 2, dilation_rate=2), (1, 5, 5, 2), (1, 3, 3, 2), -6.734856605529785,
            [-0.5912714600563049, -0.21500781178474426, -0.5357935428619385, -0.2556094229221344, -0.5653817653656006, -0.20925454795360565],
        ),
        (
            lambda x: layers.conv3d_transpose(x, 2, 2, strides=2), (1, 2, 2, 2, 3), (1, 4, 4, 4, 2), -40.79206085205078,
            [-0.20226845145225525, -0.33081284165382385, -0.5897920727729797, -0.24007561802864075, -0.6351606845855713, 0.08506615459918976],
        ),
    ],
)  # fmt: skip
def test_convolutions(tmp_path, layer, shape, result, total, first):
    found = computed(tmp_path, lambda f: layer(f["x"]), x=grid(*shape))
    assert found.shape == result
    np.testing.assert_allclose(found.ravel()[:6], first, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(found.sum(), total, rtol=2e-5)


def test_pooling_by_number_of_dimensions(tmp_path):
    x = grid(2, 4, 4, 3)
    found = computed(
        tmp_path,
        lambda f: {
            "max2": layers.max_pooling2d(f["x"], 2, 2), "mean2": layers.average_pooling2d(f["x"], [2, 2], 2, "same"),
            "max1": layers.max_pooling1d(f["x"][:, 0], 2, 2), "mean3": layers.average_pooling3d(f["x"][:, None], (1, 2, 2), (1, 2, 2)),
        },
        x=x,
    )  # fmt: skip
    windows = x.reshape(2, 2, 2, 2, 2, 3)
    np.testing.assert_allclose(found["max2"], windows.max((2, 4)), rtol=1e-6)
    np.testing.assert_allclose(found["mean2"], windows.mean((2, 4)), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found["mean3"][:, 0], windows.mean((2, 4)), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found["max1"], x[:, 0].reshape(2, 2, 2, 3).max(2), rtol=1e-6)
    with pytest.raises(UnsupportedError, match="max_pooling2d: data_format 'channels_first'"):
        computed(tmp_path / "a", lambda f: layers.max_pooling2d(f["x"], 2, 2, data_format="channels_first"), x=x)
    with pytest.raises(ModelError, match=r"average_pooling1d: expected inputs \[n, 1 size, channels\]"):
        computed(tmp_path / "b", lambda f: layers.average_pooling1d(f["x"], 2, 2), x=x)


def test_layers_that_are_not_trained(tmp_path):
    def model_fn(features, mode):
        x = layers.dense(features["x"], 2, trainable=False, name="fixed")
        x = layers.batch_normalization(x, training=True, trainable=False, gamma_initializer="zeros", beta_initializer="ones", name="norm")
        layers.conv1d(ops.expand_dims(x, 2), 2, 1, trainable=False, bias_initializer="ones", name="conv")
        layers.dense(x, 1, name="trained")
        names = [each.name for each in variables.trainable_variables()]
        assert names == ["trained/kernel", "trained/bias"]
        return EstimatorSpec(mode, predictions=x)

    model = estimator.Estimator(model_fn, str(tmp_path))
    assert len(list(model.predict(lambda: data.Dataset.from_arrays({"x": grid(4, 3)}).batch(4)))) == 4
