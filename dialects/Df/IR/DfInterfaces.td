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
      behind the op, after everything the cotangents need. Fails, with an error emitted at the op, where no gradient exists.
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
    sizes must agree, which ops work on rows. Of an op without it no size is known.
  }];
  let cppNamespace = "::mlc::df";
  let methods = [
    InterfaceMethod<[{
      Tells the sets of dimensions of operands and results that are equally large if the op means anything. That of the static sizes among them the verifier has made sure.
      By default those of an element-wise op: results and operands of the first operand's rank have its sizes.
    }],
    "void", "mapDimensions", (ins "::mlc::df::DimensionMapping &":$map), "", "map.elementwise($_op);">,
  ];
}

#endif // DF_INTERFACES_TD
