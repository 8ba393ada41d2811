"""Specs as they are written: text format, feature columns, bodies, heads."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

import pytest

from mlc import estimator, initializers, optimizers
from mlc import feature_column as fc
from mlc._columns import Observations, input_columns
from mlc._spec import write_spec
from mlc._text_format import Block, Symbol, quote
from mlc.errors import SpecError
from mlc.optimizers import schedules


def spec_of(model: estimator.Estimator, several: dict[str, bool] | None = None) -> str:
    """The spec of a model whose keys have several values per row where `several` says so."""
    return write_spec(model._model.model, input_columns(model._model.model, Observations(several or {})))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('a "b"', r'"a \"b\""'),
        ("a\\b", r'"a\\b"'),
        ("line\nend\r\t", r'"line\nend\r\t"'),
        ("\0\x1f\x7f", r'"\000\037\177"'),
        ("bücher 本", '"bücher 本"'),
        (b"raw \xff\n", r'"raw \377\n"'),
        ("b\u00fc".encode(), '"bü"'),
    ],
)
def test_strings_are_escaped(text: str | bytes, quoted: str) -> None:
    assert quote(text) == quoted


def test_a_lone_surrogate_is_no_text() -> None:
    with pytest.raises(SpecError, match="no text"):
        quote("\udc80")


def test_blocks() -> None:
    block = Block(a=1, b=True, c=0.1, d="x", e=Symbol("E"), f=None, g=[1, 2], h=Block(), i=Block(x=1.0))
    assert block.text().splitlines() == [
        "a: 1", "b: true", "c: 0.1", 'd: "x"', "e: E", "g: [1, 2]", "h {}", "i { x: 1 }"
    ]  # fmt: skip
    long = Block(outer=Block(names=["n" * 30] * 5)).text()
    assert max(map(len, long.splitlines())) <= 100
    assert long.count('"' + "n" * 30 + '"') == 5
    with pytest.raises(SpecError, match="expected a finite one"):
        Block(x=float("nan")).text()


def test_a_whole_spec(tmp_path: Any) -> None:
    age = fc.numeric_column("age", normalizer_fn=fc.zscore(38.5, 13.5), default_value=40)
    job = fc.categorical_column_with_vocabulary_list("job", ["clerk", 'the "boss"'], num_oov_buckets=2)
    model = estimator.DNNLinearCombinedClassifier(
        model_dir=str(tmp_path),
        linear_feature_columns=[job, fc.crossed_column([fc.bucketized_column(age, [-1, 1]), "city"], 1000)],
        dnn_feature_columns=[age, fc.embedding_column(job, 8, initializer=initializers.RandomNormal(stddev=0.1))],
        dnn_hidden_units=[16, 8],
        dnn_dropout=0.1,
        weight_column="w",
        label_vocabulary=["<=50K", ">50K"],
    )
    assert (
        spec_of(model)
        == """\
name: "dnn_linear_combined_classifier"
input {
  csv { header: true }
  column { name: "job"  dtype: STRING }
  column { name: "age"  dtype: FLOAT32  default_value: "40.0" }
  column { name: "city"  dtype: STRING }
  column { name: "w"  dtype: FLOAT32 }
  column { name: "label"  dtype: STRING }
}
feature_column {
  categorical_with_vocabulary_list {
    key: "job"
    vocabulary_list: ["clerk", "the \\"boss\\""]
    num_oov_buckets: 2
  }
}
feature_column { numeric { key: "age"  z_score { mean: 38.5  stddev: 13.5 } } }
feature_column { bucketized { source_column: "age"  boundaries: [-1, 1]  units: NORMALIZED } }
feature_column {
  crossed { term { column: "age_bucketized" }  term { key: "city" }  hash_bucket_size: 1000 }
}
feature_column {
  embedding {
    categorical_column: "job"
    dimension: 8
    initializer { normal { mean: 0  stddev: 0.1 } }
  }
}
model {
  dnn_linear_combined {
    linear {
      feature_columns: ["job", "age_bucketized_X_city"]
      optimizer {
        ftrl {
          learning_rate_power: -0.5
          initial_accumulator_value: 0.1
          l1_regularization_strength: 0
          l2_regularization_strength: 0
          l2_shrinkage_regularization_strength: 0
        }
      }
    }
    dnn {
      feature_columns: ["age", "job_embedding"]
      hidden_units: [16, 8]
      dropout: 0.1
      optimizer { adagrad { initial_accumulator_value: 0.1  epsilon: 1e-07 } }
    }
  }
}
head { label: "label"  weight_column: "w"  binary_class { label_vocabulary: ["<=50K", ">50K"] } }
"""
    )


def test_several_values_per_row(tmp_path: Any) -> None:
    tags = fc.categorical_column_with_hash_bucket("tags", 10)
    weighted = fc.weighted_categorical_column(tags, "w")
    model = estimator.DNNRegressor([4], [fc.embedding_column(weighted, 2)], model_dir=str(tmp_path))
    single, several = spec_of(model), spec_of(model, {"tags": True})
    assert 'column { name: "w"  dtype: FLOAT32 }' in single
    assert 'weight_feature_key: "w"' in single
    assert 'column { name: "tags"  dtype: STRING  multi_value { weight_separator: ":" } }' in several
    assert 'name: "w"' not in several
    assert 'weight_feature_key: "tags.weight"' in several
    assert 'name: "tags_weighted_by_w"' in several
    assert 'feature_columns: ["tags_weighted_by_w_embedding"]' in single
    assert 'feature_columns: ["tags_weighted_by_w_embedding"]' in several


def test_one_key_as_numbers_and_ids(tmp_path: Any) -> None:
    ids = fc.categorical_column_with_identity("age", 120)
    columns = [fc.numeric_column("age"), fc.indicator_column(ids)]
    text = spec_of(estimator.DNNRegressor([4], columns, model_dir=str(tmp_path)))
    assert text.count('column { name: "age"  dtype: INT64 }') == 1
    assert 'name: "age_identity"' in text
    assert 'name: "age_indicator"  indicator { categorical_column: "age_identity" }' in text
    assert 'feature_columns: ["age", "age_indicator"]' in text


def test_one_key_as_text_and_number_is_refused(tmp_path: Any) -> None:
    columns = [fc.numeric_column("x"), fc.indicator_column(fc.categorical_column_with_hash_bucket("x", 9))]
    with pytest.raises(SpecError, match=r"'x' is text for .* and a number for"):
        estimator.DNNRegressor([4], columns, model_dir=str(tmp_path)).to_spec()


def test_names_with_characters_that_specs_read(tmp_path: Any) -> None:
    columns = [fc.numeric_column("a[1-3]"), fc.numeric_column("what?")]
    text = spec_of(estimator.LinearRegressor(columns, model_dir=str(tmp_path)))
    assert 'numeric { key: "a[[1-3]" }' in text
    assert 'feature_columns: ["a[[1-3]", "what?"]' in text
    wide_and_deep = estimator.DNNLinearCombinedRegressor(
        model_dir=str(tmp_path),
        linear_feature_columns=[fc.numeric_column("x*")],
        dnn_feature_columns=[fc.numeric_column("xy")],
        dnn_hidden_units=[2],
    )
    with pytest.raises(SpecError, match="would stand for 'xy', too"):
        wide_and_deep.to_spec()


def test_shared_embeddings_declare_all_their_columns(tmp_path: Any) -> None:
    first, _ = fc.shared_embeddings([fc.categorical_column_with_identity(k, 9) for k in ("u", "v")], 4)
    text = spec_of(estimator.DNNRegressor([4], [first], model_dir=str(tmp_path)))
    assert 'categorical_columns: ["u", "v"]' in text
    assert 'column { name: "v"  dtype: INT64 }' in text
    assert 'feature_columns: ["u_shared_embedding"]' in text


def test_shared_embeddings_cannot_be_renamed(tmp_path: Any) -> None:
    pair = fc.shared_embeddings([fc.categorical_column_with_identity(k, 9) for k in ("u", "v")], 4)
    with pytest.raises(SpecError, match="'v_shared_embedding' is made of 'v', a name that another feature column has"):
        estimator.DNNRegressor([4], [*pair, fc.numeric_column("v")], model_dir=str(tmp_path)).to_spec()


def test_optimizers_write_themselves() -> None:
    def line(optimizer: optimizers.Optimizer) -> str:
        return " ".join(optimizer.to_block().text().split())

    assert line(optimizers.SGD(0.5)) == "sgd { learning_rate: 0.5 }"
    assert line(optimizers.SGD(0.5, momentum=0.9, nesterov=True, clipnorm=1)) == (
        "momentum { learning_rate: 0.5 momentum: 0.9 use_nesterov: true } clip_by_norm: 1"
    )
    assert line(optimizers.Adam()) == "adam { learning_rate: 0.001 beta1: 0.9 beta2: 0.999 epsilon: 1e-07 }"
    assert line(optimizers.Adam(amsgrad=True)).endswith("epsilon: 1e-07 amsgrad: true }")
    assert line(optimizers.Adadelta()) == "adadelta { learning_rate: 0.001 rho: 0.95 epsilon: 1e-07 }"
    assert line(optimizers.Adamax()) == "adamax { learning_rate: 0.001 beta1: 0.9 beta2: 0.999 epsilon: 1e-07 }"
    assert line(optimizers.Nadam()) == (
        "nadam { learning_rate: 0.001 beta1: 0.9 beta2: 0.999 epsilon: 1e-07 schedule_decay: 0.004 }"
    )
    assert line(optimizers.Ftrl(beta=0.5)).endswith("l2_shrinkage_regularization_strength: 0 beta: 0.5 }")
    assert line(optimizers.get("RMSProp")) == "rms_prop { decay: 0.9 momentum: 0 epsilon: 1e-07 }"
    schedule = schedules.Warmup(schedules.CosineDecay(0.1, 100), 10)
    assert line(optimizers.Adagrad(schedule)).endswith(
        "schedule { cosine_decay { decay_steps: 100 alpha: 0 } warmup_steps: 10 }"
    )
    assert line(optimizers.SGD(schedules.CosineDecayRestarts(0.1, 100))).endswith(
        "schedule { cosine_decay_restarts { first_decay_steps: 100 t_mul: 2 m_mul: 1 alpha: 0 } }"
    )
    assert line(optimizers.SGD(schedules.LinearCosineDecay(0.1, 100))).endswith(
        "schedule { linear_cosine_decay { decay_steps: 100 num_periods: 0.5 alpha: 0 beta: 0.001 } }"
    )
    assert line(optimizers.SGD(schedules.NaturalExpDecay(0.1, 100, 0.5, staircase=True))).endswith(
        "schedule { natural_exp_decay { decay_steps: 100 decay_rate: 0.5 staircase: true } }"
    )
    pieces = schedules.PiecewiseConstantDecay([10, 20], [1, 0.5, 0])
    assert "piecewise_constant { boundaries: [10, 20] values: [1, 0.5, 0] }" in line(optimizers.SGD(pieces))
    assert line(optimizers.get(lambda: optimizers.SGD(0.5))) == "sgd { learning_rate: 0.5 }"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: optimizers.get("Nadam"), "Supported names are: Adagrad, Adam, Ftrl, RMSProp, SGD"),
        (lambda: optimizers.get(None), "not an mlc.optimizers.Optimizer"),
        (lambda: optimizers.SGD(-1), "at least 0; found -1"),
        (lambda: optimizers.Nadam(schedule_decay=-1), "schedule_decay must be a finite number of at least 0; found -1"),
        (lambda: optimizers.Adadelta(rho=1), r"rho must be in \[0, 1\); found 1"),
        (lambda: optimizers.Adamax(beta_2=float("nan")), "beta_2 must be in"),
        (lambda: optimizers.Ftrl(beta=float("inf")), "beta must be a finite number"),
        (lambda: schedules.CosineDecayRestarts(0.1, 10, t_mul=0.5), r"t_mul must be in \[1, 1e6\]; found 0.5"),
        (lambda: schedules.CosineDecayRestarts(0.1, 0), "first_decay_steps must be at least 1; found 0"),
        (lambda: schedules.CosineDecayRestarts(0.1, 10, alpha=2), r"alpha must be in \[0, 1\]; found 2"),
        (lambda: schedules.LinearCosineDecay(0.1, 10, num_periods=0), "num_periods must be a finite number above 0"),
        (lambda: schedules.NaturalExpDecay(0.1, 10, -1), "decay_rate must be a finite number of at least 0; found -1"),
        (lambda: optimizers.SGD(lambda: 0.1), "cannot be a function"),
        (lambda: optimizers.SGD(0.1, clipnorm=1, clipvalue=1), "only one of"),
        (lambda: schedules.PiecewiseConstantDecay([1], [1]), "1 less than the length of values"),
        (lambda: schedules.CosineDecay(0.1, 10, warmup_steps=3), "Warmup"),
        (lambda: initializers.get("nope"), "Orthogonal"),
        (lambda: initializers.VarianceScaling(mode="fan"), "fan_in, fan_out or fan_avg"),
    ],
)
def test_optimizers_and_initializers_refuse(make: Any, text: str) -> None:
    with pytest.raises((ValueError, NotImplementedError), match=text):
        make()


def test_compat_says_whose_defaults_hold(tmp_path: Any) -> None:
    x = [fc.numeric_column("x")]
    old = spec_of(estimator.DNNClassifier([2], x, tmp_path, compat="tf1"))
    assert old.startswith('name: "dnn_classifier"\ncompat: TF1\n') and "loss_reduction" not in old
    assert "loss_reduction: SUM_OVER_BATCH_SIZE" in spec_of(
        estimator.DNNClassifier([2], x, tmp_path, loss_reduction="sum_over_batch_size", compat="tf1")
    )
    # A head says what its reduction is, in both TensorFlows.
    head = estimator.BinaryClassHead()
    assert "loss_reduction: SUM_OVER_BATCH_SIZE" in spec_of(estimator.DNNEstimator(head, [2], x, tmp_path, compat="tf1"))
    assert "compat" not in spec_of(estimator.DNNClassifier([2], x, tmp_path))
    with pytest.raises(ValueError, match="compat must be 'tf2' or 'tf1'; found 'v1'"):
        estimator.LinearRegressor(x, tmp_path, compat="v1")
