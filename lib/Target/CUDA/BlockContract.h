// kern.contract on the device's memory by tiles: what a block does of every kind of tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_BLOCKCONTRACT_H
#define LIB_TARGET_CUDA_BLOCKCONTRACT_H

#include "Grid.h"
#include "lib/Target/CPU/ContractLowering.h"

namespace mlc::cuda {

/// What a block multiplies: `rows` x `columns` elements of the result, `depth` of the inner dimension at a time, a
/// chunk.
struct Tile {
  int64_t rows, columns, depth;
};

/// Lowers a contraction whose tiles blocks multiply. A chunk of both factors goes through shared memory, while the next
/// one is read into registers. Kinds of tiles say what of a chunk lies where in shared memory, how threads multiply it,
/// and which thread has which sums.
class BlockContract : public ContractLowering {
public:
  BlockContract(mlir::OpBuilder &b, kern::ContractOp op) : ContractLowering(b, op, /*lanes=*/1) {}
  virtual ~BlockContract() = default;

  /// Chooses one of `tiles`, which are from large to small, for the collected op; returns whether tiles pay.
  bool chooseTile(llvm::ArrayRef<Tile> tiles);
  void emit();

protected:
  /// A factor on its way to shared memory: `extent` rows or columns of a tile, its lines, which begin at `begin` of
  /// `size`, for each of `depth` numbers of the inner dimension.
  struct Factor {
    unsigned operand = 0;
    int64_t extent = 0;
    Index begin, size;
    mlir::Value shared;
    /// Whether neighbours in memory are neighbours of the inner dimension, else of lines; how many of them a thread
    /// brings at once.
    bool isAlongInner = false;
    int64_t width = 1;
    /// What a thread brings: `width` elements each, of which these are the line and the number in the chunk of the
    /// first one.
    llvm::SmallVector<Index> lines, numbers;
    /// Where the lines begin; those that are not there begin where the first one does, and are not stored.
    llvm::SmallVector<Index> starts;
  };

  Tile tile = {};

  /// The type of elements in shared memory, and how many a factor takes there.
  virtual mlir::Type sharedType() = 0;
  virtual int64_t sharedSize(const Factor &factor) = 0;
  /// Where the element of a line at a number of the chunk lies there, and which of them are neighbours.
  virtual Index sharedAt(const Factor &factor, Index line, Index number) = 0;
  virtual bool hasNeighboursAlongInner(const Factor &factor) = 0;
  /// What is read of memory, one element or a vector, as it goes to shared memory.
  virtual mlir::Value convert(const Factor &factor, mlir::Value elements) = 0;
  /// In shared memory what leaves a sum as it is, as a factor of a product that is not there.
  virtual mlir::TypedAttr absent(unsigned operand) = 0;
  /// A thread's sums before the first chunk, and after one more.
  virtual llvm::SmallVector<mlir::Value> beginSums() = 0;
  virtual llvm::SmallVector<mlir::Value> multiply(const Factor &left, const Factor &right, mlir::Value thread,
                                                  mlir::ValueRange sums) = 0;
  /// Calls `finishElement` for each sum.
  virtual void finish(Index firstRow, Index firstColumn, mlir::Value thread, mlir::ValueRange sums) = 0;

  /// The epilogue of an element, and its stores. `at`: the indices of the row's loops.
  void finishElement(Index row, llvm::ArrayRef<Index> at, Index column, mlir::Value sum);

  Index quotient(mlir::Value x, int64_t y);
  Index remainder(mlir::Value x, int64_t y);

private:
  bool hasWholeChunks() { return known(inner) && *known(inner) % tile.depth == 0; }
  Factor makeFactor(unsigned operand);
  int64_t widthOf(const Factor &factor);
  void share(Factor &factor, mlir::Value thread);
  llvm::SmallVector<mlir::Value> load(const Factor &factor, Index first);
  Index chunkAfter(Index first);
  void store(const Factor &factor, mlir::ValueRange elements);
  void emitTile(Factor left, Factor right, mlir::Value thread);
  mlir::Value isBelow(Index x, Index size);
  Index choose(mlir::Value condition, Index x, Index y);
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_BLOCKCONTRACT_H
