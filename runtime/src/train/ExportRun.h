// The verb export. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EXPORTRUN_H
#define MLCRT_TRAIN_EXPORTRUN_H

#include "absl/status/statusor.h"
#include "runtime/src/train/TrainRun.h"

#include <cstdint>
#include <string>

namespace mlcrt {

/// Where an export lies, and what it is of.
struct ExportRunResult {
  std::string path;
  int64_t step = 0, goldenRows = 0;
};

/// Exports the model of a checkpoint to --output, or to export/<name> of its model_dir. Golden rows are
/// the first of --golden_files, or of the files to predict, evaluate or train, in this order; a model whose files are
/// not there is exported without, with a note. Errors as restoreModel and writeExport, and of --golden_files.
absl::StatusOr<ExportRunResult> runExport(RunContext &context);

} // namespace mlcrt

#endif // MLCRT_TRAIN_EXPORTRUN_H
