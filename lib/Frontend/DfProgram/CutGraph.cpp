// A part of the graph of a df module: from values that are fed to values that are fetched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/NearestMatch.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Df/Utils/Signature.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "dialects/Df/Utils/Symbols.h"
#include "mlc/Frontend/DfProgram/DfProgram.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::frontend;

static common::Message errorAt(Location location, std::string what, std::string expected = {}) {
  common::Message message = common::makeError("E0221", std::move(what));
  message.place = placeOf(location);
  message.expected = std::move(expected);
  return message;
}

/// The name of an op: its attribute, or that of its location.
static StringRef nameOf(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(df::FunctionOp::kNameAttr))
    return name.getValue();
  auto location = dyn_cast<NameLoc>(op->getLoc());
  return location ? location.getName().getValue() : StringRef();
}

namespace {

/// The values of a function by name; equal names of different values are kept apart.
class NamedValues {
public:
  explicit NamedValues(df::FunctionOp function) {
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (auto name = function.getArgAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr))
        add(name.getValue(), function.getArgument(i));
    df::ReturnOp end = df::getReturn(function);
    for (unsigned i = 0, e = end.getNumOperands(); i < e; ++i)
      if (auto name = function.getResultAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr))
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
  GraphCutter(ModuleOp module, const GraphCut &cut, common::MessageList &messages)
      : module(module), cut(cut), messages(messages) {}

  bool run();

private:
  bool fail(common::Message message) {
    messages.add(std::move(message));
    return false;
  }
  bool chooseFunction();
  bool findValue(const NamedValues &names, const std::string &name, Value &value);
  bool findValues();
  bool checkFeed(const std::string &name, Value value, df::SymbolicSizes &counts);
  void need(Value value);
  void need(Operation *op);
  bool build();

  ModuleOp module;
  const GraphCut &cut;
  common::MessageList &messages;
  df::FunctionOp function;
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

bool GraphCutter::chooseFunction() {
  std::vector<std::string> all, having, known;
  SmallVector<df::FunctionOp> candidates;
  for (auto candidate : module.getOps<df::FunctionOp>()) {
    all.push_back(candidate.getSymName().str());
    if (candidate.getSymName() == cut.entry)
      function = candidate;
    NamedValues names(candidate);
    for (const std::string &name : names.names())
      if (!llvm::is_contained(known, name))
        known.push_back(name);
    auto isThere = [&](const std::string &name) { return !names.find(name).empty(); };
    if (llvm::all_of(cut.fetches, isThere) && llvm::all_of(cut.feeds, isThere)) {
      candidates.push_back(candidate);
      having.push_back(candidate.getSymName().str());
    }
  }
  if (!cut.entry.empty()) {
    if (function)
      return true;
    common::Message message =
        errorAt(module.getLoc(), "no function is called '" + cut.entry + "'", "one of " + joined(all));
    message.help = common::didYouMean(cut.entry, all);
    return fail(std::move(message));
  }
  if (candidates.size() == 1) {
    function = candidates.front();
    return true;
  }
  if (candidates.size() > 1)
    return fail(errorAt(module.getLoc(), "several functions have the values that are fetched and fed",
                        "--entry with one of " + joined(having)));
  for (const std::vector<std::string> *list : {&cut.fetches, &cut.feeds})
    for (const std::string &name : *list)
      if (!llvm::is_contained(known, name)) {
        common::Message message =
            errorAt(module.getLoc(), "no value is called '" + name + "'", "one of " + joined(known));
        message.help = common::didYouMean(name, known);
        return fail(std::move(message));
      }
  return fail(errorAt(module.getLoc(), "no function has all the values that are fetched and fed",
                      "values of one of " + joined(all)));
}

bool GraphCutter::findValue(const NamedValues &names, const std::string &name, Value &value) {
  ArrayRef<Value> values = names.find(name);
  if (values.empty()) {
    std::vector<std::string> known = names.names();
    common::Message message =
        errorAt(function.getLoc(), "@" + function.getSymName().str() + " has no value called '" + name + "'",
                "one of " + joined(known));
    message.help = common::didYouMean(name, known);
    return fail(std::move(message));
  }
  if (values.size() > 1) {
    common::Message message =
        errorAt(values[0].getLoc(), std::to_string(values.size()) + " values of @" + function.getSymName().str() +
                                        " are called '" + name + "'");
    common::Place other = placeOf(values[1].getLoc());
    other.label = "the next one";
    message.related.push_back(other);
    return fail(std::move(message));
  }
  value = values.front();
  if (value.getParentRegion() != &function.getBody())
    return fail(errorAt(value.getLoc(),
                        "'" + name + "' is a value within a region of " +
                            value.getParentRegion()->getParentOp()->getName().getStringRef().str(),
                        "a value of the function itself"));
  if (!isa<RankedTensorType>(value.getType()))
    return fail(errorAt(value.getLoc(), "'" + name + "' is no tensor"));
  return true;
}

/// A fed value has the shape of a feature: what is dynamic is the rows of the batch or a size that features have.
bool GraphCutter::checkFeed(const std::string &name, Value value, df::SymbolicSizes &counts) {
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    df::SymbolicSize size = counts.get(value, d);
    bool isSize = size.isRows() || (d > 0 && size.isSymbol() && df::isSizeOfRows(module, size.getMultiple()->first));
    if (type.isDynamicDim(d) && !isSize)
      return fail(errorAt(value.getLoc(), "'" + name + "' cannot be fed: dimension " + std::to_string(d) +
                                              " is neither the number of rows of the batch nor a size of a feature"));
  }
  return true;
}

bool GraphCutter::findValues() {
  NamedValues names(function);
  for (const std::string &name : cut.fetches) {
    if (llvm::count(cut.fetches, name) > 1)
      return fail(errorAt(function.getLoc(), "'" + name + "' is fetched twice"));
    Value value;
    if (!findValue(names, name, value))
      return false;
    fetched.push_back(value);
  }
  df::SymbolicSizes counts(function);
  for (const std::string &name : cut.feeds) {
    Value value;
    if (!findValue(names, name, value) || (!isa<BlockArgument>(value) && !checkFeed(name, value, counts)))
      return false;
    if (!fed.insert({value, name}).second)
      return fail(errorAt(function.getLoc(), "'" + name + "' is fed twice"));
  }
  return true;
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
  df::forEachUsedValue(op, [&](Value value) {
    if (value.getParentRegion() == &function.getBody())
      need(value);
  });
  df::SymbolSet reads = df::getStateAccess(op).reads;
  for (Operation *before = op->getPrevNode(); before && !reads.empty(); before = before->getPrevNode())
    if (llvm::any_of(df::getStateAccess(before).writes, [&](StringAttr symbol) { return reads.contains(symbol); }))
      need(before);
}

bool GraphCutter::build() {
  for (Value value : fetched)
    need(value);
  for (auto &[value, name] : fed)
    if (!arguments.contains(value))
      return fail(errorAt(value.getLoc(), "'" + name + "' is fed, but no fetch needs it"));
  Block &body = function.getBody().front();
  SmallVector<Type> inputs, outputs;
  SmallVector<DictionaryAttr> inputAttributes, outputAttributes;
  Builder attributes(module.getContext());
  auto named = [&](StringRef name) {
    return attributes.getDictionaryAttr(
        attributes.getNamedAttr(df::FunctionOp::kNameAttr, attributes.getStringAttr(name)));
  };
  // Features in their order, then what is fed within.
  SmallVector<Value> taken;
  for (BlockArgument argument : body.getArguments())
    if (arguments.contains(argument)) {
      taken.push_back(argument);
      inputAttributes.push_back(function.getArgAttrDict(argument.getArgNumber()));
    }
  df::SymbolicSizes sizes(function);
  for (auto &[value, name] : fed)
    if (!isa<BlockArgument>(value)) {
      taken.push_back(value);
      NamedAttrList attributesOfFeed(named(name));
      df::FunctionOp::setSymbols(attributesOfFeed, value.getType(), sizes.getSymbols(value));
      inputAttributes.push_back(attributesOfFeed.getDictionary(module.getContext()));
    }
  for (Value value : taken)
    inputs.push_back(value.getType());
  for (auto [value, name] : llvm::zip_equal(fetched, cut.fetches)) {
    outputs.push_back(value.getType());
    outputAttributes.push_back(named(name));
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  // The name is free once the functions are gone; a variable or a table may have it.
  SmallVector<df::FunctionOp> others;
  for (auto other : module.getOps<df::FunctionOp>())
    if (other.getRole() != df::Role::Init)
      others.push_back(other);
  auto result = df::FunctionOp::create(builder, function.getLoc(), kCutEntry, builder.getFunctionType(inputs, outputs),
                                       df::Role::Other);
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
  df::ReturnOp::create(builder, function.getLoc(), values);
  for (df::FunctionOp other : others)
    other.erase();
  if (Operation *taken = SymbolTable::lookupSymbolIn(module, kCutEntry); taken != result)
    return fail(
        errorAt(taken->getLoc(), "'" + kCutEntry.str() + "' is the name of the function that is made", "another name"));
  df::SymbolicSizes counts(result);
  for (auto [i, value] : llvm::enumerate(values))
    if (counts.getBufferType(value)) {
      NamedAttrList attributesOfResult(result.getResultAttrDict(i));
      df::FunctionOp::setSymbols(attributesOfResult, value.getType(), counts.getSymbols(value));
      result.setResultAttrs(i, attributesOfResult.getDictionary(module.getContext()));
    }
  return true;
}

bool GraphCutter::run() { return chooseFunction() && findValues() && build(); }

bool mlc::frontend::cutGraph(ModuleOp module, const GraphCut &cut, common::MessageList &messages) {
  df::numberSymbols(module);
  return GraphCutter(module, cut, messages).run();
}
