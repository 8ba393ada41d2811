// Op interfaces of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_INTERFACES_TD
#define DF_INTERFACES_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    An op with a reverse-mode gradient rule. Rules are attached from outside (`registerDfGradients`), grouped by family in
    dialects/Df/Autodiff, so that the IR does not depend on them.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<[{
      Builds the vector-Jacobian product. `cotangents` holds one value for each result of the op: the gradient of the loss with
      respect to it, of the result's type, or null where no path leads to the loss. The rule sets `gradients[i]` for each operand
      to a value of the operand's type, or leaves it null where the gradient is zero (integers, comparisons). The builder stands
      after the op, after everything the cotangents need. Fails, with an error emitted at the op, where no gradient exists.
    }],
    "::llvm::LogicalResult", "buildGradient",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$cotangents,
         "::llvm::MutableArrayRef<::mlir::Value>":$gradients)>,
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let description = [{
    An op that means what other df ops compute. The decomposition is its definition: the interpreter evaluates it, `df-decompose` replaces the op by it. Models are attached
    from outside (`registerDfDecompositions`), grouped by family in dialects/Df/Decompose.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<[{
      Builds the ops that the op stands for, of its operands, and appends one value of its type for each result. Does not change the op. Fails, with an error
      emitted at the op, where it has no decomposition.
    }],
    "::llvm::LogicalResult", "decompose",
    (ins "::mlir::OpBuilder &":$builder, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

def FallibleOpInterface : OpInterface<"FallibleOpInterface"> {
  let description = [{
    An op tells whether it may fail. Of an op without this interface it is assumed. What cannot fail is speculatable
    (`Df_EffectFree`): passes may run it where the program would not, as before a loop that may have no iteration.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<[{
      Whether evaluating the op fails the step for some values of its operands, where those sizes agree that have to
      (`DimensionsOpInterface`). Asked of an op that verifies; it looks at types, attributes and constants.
    }],
    "bool", "mayFail">,
  ];
}

def WorkOpInterface : OpInterface<"WorkOpInterface"> {
  let description = [{
    An op tells what kind of work it is, from which cost models know operations and bytes. Of an op without this
    interface they are taken to be one operation for each element of operands and results, and all their bytes; of an
    element-wise one, one for each element of the result.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<"The kind of work.", "::mlc::df::Work", "getWork">,
    InterfaceMethod<[{
      The number of operations, where the kind's formula (`Work`) does not tell it; `sizes` tells those of dynamic
      dimensions. A product of two operands counts two for each of its terms.
    }],
    "std::optional<double>", "countOperations", (ins "const ::mlc::df::DynamicSizes &":$sizes), "",
    "return std::nullopt;">,
  ];
}

def ExactOpInterface : OpInterface<"ExactOpInterface"> {
  let description = [{
    An op tells whether the interpreter's rule for it gives the bits that compiled code gives, so that constants may be
    folded by it. Element-wise ops are exact without saying so; of others without this interface it is not assumed.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [InterfaceMethod<"Whether the rule gives the bits of compiled code.", "bool", "isExact">];
}

def DimensionsOpInterface : OpInterface<"DimensionsOpInterface"> {
  let description = [{
    An op that tells which dimensions of its operands and results are one: kept, reduced or made. What depends on sizes has it from here: where the size of a dimension comes from, which
    sizes must agree, which ops work on rows. Of an op without it no size is known, and it works on whole tensors.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<[{
      Tells the sets of dimensions of operands and results that are equally large if the op means anything. That of the static sizes among them the verifier has made sure.
      It may say of dimensions that they are parallel, and how large those are that the op makes (`DimensionMapping`).
      By default those of an element-wise op: results and operands of the first operand's rank have its sizes, which are
      parallel if the op has the trait Elementwise.
    }],
    "void", "mapDimensions", (ins "::mlc::df::DimensionMapping &":$map), "", "map.elementwise($_op);">,
  ];
}

def RegionSizesOpInterface : OpInterface<"RegionSizesOpInterface"> {
  let description = [{
    An op with regions that tells where the sizes of its results and of its regions' arguments come from.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<[{
      The dimension of an operand, or of what a region yields, that is as large as dynamic dimension `d` of `value`: a
      result, or an argument of a region. None where it depends on which region runs, or is made by the op.
    }],
    "std::optional<::mlc::df::Dimension>", "getSizeOrigin", (ins "::mlir::Value":$value, "int64_t":$d)>,
    InterfaceMethod<[{
      Calls `visit` with the values that an iteration of a loop begins with and those that `terminator`, the end of one of
      the regions, gives to the next iteration: these must have their sizes.
    }],
    "void", "forEachCarried", (ins "::mlir::Operation *":$terminator,
                                   "::llvm::function_ref<void(::mlir::Value, ::mlir::Value)>":$visit), "", "return;">,
    InterfaceMethod<"Calls `visit` with pairs of dimensions of operands that must be equally large.",
    "void", "forEachSameSize",
    (ins "::llvm::function_ref<void(::mlc::df::Dimension, ::mlc::df::Dimension)>":$visit), "", "return;">,
  ];
}

def MeasuringOpInterface : OpInterface<"MeasuringOpInterface"> {
  let description = [{
    An op that needs the sizes of some operands alone, and no element of them. Of an op without this interface it is
    assumed that it needs elements.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<"Whether the op needs no element of the operand with that number.", "bool", "onlyMeasures",
                    (ins "unsigned":$operand)>,
  ];
}

def MovementOpInterface : OpInterface<"MovementOpInterface"> {
  let description = [{
    An op that makes no elements: those of its results are elements of operands. What is true of all elements of these
    is true of its results: ranges of ids, that they are made of features alone, which rows they name.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<"The operands that elements are taken of. By default the first one.",
                    "::llvm::SmallVector<::mlir::Value>", "getMovedOperands", (ins), "",
                    "return {$_op->getOperand(0)};">,
    InterfaceMethod<"Whether zeros may be among the elements of the results, too.", "bool", "mayAddZeros", (ins), "",
                    "return false;">,
    InterfaceMethod<[{
      Whether there is one such operand, and each of its elements is in the result: nothing is left out.
    }],
    "bool", "movesAll", (ins), "", "return false;">,
  ];
}

def IntegerRangeOpInterface : OpInterface<"IntegerRangeOpInterface"> {
  let description = [{
    An op that tells which integers it makes. Of an op without this interface they are those of what it moves
    (`MovementOpInterface`), or nothing is known of them. It is not upstream's `InferIntRangeInterface`, whose pass
    replaces values of one integer by constants, which tensors of dynamic shape cannot be.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<[{
      The range of all elements of `result`, a tensor of signless integers (i1 is 0 or 1), by those of the operands: of
      each that is known of a tensor of such integers.
    }],
    "std::optional<::mlc::df::IntegerRange>", "inferIntegerRange",
    (ins "::mlir::OpResult":$result, "::llvm::ArrayRef<std::optional<::mlc::df::IntegerRange>>":$operands)>,
  ];
}

def BoundedIdsOpInterface : OpInterface<"BoundedIdsOpInterface"> {
  let description = [{
    An op that takes ids which must lie in a range, or the step fails: ids that are features, or made of these, are
    checked before the step, where the row at fault is known (`df-outline-features`). Of an op without this interface
    code checks what it has to.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<"The ids, and what they have to be; nothing where an id has several components.",
                    "std::optional<::mlc::df::BoundedIds>", "getBoundedIds">,
  ];
}

def StateOpInterface : OpInterface<"StateOpInterface"> {
  let description = [{
    An op that reads or writes variables, which it names. Passes that know state by its names know its effects from
    here, and upstream's passes by memory effects of the same symbols (`Df_AccessesState`). What still has variables
    after df-state-to-values is an error: an op of a plug-in is decomposed before.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<"Adds the variables that the op itself, without its regions, reads and writes.", "void",
                    "collectState", (ins "::mlc::df::StateAccess &":$access)>,
  ];
}

#endif // DF_INTERFACES_TD
