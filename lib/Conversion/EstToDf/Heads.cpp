// The heads of a model, one or several.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Heads.h"
#include "dialects/Df/IR/DfLayoutOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

Heads::Heads(est::EstimatorOp estimator) {
  SmallVector<Operation *, 1> ops = estimator.getHeads();
  bodies_ = est::bodiesOfHead(ops.front());
  for (Operation *op : ops) {
    StringRef scope = ops.size() > 1 ? op->getAttrOfType<StringAttr>("name").getValue() : "";
    heads_.push_back(Head::create(op, estimator.getCompat(), scope));
  }
}

SmallVector<Value> Heads::labelFeatures() const {
  SmallVector<Value> features;
  for (const auto &head : heads_)
    llvm::append_range(features, head->labelFeatures());
  return features;
}

SmallVector<Value> Heads::evalFeatures() const {
  SmallVector<Value> features;
  for (const auto &head : heads_)
    llvm::append_range(features, head->evalFeatures());
  return features;
}

Value Heads::logitsOf(Entry &entry, const Head &head, Value logits) const {
  int64_t first = est::firstLogitOfHead(head.op()), count = est::countLogitsOfHead(head.op());
  if (cast<RankedTensorType>(logits.getType()).getDimSize(1) == count)
    return logits;
  GraphBuilder &b = entry.builder();
  b.setLoc(head.op()->getLoc());
  return df::SliceOp::create(b, logits, /*axis=*/1, first, count);
}

Value Heads::batchLoss(Entry &entry, Value logits) const {
  GraphBuilder &b = entry.builder();
  Value sum;
  for (const auto &head : heads_) {
    Examples examples = head->examples(entry, logitsOf(entry, *head, logits));
    Value loss = head->timesWeight(b, head->batchLoss(entry, examples));
    sum = sum ? b.add(sum, loss) : loss;
  }
  return sum;
}

Value Heads::update(Entry &entry, Value logits) const {
  GraphBuilder &b = entry.builder();
  Value sum;
  for (const auto &head : heads_) {
    Examples examples = head->examples(entry, logitsOf(entry, *head, logits));
    MetricSums sums(entry, examples.weights, head->scope());
    Value own = head->batchLoss(entry, examples), loss = head->timesWeight(b, own);
    // As of tf's MultiHead, the loss of one of several goes without its weight.
    head->update(sums, examples, areSeveral() ? own : loss);
    sum = sum ? b.add(sum, loss) : loss;
  }
  if (areSeveral())
    MetricSums(entry, /*weights=*/Value(), /*scope=*/"").addLoss(sum);
  return sum;
}

SmallVector<Output> Heads::metrics(Entry &entry, Value regularization) const {
  SmallVector<Output> outputs, diagnostics;
  for (const auto &head : heads_) {
    MetricSums sums(entry, /*weights=*/Value(), head->scope());
    size_t firstOutput = outputs.size(), firstDiagnostic = diagnostics.size();
    head->metrics(sums, areSeveral() ? Value() : regularization, outputs, diagnostics);
    if (!areSeveral())
      continue;
    for (Output &output : MutableArrayRef(outputs).drop_front(firstOutput))
      output.name += ("/" + head->name()).str();
    for (Output &output : MutableArrayRef(diagnostics).drop_front(firstDiagnostic))
      output.name += ("/" + head->name()).str();
  }
  if (areSeveral())
    MetricSums(entry, /*weights=*/Value(), /*scope=*/"").loss(regularization, outputs);
  for (SmallVector<Output> *part : {&outputs, &diagnostics})
    llvm::sort(*part, [](const Output &a, const Output &b) { return a.name < b.name; });
  llvm::append_range(outputs, diagnostics);
  return outputs;
}

SmallVector<Output> Heads::predictions(Entry &entry, Value logits) const {
  SmallVector<Output> outputs;
  for (const auto &head : heads_)
    for (Output &output : head->predictions(entry, logitsOf(entry, *head, logits)))
      outputs.push_back({areSeveral() ? (head->name() + "/" + output.name).str() : output.name, output.value});
  return outputs;
}

void Heads::describe(llvm::json::Object &manifest) const {
  llvm::json::Object constants;
  llvm::json::Array heads;
  for (const auto &head : heads_) {
    heads.push_back(head->describe());
    for (auto &[key, values] : head->constantPredictions())
      constants[areSeveral() ? (head->name() + "/" + key.str()).str() : key.str()] = std::move(values);
  }
  if (areSeveral())
    manifest["heads"] = std::move(heads);
  else
    manifest["head"] = std::move(heads.front());
  if (!constants.empty())
    manifest["prediction_constants"] = std::move(constants);
}
