// What is known of loops of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNLOOPS_H
#define DIALECTS_KERN_IR_KERNLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace mlc::kern {
/// On an `scf.for` of which iterations after the last one would change nothing, those of a sort that is done, say: it
/// may go round as often as the largest size asks for.
inline constexpr llvm::StringLiteral kMayGoOnAttr = "kern.may_go_on";
} // namespace mlc::kern

#endif // DIALECTS_KERN_IR_KERNLOOPS_H
