// The kern dialect: kernels between linalg and loops, in destination style.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_OPS_TD
#define KERN_OPS_TD

include "dialects/Kern/IR/KernAttrs.td"
include "mlir/IR/SymbolInterfaces.td"

def Kern_YieldOp : Kern_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a kernel's region";
  let description = [{ Example: `kern.yield %x : f32` }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

def Kern_ContractOp : Kern_DpsOp<"contract", [AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "product of tensors with an epilogue";
  let description = [{
    With A = op(lhs) of shape [M, K] and B = op(rhs) of shape [K, N], op = transposition if asked for: acc[m, n] = sum over k of A[m, k] * B[k, n], k ascending in blocks that are a function of
    the shape. The region maps (acc, elements of `extras` at [m, n] under `extra_maps`) to the elements of `outs` at [m, n].

    The type of its first argument is what elements are converted to, exactly, and products are added in: floats by one FMA each, integers modulo 2^n. So lhs and rhs may be narrower: bf16 by bf16 in f32, 8-bit integers in
    i32, of which `unsigned_lhs` and `unsigned_rhs` say that zeros extend them. What belongs to zero points, sums of rows and of columns, is made of extras in the region.

    `maps` say the same of tensors of any rank: from the loops of the product to the dimensions of lhs, rhs and the outs, as linear maps with constants. Loops in all of them are batches, those of
    lhs and outs rows, of rhs and outs columns, of lhs and rhs the inner dimensions, which are summed in row-major order. So lhs may be read through a window: with
    (b, p, o, k, c) -> (b, p * 2 + k, c) a convolution is a product. `extra_maps` are then from the dimensions of the outs. Panels, what `kern.pack` makes of a right side, have the map (b.., n floordiv w, k.., n mod w).

    `tiling` is how the target runs it.

    Constraints: (C1) without `maps` lhs, rhs and outs are matrices; (C2) there is one map for each extra, from the dimensions of the outs to a projection; (C3) the
    region takes the accumulator and one element for each extra and yields one for each out; (C4) `maps` are three, without transposition, of the operands' ranks; every loop is of one of the
    four kinds; of columns there is one, the last dimension of the outs, whose map is a permutation of its loops; an inner loop is a dimension of rhs; (C5) dimensions that one
    loop runs over are equally large, panels hold all columns; (C6) lhs and rhs are floats and the accumulator a float, or integers and an integer, that holds every one of their values; `unsigned_lhs` and `unsigned_rhs` are of integers; (C7) a `tiling` that cuts the
    inner dimension has a first out of the accumulator's type, one of `dots` or `rows` one column, and panels are as wide as one says.

    Example:
    ```mlir
    %h = kern.contract ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) extras(%b : tensor<8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> {
    ^bb0(%acc: f32, %bias: f32):
      %s = arith.addf %acc, %bias : f32
      kern.yield %s : f32
    } {extra_maps = [affine_map<(m, n) -> (n)>]}
    ```
  }];
  let arguments = (ins Kern_Shaped:$lhs, Kern_Shaped:$rhs, Variadic<Kern_Shaped>:$extras, Variadic<Kern_Shaped>:$outs,
                       AffineMapArrayAttr:$extra_maps, UnitAttr:$transpose_a, UnitAttr:$transpose_b, OptionalAttr<AffineMapArrayAttr>:$maps,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs, OptionalAttr<Kern_TilingAttr>:$tiling);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $outs `:` type($outs) `)` (`->` type($results)^)? $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    /// Maps from the loops to the dimensions of lhs, rhs and the outs: `maps`, or what the transpositions say.
    ::llvm::SmallVector<::mlir::AffineMap, 3> getLoopMaps();
    /// What products are added in.
    ::mlir::Type getAccumulatorType() { return getBody().front().getArgument(0).getType(); }
    /// Columns of what is stored, and of what the epilogue reads along them, are taken one after the other; panels lie in
    /// one piece.
    bool canTake(::mlir::OpOperand &operand, ::mlir::MemRefType type);
    /// The columns of a panel, if the right side is packed.
    std::optional<int64_t> getPanelWidth();
  }];
  // `unsigned_lhs`, `unsigned_rhs` and `tiling` came with version 2.
  let useCustomPropertiesEncoding = 1;
}

def Kern_PackOp : Kern_DpsOp<"pack"> {
  let summary = "packs the right side of a product into panels";
  let description = [{
    The one out, the panels, holds the columns of `source` in groups of w, and of each group for every step of the inner dimension w
    neighbours: panels[b.., n floordiv w, k.., n mod w] = source at (b.., n, k..) under the first of `maps`, converted exactly to the out's elements (zeros
    extend integers with `unsigned`). Both maps are from the same loops: batches, columns and the inner ones. What columns hold
    after the last one of the source is undefined.

    Constraints: (C1) `maps` are two, of the operands' ranks, the second one (b.., n floordiv w, k.., n mod w) for the w of the out's last dimension;
    dimensions of the source are linear in the loops, and n is one of them; (C2) dimensions that one loop runs over are equally large, the panels hold all columns; (C3) the out's
    elements hold every value of the source's, `unsigned` is of integers.

    Example:
    ```mlir
    kern.pack ins(%w : memref<4x20xbf16>) outs(%p : memref<2x4x16xf32>) {maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>]}
    ```
  }];
  let arguments = (ins Kern_Shaped:$source, Variadic<Kern_Shaped>:$outs, AffineMapArrayAttr:$maps, UnitAttr:$is_unsigned);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    (`unsigned` $is_unsigned^)? `ins` `(` $source `:` type($source) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    ::mlir::AffineMap getSourceMap() { return ::llvm::cast<::mlir::AffineMapAttr>(getMaps()[0]).getValue(); }
    ::mlir::AffineMap getPanelMap() { return ::llvm::cast<::mlir::AffineMapAttr>(getMaps()[1]).getValue(); }
    /// Panels lie in one piece.
    bool canTake(::mlir::OpOperand &operand, ::mlir::MemRefType type);
    ::mlir::Value getPanels() { return getOuts()[0]; }
    int64_t getPanelWidth() { return ::llvm::cast<::mlir::ShapedType>(getPanels().getType()).getShape().back(); }
  }];
}

def Kern_TakeRowsOp : Kern_DpsOp<"take_rows", [Kern_TakesContiguousRows]> {
  let summary = "rows of a table by id";
  let description = [{
    outs[i, :] = table[ids[i], :], zeros for an id < 0. Constraints: (C1) ids are [n] of i64, the one out [n, d...] with rows of the table's type.

    Example: `%e = kern.take_rows ins(%t, %ids : tensor<9x4xf32>, tensor<?xi64>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Kern_Shaped:$table, Kern_Shaped:$ids, Variadic<Kern_Shaped>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $table `,` $ids `:` type($table) `,` type($ids) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kern_UpdateRowsOp : Kern_DpsOp<"update_rows", [Kern_TakesContiguousRows, AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "updates rows of tables in place";
  let description = [{
    For k in [0, count): row ids[k] of each of `outs` becomes what the region yields, element by element, from (elements of the tables' rows, element of the gradient's
    row, `scalars`). The gradient's row is values[k], or, if `grouping` = (ends, order) is given, the sum of values[order[j]] for j from ends[k-1] (0 for k = 0) to ends[k].
    With `every_row` the other rows become what the region yields of zeros as the gradient; ids[0..count) then ascend strictly. The region is told, after the
    gradient's element, whether the row has an id: what fusion makes of the gradient must leave those zeros alone.
    Constraints: (C1) all outs have one type; values are [n, d...] with rows of that type, ids, ends and order [n] of i64, count a scalar of i64, scalars of one element; (C2) the region takes one element for each out, the gradient's, with `every_row` an i1,
    and one for each scalar, and yields one for each out.

    Example:
    ```mlir
    %t1 = kern.update_rows ids(%ids, %count : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) outs(%t : tensor<9x4xf32>) -> tensor<9x4xf32> {
    ^bb0(%w: f32, %d: f32):
      %s = arith.subf %w, %d : f32
      kern.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Kern_Shaped:$ids, Kern_Shaped:$count, Kern_Shaped:$values, Variadic<Kern_Shaped>:$grouping,
                       Variadic<Kern_Shaped>:$scalars, Variadic<Kern_Shaped>:$outs, UnitAttr:$every_row);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`every_row` $every_row^)? `ids` `(` $ids `,` $count `:` type($ids) `,` type($count) `)` `values` `(` $values `:` type($values) `)`
    (`grouping` `(` $grouping^ `:` type($grouping) `)`)? (`scalars` `(` $scalars^ `:` type($scalars) `)`)?
    `outs` `(` $outs `:` type($outs) `)` (`->` type($results)^)? $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    /// There are as many rows as the count says.
    /// Rows that are not updated stay.
    bool readsOuts() { return true; }
    bool isHostOperand(::mlir::OpOperand &operand) { return &operand == &getCountMutable(); }
  }];
}

def Kern_GroupSumOp : Kern_DpsOp<"group_sum", [Kern_TakesContiguousRows]> {
  let summary = "sums rows by group";
  let description = [{
    For k in [0, count): outs[k, :] = sum of values[order[j], :] for j from ends[k-1] (0 for k = 0) to ends[k], in that order, starting with the first, in blocks of 64 where there are more. What rows
    from `count` on hold is undefined: the outs' old elements are not read.
    Constraints: (C1) values and the one out have one type, [n, d...]; ends and order are [n] of i64, count is a scalar of i64.

    Example: `%g = kern.group_sum ins(%v, %e, %o, %c : tensor<?x4xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Kern_Shaped:$values, Kern_Shaped:$ends, Kern_Shaped:$order, Kern_Shaped:$count, Variadic<Kern_Shaped>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $values `,` $ends `,` $order `,` $count `:` type($values) `,` type($ends) `,` type($order) `,` type($count) `)`
    `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    /// There are as many rows as the count says.
    bool isHostOperand(::mlir::OpOperand &operand) { return &operand == &getCountMutable(); }
  }];
}

def Kern_RaggedSumOp : Kern_DpsOp<"ragged_sum", [Kern_TakesContiguousRows]> {
  let summary = "sums neighbouring rows";
  let description = [{
    outs[r, :] = 0 + values[ends[r-1], :] (0 for r = 0) + ... + values[ends[r] - 1, :], in that order. Constraints: (C1) values and the one out are alike after the
    first dimension, ends are [m] of i64 for an out of m rows.

    Example: `%s = kern.ragged_sum ins(%v, %e : tensor<?x4xf32>, tensor<?xi64>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Kern_Shaped:$values, Kern_Shaped:$ends, Variadic<Kern_Shaped>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $values `,` $ends `:` type($values) `,` type($ends) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kern_RaggedRepeatOp : Kern_DpsOp<"ragged_repeat", [Kern_TakesContiguousRows]> {
  let summary = "repeats rows";
  let description = [{
    outs[j, :] = rows[r, :] for ends[r-1] (0 for r = 0) <= j < ends[r]; the last end is the number of rows of the out. Constraints: (C1) rows and the one out are alike after
    the first dimension, ends are [m] of i64 for m rows.

    Example: `%g = kern.ragged_repeat ins(%r, %e : tensor<?x4xf32>, tensor<?xi64>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Kern_Shaped:$rows, Kern_Shaped:$ends, Variadic<Kern_Shaped>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $rows `,` $ends `:` type($rows) `,` type($ends) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kern_ScanOp : Kern_DpsOp<"scan", [AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a value carried along an axis";
  let description = [{
    For each position of the other dimensions, along `axis` from the first element on (with `reverse` from the last one): the region maps (carried value, elements of `ins`) to (next carried value, element of the out).
    The first carried value is `initial`. Constraints: (C1) all ins and the one out have the same dimensions, `axis` is one of them; (C2) the region takes a value of `initial`'s type and one element of
    each of `ins`; (C3) it yields a value of that type and an element of the out.

    Example:
    ```mlir
    %y = kern.scan ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32> {
    ^bb0(%sum: f32, %a: f32):
      %next = arith.addf %sum, %a : f32
      kern.yield %next, %next : f32, f32
    } {axis = 0 : i64, initial = 0.0 : f32}
    ```
  }];
  let arguments = (ins Variadic<Kern_Shaped>:$ins, Variadic<Kern_Shaped>:$outs, TypedAttrInterface:$initial, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $ins `:` type($ins) `)` `outs` `(` $outs `:` type($outs) `)` (`->` type($results)^)? $body attr-dict
  }];
  let hasVerifier = 1;
}

def Kern_ExternalFunctionOp : Kern_Op<"external_function", [Symbol]> {
  let summary = "a C function that comes with the model";
  let description = [{
    The function `sym_name` of `bitcode`, LLVM bitcode that is linked into the artifact. Calls of one that is not
    `thread_safe` take turns.
    Constraints: (C1) there is bitcode.

    Example: `kern.external_function @clip bitcode "BC..." {thread_safe}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$bitcode, UnitAttr:$thread_safe);
  let assemblyFormat = "$sym_name `bitcode` $bitcode attr-dict";
  let hasVerifier = 1;
}

def Kern_ExternalCallOp : Kern_Op<"external_call", [AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a C function that comes with the model";
  let description = [{
    Calls the `kern.external_function` with buffers of the ins and of the outs but the last one, which gets the number
    that it returns. `dtypes` are the element types (mlcrt_dtype) of these buffers, which types here do not tell. Of a
    function that is not `deterministic` each call has an effect.
    Constraints: (C1) the last out is one i32; (C2) there is a dtype for each of the others; (C3) elements of memrefs
    lie one after another, as far as their types tell; (C4) `callee` is a kern.external_function.

    Example:
    ```mlir
    %y, %code = kern.external_call @clip ins(%x : tensor<?xf32>) outs(%e, %c : tensor<?xf32>, tensor<i32>) dtypes [1, 1] {deterministic} -> tensor<?xf32>, tensor<i32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Kern_Shaped>:$ins, Variadic<Kern_Shaped>:$outs,
                       DenseI32ArrayAttr:$dtypes, UnitAttr:$deterministic);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $outs `:` type($outs) `)` `dtypes` $dtypes attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

def Kern_ConcatOp : Kern_DpsOp<"concat", [AttrSizedOperandSegments]> {
  let summary = "tensors beside each other";
  let description = [{
    The one out is `ins` one after another along `axis`. It stays one op of as many operands as it joins until there are buffers:
    what analyses bufferization then walks it once, and `codegen-place-parts` has the parts computed where they end.

    Constraints: (C1) ins and the one out agree in element type and in all dimensions but `axis`, which is one of them; along it the
    out has the sum of the ins, where all sizes are known.

    Example:
    ```mlir
    %x = kern.concat ins(%a, %b : tensor<?x1xf32>, tensor<?x4xf32>) outs(%e : tensor<?x5xf32>) {axis = 1 : i64} -> tensor<?x5xf32>
    ```
  }];
  let arguments = (ins Variadic<Kern_Shaped>:$ins, Variadic<Kern_Shaped>:$outs, I64Attr:$axis);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $ins `:` type($ins) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kern_SplitOp : Kern_DpsOp<"split"> {
  let summary = "parts of a tensor";
  let description = [{
    Each of the outs is the part of `value` that begins at its number in `offsets` along `axis`, and has all of the other
    dimensions. Slices of one tensor share its buffer, and an analysis of buffers looks at each with all others; parts are values of
    their own, which `codegen-place-parts` copies to where they end.

    Constraints: (C1) outs agree with the value in element type and in all dimensions but `axis`, which is one of them; (C2) there is
    an offset for each out, and its part lies within the value, where sizes are known.

    Example:
    ```mlir
    %a, %b = kern.split ins(%x : tensor<5x2xf32>) outs(%d, %e : tensor<1x2xf32>, tensor<4x2xf32>) {axis = 0 : i64, offsets = array<i64: 0, 1>} -> tensor<1x2xf32>, tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Kern_Shaped:$value, Variadic<Kern_Shaped>:$outs, I64Attr:$axis, DenseI64ArrayAttr:$offsets);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $value `:` type($value) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Kern_CopiesOp : Kern_Op<"copies", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "many copies of one kind";
  let description = [{
    Copies each of `sources` to the target in its place. What is one loop over a table of pointers in code is one op in the IR: its
    operands say what it touches. No target overlaps another operand.

    Constraints: (C1) sources and targets are memrefs, as many of one as of the other, and at least one; (C2) all sources have one
    type but for their offsets, all targets too; both have one shape and element type. At most the first dimension that is not 1 is
    dynamic, and may be of another size in each pair; what is after it has static strides.

    Example:
    ```mlir
    kern.copies %a, %b to %x, %y : memref<?xf32>, memref<?xf32> to memref<?xf32, strided<[2]>>, memref<?xf32, strided<[2], offset: 1>>
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$sources, Variadic<AnyMemRef>:$targets);
  let assemblyFormat = "$sources `to` $targets attr-dict `:` type($sources) `to` type($targets)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How all of the copies run: `rows` (dynamic: as the source has) times `width` elements side by side.
    struct Pattern {
      int64_t rows, width, sourceStride, targetStride;
      /// The dimension that rows are along; none if there is one row.
      std::optional<int64_t> rowDimension;
      bool operator==(const Pattern &other) const {
        return rows == other.rows && width == other.width && sourceStride == other.sourceStride &&
               targetStride == other.targetStride;
      }
    };
    /// The pattern of a copy between buffers of these types, if it has one.
    static std::optional<Pattern> getPattern(::mlir::MemRefType source, ::mlir::MemRefType target);
    Pattern getPattern();
  }];
}

def Kern_TransferOp : Kern_Op<"transfer", [DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies to another memory space";
  let description = [{
    The one out becomes what `source` is, in another memory space. Spaces are numbers: 0, which is not written, is the host's memory, k > 0 is space k of the
    artifact (mlcrt/abi.h). A memref has its space in its type, a tensor has that of the buffer which it will be as its encoding.
    Constraints: (C1) source and the one out agree in element type and sizes; (C2) their spaces differ; (C3) elements of memrefs lie one after another, as far
    as their types tell.

    Example: `%h = kern.transfer ins(%d : tensor<?xf32, 1 : i64>) outs(%e : tensor<?xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins Kern_Shaped:$source, Variadic<Kern_Shaped>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

def Kern_PublishOp : Kern_Op<"publish", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "makes a buffer an output of the segment";
  let description = [{
    `value` becomes data and dims of buffer `number` of the segment's frame: an output whose size only the call knows. It stays with the runtime, so no workspace may hold it.
    On tensors, the tensor's buffer is made so. Constraints: (C1) `number` >= 0; (C2) elements of a memref lie one after another, as far as its type tells.

    Example: `kern.publish %x as 2 : memref<?xf32>`
  }];
  let arguments = (ins Kern_Shaped:$value, I64Attr:$number);
  let assemblyFormat = "$value `as` $number attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Kern_LaunchOp : Kern_Op<"launch", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "independent tasks";
  let description = [{
    Runs the region for each task number in [0, tasks). Tasks write disjoint memory, so that neither order nor threads matter. `cost` estimates
    nanoseconds of one task on one core; it decides between a parallel and a serial run, never a result.

    With a `grid` a task is a block of threads of a device: each thread runs the region with the number of its block and its own in [0, threads).

    Constraints: (C1) the region takes an index, with a `grid` two, and yields nothing.

    Example:
    ```mlir
    kern.launch %n cost 1000 {
    ^bb0(%task: index):
      kern.yield
    }
    kern.launch %n cost 1000 grid <threads = 256, shared_bytes = 0> {
    ^bb0(%block: index, %thread: index):
      kern.yield
    }
    ```
  }];
  let arguments = (ins Index:$tasks, I64Attr:$cost, OptionalAttr<Kern_GridAttr>:$grid);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$tasks `cost` $cost (`grid` $grid^)? $body attr-dict";
  let hasVerifier = 1;
  // `grid` came with version 2.
  let useCustomPropertiesEncoding = 1;
}

def Kern_GroupOp : Kern_Op<"group", [RecursiveMemoryEffects, NoTerminator, NoRegionArguments, SingleBlock]> {
  let summary = "launches that do not depend on each other";
  let description = [{
    Runs the tasks of all launches of the region as one parallel loop. No launch may write what another one touches, which who makes the group has to know.
    Constraints: (C1) the region holds `kern.launch` only.

    Example:
    ```mlir
    kern.group {
      kern.launch %n cost 1000 {
      ^bb0(%task: index):
        kern.yield
      }
      kern.launch %m cost 200 {
      ^bb0(%task: index):
        kern.yield
      }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
}

#endif // KERN_OPS_TD
