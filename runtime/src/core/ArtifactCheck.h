//===- ArtifactCheck.h - Parts of the check of an artifact's table ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef RUNTIME_SRC_CORE_ARTIFACTCHECK_H
#define RUNTIME_SRC_CORE_ARTIFACTCHECK_H

#include "runtime/src/core/Artifact.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <set>

namespace mlcrt {

/// The error of a table, which is data from outside.
template <typename... Parts> absl::Status bad(const Parts &...parts) {
  return absl::DataLossError(absl::StrCat("bad artifact table: ", parts...));
}

/// Evaluates an absl::Status and returns it from the function if it is an error.
#define MLCRT_CHECK_OK(expression)                                                                                     \
  if (absl::Status status_ = (expression); !status_.ok())                                                              \
  return status_

/// More symbols than any batch has ragged dimensions.
inline constexpr int64_t kMaxSymbols = 4096;

/// Adds the symbols that occur in the dims of a value.
void addSymbols(const mlcrt_value &value, std::set<int64_t> &symbols);

/// Whether a list has as many items as its count says, which must not be negative. `what` names it in the error.
absl::Status checkList(const char *what, int32_t count, const void *items);

/// Whether entries of the role work on ranges of rows, or on what those share.
inline bool isOfUpdate(int32_t role) {
  return role == MLCRT_ROLE_TRAIN_PARTIAL || role == MLCRT_ROLE_TRAIN_SHARED || role == MLCRT_ROLE_TRAIN_UPDATE;
}

/// Checks one entry, segment by segment, in the order in which the runtime runs them. What entries name, and the lists
/// of this one, have been checked.
absl::Status checkEntry(const mlcrt_artifact &table, const mlcrt_entry &entry);

} // namespace mlcrt

#endif // RUNTIME_SRC_CORE_ARTIFACTCHECK_H
