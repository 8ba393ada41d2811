// The graph of a program as people look at it: ops and variables in scopes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "mlc/Frontend/DfProgram/DfProgram.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlc;

/// A graph of more nodes shows nobody anything, and would be a large part of the artifact.
static constexpr size_t kMostNodes = 20000;

namespace {

/// Numbers nodes as they are made; inputs come before what reads them.
class GraphDescriber {
public:
  explicit GraphDescriber(ModuleOp module) {
    for (auto variable : module.getOps<df::VariableOp>())
      variables_[variable.getSymName()] = variable;
  }

  void describe(df::FunctionOp function) {
    for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
      auto name = function.getArgAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr);
      if (name)
        values_[argument] = add("input/" + name.str(), "Placeholder", "input", {}, argument.getType());
    }
    for (Operation &op : function.getBody().front().without_terminator())
      describe(op);
  }

  llvm::json::Array take() { return std::move(nodes_); }
  size_t size() const { return nodes_.size(); }

private:
  struct Node {
    int64_t number;
    std::string scope;
    bool isVariable = false;
  };

  Node add(StringRef wanted, StringRef op, StringRef scope, ArrayRef<Node> inputs, Type type) {
    std::string name = wanted.str();
    for (char &c : name) // what TensorBoard takes for a name
      if (!llvm::isAlnum(c) && !StringRef("_./-").contains(c))
        c = '_';
    const std::string first = name;
    while (!names_.insert(name).second)
      name = first + "_" + std::to_string(++copies_[first]);
    llvm::json::Object node{{"name", name}, {"op", op.str()}};
    llvm::SetVector<int64_t> numbers;
    for (const Node &input : inputs)
      numbers.insert(input.number);
    if (!numbers.empty())
      node["inputs"] = llvm::json::Array(numbers.getArrayRef());
    if (auto tensor = dyn_cast_or_null<RankedTensorType>(type)) {
      llvm::json::Array shape;
      for (int64_t dim : tensor.getShape())
        shape.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
      node["shape"] = std::move(shape);
    }
    nodes_.push_back(std::move(node));
    return {static_cast<int64_t>(nodes_.size()) - 1, scope.str()};
  }

  /// The node of a variable, which stands in the scopes of its name.
  Node nodeOf(df::VariableOp variable) {
    auto known = variableNodes_.find(variable);
    if (known != variableNodes_.end())
      return known->second;
    auto scopeOf = [](StringRef name) { return name.contains('/') ? name.rsplit('/').first : StringRef(); };
    // Of one that is several tensors each is shown, and what reads it reads all of them beside each other.
    RankedTensorType type = variable.getTensorType();
    SmallVector<Node> tensors;
    SmallVector<int64_t> shape(type.getShape());
    for (df::NamedRowsAttr rows : variable.getTensors()) {
      shape[0] = rows.getRows();
      tensors.push_back(add(rows.getName(), "VariableV2", scopeOf(rows.getName()), {}, type.clone(shape)));
    }
    StringRef name = variable.getSymName();
    Node node = add(name, tensors.empty() ? "VariableV2" : "ConcatV2", scopeOf(name), tensors, type);
    node.isVariable = true;
    variableNodes_.insert({variable, node});
    return node;
  }

  /// Where an op stands: with the variable that it reads, else where a spec has it, else with what it reads first. All
  /// that follows the gradients is the optimizer's.
  std::string scopeOf(Operation &op, ArrayRef<Node> inputs) const {
    if (isa<df::GradientsOp>(op))
      return "gradients";
    if (hasGradients_)
      return "optimizer";
    for (const Node &node : inputs)
      if (node.isVariable && !node.scope.empty())
        return node.scope;
    std::string path;
    if (auto named = dyn_cast<NameLoc>(op.getLoc()))
      path = named.getName().str();
    StringRef rest = path;
    if (rest.consume_front("feature_column.") || rest.consume_front("input.column."))
      return ("columns/" + rest.split('.').first).str();
    if (rest.starts_with("head"))
      return "head";
    auto isOfColumns = [](StringRef scope) { return scope == "input" || scope.starts_with("columns"); };
    for (const Node &node : inputs)
      if (!node.scope.empty() && !isOfColumns(node.scope))
        return node.scope;
    if (rest.consume_front("model."))
      return rest.split('.').first.str();
    return inputs.empty() ? "" : isOfColumns(inputs.front().scope) ? "columns" : inputs.front().scope;
  }

  void describe(Operation &op) {
    // Constants and shapes say nothing of a model.
    if (op.hasTrait<OpTrait::ConstantLike>())
      return;
    SmallVector<Node> inputs, variables;
    auto addVariable = [&](Attribute attribute) {
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
        if (auto variable = variables_.lookup(symbol.getValue()))
          variables.push_back(nodeOf(variable));
    };
    for (NamedAttribute attribute : op.getAttrs()) {
      addVariable(attribute.getValue());
      if (auto list = dyn_cast<ArrayAttr>(attribute.getValue()))
        llvm::for_each(list, addVariable);
    }
    // A read is its variable.
    if (auto read = dyn_cast<df::ReadOp>(op); read && variables.size() == 1) {
      values_[read.getResult()] = variables.front();
      return;
    }
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto known = values_.find(operand); known != values_.end())
          inputs.push_back(known->second);
    });
    // What only says a scalar again in another shape is not worth a node.
    if (isa<df::BroadcastOp>(op)) {
      if (!inputs.empty())
        values_[op.getResult(0)] = inputs.front();
      return;
    }
    llvm::append_range(inputs, variables);
    const std::string scope = scopeOf(op, inputs);
    hasGradients_ |= isa<df::GradientsOp>(op);
    const std::string kind = op.getName().stripDialect().str();
    Type type = op.getNumResults() > 0 ? op.getResult(0).getType() : Type();
    Node node = add((scope.empty() ? "" : scope + "/") + kind, kind, scope, inputs, type);
    for (Value result : op.getResults())
      values_[result] = node;
  }

  bool hasGradients_ = false; ///< before what is described now
  llvm::StringMap<df::VariableOp> variables_;
  llvm::DenseMap<Operation *, Node> variableNodes_;
  llvm::DenseMap<Value, Node> values_;
  llvm::StringSet<> names_;
  llvm::StringMap<int64_t> copies_;
  llvm::json::Array nodes_;
};

} // namespace

void mlc::frontend::describeGraph(ModuleOp module) {
  auto manifest = module->getAttrOfType<StringAttr>(kManifestAttr);
  df::FunctionOp chosen;
  for (df::Role role : {df::Role::Predict, df::Role::Train})
    for (auto function : module.getOps<df::FunctionOp>())
      if (function.getRole() == role)
        chosen = function;
  if (!manifest || !chosen)
    return;
  GraphDescriber describer(module);
  describer.describe(chosen);
  auto parsed = llvm::json::parse(manifest.getValue());
  llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (object && describer.size() <= kMostNodes) {
    (*object)["graph"] = describer.take();
    std::string text = llvm::formatv("{0}", *parsed);
    module->setAttr(kManifestAttr, StringAttr::get(module.getContext(), text));
  }
  if (!parsed)
    llvm::consumeError(parsed.takeError()); // its reader says what is wrong
}
