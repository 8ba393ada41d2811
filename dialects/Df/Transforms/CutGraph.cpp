// df-cut-graph: the part of a graph from values that are fed to values that are fetched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "dialects/Df/Utils/Symbols.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace mlc::df {
#define GEN_PASS_DEF_DFCUTGRAPHPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc;
using namespace mlc::df;

/// Name of the function that is made.
static constexpr llvm::StringLiteral kCutEntry = "fetch";

/// The name of an op: its attribute, or that of its location.
static StringRef nameOf(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(FunctionOp::kNameAttr))
    return name.getValue();
  auto location = dyn_cast<NameLoc>(op->getLoc());
  return location ? location.getName().getValue() : StringRef();
}

namespace {

/// The values of a function by name; equal names of different values are kept apart.
class NamedValues {
public:
  explicit NamedValues(FunctionOp function) {
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (auto name = function.getArgAttrOfType<StringAttr>(i, FunctionOp::kNameAttr))
        add(name.getValue(), function.getArgument(i));
    ReturnOp end = getReturn(function);
    for (unsigned i = 0, e = end.getNumOperands(); i < e; ++i)
      if (auto name = function.getResultAttrOfType<StringAttr>(i, FunctionOp::kNameAttr))
        add(name.getValue(), end.getOperand(i));
    function.walk([&](Operation *op) {
      StringRef name = nameOf(op);
      if (name.empty() || op == function)
        return;
      if (op->getNumResults() == 1)
        return add(name, op->getResult(0));
      for (OpResult result : op->getResults())
        add((name + ":" + Twine(result.getResultNumber())).str(), result);
    });
  }

  /// Of that name; several where it is ambiguous.
  ArrayRef<Value> find(StringRef name) const {
    auto it = values.find(name.str());
    return it == values.end() ? ArrayRef<Value>() : it->second.getArrayRef();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (auto &entry : values)
      result.push_back(entry.first);
    return result;
  }

private:
  void add(StringRef name, Value value) { values[name.str()].insert(value); }

  llvm::MapVector<std::string, SetVector<Value>, std::map<std::string, unsigned>> values;
};

/// Makes the function of one cut.
class GraphCutter {
public:
  GraphCutter(ModuleOp module, StringRef entry, ArrayRef<std::string> fetches, ArrayRef<std::string> feeds)
      : module(module), entry(entry), fetches(fetches), feeds(feeds) {}

  LogicalResult run();

private:
  LogicalResult chooseFunction();
  LogicalResult findValue(const NamedValues &names, StringRef name, Value &value);
  LogicalResult findValues();
  LogicalResult checkFeed(StringRef name, Value value, SymbolicSizes &counts);
  void need(Value value);
  void need(Operation *op);
  LogicalResult build();

  ModuleOp module;
  StringRef entry;
  ArrayRef<std::string> fetches, feeds;
  FunctionOp function;
  SmallVector<Value> fetched;
  llvm::MapVector<Value, std::string> fed;
  SetVector<Value> arguments; ///< and fed values that are needed
  llvm::DenseSet<Operation *> ops;
};

} // namespace

static std::string joined(ArrayRef<std::string> names) {
  constexpr size_t kNamed = 12;
  std::string text = llvm::join(names.take_front(kNamed), ", ");
  return names.size() > kNamed ? text + " and " + std::to_string(names.size() - kNamed) + " more" : text;
}

/// An error about a name that is not there.
static LogicalResult failName(Location location, const Twine &what, StringRef name,
                              const std::vector<std::string> &known) {
  InFlightDiagnostic error = emitError(location) << what << " '" << name << "'";
  error.attachNote() << "expected: one of " << joined(known);
  attachNearest(error, name, known);
  return error;
}

LogicalResult GraphCutter::chooseFunction() {
  std::vector<std::string> all, having, known;
  llvm::StringSet<> knownNames;
  SmallVector<FunctionOp> candidates;
  for (auto candidate : module.getOps<FunctionOp>()) {
    all.push_back(candidate.getSymName().str());
    if (candidate.getSymName() == entry)
      function = candidate;
    NamedValues names(candidate);
    for (const std::string &name : names.names())
      if (knownNames.insert(name).second)
        known.push_back(name);
    auto isThere = [&](const std::string &name) { return !names.find(name).empty(); };
    if (llvm::all_of(fetches, isThere) && llvm::all_of(feeds, isThere)) {
      candidates.push_back(candidate);
      having.push_back(candidate.getSymName().str());
    }
  }
  if (!entry.empty())
    return function ? success() : failName(module.getLoc(), "no function is called", entry, all);
  if (candidates.size() == 1) {
    function = candidates.front();
    return success();
  }
  if (candidates.size() > 1) {
    InFlightDiagnostic error = emitError(module.getLoc())
                               << "several functions have the values that are fetched and fed";
    error.attachNote() << "expected: --entry with one of " << joined(having);
    return error;
  }
  for (ArrayRef<std::string> list : {fetches, feeds})
    for (const std::string &name : list)
      if (!knownNames.contains(name))
        return failName(module.getLoc(), "no value is called", name, known);
  InFlightDiagnostic error = emitError(module.getLoc()) << "no function has all the values that are fetched and fed";
  error.attachNote() << "expected: values of one of " << joined(all);
  return error;
}

LogicalResult GraphCutter::findValue(const NamedValues &names, StringRef name, Value &value) {
  ArrayRef<Value> values = names.find(name);
  if (values.empty())
    return failName(function.getLoc(), "@" + function.getSymName() + " has no value called", name, names.names());
  if (values.size() > 1) {
    InFlightDiagnostic error = emitError(values[0].getLoc()) << values.size() << " values of @" << function.getSymName()
                                                             << " are called '" << name << "'";
    error.attachNote(values[1].getLoc()) << "the next one";
    return error;
  }
  value = values.front();
  if (value.getParentRegion() != &function.getBody()) {
    InFlightDiagnostic error = emitError(value.getLoc()) << "'" << name << "' is a value within a region of "
                                                         << value.getParentRegion()->getParentOp()->getName();
    error.attachNote() << "expected: a value of the function itself";
    return error;
  }
  if (!isa<RankedTensorType>(value.getType()))
    return emitError(value.getLoc()) << "'" << name << "' is no tensor";
  return success();
}

/// A fed value has the shape of a feature: what is dynamic is the rows of the batch or a size that features have.
LogicalResult GraphCutter::checkFeed(StringRef name, Value value, SymbolicSizes &counts) {
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    SymbolicSize size = counts.get(value, d);
    bool isSize = size.isRows() || (d > 0 && size.isSymbol() && isSizeOfRows(module, size.getMultiple()->first));
    if (type.isDynamicDim(d) && !isSize)
      return emitError(value.getLoc()) << "'" << name << "' cannot be fed: dimension " << d
                                       << " is neither the number of rows of the batch nor a size of a feature";
  }
  return success();
}

LogicalResult GraphCutter::findValues() {
  NamedValues names(function);
  llvm::StringSet<> seen;
  for (const std::string &name : fetches) {
    if (!seen.insert(name).second)
      return emitError(function.getLoc()) << "'" << name << "' is fetched twice";
    Value value;
    if (failed(findValue(names, name, value)))
      return failure();
    fetched.push_back(value);
  }
  SymbolicSizes counts(function);
  for (const std::string &name : feeds) {
    Value value;
    if (failed(findValue(names, name, value)) || (!isa<BlockArgument>(value) && failed(checkFeed(name, value, counts))))
      return failure();
    if (!fed.insert({value, name}).second)
      return emitError(function.getLoc()) << "'" << name << "' is fed twice";
  }
  return success();
}

void GraphCutter::need(Value value) {
  if (fed.count(value) || isa<BlockArgument>(value)) {
    arguments.insert(value);
    return;
  }
  need(value.getDefiningOp());
}

/// The ops that `op` needs: those of its operands, and what wrote before it to variables that it reads.
void GraphCutter::need(Operation *op) {
  if (!ops.insert(op).second)
    return;
  forEachUsedValue(op, [&](Value value) {
    if (value.getParentRegion() == &function.getBody())
      need(value);
  });
  SymbolSet reads = getStateAccess(op).reads;
  for (Operation *before = op->getPrevNode(); before && !reads.empty(); before = before->getPrevNode())
    if (llvm::any_of(getStateAccess(before).writes, [&](StringAttr symbol) { return reads.contains(symbol); }))
      need(before);
}

LogicalResult GraphCutter::build() {
  for (Value value : fetched)
    need(value);
  for (auto &[value, name] : fed)
    if (!arguments.contains(value))
      return emitError(value.getLoc()) << "'" << name << "' is fed, but no fetch needs it";
  Block &body = function.getBody().front();
  SmallVector<Type> inputs, outputs;
  SmallVector<DictionaryAttr> inputAttributes, outputAttributes;
  Builder attributes(module.getContext());
  auto named = [&](StringRef name) {
    return attributes.getDictionaryAttr(attributes.getNamedAttr(FunctionOp::kNameAttr, attributes.getStringAttr(name)));
  };
  // Features in their order, then what is fed within.
  SmallVector<Value> taken;
  for (BlockArgument argument : body.getArguments())
    if (arguments.contains(argument)) {
      taken.push_back(argument);
      inputAttributes.push_back(function.getArgAttrDict(argument.getArgNumber()));
    }
  SymbolicSizes sizes(function);
  for (auto &[value, name] : fed)
    if (!isa<BlockArgument>(value)) {
      taken.push_back(value);
      NamedAttrList attributesOfFeed(named(name));
      FunctionOp::setSymbols(attributesOfFeed, value.getType(), sizes.getSymbols(value));
      inputAttributes.push_back(attributesOfFeed.getDictionary(module.getContext()));
    }
  for (Value value : taken)
    inputs.push_back(value.getType());
  for (auto [value, name] : llvm::zip_equal(fetched, fetches)) {
    outputs.push_back(value.getType());
    outputAttributes.push_back(named(name));
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  // The name is free once the functions are gone; a variable or a table may have it.
  SmallVector<FunctionOp> others;
  for (auto other : module.getOps<FunctionOp>())
    if (other.getRole() != Role::Init)
      others.push_back(other);
  auto result =
      FunctionOp::create(builder, function.getLoc(), kCutEntry, builder.getFunctionType(inputs, outputs), Role::Other);
  result.setAllArgAttrs(inputAttributes);
  result.setAllResultAttrs(outputAttributes);
  builder.setInsertionPointToEnd(&result.getBody().front());
  IRMapping mapping;
  auto mapTaken = [&] {
    for (auto [value, argument] : llvm::zip_equal(taken, result.getArguments()))
      mapping.map(value, argument);
  };
  mapTaken();
  for (Operation &op : body.without_terminator())
    if (ops.contains(&op)) {
      builder.clone(op, mapping);
      mapTaken(); // the op may define what is fed
    }
  SmallVector<Value> values;
  for (Value value : fetched)
    values.push_back(mapping.lookup(value));
  ReturnOp::create(builder, function.getLoc(), values);
  for (FunctionOp other : others)
    other.erase();
  if (Operation *taken = SymbolTable::lookupSymbolIn(module, kCutEntry); taken != result) {
    InFlightDiagnostic error = emitError(taken->getLoc())
                               << "'" << kCutEntry << "' is the name of the function that is made";
    error.attachNote() << "expected: another name";
    return error;
  }
  SymbolicSizes counts(result);
  for (auto [i, value] : llvm::enumerate(values))
    if (counts.getBufferType(value)) {
      NamedAttrList attributesOfResult(result.getResultAttrDict(i));
      FunctionOp::setSymbols(attributesOfResult, value.getType(), counts.getSymbols(value));
      result.setResultAttrs(i, attributesOfResult.getDictionary(module.getContext()));
    }
  return success();
}

LogicalResult GraphCutter::run() {
  return success(succeeded(chooseFunction()) && succeeded(findValues()) && succeeded(build()));
}

namespace {

struct CutGraphPass : mlc::df::impl::DfCutGraphPassBase<CutGraphPass> {
  using DfCutGraphPassBase::DfCutGraphPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (fetches.empty()) {
      module.emitError() << "fetches: found none, expected the name of at least one value";
      return signalPassFailure();
    }
    numberSymbols(module);
    if (failed(GraphCutter(module, entry, fetches, feeds).run()))
      signalPassFailure();
  }
};

} // namespace
