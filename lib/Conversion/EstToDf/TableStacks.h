// Tables of several columns that are one variable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_TABLESTACKS_H
#define LIB_CONVERSION_ESTTODF_TABLESTACKS_H

#include "dialects/Df/IR/Df.h"
#include "dialects/Est/IR/Est.h"

#include <string>

namespace mlc::est2df {

/// Columns that are alike and tables of a kind at least that become one: fewer are as well looked up each by itself.
inline constexpr size_t kFewestStacked = 4;

/// A table that the ids of one column are looked up in, or the weights of a dense one.
struct ColumnTable {
  /// A categorical column, an embedding of one, or another dense column.
  mlir::Value column;
  /// What checkpoints call it.
  std::string name;
  int64_t rows;
  /// What else there is to say of it: first values, width, how it is trained. Tables with one attribute are alike.
  mlir::Attribute kind;
};

/// Tables that are alike, one after another as one variable: one gather, one grouping of ids and one update serve all
/// of them, whatever their number.
struct TableStack {
  llvm::SmallVector<ColumnTable> tables;

  /// Of the variable: no table has it.
  std::string getName() const;
  int64_t countRows() const;
  /// For `named_rows` of the variable.
  mlir::ArrayAttr getNamedRows(mlir::MLIRContext *context) const;
  /// The row of the variable that each table begins at.
  llvm::SmallVector<int64_t> getFirstRows() const;
};

/// The stacks that tables make, in the order of their first tables. Fewer than a few of a kind stay by themselves.
llvm::SmallVector<TableStack> stackTables(llvm::ArrayRef<ColumnTable> tables);

/// Whether each row of the batch has one id of the column, or none: ids of several such columns lie beside each other.
bool hasOneId(mlir::Value categorical);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_TABLESTACKS_H
