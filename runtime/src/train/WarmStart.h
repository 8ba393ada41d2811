// Initial values from another model's checkpoint. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_WARMSTART_H
#define MLCRT_TRAIN_WARMSTART_H

#include "absl/status/statusor.h"
#include "runtime/src/core/State.h"
#include "runtime/src/train/Configuration.h"
#include "runtime/src/train/Reporter.h"

#include <string>

namespace mlcrt {

/// Gives the tables of embeddings with a ckpt_to_load_from, in a state that was initialized, the values of that
/// checkpoint, rows of vocabularies by term. kInvalidArgument (E0219): a tensor that the checkpoint lacks or that does
/// not fit, a tensor's name without a checkpoint; kNotFound: no checkpoint; kDataLoss: damaged. After an error the
/// state may be changed in part.
absl::Status loadEmbeddings(const Configuration &configuration, const Artifact &artifact, State &state,
                            Reporter &reporter);

/// Does what train.warm_start says to a state that was initialized: trainable variables that match get the values of
/// the checkpoint, rows and columns of vocabularies by term. Returns where they are from; "" if the spec has no warm
/// start. kInvalidArgument (E0219): a name that matches nothing, a variable that the checkpoint lacks, shapes that do
/// not fit; kNotFound: no checkpoint; kDataLoss: damaged. After an error the state may be changed in part.
absl::StatusOr<std::string> warmStart(const Configuration &configuration, const Artifact &artifact, State &state,
                                      Reporter &reporter);

} // namespace mlcrt

#endif // MLCRT_TRAIN_WARMSTART_H
