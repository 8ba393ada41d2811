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

BlockArgument AppendedArguments::append(Type type, DictionaryAttr dictionary, Location loc) {
  attributes.push_back(dictionary);
  return function.getBody().front().addArgument(type, loc);
}

BlockArgument AppendedArguments::append(Type type, BindingKind kind, StringRef name, Location loc,
                                        ArrayRef<int64_t> symbols) {
  return append(type, bindingDictionary(type, kind, name, symbols), loc);
}

void AppendedArguments::finish() {
  if (attributes.empty())
    return;
  SmallVector<DictionaryAttr> all;
  function.getAllArgAttrs(all);
  all.append(attributes);
  attributes.clear();
  function.setFunctionType(FunctionType::get(function.getContext(), function.getBody().front().getArgumentTypes(),
                                             function.getResultTypes()));
  function.setAllArgAttrs(all);
}

static SmallVector<DictionaryAttr> updated(SmallVector<DictionaryAttr> all,
                                           llvm::function_ref<void(unsigned, NamedAttrList &)> update) {
  for (auto [i, dictionary] : llvm::enumerate(all)) {
    NamedAttrList attributes(dictionary);
    update(i, attributes);
    dictionary = attributes.getDictionary(dictionary.getContext());
  }
  return all;
}

void mlc::df::updateArgAttrs(FunctionOp function, llvm::function_ref<void(unsigned, NamedAttrList &)> update) {
  SmallVector<DictionaryAttr> all;
  function.getAllArgAttrs(all);
  function.setAllArgAttrs(updated(std::move(all), update));
}

void mlc::df::updateResultAttrs(FunctionOp function, llvm::function_ref<void(unsigned, NamedAttrList &)> update) {
  SmallVector<DictionaryAttr> all;
  function.getAllResultAttrs(all);
  function.setAllResultAttrs(updated(std::move(all), update));
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
