// Batches of data files as what the entries of an artifact take. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_BATCHFEED_H
#define MLCRT_TRAIN_BATCHFEED_H

#include "absl/status/statusor.h"
#include "runtime/src/core/RowFeed.h"
#include "runtime/src/input/BatchSource.h"
#include "runtime/src/input/Dataset.h"
#include "runtime/src/input/Prefetcher.h"
#include "runtime/src/input/RecordIndex.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/FedColumns.h"
#include "runtime/src/train/Reporter.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlcrt {

/// A column of the input that goes to the output as it is: indices of the data set's columns, -1 for what it has not.
struct ForwardColumn {
  std::string name;
  char separator = '|';                         ///< of the values of a multi-valued column
  bool single = false;                          ///< a row has one value
  int32_t cells = -1;                           ///< of a column with a fixed number of values
  int32_t values = -1, ends = -1, weights = -1; ///< of a multi-valued one
};

/// A data set with the features that one entry reads.
struct EntryData {
  std::unique_ptr<Dataset> dataset;
  /// For each column of the data set's batches the index of the artifact's feature; -1 for one that is only forwarded.
  std::vector<int32_t> features;
  /// For each matrix of its batches the index of the artifact's.
  std::vector<int32_t> matrices;
  std::vector<ForwardColumn> forward;
  /// How often an EntryFeed goes through it, -1: without end; and whether it leaves out the short batch at the end.
  int64_t passes = 1;
  bool dropRemainder = false;
  /// Names of features of the data set that the artifact does not have.
  std::list<std::string> names;
};

/// What is read, and how.
struct EntryDataOptions {
  BatchSource source;
  int threads = 1;
  /// As DatasetOptions.
  std::string cacheDir = defaultCacheDir();
  /// Columns to forward: declared ones with their type; others, which CSV files must have, as texts; arrays as they
  /// are.
  std::vector<std::string> forward = {};
  /// Bytes of data held in memory; above, batches are read from the files. -1: as DatasetOptions says.
  int64_t memoryLimit = -1;
  /// As DatasetOptions.
  bool dropBadRows = false, mayBeEmpty = false;
};

/// kInvalidArgument (E0206): the setting `what` ("train.files") names no files.
absl::Status noFilesError(const std::string &what);

/// Opens a source for `entry`: files of records in the format that the manifest tells, or arrays. Features that the
/// entry does not read (labels at predict) are not read either. kInvalidArgument (E0206) if it is empty, or (E0319) if
/// a TFRecord column or an array to forward is not there. Data errors as Dataset::open.
absl::StatusOr<EntryData> openEntryData(const Configuration &configuration, const Artifact &artifact,
                                        const mlcrt_entry &entry, const EntryDataOptions &options, Reporter &reporter);

/// Points `view` to the columns of `batch`; its vectors grow once.
void fillView(const Artifact &artifact, const EntryData &data, const Batch &batch, BatchView &view);

/// Runs an entry over all batches of a data set, in order, as often as the data says; features segments ahead on an
/// input thread. Where EntryRunner::canLaunch() says so the next batch is launched before the outputs of one are waited
/// for: who looks at the state between batches asks for that not to be (`goesAhead`).
class EntryFeed {
public:
  /// `data` and `rows` outlive this. `step`: what the entry gets as the step. `maxBatches`: -1 for all. `rows`: has
  /// tables that are not in the program's state; null: all are. With `dropBadRows` a row that the entry reports as bad
  /// is taken out of its batch, which may have no row then. `fed`: replaces columns of each batch, of which none is
  /// read ahead then; null: none.
  EntryFeed(Program &program, const mlcrt_entry &entry, ThreadPool &pool, const EntryData &data, int64_t batchSize,
            int64_t maxBatches, const CallContext &context, RowSource *rows = nullptr, bool dropBadRows = false,
            std::shared_ptr<FedColumns> fed = nullptr, bool goesAhead = true);

  /// Runs the next batch; null at the end. Outputs are in runner() until the next call.
  absl::StatusOr<const Batch *> next();
  /// Runs rows that are no batch of the data set, which is a stream: they come after the batches so far. Errors are
  /// those of compiled code, without a place.
  absl::Status run(const BatchView &rows);
  const EntryRunner &runner() const { return runner_; }
  /// Rows that were taken out, and the errors of the first of them. After the last batch.
  int64_t droppedRows() const { return dropped_; }
  const std::string &droppedTexts() const { return droppedTexts_; }

private:
  struct Slot {
    BatchView view;
    FeatureSlot features;
  };
  /// A batch that was launched, or is to be run.
  struct Begun {
    Prefetcher::Item item;
    bool isLaunched;
  };
  static std::vector<Slot> makeSlots(const EntryRunner &runner, int count);
  /// Takes the next batch, and launches it where that can be; false at the end. The last `kept` batches are in use.
  absl::StatusOr<bool> begin(int kept);
  /// Runs the batch that was begun first, or ends what was launched.
  absl::Status settle(const Begun &begun);
  CallContext contextOf(const Batch &batch) const;
  absl::Status withoutBadRows(Slot &slot, Batch &batch, const std::function<absl::Status()> &run);

  Program &program_;
  const EntryData &data_;
  CallContext context_;
  const bool dropBadRows_;
  const std::shared_ptr<FedColumns> fed_;
  const bool goesAhead_;
  std::mutex droppedMutex_; ///< of what follows: input thread and caller drop rows
  int64_t dropped_ = 0;
  std::string droppedTexts_;
  ThreadPool inputPool_;
  EntryRunner runner_, inputRunner_;
  RowFeed rowFeed_;
  int64_t batchRows_ = 0, otherRows_ = 0; ///< that next() and run() were about
  FeatureSlot otherSlot_;
  std::vector<Slot> slots_;
  std::deque<Begun> begun_; ///< not settled
  absl::Status ahead_;      ///< why a batch could not be begun before the one before it was settled
  Prefetcher prefetcher_;   // last: its thread uses the members above
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_BATCHFEED_H
