// What the runtime must only print or check: the manifest. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_MANIFEST_H
#define LIB_CONVERSION_ESTTODF_MANIFEST_H

#include "lib/Conversion/EstToDf/Heads.h"

namespace mlc::est2df {

/// Sets `mlc.name` and `mlc.manifest` of `module`. The manifest is a JSON object with name, compat, input and settings
/// (as the estimator carries them), spec (the text `mlc.spec` of `module`, which goes), head (name, kind, label,
/// weight, classes), of several a list of them as heads, columns and, if there are any, vocabularies and embeddings (of
/// `state`). Fails, with an error at the estimator, if what it carries is no JSON.
llvm::LogicalResult setManifest(mlir::ModuleOp module, est::EstimatorOp estimator, const Heads &heads,
                                const ModuleState &state, mlir::DictionaryAttr columns);

/// What the values of variables mean: for each column among `sources`, and the features they read, path ->
/// text. What changes no meaning (initial values, how updates are done) is left out.
mlir::DictionaryAttr describeColumns(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Operation *> sources);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_MANIFEST_H
