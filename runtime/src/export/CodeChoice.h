// Which code of an artifact runs. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_CODECHOICE_H
#define MLCRT_EXPORT_CODECHOICE_H

#include "absl/status/statusor.h"
#include "runtime/src/core/Artifact.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mlcrt {

/// The code that runs, and why it is not that for GPUs, which an artifact has, too.
struct CodeChoice {
  const mlcrt_artifact *table;
  std::string whyHost; ///< a line; empty: it is for GPUs, or there is no other, or "cpu" was asked for
};

/// Chooses: of a model that has code for GPUs that, where there is a GPU which it fits, and `device` ("auto", "cpu" or
/// "gpu") does not ask for the other. `gpus` of them have to be there. kInvalidArgument (E0203): what is asked for is
/// no such word, or the artifact has no code for it; kFailedPrecondition (E0504): GPUs that are asked for are not
/// there.
absl::StatusOr<CodeChoice> chooseCode(const mlcrt_artifact &table, std::string_view device, int64_t gpus = 1);

/// The part of an artifact that is for hosts without the device; null: it has no such part. Keeps the artifact. Errors
/// as Artifact::fromTable.
absl::StatusOr<std::shared_ptr<const Artifact>> hostPart(const std::shared_ptr<const Artifact> &artifact);

} // namespace mlcrt

#endif // MLCRT_EXPORT_CODECHOICE_H
