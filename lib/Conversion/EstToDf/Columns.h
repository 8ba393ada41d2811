// From the columns of the input to ids and numbers: the feature columns of an entry. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_COLUMNS_H
#define LIB_CONVERSION_ESTTODF_COLUMNS_H

#include "lib/Conversion/EstToDf/Entry.h"

namespace mlc::est2df {

/// A variable that a body trains.
struct TrainedVariable {
  df::VariableOp variable;
  /// It is only gathered: its gradient is rows.
  bool gathered = false;
  /// The update has to do to rows without a gradient what a dense gradient of zeros would do (sparse_update EXACT).
  bool exact = true;
  /// Its penalty on the weights, or null.
  est::RegularizerAttr regularizer;
};

/// Lowers feature columns, each once per entry, whoever uses it.
class Columns {
public:
  explicit Columns(Entry &entry) : entry_(entry) {}

  /// A dense column as [n, dimension] of f32. A table that an embedding trains is added to `trained`.
  mlir::Value dense(mlir::Value column, llvm::SmallVectorImpl<TrainedVariable> &trained);
  /// A categorical column as [n] of ids, or, if its feature is multi-valued, as the ids of all values; -1 is no value.
  mlir::Value ids(mlir::Value column);
  /// What stands for each id of `categorical`, [ids, width], joined for each row of the batch: [n, width]. A row
  /// without ids is all zeros.
  mlir::Value combine(mlir::Value rows, mlir::Value categorical, est::Combiner combiner);

private:
  mlir::Value numeric(est::NumericOp op);
  mlir::Value indicator(est::IndicatorOp op);
  mlir::Value embedding(est::EmbeddingOp op, llvm::SmallVectorImpl<TrainedVariable> &trained);
  mlir::Value bucketized(est::BucketizedOp op);
  mlir::Value vocabulary(est::VocabularyOp op);
  mlir::Value hashBucket(est::HashBucketOp op);
  mlir::Value identity(est::IdentityOp op);
  mlir::Value crossed(est::CrossedOp op);

  /// A numeric feature as [n, its shape] of f32.
  mlir::Value number(mlir::Value feature);
  /// A feature of strings or integers as [n] of strings or i64.
  mlir::Value cells(mlir::Value feature);
  /// Fingerprints of cells.
  mlir::Value fingerprint(mlir::Value feature);
  /// Where a cell is missing: '' or -1.
  mlir::Value isMissing(mlir::Value feature);
  /// `ids`, and -1 where a cell of `feature` is missing.
  mlir::Value dropMissing(mlir::Value ids, mlir::Value feature);

  Entry &entry_;
  llvm::DenseMap<mlir::Value, mlir::Value> columns_, numbers_, cells_, fingerprints_, missing_;
};

/// The df initializer of a variable with the given fans; Glorot's depend on them.
mlir::Attribute convertInitializer(mlir::Attribute initializer, int64_t fanIn, int64_t fanOut);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_COLUMNS_H
