// What ops of df cost: operations and bytes by class of op, and times of both and of messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_TRANSFORMS_COSTMODEL_H
#define DIALECTS_DIST_TRANSFORMS_COSTMODEL_H

#include "dialects/Df/IR/Df.h"

namespace mlc::dist {

/// Sizes that types do not tell.
struct AssumedSizes {
  /// Of each dynamic dimension.
  int64_t rows = 128;
  /// Of a loop whose count no type tells.
  int64_t iterations = 16;
};

/// The classes of ops and their formulas. |x| is the number of elements of x, bytes are those of all operands and
/// results unless said otherwise.
enum class OpClass {
  Free,           ///< no code of its own: constants, settings, reads, reshapes, structure. 0 operations, 0 bytes
  Contraction,    ///< 2 sqrt(|a| |b| |c| / batch) operations: twice m n k for each of `batch` products c = a b
  Convolution,    ///< 2 |output| |filter| / channels of the output
  Elementwise,    ///< 1 operation for each element of the largest result
  Transcendental, ///< 16 for each of these: exp, log, tanh, ..., random numbers
  Reduction,      ///< 1 operation for each element of the operands
  Composite,      ///< 8 operations for each element of the operands: softmax, normalizations, losses
  GatherScatter,  ///< 0 operations; twice the bytes of what moves and the bytes of the indices, not of the table
  Movement,       ///< 0 operations: transpose, slice, concat, pad, broadcast, ...
  Sort,           ///< 4 n log2 n operations for n elements
  Update,         ///< 2 operations for each element written: assignments, updates of rows; three times their bytes
};

struct OpCost {
  double operations = 0, bytes = 0;
  OpCost &operator+=(const OpCost &other) {
    operations += other.operations;
    bytes += other.bytes;
    return *this;
  }
};

/// The class of an op of df. A loop or a branch is Free: what stands in it is counted.
OpClass classOf(mlir::Operation *op);

/// Elements of a tensor type, or of the rows of a `!df.rows`; dynamic dimensions have `sizes.rows`.
double elementsOf(mlir::Type type, const AssumedSizes &sizes);
/// Bytes of a value of a type; a string counts as 16.
double bytesOf(mlir::Type type, const AssumedSizes &sizes);

/// One execution of `op` itself, without what is in its regions; those of df.apply_rows and df.update_rows count as 2
/// operations for each element.
OpCost costOf(mlir::Operation *op, const AssumedSizes &sizes);

/// How often a block runs for each run of its function: a loop's count, or `sizes.iterations`; a branch runs every
/// time.
double executionsOf(mlir::Block *block, const AssumedSizes &sizes);

/// The speed of a device.
struct DeviceSpeed {
  double operationsPerSecond = 5e10, bytesPerSecond = 1e10;
};

/// The speed of the link between any two devices.
struct LinkSpeed {
  double bytesPerSecond = 2e9, latencySeconds = 5e-5;
};

/// Seconds of `cost`: the longer one of computing and of moving bytes.
double secondsOf(const OpCost &cost, const DeviceSpeed &speed);
/// Seconds of a message of `bytes`.
double secondsOf(double bytes, const LinkSpeed &speed);

} // namespace mlc::dist

#endif // DIALECTS_DIST_TRANSFORMS_COSTMODEL_H
