// The order of the tensors of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFTENSORS_H
#define DIALECTS_DF_IR_DFTENSORS_H

#include "llvm/ADT/StringRef.h"

namespace mlc::df {

/// On a module, the names of the tensors of the state but slots, of which a variable may hold several (`named_rows`),
/// in the order that variables of their own would have; slots follow theirs. It is that of the state's fingerprint, so
/// that a model's checkpoints stay its own however tensors are put into variables. Without it, the order of the
/// variables.
inline constexpr llvm::StringLiteral kTensorsAttr = "df.tensors";

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFTENSORS_H
