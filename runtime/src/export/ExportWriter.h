// Writes a trained model as a directory that needs neither trainer nor compiler. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_EXPORTWRITER_H
#define MLCRT_EXPORT_EXPORTWRITER_H

#include "absl/status/statusor.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/core/RowFeed.h"
#include "runtime/src/export/Signature.h"

#include <string>

namespace mlcrt {

/// What goes into an export besides code and weights.
struct ExportRequest {
  std::string base; ///< directory in which the export becomes <timestamp>/; made if absent
  /// The caller sets versions, cpu, compat, checkpoint, step, seed, classes and goldenRows.
  ExportSignature signature;
  std::string golden;          ///< lines of goldenText
  TableSource *rows = nullptr; ///< tables that are not in the program's state, or null
};

/// An export that is there.
struct WrittenExport {
  std::string path;
  bool isNew = true; ///< false: of an exporter that had made it before
};

/// Writes base/<seconds since 1970>/ and returns it. All files are written and synced in a temporary directory beside
/// it, the export is loaded from there and its golden rows replayed; only then it gets its name, which nothing had
/// before and which is larger than all there are, whatever the clock says. One of an exporter is not made again: code,
/// weights and step of the newest are looked at first. kFailedPrecondition (E0409): the artifact has no image of its
/// predict entry; kInternal: what was written does not predict what the trainer did; else as readSignature and
/// writeError.
absl::StatusOr<WrittenExport> writeExport(Program &program, ExportRequest request);

} // namespace mlcrt

#endif // MLCRT_EXPORT_EXPORTWRITER_H
