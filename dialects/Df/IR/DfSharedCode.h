// Segments whose code is another segment's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSHAREDCODE_H
#define DIALECTS_DF_IR_DFSHAREDCODE_H

#include "llvm/ADT/StringRef.h"

namespace mlc::df {

/// On a segment without a body: the symbol of the one that has its code. Both take buffers of one type each in one
/// order; whose buffers these are, the declaration's bindings say.
inline constexpr llvm::StringLiteral kCodeAttr = "df.code";

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFSHAREDCODE_H
