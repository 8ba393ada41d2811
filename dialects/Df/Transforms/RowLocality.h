// Which values of an update belong to rows of variables, and which to all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_TRANSFORMS_ROWLOCALITY_H
#define DIALECTS_DF_TRANSFORMS_ROWLOCALITY_H

#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfRaggedOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace mlc::df {

/// What a value of an update is to a range of rows.
enum class Alignment {
  Uniform, ///< the same for all rows
  Rows,    ///< row r (dimension 0) is made of rows r alone
  Entries, ///< entry e (dimension 0) is made of entry e of a sparse sum, and of the rows of its id
  Ids,     ///< ids of a sparse sum: relative to the range
  Count,   ///< made of the number of entries of a sparse sum and of the size of its buffers: those of the range
};

/// A variable or a sum, whose rows are cut into ranges.
struct RowSource {
  llvm::StringRef name;
  mlir::BlockArgument variable, dense;  ///< null: not read, no dense sum
  mlir::BlockArgument ids, rows, count; ///< of a sparse sum
  mlir::Operation *reason = nullptr;    ///< why its rows stay together; null: they do not

  bool isSparse() const { return count != nullptr; }
};

/// A walk over the ops of a train_apply function (stage 5). An op is *row-local* if range by range it gives what it
/// gives of all rows; an op that tells nothing is not:
/// - ops of values of one alignment that tell that their dimension 0 is parallel (`DimensionsOpInterface`), if that of
///   uniform operands is not, or those are splats, or broadcasts along dimension 0;
/// - broadcasts and reshapes that leave dimension 0 alone;
/// - df.update_rows and df.gather by the ids of a sparse sum; masks of the entries that count.
/// Sources that an op joins row by row are one *group*: cut alike. What another op uses of a group *crosses*: it is put
/// together from its ranges, so it must be [n]; if it has more dimensions, it keeps its group whole, as do updates that
/// are not of rows. Sources that stay whole are uniform.
///
/// Crossings are exchanged in *stages*: stage 0 is what needs none, stage s + 1 what needs crossings of stage s.
class RowLocality {
public:
  struct Place {
    Alignment alignment = Alignment::Uniform;
    unsigned source = 0; ///< one of the group; of entries, ids and counts the sparse sum itself
    unsigned stage = 0;
    bool isFolded = false; ///< entries and ids as [rows, k, ...], entry e at [e / k, e % k]: the parts of some sums
  };

  explicit RowLocality(FunctionOp apply);

  Place get(mlir::Value value) const { return places.lookup(value); }
  llvm::ArrayRef<RowSource> getSources() const { return sources; }
  /// The number of the group of a source.
  unsigned groupOf(unsigned source) const;
  /// What crosses, in program order of its first use.
  const llvm::SetVector<mlir::Value> &getCrossings() const { return crossings; }
  unsigned getNumStages() const { return numStages; }

  /// An argument with rows in the group whose dimensions are `shape`, or null.
  mlir::BlockArgument findLike(unsigned group, llvm::ArrayRef<int64_t> shape) const;

private:
  void addSources();
  void classify();
  void visit(mlir::Operation *op);
  void visitReturn(mlir::Operation *op);
  std::optional<Place> visitRowLocal(mlir::Operation *op);
  std::optional<Place> visitParallel(mlir::Operation *op);
  bool isRowByRow(mlir::Operation *op, const DimensionMapping &map, mlir::Value result, int64_t d) const;
  std::optional<Place> visitSize(SizeOp op);
  std::optional<Place> visitEnds(ConcatOp op);
  std::optional<Place> visitSelectIds(SelectOp op);
  std::optional<Place> visitBroadcast(BroadcastOp op);
  std::optional<Place> visitReshape(ReshapeOp op);
  std::optional<Place> visitRaggedRepeat(RaggedRepeatOp op);
  std::optional<Place> visitUpdateRows(UpdateRowsOp op);
  std::optional<Place> visitRows(GatherOp op);
  /// Crossings of what `op` uses; the stage after them.
  unsigned cross(mlir::Operation *op);
  void crossValue(mlir::Operation *op, mlir::Value value);
  void keepWhole(unsigned source, mlir::Operation *op);
  bool isSpread(mlir::Value value) const;
  bool is(mlir::Value value, Alignment alignment) const { return get(value).alignment == alignment; }
  void join(unsigned a, unsigned b) { parents[groupOf(a)] = groupOf(b); }
  std::optional<unsigned> findSource(llvm::StringRef name) const;

  FunctionOp apply;
  llvm::SmallVector<RowSource> sources;
  llvm::SmallVector<unsigned> parents;
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::SetVector<mlir::Value> crossings;
  /// Groups that need an argument of a shape.
  struct Need {
    unsigned source;
    llvm::SmallVector<int64_t> shape;
    mlir::Operation *op;
  };
  llvm::SmallVector<Need> needs;
  unsigned numStages = 1;
  bool changed = false;
};

} // namespace mlc::df

#endif // DIALECTS_DF_TRANSFORMS_ROWLOCALITY_H
