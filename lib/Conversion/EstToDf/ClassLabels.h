// Classes of a classifier: from cells of the label to ids and from ids to names. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_CLASSLABELS_H
#define LIB_CONVERSION_ESTTODF_CLASSLABELS_H

#include "lib/Conversion/EstToDf/Entry.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace mlc::est2df {

/// The classes 0 .. count-1 of a head.
class ClassLabels {
public:
  /// `vocabulary`: the terms that stand for the classes; absent: the label is the class itself.
  /// `scope`: that of the head.
  ClassLabels(std::optional<mlir::ArrayAttr> vocabulary, int64_t count, llvm::StringRef scope)
      : vocabulary_(vocabulary), count_(count), scope_(scope) {}

  /// The classes of the rows, [n] of i64; of a multi-valued label those of all values. A cell that is none is an error
  /// of the data when the entry runs.
  mlir::Value read(Entry &entry, mlir::Value label) const;
  /// The names of classes, strings of the shape of `ids`: terms, or numbers in decimal.
  mlir::Value name(Entry &entry, mlir::Value ids) const;
  /// What the metrics of class `which` alone are called: its term, or "class<which>".
  std::string metricName(int64_t which) const { return vocabulary_ ? texts()[which] : "class" + std::to_string(which); }
  /// tf's keys of all classes of the head: ids and names.
  llvm::json::Object all() const;
  /// The same names, for the manifest.
  llvm::json::Array names() const;

private:
  llvm::SmallVector<std::string> texts() const;
  /// The name of the head's table of what `table` says.
  std::string tableName(llvm::StringRef table) const {
    return scope_.empty() ? table.str() : table.str() + "/" + scope_;
  }

  std::optional<mlir::ArrayAttr> vocabulary_;
  int64_t count_;
  std::string scope_;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_CLASSLABELS_H
