// Sums over rows and batches that metrics are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/MetricSums.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

MetricSums::MetricSums(Entry &entry, Value weights) : entry_(entry) {
  if (weights)
    weights_ = builder().cast(weights, builder().getF64Type());
}

void MetricSums::add(StringRef name, Value value) {
  GraphBuilder &b = builder();
  df::VariableOp variable = entry_.state().evalVariable(name, cast<RankedTensorType>(value.getType()), b.getLoc());
  df::AssignAddOp::create(b, variable.getSymName(), value);
}

Value MetricSums::weighted(Value values) {
  GraphBuilder &b = builder();
  Value wide = b.cast(values, b.getF64Type());
  return weights_ ? b.mul(wide, weights_) : wide;
}

void MetricSums::addWeighted(StringRef name, Value values) { add(name, builder().sum(weighted(values), {0})); }

Value MetricSums::get(StringRef name) { return builder().read(entry_.state().findEvalVariable(name)); }

Value MetricSums::mean(StringRef name) { return builder().divNoNan(get(name), get(sums::kWeight)); }
