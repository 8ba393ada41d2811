//===- SumRanges.h - Sums of the rows that a server holds --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_SUMRANGES_H
#define MLCRT_CORE_SUMRANGES_H

#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/ShardPlan.h"

namespace mlcrt {

/// Adds sets of sums as train_combine does, of what a server has of each sum (ShardPlan::sums): dense sums element by
/// element, of sparse ones the entries of both in the order of their ids, rows of one id added. What is absent has no
/// elements. The same bits as the compiled combine gives of whole sums: IEEE additions of the same two operands.
class SumRanges {
public:
  /// kUnimplemented names a sum whose dtype cannot be added.
  static absl::StatusOr<SumRanges> create(const Artifact &artifact, const ShardPlan &plan, int server);

  const std::vector<SumPlace> &places() const { return places_; }
  /// Shapes sum `index`; a sparse one for `entries` entries. `global`: symbols of the batch.
  void shape(int32_t index, const Symbols &global, int64_t entries, SumSet &sums) const;
  /// out = a + b. kResourceExhausted if the rows of a sparse sum that stays whole are more than the batch has.
  absl::Status add(const SumSet &a, const SumSet &b, const Symbols &global, SumSet &out) const;

  /// The same of one sum, a sparse one given by its "t.ids" with its three parts; of another part of it nothing is
  /// done. `out` may be `b` if the sum is dense.
  absl::Status addSum(int32_t index, const SumSet &a, const SumSet &b, const Symbols &global, SumSet &out) const;

  /// Entries in a row of "t.ids": more than 1 of [rows, k].
  int64_t entriesPerRow(int32_t ids) const;
  /// Bytes of an entry of "t.rows".
  int64_t entryBytes(int32_t ids) const;

private:
  SumRanges(const Artifact &artifact, std::vector<SumPlace> places)
      : artifact_(&artifact), places_(std::move(places)) {}
  absl::Status merge(int32_t ids, const SumSet &a, const SumSet &b, const Symbols &global, SumSet &out) const;

  const Artifact *artifact_;
  std::vector<SumPlace> places_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_SUMRANGES_H
