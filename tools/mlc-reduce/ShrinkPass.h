// df-shrink: the pass of mlc-reduce that takes ops out of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_MLC_REDUCE_SHRINKPASS_H
#define TOOLS_MLC_REDUCE_SHRINKPASS_H

namespace mlc {

/// Registers --df-shrink='test=SCRIPT [test-arg=ARGUMENT,...]': makes the module smaller in steps after each of which
/// it verifies and the script exits with 1 (it is given the arguments and a file of the module). Steps erase ops that
/// nothing uses, many at a time at first; put zeros, an operand of the same type or a new argument in the place of a
/// result; take results and unused arguments off functions, and attributes off ops, arguments and the module. Nothing
/// is folded: what is asked about is taken out by no one else. Fails if the module is not interesting to begin with.
void registerShrinkPass();

} // namespace mlc

#endif // TOOLS_MLC_REDUCE_SHRINKPASS_H
