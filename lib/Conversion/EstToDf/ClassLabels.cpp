// Classes of a classifier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/ClassLabels.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfStateOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

/// The vocabulary of labels, and the names of classes where those are not the same.
static constexpr StringLiteral kLabelTable = ModuleState::kLabelTable;
static constexpr StringLiteral kNameTable = "class_names";

Value ClassLabels::read(Entry &entry, Value label) const {
  GraphBuilder &b = entry.builder();
  auto feature = label.getDefiningOp<est::FeatureOp>();
  est::FeatureType type = feature.getType();
  Value cells = entry.feature(label);
  // What a message shows, where that is not the id.
  Value ids, shown;
  FlatSymbolRefAttr table;
  if (vocabulary_) {
    df::VocabularyOp terms = entry.state().table(tableName(kLabelTable), *vocabulary_, 0, -1, b.getLoc());
    table = FlatSymbolRefAttr::get(terms.getSymNameAttr());
    if (!type.isString())
      cells = b.cast(cells, b.getI64Type());
    shown = cells;
    ids = b.infer<df::LookupOp>(terms.getSymName(), cells);
  } else {
    ids = b.cast(cells, b.getI64Type());
  }
  Value ends = type.isMultiValued() ? entry.ends(feature) : Value();
  return b.infer<df::CheckIdsOp>(ids, shown, ends, table, uint64_t{0}, static_cast<uint64_t>(count_),
                                 ("label '" + feature.getName() + "'").str(), feature.getNameAttr(), ArrayAttr());
}

SmallVector<std::string> ClassLabels::texts() const {
  SmallVector<std::string> texts;
  for (int64_t i = 0; i < count_; ++i) {
    Attribute term = vocabulary_ ? (*vocabulary_)[i] : Attribute();
    if (auto text = dyn_cast_or_null<StringAttr>(term))
      texts.push_back(text.str());
    else
      texts.push_back(std::to_string(term ? cast<IntegerAttr>(term).getInt() : i));
  }
  return texts;
}

Value ClassLabels::name(Entry &entry, Value ids) const {
  GraphBuilder &b = entry.builder();
  bool termsAreNames = vocabulary_ && isa<StringAttr>((*vocabulary_)[0]);
  SmallVector<Attribute> terms;
  for (const std::string &text : texts())
    terms.push_back(b.getStringAttr(text));
  df::VocabularyOp table = entry.state().table(tableName(termsAreNames ? kLabelTable : kNameTable),
                                               b.getArrayAttr(terms), 0, -1, b.getLoc());
  return b.infer<df::TermOp>(table.getSymName(), ids);
}

llvm::json::Array ClassLabels::names() const {
  llvm::json::Array names;
  for (const std::string &text : texts())
    names.push_back(text);
  return names;
}

llvm::json::Object ClassLabels::all() const {
  llvm::json::Array ids;
  for (int64_t i = 0; i < count_; ++i)
    ids.push_back(i);
  return llvm::json::Object{{"all_class_ids", std::move(ids)}, {"all_classes", names()}};
}
