// Cumulative ops and order statistics of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_ORDER_OPS_TD
#define DF_ORDER_OPS_TD

include "dialects/Df/IR/DfBase.td"

class Df_CumulativeOp<string opMnemonic, string what, string formula, list<Trait> extra = []> : Df_PlainOp<opMnemonic, !listconcat([Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>], extra)> {
  let summary = "cumulative " # what # " along an axis";
  let description = formula # [{
    Element i of the result combines the elements 0 to i of `axis`, one after another; with `exclusive` those before i; with `reverse` in the order from the last one on. `axis` is the last one where it
    is not given. f16 and bf16 are combined in f32. Constraints: (C1) `axis` is a dimension of the operand.

    Example: `%y = df.}] # opMnemonic # [{ %x {axis = 1 : i64, exclusive} : (tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_NumberTensor:$operand, OptionalAttr<I64Attr>:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Df_NumberTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOfAlong<"Operand", "{axisOf(*this)}">.definition;
}

def Df_CumsumOp : Df_CumulativeOp<"cumsum", "sum", "The sum; integers wrap; 0 of nothing. Gradient: the cumulative sum from the other end.", extra = [Df_ExactOfIntegers]>;
def Df_CumprodOp : Df_CumulativeOp<"cumprod", "product",
  "The product; integers wrap; 1 of nothing. Gradient: of each element the products of the others, zeros among them or not.", extra = [Df_ExactOfIntegers]>;
def Df_CummaxOp : Df_CumulativeOp<"cummax", "maximum",
  "The maximum as of `df.maximum`; of nothing -inf or the smallest integer. The gradient goes to the first element that reaches it.">;
def Df_CumminOp : Df_CumulativeOp<"cummin", "minimum",
  "The minimum as of `df.minimum`; of nothing +inf or the largest integer. The gradient goes to the first element that reaches it.">;

def Df_CumlogsumexpOp : Df_PlainOp<"cumlogsumexp", [Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "cumulative logarithm of the sum of exponentials along an axis";
  let description = [{
    ln(sum of e^x) over the elements 0 to i of `axis`, without overflow; with `exclusive` those before i, of nothing -infinity; with `reverse` in the order from the last one on. `axis` is the last one
    where it is not given. f16 and bf16 are computed in f32. Gradient for x[i]: the sum over j of g[j] e^(x[i] - y[j]). Composite.
    Constraints: (C1) `axis` is a dimension of the operand.

    Example: `%y = df.cumlogsumexp %x {axis = 1 : i64, reverse} : (tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand, OptionalAttr<I64Attr>:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOfAlong<"Operand", "{axisOf(*this)}">.definition;
}

def Df_LinearScanOp : Df_PlainOp<"linear_scan", [Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["coefficients", "operand"]>]> {
  let summary = "linear recurrence of the first order along an axis";
  let description = [{
    y[i] = a[i] * y[i-1] + x[i] by one FMA for coefficients a and operand x, y[-1] = 0; with `reverse` y[i] = a[i] * y[i+1] + x[i], from the last element on. With `exclusive` the result is what y[i] is made of, y[i-1] (y[i+1]).
    `axis` is the last one where it is not given. f16 and bf16 are computed in f32, where y is kept. Gradient: a linear scan from the other end.
    Constraints: (C1) `axis` is a dimension of the operand.

    Example: `%y = df.linear_scan %a, %x {axis = 0 : i64, reverse} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$coefficients, Df_FloatTensor:$operand, OptionalAttr<I64Attr>:$axis, UnitAttr:$exclusive,
                       UnitAttr:$reverse);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<"map.elementwise(getOperation());">.definition;
}

def Df_SortOp : Df_PlainOp<"sort", [Df_Work<"Sort">, Df_Exact, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "sorts along an axis, and others alike";
  let description = [{
    The elements of the first operand, the keys, in ascending order (with `descending` in descending order) along `axis`, and those of the other operands in the order of the keys. The sort is stable, NaNs come last in either order,
    and zeros are equal. `axis` is the last one where it is not given. Gradient: each element's goes back to its place.
    Constraints: (C1) at least one operand; the keys are numbers; (C2) all operands have one shape, each result has its operand's type; (C3) `axis` is a dimension of the operands.

    Example: `%s:2 = df.sort %x, %y {axis = 0 : i64, descending} : (tensor<?x4xf32>, tensor<?x4xi64>) -> (tensor<?x4xf32>, tensor<?x4xi64>)`
  }];
  let arguments = (ins Variadic<Df_Tensor>:$operands, OptionalAttr<I64Attr>:$axis, UnitAttr:$descending);
  let results = (outs Variadic<Df_Tensor>:$results);
  let extraClassDefinition = Df_Dimensions<"map.elementwise(getOperation());">.definition;
}

def Df_ArgsortOp : Df_PlainOp<"argsort", [Df_Work<"Sort">, Df_InfersIntegers, Df_Exact, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "positions in sorted order along an axis";
  let description = [{
    The position of the element that `df.sort` puts there. Constraints: (C1) `axis` is a dimension of the operand; (C2) the result has the operand's shape.

    Example: `%i = df.argsort %x {descending} : (tensor<?x4xf32>) -> tensor<?x4xi64>`
  }];
  let arguments = (ins Df_NumberTensor:$operand, OptionalAttr<I64Attr>:$axis, UnitAttr:$descending);
  let results = (outs Df_IdTensor:$result);
  let extraClassDefinition = Df_DimensionsOfAlong<"Operand", "{axisOf(*this)}">.definition;
}

def Df_TopKOp : Df_PlainOp<"top_k", [Df_Work<"Sort">, Df_TellsIfItFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the largest elements along an axis, and their positions";
  let description = [{
    The first k elements of the order that `df.sort` gives with `descending` (with `smallest`: without), and their positions: of equal elements the first ones, NaNs last. k is the attribute `k` or the run-time scalar
    `count`; a k below 0 or above the size of the axis is an error at run time. `axis` is the last one where it is not given. Gradient: each value's goes to its position.
    Constraints: (C1) `axis` is a dimension of the operand; (C2) one of `k` >= 0 and `count` is given, and a static axis holds `k`; (C3) the results have k at `axis`, dynamic for a `count`, and the operand's other dimensions.

    Example: `%v, %i = df.top_k %x {k = 2 : i64} : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)`
  }];
  let arguments = (ins Df_NumberTensor:$operand, Optional<Df_ScalarId>:$count, OptionalAttr<I64Attr>:$k, OptionalAttr<I64Attr>:$axis,
                       UnitAttr:$smallest);
  let results = (outs Df_NumberTensor:$values, Df_IdTensor:$positions);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getOperand(), getValues(), {axisOf(*this)});
    map.all(getValues(), getPositions());
  }]>.definition;
}

def Df_SearchsortedOp : Df_PlainOp<"searchsorted", [Df_Work<"Sort">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "where values belong in a sorted sequence";
  let description = [{
    `sequence` is [batch.., n], ascending along its last dimension in the order of `df.sort` (NaNs last), `values` [batch.., s..]. Of each value the number of elements of its sequence that are below it; with `right` of those
    that are not above it: the first (the last) position at which it could stand. If the sequence does not ascend, it is some position from 0 to n. Integers: no gradient.
    Constraints: (C1) the sequence has a dimension, and all its dimensions but the last are the values' first ones; (C2) values have the sequence's element type; (C3) the result has the values' shape.

    Example: `%i = df.searchsorted %s, %x {right} : (tensor<5xf32>, tensor<?x4xf32>) -> tensor<?x4xi64>`
  }];
  let arguments = (ins Df_NumberTensor:$sequence, Df_NumberTensor:$values, UnitAttr:$right);
  let results = (outs Df_IdTensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getValues(), getResult());
    for (int64_t d = 0, batch = rankOf(getSequence()) - 1; d < batch; ++d)
      map.same(getValues(), d, getSequence(), d);
  }]>.definition;
}

def Df_QuantileOp : Df_PlainOp<"quantile", [Df_Work<"Sort">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "quantiles along an axis";
  let description = [{
    For each quantile q the element at position q (n - 1) of the n elements of `axis` in ascending order, between
    elements as `interpolation` says: `linear`, the `lower` or the `higher` one, their `midpoint`, or the `nearest`, of
    two the one at the even position. These are NumPy's methods of these names. NaN where an element is NaN. A q that is not in
    [0, 1], and an axis without elements, is an error of the step. f16 and bf16 are computed in f32. Gradient: that of the
    elements that are taken, by their weights, and with `linear` for q. Composite of `df.sort` and `df.gather`.
    Constraints: (C1) `axis` is a dimension of the operand, the last one where it is not given; (C2) q is a scalar or [k]
    of the operand's element type; (C3) the result is q's dimension, then those of the operand but `axis`.

    Example: `%y = df.quantile linear %x, %q {axis = 0 : i64} : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>`
  }];
  let arguments = (ins Df_QuantileInterpolationAttr:$interpolation, Df_FloatTensor:$operand, Df_FloatTensor:$q,
                       OptionalAttr<I64Attr>:$axis);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "`` $interpolation $operand `,` $q attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Df_Dimensions<[{
    int64_t first = rankOf(getQ());
    if (first == 1)
      map.same(getQ(), 0, getResult(), 0);
    for (int64_t d = 0, e = rankOf(getOperand()), next = first, axis = axisOf(*this); d < e; ++d)
      if (d != axis)
        map.same(getOperand(), d, getResult(), next++);
  }]>.definition;
}

#endif // DF_ORDER_OPS_TD
