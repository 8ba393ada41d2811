// Feature ops of the df dialect: strings, hashes, vocabularies, buckets, ids.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_FEATURE_OPS_TD
#define DF_FEATURE_OPS_TD

include "dialects/Df/IR/DfBase.td"

def Df_FingerprintOp : Df_PlainOp<"fingerprint", [Df_PreparesFeatures, Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.i64()">]> {
  let summary = "64-bit FarmHash fingerprint of strings or of integers' decimal text";
  let description = [{
    Fingerprint64(bytes), reinterpreted as signed. Constraints: (C1) shapes are equal.

    Example: `%h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>`
  }];
  let arguments = (ins RankedTensorOf<[Df_String, I64]>:$operand);
  let results = (outs Df_IdTensor:$result);
}

def Df_FingerprintCatOp : Df_Op<"fingerprint_cat", [Df_PreparesFeatures, Df_EffectFree, Df_NeverFails, Df_JoinsTypes, Df_Elementwise]> {
  let summary = "combines two fingerprints; not commutative";
  let description = [{
    FingerprintCat64: with M = 0xc6a4a7935bd1e995 and mix(x) = x ^ (x >> 47): r = f1 ^ M; r ^= mix(f2*M)*M; r *= M; r = mix(r)*M; r = mix(r), modulo 2^64.

    Example: `%h = df.fingerprint_cat %a, %b : tensor<?xi64>`
  }];
  let arguments = (ins Df_IdTensor:$lhs, Df_IdTensor:$rhs);
  let results = (outs Df_IdTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<JoinedTypes>(type($lhs), type($rhs), type($result))";
}

def Df_HashBucketOp : Df_Op<"hash_bucket", [Df_PreparesFeatures, Df_InfersIntegers, Df_EffectFree, Df_NeverFails, Df_JoinsTypes, Df_Elementwise]> {
  let summary = "unsigned remainder of a fingerprint";
  let description = [{
    The operand as unsigned 64-bit, modulo `buckets`. Constraints: (C1) `buckets` > 0.

    Example: `%id = df.hash_bucket %h {buckets = 1000 : i64} : tensor<?xi64>`
  }];
  let arguments = (ins Df_IdTensor:$operand, I64Attr:$buckets);
  let results = (outs Df_IdTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
  let hasVerifier = 1;
}

def Df_IsEmptyOp : Df_PlainOp<"is_empty", [Df_PreparesFeatures, Df_Work<"Free">, Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.i1()">]> {
  let summary = "whether a string is empty: a missing value";
  let description = [{
    Constraints: (C1) shapes are equal.

    Example: `%m = df.is_empty %s : (tensor<?x!df.string>) -> tensor<?xi1>`
  }];
  let arguments = (ins Df_StringTensor:$operand);
  let results = (outs Df_BoolTensor:$result);
}

def Df_LookupOp : Df_Op<"lookup", [Df_PreparesFeatures, Df_InfersIntegers, Df_Work<"GatherScatter">, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Df_SameShape<"infer.i64()", "(C2)">]> {
  let summary = "position of terms in a vocabulary";
  let description = [{
    For a term that is not in `table`: fingerprint mod num_oov + number of terms if the table has OOV buckets, else its default_value.
    Constraints: (C1) `table` is a `df.vocabulary` of the operand's element type; (C2) shapes are equal.

    Example: `%id = df.lookup @occupations, %s : (tensor<?x!df.string>) -> tensor<?xi64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, RankedTensorOf<[Df_String, I64]>:$operand);
  let results = (outs Df_IdTensor:$result);
  let assemblyFormat = "$table `,` $operand attr-dict `:` functional-type($operand, results)";
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_TermOp : Df_Op<"term", [Df_Work<"Free">, Df_MapsDimensions, Df_EffectFree, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Df_SameShape<"infer.string()", "(C2)">]> {
  let summary = "terms of a vocabulary by position";
  let description = [{
    The inverse of `df.lookup` for ids in [0, number of terms). Its result is a string tensor whose cells lie in the artifact.
    Constraints: (C1) `table` is a `df.vocabulary` of strings; (C2) shapes are equal.

    Example: `%s = df.term @classes, %id : (tensor<?x1xi64>) -> tensor<?x1x!df.string>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, Df_IdTensor:$operand);
  let results = (outs Df_StringTensor:$result);
  let assemblyFormat = "$table `,` $operand attr-dict `:` functional-type($operand, results)";
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_CheckIdsOp : Df_Op<"check_ids", [Df_PreparesFeatures, Df_InfersIntegers, Df_Work<"Reduction">, Df_MapsDimensions, DeclareOpInterfaceMethods<SymbolUserOpInterface>, MemoryEffects<[MemWrite<Df_Errors>]>, AttrSizedOperandSegments, Df_JoinsTypesOf<["ids"]>]> {
  let summary = "fails unless ids lie in a range";
  let description = [{
    Returns its operand; fails with a data error that names the row and the value unless low <= id < high. `what` says what the value is, `feature` the
    feature it was read as; `cells` are what the ids were made of (absent: the ids are the cells); `table` is the vocabulary the value had to be in.
    `ends` is where each row's ids end, where ids are [n] and not one per row. With `columns` ids are [rows, columns], each column of a feature of its own under a bound of its own;
    the first column with a wrong id is the one that is named. Constraints: (C1) low < high; (C2) ids are [n], as are `cells`, or [rows, ..], those of each row, without `cells` and `ends`; ends are [rows]; (C3) with `columns` ids are
    [n, columns], each bound is above `low`, `high` is the largest of them, and there are no cells, ends, table or `feature`.

    Example: `%ok = df.check_ids %id, %s in @classes {low = 0 : i64, high = 2 : i64, what = "label 'income'", feature = "income"} : (tensor<?xi64>, tensor<?x!df.string>) -> tensor<?xi64>`
  }];
  let arguments = (ins Df_IdTensor:$ids, Optional<Df_CellTensor>:$cells, Optional<Df_IdTensor>:$ends, OptionalAttr<FlatSymbolRefAttr>:$table,
                       I64Attr:$low, I64Attr:$high, StrAttr:$what, OptionalAttr<StrAttr>:$feature,
                       OptionalAttr<TypedArrayAttrBase<Df_IdColumnAttr, "columns of ids">>:$columns);
  let results = (outs Df_IdTensor:$result);
  let assemblyFormat = "$ids (`,` $cells^)? (`ends` `(` $ends^ `)`)? (`in` $table^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  // One id per row.
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$ids, "::mlir::Value":$cells, "::mlir::FlatSymbolRefAttr":$table,
                             "uint64_t":$low, "uint64_t":$high, "::llvm::StringRef":$what, "::mlir::StringAttr":$feature), [{
    build($_builder, $_state, type, ids, cells, ::mlir::Value(), table, low, high, what, feature, ::mlir::ArrayAttr());
  }]>];
  let extraClassDefinition = Df_Dimensions<"map.all(getIds(), getResult()); map.all(getIds(), getCells());">.definition;
}

def Df_BucketizeOp : Df_PlainOp<"bucketize", [Df_PreparesFeatures, Df_InfersIntegers, Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.i64()">]> {
  let summary = "number of boundaries not above the value";
  let description = [{
    k boundaries make k + 1 buckets [b_i, b_i+1); NaN goes to bucket 0. f32 operands compare with boundaries rounded to f32, f16 and bf16 as f32.
    Constraints: (C1) `boundaries` are finite and strictly increase; (C2) shapes are equal.

    Example: `%b = df.bucketize %x {boundaries = array<f64: 18.0, 25.0>} : (tensor<?xf32>) -> tensor<?xi64>`
  }];
  let arguments = (ins Df_FloatTensor:$operand, DenseF64ArrayAttr:$boundaries);
  let results = (outs Df_IdTensor:$result);
  let hasVerifier = 1;
}

def Df_OneHotOp : Df_PlainOp<"one_hot", [Df_Work<"GatherScatter">, Df_Exact, Df_NeverFails, Df_MapsDimensions, Df_FreeResultType<"it says how many classes there are, and the element type">]> {
  let summary = "indicators of ids along a new axis";
  let description = [{
    Element [.., k, ..] is `on` where the id is k, else `off`; an id outside of [0, depth) gives `off` alone, as in TensorFlow: -1 is no id. k counts along `axis`, the last one if it is absent. No gradient.
    Constraints: (C1) the result has the ids' shape and one more, static dimension `axis`: the depth; (C2) `on` and `off` are numbers of the result's element type.

    Example: `%x = df.one_hot %id : (tensor<?xi64>) -> tensor<?x3xf32>`
  }];
  let arguments = (ins Df_IdTensor:$ids, DefaultValuedAttr<F64Attr, "::llvm::APFloat(1.0)">:$on, DefaultValuedAttr<F64Attr, "::llvm::APFloat(0.0)">:$off,
                       OptionalAttr<I64Attr>:$axis);
  let results = (outs Df_NumberTensor:$result);
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  // Of ones and zeros along the last axis.
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$ids), [{
    $_state.addOperands(ids);
    $_state.addTypes(type);
  }]>];
  let extraClassDeclaration = [{
    /// The dimension of the result that counts the ids.
    int64_t getDepthAxis() { return getAxis() ? static_cast<int64_t>(*getAxis()) : getType().getRank() - 1; }
  }];
}

#endif // DF_FEATURE_OPS_TD
