//===- SpecLayers.h - A spec with what it includes and what changes it -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SPECLAYERS_H
#define LIB_FRONTEND_ESTIMATORSPEC_SPECLAYERS_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"
#include "mlc/Frontend/EstimatorSpec/Import.h"

namespace mlc::frontend {

/// Reads the text of source 0, the files it includes and the overlays, merges them into document.spec() and applies
/// --set and --unset. Returns false if the result says too little to be checked; all errors are in `messages`.
bool loadSpec(SpecDocument &document, const SpecOptions &options, common::MessageList &messages);

/// The text of a file, or an error that names the nearest file of its directory. `place` (if it has a file) is where
/// the path was written.
bool readSpecFile(llvm::StringRef path, const common::Message &place, std::string &text, common::MessageList &messages);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SPECLAYERS_H
