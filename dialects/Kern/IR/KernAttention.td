// Attention as kernels that keep no scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_ATTENTION_TD
#define KERN_ATTENTION_TD

include "dialects/Kern/IR/KernBase.td"

def Kern_AttentionOp : Kern_DpsOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "attention by tiles of scores";
  let description = [{
    softmax(scale * query key^T + mask) value along the keys, for each position of the leading dimensions. The outs are it, and of each row of scores its maximum m and its sum of exp(score - m), by which
    `kern.attention_grad` makes shares again. A mask of f32 is added; where one of i8 is 0 a score is -1e9, and with `causal` that of query i and key j > i too. No more than a tile of scores is there at any time.

    A target fixes the order: keys in tiles, ascending; of each tile the maximum and the sum of a row, to which what was summed before is scaled when the maximum grows; and shares by values one FMA after another. It is a function of the target and of shapes, and not that of
    `df.attention` as its decomposition adds.

    Query, key and value of f16 or bf16, or, with `kern.tf32`, of f32 that are numbers of tf32, are factors of products that tensor cores add in f32. Then the shares exp(score - maximum so far) are rounded to that precision as factors of the products by values; sums add them
    as they are.

    Constraints: (C1) query is [b.., t, d], key [b.., s, d], value [b.., s, e], of f32, bf16 or f16, d and e static; (C2) outs are [b.., t, e] and two of [b.., t], of f32; (C3) a mask is [t, s] or [b.., t, s], of f32 or i8.

    Example:
    ```mlir
    %y, %m, %l = kern.attention ins(%q, %k, %v : tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x3xf32>)
        outs(%o, %a, %c : tensor<?x5x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>) {scale = 0.5 : f32} -> tensor<?x5x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>
    ```
  }];
  let arguments = (ins Kern_Shaped:$query, Kern_Shaped:$key, Kern_Shaped:$value, Optional<Kern_Shaped>:$mask, Variadic<Kern_Shaped>:$outs,
                       F32Attr:$scale, UnitAttr:$causal);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)` (`mask` `(` $mask^ `:` type($mask) `)`)?
    `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kern_AttentionGradOp : Kern_DpsOp<"attention_grad", [AttrSizedOperandSegments]> {
  let summary = "gradients of attention by tiles of scores";
  let description = [{
    The gradients of query, key and value, which are the outs, of the `kern.attention` of the same operands by the gradient of its first out, `cotangent`. With the shares p = exp(score - m) / l of its other outs, `maxima` and `sums`, and `dots`, the sum of
    cotangent * result along a row: that of the scores is p * (cotangent value^T - dots), 0 where a score is hidden; that of query its product with the keys, of key with the queries, both by `scale`; that of value is p^T cotangent. Scores are computed
    again, by tiles; each sum is added by one block, tiles ascending, so that none needs atomics. Of factors as `kern.attention` has them, shares, and the gradients of scores times `scale`, are rounded to their precision as factors of products.

    Constraints: (C1) query, key, value and mask are as in `kern.attention`; (C2) the cotangent is [b.., t, e] of query's elements, maxima, sums and dots are [b.., t], of f32; (C3) the outs have the shapes of query, key and value, of f32.

    Example:
    ```mlir
    kern.attention_grad ins(%q, %k, %v : memref<2x5x4xf32>, memref<2x7x4xf32>, memref<2x7x3xf32>)
        of(%g, %m, %l, %d : memref<2x5x3xf32>, memref<2x5xf32>, memref<2x5xf32>, memref<2x5xf32>)
        outs(%dq, %dk, %dv : memref<2x5x4xf32>, memref<2x7x4xf32>, memref<2x7x3xf32>) {scale = 0.5 : f32}
    ```
  }];
  let arguments = (ins Kern_Shaped:$query, Kern_Shaped:$key, Kern_Shaped:$value, Kern_Shaped:$cotangent, Kern_Shaped:$maxima, Kern_Shaped:$sums,
                       Kern_Shaped:$dots, Optional<Kern_Shaped>:$mask, Variadic<Kern_Shaped>:$outs, F32Attr:$scale, UnitAttr:$causal);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)`
    `of` `(` $cotangent `,` $maxima `,` $sums `,` $dots `:` type($cotangent) `,` type($maxima) `,` type($sums) `,` type($dots) `)`
    (`mask` `(` $mask^ `:` type($mask) `)`)? `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

#endif // KERN_ATTENTION_TD
