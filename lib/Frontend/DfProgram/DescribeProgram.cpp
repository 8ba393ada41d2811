// The name and the manifest of a df module written by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/NearestMatch.h"
#include "common/settings/Settings.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfNames.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "dialects/Mlc/IR/ValueText.h"
#include "mlc/Frontend/DfProgram/DfProgram.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::frontend;
using common::Setting;
using common::SettingScalar;
using common::SettingType;
using common::SettingValue;

common::Place mlc::frontend::placeOf(Location location) {
  common::Place place;
  if (auto file = location->findInstanceOf<FileLineColLoc>()) {
    place.file = file.getFilename().str();
    place.line = file.getLine();
    place.column = file.getColumn();
  }
  return place;
}

static common::Message errorAt(Location location, std::string what) {
  common::Message message = common::makeError("E0213", std::move(what));
  message.place = placeOf(location);
  return message;
}

/// "model.mlir:3".
static std::string originOf(Location location) {
  common::Place place = placeOf(location);
  return place.file.empty() ? "the module" : place.file + ":" + std::to_string(place.line);
}

/// An attribute as a value of a setting; none if it is no number, truth value or text.
static std::optional<SettingScalar> scalarOf(Attribute attribute, SettingType type) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return SettingScalar(flag.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attribute); integer && integer.getValue().getSignificantBits() <= 64) {
    int64_t value = integer.getValue().getSExtValue();
    return type == SettingType::Float ? SettingScalar(static_cast<double>(value)) : SettingScalar(value);
  }
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return SettingScalar(number.getValueAsDouble());
  if (auto text = dyn_cast<StringAttr>(attribute))
    return SettingScalar(text.getValue().str());
  return std::nullopt;
}

/// Applies the module's own values.
static void applyValues(ModuleOp module, common::SettingsTable &table, common::MessageList &messages) {
  auto values = module->getAttrOfType<DictionaryAttr>(kSettingsAttr);
  if (!values)
    return;
  for (NamedAttribute entry : values) {
    std::string path = entry.getName().str();
    const Setting *setting = table.find(path);
    common::MessageList found;
    SettingValue value;
    SmallVector<Attribute> elements = {entry.getValue()};
    if (auto list = dyn_cast<ArrayAttr>(entry.getValue()))
      elements.assign(list.begin(), list.end());
    bool isValue = true;
    for (Attribute element : elements) {
      std::optional<SettingScalar> scalar = scalarOf(element, setting ? setting->type : SettingType::String);
      isValue &= scalar.has_value();
      if (scalar)
        value.push_back(*scalar);
    }
    if (!isValue) {
      messages.add(errorAt(module.getLoc(), "mlc.settings gives '" + path + "' a value that no setting can have"));
      continue;
    }
    table.assign(path, std::move(value), originOf(module.getLoc()), found);
    for (common::Message message : found.messages()) {
      message.place = placeOf(module.getLoc());
      messages.add(std::move(message));
    }
  }
}

/// The settings that the program reads.
static void addProgramSettings(ModuleOp module, common::SettingsTable &table, common::MessageList &messages) {
  llvm::StringSet<> own;
  module.walk([&](df::SettingOp op) {
    Setting setting;
    setting.path = op.getPath().str();
    setting.type = isa<FloatAttr>(op.getDefaultValue()) ? SettingType::Float : SettingType::Int;
    if (const Setting *known = table.find(setting.path)) {
      if (known->type != setting.type)
        messages.add(
            errorAt(op.getLoc(), "setting '" + setting.path + "' is " + std::string(settingTypeName(setting.type)) +
                                     "; the setting of a run is " + std::string(settingTypeName(known->type))));
      return; // several reads, or a setting of the run: the pass that binds it compares the defaults
    }
    Type element = getElementTypeOrSelf(op.getType());
    setting.rule.single = isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 32;
    if (std::optional<SettingScalar> value = scalarOf(op.getDefaultValue(), setting.type)) {
      setting.value = setting.defaultValue = {*value};
      common::MessageList found;
      if (!checkSettingValue(setting, *setting.value, found))
        for (common::Message message : found.messages()) {
          message.place = placeOf(op.getLoc());
          messages.add(std::move(message));
        }
    }
    setting.origin = originOf(op.getLoc());
    if (std::optional<StringRef> doc = op.getDoc())
      setting.doc = doc->str();
    table.add(std::move(setting));
  });
}

/// The spec's name of a dtype that cells of files have, or empty.
static StringRef cellType(Type element) {
  if (isa<df::StringType>(element))
    return "STRING";
  return element.isF32()                 ? "FLOAT32"
         : element.isF64()               ? "FLOAT64"
         : element.isInteger(1)          ? "BOOL"
         : element.isSignlessInteger(32) ? "INT32"
         : element.isSignlessInteger(64) ? "INT64"
                                         : "";
}

/// The features as columns of CSV files with a header. Those that no cell can hold are left out: arrays have them.
static llvm::json::Object inputOf(ModuleOp module) {
  llvm::json::Array columns;
  llvm::StringSet<> features, seen;
  auto forEachFeature = [&](llvm::function_ref<void(StringRef, RankedTensorType, int64_t)> visit) {
    for (auto function : module.getOps<df::FunctionOp>())
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
        auto name = function.getArgAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr);
        auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
        if (name && type && type.getRank() > 0)
          visit(name.getValue(), type, function.getArgSymbols(i).front().value_or(0));
      }
  };
  forEachFeature([&](StringRef name, RankedTensorType, int64_t) { features.insert(name); });
  auto isPart = [&](StringRef name) {
    return (name.consume_back(df::names::kEnds) || name.consume_back(df::names::kWeight)) && features.contains(name);
  };
  forEachFeature([&](StringRef name, RankedTensorType type, int64_t symbol) {
    StringRef dtype = cellType(type.getElementType());
    bool isColumn = type.isDynamicDim(0) && type.getNumDynamicDims() == 1;
    if (dtype.empty() || !isColumn || isPart(name) || !seen.insert(name).second)
      return;
    llvm::json::Object column{{"name", name}, {"dtype", dtype}};
    if (symbol > 0) {
      llvm::json::Object multi;
      if (features.contains((name + df::names::kWeight).str()))
        multi["weight_separator"] = ":";
      column["multi_value"] = std::move(multi);
    } else if (type.getRank() > 1) {
      column["shape"] = llvm::json::Array(type.getShape().drop_front());
    }
    if (dtype == "STRING")
      column["categorical"] = true; // an empty cell is the empty text
    columns.push_back(std::move(column));
  });
  return llvm::json::Object{{"csv", llvm::json::Object()}, {"columns", std::move(columns)}};
}

/// The input of a manifest that says nothing else, and leaves the rest to be written here; null: it is another one.
static std::optional<llvm::json::Object> givenInput(StringAttr manifest) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(manifest.getValue());
  if (!parsed) {
    llvm::consumeError(parsed.takeError()); // its reader says what is wrong
    return std::nullopt;
  }
  llvm::json::Object *object = parsed->getAsObject();
  llvm::json::Object *input = object && object->size() == 1 ? object->getObject("input") : nullptr;
  return input ? std::optional(std::move(*input)) : std::nullopt;
}

/// The same with all columns of `described`: each has what `input` says of the column of its name besides.
static llvm::json::Object completedInput(llvm::json::Object input, llvm::json::Object described) {
  llvm::json::Array columns = std::move(*described.getArray("columns"));
  if (const llvm::json::Array *given = input.getArray("columns"))
    for (const llvm::json::Value &each : *given)
      for (llvm::json::Value &column : columns)
        if (const llvm::json::Object *says = each.getAsObject();
            says && says->getString("name") == column.getAsObject()->getString("name"))
          for (const auto &[key, value] : *says)
            (*column.getAsObject())[key] = value;
  if (!input.get("tfrecord") && !input.get("parquet") && !input.get("csv"))
    input["csv"] = llvm::json::Object();
  input["columns"] = std::move(columns);
  return input;
}

/// Names of the eval sets; the first is the unnamed one. None where the program does not evaluate.
static std::vector<std::string> evalSetsOf(ModuleOp module, common::MessageList &messages) {
  auto functions = module.getOps<df::FunctionOp>();
  if (llvm::none_of(functions, [](df::FunctionOp function) { return function.getRole() == df::Role::EvalUpdate; }))
    return {};
  std::vector<std::string> names = {""};
  if (auto named = module->getAttrOfType<ArrayAttr>(kEvalSetsAttr))
    for (StringRef name : named.getAsValueRange<StringAttr>()) {
      bool isName =
          !name.empty() && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
      if (!isName || llvm::is_contained(names, name)) {
        common::Message message = errorAt(module.getLoc(), "the eval set '" + name.str() + "' of " +
                                                               kEvalSetsAttr.str() + (isName ? " is there twice" : ""));
        message.expected = "distinct names of letters, digits, '_' and '-'";
        messages.add(std::move(message));
        continue;
      }
      names.push_back(name.str());
    }
  return names;
}

/// What rows and columns of variables stand for.
static llvm::json::Array vocabulariesOf(ModuleOp module, common::MessageList &messages) {
  llvm::json::Array uses;
  auto attribute = module->getAttrOfType<ArrayAttr>(kVocabulariesAttr);
  if (!attribute)
    return uses;
  for (DictionaryAttr use : attribute.getAsRange<DictionaryAttr>()) {
    StringRef variable = use.getAs<FlatSymbolRefAttr>("variable").getValue();
    StringRef table = use.getAs<FlatSymbolRefAttr>("table").getValue();
    int64_t axis = use.getAs<IntegerAttr>("axis").getInt();
    auto op = module.lookupSymbol<df::VariableOp>(variable);
    auto terms = module.lookupSymbol<df::VocabularyOp>(table);
    auto type = op ? dyn_cast<RankedTensorType>(op.getType()) : nullptr;
    std::string what;
    if (!type || type.getRank() <= axis)
      what = "there is no variable @" + variable.str() + " with a dimension " + std::to_string(axis);
    else if (!terms)
      what = "there is no vocabulary @" + table.str();
    else if (int64_t size = terms.getTerms().size() + terms.getNumOov(); size != type.getDimSize(axis))
      what = "@" + table.str() + " has " + std::to_string(size) + " terms and OOV buckets; dimension " +
             std::to_string(axis) + " of @" + variable.str() + " is " + std::to_string(type.getDimSize(axis));
    if (!what.empty())
      messages.add(errorAt(op ? op.getLoc() : module.getLoc(), kVocabulariesAttr.str() + ": " + what));
    uses.push_back(llvm::json::Object{{"variable", variable}, {"axis", axis}, {"table", table}});
  }
  return uses;
}

/// The terms of all vocabularies, as columns of a spec tell theirs: what ids stand for is part of what a state means.
static llvm::json::Object termsOf(ModuleOp module) {
  llvm::json::Object terms;
  for (auto table : module.getOps<df::VocabularyOp>())
    terms[table.getSymName().str() + ".terms"] = valueText(table.getTerms());
  return terms;
}

/// Names for outputs of the predict function.
static llvm::json::Object signaturesOf(ModuleOp module, common::MessageList &messages) {
  llvm::json::Object signatures;
  auto attribute = module->getAttrOfType<DictionaryAttr>(kSignaturesAttr);
  if (!attribute)
    return signatures;
  llvm::StringSet<> outputs;
  for (auto function : module.getOps<df::FunctionOp>())
    for (unsigned i = 0, e = function.getRole() == df::Role::Predict ? function.getNumResults() : 0; i < e; ++i)
      if (auto name = function.getResultAttrOfType<StringAttr>(i, df::FunctionOp::kNameAttr))
        outputs.insert(name.getValue());
  for (NamedAttribute each : attribute) {
    auto signature = cast<DictionaryAttr>(each.getValue());
    llvm::json::Object keys;
    for (NamedAttribute key : signature.getAs<DictionaryAttr>("outputs")) {
      StringRef output = cast<StringAttr>(key.getValue()).getValue();
      if (!outputs.contains(output))
        messages.add(errorAt(module.getLoc(), "signature '" + each.getName().str() + "' of " + kSignaturesAttr.str() +
                                                  " has the output '" + output.str() +
                                                  "', which no function of role predict gives"));
      keys[key.getName().getValue()] = output;
    }
    signatures[each.getName().getValue()] =
        llvm::json::Object{{"method", signature.getAs<StringAttr>("method").getValue()}, {"outputs", std::move(keys)}};
  }
  return signatures;
}

bool mlc::frontend::describeProgram(ModuleOp module, StringRef file, common::MessageList &messages) {
  std::optional<llvm::json::Object> input;
  if (auto manifest = module->getAttrOfType<StringAttr>(kManifestAttr)) {
    input = givenInput(manifest);
    if (!input)
      return true;
  }
  Builder builder(module.getContext());
  if (!module->hasAttr(kNameAttr))
    module->setAttr(kNameAttr, builder.getStringAttr(llvm::sys::path::stem(file)));
  size_t errors = messages.errorCount();
  common::SettingsTable table = runSettings(evalSetsOf(module, messages));
  addProgramSettings(module, table, messages);
  applyValues(module, table, messages);
  llvm::Expected<llvm::json::Value> settings = llvm::json::parse(settingsToJson(table));
  if (!settings) {
    messages.add(errorAt(module.getLoc(), "the settings: " + llvm::toString(settings.takeError())));
    return false;
  }
  llvm::json::Object manifest{{"name", cast<StringAttr>(module->getAttr(kNameAttr)).getValue()},
                              {"input", input ? completedInput(std::move(*input), inputOf(module)) : inputOf(module)},
                              {"settings", std::move(*settings)}};
  if (llvm::json::Array vocabularies = vocabulariesOf(module, messages); !vocabularies.empty())
    manifest["vocabularies"] = std::move(vocabularies);
  if (llvm::json::Object terms = termsOf(module); !terms.empty())
    manifest["columns"] = std::move(terms);
  if (llvm::json::Object signatures = signaturesOf(module, messages); !signatures.empty())
    manifest["signatures"] = std::move(signatures);
  std::string text = llvm::formatv("{0}", llvm::json::Value(std::move(manifest)));
  module->setAttr(kManifestAttr, builder.getStringAttr(text));
  return messages.errorCount() == errors;
}
