// What bodies are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Layers.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "lib/Conversion/EstToDf/Initializers.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

Value est2df::readTrained(Entry &entry, df::VariableOp variable, Part &part, est::RegularizerAttr regularizer) {
  part.variables.push_back({variable, /*gathered=*/false, /*exact=*/true, regularizer});
  return entry.builder().read(variable);
}

Value est2df::readTrained(Entry &entry, StringRef name, ArrayRef<int64_t> shape, Attribute initializer, Part &part,
                          est::RegularizerAttr regularizer) {
  auto type = RankedTensorType::get(shape, entry.builder().getF32Type());
  return readTrained(entry, entry.state().variable(name, type, initializer, /*trainable=*/true, part.loc), part,
                     regularizer);
}

Value est2df::readWeights(Entry &entry, StringRef name, ArrayRef<int64_t> shape, Attribute initializer, Part &part,
                          est::RegularizerAttr regularizer) {
  auto type = RankedTensorType::get(shape, entry.builder().getF32Type());
  df::VariableOp weights = declareWeights(entry.state(), name, type, initializer, /*trainable=*/true, part.loc);
  return readTrained(entry, weights, part, regularizer);
}

Value est2df::addBias(GraphBuilder &b, Value x, Value bias) { return b.add(x, b.broadcast(bias, x, {1})); }

Value est2df::denseLayer(Entry &entry, StringRef name, Value x, int64_t units, Attribute initializer, Part &part,
                         est::RegularizerAttr regularizer) {
  GraphBuilder &b = entry.builder();
  int64_t width = cast<RankedTensorType>(x.getType()).getDimSize(1);
  Value kernel = readWeights(entry, (name + "/kernel").str(), {width, units}, initializer, part, regularizer);
  Value bias = readTrained(entry, (name + "/bias").str(), {units}, entry.state().constant(0), part);
  return addBias(b, b.matmul(x, kernel), bias);
}

void est2df::noteClasses(ModuleState &state, StringRef name, int64_t units) {
  if (units <= 1)
    return;
  state.standsForClasses((name + "/kernel").str(), 1);
  state.standsForClasses((name + "/bias").str(), 0);
}

Value est2df::fractionOfZeros(GraphBuilder &b, ArrayRef<Value> values) {
  Value zeros;
  int64_t elements = 0;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    Value isZero = b.cast(b.compare(df::Comparison::EQ, value, b.f32(0)), b.getF32Type());
    Value count = b.sum(isZero, llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    zeros = zeros ? b.add(zeros, count) : count;
    elements += type.isDynamicDim(0) ? type.getDimSize(1) : type.getNumElements();
  }
  Value total = b.f32(static_cast<double>(elements));
  if (cast<RankedTensorType>(values.front().getType()).isDynamicDim(0))
    total = b.mul(total, b.cast(b.countRows(values.front()), b.getF32Type()));
  return b.div(zeros, total);
}

void est2df::summarizeLayer(GraphBuilder &b, const Twine &name, Value activation, SmallVectorImpl<Output> *summaries) {
  if (!summaries)
    return;
  summaries->push_back({(name + "/fraction_of_zero_values").str(), fractionOfZeros(b, activation)});
  summaries->push_back({(name + "/activation").str(), activation});
}
