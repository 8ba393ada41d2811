//===- RowPulls.h - The rows of tables that a step's gradients need ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training task whose variables are elsewhere: of those that train_grad reads by rows alone (mlcrt_pull) it writes
// the rows of a step into their places in the state (scatterRows) before the gradients are computed. Other rows may
// hold anything.
#ifndef MLCRT_CORE_ROWPULLS_H
#define MLCRT_CORE_ROWPULLS_H

#include "runtime/src/core/RowSet.h"
#include "runtime/src/core/TrainStep.h"

#include <vector>

namespace mlcrt {

/// The variables of an artifact that train_grad, or summary, reads by rows alone, and the rows of a batch. Used by one
/// thread.
class RowPulls {
public:
  explicit RowPulls(const Artifact &artifact, mlcrt_role role = MLCRT_ROLE_TRAIN_GRAD);

  /// How many there are.
  size_t size() const { return tables_.size(); }
  /// Index of a variable, by ascending index.
  int32_t variable(size_t table) const { return tables_[table].variable; }
  /// The variables as a vector with an element for each of the artifact.
  std::vector<bool> areByRows() const;

  /// The rows of a table that the gradients of a batch need, ascending, each once. `slots` are those that
  /// TrainFeatures::run filled, for a mode of parts. Valid until the next call for this table.
  const std::vector<int64_t> &rows(size_t table, const TrainSlots &slots);
  /// The same of what a features segment of the entry made of a batch.
  const std::vector<int64_t> &rows(size_t table, const FeatureSlot &slot);
  /// How many ids the last call of `rows` for this table was given.
  int64_t idCount(size_t table) const { return tables_[table].ids; }

private:
  struct Table {
    int32_t variable;
    std::vector<int32_t> intermediates;
    RowSet set;
    int64_t ids = 0;
  };
  static void add(Table &of, const FeatureSlot &slot);

  int32_t variables_;
  std::vector<Table> tables_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_ROWPULLS_H
