// What the runtime must only print or check: the manifest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Manifest.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "dialects/Mlc/IR/ValueText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// Adds the JSON text `text`, if it is there, to `object` as `key`.
static LogicalResult addText(est::EstimatorOp estimator, llvm::json::Object &object, StringRef key,
                             std::optional<StringRef> text) {
  if (!text)
    return success();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value)
    return estimator.emitOpError() << "'" << estimator.getSymName() << "': " << key
                                   << " is not JSON: " << llvm::toString(value.takeError());
  object[key] = std::move(*value);
  return success();
}

/// The evaluation sets, told by their settings: [{"name": "valid", "prefix": "eval.valid"}]; the unnamed one has prefix
/// "eval".
static llvm::json::Array evalSets(const llvm::json::Object &manifest) {
  llvm::json::Array sets;
  const llvm::json::Array *settings = manifest.getArray("settings");
  if (!settings)
    return sets;
  for (const llvm::json::Value &setting : *settings) {
    StringRef path = setting.getAsObject() ? setting.getAsObject()->getString("path").value_or("") : "";
    if (!path.consume_back(".files") || !(path == "eval" || path.starts_with("eval.")))
      continue;
    StringRef name = path;
    name.consume_front("eval");
    name.consume_front(".");
    sets.push_back(llvm::json::Object{{"name", name}, {"prefix", path}});
  }
  return sets;
}

static StringRef nameOf(Operation *op) {
  auto feature = dyn_cast<est::FeatureOp>(op);
  return feature ? feature.getName() : est::getColumnName(op->getResult(0));
}

/// An attribute's text; of a function that it names, that of its ops, on one line: what it computes is part of what a
/// state means.
static std::string textOf(Operation *user, Attribute value) {
  auto name = dyn_cast<FlatSymbolRefAttr>(value);
  auto function = name ? SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(user->getParentOp(), name) : nullptr;
  if (!function)
    return valueText(value);
  std::string text, line;
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().useLocalScope());
  SmallVector<StringRef> lines;
  StringRef(text).drop_front(text.find('{')).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return llvm::join(llvm::map_range(lines, [](StringRef each) { return each.trim(); }), " ");
}

DictionaryAttr est2df::describeColumns(MLIRContext *context, ArrayRef<Operation *> sources) {
  // What is told apart or changes nothing of what a state means: initial values, how rows are updated, where terms were
  // read.
  static constexpr StringLiteral kOther[] = {"name",          "role",   "combiner", "initializer",
                                             "sparse_update", "frozen", "file",     "regularizer"};
  NamedAttrList texts;
  Builder builder(context);
  for (Operation *op : sources) {
    StringRef name = nameOf(op);
    if (name.empty())
      continue;
    std::string path = (isa<est::FeatureOp>(op) ? "input.column." : "feature_column.") + name.str();
    std::string what;
    llvm::raw_string_ostream stream(what);
    stream << op->getName().stripDialect();
    llvm::interleaveComma(op->getOperands(), stream << '(', [&](Value v) { stream << nameOf(v.getDefiningOp()); });
    stream << ") " << op->getResult(0).getType();
    texts.set(path, builder.getStringAttr(what));
    if (auto embedding = dyn_cast<est::EmbeddingOp>(op))
      texts.set(path + ".combiner", builder.getStringAttr(est::stringifyCombiner(embedding.getCombiner())));
    for (NamedAttribute attribute : op->getAttrDictionary())
      if (!llvm::is_contained(kOther, attribute.getName().getValue()))
        texts.set(path + "." + attribute.getName().str(), builder.getStringAttr(textOf(op, attribute.getValue())));
  }
  return texts.getDictionary(context);
}

LogicalResult est2df::setManifest(ModuleOp module, est::EstimatorOp estimator, const Heads &heads,
                                  const ModuleState &state, DictionaryAttr columns) {
  llvm::json::Object object{{"name", estimator.getSymName()}, {"compat", est::stringifyCompat(estimator.getCompat())}};
  heads.describe(object);
  if (failed(addText(estimator, object, "input", estimator.getInput())) ||
      failed(addText(estimator, object, "settings", estimator.getSettings())))
    return failure();
  object["eval"] = evalSets(object);
  if (auto spec = module->removeAttr(kSpecAttr))
    object["spec"] = cast<StringAttr>(spec).getValue();
  llvm::json::Object columnTexts;
  for (NamedAttribute column : columns)
    columnTexts[column.getName().getValue()] = cast<StringAttr>(column.getValue()).getValue();
  object["columns"] = std::move(columnTexts);
  if (llvm::json::Array vocabularies = state.vocabularies(); !vocabularies.empty())
    object["vocabularies"] = std::move(vocabularies);
  if (llvm::json::Array embeddings = state.embeddings(); !embeddings.empty())
    object["embeddings"] = std::move(embeddings);
  Builder builder(module.getContext());
  module->setAttr(kNameAttr, builder.getStringAttr(estimator.getSymName()));
  std::string text = llvm::formatv("{0}", llvm::json::Value(std::move(object)));
  module->setAttr(kManifestAttr, builder.getStringAttr(text));
  module->setAttr(kColumnsAttr, columns);
  return success();
}
