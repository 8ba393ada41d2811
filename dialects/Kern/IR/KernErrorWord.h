// Segments whose checks lower a word on the device instead of asking the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNERRORWORD_H
#define DIALECTS_KERN_IR_KERNERRORWORD_H

#include "llvm/ADT/StringRef.h"

namespace mlc::kern {
/// On a segment: the number of the operand that is the error slot (mlcrt/abi.h), a scalar of i64 that checks lower.
inline constexpr llvm::StringLiteral kErrorOperandAttr = "kern.error_operand";

/// On the same segment: the number of its first check among those of the module, then what each check says.
inline constexpr llvm::StringLiteral kChecksAttr = "kern.checks";

/// The end of the name of the function that runs the checks of such a segment on the host, to tell what is wrong.
inline constexpr llvm::StringLiteral kChecksSuffix = ".checks";

/// On a kern.report_error: what would run without it reads and writes no memory that it must not, as long as no rows
/// are updated. So it may as well be found on the device.
inline constexpr llvm::StringLiteral kContainedAttr = "kern.contained";
} // namespace mlc::kern

#endif // DIALECTS_KERN_IR_KERNERRORWORD_H
