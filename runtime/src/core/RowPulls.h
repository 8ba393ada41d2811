//===- RowPulls.h - The rows of tables that a step's gradients need ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training task whose variables are elsewhere: of those that train_grad reads by rows alone (mlcrt_pull) it needs the
// rows of a step. Where the artifact allows it, it holds these one after the other in memory of their own
// (ShardStep::placeVariable) and gives the gradients their places there; else it writes them into their places in the
// state (scatterRows), where other rows may hold anything.
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

  /// Finds the rows that the gradients of a batch need. `slots` are those that TrainFeatures::run filled, for a mode of
  /// parts, and `number` did not change.
  void find(const TrainSlots &slots, ThreadPool &pool);
  /// The same of what a features segment of the entry made of a batch.
  void find(const FeatureSlot &slot, ThreadPool &pool);
  /// What the last call of `find` found of a table: rows ascending, each once, and by how many ids.
  const std::vector<int64_t> &rows(size_t table) const { return groupOf(table).set.taken(); }
  int64_t idCount(size_t table) const { return groupOf(table).ids; }

  /// Whether `number` gives the rows of a table other numbers.
  bool isNumbered(size_t table) const { return groupOf(table).isNumbered; }
  /// After `find`, on the same slots: where that is so, replaces the numbers of rows by their places in `rows`.
  void number(TrainSlots &slots);
  void number(FeatureSlot &slot);

private:
  /// Tables of as many rows that the same intermediates name.
  struct Group {
    std::vector<int32_t> intermediates; ///< ascending
    RowSet set;
    bool isNumbered; ///< the steps use the intermediates for nothing else, nor for other tables
    int64_t ids = 0;
    std::vector<int64_t> places; ///< of all ids, in the order of slots and intermediates; if it is numbered
    void find(const std::vector<const FeatureSlot *> &slots);
    /// Gives the ids of a slot their places, from the next one on; returns the one after them.
    const int64_t *number(FeatureSlot &slot, const int64_t *next) const;
  };
  struct Table {
    int32_t variable;
    size_t group;
  };
  const Group &groupOf(size_t table) const { return groups_[tables_[table].group]; }
  void find(ThreadPool &pool);

  std::vector<const FeatureSlot *> slots_; ///< while rows are found
  int32_t variables_;
  std::vector<Group> groups_;
  std::vector<Table> tables_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_ROWPULLS_H
