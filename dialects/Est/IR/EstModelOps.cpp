//===- EstModelOps.cpp - Verifiers of the estimator, its bodies and heads ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "dialects/Est/IR/Est.h"
#include "dialects/Support/DialectVersion.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlc::est;

//===----------------------------------------------------------------------===//
// Estimator
//===----------------------------------------------------------------------===//

static bool isHead(Operation &op) {
  return isa<BinaryClassHeadOp, MultiClassHeadOp, MultiLabelHeadOp, RegressionHeadOp, LogisticRegressionHeadOp,
             PoissonRegressionHeadOp>(op);
}

SmallVector<Operation *, 1> EstimatorOp::getHeads() {
  SmallVector<Operation *, 1> heads;
  for (Operation &op : getBody().front())
    if (isHead(op))
      heads.push_back(&op);
  return heads;
}

LogicalResult EstimatorOp::readProperties(DialectBytecodeReader &reader, OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(prop.compat)) || failed(reader.readOptionalAttribute(prop.input)) ||
      (mlc::isWrittenBy<EstDialect>(reader, 2) && failed(reader.readOptionalAttribute(prop.precision))) ||
      failed(reader.readOptionalAttribute(prop.settings)))
    return failure();
  return reader.readAttribute(prop.sym_name);
}

void EstimatorOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &prop = getProperties();
  writer.writeAttribute(prop.compat);
  writer.writeOptionalAttribute(prop.input);
  writer.writeOptionalAttribute(prop.precision);
  writer.writeOptionalAttribute(prop.settings);
  writer.writeAttribute(prop.sym_name);
}

static StringRef nameOfHead(Operation *head) { return head->getAttrOfType<StringAttr>("name").getValue(); }

static OperandRange logitsOfHead(Operation *head) {
  return llvm::TypeSwitch<Operation *, OperandRange>(head)
      .Case<BinaryClassHeadOp, MultiClassHeadOp, MultiLabelHeadOp, RegressionHeadOp, LogisticRegressionHeadOp,
            PoissonRegressionHeadOp>([](auto op) { return op.getLogits(); });
}

SmallVector<Value> mlc::est::bodiesOfHead(Operation *head) {
  return llvm::map_to_vector(logitsOfHead(head), [](Value logits) -> Value {
    auto part = logits.getDefiningOp<PartOfLogitsOp>();
    return part ? part.getLogits() : logits;
  });
}

int64_t mlc::est::firstLogitOfHead(Operation *head) {
  auto part = logitsOfHead(head).front().getDefiningOp<PartOfLogitsOp>();
  return part ? static_cast<int64_t>(part.getFrom()) : 0;
}

int64_t mlc::est::countLogitsOfHead(Operation *head) { return getDimension(logitsOfHead(head).front().getType()); }

bool mlc::est::isOfSteps(Operation *head) { return isa<StepLogitsType>(logitsOfHead(head).front().getType()); }

/// Fails if heads have one name, are of other bodies, or take other logits of one body than of another: logits of the
/// bodies are added up before heads take theirs.
static LogicalResult verifyHeads(ArrayRef<Operation *> heads) {
  llvm::StringMap<Operation *> names;
  for (Operation *head : heads) {
    if (heads.size() == 1 && logitsOfHead(head).front().getDefiningOp<PartOfLogitsOp>())
      return head->emitOpError("takes a part of the logits; the only head takes all of them");
    auto [place, isNew] = names.try_emplace(nameOfHead(head), head);
    if (!isNew) {
      InFlightDiagnostic diagnostic = head->emitOpError() << "'" << place->first() << "' is the name of another head";
      diagnostic.attachNote(place->second->getLoc()) << "the other head is here";
      return diagnostic;
    }
    if (bodiesOfHead(head) != bodiesOfHead(heads.front())) {
      InFlightDiagnostic diagnostic = head->emitOpError("has other bodies than the first head");
      diagnostic.attachNote(heads.front()->getLoc()) << "the first head is here";
      return diagnostic;
    }
    for (Value logits : logitsOfHead(head)) {
      auto part = logits.getDefiningOp<PartOfLogitsOp>();
      int64_t from = part ? static_cast<int64_t>(part.getFrom()) : 0;
      if (from == firstLogitOfHead(head))
        continue;
      InFlightDiagnostic diagnostic = head->emitOpError()
                                      << "takes logits from " << from << " of one body and from "
                                      << firstLogitOfHead(head) << " of another; expected the same of all";
      diagnostic.attachNote(logits.getLoc()) << "of this body";
      return diagnostic;
    }
  }
  return success();
}

LogicalResult EstimatorOp::verifyRegions() {
  llvm::StringMap<FeatureOp> features;
  for (Operation &op : getBody().front()) {
    if (op.getDialect() != (*this)->getDialect())
      return op.emitOpError("stands in an est.estimator, which holds only ops of the est dialect");
    if (auto feature = dyn_cast<FeatureOp>(op)) {
      auto [place, isNew] = features.try_emplace(feature.getName(), feature);
      if (isNew)
        continue;
      InFlightDiagnostic diagnostic = feature.emitOpError() << "'" << feature.getName() << "' is declared twice";
      diagnostic.attachNote(place->second.getLoc()) << "first declared here";
      return diagnostic;
    }
  }
  SmallVector<Operation *, 1> heads = getHeads();
  if (heads.empty())
    return emitOpError() << "'" << getSymName() << "' has no head; an estimator has at least one";
  return verifyHeads(heads);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Fails if `op` has no columns, or two of one name: names become variables.
static LogicalResult verifyColumns(Operation *op, ValueRange columns) {
  if (columns.empty())
    return op->emitOpError("needs at least one column");
  llvm::StringMap<Value> names;
  for (Value column : columns) {
    StringRef name = getColumnName(column);
    if (name.empty())
      return op->emitOpError("takes results of feature columns only");
    if (names.try_emplace(name, column).second)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError() << "takes column '" << name << "' twice";
    diagnostic.attachNote(column.getLoc()) << "the column is defined here";
    return diagnostic;
  }
  return success();
}

LogicalResult LinearOp::verify() { return verifyColumns(*this, getColumns()); }

LogicalResult DnnOp::verify() {
  if (failed(verifyColumns(*this, getColumns())))
    return failure();
  for (int64_t units : getHiddenUnits())
    if (units <= 0)
      return emitOpError() << "hidden_units must be above 0; found " << units;
  if (std::optional<SettingAttr> rate = getDropout()) {
    auto value = dyn_cast<FloatAttr>(rate->getValue());
    if (!value || !(value.getValueAsDouble() >= 0 && value.getValueAsDouble() < 1))
      return emitOpError() << "dropout must be in [0, 1); found " << rate->getValue();
  }
  return success();
}

LogicalResult RnnOp::verify() {
  if (getSequences().empty())
    return emitOpError("needs at least one sequence");
  if (failed(verifyColumns(*this, getOperands())))
    return failure();
  if (getUnits().empty())
    return emitOpError("needs the units of at least one layer");
  for (int64_t units : getUnits())
    if (units <= 0)
      return emitOpError() << "units must be above 0; found " << units;
  return success();
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

LogicalResult PartOfLogitsOp::verify() {
  if (!getLogits().getDefiningOp() || isa<PartOfLogitsOp>(getLogits().getDefiningOp()))
    return emitOpError("takes the logits of a body, all of them");
  int64_t from = static_cast<int64_t>(getFrom()), count = getType().getDimension();
  int64_t whole = getLogits().getType().getDimension();
  if (from > whole - count)
    return emitOpError() << "takes " << count << " logits from " << from << " on, of " << whole;
  return success();
}

/// What all heads share: a label, of one value per row unless `isLabelShaped`, at least one body, and `dimension`
/// logits from each.
template <typename Head> static LogicalResult verifyHead(Head head, int64_t dimension, bool isLabelShaped = false) {
  if (head.getLogits().empty())
    return head.emitOpError("needs the logits of at least one body");
  for (Value logits : head.getLogits()) {
    int64_t found = getDimension(logits.getType());
    if (found == dimension)
      continue;
    InFlightDiagnostic diagnostic = head.emitOpError() << "takes " << dimension << " logits; found " << found;
    diagnostic.attachNote(logits.getLoc()) << "from this body";
    return diagnostic;
  }
  if (isOfSteps(head)) {
    if (head.getLogits().size() > 1)
      return head.emitOpError("takes logits of steps, which are of one body alone");
    if (!head.getLabel().getType().isMultiValued())
      return head.emitOpError("takes logits of steps, and a label of a value for each of them; found ")
             << head.getLabel().getType();
  }
  if (head.getWeight() && head.getWeight().getType().isMultiValued() != isOfSteps(head))
    return head.emitOpError("takes a weight for each ")
           << (isOfSteps(head) ? "step" : "row") << "; found " << head.getWeight().getType();
  auto label = head.getLabel().template getDefiningOp<FeatureOp>();
  if (label && label.getRole() != Role::Label)
    return head.emitOpError() << "label '" << label.getName() << "' has role " << stringifyRole(label.getRole());
  if (FeatureType type = head.getLabel().getType(); !isLabelShaped && !isOfSteps(head) && !type.isScalar())
    return head.emitOpError() << "has a label of " << type.getNumElements() << " values per row; expected one";
  for (Operation *user : head.getLabel().getUsers()) {
    if (isHead(*user))
      continue;
    InFlightDiagnostic diagnostic = head.emitOpError("has a label that is also used as a feature");
    diagnostic.attachNote(user->getLoc()) << "used here";
    return diagnostic;
  }
  return success();
}

/// What classes share: `count` distinct terms (0: as many as there are) of the label's type; a string label needs them.
template <typename Head>
static LogicalResult verifyClasses(Head head, std::optional<ArrayAttr> vocabulary, int64_t count) {
  FeatureType label = head.getLabel().getType();
  if (!vocabulary) {
    if (label.isString())
      return head.emitOpError("has a label of strings and needs a vocabulary");
    return success();
  }
  if (static_cast<int64_t>(vocabulary->size()) != count)
    return head.emitOpError() << "has " << count << " classes; found a vocabulary of " << vocabulary->size();
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute term : *vocabulary) {
    if (!seen.insert(term).second)
      return head.emitOpError() << "term " << term << " stands twice in the vocabulary";
    if (isa<StringAttr>(term) != label.isString())
      return head.emitOpError() << "has a label of " << stringifyDType(label.getDtype()) << " and the term " << term;
  }
  return success();
}

static LogicalResult verifyThresholds(Operation *op, std::optional<ArrayRef<double>> thresholds) {
  for (double threshold : thresholds.value_or(ArrayRef<double>()))
    if (!(threshold > 0 && threshold < 1))
      return op->emitOpError() << "thresholds must be in (0, 1); found " << threshold;
  return success();
}

static LogicalResult verifyClassWeights(Operation *op, std::optional<ArrayRef<double>> weights, int64_t classes) {
  if (!weights)
    return success();
  if (static_cast<int64_t>(weights->size()) != classes)
    return op->emitOpError() << "has " << weights->size() << " class weights for " << classes << " classes";
  for (double weight : *weights)
    if (!(weight > 0) || !std::isfinite(weight))
      return op->emitOpError() << "class weights must be above 0; found " << weight;
  return success();
}

LogicalResult BinaryClassHeadOp::verify() {
  if (getGroup() && !cast<FeatureType>(getGroup().getType()).isScalar())
    return emitOpError("has a group of any number of values per row; expected one");
  if (getGroup() && !getLogits().empty() && isOfSteps(*this))
    return emitOpError("takes logits of steps, which have no groups");
  if (failed(verifyHead(*this, 1)) || failed(verifyClasses(*this, getVocabulary(), 2)) ||
      failed(verifyClassWeights(*this, getClassWeights(), 2)))
    return failure();
  return verifyThresholds(*this, getThresholds());
}

LogicalResult MultiClassHeadOp::verify() {
  if (getLogits().empty())
    return emitOpError("needs the logits of at least one body");
  int64_t classes = getDimension(getLogits()[0].getType());
  if (classes <= 2)
    return emitOpError() << "needs more than 2 classes; found " << classes << " (2 classes: est.binary_class_head)";
  if (getLabel().getType().isFloat())
    return emitOpError("has a label of floats; classes are integers, or strings with a vocabulary");
  if (failed(verifyHead(*this, classes)) || failed(verifyClassWeights(*this, getClassWeights(), classes)))
    return failure();
  return verifyClasses(*this, getVocabulary(), classes);
}

LogicalResult MultiLabelHeadOp::verify() {
  if (getLogits().empty())
    return emitOpError("needs the logits of at least one body");
  if (isOfSteps(*this))
    return emitOpError("takes logits of rows; a step has one class");
  int64_t classes = getDimension(getLogits()[0].getType());
  if (classes < 2)
    return emitOpError() << "needs at least 2 classes; found " << classes;
  FeatureType label = getLabel().getType();
  if (label.isMultiValued()) {
    if (!label.isString() && !label.isInteger())
      return emitOpError() << "has a label of sets of " << stringifyDType(label.getDtype())
                           << "; classes are integers, or strings with a vocabulary";
    if (failed(verifyClasses(*this, getVocabulary(), classes)))
      return failure();
  } else {
    if (label.isString() || label.getShape() != ArrayRef<int64_t>(classes))
      return emitOpError() << "takes a label of any number of classes per row, or of " << classes
                           << " numbers or truth values; found " << label;
    if (getVocabulary() && static_cast<int64_t>(getVocabulary()->size()) != classes)
      return emitOpError() << "has " << classes << " classes; found a vocabulary of " << getVocabulary()->size();
  }
  for (int64_t which : getClassMetrics().value_or(ArrayRef<int64_t>()))
    if (which < 0 || which >= classes)
      return emitOpError() << "has metrics of class " << which << "; expected one of [0, " << classes << ")";
  return failed(verifyThresholds(*this, getThresholds())) ? failure()
                                                          : verifyHead(*this, classes, /*isLabelShaped=*/true);
}

/// What regressions share: a fixed number of numbers per row, and a logit for each.
template <typename Head> static LogicalResult verifyRegression(Head head) {
  FeatureType label = head.getLabel().getType();
  if (label.isString())
    return head.emitOpError("has a label of strings; a regression takes numbers");
  const bool isOfSteps = !head.getLogits().empty() && mlc::est::isOfSteps(head);
  if (label.isMultiValued() != isOfSteps || label.getShape().size() > 1)
    return head.emitOpError() << "takes a label of "
                              << (isOfSteps ? "a number for each step" : "one number or a vector of them") << "; found "
                              << label;
  return verifyHead(head, isOfSteps ? 1 : label.getNumElements(), /*isLabelShaped=*/true);
}

LogicalResult RegressionHeadOp::verify() { return verifyRegression(*this); }
LogicalResult LogisticRegressionHeadOp::verify() { return verifyRegression(*this); }
LogicalResult PoissonRegressionHeadOp::verify() { return verifyRegression(*this); }
