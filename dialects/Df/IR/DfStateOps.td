// State of the df dialect: variables, tables and what names them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_STATE_OPS_TD
#define DF_STATE_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "mlir/IR/OpAsmInterface.td"

def Df_VariableOp : Df_Op<"variable", [Df_Work<"Free">, Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "state that entry functions share";
  let description = [{
    A tensor of static shape. `trainable`: an optimizer may move it. `lifetime` eval: a metric's, written by the eval_reset entry, in no checkpoint.
    `slot_of` with `slot`: an optimizer's slot of another variable. `racy`: entries that run at once take no lock for it, so updates may be lost.
    `named_rows`: the variable is several tensors in one, each a range of its rows, the first ones first. They are what
    checkpoints, exports and warm starts know, each by its name; each begins as a variable of that name would. The name
    of the variable itself is then the program's alone. A slot of such a variable has the slots of the tensors.
    Constraints: (C1) the type is static; (C2) `slot_of` names a variable and comes with `slot`; (C3) named rows are
    together all rows of the variable, each has a row at least and a name of its own; (C4) those of a slot are as many as
    those of its variable, with as many rows each; (C5) a constant initializer is a value of the elements, and random
    ones are for floats.

    Example: `df.variable @w : tensor<4x2xf32> = #df.truncated_normal<0.0, 0.5> {trainable}`
    Example: `df.variable @ab : tensor<5x2xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"b", 2>]}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<StaticShapeTensorOf<[Df_NumberOrBool]>>:$type,
                       Df_InitializerAttr:$initializer, UnitAttr:$trainable,
                       DefaultValuedAttr<Df_LifetimeAttr, "::mlc::df::Lifetime::Train">:$lifetime,
                       OptionalAttr<FlatSymbolRefAttr>:$slot_of, OptionalAttr<StrAttr>:$slot, UnitAttr:$racy,
                       OptionalAttr<TypedArrayAttrBase<Df_NamedRowsAttr, "named rows">>:$named_rows);
  let assemblyFormat = "$sym_name `:` $type `=` $initializer attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    /// The number of a constant initializer as an element; null for another one, and for a number that is no value of
    /// the elements.
    ::mlir::Attribute getConstantElement();
    /// The tensors that it is; none if it is one, of its own name.
    ::llvm::SmallVector<::mlc::df::NamedRowsAttr> getTensors();
  }];
}

def Df_VocabularyOp : Df_Op<"vocabulary", [Df_Work<"Free">, Symbol]> {
  let summary = "a vocabulary: distinct terms with their positions";
  let description = [{
    Constraints: (C1) terms are distinct, all strings or all i64; (C2) `num_oov` >= 0; with OOV buckets `default_value` is -1.

    Example: `df.vocabulary @gender ["Female", "Male"] {num_oov = 0 : i64, default_value = -1 : i64}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$terms, DefaultValuedAttr<I64Attr, "0">:$num_oov,
                       DefaultValuedAttr<I64Attr, "-1">:$default_value);
  let assemblyFormat = "$sym_name $terms attr-dict";
  let hasVerifier = 1;
}

def Df_DimensionOp : Df_Op<"dimension", [Df_Work<"Free">]> {
  let summary = "a dimension symbol that follows from others";
  let description = [{
    sum: term k is the factor of symbol k; the value is the sum of the products. product: the terms are symbols of multi-valued features; the value
    is the sum over the rows of the batch of the product of their numbers of values in the row. Constraints: (C1) `symbol` is in [1, 2^20] and no other dimension has it;
    (C2) terms name symbols below it only, factors are >= 0 and not all 0, a product has at least two terms.

    Example: `df.dimension sum [1, 2] as 3`, `df.dimension product [1, 2] as 4`
  }];
  let arguments = (ins I64Attr:$symbol, Df_DimensionKindAttr:$kind, DenseI64ArrayAttr:$terms);
  let assemblyFormat = "`` $kind $terms `as` $symbol attr-dict";
  let hasVerifier = 1;
}

def Df_ReadOp : Df_Op<"read", [Df_Work<"Free">, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Df_AccessesState,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Df_FreeResultType<"it is that of the variable, a symbol">]> {
  let summary = "the value of a variable";
  let description = [{ Constraints: (C1) the result has the variable's type. Example: `%w = df.read @w : tensor<4x2xf32>` }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

class Df_AssignLikeOp<string opMnemonic, string what, string formula, TypeConstraint valueType> : Df_Op<opMnemonic,
    [Df_Work<"Update">, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Df_AccessesState]> {
  let summary = what;
  let description = formula # [{
    Constraints: (C1) the value has the variable's type.

    Example: `df.}] # opMnemonic # [{ @w, %x : tensor<4x2xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, valueType:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}
def Df_AssignOp : Df_AssignLikeOp<"assign", "sets a variable", "variable = value. ", Df_Tensor>;
def Df_AssignAddOp : Df_AssignLikeOp<"assign_add", "adds to a variable", "variable += value, element by element. ", Df_NumberTensor>;
def Df_AssignSubOp : Df_AssignLikeOp<"assign_sub", "subtracts from a variable", "variable -= value, element by element. ", Df_NumberTensor>;

def Df_ReadRowsOp : Df_Op<"read_rows", [Df_Work<"GatherScatter">, Df_MapsDimensions, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Df_AccessesState, Df_FreeResultType<"its rows are those of the variable, a symbol">]> {
  let summary = "rows of a variable by id";
  let description = [{
    Row i of the result is row ids[i] of the variable; an id < 0 gives zeros. An id >= the number of rows fails the step before anything is read.
    Constraints: (C1) ids are [n]; (C2) the variable has rank >= 1 and the result is [n, the rest of its shape].

    Example: `%e = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, Df_IdTensor:$ids);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$variable `[` $ids `]` attr-dict `:` functional-type($ids, $result)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<"map.rows(getIds(), getResult());">.definition;
}

def Df_ApplyRowsOp : Df_Op<"apply_rows", [Df_Work<"Update">, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Df_AccessesState,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "updates rows of variables from a sparse gradient";
  let description = [{
    For each row of `rows`: the region gets that row of each variable (as a tensor of the row's shape), then the gradient's row, and yields the new
    rows. It may use scalars from outside. With `every_row` rows that `rows` does not hold are updated alike, with a gradient of zeros. Constraints: (C1) at least one variable; all have the shape of `rows`; (C2) the region's arguments are the variables' rows
    and the gradient's row; (C3) it yields one row for each variable.

    Example:
    ```mlir
    df.apply_rows [@table, @table_acc], %rows : !df.rows<tensor<100x8xf32>> {
    ^bb0(%w: tensor<8xf32>, %a: tensor<8xf32>, %g: tensor<8xf32>):
      %s = df.square %g : tensor<8xf32>
      %a1 = df.add %a, %s : tensor<8xf32>
      %w1 = df.sub %w, %g : tensor<8xf32>
      df.yield %w1, %a1 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$variables, Df_RowsType:$rows, UnitAttr:$every_row);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`every_row` $every_row^)? $variables `,` $rows `:` qualified(type($rows)) $body attr-dict";
  let hasVerifier = 1;
  let hasRegionVerifier = 0;
}

def Df_UpdateRowsOp : Df_Op<"update_rows", [Df_Work<"Update">, Df_MapsDimensions, Df_EffectFree, SingleBlockImplicitTerminator<"YieldOp">, Df_InfersTypes]> {
  let summary = "df.apply_rows on values";
  let description = [{
    The tables with the rows `ids[0..count)`, which ascend and are rows of the tables (else the step fails), replaced by what the region yields; with `every_row` all rows, where those without an id have a gradient of zeros. Constraints: (C1) as `df.apply_rows`; ids are
    [n], rows [n, row shape]; (C2) one result for each table, of its type.

    Example:
    ```mlir
    %t1 = df.update_rows tables(%t) ids(%ids) rows(%g) count(%n) : (tensor<9x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<9x2xf32> {
    ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
      %w1 = df.sub %w, %d : tensor<2xf32>
      df.yield %w1 : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Df_FloatTensor>:$tables, Df_IdTensor:$ids, Df_FloatTensor:$rows, Df_ScalarId:$count,
                       UnitAttr:$every_row);
  let results = (outs Variadic<Df_FloatTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`every_row` $every_row^)? `tables` `(` $tables `)` `ids` `(` $ids `)` `rows` `(` $rows `)` `count` `(` $count `)` attr-dict
    `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
}

#endif // DF_STATE_OPS_TD
