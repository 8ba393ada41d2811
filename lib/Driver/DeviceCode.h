// What a module and the description of its artifact get for a device beside the CPU. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_DEVICECODE_H
#define LIB_DRIVER_DEVICECODE_H

#include "common/cli/Message.h"
#include "mlc/Target/Artifact/ArtifactInfo.h"
#include "mlc/Target/KernelTarget.h"
#include "mlir/IR/BuiltinOps.h"

#include <variant>

namespace mlc {
/// Adds the images of the device that the module has to the description.
void addImages(ArtifactInfo &info, mlir::ModuleOp module);

/// Adds the functions of the LLVM dialect of `other`, which loses them, and what they use to `module`. What is defined
/// there gets `prefix` before its symbol.
void addCode(mlir::ModuleOp module, mlir::ModuleOp other, llvm::StringRef prefix);

/// Of a module that is placed on devices of one process, as dist-join leaves it: the entries that are parts on a CPU,
/// for a target whose kernels work on a GPU. Of a module without devices there are none. An error: it is placed on
/// tasks of a cluster, on no GPU, or on one that is not the first. `target`: the value of --target, for the message.
std::variant<std::vector<std::string>, common::Message> entriesOnHost(mlir::ModuleOp module, llvm::StringRef target);

/// Adds the device that kernels work on to the description, the first one of all, and its memory, in which variables
/// have a home but those that segments of the module, which is of tensors, have in the host's (`df.on_host`). Of a
/// module that is placed on devices it is the GPU.
void addDevice(ArtifactInfo &info, const KernelDevice &device, mlir::ModuleOp module);

/// Takes from the module, which is in the LLVM dialect, where operands of segments lie, and which can be captured.
mlir::LogicalResult placeOperands(ArtifactInfo &info, mlir::ModuleOp module);

/// Before the symbols of code for hosts, where there is code for a device, too.
inline constexpr llvm::StringLiteral kHostPrefix = "host.";

/// Adds what describes that code, which has no prefix yet.
void addHostInfo(ArtifactInfo &info, std::shared_ptr<ArtifactInfo> host);

/// What addImages and placeOperands take of the module, which is in the LLVM dialect, as bytecode: to be kept.
std::string deviceTable(mlir::ModuleOp module);
/// The same as both, of what was kept. Fails if that is damaged.
mlir::LogicalResult takeDeviceTable(ArtifactInfo &info, llvm::StringRef bytes, mlir::MLIRContext *context);
} // namespace mlc

#endif // LIB_DRIVER_DEVICECODE_H
