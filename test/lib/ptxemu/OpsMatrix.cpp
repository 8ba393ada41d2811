// Placeholder.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Decoder.h"
namespace ptxemu {
void addMatrixOps(OpTable &) {}
} // namespace ptxemu
