// df modules as an input: what a spec would have said of them, and parts of their graphs.
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

/// A part of a graph: what is computed, and of what.
struct GraphCut {
  std::string entry; ///< the function it is a part of; empty: the only one that has all names
  std::vector<std::string> fetches;
  std::vector<std::string> feeds;
};

/// Name of the function that cutGraph makes.
inline constexpr llvm::StringLiteral kCutEntry = "fetch";

/// Replaces the functions of a df module as built, but that of role init, by @fetch, which returns the values `fetches`
/// and holds the ops that they need, assignments that their reads follow included. The values `feeds` are arguments;
/// the other arguments are those features of the function that are needed still.
///
/// A value's name is its `df.name` (of an argument, a result, an op) or the name of its location; of several results of
/// an op `name:1` is the second. Errors name what was not found, or found in several places, values in regions of
/// others, feeds that no fetch needs or whose shapes no file can tell. Returns whether there is none.
bool cutGraph(mlir::ModuleOp module, const GraphCut &cut, common::MessageList &messages);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_DFPROGRAM_DFPROGRAM_H
