// What an export of a model's state consists of. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_MODELEXPORT_H
#define MLCRT_TRAIN_MODELEXPORT_H

#include "absl/status/statusor.h"
#include "runtime/src/export/ExportWriter.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/TrainRun.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// Describes exports of a model, with golden rows of files that are opened once.
class ModelExport {
public:
  /// `context` outlives this.
  explicit ModelExport(RunContext &context) : context_(context) {}

  /// All of an export of the program's state but its directory and its exporter. Golden rows are the first of
  /// --golden_files, or of the files to predict, evaluate or train, in this order; a model whose files are not there
  /// has none, with a note. Errors of --golden_files, and as EntryRunner::run.
  /// `rows`: tables that are not in the program's state, or null; it outlives the request.
  absl::StatusOr<ExportRequest> describe(Program &program, const std::string &checkpoint, int64_t step, int64_t seed,
                                         TableSource *rows = nullptr);

private:
  /// Files that golden rows may be from.
  struct Source {
    BatchSource source;
    std::optional<EntryData> data; ///< once it was opened
  };
  std::vector<Source> findSources() const;
  absl::Status addGolden(Program &program, ExportRequest &request);
  absl::StatusOr<std::string> predictGolden(Source &source, Program &program, ExportRequest &request);

  RunContext &context_;
  std::optional<std::vector<Source>> sources_; ///< those that failed are gone
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_MODELEXPORT_H
