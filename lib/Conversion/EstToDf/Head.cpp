// What all heads share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Head.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "lib/Conversion/EstToDf/UpdateRules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

std::unique_ptr<Head> Head::create(Operation *head, est::Compat compat, StringRef scope) {
  return llvm::TypeSwitch<Operation *, std::unique_ptr<Head>>(head)
      .Case([&](est::BinaryClassHeadOp op) { return createBinaryClassHead(op, compat, scope); })
      .Case([&](est::MultiClassHeadOp op) { return createMultiClassHead(op, scope); })
      .Case([&](est::MultiLabelHeadOp op) { return createMultiLabelHead(op, compat, scope); })
      .Case([&](est::RegressionHeadOp op) { return createRegressionHead(op, scope); })
      .Case([&](est::LogisticRegressionHeadOp op) { return createLogisticRegressionHead(op, scope); })
      .Case([&](est::PoissonRegressionHeadOp op) { return createPoissonRegressionHead(op, scope); });
}

SmallVector<Value> Head::labelFeatures() const {
  SmallVector<Value> features{label_};
  if (weight_)
    features.push_back(weight_);
  return features;
}

Examples Head::examples(Entry &entry, Value logits) const {
  GraphBuilder &b = entry.builder();
  b.setLoc(op_->getLoc());
  Examples examples;
  examples.logits = logits;
  if (weight_)
    examples.weights = b.cast(entry.feature(weight_), b.getF32Type());
  computeLosses(entry, examples);
  return examples;
}

static df::BatchReduction convertReduction(est::LossReduction reduction) {
  switch (reduction) {
  case est::LossReduction::SumOverBatchSize:
    return df::BatchReduction::SumOverBatchSize;
  case est::LossReduction::Sum:
    return df::BatchReduction::Sum;
  case est::LossReduction::Mean:
    return df::BatchReduction::Mean;
  }
  llvm_unreachable("all reductions are covered");
}

Value Head::batchLoss(Entry &entry, const Examples &examples) const {
  GraphBuilder &b = entry.builder();
  // A row's weight is that of each of its losses.
  Value weights = examples.weights;
  if (weights && weights.getType() != examples.losses.getType())
    weights = b.broadcast(weights, examples.losses, {0});
  if (auto factors = op_->getAttrOfType<DenseF64ArrayAttr>("class_weights")) {
    Value ofRows = df::GatherOp::create(b, examples.losses.getType(), b.vector(factors.asArrayRef(), b.getF32Type()),
                                        examples.labels, ArrayRef<int64_t>{0}, ArrayRef<int64_t>(),
                                        /*skip_negative=*/false);
    weights = weights ? b.mul(weights, ofRows) : ofRows;
  }
  return b.infer<df::BatchMeanOp>(examples.losses, weights, convertReduction(reduction_));
}

Value Head::timesWeight(GraphBuilder &b, Value loss) const {
  auto factor = op_->getAttrOfType<est::SettingAttr>("head_weight");
  return factor ? b.mul(loss, readSetting(b, factor)) : loss;
}

void Head::update(MetricSums &sums, const Examples &examples, Value batchLoss) const {
  GraphBuilder &b = sums.builder();
  Type f64 = b.getF64Type();
  sums.add(sums::kWeight,
           examples.weights ? b.sum(b.cast(examples.weights, f64), {0}) : b.cast(b.countRows(examples.logits), f64));
  sums.addWeighted(sums::kLoss, examples.losses);
  sums.addLoss(batchLoss);
  updateOwn(sums, examples);
}

void Head::metrics(MetricSums &sums, Value regularization, SmallVectorImpl<Output> &outputs,
                   SmallVectorImpl<Output> &diagnostics) const {
  GraphBuilder &b = sums.builder();
  b.setLoc(op_->getLoc());
  outputs.push_back({"average_loss", sums.mean(sums::kLoss)});
  sums.loss(regularization, outputs);
  ownMetrics(sums, outputs);
  ownDiagnostics(sums, diagnostics);
}

llvm::json::Object Head::describe() const {
  llvm::json::Object object{{"name", name()}, {"label", labelName()}};
  if (weight_)
    object["weight"] = weight_.getDefiningOp<est::FeatureOp>().getName();
  describeOwn(object);
  return object;
}
