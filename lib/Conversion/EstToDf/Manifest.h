// What the runtime must only print or check: the manifest. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_MANIFEST_H
#define LIB_CONVERSION_ESTTODF_MANIFEST_H

#include "lib/Conversion/EstToDf/Head.h"

namespace mlc::est2df {

/// Sets `mlc.name` and `mlc.manifest` of `module`. The manifest is a JSON object with name, compat, input and settings
/// (as the estimator carries them) and head (name, kind, label, weight, classes). Fails, with an error at the
/// estimator, if what it carries is no JSON.
llvm::LogicalResult setManifest(mlir::ModuleOp module, est::EstimatorOp estimator, const Head &head);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_MANIFEST_H
