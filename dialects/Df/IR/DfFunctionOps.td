// Functions of the df dialect, and what ends them and regions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_FUNCTION_OPS_TD
#define DF_FUNCTION_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def Df_FunctionOp : Df_Op<"function", [Df_Work<"Free">, IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "an entry function";
  let description = [{
    Arguments are features, named by the argument attribute `df.name`; results are outputs, named by the result attribute `df.name`. After
    `df-state-to-values` each carries a `df.binding` instead. `role` says what the runtime runs it as, `segment` the kind of a segment,
    `entry` the name of the entry a segment belongs to. `df.symbol` on an argument or result names the dimension symbol of its dynamic first dimension: 0, the
    rows of the batch, if it is absent; k >= 1 for the values of a multi-valued feature `tags`, which is the arguments `tags` (values of all rows), `tags.ends`
    (where each row's values end) and, where values have weights, `tags.weight`, or for a `df.dimension`.
    -1 on an output after `df-outline-features`: only the call knows its dynamic dimensions.

    Where dimensions after the first are dynamic, `df.symbols` names the symbols of all dynamic dimensions, in their order: `array<i64: 0, 3>` for `tensor<?x?x8xf32>` whose second dimension
    is symbol 3. Dimensions of one symbol are equally large, which the runtime checks in each call. `df-number-symbols` gives a symbol of its own to each such dimension of a feature that has no `df.symbols`.

    Constraints: (C1) the body's arguments have the function's argument types; (C2) `df.symbols` is an array of i64 on a tensor, one for each dynamic dimension, none negative, and stands without `df.symbol`; (C3) the body ends in a `df.return`.

    Example:
    ```mlir
    df.function @predict(%x: tensor<?x4xf32> {df.name = "x"}) -> (tensor<?x4xf32> {df.name = "y"}) attributes {role = #df.role<predict>} {
      %y = df.relu %x : tensor<?x4xf32>
      df.return %y : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       DefaultValuedAttr<Df_RoleAttr, "::mlc::df::Role::Other">:$role,
                       OptionalAttr<Df_SegmentKindAttr>:$segment, OptionalAttr<StrAttr>:$entry,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type, "::mlc::df::Role":$role)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Names of the argument and result attributes.
    static constexpr ::llvm::StringLiteral kNameAttr = "df.name";
    static constexpr ::llvm::StringLiteral kBindingAttr = "df.binding";
    static constexpr ::llvm::StringLiteral kSymbolAttr = "df.symbol";
    static constexpr ::llvm::StringLiteral kSymbolsAttr = "df.symbols";
    /// Attribute of an argument: its value in a run of `df-interpret`.
    static constexpr ::llvm::StringLiteral kValueAttr = "df.value";
    /// The symbol of an output whose dynamic dimensions only the call knows.
    static constexpr int64_t kSymbolOfCall = -1;
    /// Binding of an argument or result, or null.
    ::mlc::df::BindingAttr getArgBinding(unsigned i) { return getArgAttrOfType<::mlc::df::BindingAttr>(i, kBindingAttr); }
    ::mlc::df::BindingAttr getResultBinding(unsigned i) { return getResultAttrOfType<::mlc::df::BindingAttr>(i, kBindingAttr); }
    /// The dimension symbol of each dimension that `attributes` of an argument or result of `type` tell: none of static
    /// ones, of dynamic ones after the first that `df.symbols` does not name, and of types that are no tensors.
    static ::llvm::SmallVector<std::optional<int64_t>> symbolsOf(::mlir::DictionaryAttr attributes, ::mlir::Type type);
    ::llvm::SmallVector<std::optional<int64_t>> getArgSymbols(unsigned i) { return symbolsOf(getArgAttrDict(i), getArgumentTypes()[i]); }
    ::llvm::SmallVector<std::optional<int64_t>> getResultSymbols(unsigned i) { return symbolsOf(getResultAttrDict(i), getResultTypes()[i]); }
    /// Sets in `attributes` what tells the symbols of the dynamic dimensions of `type`: `symbols`, one for each. The rows of the batch as the only one are told by nothing.
    static void setSymbols(::mlir::NamedAttrList &attributes, ::mlir::Type type, ::llvm::ArrayRef<int64_t> symbols);
  }];
}

def Df_ReturnOp : Df_Op<"return", [Pure, ReturnLike, Terminator, HasParent<"FunctionOp">]> {
  let summary = "ends a function";
  let description = [{ Constraints: (C1) operands have the function's result types. Example: `df.return %y : tensor<?x4xf32>` }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Df_CallOp : Df_Op<"call", [Df_Work<"Free">, DeclareOpInterfaceMethods<SymbolUserOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<CallOpInterface, ["resolveCallable", "resolveCallableInTable"]>, Df_FreeResultType<"it is that of the callee, a symbol">]> {
  let summary = "runs a called segment of the entry";
  let description = [{
    A segment that may wait holds no variable; where it uses one between two waits, in a loop or a branch, it calls a segment of kind `called` that does (`df-outline-called`), for as long as which the
    variables' locks are held. Constraints: (C1) `callee` is a `df.function` of segment kind `called`; (C2) operands are of the types of its arguments that are bound as intermediates, in their order;
    (C3) results are of the types of its results that are.

    Example: `%y = df.call @train.c0(%x) : (tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Df_Tensor>:$operands);
  let results = (outs Variadic<Df_Tensor>:$results);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, $results)";
  let extraClassDeclaration = [{
    ::mlir::ArrayAttr getArgAttrsAttr() { return {}; }
    ::mlir::ArrayAttr getResAttrsAttr() { return {}; }
    void setArgAttrsAttr(::mlir::ArrayAttr) {}
    void setResAttrsAttr(::mlir::ArrayAttr) {}
    ::mlir::Attribute removeArgAttrsAttr() { return {}; }
    ::mlir::Attribute removeResAttrsAttr() { return {}; }
  }];
}

def Df_YieldOp : Df_Op<"yield", [Pure, Terminator, DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "ends a region";
  let description = [{ Example: `df.yield %a, %b : tensor<f32>, tensor<i64>` }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

#endif // DF_FUNCTION_OPS_TD
