// Collects what the artifact's table says from a module of segments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/Artifact/ArtifactInfo.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfSharedCode.h"
#include "dialects/Df/IR/DfSignals.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTensors.h"
#include "dialects/Dist/IR/Dist.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "mlc/Target/Artifact/ArtifactPasses.h"
#include "mlc/Target/Artifact/ElementType.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include <farmhash.h>

using namespace mlir;
using namespace mlc;

static FailureOr<mlcrt_dtype> dtypeOf(Operation *op, Type element) {
  if (std::optional<mlcrt_dtype> dtype = mlc::dtypeOf(element))
    return *dtype;
  return op->emitOpError("has an operand of element type ") << element << ", which the ABI does not have";
}

/// `attributes` tell the symbols of dynamic dimensions; those of which they tell nothing are the rows of the batch.
static FailureOr<ValueInfo> valueOf(Operation *op, StringRef name, Type type, DictionaryAttr attributes = {}) {
  auto tensor = cast<RankedTensorType>(type);
  FailureOr<mlcrt_dtype> dtype = dtypeOf(op, tensor.getElementType());
  if (failed(dtype))
    return failure();
  ValueInfo value{name.str(), *dtype, {}};
  auto first = attributes ? attributes.getAs<IntegerAttr>(df::FunctionOp::kSymbolAttr) : IntegerAttr();
  bool isOfCall = first && first.getInt() == df::FunctionOp::kSymbolOfCall;
  for (auto [d, symbol] : llvm::zip_equal(tensor.getShape(), df::FunctionOp::symbolsOf(attributes, type)))
    value.dims.push_back(!ShapedType::isDynamic(d) ? d
                         : isOfCall                ? MLCRT_DIM_OF_CALL
                                                   : MLCRT_DIM_SYMBOL(symbol.value_or(MLCRT_SYMBOL_BATCH)));
  return value;
}

std::string mlc::fingerprint(StringRef text) {
  auto hash = util::Fingerprint128(text.data(), text.size());
  std::string hex;
  llvm::raw_string_ostream(hex) << llvm::format_hex_no_prefix(util::Uint128High64(hash), 16)
                                << llvm::format_hex_no_prefix(util::Uint128Low64(hash), 16);
  return hex;
}

namespace {

/// Places of one kind, by name in order of appearance.
struct Places {
  llvm::MapVector<StringRef, ValueInfo> values;

  FailureOr<int32_t> indexOf(Operation *op, StringRef name, Type type, DictionaryAttr attributes) {
    FailureOr<ValueInfo> value = valueOf(op, name, type, attributes);
    if (failed(value))
      return failure();
    auto [it, isNew] = values.insert({name, *value});
    if (!isNew && (it->second.dtype != value->dtype || it->second.dims != value->dims)) {
      op->emitOpError("uses '") << name << "' as " << type << ", elsewhere it has another type";
      return failure();
    }
    return it - values.begin();
  }
  std::vector<ValueInfo> list() const {
    std::vector<ValueInfo> result;
    for (auto &entry : values)
      result.push_back(entry.second);
    return result;
  }
};

struct Collector {
  ModuleOp module;
  SymbolTable functions{module};
  ArtifactInfo info;
  llvm::StringMap<int32_t> variables, settings;
  Places features, sums, shared, matrices;
  struct Entry {
    EntryInfo info;
    Places intermediates, outputs;
    std::optional<UpdateInfo> update;                 ///< of a function of the update over ranges of rows
    std::vector<std::pair<int32_t, ArrayAttr>> pulls; ///< variables, and the intermediates that they are pulled by
    llvm::StringSet<> namesRows, hasOtherUses; ///< intermediates that are arguments with df.names_rows, or without
  };
  llvm::MapVector<StringRef, Entry> entries;

  LogicalResult collectState();
  LogicalResult collectQueues();
  LogicalResult collectSettings();
  FailureOr<mlcrt_operand> operand(func::FuncOp function, Entry &entry, df::BindingAttr binding, Type type,
                                   DictionaryAttr attributes, bool isResult);
  FailureOr<int32_t> indexOfMatrix(func::FuncOp function, StringRef name, Type type, DictionaryAttr attributes);
  LogicalResult collectSegment(func::FuncOp function);
  /// Numbers of a value that functions of the update over ranges exchange. train_shared has it of all rows.
  FailureOr<int32_t> indexOfShared(func::FuncOp function, df::Role role, StringRef name, Type type,
                                   DictionaryAttr attributes);
  LogicalResult addUpdateOperand(func::FuncOp function, UpdateInfo &update, StringRef name, Type type,
                                 DictionaryAttr attributes);
  LogicalResult finishUpdates();
  LogicalResult collectPulls();
  LogicalResult collectDevices();
  /// A tensor of the state: a variable, or named rows of one.
  struct Tensor {
    const VariableInfo *variable;
    StringRef name;
    int64_t rows;   ///< named; -1: all
    size_t number;  ///< in the order of the variables
    int64_t slotOf; ///< the number of the tensor that it is a slot of, or -1
  };
  std::vector<Tensor> tensorsInOrder();
  std::string stateText();
};

bool isOfUpdate(df::Role role) {
  return role == df::Role::TrainPartial || role == df::Role::TrainShared || role == df::Role::TrainUpdate;
}

LogicalResult Collector::collectState() {
  llvm::StringSet<> names;
  for (auto variable : module.getOps<df::VariableOp>())
    names.insert(variable.getSymName());
  for (auto variable : module.getOps<df::VariableOp>()) {
    FailureOr<ValueInfo> value = valueOf(variable, variable.getSymName(), variable.getType());
    if (failed(value))
      return failure();
    VariableInfo v{*value, 0, -1, variable.getSlot().value_or("").str(), {}};
    for (df::NamedRowsAttr tensor : variable.getTensors()) {
      if (!names.insert(tensor.getName()).second)
        return variable.emitOpError("has rows named '") << tensor.getName() << "', as another tensor is";
      v.tensors.push_back({tensor.getName().str(), tensor.getRows()});
    }
    if (variable.getTrainable())
      v.flags |= MLCRT_VARIABLE_TRAINABLE;
    if (variable.getLifetime() == df::Lifetime::Eval)
      v.flags |= MLCRT_VARIABLE_EVAL;
    if (variable.getRacy())
      v.flags |= MLCRT_VARIABLE_RACY;
    variables[variable.getSymName()] = info.variables.size();
    info.variables.push_back(v);
  }
  for (auto variable : module.getOps<df::VariableOp>())
    if (variable.getSlotOf())
      info.variables[variables[variable.getSymName()]].slotOf = variables[*variable.getSlotOf()];
  for (auto dimension : module.getOps<df::DimensionOp>())
    info.dimensions.push_back({static_cast<int64_t>(dimension.getSymbol()),
                               static_cast<mlcrt_dimension_kind>(dimension.getKind()), dimension.getTerms().vec()});
  llvm::sort(info.dimensions, [](const DimensionInfo &a, const DimensionInfo &b) { return a.symbol < b.symbol; });
  for (auto table : module.getOps<df::VocabularyOp>()) {
    TableInfo t{table.getSymName().str(),
                {},
                {},
                static_cast<int64_t>(table.getNumOov()),
                static_cast<int64_t>(table.getDefaultValue())};
    for (Attribute term : table.getTerms()) {
      if (auto text = dyn_cast<StringAttr>(term))
        t.terms.push_back(text.str());
      else
        t.ints.push_back(cast<IntegerAttr>(term).getInt());
    }
    info.tables.push_back(t);
  }
  return success();
}

LogicalResult Collector::collectQueues() {
  for (auto queue : module.getOps<df::QueueOp>()) {
    QueueInfo q{queue.getSymName().str(),
                static_cast<mlcrt_queue_kind>(queue.getKind()),
                static_cast<int64_t>(queue.getCapacity()),
                static_cast<int64_t>(queue.getMinAfterDequeue()),
                static_cast<int64_t>(queue.getSeed()),
                {}};
    for (auto [i, type] : llvm::enumerate(queue.getTypes().getAsValueRange<TypeAttr>())) {
      FailureOr<ValueInfo> value = valueOf(queue, "c" + std::to_string(i), type);
      if (failed(value))
        return failure();
      q.components.push_back(*value);
    }
    info.queues.push_back(q);
  }
  return success();
}

LogicalResult Collector::collectSettings() {
  auto defaults = module->getAttrOfType<DictionaryAttr>(df::DfDialect::kSettingsAttr);
  if (!defaults)
    return success();
  for (NamedAttribute setting : defaults) {
    SettingInfo s{setting.getName().str(), MLCRT_F64, 0, 0};
    if (auto number = dyn_cast<FloatAttr>(setting.getValue())) {
      s.f64 = number.getValueAsDouble();
    } else if (auto integer = dyn_cast<IntegerAttr>(setting.getValue())) {
      s.dtype = MLCRT_I64;
      s.i64 = integer.getInt();
    } else {
      return module.emitError("setting '") << s.path << "' is " << setting.getValue() << "; expected a number";
    }
    settings[s.path] = info.settings.size();
    info.settings.push_back(s);
  }
  return success();
}

FailureOr<int32_t> Collector::indexOfShared(func::FuncOp function, df::Role role, StringRef name, Type type,
                                            DictionaryAttr attributes) {
  if (role == df::Role::TrainPartial)
    // What a range has of it; the shared function after says what it is of all rows.
    if (auto it = shared.values.find(name); it == shared.values.end()) {
      shared.values.insert({name, ValueInfo{}});
      return static_cast<int32_t>(shared.values.size() - 1);
    }
  if (auto it = shared.values.find(name); it != shared.values.end()) {
    if (it->second.name.empty()) {
      FailureOr<ValueInfo> value = valueOf(function, name, type, attributes);
      if (failed(value))
        return failure();
      it->second = *value;
    }
    return static_cast<int32_t>(it - shared.values.begin());
  }
  return shared.indexOf(function, name, type, attributes);
}

LogicalResult Collector::addUpdateOperand(func::FuncOp function, UpdateInfo &update, StringRef name, Type type,
                                          DictionaryAttr attributes) {
  FailureOr<ValueInfo> value = valueOf(function, name, type, attributes);
  if (failed(value))
    return failure();
  update.operands.push_back(*value);
  return success();
}

/// Completes what is told of ranges: of how many rows they are, and the symbol that is their number.
LogicalResult Collector::finishUpdates() {
  for (auto [i, entry] : llvm::enumerate(entries)) {
    std::optional<UpdateInfo> &update = entry.second.update;
    if (!update)
      continue;
    update->entry = static_cast<int32_t>(i);
    const EntryInfo &made = entry.second.info;
    if (made.role != MLCRT_ROLE_TRAIN_SHARED) {
      for (auto [operand, value] : llvm::zip_equal(made.segments.front().operands, update->operands)) {
        bool isSum = operand.source == MLCRT_SOURCE_SUM_A && !value.dims.empty();
        if (operand.source != MLCRT_SOURCE_VARIABLE && !isSum)
          continue;
        // A variable or a dense sum is cut itself, a sparse sum is one of a variable.
        const ValueInfo &whole =
            isSum ? std::next(sums.values.begin(), operand.index)->second : info.variables[operand.index].value;
        if (whole.dims[0] >= 0) {
          update->rowsSymbol = static_cast<int32_t>(-1 - value.dims[0]);
          update->rows = whole.dims[0];
        } else if (auto variable = variables.find(StringRef(whole.name).rsplit('.').first);
                   variable != variables.end()) {
          update->rows = info.variables[variable->second].value.dims[0];
        }
      }
      if (update->rows == 0)
        return module.emitError("cannot tell the rows of '") << made.name << "': it has no variable and no sum of one";
    }
    info.updates.push_back(*update);
  }
  for (auto &value : shared.values)
    if (value.second.name.empty())
      return module.emitError("no function of the update reads '") << value.first << "' of all rows";
  info.shared = shared.list();
  return success();
}

/// The rows that entries read of variables, as numbers.
LogicalResult Collector::collectPulls() {
  for (auto [i, named] : llvm::enumerate(entries)) {
    Entry &entry = named.second;
    llvm::sort(entry.pulls, llvm::less_first()); // each variable once
    for (auto &[variable, by] : entry.pulls)
      for (StringRef name : by.getAsValueRange<StringAttr>()) {
        auto it = entry.intermediates.values.find(name);
        if (it == entry.intermediates.values.end())
          return module.emitError("variable '") << info.variables[variable].value.name << "' is pulled by '" << name
                                                << "', which '" << named.first << "' does not make";
        const bool namesRows = entry.namesRows.contains(name) && !entry.hasOtherUses.contains(name);
        info.pulls.push_back({static_cast<int32_t>(i), static_cast<int32_t>(it - entry.intermediates.values.begin()),
                              variable, namesRows ? MLCRT_PULL_NAMES_ROWS : 0});
      }
  }
  return success();
}

FailureOr<mlcrt_operand> Collector::operand(func::FuncOp function, Entry &entry, df::BindingAttr binding, Type type,
                                            DictionaryAttr attributes, bool isResult) {
  mlcrt_operand o{static_cast<int32_t>(binding.getKind()),
                  0,
                  isResult ? MLCRT_WRITE : MLCRT_READ,
                  df::isSignalled(function, binding.getKind(), isResult) ? MLCRT_OPERAND_SIGNALLED : 0,
                  MLCRT_SPACE_HOST,
                  /*reserved=*/0};
  StringRef name = binding.getName();
  FailureOr<int32_t> index = 0;
  auto named = [&](const llvm::StringMap<int32_t> &map, StringRef what) -> FailureOr<int32_t> {
    auto it = map.find(name);
    if (it != map.end())
      return it->second;
    function.emitOpError("is bound to ") << what << " '" << name << "', which the module does not have";
    return failure();
  };
  switch (binding.getKind()) {
  case df::BindingKind::Feature:
    if (attributes && attributes.get(kMatrixAttr)) {
      o.source = MLCRT_SOURCE_MATRIX;
      index = indexOfMatrix(function, name, type, attributes);
      break;
    }
    index = features.indexOf(function, name, type, attributes);
    break;
  case df::BindingKind::Variable:
    index = named(variables, "variable");
    break;
  case df::BindingKind::Setting: {
    index = named(settings, "setting");
    // The buffer has the type that the segment reads.
    FailureOr<mlcrt_dtype> dtype = dtypeOf(function, cast<RankedTensorType>(type).getElementType());
    if (succeeded(index) && succeeded(dtype))
      info.settings[*index].dtype = *dtype;
    break;
  }
  case df::BindingKind::Context:
    index = llvm::StringSwitch<int32_t>(name)
                .Case("seed", MLCRT_CONTEXT_SEED)
                .Case("step", MLCRT_CONTEXT_STEP)
                .Case("key", MLCRT_CONTEXT_KEY)
                .Default(MLCRT_CONTEXT_FIRST_ROW);
    break;
  case df::BindingKind::Intermediate:
    index = entry.intermediates.indexOf(function, name, type, attributes);
    break;
  case df::BindingKind::Output:
    index = entry.outputs.indexOf(function, name, type, attributes);
    break;
  case df::BindingKind::Dimension:
    if (name.getAsInteger(10, *index))
      return function.emitOpError("is bound to dimension '") << name << "', which is no number";
    break;
  case df::BindingKind::Shared:
    index = indexOfShared(function, static_cast<df::Role>(entry.info.role), name, type, attributes);
    break;
  case df::BindingKind::SumA:
  case df::BindingKind::SumB:
  case df::BindingKind::SumOut:
    // Ranges have other sizes than the sums of a step.
    if (entry.update) {
      auto it = sums.values.find(name);
      if (it == sums.values.end())
        return function.emitOpError("is bound to sum '") << name << "', which no train_grad makes";
      index = static_cast<int32_t>(it - sums.values.begin());
      break;
    }
    index = sums.indexOf(function, name, type, attributes);
    break;
  }
  if (failed(index))
    return failure();
  o.index = *index;
  return o;
}

/// The number of the matrix of several features that artifact-join-features made one argument.
FailureOr<int32_t> Collector::indexOfMatrix(func::FuncOp function, StringRef name, Type type,
                                            DictionaryAttr attributes) {
  auto columns = attributes.getAs<ArrayAttr>(kMatrixAttr);
  const size_t known = matrices.values.size();
  FailureOr<int32_t> index = matrices.indexOf(function, name, type, attributes);
  if (failed(index) || static_cast<size_t>(*index) < known)
    return index;
  MatrixInfo matrix{std::next(matrices.values.begin(), *index)->second, {}};
  int64_t offset = 0;
  for (size_t i = 0; columns && i + 1 < columns.size(); i += 2) {
    auto column = dyn_cast<StringAttr>(columns[i]);
    auto of = dyn_cast<TypeAttr>(columns[i + 1]);
    if (!column || !of || !isa<RankedTensorType>(of.getValue()))
      return function.emitOpError("has columns that are no names and types of tensors: ") << columns;
    FailureOr<int32_t> feature = features.indexOf(function, column.getValue(), of.getValue(), {});
    if (failed(feature))
      return failure();
    matrix.columns.push_back({*feature, 0, offset});
    int64_t width = 1;
    for (int64_t size : cast<RankedTensorType>(of.getValue()).getShape().drop_front())
      width *= size;
    offset += width;
  }
  info.matrices.push_back(matrix);
  return index;
}

LogicalResult Collector::collectSegment(func::FuncOp function) {
  auto role = function->getAttrOfType<df::RoleAttr>(df::DfDialect::kRoleAttr);
  if (!role)
    return success();
  auto typeAttr = function->getAttrOfType<TypeAttr>(df::DfDialect::kTypeAttr);
  auto type = cast<FunctionType>(typeAttr.getValue());
  auto entryName = function->getAttrOfType<StringAttr>(df::DfDialect::kEntryAttr);
  StringRef name = entryName ? entryName.getValue() : function.getSymName();
  auto [it, isNew] = entries.insert({name, Entry()});
  Entry &entry = it->second;
  if (isNew) {
    entry.info.name = name.str();
    entry.info.role = static_cast<mlcrt_role>(role.getValue());
    if (isOfUpdate(role.getValue()))
      entry.update.emplace();
  }
  auto segment = function->getAttrOfType<df::SegmentKindAttr>(df::DfDialect::kSegmentAttr);
  auto code = function->getAttrOfType<FlatSymbolRefAttr>(df::kCodeAttr);
  if (code) {
    auto owner = functions.lookup<func::FuncOp>(code.getValue());
    if (!owner || owner->hasAttr(df::kCodeAttr))
      return function.emitOpError("has the code of ") << code << ", which is no segment with code of its own";
  }
  SegmentInfo s{(code ? code.getValue() : function.getSymName()).str(),
                segment ? static_cast<mlcrt_segment_kind>(segment.getValue()) : MLCRT_SEGMENT_STEP,
                {}};
  llvm::StringMap<size_t> variableArguments;
  for (unsigned i = 0; i < type.getNumInputs(); ++i) {
    auto binding = function.getArgAttrOfType<df::BindingAttr>(i, df::FunctionOp::kBindingAttr);
    if (!binding)
      return function.emitOpError("argument ") << i << " has no df.binding";
    FailureOr<mlcrt_operand> o = operand(function, entry, binding, type.getInput(i), function.getArgAttrDict(i), false);
    if (failed(o))
      return failure();
    if (binding.getKind() == df::BindingKind::Variable)
      variableArguments[binding.getName()] = s.operands.size();
    if (auto by = function.getArgAttrOfType<ArrayAttr>(i, df::kPulledByAttr))
      entry.pulls.push_back({o->index, by});
    if (binding.getKind() == df::BindingKind::Intermediate)
      (function.getArgAttr(i, df::kNamesRowsAttr) ? entry.namesRows : entry.hasOtherUses).insert(binding.getName());
    s.operands.push_back(*o);
    if (entry.update && failed(addUpdateOperand(function, *entry.update, binding.getName(), type.getInput(i),
                                                function.getArgAttrDict(i))))
      return failure();
  }
  for (unsigned i = 0; i < type.getNumResults(); ++i) {
    auto binding = function.getResultAttrOfType<df::BindingAttr>(i, df::FunctionOp::kBindingAttr);
    if (!binding)
      return function.emitOpError("result ") << i << " has no df.binding";
    if (binding.getKind() == df::BindingKind::Variable && variableArguments.count(binding.getName())) {
      s.operands[variableArguments[binding.getName()]].access = MLCRT_READ_WRITE;
      continue;
    }
    FailureOr<mlcrt_operand> o =
        operand(function, entry, binding, type.getResult(i), function.getResultAttrDict(i), true);
    if (failed(o))
      return failure();
    s.operands.push_back(*o);
    if (entry.update && failed(addUpdateOperand(function, *entry.update, binding.getName(), type.getResult(i),
                                                function.getResultAttrDict(i))))
      return failure();
  }
  // Features run first, whatever the order of the functions.
  auto &segments = entry.info.segments;
  segments.insert(s.kind == MLCRT_SEGMENT_FEATURES ? segments.begin() : segments.end(), s);
  return success();
}

/// What dist-join says of parts and channels, by numbers.
LogicalResult Collector::collectDevices() {
  auto arrayOf = [&](StringRef name) {
    auto array = module->getAttrOfType<ArrayAttr>(name);
    return array ? array.getValue() : ArrayRef<Attribute>();
  };
  for (Attribute device : arrayOf(dist::DistDialect::kDevicesAttr))
    info.devices.push_back({cast<StringAttr>(device).str(), "cpu"}); // all code is the host's
  bool isKnown = true;
  auto entryOf = [&](StringRef name) {
    auto it = entries.find(name);
    isKnown &= it != entries.end();
    return static_cast<int32_t>(it - entries.begin());
  };
  auto numberOf = [](DictionaryAttr of, StringRef name) {
    auto number = of.getAs<IntegerAttr>(name);
    return number ? static_cast<int32_t>(number.getInt()) : -1;
  };
  for (auto part : llvm::map_range(arrayOf(dist::DistDialect::kPartsAttr), llvm::CastTo<DictionaryAttr>)) {
    auto function = part.getAs<FlatSymbolRefAttr>("part");
    auto entry = part.getAs<StringAttr>("entry");
    if (!function || !entry)
      return module.emitOpError("has a part without a function or an entry: ") << part;
    info.parts.push_back({entryOf(function.getValue()), entryOf(entry.getValue()), numberOf(part, "device"), 0});
    if (!isKnown)
      return module.emitOpError("has a part of an entry that is not there: ") << part;
  }
  for (auto channel : llvm::map_range(arrayOf(dist::DistDialect::kChannelsAttr), llvm::CastTo<DictionaryAttr>)) {
    auto queue = channel.getAs<FlatSymbolRefAttr>("queue");
    auto entry = channel.getAs<StringAttr>("entry");
    auto it = llvm::find_if(info.queues, [&](const QueueInfo &q) { return queue && q.name == queue.getValue(); });
    if (!entry || it == info.queues.end())
      return module.emitOpError("has a channel without a queue or an entry: ") << channel;
    info.channels.push_back({static_cast<int32_t>(it - info.queues.begin()), entryOf(entry.getValue()),
                             numberOf(channel, "from"), numberOf(channel, "to")});
    if (!isKnown)
      return module.emitOpError("has a channel of an entry that is not there: ") << channel;
  }
  return success();
}

/// All of them, in the order of the state's fingerprint.
std::vector<Collector::Tensor> Collector::tensorsInOrder() {
  std::vector<Tensor> tensors;
  std::vector<size_t> firstOf;
  size_t next = 0;
  for (const VariableInfo &variable : info.variables) {
    firstOf.push_back(next);
    next += std::max<size_t>(variable.tensors.size(), 1);
  }
  for (const VariableInfo &variable : info.variables) {
    const size_t first = tensors.size();
    auto add = [&](StringRef name, int64_t rows) {
      const size_t i = tensors.size() - first;
      tensors.push_back({&variable, name, rows, tensors.size(), -1});
      if (variable.slotOf >= 0)
        tensors.back().slotOf = static_cast<int64_t>(firstOf[variable.slotOf] + i);
    };
    if (variable.tensors.empty())
      add(variable.value.name, -1);
    for (const NamedRowsInfo &rows : variable.tensors)
      add(rows.name, rows.rows);
  }
  auto names = module->getAttrOfType<ArrayAttr>(df::kTensorsAttr);
  if (!names)
    return tensors;
  llvm::StringMap<size_t> places;
  for (auto name : names.getAsRange<StringAttr>())
    places.try_emplace(name.getValue(), places.size());
  // First what is no slot; slots after it by the place of theirs, those of one tensor as they are declared.
  auto keyOf = [&](const Tensor &tensor) {
    const Tensor &of = tensor.slotOf < 0 ? tensor : tensors[tensor.slotOf];
    auto place = places.find(of.name);
    return std::make_tuple(tensor.slotOf >= 0, place == places.end() ? places.size() : place->second, tensor.number);
  };
  std::vector<Tensor> sorted = tensors;
  llvm::sort(sorted, [&](const Tensor &a, const Tensor &b) { return keyOf(a) < keyOf(b); });
  std::vector<int64_t> numbers(tensors.size());
  for (auto [i, tensor] : llvm::enumerate(sorted))
    numbers[tensor.number] = static_cast<int64_t>(i);
  for (Tensor &tensor : sorted)
    if (tensor.slotOf >= 0)
      tensor.slotOf = numbers[tensor.slotOf];
  return sorted;
}

/// What a checkpoint must agree with: variables, what their values mean, and vocabularies.
std::string Collector::stateText() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const Tensor &tensor : tensorsInOrder()) {
    if (tensor.variable->flags & MLCRT_VARIABLE_EVAL)
      continue;
    stream << "variable " << tensor.name << ' ' << tensor.variable->value.dtype;
    for (auto [i, d] : llvm::enumerate(tensor.variable->value.dims))
      stream << ' ' << (i == 0 && tensor.rows >= 0 ? tensor.rows : d);
    stream << " slot " << tensor.slotOf << ' ' << tensor.variable->slot << '\n';
  }
  if (auto columns = module->getAttrOfType<DictionaryAttr>(kColumnsAttr))
    for (NamedAttribute column : columns)
      stream << column.getName().getValue() << " = " << column.getValue() << '\n';
  for (const TableInfo &table : info.tables) {
    stream << "table " << table.name << ' ' << table.numOov << ' ' << table.defaultValue << '\n';
    for (const std::string &term : table.terms)
      stream << term.size() << ' ' << term << '\n';
    for (int64_t term : table.ints)
      stream << term << '\n';
  }
  return text;
}

} // namespace

FailureOr<ArtifactInfo> mlc::collectArtifactInfo(ModuleOp module, StringRef planText) {
  Collector collector{module, SymbolTable(module), {}, {}, {}, {}, {}, {}, {}, {}};
  if (failed(collector.collectState()) || failed(collector.collectQueues()) || failed(collector.collectSettings()))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(collector.collectSegment(function)))
      return failure();
  ArtifactInfo &info = collector.info;
  info.features = collector.features.list();
  info.sums = collector.sums.list();
  for (auto &entry : collector.entries) {
    entry.second.info.intermediates = entry.second.intermediates.list();
    entry.second.info.outputs = entry.second.outputs.list();
    info.entries.push_back(entry.second.info);
  }
  if (failed(collector.finishUpdates()) || failed(collector.collectPulls()) || failed(collector.collectDevices()))
    return failure();
  auto text = [&](StringRef attribute) {
    auto value = module->getAttrOfType<StringAttr>(attribute);
    return value ? value.getValue() : StringRef();
  };
  info.name = text(kNameAttr).empty() ? "module" : text(kNameAttr).str();
  info.manifest = text(kManifestAttr).empty() ? "{}" : text(kManifestAttr).str();
  std::string state = collector.stateText();
  info.stateFingerprint = fingerprint(state);
  info.planFingerprint = fingerprint(state + planText.str());
  return std::move(info);
}
