// Kernels of products by each tile that there is, to be measured. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_KERNELCANDIDATES_H
#define MLC_DRIVER_KERNELCANDIDATES_H

#include "common/cli/Message.h"
#include "common/kernels/KernelCandidates.h"

#include <string>
#include <vector>

namespace mlc {

/// What candidates are made for.
struct CandidateOptions {
  std::vector<std::string> chips; ///< checkChip finds nothing wrong with them; none: chipsOrDefault tells
  std::vector<std::string> kinds; ///< of common::kKernelKinds
  std::vector<int64_t> m, n, k;   ///< shapes are all that these make; at least kLeastMeasured
};

/// Smaller sizes are no shapes of which tiles are chosen.
inline constexpr int64_t kLeastMeasured = 16;

/// Compiles the candidates: x * w of x: m x k, of which kernels get m as they get the rows of a batch, and w: k x n.
/// False: `messages` says why.
bool makeCandidates(const CandidateOptions &options, common::KernelCandidates &candidates,
                    common::MessageList &messages);

} // namespace mlc

#endif // MLC_DRIVER_KERNELCANDIDATES_H
