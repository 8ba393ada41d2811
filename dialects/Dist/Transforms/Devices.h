// The devices that a module names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_TRANSFORMS_DEVICES_H
#define DIALECTS_DIST_TRANSFORMS_DEVICES_H

#include "dialects/Dist/IR/DeviceSpec.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace mlc::dist {

/// Whether an op, a function or an argument has a device spec, or an op is colocated.
bool hasDevices(mlir::ModuleOp module);

/// The devices that there must be for all specs of `module`: of each job the tasks from 0 to the largest named, of each
/// task, or of one process where no job is named, the devices of each type from 0 to the largest named, CPU:0 at least.
/// Chief first, then workers, then servers, then other jobs by name.
llvm::SmallVector<DeviceSpec> devicesOf(mlir::ModuleOp module);

} // namespace mlc::dist

#endif // DIALECTS_DIST_TRANSFORMS_DEVICES_H
