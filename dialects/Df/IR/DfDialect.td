// The df dialect: dataflow graphs with state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_DIALECT_TD
#define DF_DIALECT_TD

include "mlir/IR/OpBase.td"

def Df_Dialect : Dialect {
  let name = "df";
  let cppNamespace = "::mlc::df";
  let summary = "Dataflow graphs with state: tensors, variables, vocabularies, control flow, gradients";
  let description = [{
    `df` stands between `est` (what to learn) and linalg/kern (how to compute). A module holds state as symbols
    (`df.variable`, `df.vocabulary`), dimension symbols that follow from others (`df.dimension`) and entry functions
    (`df.function`) that share it.

    Invariants, by stage (each checked by the pass that ends it):
    1. *As built.* State is named by symbol (`df.read`, `df.assign`, `df.read_rows`, `df.apply_rows`); ops on one symbol keep
       program order, ops on different symbols may be reordered. `df.gradients` may occur.
    2. *After `df-expand-gradients`*: no `df.gradients`, no `df.batch_mean`; sums over rows that leave a shard pass through `df.all_reduce`.
    3. *After `df-split-step`*: no `df.all_reduce`; a train function has its siblings train_grad, train_combine, train_apply.
    4. *After `df-state-to-values`*: no op names a variable; each function takes the values of the variables it reads as
       arguments and returns those it writes, at most once each, told by `#df.binding`.
    5. *After `df-outline-features`*: functions are segments; those of kind features read no state. A dynamic dimension of a result is the dimension
       symbol that its `df.symbol` or `df.symbols` names, or the rows of the batch; only an output may have others (`df.symbol` = -1), no other buffer of the runtime has. Loops carry tensors whose shapes stay.

    **Sizes.** An unknown size agrees with every other one when a module is verified; whether sizes agree is checked at
    run time where nothing shows that they do (`df-require-sizes`). So says one function of the verifiers (`agree`,
    DfSizeRule.h). Of a dimension that operands and results of an op share (`DimensionsOpInterface`) each type may say more
    or less than the others; `df-refine-types` makes all of them say what one of them knows. A size that an op makes is
    declared as it is computed. What a region takes and yields, what a call passes and what a variable holds has the declared type to the
    letter: `df.cast_shape` goes between.

    Values are builtin ranked tensors. A dynamic dimension of an entry's argument is the number of rows of the batch,
    or the dimension symbol that its `df.symbol` or `df.symbols` names. Integers are signless; an op whose result depends on the sign says so. Broadcasts are explicit.

    No tensor has more than 2^58 elements, as far as its static dimensions tell.

    Ops have declared attributes alone. Attributes `df.` stand on modules and functions, their arguments and results (DfDiscardableAttrs.cpp lists them); others are errors.
  }];
  let dependentDialects = [];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Attribute of a module after `df-state-to-values`: the defaults of settings by path.
    static constexpr ::llvm::StringLiteral kSettingsAttr = "df.settings";
    /// Attribute of a module until `df-round-products`: a `#df.precision`.
    static constexpr ::llvm::StringLiteral kPrecisionAttr = "df.precision";
    /// Attribute of modules: a training step that cannot be cut into parts stays whole, for one process.
    static constexpr ::llvm::StringLiteral kOptionalPartsAttr = "df.optional_parts";
    /// Attribute of a product after `df-round-products`: the `#df.precision` whose numbers all elements of its factors are, of `tf32`,
    /// which has no type of its own; who does not know of it may drop it there. Of `df.attention` and its gradients it is part of the meaning: shares are rounded, too.
    static constexpr ::llvm::StringLiteral kFactorsAttr = "df.factors";
    /// What a function of another dialect keeps of the df.function that it was: its role, its entry, the kind of its segment, its type.
    static constexpr ::llvm::StringLiteral kRoleAttr = "df.role";
    static constexpr ::llvm::StringLiteral kEntryAttr = "df.entry";
    static constexpr ::llvm::StringLiteral kSegmentAttr = "df.segment";
    static constexpr ::llvm::StringLiteral kTypeAttr = "df.type";

    /// Terms of vocabularies that were found to be right: a list of a million is looked at once, not after each pass.
    bool areKnownTerms(::mlir::ArrayAttr terms);
    void addKnownTerms(::mlir::ArrayAttr terms);

  private:
    ::llvm::sys::Mutex knownTermsMutex;
    ::llvm::DenseSet<::mlir::Attribute> knownTerms;

  public:
  }];
}

#endif // DF_DIALECT_TD
