// The verb export. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EXPORTRUN_H
#define MLCRT_TRAIN_EXPORTRUN_H

#include "absl/status/status.h"
#include "runtime/src/train/TrainRun.h"

namespace mlcrt {

/// Exports the model of a checkpoint to --output, or to export/<name> of its model_dir, and says where. Golden rows are
/// the first of --golden_files, or of the files to predict, evaluate or train, in this order; a model whose files are
/// not there is exported without, with a note. Errors as restoreModel and writeExport, and of --golden_files.
absl::Status runExport(RunContext &context);

} // namespace mlcrt

#endif // MLCRT_TRAIN_EXPORTRUN_H
