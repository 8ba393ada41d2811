// kern.contract of halves and tf32 on the device's memory by the instructions for products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_MATRIXCONTRACT_H
#define LIB_TARGET_CUDA_MATRIXCONTRACT_H

#include "BlockContract.h"
#include "MatrixFragments.h"
#include "dialects/Kern/IR/KernTensorMap.h"

namespace mlc::cuda {

/// Products of f16, bf16 or tf32 added in f32 by tensor cores, in their order: the result is a function of the shape
/// and of the chip. In shared memory neighbours are those that memory has. Matrices of halves are transposed where they
/// are loaded; those of tf32, which nothing transposes, are then loaded word by word. Warps multiply (mma.sync).
class MatrixContract : public BlockContract {
public:
  using BlockContract::BlockContract;

protected:
  MatrixFragments fragments() { return {b, loc, sharedType()}; }
  bool isWide() { return fragments().isWide(); }
  int64_t elementBytes() { return fragments().elementBytes(); }
  int64_t perPiece() { return fragments().perPiece(); }
  /// The factor in shared memory, unless it is loaded word by word.
  SharedMatrix matrixOf(const Factor &factor);

  mlir::Type sharedType() override { return lhs.element; }
  int64_t rowOf(const Factor &factor) override;
  Index sharedAt(const Factor &factor, Index line, Index number) override;
  mlir::Value convert(const Factor &, mlir::Value elements) override { return elements; }
  mlir::TypedAttr absent(unsigned) override { return b.getFloatAttr(sharedType(), 0.0); }
  llvm::SmallVector<mlir::Value> beginSums() override;
  llvm::SmallVector<mlir::Value> multiply(const Factor &left, const Factor &right, mlir::Value thread,
                                          mlir::ValueRange sums) override;
  void finish(const Factor &left, const Factor &right, mlir::Value thread, mlir::ValueRange sums) override;

private:
  bool isLoadedByWords(const Factor &factor) { return isWide() && !factor.isAlongInner; }
  int64_t rowTiles() const;
  int64_t columnTiles() const;
  Index warpRow(mlir::Value thread);
  Index warpColumn(mlir::Value thread);
  llvm::SmallVector<mlir::Value> loadWords(const Factor &factor, mlir::Value lane, Index line, int64_t number,
                                           bool linesFirst, int64_t count);
};

/// The same, and, on the chips that have them, products of warpgroups (wgmma, WarpgroupContract.cpp), which read both
/// factors of the same chunks from shared memory. The kernel has both ways, of which its code for a chip keeps one.
/// Where both factors are matrices of which the runtime makes descriptors it has a third one, by products of warpgroups
/// of chunks that copies of boxes of tensors bring (TensorCopies.cpp).
class WarpgroupContract : public MatrixContract {
public:
  using MatrixContract::MatrixContract;

protected:
  int64_t sharedAlignment() override;
  llvm::SmallVector<mlir::Value> multiplyCopies(Factor left, Factor right, int64_t stages, mlir::Value thread) override;
  void publish() override;
  void emitWays(llvm::function_ref<void()> emit) override;
  llvm::SmallVector<mlir::Value> beginSums() override;
  llvm::SmallVector<mlir::Value> multiply(const Factor &left, const Factor &right, mlir::Value thread,
                                          mlir::ValueRange sums) override;
  void finish(const Factor &left, const Factor &right, mlir::Value thread, mlir::ValueRange sums) override;

private:
  bool isOfWarpgroups = false; ///< the way at hand
  /// Addresses of the descriptors of the factors, in the way that has them.
  std::optional<std::pair<mlir::Value, mlir::Value>> maps;

  bool fits();
  bool hasMap(const Factor &factor);
  kern::TensorMapOp makeMap(const Factor &factor);
  void copyBoxes(const Factor &factor, mlir::Value map, Index first, Index place, mlir::Value barrier);
  bool sharesRows() const;
  int64_t columnsOf() const;
  Index groupRow(mlir::Value thread);
  Index groupColumn(mlir::Value thread);
  mlir::Type sumsType();
  mlir::Value describe(const Factor &factor, Index line, int64_t number);
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_MATRIXCONTRACT_H
