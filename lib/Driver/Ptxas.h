// NVIDIA's assembler of PTX, where a toolkit is installed. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_DRIVER_PTXAS_H
#define MLC_LIB_DRIVER_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mlc {

/// The path of ptxas: in $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin, or on PATH.
std::optional<std::string> findPtxas();

/// Assembles PTX for a chip: the bytes of the cubin. An error with what ptxas prints where it fails, and one that says
/// where ptxas was looked for where there is none.
llvm::Expected<std::string> assemblePtx(llvm::StringRef ptx, llvm::StringRef chip);

} // namespace mlc

#endif // MLC_LIB_DRIVER_PTXAS_H
