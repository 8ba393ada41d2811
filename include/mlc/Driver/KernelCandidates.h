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
  std::vector<size_t> forms;      ///< of common::kProductForms, ascending
  std::vector<int64_t> m, n, k;   ///< at least kLeastMeasured
  std::vector<int64_t> batches;   ///< numbers of matrices; shapes are all that these, and forms, make
  std::vector<int64_t> splits;    ///< parts of the inner dimension, where it is long and tiles are few; 1 among them
};

/// The shapes of one kind.
int64_t countShapes(const CandidateOptions &options);

/// Smaller sizes are no shapes of which tiles are chosen.
inline constexpr int64_t kLeastMeasured = 16;

/// Compiles the candidates. Kernels get the rows of a batch when they are launched: m of x * w and x * w^T, k of x^T *
/// y and of its transposed forms. All else of a shape they are compiled for. Tiles that would be mostly empty are left
/// out. False: `messages` says why.
bool makeCandidates(const CandidateOptions &options, common::KernelCandidates &candidates,
                    common::MessageList &messages);

} // namespace mlc

#endif // MLC_DRIVER_KERNELCANDIDATES_H
