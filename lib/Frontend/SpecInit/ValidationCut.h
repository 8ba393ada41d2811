//===- ValidationCut.h - Which rows a first spec holds out -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_VALIDATIONCUT_H
#define LIB_FRONTEND_SPECINIT_VALIDATIONCUT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace mlc::frontend {

/// The rows that choose the seed of a cut by hash.
class ValidationCut {
public:
  /// Counts a row by the bytes of its record and the value of its label. Rows from kMostRows on do not count: chance
  /// alone gives so many their shares.
  void add(llvm::StringRef record, llvm::StringRef label);
  /// Adds the rows of another, which stand after these.
  void append(ValidationCut &&next);

  struct Choice {
    int64_t seed = 0;
    int64_t heldOut = 0; ///< of the rows counted
    int64_t rows = 0;
  };
  /// The seed, of kSeeds, whose cut gives the classes the shares that they have in all rows: the least chi-square. Of
  /// numbers the classes are their tenths, from the least on.
  Choice choose(double share, bool isNumber) const;

  static constexpr size_t kMostRows = 50000;
  static constexpr int64_t kSeeds = 64;

private:
  struct Row {
    uint64_t hash;
    /// A class, or the bits of a number.
    uint64_t label;
    double number;
  };
  std::vector<Row> rows_;
};

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_VALIDATIONCUT_H
