// Tables of several columns that are one variable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/TableStacks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

std::string TableStack::getName() const { return tables.front().name + "+" + std::to_string(tables.size() - 1); }

int64_t TableStack::countRows() const {
  int64_t rows = 0;
  for (const ColumnTable &table : tables)
    rows += table.rows;
  return rows;
}

ArrayAttr TableStack::getNamedRows(MLIRContext *context) const {
  return ArrayAttr::get(context, llvm::map_to_vector(tables, [&](const ColumnTable &table) -> Attribute {
                          return df::NamedRowsAttr::get(context, table.name, table.rows);
                        }));
}

SmallVector<int64_t> TableStack::getFirstRows() const {
  SmallVector<int64_t> first;
  int64_t row = 0;
  for (const ColumnTable &table : tables) {
    first.push_back(row);
    row += table.rows;
  }
  return first;
}

SmallVector<TableStack> est2df::stackTables(ArrayRef<ColumnTable> tables) {
  llvm::MapVector<Attribute, TableStack> byKind;
  for (const ColumnTable &table : tables)
    byKind[table.kind].tables.push_back(table);
  SmallVector<TableStack> stacks;
  for (auto &[kind, stack] : byKind)
    if (stack.tables.size() >= kFewestStacked)
      stacks.push_back(std::move(stack));
  return stacks;
}

bool est2df::hasOneId(Value categorical) {
  auto isOne = [](Value feature) {
    auto type = cast<est::FeatureType>(feature.getType());
    return !type.isMultiValued() && type.getNumElements() == 1;
  };
  return llvm::TypeSwitch<Operation *, bool>(categorical.getDefiningOp())
      .Case<est::BucketizedOp, est::VocabularyOp, est::HashBucketOp, est::IdentityOp>(
          [&](auto op) { return isOne(op.getFeature()); })
      .Case([&](est::CrossedOp op) {
        return llvm::all_of(op.getTerms(), [&](Value term) {
          return isa<est::FeatureType>(term.getType()) ? isOne(term) : hasOneId(term);
        });
      })
      .Default([](Operation *) { return false; });
}
