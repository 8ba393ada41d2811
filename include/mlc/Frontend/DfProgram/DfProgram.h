// df modules as an input: what a spec would have said of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_FRONTEND_DFPROGRAM_DFPROGRAM_H
#define MLC_FRONTEND_DFPROGRAM_DFPROGRAM_H

#include "common/cli/Message.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlc::frontend {

/// Where a location points to, as far as it says so.
common::Place placeOf(mlir::Location location);

/// Gives a df module as built the name and the manifest (docs/manifest.md) that a spec gives: `mlc.name` (if it has
/// none, the stem of `file`) and `mlc.manifest`: the settings of a run with those that its `df.setting`s read and the
/// values of its attribute `mlc.settings`, and its features as columns of CSV files. A module that has a manifest is
/// left as it is. Adds errors to `messages`: a setting that is unknown, of another type or out of range, a setting of
/// the program that has the name of one of a run but not its type. Returns whether there is none.
bool describeProgram(mlir::ModuleOp module, llvm::StringRef file, common::MessageList &messages);

/// Adds the key `graph` to the manifest of a df module as built: the ops and variables of its training step (of its
/// prediction, if it has none) in scopes, for TensorBoard (docs/manifest.md). Ops stand with the variable that they
/// read, or where a spec has them. A graph of more than 20,000 nodes is left out.
void describeGraph(mlir::ModuleOp module);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_DFPROGRAM_DFPROGRAM_H
