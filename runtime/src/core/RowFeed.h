//===- RowFeed.h - Tables of which a runner gets the rows of a batch ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that only evaluates or predicts needs no table in memory of which the entry reads rows alone (mlcrt_pull):
// before each batch it takes the rows of the batch from where the table lies.
#ifndef MLCRT_CORE_ROWFEED_H
#define MLCRT_CORE_ROWFEED_H

#include "runtime/src/core/RowPulls.h"

#include <cstdint>
#include <vector>

namespace mlcrt {

/// Where tables lie that are not in the state.
class RowSource {
public:
  virtual ~RowSource() = default;
  /// Whether rows of the variable are read from here.
  virtual bool has(int32_t variable) const = 0;
  /// Reads rows, ascending and each once, one after the other to `to`.
  virtual absl::Status readRows(int32_t variable, const std::vector<int64_t> &rows, char *to) = 0;
  /// Gives a runner, before it runs, those that lie elsewhere in memory, whole.
  virtual void place(EntryRunner &) const {}
};

/// One that gives its tables in pieces, too.
class TableSource : public RowSource {
public:
  /// Bytes of a variable that it has, row-major, from `offset` on.
  virtual absl::Status readBytes(int32_t variable, int64_t offset, int64_t bytes, void *to) const = 0;
};

/// Of each variable of lifetime train: whether entries that evaluate or predict read it, and whether all of those that
/// do read rows alone.
struct ReadKinds {
  std::vector<bool> isRead, isByRows;
  explicit ReadKinds(const Artifact &artifact);
};

/// Gives a runner the rows that a batch needs. Used by one thread.
class RowFeed {
public:
  /// Tables that `source` does not have are in the state. Null: all are. References outlive this.
  RowFeed(Program &program, EntryRunner &runner, ThreadPool &pool, RowSource *source)
      : program_(program), runner_(runner), pool_(pool), source_(source),
        pulls_(program.artifact(), static_cast<mlcrt_role>(runner.entry().role)), rows_(pulls_.size()) {
    if (source)
      source->place(runner);
  }

  /// Before the step segments of a batch: `slot` is what its features segments made.
  absl::Status take(FeatureSlot &slot);
  /// Whether that does anything.
  bool isNeeded() const;

private:
  absl::Status scatter(size_t table);

  Program &program_;
  EntryRunner &runner_;
  ThreadPool &pool_;
  RowSource *source_;
  RowPulls pulls_;
  std::vector<AlignedBytes> rows_; ///< by table
  int64_t written_ = 0;            ///< bytes written to places in the state since their memory was given back
};

} // namespace mlcrt

#endif // MLCRT_CORE_ROWFEED_H
