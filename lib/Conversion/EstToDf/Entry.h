// One entry function while it is built. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_ENTRY_H
#define LIB_CONVERSION_ESTTODF_ENTRY_H

#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Est/IR/Est.h"
#include "lib/Conversion/EstToDf/GraphBuilder.h"
#include "lib/Conversion/EstToDf/ModuleState.h"

#include <string>

namespace mlc::est2df {

/// A named result of an entry.
struct Output {
  std::string name;
  mlir::Value value;
};

/// A function of the module with a column of the input for each argument: [n] of the column's dtype. A multi-valued one
/// is two arguments: its values, with a dimension symbol of their own, and `<name>.ends`; its weights are a third.
class Entry {
public:
  /// Starts the function `name` at the end of the module. Ops get the location of the est op they come from: whoever
  /// lowers one sets it with builder().setLoc.
  Entry(ModuleState &state, df::Role role, llvm::StringRef name, llvm::ArrayRef<est::FeatureOp> features,
        mlir::Location loc);

  GraphBuilder &builder() { return builder_; }
  ModuleState &state() { return state_; }
  /// The argument for the result of an est.feature that the entry was given.
  mlir::Value feature(mlir::Value feature) const { return arguments_.lookup(feature); }
  /// Where each row's values end in the argument of a multi-valued est.feature: [rows].
  mlir::Value ends(est::FeatureOp feature) const { return ends_.lookup(feature.getValue()); }
  /// Ends the function. Where ops of it could not be built the state of the module has failed.
  void finish(llvm::ArrayRef<Output> outputs);

private:
  ModuleState &state_;
  df::FunctionOp function_;
  GraphBuilder builder_;
  llvm::DenseMap<mlir::Value, mlir::Value> arguments_;
  llvm::DenseMap<mlir::Value, mlir::Value> ends_;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_ENTRY_H
