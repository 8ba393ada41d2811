//===- Import.h - An Estimator spec becomes est IR -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_FRONTEND_ESTIMATORSPEC_IMPORT_H
#define MLC_FRONTEND_ESTIMATORSPEC_IMPORT_H

#include "common/cli/Message.h"
#include "mlc/Frontend/EstimatorSpec/SpecChange.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlc::frontend {

/// Where a spec stands, and what changes it.
struct SpecOptions {
  /// What messages and locations call the file.
  std::string file = "spec.pbtxt";
  /// What relative paths in the spec are relative to; empty: the directory of `file`.
  std::string directory = {};
  /// All overlays are merged first, then the others are applied in their order.
  std::vector<SpecChange> changes = {};
};

/// Imports the text of an Estimator spec: a module with one `est.estimator`, every name resolved and every default
/// written out. Locations are NameLoc(path of the field, FileLineCol). Only feature columns that reach the model, and
/// columns of the input that are read, are imported.
///
/// The estimator's `input` and `settings` hold the parts of the artifact's manifest of these names as JSON texts
/// (docs/manifest.md). Relative paths become absolute, `${VAR:-default}` is expanded.
///
/// Includes are read and merged, then `options.changes` are applied; each value keeps the place it is from.
///
/// Adds all errors, sorted by place, to `messages` and returns null if there are any.
mlir::OwningOpRef<mlir::ModuleOp> importEstimatorSpec(llvm::StringRef text, mlir::MLIRContext *context,
                                                      const SpecOptions &options, common::MessageList &messages);

/// The same for a file; one that cannot be read is an error that names the nearest file of its directory.
mlir::OwningOpRef<mlir::ModuleOp> importEstimatorSpecFile(llvm::StringRef path, mlir::MLIRContext *context,
                                                          common::MessageList &messages,
                                                          const std::vector<SpecChange> &changes = {});

} // namespace mlc::frontend

#endif // MLC_FRONTEND_ESTIMATORSPEC_IMPORT_H
