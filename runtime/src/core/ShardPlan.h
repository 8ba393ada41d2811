//===- ShardPlan.h - Which server holds which rows ---------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of the artifact's tables and the number of servers alone, so that all tasks of a run have the same plan.
//
// Variables and sums that a compiled function of the update joins row by row (mlcrt_update) are one group, cut alike.
// A group of B bytes becomes min(servers, rows, ceil(B / leastShardBytes)) shards: below that size a piece costs more
// as a message's part than it saves as transfer. Groups are dealt out from the largest to the smallest, shards of equal
// numbers of rows, each to a server with the least to do so far. A server's load is what goes over its wire in a step:
// dense variables whole, tables at most kTableLoad bytes each, as few of their rows are touched. Ranges ascend with the
// servers' numbers. What does not split stays whole on server 0, which is the one that the others ask (RangeUpdate).
#ifndef MLCRT_CORE_SHARDPLAN_H
#define MLCRT_CORE_SHARDPLAN_H

#include "absl/status/statusor.h"
#include "runtime/src/core/State.h"

#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// What a server has of a sum.
struct SumPlace {
  enum class Kind {
    Absent,
    Whole,
    Rows,  ///< rows of a dense sum
    Ids,   ///< "t.ids" of the entries whose ids lie in `rows`, less rows.begin
    Parts, ///< "t.rows" of them
    Count, ///< "t.count": how many they are
  };
  Kind kind = Kind::Absent;
  RowRange rows;        ///< of the variable that the sum is of
  bool isExact = false; ///< of a sparse sum: buffers as long as its entries, not as the global batch allows
  int32_t ids = -1;     ///< index of "t.ids", "t.rows" and "t.count" are the sums after it
};

class ShardPlan {
public:
  /// Smallest shard worth a message's part, bytes of variables.
  static constexpr int64_t kLeastShardBytes = 64 << 10;
  /// What a table adds to a server's load at most, in bytes.
  static constexpr int64_t kTableLoad = 1 << 20;

  /// Where variables are to be, in place of what the plan would choose; what is cut like them goes along.
  struct Pin {
    std::string name; ///< for messages and `describe`
    std::vector<int32_t> variables;
    int64_t count = 0;            ///< shards; 0: one for each of `servers`
    std::vector<int64_t> servers; ///< by number, different ones; empty: the plan chooses
  };

  /// `artifact` outlives the plan; `servers` >= 1.
  ShardPlan(const Artifact &artifact, int servers, int64_t leastShardBytes = kLeastShardBytes);
  /// The same with pins. kInvalidArgument names the pin: more shards than rows or servers, a server that is not there,
  /// variables that two pins place, or of which none splits by rows.
  static absl::StatusOr<std::unique_ptr<ShardPlan>> create(const Artifact &artifact, int servers,
                                                           const std::vector<Pin> &pins,
                                                           int64_t leastShardBytes = kLeastShardBytes);

  int servers() const { return servers_; }
  /// The rows of a variable on a server; a scalar has one row, on server 0. Variables of lifetime eval are nowhere.
  RowRange rows(int32_t variable, int server) const { return variables_[variable][server]; }
  /// For each variable its rows on a server.
  std::vector<RowRange> held(int server) const;
  /// For each sum what a server gets of it.
  const std::vector<SumPlace> &sums(int server) const { return sums_[server]; }
  /// Bytes of variables on a server.
  int64_t bytes(int server) const;
  /// "w: [0, 50) on ps 0, [50, 100) on ps 1" for each variable of lifetime train that is no slot and not whole on
  /// server 0, or is pinned: then with the name of the pin.
  std::vector<std::string> describe() const;
  /// A number that plans of equal ranges share.
  uint64_t fingerprint() const;

private:
  struct Group;
  struct Unplanned {};
  ShardPlan(const Artifact &artifact, int servers, int64_t leastShardBytes, Unplanned);
  absl::Status plan(const std::vector<Pin> &pins);
  std::vector<Group> collectGroups() const;
  absl::Status pinGroups(const std::vector<Pin> &pins, std::vector<Group> &groups);
  void deal(const std::vector<Group> &groups);
  void placeSums(const std::vector<Group> &groups);

  const Artifact &artifact_;
  const int servers_;
  const int64_t leastShardBytes_;
  std::vector<std::vector<RowRange>> variables_; ///< by variable and server
  std::vector<std::vector<SumPlace>> sums_;      ///< by server and sum
  std::vector<std::string> pins_;                ///< by variable: the name of its pin, or empty
};

/// Sparse sums of an artifact: the indices of their "t.ids"; "t.rows" and "t.count" stand after each.
std::vector<int32_t> findSparseSums(const mlcrt_artifact &table);

} // namespace mlcrt

#endif // MLCRT_CORE_SHARDPLAN_H
