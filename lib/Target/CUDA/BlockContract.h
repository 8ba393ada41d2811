// kern.contract on the device's memory by tiles: what a block does of every kind of tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_BLOCKCONTRACT_H
#define LIB_TARGET_CUDA_BLOCKCONTRACT_H

#include "Grid.h"
#include "lib/Target/CPU/ContractLowering.h"
#include "mlc/Target/CUDA/TileTable.h"

namespace mlc::cuda {

/// Lowers a contraction whose tiles blocks multiply. Chunks of both factors go through shared memory: by copies of
/// which several chunks are on their way while one is multiplied, or, where memory has not what is multiplied (other
/// types, halves that are no neighbours), the next one through registers. Kinds of tiles say what of a chunk lies where
/// in shared memory, how threads multiply it, and which thread has which sums.
class BlockContract : public ContractLowering {
public:
  BlockContract(mlir::OpBuilder &b, kern::ContractOp op) : ContractLowering(b, op, /*lanes=*/1) {}
  virtual ~BlockContract() = default;

  /// Chooses the tile that the table has for the collected op, of a kind of common::kKernelKinds; returns whether tiles
  /// pay.
  bool chooseTile(const common::KernelTable &table, llvm::StringRef kind);
  void emit();

protected:
  /// A factor on its way to shared memory: `extent` rows or columns of a tile, its lines, which begin at `begin` of
  /// `size`, for each of `depth` numbers of the inner dimension.
  struct Factor {
    unsigned operand = 0;
    int64_t extent = 0;
    Index begin, size;
    /// Shared memory, and where the chunk that is multiplied begins there.
    mlir::Value shared;
    Index place;
    /// Whether neighbours in memory are neighbours of the inner dimension, else of lines; how many of them a thread
    /// brings at once.
    bool isAlongInner = false;
    int64_t width = 1;
    /// What a thread brings: `width` elements each, of which these are the line and the number in the chunk of the
    /// first one.
    llvm::SmallVector<Index> lines, numbers;
    /// Where the lines begin. Those that are not there are not stored: where elements are loaded they begin where the
    /// first line does, and of copies none reads them, as `present` says, which is empty where all are there.
    llvm::SmallVector<Index> starts;
    llvm::SmallVector<mlir::Value> present;
  };

  Tile tile = {};
  /// The numbers of the inner dimension that the block at hand adds, from a multiple of the tile's depth: all of them,
  /// or those of one of `splits` parts.
  Index innerBegin, innerEnd;

  /// The type of elements in shared memory.
  virtual mlir::Type sharedType() = 0;
  /// Elements of a row there, neighbours in memory: numbers of a line or, of a factor that is not along the inner
  /// dimension, lines of a number, of which a tile may have several rows.
  virtual int64_t rowOf(const Factor &factor);
  /// Elements that a chunk of a factor takes there.
  virtual int64_t sharedSize(const Factor &factor) { return factor.extent * tile.depth; }
  /// Whether neighbours in memory are neighbours there; else they are brought one by one.
  virtual bool hasNeighbours(const Factor &) { return true; }
  /// Where in a chunk the element of a line at a number of the inner dimension lies.
  virtual Index sharedAt(const Factor &factor, Index line, Index number) = 0;
  /// Bytes that chunks begin at a multiple of.
  virtual int64_t sharedAlignment();
  /// What is read of memory, one element or a vector, as it goes to shared memory.
  virtual mlir::Value convert(const Factor &factor, mlir::Value elements) = 0;
  /// In shared memory what leaves a sum as it is, as a factor of a product that is not there.
  virtual mlir::TypedAttr absent(unsigned operand) = 0;
  /// A thread's sums before the first chunk, and after one more.
  virtual llvm::SmallVector<mlir::Value> beginSums() = 0;
  virtual llvm::SmallVector<mlir::Value> multiply(const Factor &left, const Factor &right, mlir::Value thread,
                                                  mlir::ValueRange sums) = 0;
  /// A thread's sums of the tile whose factors memory has as they are multiplied: copies bring chunks, `stages` of
  /// which are in shared memory (BlockCopies.cpp).
  virtual llvm::SmallVector<mlir::Value> multiplyCopies(Factor left, Factor right, int64_t stages, mlir::Value thread);
  /// Stands before threads wait for each other, after which they multiply what they brought.
  virtual void publish() {}
  /// Calls `emit` for each way to multiply that the kernel chooses from.
  virtual void emitWays(llvm::function_ref<void()> emit) { emit(); }
  /// Calls `finishElement` for each sum.
  virtual void finish(const Factor &left, const Factor &right, mlir::Value thread, mlir::ValueRange sums) = 0;

  /// The epilogue of an element, and its stores; of a part of the inner dimension the sum is stored alone. `at`: the
  /// indices of the row's loops.
  void finishElement(Index row, llvm::ArrayRef<Index> at, Index column, mlir::Value sum);

  Factor makeFactor(unsigned operand);
  bool canCopy(const Factor &factor);

  Index quotient(mlir::Value x, int64_t y);
  Index remainder(mlir::Value x, int64_t y);

private:
  int64_t splits = 1;  ///< parts of the inner dimension
  Index partLength;    ///< numbers of a part
  mlir::Value partial; ///< sums of parts, each of all elements; null where there is one part
  Index part, batch;   ///< of the block at hand

  /// The epilogue of an element, and its stores.
  void storeElement(llvm::ArrayRef<Index> at, Index column, mlir::Value sum);
  Index partialAt(Index ofPart, Index row, Index column);
  void allocateParts();
  void addParts();
  /// Whether neighbours of a factor in memory are neighbours of the inner dimension.
  bool isAlongInner(unsigned operand) { return known(innerLoops.back().strides[operand]) == 1; }
  bool hasWholeChunks() { return known(inner) && *known(inner) % tile.depth == 0; }
  int64_t widthOf(const Factor &factor);
  int64_t chunkSize(const Factor &left, const Factor &right) { return sharedSize(left) + sharedSize(right); }
  void share(Factor &factor, mlir::Value thread, bool isCopied);
  int64_t stagesOf(const Factor &left, const Factor &right);
  mlir::Value absentOf(const Factor &factor);
  void emitTile(Factor left, Factor right, int64_t stages, mlir::Value thread);

  void copy(const Factor &factor, Index first, Index place);

  // Through registers.
  llvm::SmallVector<mlir::Value> load(const Factor &factor, Index first);
  Index chunkAfter(Index first);
  void storeShared(const Factor &factor, mlir::Value at, mlir::Value elements);
  void store(const Factor &factor, mlir::ValueRange elements);
  llvm::SmallVector<mlir::Value> multiplyLoads(Factor left, Factor right, mlir::Value thread);
  mlir::Value isBelow(Index x, Index size);
  Index choose(mlir::Value condition, Index x, Index y);
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_BLOCKCONTRACT_H
