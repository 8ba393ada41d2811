// What ops of df cost: operations and bytes by kind of work, and times of both and of messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_TRANSFORMS_COSTMODEL_H
#define DIALECTS_DIST_TRANSFORMS_COSTMODEL_H

#include "dialects/Df/IR/Df.h"

namespace mlc::dist {

/// Sizes that types do not tell.
struct AssumedSizes : df::DynamicSizes {
  int64_t iterations = 16; ///< of a loop whose count no type tells
};

struct OpCost {
  double operations = 0, bytes = 0;
  OpCost &operator+=(const OpCost &other) {
    operations += other.operations;
    bytes += other.bytes;
    return *this;
  }
};

/// The kind of work of an op; `costOf` has the formulas (df::Work). A loop or a branch is Free: what stands in it is
/// counted.
df::Work workOf(mlir::Operation *op);

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

/// The speed of a device; of a CPU where nothing is said.
struct DeviceSpeed {
  double operationsPerSecond = 5e10, bytesPerSecond = 1e10;
};

/// The speed of a GPU where nothing is said: about half of what data sheets say of those with sm_80 (19.5e12 f32
/// operations, 1.6e12 bytes), as few kernels reach more. It was not measured.
inline constexpr DeviceSpeed kGpuSpeed = {1e13, 8e11};

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
