"""Attention with variables: projections into several heads, and back."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

from mlc import ops
from mlc.layers._common import floats_of, known_size, layer_scope
from mlc.tensor import Tensor
from mlc.variables import Regularizer, get_variable, variable_scope


def multi_head_attention(
    query: Any,
    value: Any,
    num_heads: int,
    key_dim: int,
    value_dim: int | None = None,
    key: Any = None,
    attention_mask: Any = None,
    use_causal_mask: bool = False,
    dropout: float = 0.0,
    training: bool = False,
    use_bias: bool = True,
    output_size: int | None = None,
    kernel_initializer: Any = None,
    bias_initializer: Any = "zeros",
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """Keras' MultiHeadAttention: of query [n, t, size] and value [n, s, ..], [n, t, output_size].

    Variables query/kernel [size, num_heads, key_dim], query/bias, those of key and value alike, and attention_output/kernel
    [num_heads, value_dim, output_size], attention_output/bias.

    Args:
      num_heads: attentions beside each other.
      key_dim, value_dim: what query and key, and value, are projected to for each head; a value_dim of None is key_dim.
      key: [n, s, ..]; None: the value.
      attention_mask: bool [n, t, s] or [t, s]: whether a position is seen; None: all are.
      use_causal_mask: position t sees those up to t.
      dropout: the share of the weights of attention that training drops.
      output_size: None: that of the query.
    """
    q, v = floats_of(query, "multi_head_attention", 3), floats_of(value, "multi_head_attention", 3)
    k = v if key is None else floats_of(key, "multi_head_attention", 3)
    value_dim, output_size = value_dim or key_dim, output_size or known_size(q, -1, "multi_head_attention")

    def variables(shape: list[int], biases: list[int]) -> tuple[Any, Any]:
        kernel = get_variable("kernel", shape, q.dtype, kernel_initializer, kernel_regularizer)
        return kernel, get_variable("bias", biases, q.dtype, bias_initializer, bias_regularizer) if use_bias else 0.0

    def projected(x: Tensor, what: str, width: int) -> Tensor:
        """[n, num_heads, t, width]."""
        with variable_scope(what):
            size = known_size(x, -1, "multi_head_attention")
            kernel, bias = variables([size, num_heads, width], [num_heads, width])
            return ops.transpose(ops.einsum("nts,shw->nthw", x, kernel.value()) + bias, [0, 2, 1, 3])

    with layer_scope(name, "multi_head_attention", reuse):
        parts = projected(q, "query", key_dim), projected(k, "key", key_dim), projected(v, "value", value_dim)
        mask = None if attention_mask is None else ops.cast(attention_mask, "bool")
        if mask is not None and mask.ndim == 3:
            mask = ops.expand_dims(mask, 1)
        if dropout and training:
            heads = _with_dropout(*parts, mask, use_causal_mask, dropout)
        else:
            heads = ops.attention(*parts, mask=mask, causal=use_causal_mask)
        with variable_scope("attention_output"):
            kernel, bias = variables([num_heads, value_dim, output_size], [output_size])
            return ops.einsum("nhtw,hwo->nto", heads, kernel.value()) + bias


def _with_dropout(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, rate: float) -> Tensor:
    """As ops.attention, with weights of which a share is dropped."""
    scores = ops.einsum("nhtw,nhsw->nhts", q, k) / float(q.shape[-1] or 1) ** 0.5
    if causal:
        ones = ops.ones_like(scores)
        seen = ops.cumsum(ones, 3) <= ops.cumsum(ones, 2)
        mask = seen if mask is None else ops.logical_and(mask, seen)
    if mask is not None:
        scores = ops.where(mask, scores, -1e9)
    return ops.einsum("nhts,nhsw->nhtw", ops.dropout(ops.softmax(scores), rate), v)
