//===- SpecPrint.h - Writes a spec as text or JSON -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SPECPRINT_H
#define LIB_FRONTEND_ESTIMATORSPEC_SPECPRINT_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

namespace mlc::frontend {

/// The document's spec as `options` say; a resolved one has been through resolveSpec. Of text format, what was read
/// again gives the same spec.
std::string printSpec(const SpecDocument &document, const ShowOptions &options);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SPECPRINT_H
