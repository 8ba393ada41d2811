//===- SumTree.cpp - The fixed tree in which sums of virtual shards are added ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/SumTree.h"

namespace mlcrt {

int rootLevel(int64_t shards) {
  int level = 0;
  while ((int64_t(1) << level) < shards)
    ++level;
  return level;
}

std::vector<SumNode> coveringNodes(int64_t first, int64_t last) {
  std::vector<SumNode> nodes;
  while (first < last) {
    int level = 0;
    while ((first & ((int64_t(2) << level) - 1)) == 0 && first + (int64_t(2) << level) <= last)
      ++level;
    nodes.push_back({level, first >> level});
    first += int64_t(1) << level;
  }
  return nodes;
}

void SumTree::begin() {
  // After a failed step all sets are free again.
  free_.clear();
  for (size_t i = sets_.size(); i-- > 0;)
    free_.push_back(sets_[i].get());
}

SumSet *SumTree::take() {
  if (free_.empty()) {
    sets_.push_back(std::make_unique<SumSet>());
    free_.reserve(sets_.size());
    return sets_.back().get();
  }
  SumSet *set = free_.back();
  free_.pop_back();
  return set;
}

absl::StatusOr<SumSet *> SumTree::fold(SumNode node, const Source &source) {
  if ((node.index << node.level) >= shards_)
    return nullptr;
  SumSet *set = take();
  absl::StatusOr<Found> found = source(node, *set);
  if (!found.ok())
    return found.status();
  if (*found == Found::Here)
    return set;
  release(set);
  if (*found == Found::Absent)
    return nullptr;
  absl::StatusOr<SumSet *> left = fold({node.level - 1, 2 * node.index}, source);
  if (!left.ok())
    return left;
  absl::StatusOr<SumSet *> right = fold({node.level - 1, 2 * node.index + 1}, source);
  if (!right.ok() || !*left)
    return right;
  if (!*right)
    return left;
  SumSet *result = take();
  absl::Status status = combine_(**left, **right, *result);
  release(*left);
  release(*right);
  if (!status.ok())
    return status;
  return result;
}

} // namespace mlcrt
