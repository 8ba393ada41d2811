// linalg.generic on memrefs to loops: what its lowerings share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_GENERICLOWERING_H
#define LIB_TARGET_CPU_GENERICLOWERING_H

#include "VectorBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include <functional>

namespace mlc {

/// A dimension of the iteration space, after dimensions that lie after one another in every buffer were merged.
struct Loop {
  Index size;
  bool reduction;
  int64_t multiple; ///< what the size is known to be a multiple of
};

/// In which order a reduction combines elements (mlc/Support/SumOrder.h, kern::kInterleavedAttr). It is a property of
/// the op, whatever its body computes and however its operands lie: what is fused with a sum changes no bit of it.
enum class SumOrder {
  Any,        ///< of integers, and of extrema: all orders give the same
  Ascending,  ///< row-major over the reduced dimensions
  Interleaved ///< as partials
};

/// A part of a reduction: [begin, end) of its first loop; without a begin all of it.
struct SumPart {
  Index begin, end;
  bool isAll() const { return !begin; }
};

/// Lowers one generic: GenericLoops.cpp takes its loops apart, GenericBody.cpp evaluates its body, LowerReduction.cpp
/// has its reductions, LowerGeneric.cpp the points of the loops and the tasks.
struct GenericLowering {
  mlir::OpBuilder &b;
  mlir::linalg::GenericOp op;
  int64_t maxLanes;
  mlir::Location loc;
  IndexMath math;
  llvm::SmallVector<FlatBuffer> buffers;
  /// strides[operand][loop]
  llvm::SmallVector<llvm::SmallVector<Index>> strides;
  llvm::SmallVector<Loop> loops;
  /// How results combine with their accumulators, if they do by one op: else none.
  llvm::SmallVector<mlir::vector::CombiningKind> combiners;
  /// Rows of the op's first loop, and elements of its others, before loops were merged.
  Index firstSize, innerSize;
  /// What the op's first loop was multiplied by when others were merged into it.
  Index firstFactor;
  /// For each result the partials of one point, where registers do not hold them; null: not needed.
  llvm::SmallVector<mlir::Value> slots;
  /// What the body reads at indices of its own, by the memref.
  llvm::MapVector<mlir::Value, FlatBuffer> read;
  /// What `varies` has found: bodies share values widely.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, bool> varying;
  bool usesIndex = false;
  SumOrder order = SumOrder::Any;
  int64_t vectorLoop = -1;
  /// A reduction loop of which the points being emitted run [blockBegin, blockEnd) only, or `unrolledRows` elements
  /// from blockBegin on; -1: none.
  int64_t blockedLoop = -1, unrolledRows = 0;
  Index blockBegin, blockEnd;
  /// The rows that are fetched while an unrolled block is reduced, if any.
  Index fetchedBegin;
  /// For each input the number that it is, null for others.
  llvm::SmallVector<mlir::Value> scalars;
  /// For each result whether it is stored past the caches.
  llvm::SmallVector<bool> streamed;
  /// Runs so many tasks of so many nanoseconds each: tasks of a launch, or what a target makes of them.
  std::function<void(Index, double, llvm::function_ref<void(Index)>)> runTasks = [this](Index tasks, double cost,
                                                                                        auto body) {
    makeTasks(b, loc, tasks, cost, [&](mlir::OpBuilder &, Index task) { body(task); });
  };
  /// Where several threads run a task: what they combine of a part of a point's reduction, for the first one of them;
  /// and what that one does alone.
  std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<Index>, const SumPart &)> reduceTogether;
  std::function<void(llvm::function_ref<void()>)> once = [](auto body) { body(); };

  GenericLowering(mlir::OpBuilder &b, mlir::linalg::GenericOp op, int64_t lanes)
      : b(b), op(op), maxLanes(lanes), loc(op.getLoc()), math{b, loc} {}

  unsigned numInputs() { return op.getNumDpsInputs(); }
  bool isReduction() {
    return llvm::any_of(loops, [](const Loop &l) { return l.reduction; });
  }

  llvm::LogicalResult collect();
  void mergeLoops();
  bool findCombiners();
  llvm::LogicalResult findOrder();
  bool isOneVector(int64_t loop);
  bool isStreamed(unsigned out);
  bool varies(mlir::Value value, int64_t loop);
  bool isCounted(mlir::Value value, int64_t loop);
  bool readsNeighbours(int64_t loop);
  void chooseVectorLoop();
  void loadScalars();
  Index address(unsigned operand, llvm::ArrayRef<Index> position);
  llvm::SmallVector<mlir::Value> body(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position, const Lanes &lanes,
                                      mlir::ValueRange accumulators);
  llvm::SmallVector<mlir::Value> bodyWithReads(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position,
                                               const Lanes &lanes, mlir::ValueRange accumulators);
  void reduceInto(mlir::OpBuilder &nested, llvm::SmallVector<Index> position, const Lanes &lanes, unsigned loop,
                  llvm::SmallVector<mlir::Value> &accumulators);
  bool isLarge(unsigned input);
  void fetchRows(mlir::OpBuilder &nested, llvm::SmallVector<Index> position);
  void emitPoint(mlir::OpBuilder &nested, llvm::SmallVector<Index> position, const Lanes &lanes);
  llvm::SmallVector<mlir::Value> neutralElements(mlir::OpBuilder &nested, const Lanes &lanes);
  llvm::SmallVector<mlir::Value> combined(mlir::OpBuilder &nested, mlir::ValueRange values, mlir::ValueRange others);
  llvm::SmallVector<mlir::Value> loadResults(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position);
  void storeResults(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> reduceAlongVector(mlir::OpBuilder &nested, llvm::SmallVector<Index> position,
                                                   const SumPart &part);
  llvm::SmallVector<mlir::Value> reduceInPartials(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position,
                                                  const Lanes &lanes, const SumPart &part);
  llvm::SmallVector<mlir::Value> reduceUnrolled(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position,
                                                const Lanes &lanes);
  llvm::SmallVector<mlir::Value> reducePart(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position,
                                            const SumPart &part);
  llvm::SmallVector<mlir::Value> reduceInSlots(mlir::OpBuilder &nested, llvm::ArrayRef<Index> position,
                                               const Lanes &lanes, const SumPart &part);
  std::optional<int64_t> reducedElements();
  bool isUnrolled();
  void allocateSlots();
  unsigned numSets();
  bool hasShortBody();
  int64_t columnReduction();
  bool emitInParts();
  void emitLoops(mlir::OpBuilder &nested, unsigned loop, llvm::SmallVector<Index> position, int64_t taskLoop,
                 Index begin, Index end);
  void emit();
};

} // namespace mlc

#endif // LIB_TARGET_CPU_GENERICLOWERING_H
