// Kernels of products by several tiles, for a machine with a GPU to measure. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_KERNELCANDIDATES_H
#define MLC_COMMON_KERNELCANDIDATES_H

#include "common/kernels/KernelTable.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlc::common {

/// A product by one tile.
struct KernelCandidate {
  /// What a kernel gets: the buffer of a number, or a number.
  struct Argument {
    bool isBuffer = false;
    int64_t value = 0;
  };
  struct Launch {
    std::string kernel;
    int64_t blocks = 0, threads = 0; ///< of the launch, and of a block
    std::vector<Argument> arguments;
  };

  Tile tile;
  int64_t splits = 1;
  ProductShape shape;
  std::vector<int64_t> buffers; ///< bytes of each
  std::vector<Launch> launches; ///< one after the other: of parts of the inner dimension, and of their sums
};

/// Candidates of one kind of products, and the module that their kernels are in. Of each shape there is one at least;
/// shapes are all that m, n, k, batches and forms of them make.
struct KernelModule {
  std::string kind;                                        ///< one of kKernelKinds
  std::vector<std::pair<std::string, std::string>> images; ///< chips, and PTX for them
  std::vector<KernelCandidate> candidates;
};

struct KernelCandidates {
  std::string madeBy; ///< the version of the compiler
  KernelTable others; ///< what chips and kinds have that are not measured
  std::vector<KernelModule> modules;
};

/// What a file of candidates holds.
std::string writeCandidates(const KernelCandidates &candidates);

/// Reads what writeCandidates wrote. Returns what is wrong, or nothing.
std::string readCandidates(std::string_view bytes, KernelCandidates &candidates);

} // namespace mlc::common

#endif // MLC_COMMON_KERNELCANDIDATES_H
