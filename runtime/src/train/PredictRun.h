// The verb predict. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_PREDICTRUN_H
#define MLCRT_TRAIN_PREDICTRUN_H

#include "absl/status/status.h"
#include "common/machine/MemoryNeed.h"
#include "runtime/src/core/RowFeed.h"
#include "runtime/src/train/TrainRun.h"

namespace mlcrt {

/// Predicts every row of predict.files with the predict entry of `program` and writes the predictions as the command
/// line says. Data is read in pieces: memory does not grow with it but for the places of records (12 bytes each).
/// `call` tells seed and step, `state` what memory the model takes. Errors as openEntryData, checkReadMemory and
/// predict.
absl::Status predictRows(RunContext &context, Program &program, const CallContext &call, RowSource *rows,
                         mlc::common::MemoryNeed state);

/// The same for the model of a checkpoint.
absl::Status runPredict(RunContext &context);

} // namespace mlcrt

#endif // MLCRT_TRAIN_PREDICTRUN_H
