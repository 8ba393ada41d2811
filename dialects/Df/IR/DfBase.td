// Base classes of the df ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_BASE_TD
#define DF_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialects/Df/IR/DfDialect.td"
include "dialects/Df/IR/DfTypes.td"
include "dialects/Df/IR/DfAttrs.td"
include "dialects/Df/IR/DfInterfaces.td"

// An op has the attributes that its definition declares, and others only with the name of a dialect before them.
def Df_DeclaredAttributes : NativeOpTrait<"DeclaredAttributes"> {
  let cppNamespace = "::mlc::df";
}

// Static dimensions of its results and of its regions' arguments make at most 2^58 elements, so that no number of
// elements or bytes overflows.
def Df_BoundedSizes : NativeOpTrait<"BoundedSizes"> {
  let cppNamespace = "::mlc::df";
}

class Df_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Df_Dialect, opMnemonic, !listconcat([Df_DeclaredAttributes, Df_BoundedSizes], traits)>;

// No memory effects; where it cannot fail (`FallibleOpInterface`, and sizes that are known to agree) it may run where the
// program would not run it, as before a loop that may have no iteration.
def Df_SpeculatableUnlessItFails : NativeOpTrait<"SpeculatableUnlessItFails"> {
  let cppNamespace = "::mlc::df";
}
def Df_EffectFree : TraitList<[NoMemoryEffect, ConditionallySpeculatable, Df_SpeculatableUnlessItFails]>;
// Fails for no values of its operands, if sizes agree. What neither has this nor tells itself may fail.
def Df_NeverFailsTrait : NativeOpTrait<"NeverFails"> {
  let cppNamespace = "::mlc::df";
}
def Df_NeverFails : TraitList<[FallibleOpInterface, Df_NeverFailsTrait]>;
def Df_TellsIfItFails : DeclareOpInterfaceMethods<FallibleOpInterface>;

// What kind of work an op is (Work in DfWork.h), which says what it costs.
class Df_WorkTrait<string kind> : ParamNativeOpTrait<"DoesWork", "::mlc::df::Work::" # kind> {
  let cppNamespace = "::mlc::df";
}
class Df_Work<string kind> : TraitList<[WorkOpInterface, Df_WorkTrait<kind>]>;
// The op counts its operations itself, in C++ beside the definition.
def Df_CountsOperations : NativeOpTrait<"CountsOperations", [], [{
  std::optional<double> countOperations(const ::mlc::df::DynamicSizes &sizes);
}]> {
  let cppNamespace = "::mlc::df";
}
// Work on features that pays for a buffer between segments: df-outline-features runs it ahead of the step.
def Df_PreparesFeatures : NativeOpTrait<"PreparesFeatures"> {
  let cppNamespace = "::mlc::df";
}
// Code makes it where it is used: doing so again costs less than keeping it.
def Df_MadeWhereUsed : NativeOpTrait<"MadeWhereUsed"> {
  let cppNamespace = "::mlc::df";
}
// The interpreter's rule gives the bits of compiled code: of all types, or where no floats are added in another order.
def Df_AlwaysExactTrait : NativeOpTrait<"AlwaysExact"> {
  let cppNamespace = "::mlc::df";
}
def Df_Exact : TraitList<[ExactOpInterface, Df_AlwaysExactTrait]>;
def Df_ExactOfIntegersTrait : NativeOpTrait<"ExactOfIntegers"> {
  let cppNamespace = "::mlc::df";
}
def Df_ExactOfIntegers : TraitList<[ExactOpInterface, Df_ExactOfIntegersTrait]>;

// An op that tells its dimensions itself: in C++, or in a line of its definition.
// It gives them as values, too, to upstream's passes (`ReifyRankedShapedTypeOpInterface`).
def Df_ReifiesShapes : NativeOpTrait<"ReifiesShapes"> {
  let cppNamespace = "::mlc::df";
}
def Df_MapsDimensions : TraitList<[DeclareOpInterfaceMethods<DimensionsOpInterface, ["mapDimensions"]>,
    Df_ReifiesShapes]>;
class Df_Dimensions<string lines> {
  string definition = "void $cppClass::mapDimensions(::mlc::df::DimensionMapping &map) { " # lines # " }";
}
// Those of the operand that is named are the result's.
class Df_DimensionsOf<string operand> : Df_Dimensions<"map.all(get" # operand # "(), getResult());">;

// Those of an operand without `axes`, along which it is reduced.
class Df_DimensionsOfReduced<string operand, string axes> : Df_Dimensions<
    "map.reduced(get" # operand # "(), " # axes # ", getResult());">;
// Those of an operand, parallel but for `axes`, along which elements depend on each other.
class Df_DimensionsOfAlong<string operand, string axes> : Df_Dimensions<
    "map.along(get" # operand # "(), " # axes # ", getResult());">;

// The op needs the sizes of an operand alone, the one of that number among the declared ones.
class Df_MeasuresTrait<int operand> : NativeOpTrait<"Measures", [], "bool onlyMeasures(unsigned operand);", [{
  bool $cppClass::onlyMeasures(unsigned operand) {
    auto [begin, length] = getODSOperandIndexAndLength(}] # operand # [{);
    return operand >= begin && operand < begin + length;
  }
}]> {
  let cppNamespace = "::mlc::df";
}
class Df_Measures<int operand> : TraitList<[MeasuringOpInterface, Df_MeasuresTrait<operand>]>;

// The elements of the result are some of the operand's, or all of them.
// `Df_Moves`: the op says of which operands, in C++.
def Df_Moves : DeclareOpInterfaceMethods<MovementOpInterface, ["getMovedOperands", "mayAddZeros"]>;
def Df_MovesSome : TraitList<[MovementOpInterface]>;
def Df_MovesAllTrait : NativeOpTrait<"MovesAll", [], "bool movesAll() { return true; }"> {
  let cppNamespace = "::mlc::df";
}
def Df_MovesAll : TraitList<[MovementOpInterface, Df_MovesAllTrait]>;
// They are elements of all operands.
def Df_MovesOperandsTrait : NativeOpTrait<"MovesOperands", [], [{
  ::llvm::SmallVector<::mlir::Value> getMovedOperands() {
    return ::llvm::SmallVector<::mlir::Value>((*this)->getOperands());
  }
}]> {
  let cppNamespace = "::mlc::df";
}
def Df_MovesOperands : TraitList<[MovementOpInterface, Df_MovesOperandsTrait]>;

// Element-wise, with the dimensions that this means.
def Df_Elementwise : TraitList<[Elementwise, DimensionsOpInterface, Df_ReifiesShapes]>;

// Types of the results are inferred: `inferTypes` of the op class is the one statement of its type rule, which builders
// (`df::build`) and the verifier ask. An op either infers, or says that its result type is free.
defvar Df_InferTypesDeclaration = [{
  static ::llvm::LogicalResult inferTypes(::mlc::df::TypeInference &infer, Adaptor op);
}];
class Df_InfersTypesBy<code body> : NativeOpTrait<"InfersTypes", [], Df_InferTypesDeclaration,
    "::llvm::LogicalResult $cppClass::inferTypes(::mlc::df::TypeInference &infer, Adaptor op) {" # body # "}"> {
  let cppNamespace = "::mlc::df";
}
// `inferTypes` is C++ beside the definition.
def Df_InfersTypes : NativeOpTrait<"InfersTypes", [], Df_InferTypesDeclaration> {
  let cppNamespace = "::mlc::df";
}
// Operands and the result have one type by the dialect's rule for sizes: all operands, or those that are named.
def Df_JoinsTypes : Df_InfersTypesBy<[{
  return infer.joined(::llvm::to_vector(op.getOperands()), "requires the same type for all operands and results");
}]>;
class Df_Getter<string name> {
  string call = "op.get" # !toupper(!substr(name, 0, 1)) # !substr(name, 1) # "()";
}
class Df_JoinsTypesOf<list<string> operands, string result = "result"> : Df_InfersTypesBy<
    "return infer.joined({" # !interleave(!foreach(name, operands, Df_Getter<name>.call), ", ") #
    "}, \"failed to verify that all of {" # !interleave(operands # [result], ", ") # "} have same type\");">;
// The result has the shape of all operands by the rule, and elements of a type: an expression of `infer` and `op`.
class Df_SameShape<string element, string constraint = "(C1)"> : Df_InfersTypesBy<
    "return infer.sameShape(::llvm::to_vector(op.getOperands()), " # element # ", \"" # constraint #
    " the result must have the shape of the operands\");">;
// The type of a result says something that nothing else of the op does.
class Df_FreeResultType<string why> : NativeOpTrait<"FreeResultType"> {
  let cppNamespace = "::mlc::df";
  string reason = why;
}
// Some operands and results of one type by the rule.
class Df_AllTypesAgree<list<string> names> : PredOpTrait<"all of {" # !interleave(names, ", ") # "} have same type",
    CPred<"::mlc::df::allAgree({" # !interleave(!foreach(name, names, "$" # name # ".getType()"), ", ") # "})">>;

// State of the whole module as one effect resource: upstream passes then keep ops on state in order; our own passes
// look at the symbol and know better.
def Df_State : Resource<"::mlc::df::StateResource">;

// The op tells which integers it makes, in DfIntegerRanges.cpp.
def Df_InfersIntegers : DeclareOpInterfaceMethods<IntegerRangeOpInterface>;
def Df_BoundsIds : DeclareOpInterfaceMethods<BoundedIdsOpInterface>;

// The op reads or writes variables, which it names, with memory effects of their symbols.
def Df_HasEffectsOfState : NativeOpTrait<"HasEffectsOfState"> {
  let cppNamespace = "::mlc::df";
}
def Df_AccessesState : TraitList<[DeclareOpInterfaceMethods<StateOpInterface>, MemoryEffectsOpInterface, Df_HasEffectsOfState]>;
// Where errors are reported: written by what checks, and read by nothing.
def Df_Errors : Resource<"::mlc::df::ErrorResource">;

// `df.op %a, %b {attributes} : (types) -> types`: the form of every op without regions or symbols.
class Df_PlainOp<string opMnemonic, list<Trait> traits = []> : Df_Op<opMnemonic, !listconcat([Df_EffectFree], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // DF_BASE_TD
