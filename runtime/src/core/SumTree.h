//===- SumTree.h - The fixed tree in which sums of virtual shards are added --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Node (level, index) is the sum of the shards [index << level, (index + 1) << level) that exist and have rows: its two
// children combined, or the one of them that is there. So the bits of the root do not depend on who added which part.
#ifndef MLCRT_CORE_SUMTREE_H
#define MLCRT_CORE_SUMTREE_H

#include "runtime/src/core/EntryRunner.h"

#include <functional>
#include <memory>
#include <vector>

namespace mlcrt {

/// Place of a sum in the tree.
struct SumNode {
  int level = 0;
  int64_t index = 0;

  friend bool operator==(const SumNode &a, const SumNode &b) { return a.level == b.level && a.index == b.index; }
};

/// The level of the root of a tree over `shards` shards.
int rootLevel(int64_t shards);
/// The least number of nodes that cover the shards [first, last), in their order.
std::vector<SumNode> coveringNodes(int64_t first, int64_t last);

/// Folds sums of one step after the other; memory is kept.
class SumTree {
public:
  /// Adds two sets: shapes and writes `out`.
  using Combine = std::function<absl::Status(const SumSet &a, const SumSet &b, SumSet &out)>;

  SumTree(int64_t shards, Combine combine) : shards_(shards), combine_(std::move(combine)) {}

  enum class Found {
    Here,   ///< the set was filled
    Absent, ///< no shard of the node has rows
    Below,  ///< the children are to be folded
  };
  /// Fills a set with the sum of a node, or says why not; at level 0 never Below.
  using Source = std::function<absl::StatusOr<Found>(SumNode node, SumSet &sums)>;

  /// Begins a step.
  void begin();
  /// The sum of a node; null if it is absent. Valid until the next begin or release.
  absl::StatusOr<SumSet *> fold(SumNode node, const Source &source);
  /// A set to fill, whose sum the caller makes; as one that fold gave.
  SumSet *take();
  /// Takes a set back that fold or take gave.
  void release(SumSet *set) { free_.push_back(set); }

private:
  const int64_t shards_;
  const Combine combine_;
  std::vector<std::unique_ptr<SumSet>> sets_;
  std::vector<SumSet *> free_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_SUMTREE_H
