// The passes and pipelines of mlc alone, by stage, for mlc-opt --help-mlc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_DRIVER_PASSHELP_H
#define MLC_LIB_DRIVER_PASSHELP_H

namespace mlc {

/// Registers our passes, and no others, and prints what each does and takes, and what pipelines are made of, to stdout.
void printPassHelp();

} // namespace mlc

#endif // MLC_LIB_DRIVER_PASSHELP_H
