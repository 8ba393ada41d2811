// Placeholder.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Decoder.h"
namespace ptxemu {
void addWgmmaOps(OpTable &) {}
} // namespace ptxemu
