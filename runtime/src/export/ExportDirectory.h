// The exports of one model in a directory: <seconds since 1970>/ each. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_EXPORTDIRECTORY_H
#define MLCRT_EXPORT_EXPORTDIRECTORY_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// Temporary directories of exporters begin so: what they have left is theirs to remove.
inline constexpr const char *kExporterPrefix = "temp-exporter-";

/// One export.
struct ExportPath {
  int64_t number = 0; ///< seconds since 1970
  std::string path;
};

/// The exports in `base`, ascending; none if it is not there. Errors as writeError.
absl::StatusOr<std::vector<ExportPath>> listExports(const std::string &base);

/// Removes all but the newest `keep` exports (0: none is removed) and returns their paths. Each loses its name first:
/// what has a number is whole. Errors as writeError.
absl::StatusOr<std::vector<std::string>> retireExports(const std::string &base, int64_t keep);

/// Removes what exporters that were killed have left. Errors as writeError.
absl::Status removeLeftExports(const std::string &base);

} // namespace mlcrt

#endif // MLCRT_EXPORT_EXPORTDIRECTORY_H
