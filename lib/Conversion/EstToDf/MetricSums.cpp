// Sums over rows and batches that metrics are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/MetricSums.h"
#include "dialects/Df/IR/DfStateOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

MetricSums::MetricSums(Entry &entry, Value weights, StringRef scope) : entry_(entry), scope_(scope) {
  if (weights)
    weights_ = builder().cast(weights, builder().getF64Type());
}

df::VariableOp MetricSums::variable(StringRef name, RankedTensorType type) {
  return entry_.state().evalVariable(scoped(name), type, builder().getLoc());
}

void MetricSums::add(StringRef name, Value value) {
  df::VariableOp sum = variable(name, cast<RankedTensorType>(value.getType()));
  df::AssignAddOp::create(builder(), sum.getSymName(), value);
}

Value MetricSums::weighted(Value values) {
  GraphBuilder &b = builder();
  Value wide = b.cast(values, b.getF64Type());
  if (!weights_)
    return wide;
  bool isFlat = cast<RankedTensorType>(wide.getType()).getRank() == 1;
  return b.mul(wide, isFlat ? weights_ : b.broadcast(weights_, wide, {0}));
}

void MetricSums::addWeighted(StringRef name, Value values) {
  GraphBuilder &b = builder();
  auto type = cast<RankedTensorType>(values.getType());
  if (type.getRank() == 1)
    return add(name, b.sum(weighted(values), {0}));
  Value total = b.sum(weighted(values), {0, 1});
  add(name, b.div(total, b.scalar(static_cast<double>(type.getDimSize(1)), b.getF64Type())));
}

void MetricSums::addLoss(Value batchLoss) {
  GraphBuilder &b = builder();
  add(sums::kBatchLoss, b.cast(batchLoss, b.getF64Type()));
  add(sums::kBatches, b.scalar(1, b.getF64Type()));
}

Value MetricSums::get(StringRef name) { return builder().read(entry_.state().findEvalVariable(scoped(name))); }

Value MetricSums::mean(StringRef name) { return builder().divNoNan(get(name), get(sums::kWeight)); }

void MetricSums::loss(Value regularization, SmallVectorImpl<Output> &outputs) {
  GraphBuilder &b = builder();
  Value loss = b.divNoNan(get(sums::kBatchLoss), get(sums::kBatches));
  if (regularization) {
    regularization = b.cast(regularization, b.getF64Type());
    loss = b.add(loss, regularization);
    outputs.push_back({"regularization_loss", regularization});
  }
  outputs.push_back({"loss", loss});
}
