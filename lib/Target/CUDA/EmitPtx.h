// Kernels in the LLVM dialect to PTX, in parts that are compiled at once. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_EMITPTX_H
#define LIB_TARGET_CUDA_EMITPTX_H

#include "TensorMaps.h"
#include "mlc/Target/CUDA/Chips.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace mlc::cuda {

/// What an image is to have.
struct ImageRequest {
  const Chip *chip;
  const llvm::StringSet<> *own; ///< names of its kernels; null: all
};

/// What an image for a chip has: the PTX of kernels, and that of those which predict asks for (`mlc.images`).
struct ImageText {
  std::string all;
  std::optional<std::string> ofPredict;
};

/// PTX of the kernels of a module in the LLVM dialect, for each of `requests`. `exported` has the names that predict
/// asks for, if there is such an entry. The parts that the module is cut into, and so the text, depend on the module
/// alone; they are compiled by the threads of the context. Without `inParts` it is compiled as a whole: places of lines
/// (`.loc`) are by numbers that a text has for its files. An error tells that LLVM makes no PTX, or that kernels call
/// what nothing defines.
llvm::Expected<std::vector<ImageText>> emitImages(mlir::ModuleOp kernels, llvm::ArrayRef<ImageRequest> requests,
                                                  const KernelNeeds &needs,
                                                  const std::optional<llvm::StringSet<>> &exported, bool inParts);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_EMITPTX_H
