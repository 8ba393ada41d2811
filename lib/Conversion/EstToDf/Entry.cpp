// One entry function while it is built.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Entry.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// The element type that holds cells of `dtype` as the reader delivers them.
static Type elementTypeOf(est::DType dtype, Builder &builder) {
  switch (dtype) {
  case est::DType::Float32:
    return builder.getF32Type();
  case est::DType::Float64:
    return builder.getF64Type();
  case est::DType::Int32:
    return builder.getI32Type();
  case est::DType::Int64:
    return builder.getI64Type();
  case est::DType::Bool:
    return builder.getI1Type();
  case est::DType::String:
    return df::StringType::get(builder.getContext());
  }
  llvm_unreachable("all dtypes are covered");
}

Entry::Entry(ModuleState &state, df::Role role, StringRef name, ArrayRef<est::FeatureOp> features, Location loc)
    : state_(state), builder_(loc, state.module().getContext()) {
  SmallVector<Type> types;
  SmallVector<est::FeatureOp> multiValued;
  for (est::FeatureOp feature : features) {
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    if (feature.getType().isMultiValued() && !feature.getValues())
      multiValued.push_back(feature);
    else if (!feature.getType().isMultiValued())
      llvm::append_range(shape, feature.getType().getShape());
    types.push_back(RankedTensorType::get(shape, elementTypeOf(feature.getType().getDtype(), builder_)));
  }
  types.append(multiValued.size(), RankedTensorType::get({ShapedType::kDynamic}, builder_.getI64Type()));
  builder_.setInsertionPointToEnd(state.module().getBody());
  function_ = df::FunctionOp::create(builder_, loc, name, builder_.getFunctionType(types, {}), role);
  for (size_t i = 0; i < features.size(); ++i) {
    est::FeatureOp feature = features[i];
    function_.setArgAttr(i, df::FunctionOp::kNameAttr, feature.getNameAttr());
    arguments_[feature.getValue()] = function_.getBody().getArgument(i);
    // One symbol for each, the same in all entries; weights have that of their values.
    if (feature.getType().isMultiValued()) {
      auto values = feature.getValues() ? feature.getValues().getDefiningOp<est::FeatureOp>() : feature;
      function_.setArgAttr(i, df::FunctionOp::kSymbolAttr, builder_.getI64IntegerAttr(state.symbolOf(values)));
    }
  }
  for (auto [i, feature] : llvm::enumerate(multiValued)) {
    unsigned argument = features.size() + i;
    function_.setArgAttr(argument, df::FunctionOp::kNameAttr,
                         builder_.getStringAttr(feature.getName() + df::names::kEnds));
    ends_[feature.getValue()] = function_.getBody().getArgument(argument);
  }
  builder_.setInsertionPointToEnd(&function_.getBody().front());
}

void Entry::finish(ArrayRef<Output> outputs) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const Output &output : outputs) {
    values.push_back(output.value);
    types.push_back(output.value.getType());
  }
  if (!builder_.ok())
    state_.fail();
  builder_.setLoc(function_.getLoc());
  df::ReturnOp::create(builder_, values);
  function_.setFunctionType(builder_.getFunctionType(function_.getArgumentTypes(), types));
  for (auto [i, output] : llvm::enumerate(outputs))
    function_.setResultAttr(i, df::FunctionOp::kNameAttr, builder_.getStringAttr(output.name));
}
