// Sizes and conditions that follow from data, and what bounds them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_DATASIZES_H
#define LIB_TARGET_CUDA_DATASIZES_H

#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace mlc::cuda {

/// Whether an op computes a number of others alone, the same each time.
bool isArithmetic(mlir::Operation *op);

/// The copy from the device that fills the buffer of the host which `load` reads, where nothing else touches that
/// buffer but other loads; null: it is none.
kern::TransferOp transferOf(mlir::memref::LoadOp load);

/// Whether nobody writes what `transfer` copies after it: who reads that later reads the same.
bool isLastState(kern::TransferOp transfer);

/// A number that is as large as `number` at least, whatever the elements that it is computed of, and computed of none;
/// `number` itself where it is that. Numbers are sizes: none is negative. `isData` tells the numbers that follow from
/// elements. Null: nothing in what `number` is computed of bounds it. Without a builder nothing is made, and the result
/// only tells whether there is a bound.
mlir::Value boundOf(mlir::OpBuilder *b, mlir::Value number, llvm::function_ref<bool(mlir::Value)> isData);

/// Whether a loop of the host hands nothing on but buffers, and does nothing but ask the device for the same in each
/// iteration, if numbers are the device's.
bool onlyLaunches(mlir::scf::ForOp loop);

/// Makes such a loop one that the device ends: it counts, in memory of its `space`, and the host takes the count from
/// there. `number` is that of no other kern.loop of the function.
void countOnDevice(mlir::scf::ForOp loop, mlir::Attribute space, int32_t number);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_DATASIZES_H
