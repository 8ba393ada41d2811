# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses for model_fns: tf.compat.v1.losses, with its names and defaults.

A loss is a scalar: with weights w, which are broadcast to the losses l of the elements, the reduction says which.
SUM_BY_NONZERO_WEIGHTS, the default: sum(w l) by the number of w that are not 0.

What several have as arguments:
  labels: of the shape of the predictions or logits; [n] beside [n, 1] is [n, 1]. Other numbers become floats.
  weights: a number, or a Tensor: of rows, [n] or [n, 1], or of the shape of the losses.
  reduction: one of Reduction; with Reduction.NONE the result has the losses of the elements.
  label_smoothing: the share of a label that goes to 0.5, or in equal parts to all classes.

Shapes that do not fit are a ModelError, dtypes a ModelTypeError, at the line of the model_fn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc import df, ops
from mlc._build import as_tensor, describe
from mlc._graph import current, model_error
from mlc.errors import ModelError, ModelTypeError
from mlc.ops._broadcast import rows_first, same_shape, tensors, to_shape
from mlc.tensor import Tensor


__all__ = [
    "Reduction", "absolute_difference", "add_n", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_loss", "get_regularization_losses", "get_total_loss", "hinge_loss", "huber_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "nce_loss", "sampled_softmax_loss", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]  # fmt: skip


class Reduction:
    """How losses of elements become one."""

    NONE = "none"
    SUM = "sum"
    MEAN = "mean"
    """sum(w l) / sum(w)."""
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    """sum(w l) by the number of elements."""
    SUM_BY_NONZERO_WEIGHTS = "sum_by_nonzero_weights"

    ALL = (NONE, SUM, MEAN, SUM_OVER_BATCH_SIZE, SUM_BY_NONZERO_WEIGHTS)


def compute_weighted_loss(losses: Any, weights: Any = 1.0, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """Reduces losses of elements, and adds the result to what get_losses returns."""
    loss = weighted_loss(losses, weights, reduction)
    if reduction != Reduction.NONE:
        current().losses.append(loss)
    return loss


def weighted_loss(losses: Any, weights: Any, reduction: str) -> Tensor:
    """compute_weighted_loss, of which get_losses does not know."""
    each = as_tensor(losses, "float32")
    if reduction not in Reduction.ALL:
        raise model_error(f"reduction is {reduction!r}; expected one of {', '.join(Reduction.ALL)}", ModelError)
    weighted = None
    if not (isinstance(weights, (int, float)) and weights == 1):
        factor = ops.cast(as_tensor(weights, each.dtype), each.dtype)
        if factor.ndim == each.ndim + 1 and factor.shape[-1] == 1:
            factor = ops.squeeze(factor, -1)
        weighted = to_shape(rows_first(factor, each.ndim), each.shape, [each])
    return _reduced(each, weighted, reduction)


def _reduced(each: Tensor, weights: Tensor | None, reduction: str) -> Tensor:
    if reduction == Reduction.NONE:
        return each if weights is None else each * weights
    of_batch = each.shape[:1] == (None,)
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        if weights is None:
            reduction = Reduction.SUM_OVER_BATCH_SIZE
        else:
            return df.reduce_loss(each, weights, reduction="sum_over_nonzero_weights")
    if of_batch:
        return df.batch_mean(each, weights, reduction=reduction)
    names = {"sum_over_batch_size": "sum_over_size", "mean": "sum_over_weights", "sum": "sum"}
    return df.reduce_loss(each, weights, reduction=names[reduction])


def _pair(labels: Any, predictions: Any, what: str) -> list[Tensor]:
    predicted = as_tensor(predictions, "float32")
    wanted = ops.cast(as_tensor(labels, predicted.dtype), predicted.dtype)
    if wanted.ndim + 1 == predicted.ndim and predicted.shape[-1] == 1:
        wanted = ops.expand_dims(wanted, -1)
    if wanted.ndim != predicted.ndim:
        raise model_error(f"{what}: labels and predictions have different shapes\n{describe([wanted, predicted])}", ModelError)
    return same_shape([wanted, predicted], what)


def _class_ids(labels: Any, logits: Tensor) -> Tensor:
    ids = as_tensor(labels, "int64")
    if "int" not in ids.dtype:
        raise model_error(f"labels are {ids.type_string}; expected integers: classes", ModelTypeError)
    if ids.ndim == logits.ndim and ids.shape[-1] == 1:
        ids = ops.squeeze(ids, -1)
    if ids.ndim + 1 != logits.ndim:
        raise model_error(f"labels and logits do not fit: expected [n] and [n, classes]\n{describe([ids, logits])}", ModelError)
    return ops.cast(ids, "int64")


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS
) -> Tensor:
    """Of classes as integers, [n] or [n, 1], and logits [n, classes]. A label that is no class ends the run, named."""
    scores = as_tensor(logits, "float32")
    each = df.softmax_cross_entropy(scores, _class_ids(labels, scores))
    return compute_weighted_loss(each, weights, reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """Of onehot_labels, probabilities of classes, [n, classes], and logits."""
    labels, scores = _pair(onehot_labels, logits, "softmax_cross_entropy")
    each = df.soft_label_cross_entropy(scores, labels, label_smoothing=float(label_smoothing) or None)
    return compute_weighted_loss(each, weights, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """Of multi_class_labels in [0, 1] and logits of one shape, for each element."""
    labels, scores = _pair(multi_class_labels, logits, "sigmoid_cross_entropy")
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    return compute_weighted_loss(df.sigmoid_cross_entropy(scores, labels), weights, reduction)


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS
) -> Tensor:
    """(label - prediction)^2."""
    wanted, predicted = _pair(labels, predictions, "mean_squared_error")
    return compute_weighted_loss(ops.squared_difference(predicted, wanted), weights, reduction)


def mean_pairwise_squared_error(labels: Any, predictions: Any, weights: Any = 1.0) -> Tensor:
    """The sum over rows of the mean, over all pairs of a row's elements, of the squared difference of the pair's errors.

    weights: a number, or of rows, [n] or [n, 1]; a row of the weight 0 counts for nothing. The result is the sum of the rows'
    losses, as in TensorFlow.
    """
    wanted, predicted = _pair(labels, predictions, "mean_pairwise_squared_error")
    if predicted.ndim < 2:
        raise model_error(f"mean_pairwise_squared_error: expected several elements in each row\n{describe([predicted])}", ModelError)
    size = 1
    for n in predicted.shape[1:]:
        if n is None:
            raise model_error(f"mean_pairwise_squared_error: sizes of rows are not known\n{describe([predicted])}", ModelError)
        size *= n
    error = ops.reshape(predicted - wanted, [-1, size])
    squares, total = ops.sum(ops.square(error), axis=1), ops.sum(error, axis=1)
    # Of n elements n - 1 and n (n - 1) pairs; one has none.
    first = 2.0 * squares / float(size - 1) if size > 1 else ops.zeros_like(squares)
    second = 2.0 * ops.square(total) / float(size * (size - 1)) if size > 1 else ops.zeros_like(squares)
    return compute_weighted_loss(first - second, weights, Reduction.SUM)


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS
) -> Tensor:
    """|label - prediction|."""
    wanted, predicted = _pair(labels, predictions, "absolute_difference")
    return compute_weighted_loss(ops.abs(predicted - wanted), weights, reduction)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """e^2 / 2 up to the error e = delta, linear after it."""
    wanted, predicted = _pair(labels, predictions, "huber_loss")
    return compute_weighted_loss(df.huber_loss(predicted, wanted, delta=float(delta)), weights, reduction)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """-y log(p + epsilon) - (1 - y) log(1 - p + epsilon)."""
    y, p = _pair(labels, predictions, "log_loss")
    return compute_weighted_loss(-(y * ops.log(p + epsilon)) - (1 - y) * ops.log(1 - p + epsilon), weights, reduction)


def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS
) -> Tensor:
    """max(0, 1 - y s) for labels 0 and 1, y being -1 and 1, and logits s."""
    y, scores = _pair(labels, logits, "hinge_loss")
    return compute_weighted_loss(ops.relu(1 - (2 * y - 1) * scores), weights, reduction)


def cosine_distance(
    labels: Any, predictions: Any, axis: int = -1, weights: Any = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:  # fmt: skip
    """1 - sum(labels predictions) along an axis; both are unit vectors."""
    wanted, predicted = tensors((labels, predictions), "cosine_distance")
    return compute_weighted_loss(1 - ops.sum(wanted * predicted, axis, keepdims=True), weights, reduction)


def get_losses() -> list[Tensor]:
    """What the losses of this module were in this call of the model_fn."""
    return list(current().losses)


def get_regularization_losses() -> list[Tensor]:
    """What regularizers of variables add, one for each."""
    return list(current().regularization)


def get_regularization_loss() -> Tensor:
    """Their sum; 0 of none."""
    return add_n(get_regularization_losses())


def get_total_loss(add_regularization_losses: bool = True) -> Tensor:
    """The sum of all losses, with add_regularization_losses of regularizers too."""
    return add_n(get_losses() + (get_regularization_losses() if add_regularization_losses else []))


def add_n(terms: Sequence[Any]) -> Tensor:
    """The sum of terms, Tensors of one shape; 0 of none."""
    if not terms:
        return ops.constant(0.0, "float32")
    total = as_tensor(terms[0], "float32")
    for term in terms[1:]:
        total = total + term
    return total


# Many classes


def _sampled(
    kind: str, weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
    sampled_values: Any, remove_accidental_hits: bool, sampler: str, name: str,
) -> Tensor:  # fmt: skip
    hidden, classes = as_tensor(inputs, "float32"), as_tensor(labels, "int64")
    if classes.ndim == 1:
        classes = ops.expand_dims(classes, 1)
    if classes.ndim != 2 or classes.shape[1] != num_true:
        raise model_error(f"{name}: labels are the {num_true} true classes of each row\n{describe([classes])}")
    if sampled_values is None:
        trace = current()
        sampled, true_expected, sampled_expected = df.candidate_sampler(
            classes, sampler=sampler, name=trace.unique_name(trace.scope + name), num_classes=num_classes, unique=True,
            types=[("int64", [num_sampled]), ("float32", classes.shape), ("float32", [num_sampled])],
        )  # fmt: skip
    else:
        sampled, true_expected, sampled_expected = (as_tensor(value) for value in sampled_values)
    operands = [hidden, classes, ops.gather(weights, classes), ops.gather(biases, classes), ops.gather(weights, sampled),
                ops.gather(biases, sampled), sampled, true_expected, sampled_expected]  # fmt: skip
    loss = df.sampled_softmax_loss if kind == "softmax" else df.nce_loss
    return loss(*operands, remove_accidental_hits=remove_accidental_hits)


def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = True, sampler: str = "log_uniform",
    name: str = "sampled_softmax_loss",
) -> Tensor:  # fmt: skip
    """tf.nn.sampled_softmax_loss: cross entropy of each row, [n], over its true and `num_sampled` drawn classes.

    It is for training: gradients of weights and biases are those of these classes' rows. Evaluate with all classes.

    Args:
      weights: a Variable [num_classes, size]; its gradient is sparse.
      biases: a Variable [num_classes].
      labels: int64 [n, num_true], or [n].
      inputs: [n, size].
      sampled_values: drawn classes and the counts expected of true and of drawn ones, as a sampler gives them; None: the
        classes of a step are drawn once for all rows, without repetition.
      remove_accidental_hits: a drawn class that is a row's true one does not count for it.
      sampler: "log_uniform" (classes in the order of their frequency) or "uniform".
      name: what is drawn is a function of it, the seed and the step.
    """
    return _sampled("softmax", weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                    remove_accidental_hits, sampler, name)  # fmt: skip


def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = False, sampler: str = "log_uniform",
    name: str = "nce_loss",
) -> Tensor:  # fmt: skip
    """tf.nn.nce_loss: noise-contrastive estimation, [n]; arguments as of sampled_softmax_loss."""
    return _sampled("nce", weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                    remove_accidental_hits, sampler, name)  # fmt: skip
