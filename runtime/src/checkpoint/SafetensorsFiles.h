// Tensors that programs save and load, as safetensors files. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_SAFETENSORSFILES_H
#define MLCRT_CHECKPOINT_SAFETENSORSFILES_H

#include "runtime/src/core/StateFiles.h"

namespace mlcrt {

/// Files of the disk. Errors are those of writeSafetensors and SafetensorsReader; kDataLoss (E0403) also for a tensor
/// that is missing or of another type.
const StateFiles &safetensorsFiles();

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_SAFETENSORSFILES_H
