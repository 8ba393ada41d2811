// The pass convert-est-to-df: an estimator becomes state and entry functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTensors.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Est/IR/EstNames.h"
#include "lib/Conversion/EstToDf/Bodies.h"
#include "lib/Conversion/EstToDf/Gradients.h"
#include "lib/Conversion/EstToDf/Initializers.h"
#include "lib/Conversion/EstToDf/Manifest.h"
#include "lib/Conversion/EstToDf/UpdateRules.h"
#include "mlc/Conversion/ConversionPasses.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlc {
#define GEN_PASS_DEF_CONVERTESTTODF
#include "mlc/Conversion/ConversionPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

//===-- what the model uses -----------------------------------------------------===//

/// The ops that `roots` are computed from.
static llvm::SetVector<Operation *> sourcesOf(ValueRange roots) {
  llvm::SetVector<Operation *> sources;
  SmallVector<Value> open(roots.begin(), roots.end());
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (sources.insert(op))
      open.append(op->operand_begin(), op->operand_end());
  }
  return sources;
}

/// Features among `sources` and `more`, in the order of the estimator.
static SmallVector<est::FeatureOp> featuresOf(est::EstimatorOp estimator, const llvm::SetVector<Operation *> &sources,
                                              ArrayRef<Value> more) {
  SmallVector<est::FeatureOp> features;
  for (auto feature : estimator.getBody().getOps<est::FeatureOp>())
    if (sources.contains(feature) || llvm::is_contained(more, feature.getValue()))
      features.push_back(feature);
  return features;
}

/// Fails if two things of the model would get one name: columns of one name, or two bodies of one kind. An indicator
/// makes no symbol: that of a bucketized column has its name.
static LogicalResult checkNames(const llvm::SetVector<Operation *> &sources) {
  llvm::StringMap<Operation *> names;
  for (Operation *op : sources) {
    bool isBody = isa<est::BaselineOp, est::LinearOp, est::DnnOp, est::RnnOp>(op);
    StringRef name = isBody ? op->getName().getStringRef() : est::getColumnName(op->getResult(0));
    if (name.empty() || isa<est::IndicatorOp>(op))
      continue;
    auto [place, isNew] = names.try_emplace(name, op);
    if (isNew)
      continue;
    // The model's ops are found from the head backwards; the later one is at fault.
    Operation *first = place->second, *second = op;
    if (second->isBeforeInBlock(first))
      std::swap(first, second);
    InFlightDiagnostic diagnostic = second->emitOpError();
    if (isBody)
      diagnostic << "is a second body of its kind; a model has at most one of each";
    else
      diagnostic << "is another column '" << name << "'; columns need distinct names";
    diagnostic.attachNote(first->getLoc()) << "the first is here";
    return diagnostic;
  }
  return success();
}

/// Fails if two embeddings have one table but not one description of it.
static LogicalResult checkTables(const llvm::SetVector<Operation *> &sources) {
  llvm::StringMap<est::EmbeddingOp> tables;
  for (Operation *op : sources) {
    auto embedding = dyn_cast<est::EmbeddingOp>(op);
    if (!embedding)
      continue;
    auto [place, isNew] = tables.try_emplace(embedding.getShared().value_or(embedding.getName()), embedding);
    est::EmbeddingOp other = place->second;
    bool isAlike = embedding.getShared() && other.getShared() && embedding.getDimension() == other.getDimension() &&
                   embedding.getIds().getType() == other.getIds().getType() &&
                   embedding.getInitializer() == other.getInitializer() &&
                   embedding.getSparseUpdate() == other.getSparseUpdate() &&
                   embedding.getFrozen() == other.getFrozen() && embedding.getCombiner() == other.getCombiner() &&
                   embedding.getMaxNormAttr() == other.getMaxNormAttr() &&
                   embedding.getRegularizerAttr() == other.getRegularizerAttr();
    if (isNew || isAlike)
      continue;
    InFlightDiagnostic diagnostic = embedding.emitOpError()
                                    << "takes the table '" << place->first() << "' of another column";
    diagnostic.attachNote(other.getLoc()) << "columns that share a table agree in all but ids and name; this is one";
    return diagnostic;
  }
  return success();
}

//===-- entries -------------------------------------------------------------------===//

/// The gradients of the loss for the variables of all parts, in their order: rows for tables that are only gathered.
static ValueRange buildGradients(GraphBuilder &b, Value loss, ArrayRef<Part> parts) {
  SmallVector<Attribute> symbols;
  SmallVector<Type> types;
  for (const Part &part : parts)
    for (const TrainedVariable &trained : part.variables) {
      df::VariableOp variable = trained.variable;
      symbols.push_back(FlatSymbolRefAttr::get(variable.getSymNameAttr()));
      types.push_back(trained.gathered ? Type(df::RowsType::get(b.getContext(), variable.getTensorType()))
                                       : Type(variable.getTensorType()));
    }
  return df::GradientsOp::create(b, types, loss, b.getArrayAttr(symbols), ValueRange()).getResults();
}

/// Applies `build` to the trained variables of each part, which gives a term of the loss or null, and adds the terms
/// up.
static Value sumOverParts(GraphBuilder &b, ArrayRef<Part> parts, function_ref<Value(const Part &)> build) {
  Value sum;
  for (const Part &part : parts) {
    b.setLoc(part.loc);
    if (Value term = build(part))
      sum = sum ? b.add(sum, term) : term;
  }
  return sum;
}

static void buildTrain(ModuleState &state, const Heads &heads, ArrayRef<est::FeatureOp> features,
                       SmallVectorImpl<Part> &parts, Location loc) {
  Entry entry(state, df::Role::Train, "train", features, loc);
  Value loss = heads.batchLoss(entry, lowerBodies(entry, heads.bodies(), /*training=*/true, parts));
  GraphBuilder &b = entry.builder();
  b.setLoc(loc);
  SmallVector<Value> all(buildGradients(b, loss, parts));
  MutableArrayRef<Value> gradients = all;
  auto takeGradients = [](MutableArrayRef<Value> &rest, const Part &part) {
    MutableArrayRef<Value> own = rest.take_front(part.variables.size());
    rest = rest.drop_front(own.size());
    return own;
  };
  Value regularization = sumOverParts(b, parts, [&, rest = gradients](const Part &part) mutable {
    return addRegularizers(b, part.variables, takeGradients(rest, part));
  });
  b.setLoc(loc);
  df::VariableOp globalStep = state.globalStep(loc);
  Value step = b.read(globalStep);
  for (const Part &part : parts) {
    b.setLoc(part.loc);
    buildUpdates(
        b, part.optimizer, part.variables, takeGradients(gradients, part), step, /*rate=*/Value(),
        [&](df::VariableOp variable, const Slot &slot) {
          return state.slot(variable, slot.suffix, slot.name, slot.start);
        },
        [&](StringRef name, double start) {
          return state.slotOfStep((part.name + "/" + name).str(), start, part.loc);
        });
  }
  b.setLoc(loc);
  df::AssignAddOp::create(b, globalStep.getSymName(), b.i64(1));
  SmallVector<Output> outputs{{"loss", regularization ? b.add(loss, regularization) : loss}};
  if (regularization)
    outputs.push_back({"regularization_loss", regularization});
  entry.finish(outputs);
}

/// What regularizers of the variables of `parts` add to the loss, or null.
static Value regularizationOf(GraphBuilder &b, ArrayRef<Part> parts) {
  return sumOverParts(b, parts, [&](const Part &part) { return sumRegularizers(b, part.variables); });
}

/// `trained`: what training found, whose regularizers belong to the loss, which the entry gives if it `tellsLoss`.
static void buildEvalUpdate(ModuleState &state, const Heads &heads, ArrayRef<est::FeatureOp> features,
                            ArrayRef<Part> trained, bool tellsLoss, Location loc) {
  Entry entry(state, df::Role::EvalUpdate, "eval_update", features, loc);
  SmallVector<Part> parts;
  Value loss = heads.update(entry, lowerBodies(entry, heads.bodies(), /*training=*/false, parts));
  if (!tellsLoss)
    return entry.finish({});
  GraphBuilder &b = entry.builder();
  Value regularization = regularizationOf(b, trained);
  b.setLoc(loc);
  entry.finish({{(df::names::kFetched + "loss").str(), regularization ? b.add(loss, regularization) : loss}});
}

/// `parts`: as `trained` of buildEvalUpdate.
static void buildEvalResult(ModuleState &state, const Heads &heads, ArrayRef<Part> parts, Location loc) {
  Entry entry(state, df::Role::EvalResult, "eval_result", {}, loc);
  entry.finish(heads.metrics(entry, regularizationOf(entry.builder(), parts)));
}

static void buildPredict(ModuleState &state, const Heads &heads, ArrayRef<est::FeatureOp> features, Location loc) {
  Entry entry(state, df::Role::Predict, "predict", features, loc);
  SmallVector<Part> parts;
  Logits logits = lowerBodies(entry, heads.bodies(), /*training=*/false, parts);
  entry.finish(heads.predictions(entry, logits));
}

/// What a summary of training shows beside the loss: activations as evaluation computes them, weights, learning rates
/// of the step that comes.
static void buildSummary(ModuleState &state, const Heads &heads, ArrayRef<est::FeatureOp> features, Location loc) {
  Entry entry(state, df::Role::Summary, "summary", features, loc);
  SmallVector<Part> parts;
  SmallVector<Output> summaries;
  lowerBodies(entry, heads.bodies(), /*training=*/false, parts, &summaries);
  GraphBuilder &b = entry.builder();
  b.setLoc(loc);
  Value step = b.read(state.globalStep(loc));
  for (const Part &part : parts)
    summaries.push_back({(parts.size() > 1 ? part.name + "/" : Twine()).concat("learning_rate").str(),
                         buildLearningRate(b, part.optimizer, step)});
  entry.finish(summaries);
}

//===-- the pass --------------------------------------------------------------------===//

/// Names of the functions that columns are normalized by.
static llvm::DenseSet<StringAttr> normalizersOf(ModuleOp module) {
  llvm::DenseSet<StringAttr> names;
  auto add = [&](Attribute normalizer) {
    if (auto name = dyn_cast_if_present<FlatSymbolRefAttr>(normalizer))
      names.insert(name.getAttr());
  };
  module.walk([&](est::NumericOp op) { add(op.getNormalizerAttr()); });
  module.walk([&](est::BucketizedOp op) { add(op.getNormalizerAttr()); });
  return names;
}

/// The one est.estimator of the module, or null after an error.
static est::EstimatorOp findEstimator(ModuleOp module) {
  est::EstimatorOp estimator;
  const llvm::DenseSet<StringAttr> normalizers = normalizersOf(module);
  for (Operation &op : *module.getBody()) {
    if (auto function = dyn_cast<FunctionOpInterface>(op); function && normalizers.contains(function.getNameAttr()))
      continue;
    auto found = dyn_cast<est::EstimatorOp>(op);
    if (found && !estimator) {
      estimator = found;
      continue;
    }
    op.emitOpError("stands beside the estimator; expected a module with one est.estimator and its normalizers alone");
    return {};
  }
  if (!estimator)
    module.emitError("holds no est.estimator; expected one");
  return estimator;
}

static df::Precision precisionOf(est::Precision precision) {
  switch (precision) {
  case est::Precision::BF16Mixed:
    return df::Precision::BF16Mixed;
  case est::Precision::TF32:
    return df::Precision::TF32;
  case est::Precision::F16Mixed:
    return df::Precision::F16Mixed;
  }
  llvm_unreachable("all precisions are covered");
}

namespace {
struct ConvertEstToDf : public mlc::impl::ConvertEstToDfBase<ConvertEstToDf> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    est::EstimatorOp estimator = findEstimator(module);
    if (!estimator)
      return signalPassFailure();
    const Heads heads(estimator);
    llvm::SetVector<Operation *> sources = sourcesOf(heads.bodies());
    if (failed(checkNames(sources)) || failed(checkTables(sources)))
      return signalPassFailure();

    Location loc = estimator.getLoc();
    SmallVector<est::FeatureOp> inputs = featuresOf(estimator, sources, {});
    SmallVector<Value> labels = heads.labelFeatures();
    SmallVector<est::FeatureOp> inputsAndLabel = featuresOf(estimator, sources, labels);
    labels.append(heads.evalFeatures());
    SmallVector<est::FeatureOp> evalInputs = featuresOf(estimator, sources, labels);
    SmallVector<Operation *> normalizers;
    for (auto function : module.getOps<FunctionOpInterface>())
      normalizers.push_back(function);
    ModuleState state(module, estimator->getAttrOfType<DictionaryAttr>(est::names::kBackupInitializers));
    SmallVector<Part> parts;
    buildTrain(state, heads, inputsAndLabel, parts, loc);
    buildEvalUpdate(state, heads, evalInputs, parts, estimator->hasAttr(est::names::kTellsLoss), loc);
    buildEvalResult(state, heads, parts, loc);
    buildPredict(state, heads, inputs, loc);
    buildSummary(state, heads, inputs, loc);
    buildInit(state, loc);
    state.checkBackups(loc);
    if (!state.ok())
      return signalPassFailure();
    DictionaryAttr columns = describeColumns(&getContext(), sources.getArrayRef());
    if (ArrayRef<std::string> tensors = state.tensors(); !tensors.empty())
      module->setAttr(df::kTensorsAttr, OpBuilder(module).getStrArrayAttr(llvm::to_vector_of<StringRef>(tensors)));
    if (std::optional<est::Precision> precision = estimator.getPrecision())
      module->setAttr(df::DfDialect::kPrecisionAttr, df::PrecisionAttr::get(&getContext(), precisionOf(*precision)));
    if (failed(setManifest(module, estimator, heads, state, columns)))
      return signalPassFailure();
    estimator.erase();
    for (Operation *function : normalizers) // their ops are in the entries
      function->erase();
  }
};
} // namespace
