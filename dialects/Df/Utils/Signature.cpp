// Changes of the arguments and results of functions, with their bindings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc::df;

static DictionaryAttr bindingDictionary(Type type, BindingKind kind, StringRef name, ArrayRef<int64_t> symbols) {
  NamedAttrList attributes;
  attributes.set(FunctionOp::kBindingAttr, BindingAttr::get(type.getContext(), kind, name));
  FunctionOp::setSymbols(attributes, type, symbols);
  return attributes.getDictionary(type.getContext());
}

BlockArgument mlc::df::appendArgument(FunctionOp function, Type type, BindingKind kind, StringRef name, Location loc,
                                      ArrayRef<int64_t> symbols) {
  unsigned index = function.getNumArguments();
  // Fails only if the types of the function and of its block disagree, which the verifier excludes.
  (void)function.insertArgument(index, type, bindingDictionary(type, kind, name, symbols), loc);
  return function.getArgument(index);
}

FunctionResult mlc::df::boundResult(Value value, BindingKind kind, StringRef name, ArrayRef<int64_t> symbols) {
  return {value, bindingDictionary(value.getType(), kind, name, symbols)};
}

Value mlc::df::reshapeTo(OpBuilder &builder, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return ReshapeOp::create(builder, value.getLoc(), type, value);
}

ReturnOp mlc::df::getReturn(FunctionOp function) { return cast<ReturnOp>(function.getBody().front().getTerminator()); }

SmallVector<FunctionResult> mlc::df::getFunctionResults(FunctionOp function) {
  SmallVector<FunctionResult> results;
  for (auto [i, value] : llvm::enumerate(getReturn(function).getOperands())) {
    DictionaryAttr attributes = function.getResultAttrDict(i);
    results.push_back({value, attributes ? attributes : DictionaryAttr::get(function.getContext())});
  }
  return results;
}

void mlc::df::setFunctionResults(FunctionOp function, ArrayRef<FunctionResult> results) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (const FunctionResult &result : results) {
    values.push_back(result.value);
    types.push_back(result.value.getType());
    attributes.push_back(result.attributes);
  }
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(), types));
  if (attributes.empty())
    function.removeResAttrsAttr();
  else
    function.setResAttrsAttr(ArrayAttr::get(function.getContext(), attributes));
  getReturn(function)->setOperands(values);
}
