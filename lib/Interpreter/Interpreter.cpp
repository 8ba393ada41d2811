// Runs functions: values of a frame, blocks op by op, arguments and results bound to state and context.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/Interpreter.h"
#include "Rules.h"
#include "dialects/Df/IR/DfForms.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

const RuleTable &mlc::interp::ruleTable() {
  static const RuleTable table = [] {
    RuleTable rules;
    addContractionRules(rules);
    addControlFlowRules(rules);
    addElementwiseRules(rules);
    addFeatureRules(rules);
    addOrderRules(rules);
    addIntegerRules(rules);
    addMathRules(rules);
    addIndexingRules(rules);
    addLayoutRules(rules);
    addProgramRules(rules);
    addQueueRules(rules);
    addSaveRules(rules);
    addStringRules(rules);
    addRaggedRules(rules);
    addRandomRules(rules);
    addReductionRules(rules);
    addShapeRules(rules);
    addStateRules(rules);
    addTrainingRules(rules);
    return rules;
  }();
  return table;
}

bool mlc::interp::hasRule(StringRef opName) { return ruleTable().lookup(opName); }

//===-- frame ---------------------------------------------------------------------===//

static bool isTensorOfType(const Tensor &tensor, RankedTensorType type) {
  FailureOr<ElementKind> kind = elementKindOf(type.getElementType());
  if (failed(kind) || *kind != tensor.getKind() || tensor.getRank() != type.getRank())
    return false;
  for (auto [found, expected] : llvm::zip(tensor.getShape(), type.getShape()))
    if (!ShapedType::isDynamic(expected) && found != expected)
      return false;
  return true;
}

bool mlc::interp::isOfType(const RuntimeValue &value, Type type) {
  if (auto tensorType = dyn_cast<RankedTensorType>(type)) {
    auto *tensor = std::get_if<Tensor>(&value);
    return tensor && isTensorOfType(*tensor, tensorType);
  }
  auto rowsType = dyn_cast<df::RowsType>(type);
  auto *rows = std::get_if<Rows>(&value);
  if (!rowsType || !rows)
    return false;
  SmallVector<int64_t> shape(rowsType.getType().getShape());
  shape[0] = ShapedType::kDynamic;
  auto parts = RankedTensorType::get(shape, rowsType.getType().getElementType());
  return isTensorOfType(rows->rows, parts) && rows->ids.getKind() == ElementKind::I64 && rows->ids.getRank() == 1 &&
         rows->ids.getDimSize(0) == rows->rows.getDimSize(0);
}

/// Kind and shape of a value, for messages.
static std::string describe(const RuntimeValue &value) {
  auto *rows = std::get_if<Rows>(&value);
  const Tensor &tensor = rows ? rows->rows : std::get<Tensor>(value);
  std::string text = rows ? "rows of tensor<" : "tensor<";
  for (int64_t size : tensor.getShape())
    text += std::to_string(size) + "x";
  return text + kindName(tensor.getKind()).str() + ">";
}

LogicalResult Frame::set(Value value, RuntimeValue held) {
  if (!isOfType(held, value.getType())) {
    InFlightDiagnostic diag = mlir::emitError(value.getLoc(), "a value of type ") << value.getType();
    return diag << " would be " << describe(held);
  }
  values.insert_or_assign(value.getAsOpaquePointer(), std::move(held));
  return success();
}

LogicalResult Frame::evaluate(Operation *op) {
  if (!df::isComposite(op)) {
    if (const Rule *rule = ruleTable().lookup(op->getName().getStringRef()))
      return (*rule)(op, *this);
    if (auto external = dyn_cast<df::ExternalCallOpInterface>(op))
      return callExternal(external, *this);
    return op->emitOpError("has no meaning to the interpreter of df");
  }
  // The parts stand in a block of their own: they use the op's operands, whose values this frame has.
  Block parts;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&parts);
  SmallVector<Value> results;
  if (failed(cast<df::DecomposableOpInterface>(op).decompose(builder, results)))
    return failure();
  for (Operation &part : parts)
    if (failed(evaluate(&part)))
      return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    if (failed(set(result, get(value))))
      return failure();
  return success();
}

LogicalResult Frame::run(Region &region, std::vector<RuntimeValue> arguments, std::vector<RuntimeValue> &yielded) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    if (failed(set(argument, std::move(value))))
      return failure();
  for (Operation &op : block.without_terminator()) {
    if (failed(evaluate(&op)))
      return failure();
  }
  yielded.clear();
  for (Value operand : block.getTerminator()->getOperands())
    yielded.push_back(get(operand));
  return success();
}

const Tensor *Frame::variable(Operation *op, StringRef symbol) {
  const Tensor *value = state.lookup(symbol);
  if (!value)
    op->emitOpError("the state has no variable @") << symbol;
  return value;
}

df::VocabularyOp Frame::table(Operation *op, FlatSymbolRefAttr symbol) {
  auto table = symbols.lookupNearestSymbolFrom<df::VocabularyOp>(op, symbol);
  if (!table)
    op->emitOpError() << "names " << symbol << ", which is not a df.vocabulary";
  return table;
}

//===-- functions -----------------------------------------------------------------===//

bool mlc::interp::isBoundToState(df::BindingAttr binding) {
  if (!binding)
    return false;
  df::BindingKind kind = binding.getKind();
  return kind == df::BindingKind::Variable || kind == df::BindingKind::Setting || kind == df::BindingKind::Context ||
         kind == df::BindingKind::Dimension;
}

/// The argument of `function` for feature `name` among `arguments`, those that are not bound to state; null if it has
/// none.
static const Tensor *lookupFeature(df::FunctionOp function, StringRef name, ArrayRef<RuntimeValue> arguments) {
  size_t next = 0;
  for (unsigned i = 0; i < function.getNumArguments() && next < arguments.size(); ++i) {
    df::BindingAttr binding = function.getArgBinding(i);
    if (isBoundToState(binding))
      continue;
    const RuntimeValue &value = arguments[next++];
    if (binding && binding.getKind() == df::BindingKind::Feature && binding.getName() == name)
      return std::get_if<Tensor>(&value);
  }
  return nullptr;
}

/// The value of a dimension symbol: the size of a feature that has it, or what a df.dimension makes of others.
static FailureOr<int64_t> dimensionValue(df::FunctionOp function, int64_t symbol, ArrayRef<RuntimeValue> arguments) {
  for (auto dimension : function->getParentOfType<ModuleOp>().getOps<df::DimensionOp>()) {
    if (static_cast<int64_t>(dimension.getSymbol()) != symbol)
      continue;
    int64_t total = 0;
    if (dimension.getKind() == df::DimensionKind::Sum) {
      for (auto [term, factor] : llvm::enumerate(dimension.getTerms()))
        if (factor) {
          FailureOr<int64_t> value = dimensionValue(function, static_cast<int64_t>(term), arguments);
          if (failed(value))
            return failure();
          total += factor * *value;
        }
      return total;
    }
    SmallVector<const Tensor *> ends;
    for (int64_t term : dimension.getTerms())
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        SmallVector<std::optional<int64_t>> symbols = function.getArgSymbols(i);
        df::BindingAttr binding = function.getArgBinding(i);
        if (symbols.empty() || symbols.front() != term || !binding || binding.getKind() != df::BindingKind::Feature)
          continue;
        if (const Tensor *found = lookupFeature(function, (binding.getName() + df::names::kEnds).str(), arguments)) {
          ends.push_back(found);
          break;
        }
      }
    if (ends.size() != dimension.getTerms().size())
      return function.emitOpError("reads dimension ") << symbol << " without the ends of the features it is made of";
    for (int64_t row = 0; row < ends.front()->getDimSize(0); ++row) {
      int64_t product = 1;
      for (const Tensor *end : ends)
        product *= end->getInteger(row) - (row ? end->getInteger(row - 1) : 0);
      total += product;
    }
    return total;
  }
  size_t next = 0;
  for (unsigned i = 0; i < function.getNumArguments() && next < arguments.size(); ++i) {
    if (isBoundToState(function.getArgBinding(i)))
      continue;
    const auto *value = std::get_if<Tensor>(&arguments[next++]);
    for (auto [d, of] : llvm::enumerate(function.getArgSymbols(i)))
      if (value && of == symbol)
        return value->getDimSize(d);
  }
  return function.emitOpError("reads dimension ") << symbol << ", which no argument has";
}

/// The value a binding gives an argument of type `type`; fails after an error at the function.
static FailureOr<RuntimeValue> boundValue(df::FunctionOp function, df::BindingAttr binding, RankedTensorType type,
                                          const State &state, const Context &context,
                                          ArrayRef<RuntimeValue> arguments) {
  StringRef name = binding.getName();
  if (binding.getKind() == df::BindingKind::Dimension) {
    int64_t symbol = 0;
    if (name.getAsInteger(10, symbol))
      return function.emitOpError("is bound to dimension '") << name << "', which is no number";
    FailureOr<int64_t> value = dimensionValue(function, symbol, arguments);
    if (failed(value))
      return failure();
    return RuntimeValue(Tensor::scalar(*value));
  }
  if (binding.getKind() == df::BindingKind::Variable) {
    if (const Tensor *variable = state.lookup(name))
      return RuntimeValue(*variable);
    return function.emitOpError("the state has no variable '") << name << "'";
  }
  if (binding.getKind() == df::BindingKind::Setting) {
    // df-state-to-values leaves the defaults in an attribute of the module.
    auto defaults = function->getParentOfType<ModuleOp>()->getAttrOfType<DictionaryAttr>(df::DfDialect::kSettingsAttr);
    FailureOr<ElementKind> kind = elementKindOf(type.getElementType());
    if (failed(kind))
      return function.emitOpError("setting '") << name << "' has type " << type;
    FailureOr<Tensor> value = settingValue(function, name, defaults ? defaults.get(name) : Attribute(), *kind, state);
    if (failed(value))
      return failure();
    return RuntimeValue(std::move(*value));
  }
  if (name == "seed")
    return RuntimeValue(Tensor::scalar(static_cast<int64_t>(context.seed)));
  if (name == "step")
    return RuntimeValue(Tensor::scalar(context.step));
  if (name == "first_row")
    return RuntimeValue(Tensor::scalar(context.firstRow));
  return function.emitOpError("the context has no value '") << name << "'";
}

FailureOr<std::vector<RuntimeValue>> mlc::interp::interpret(df::FunctionOp function, ArrayRef<RuntimeValue> arguments,
                                                            State &state, const Context &context,
                                                            std::optional<DataError> *dataError) {
  return interpretAt(/*seat=*/nullptr, function, arguments, state, context, dataError);
}

FailureOr<std::vector<RuntimeValue>> mlc::interp::interpretAt(Exchange::Seat *seat, df::FunctionOp function,
                                                              ArrayRef<RuntimeValue> arguments, State &state,
                                                              const Context &context,
                                                              std::optional<DataError> *dataError) {
  std::vector<RuntimeValue> inputs, outputs;
  size_t next = 0;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    df::BindingAttr binding = function.getArgBinding(i);
    if (isBoundToState(binding)) {
      FailureOr<RuntimeValue> value =
          boundValue(function, binding, cast<RankedTensorType>(type), state, context, arguments);
      if (failed(value))
        return failure();
      inputs.push_back(std::move(*value));
    } else {
      if (next == arguments.size())
        return function.emitOpError("needs more arguments than ") << next;
      inputs.push_back(arguments[next++]);
    }
    if (!isOfType(inputs.back(), type))
      return function.emitOpError("argument ") << i << " must be " << type << "; found " << describe(inputs.back());
  }
  if (next != arguments.size())
    return function.emitOpError("takes ") << next << " arguments; found " << arguments.size();

  Frame frame(state, context, seat);
  if (failed(frame.run(function.getBody(), std::move(inputs), outputs))) {
    if (dataError)
      *dataError = frame.dataError;
    return failure();
  }
  std::vector<RuntimeValue> results;
  for (auto [i, output] : llvm::enumerate(outputs)) {
    df::BindingAttr binding = function.getResultBinding(i);
    if (binding && binding.getKind() == df::BindingKind::Variable)
      state.set(binding.getName(), std::get<Tensor>(std::move(output)));
    else
      results.push_back(std::move(output));
  }
  return results;
}

FailureOr<std::vector<RuntimeValue>> mlc::interp::interpret(ModuleOp module, StringRef name,
                                                            ArrayRef<RuntimeValue> arguments, State &state,
                                                            const Context &context,
                                                            std::optional<DataError> *dataError) {
  auto function = module.lookupSymbol<df::FunctionOp>(name);
  if (!function)
    return module.emitError("no df.function @") << name;
  return interpret(function, arguments, state, context, dataError);
}

OwningOpRef<ModuleOp> mlc::interp::parseModule(MLIRContext &context, StringRef text) {
  context.loadDialect<df::DfDialect>();
  return parseSourceString<ModuleOp>(text, &context);
}
