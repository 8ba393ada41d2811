// Where the examples of a run come from. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_BATCHSOURCE_H
#define MLCRT_INPUT_BATCHSOURCE_H

#include "absl/status/statusor.h"
#include "runtime/src/input/ArrayFile.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/input/RowSelection.h"

#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// Arrays in memory that somebody else made: one for each feature, named for it, all with as many examples. They do not
/// change as long as a run reads them.
struct MemoryArrays {
  /// What messages and records call them.
  std::string name;
  std::vector<StoredArray> arrays;
  /// Keeps what `arrays` point to.
  std::shared_ptr<const void> owner;
};

/// Batches from what gives one after the other, as arrays: each of any number of rows, or several at once.
class BatchStream {
public:
  virtual ~BatchStream();

  /// Rows of a batch: what next() gives is cut into such, of which the last may be shorter. 0: it is a batch itself.
  virtual int64_t batchRows() const { return 0; }
  /// What comes next; null at the end, which is not asked after. Called by one thread at a time; may wait.
  virtual absl::StatusOr<std::shared_ptr<const MemoryArrays>> next() = 0;
  /// Makes a call of next() that waits return, and later ones fail. Called by any thread.
  virtual void stop() {}
  /// Whether it can be read again.
  virtual bool canRewind() const { return false; }
  /// What next() gives is the first again. Called when canRewind(), while nobody waits for next().
  virtual absl::Status rewind();
  /// Whether it begins with the batch that follows the step that a resumed run begins with.
  virtual bool isResumed() const { return false; }
  /// What messages and records call it.
  virtual std::string name() const = 0;
};

/// Files, arrays in memory, or a stream.
struct BatchSource {
  /// The setting that stands for it, for messages: "train.files".
  std::string what;
  std::vector<std::string> globs;
  /// Set: in the place of files.
  std::shared_ptr<const MemoryArrays> arrays = nullptr;
  /// The same.
  std::shared_ptr<BatchStream> stream = nullptr;
  /// What of the rows of files.
  RowPart rows = RowPart::All;
  /// What the files look like; null: as the artifact's manifest tells.
  std::shared_ptr<const InputFormat> format = nullptr;
  /// How often a run goes through files, of training from where it begins: as many steps as these passes have batches.
  /// 0: once to evaluate or predict, as the settings say to train; -1: without end.
  int64_t passes = 0;
  /// Evaluation and prediction leave out the short batch at the end of a pass. (Of training a setting tells.)
  bool dropRemainder = false;

  bool isFiles() const { return !arrays && !stream; }
  bool empty() const { return isFiles() && globs.empty(); }
};

} // namespace mlcrt

#endif // MLCRT_INPUT_BATCHSOURCE_H
