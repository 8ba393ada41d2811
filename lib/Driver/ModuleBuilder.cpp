// Modules that a program builds op by op: see ModuleBuilder.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/ModuleBuilder.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Est/IR/Est.h"
#include "dialects/Est/IR/EstNames.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "lib/Driver/DiagnosticCollector.h"
#include "mlc/Conversion/ConversionPasses.h"
#include "mlc/Driver/Register.h"
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>

using namespace mlir;
using namespace mlc;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

struct ModuleBuilder::State {
  State() : context(makeRegistry(), MLIRContext::Threading::DISABLED), builder(&context) {
    context.printOpOnDiagnostic(false);
    context.loadDialect<df::DfDialect, est::EstDialect, MlcDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  /// A function or region that is being built, or a region that waits for its op. Values [firstValue, ..) were made in
  /// it.
  struct Frame {
    Block *block;
    std::unique_ptr<Region> region; ///< null for a function's, which the function owns
    size_t numEnded;                ///< regions that waited for their op when it was begun
    size_t firstValue;
    size_t lastValue = 0; ///< of one that was ended: the first that was made after it
  };

  Location locationOf(const Origin &origin) {
    if (origin.file.empty())
      return UnknownLoc::get(&context);
    return FileLineColLoc::get(&context, origin.file, static_cast<unsigned>(std::max<int64_t>(origin.line, 0)), 0);
  }
  bool fail(common::MessageList &messages, std::string what) {
    messages.add(common::makeError("E0213", std::move(what)));
    return false;
  }
  bool parseDictionary(const std::string &text, NamedAttrList &list) {
    if (text.empty())
      return true;
    auto dictionary = dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, &context));
    if (dictionary)
      list.append(dictionary.begin(), dictionary.end());
    return static_cast<bool>(dictionary);
  }
  int64_t add(Value value) {
    values.push_back(value);
    return static_cast<int64_t>(values.size()) - 1;
  }
  Values addAll(ValueRange range) {
    Values numbers;
    for (Value value : range)
      numbers.push_back(add(value));
    return numbers;
  }
  /// Values by names that the attributes of arguments, or results, have.
  NamedValues addNamed(ValueRange range, llvm::function_ref<StringAttr(unsigned)> nameOf) {
    NamedValues named;
    for (auto [i, value] : llvm::enumerate(range)) {
      StringAttr name = nameOf(i);
      named.emplace_back(name ? name.str() : std::string(), add(value));
    }
    return named;
  }
  bool isVisible(int64_t number) const {
    if (number < 0 || number >= static_cast<int64_t>(values.size()) || !values[number])
      return false;
    Value value = values[number];
    Block *block = value.getParentBlock();
    return llvm::any_of(frames, [&](const Frame &frame) { return frame.block == block; });
  }
  bool lookUp(const Values &numbers, SmallVectorImpl<Value> &found, common::MessageList &messages) {
    for (int64_t number : numbers) {
      if (!isVisible(number))
        return fail(messages, "a value is used outside of the function or region that it was made in");
      found.push_back(values[number]);
    }
    return true;
  }
  /// Drops regions that wait for an op which is not built any more. They use values around them.
  void dropEnded(size_t left) {
    while (ended.size() > left) {
      forget(ended.back().firstValue, ended.back().lastValue);
      ended.pop_back();
    }
  }
  /// Values [first, last) are none any more.
  void forget(size_t first, size_t last) { std::fill(values.begin() + first, values.begin() + last, Value()); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  df::FunctionOp function;      ///< that is being built
  df::FunctionOp firstFunction; ///< of the module
  std::vector<Frame> frames;
  std::vector<Frame> ended; ///< regions that wait for their op
  std::vector<Value> values;
};

ModuleBuilder::ModuleBuilder() : state_(std::make_unique<State>()) {}

ModuleBuilder::~ModuleBuilder() {
  while (!state_->frames.empty())
    abandon();
}

/// Messages of what is wrong with a module.
static std::unique_ptr<DiagnosticCollector> collect(MLIRContext &context, common::MessageList &messages) {
  auto collector = std::make_unique<DiagnosticCollector>(&context, messages);
  collector->code = "E0213";
  return collector;
}

bool ModuleBuilder::importSpec(const std::string &spec, const std::string &file, bool tellsLoss,
                               common::MessageList &messages) {
  if (!state_->module->getBody()->empty())
    return state_->fail(messages, "a spec is imported into a module that is not empty");
  auto collector = collect(state_->context, messages);
  state_->context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = frontend::importEstimatorSpec(spec, &state_->context, {file}, messages);
  if (!module)
    return false;
  for (est::EstimatorOp estimator : module->getOps<est::EstimatorOp>())
    if (tellsLoss)
      estimator->setAttr(est::names::kTellsLoss, UnitAttr::get(&state_->context));
  PassManager passes(&state_->context, ModuleOp::getOperationName());
  passes.addPass(createConvertEstToDf());
  if (failed(passes.run(*module)))
    return false;
  state_->module = std::move(module);
  auto functions = state_->module->getOps<df::FunctionOp>();
  state_->firstFunction = functions.empty() ? df::FunctionOp() : *functions.begin();
  return true;
}

bool ModuleBuilder::setAttributes(const std::string &attributes, common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  NamedAttrList list;
  if (!state_->parseDictionary(attributes, list))
    return false;
  for (NamedAttribute attribute : list)
    (*state_->module)->setAttr(attribute.getName(), attribute.getValue());
  return true;
}

/// Builds the op of `state` and verifies it; null after an error.
static Operation *build(OpBuilder &builder, OperationState &state) {
  Operation *op = builder.create(state);
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)))
    return op;
  op->erase();
  return nullptr;
}

bool ModuleBuilder::declare(const std::string &op, const std::string &attributes, const Origin &origin,
                            common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  OperationState state(state_->locationOf(origin), op);
  if (!state.name.isRegistered())
    return state_->fail(messages, "there is no op '" + op + "'");
  NamedAttrList list;
  if (!state_->parseDictionary(attributes, list))
    return false;
  state.addAttributes(list);
  OpBuilder::InsertionGuard guard(state_->builder);
  if (state_->firstFunction)
    state_->builder.setInsertionPoint(state_->firstFunction);
  else
    state_->builder.setInsertionPointToEnd(state_->module->getBody());
  return build(state_->builder, state) != nullptr;
}

std::optional<ModuleBuilder::Values> ModuleBuilder::beginFunction(const std::string &name, const std::string &role,
                                                                  const std::vector<Argument> &arguments,
                                                                  const Origin &origin, common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  const std::optional<df::Role> known = df::symbolizeRole(role);
  if (!known || !state_->frames.empty()) {
    state_->fail(messages, known ? "a function is begun in another one" : "there is no role '" + role + "'");
    return std::nullopt;
  }
  SmallVector<Type> types;
  SmallVector<NamedAttrList> attributes(arguments.size());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    types.push_back(parseType(argument.type, &state_->context));
    if (!types.back() || !state_->parseDictionary(argument.attributes, attributes[i]))
      return std::nullopt;
    attributes[i].set(df::FunctionOp::kNameAttr, state_->builder.getStringAttr(argument.name));
  }
  state_->builder.setInsertionPointToEnd(state_->module->getBody());
  df::FunctionOp function = df::FunctionOp::create(state_->builder, state_->locationOf(origin), name,
                                                   state_->builder.getFunctionType(types, {}), *known);
  for (auto [i, list] : llvm::enumerate(attributes))
    function.setArgAttrs(i, list.getDictionary(&state_->context));
  Block &body = function.getBody().front();
  state_->function = function;
  if (!state_->firstFunction)
    state_->firstFunction = function;
  state_->frames.push_back({&body, nullptr, 0, state_->values.size()});
  state_->builder.setInsertionPointToEnd(&body);
  return state_->addAll(body.getArguments());
}

bool ModuleBuilder::endFunction(const std::vector<std::pair<std::string, int64_t>> &outputs,
                                common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  if (state_->frames.size() != 1)
    return state_->fail(messages, "there is no function to end");
  Values numbers;
  for (const auto &[name, number] : outputs)
    numbers.push_back(number);
  SmallVector<Value> results;
  if (!state_->lookUp(numbers, results, messages))
    return false;
  state_->dropEnded(0);
  df::FunctionOp function = state_->function;
  df::ReturnOp::create(state_->builder, function.getLoc(), results);
  function.setFunctionType(
      state_->builder.getFunctionType(function.getArgumentTypes(), TypeRange(ValueRange(results))));
  for (auto [i, output] : llvm::enumerate(outputs))
    function.setResultAttr(i, df::FunctionOp::kNameAttr, state_->builder.getStringAttr(output.first));
  state_->frames.clear();
  state_->function = nullptr;
  return true;
}

std::optional<ModuleBuilder::OpenFunction> ModuleBuilder::reopenFunction(const std::string &name,
                                                                         common::MessageList &messages) {
  auto function = state_->module->lookupSymbol<df::FunctionOp>(name);
  if (!function || !state_->frames.empty()) {
    state_->fail(messages, function ? "a function is opened in another one" : "there is no function @" + name);
    return std::nullopt;
  }
  Block &body = function.getBody().front();
  Operation *end = body.getTerminator();
  OpenFunction open;
  open.arguments = state_->addNamed(body.getArguments(), [&](unsigned i) {
    return function.getArgAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr);
  });
  open.outputs = state_->addNamed(end->getOperands(), [&](unsigned i) {
    return function.getResultAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr);
  });
  end->erase();
  function.removeResAttrsAttr();
  function.setFunctionType(state_->builder.getFunctionType(function.getArgumentTypes(), {}));
  state_->function = function;
  // Of a function that is left out none of the values is there any more.
  state_->frames.push_back({&body, nullptr, 0, /*firstValue=*/0});
  state_->builder.setInsertionPointToEnd(&body);
  return open;
}

std::optional<int64_t> ModuleBuilder::addArgument(const Argument &argument, common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  if (state_->frames.size() != 1) {
    state_->fail(messages, "an argument is added outside of a function");
    return std::nullopt;
  }
  Type type = parseType(argument.type, &state_->context);
  NamedAttrList attributes;
  if (!type || !state_->parseDictionary(argument.attributes, attributes))
    return std::nullopt;
  attributes.set(df::FunctionOp::kNameAttr, state_->builder.getStringAttr(argument.name));
  df::FunctionOp function = state_->function;
  const unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(index, type, attributes.getDictionary(&state_->context), function.getLoc())))
    return std::nullopt;
  return state_->add(function.getArgument(index));
}

std::optional<ModuleBuilder::NamedValues> ModuleBuilder::inlineFunction(const std::string &name,
                                                                        common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  auto other = state_->module->lookupSymbol<df::FunctionOp>(name);
  df::FunctionOp function = state_->function;
  if (!other || other == function || state_->frames.size() != 1) {
    state_->fail(messages, "there is no other function @" + name + ", or none that is being built");
    return std::nullopt;
  }
  auto nameOf = [](df::FunctionOp of, unsigned i) {
    return of.getArgAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr);
  };
  IRMapping mapping;
  for (BlockArgument argument : other.getArguments()) {
    auto same = llvm::find_if(function.getArguments(), [&](BlockArgument own) {
      return nameOf(function, own.getArgNumber()) == nameOf(other, argument.getArgNumber()) &&
             own.getType() == argument.getType();
    });
    if (same == function.getArguments().end()) {
      state_->fail(messages, "@" + name + " has an argument that @" + function.getSymName().str() + " has not");
      return std::nullopt;
    }
    mapping.map(argument, *same);
  }
  Block &body = other.getBody().front();
  for (Operation &op : body.without_terminator())
    state_->builder.clone(op, mapping);
  SmallVector<Value> outputs =
      llvm::map_to_vector(body.getTerminator()->getOperands(), [&](Value value) { return mapping.lookup(value); });
  return state_->addNamed(
      outputs, [&](unsigned i) { return other.getResultAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr); });
}

void ModuleBuilder::abandon() {
  if (state_->frames.empty())
    return;
  State::Frame frame = std::move(state_->frames.back());
  state_->frames.pop_back();
  state_->dropEnded(frame.numEnded);
  state_->forget(frame.firstValue, state_->values.size());
  if (!frame.region) {
    if (state_->firstFunction == state_->function)
      state_->firstFunction = nullptr;
    state_->function.erase();
    state_->function = nullptr;
    return;
  }
  state_->builder.setInsertionPointToEnd(state_->frames.back().block);
}

std::optional<ModuleBuilder::Values> ModuleBuilder::beginRegion(const std::vector<std::string> &types,
                                                                common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  if (state_->frames.empty()) {
    state_->fail(messages, "a region is begun outside of a function");
    return std::nullopt;
  }
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  for (const std::string &text : types) {
    Type type = parseType(text, &state_->context);
    if (!type)
      return std::nullopt;
    block.addArgument(type, UnknownLoc::get(&state_->context));
  }
  state_->frames.push_back({&block, std::move(region), state_->ended.size(), state_->values.size()});
  state_->builder.setInsertionPointToEnd(&block);
  return state_->addAll(block.getArguments());
}

bool ModuleBuilder::endRegion(const std::string &terminator, const Values &operands, const Origin &origin,
                              common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  OperationState state(state_->locationOf(origin), terminator);
  if (state_->frames.empty() || !state_->frames.back().region || !state.name.isRegistered())
    return state_->fail(messages, "there is no region to end by '" + terminator + "'");
  SmallVector<Value> values;
  if (!state_->lookUp(operands, values, messages))
    return false;
  state.addOperands(values);
  state_->dropEnded(state_->frames.back().numEnded);
  state_->builder.create(state); // verified with the op that gets the region
  state_->frames.back().lastValue = state_->values.size();
  state_->ended.push_back(std::move(state_->frames.back()));
  state_->frames.pop_back();
  state_->builder.setInsertionPointToEnd(state_->frames.back().block);
  return true;
}

/// Checks the attributes of an op that is to be built, and infers the types of its results, where the op does so.
static LogicalResult inferTypes(OperationState &state, bool checkAttributesAlone) {
  const RegisteredOperationName info = *state.name.getRegisteredInfo();
  DictionaryAttr attributes = state.attributes.getDictionary(state.getContext());
  // The interface reads inherent attributes from properties, which an op that is not built has none of.
  llvm::OwningArrayRef<uint64_t> storage((info.getOpPropertyByteSize() + 7) / 8);
  OpaqueProperties properties(nullptr);
  if (!storage.empty()) {
    properties = OpaqueProperties(storage.data());
    info.initOpProperties(properties, OpaqueProperties(nullptr));
  }
  auto destroy = llvm::make_scope_exit([&] {
    if (properties)
      info.destroyOpProperties(properties);
  });
  auto emitError = [&] { return mlir::emitError(state.location) << "'" << state.name << "' op "; };
  if (properties && failed(info.setOpPropertiesFromAttribute(info, properties, attributes, emitError)))
    return failure();
  auto *inferring = state.name.getInterface<InferTypeOpInterface>();
  if (checkAttributesAlone || !inferring)
    return success();
  return inferring->inferReturnTypes(state.getContext(), state.location, state.operands, attributes, properties,
                                     state.regions, state.types);
}

std::optional<ModuleBuilder::Values> ModuleBuilder::op(const std::string &name, const Values &operands,
                                                       const std::string &attributes,
                                                       const std::optional<std::vector<std::string>> &types,
                                                       unsigned numRegions, const Origin &origin,
                                                       common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  OperationState state(state_->locationOf(origin), name);
  if (!state.name.isRegistered() || state_->frames.empty() || numRegions > state_->ended.size()) {
    state_->fail(messages, state.name.isRegistered()
                               ? "the op '" + name + "' stands outside of a function, or lacks regions"
                               : "there is no op '" + name + "'");
    return std::nullopt;
  }
  SmallVector<Value> values;
  NamedAttrList list;
  if (!state_->lookUp(operands, values, messages) || !state_->parseDictionary(attributes, list))
    return std::nullopt;
  state.addOperands(values);
  state.addAttributes(list);
  for (auto ended = state_->ended.end() - numRegions; ended != state_->ended.end(); ++ended) {
    state_->forget(ended->firstValue, ended->lastValue);
    state.addRegion(std::move(ended->region));
  }
  state_->ended.resize(state_->ended.size() - numRegions);
  if (failed(inferTypes(state, /*checkAttributesAlone=*/types.has_value())))
    return std::nullopt;
  if (types) {
    for (const std::string &text : *types) {
      Type type = parseType(text, &state_->context);
      if (!type)
        return std::nullopt;
      state.types.push_back(type);
    }
  }
  Operation *op = build(state_->builder, state);
  return op ? std::optional<Values>(state_->addAll(op->getResults())) : std::nullopt;
}

std::optional<ModuleBuilder::TensorType> ModuleBuilder::typeOf(int64_t number) const {
  if (number < 0 || number >= static_cast<int64_t>(state_->values.size()) || !state_->values[number])
    return std::nullopt;
  Type type = state_->values[number].getType();
  auto rows = dyn_cast<df::RowsType>(type);
  auto tensor = rows ? rows.getType() : dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  TensorType result;
  llvm::raw_string_ostream(result.element) << tensor.getElementType();
  for (int64_t size : tensor.getShape())
    result.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  result.isRows = static_cast<bool>(rows);
  return result;
}

bool ModuleBuilder::isVisible(int64_t value) const { return state_->isVisible(value); }

std::optional<std::string> ModuleBuilder::textAttribute(const std::string &name) const {
  auto text = (*state_->module)->getAttrOfType<StringAttr>(name);
  return text ? std::optional(text.str()) : std::nullopt;
}

bool ModuleBuilder::verify(common::MessageList &messages) {
  auto collector = collect(state_->context, messages);
  return succeeded(mlir::verify(*state_->module));
}

std::string ModuleBuilder::text(bool origins) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (origins)
    flags.enableDebugInfo(true, /*prettyForm=*/false);
  state_->module->print(stream, flags);
  stream << '\n';
  return text;
}
