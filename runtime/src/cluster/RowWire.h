// Rows of tables by their ids, in payloads. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_ROWWIRE_H
#define MLCRT_CLUSTER_ROWWIRE_H

#include "runtime/src/cluster/Transport.h"
#include "runtime/src/core/RowPulls.h"
#include "runtime/src/core/ShardPlan.h"
#include "runtime/src/core/ThreadPool.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mlcrt {

/// Ids of rows of the tables of RowPulls, in their order: ascending, each once.
using TableIds = std::vector<std::vector<int64_t>>;

/// What goes between a training task and a server for the variables that are read by rows alone. The task sends, for
/// each of them, how many rows of the server's it asks for, then their ids; the server sends these rows, one after the
/// other. An artifact without such variables has nothing of this in its messages.
class RowWire {
public:
  /// Without `pullsRows` no variable is read so.
  RowWire(const Artifact &artifact, const ShardPlan &plan, int server, bool pullsRows);

  /// A task's. Appends those of `ids` that are the server's; they do not change until the message is gone.
  void sendIds(const TableIds &ids, OutgoingMessage &message) const;
  /// A task's. Appends room for the rows that `ids` asked for, in memory for those of all servers: of each table all
  /// rows of `ids` one after the other. It is kept from step to step.
  void place(const TableIds &ids, std::vector<AlignedBytes> &rows, std::vector<Placement::Span> &spans) const;
  /// A task's. Writes all rows of a table that came there to their places in the whole variable.
  absl::Status writeRows(size_t table, const TableIds &ids, const std::vector<AlignedBytes> &rows, State &state) const;
  int64_t rowBytes(size_t table) const { return tables_[table].rowBytes; }

  /// A server's. kInvalidArgument if ids do not ascend or are no rows of the server's.
  absl::StatusOr<TableIds> receiveIds(IncomingMessage &message) const;
  /// A server's. Appends copies of the rows, of what `state` holds.
  void sendRows(const TableIds &ids, State &state, ThreadPool &pool, OutgoingMessage &message) const;

private:
  struct Table {
    int32_t variable;
    RowRange rows; ///< the server's
    int64_t rowBytes;
  };
  /// [first, last) of ascending ids that are the server's.
  std::pair<size_t, size_t> rangeOf(const Table &table, const std::vector<int64_t> &ids) const;

  /// Memory of messages that are gone.
  struct Spare {
    std::mutex mutex;
    std::vector<AlignedBytes> buffers;
  };
  std::shared_ptr<void> takeSpare(int64_t bytes) const;

  std::vector<Table> tables_;
  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_ROWWIRE_H
