// GPUs of NVIDIA that PTX is made for, by LLVM's names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_CUDA_CHIPS_H
#define MLC_TARGET_CUDA_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlc {

/// A chip, and the version of PTX that its code is in: the first one that all of it needs, since drivers refuse newer
/// ones than they know. LLVM ends the process at pairs that do not go together.
struct Chip {
  llvm::StringLiteral name, ptx;
  bool hasWarpgroups = false; ///< multiplies by them (wgmma), which no other chip does
};

/// The entry of a table of all chips, in which later ones come after earlier ones; null: there is none of the name.
const Chip *findChip(llvm::StringRef name);

/// What is wrong with the name of a chip, or nothing.
std::string checkChip(llvm::StringRef name);

/// `chips`, or, if there are none, those that PTX is made for where none are named: sm_80, whose code runs on all that
/// are supported, and sm_90a, for the kernels that have instructions of that chip.
std::vector<std::string> chipsOrDefault(llvm::ArrayRef<std::string> chips);

/// Whether one of the chips multiplies by warpgroups.
bool haveWarpgroups(llvm::ArrayRef<std::string> chips);

/// Latest first: no image for one of them leaves kernels to that for another (cuda-emit-kernels).
std::vector<std::string> latestFirst(std::vector<std::string> chips);

} // namespace mlc

#endif // MLC_TARGET_CUDA_CHIPS_H
