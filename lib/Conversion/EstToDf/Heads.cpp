// The heads of a model, one or several.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Heads.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Est/IR/EstNames.h"
#include "lib/Conversion/EstToDf/Columns.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

Heads::Heads(est::EstimatorOp estimator) {
  SmallVector<Operation *, 1> ops = estimator.getHeads();
  bodies_ = est::bodiesOfHead(ops.front());
  namesMetrics_ = ops.size() > 1 || estimator->hasAttr(est::names::kNamesInMetrics);
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

Value Heads::labelled(Entry &entry, const Logits &logits) const {
  if (!logits.areOfSteps())
    return logits.values;
  GraphBuilder &b = entry.builder();
  b.setLoc(heads_.front()->op()->getLoc());
  SmallVector<Value> features = heads_.front()->labelFeatures();
  constexpr StringLiteral kWhat[] = {"labels", "weights"};
  for (auto [feature, what] : llvm::zip(features, kWhat))
    checkLengths(entry, feature.getDefiningOp<est::FeatureOp>(), what, logits.lengths, logits.feature);
  // Step t of row r is number r * longest + t of the logits, and number `first of the row` + t of the labels.
  auto label = features.front().getDefiningOp<est::FeatureOp>();
  Value values = entry.feature(label.getValue()), ends = entry.ends(label);
  auto iota = [&](Value like) -> Value {
    return df::IotaOp::create(b, RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type()), like, /*axis=*/0);
  };
  Value starts = b.sub(ends, logits.lengths);
  Value offsets = b.sub(b.mul(iota(ends), b.repeat(logits.longest, ends)), starts);
  Value places = b.add(iota(values), b.infer<df::RaggedRepeatOp>(offsets, ends, values));
  return df::GatherOp::create(b, logits.values, places, ArrayRef<int64_t>{0}, ArrayRef<int64_t>(),
                              /*skipNegative=*/false);
}

Value Heads::batchLoss(Entry &entry, const Logits &all) const {
  GraphBuilder &b = entry.builder();
  Value logits = labelled(entry, all), sum;
  for (const auto &head : heads_) {
    Examples examples = head->examples(entry, logitsOf(entry, *head, logits));
    Value loss = head->timesWeight(b, head->batchLoss(entry, examples));
    sum = sum ? b.add(sum, loss) : loss;
  }
  return sum;
}

Value Heads::update(Entry &entry, const Logits &all) const {
  GraphBuilder &b = entry.builder();
  Value logits = labelled(entry, all), sum;
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
    if (!namesMetrics_)
      continue;
    for (Output &output : MutableArrayRef(outputs).drop_front(firstOutput))
      if (areSeveral() || output.name != "loss")
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

/// Predictions of steps, [n * longest, ...], as [n, longest, ...], and which of them a row has.
static void unfoldSteps(GraphBuilder &b, const Logits &logits, SmallVectorImpl<Output> &outputs) {
  Value counts[] = {b.reshape(b.countRows(logits.lengths), {1}), b.reshape(logits.longest, {1})};
  auto unfold = [&](Value flat) -> Value {
    auto type = cast<RankedTensorType>(flat.getType());
    SmallVector<int64_t> shape(2, ShapedType::kDynamic);
    llvm::append_range(shape, type.getShape().drop_front());
    SmallVector<Value> sizes(counts, std::end(counts));
    for (int64_t size : type.getShape().drop_front())
      sizes.push_back(b.reshape(b.i64(size), {1}));
    return df::DynamicReshapeOp::create(b, type.clone(shape), flat,
                                        b.infer<df::ConcatOp>(ValueRange(sizes), uint64_t{0}));
  };
  for (Output &output : outputs) {
    // Strings have no shape of run time: they are looked up by ids that have it.
    if (auto term = output.value.getDefiningOp<df::TermOp>())
      output.value = b.infer<df::TermOp>(term.getTable(), unfold(term.getOperand()));
    else
      output.value = unfold(output.value);
  }
  Value shape = b.infer<df::ConcatOp>(ValueRange(counts), uint64_t{0});
  auto type = RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic}, b.getI64Type());
  Value lengths = df::DynamicBroadcastOp::create(b, type, logits.lengths, shape, ArrayRef<int64_t>{0});
  Value times = df::IotaOp::create(b, type, lengths, /*axis=*/1);
  outputs.push_back({"sequence_mask", b.compare(df::Comparison::LT, times, lengths)});
}

SmallVector<Output> Heads::predictions(Entry &entry, const Logits &logits) const {
  SmallVector<Output> outputs;
  for (const auto &head : heads_)
    for (Output &output : head->predictions(entry, logitsOf(entry, *head, logits.values)))
      outputs.push_back({areSeveral() ? (head->name() + "/" + output.name).str() : output.name, output.value});
  if (logits.areOfSteps())
    unfoldSteps(entry.builder(), logits, outputs);
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
  if (namesMetrics_)
    manifest["heads"] = std::move(heads);
  else
    manifest["head"] = std::move(heads.front());
  if (!constants.empty())
    manifest["prediction_constants"] = std::move(constants);
}
