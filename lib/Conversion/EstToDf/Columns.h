// From the columns of the input to ids and numbers: the feature columns of an entry. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_COLUMNS_H
#define LIB_CONVERSION_ESTTODF_COLUMNS_H

#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/Entry.h"
#include "lib/Conversion/EstToDf/TableStacks.h"

#include <map>
#include <optional>
#include <vector>

namespace mlc::est2df {

/// A variable that a body trains.
struct TrainedVariable {
  df::VariableOp variable;
  /// It is only gathered: its gradient is rows.
  bool gathered = false;
  /// The update has to do to rows without a gradient what that of tf does (sparse_update EXACT).
  bool exact = true;
  /// Its penalty on the weights, or null.
  est::RegularizerAttr regularizer;
  /// It holds vectors that an embedding learns, no weights of ids.
  bool isEmbedding = false;
};

/// What one optimizer moves: the variables of a body.
struct Part {
  est::OptimizerAttr optimizer;
  mlir::Location loc;
  llvm::SmallVector<TrainedVariable> variables;
  /// "linear" or "dnn".
  llvm::StringRef name;
  /// A row of the batch without a value gives row 0 of the part's exact tables a gradient of zeros, as in tf, which
  /// looks such a row up as id 0 and then drops what it found: the optimizer moves a row by that.
  bool absentMovesFirst = false;

  /// Whether tables may be one variable for the optimizer: where it looks at the norm of each variable, or adds up
  /// norms of several, that is a sum in another order.
  bool mayStackTables() const { return !optimizer.getClipByNorm() && !optimizer.getClipByGlobalNorm(); }
};

/// The steps of the rows of a batch, one row's after the other's.
struct Steps {
  /// [steps, dimension] of f32.
  mlir::Value values;
  /// Where each row's end: [rows].
  mlir::Value ends;
  /// The feature that has a value for each of them.
  est::FeatureOp feature;
};

/// Fails the step, with the row, where a row of `feature` has not as many values as `lengths`, [rows] of i64, says,
/// which are those of `of`. `what`: what its values are.
void checkLengths(Entry &entry, est::FeatureOp feature, llvm::StringRef what, mlir::Value lengths, est::FeatureOp of);

/// Lowers feature columns, each once per entry, whoever uses it.
class Columns {
public:
  explicit Columns(Entry &entry) : entry_(entry) {}

  /// A dense column as [n, dimension] of f32. A table that an embedding trains is added to `part`.
  mlir::Value dense(mlir::Value column, Part &part);
  /// Dense columns as a matrix of f32 that has them beside each other. Those that are alike are made together, and
  /// those that `stackEmbeddings` was given are taken from there.
  mlir::Value denseBeside(mlir::ValueRange columns, Part &part);
  /// A column of sequences, without padding. A table that an embedding trains is added to `part`.
  Steps sequence(mlir::Value column, Part &part);
  /// Declares, if it is not yet, the table of a dense column that has one. Those of `columns` that are alike are one.
  void stackEmbeddings(mlir::ValueRange columns, Part &part);
  void declareTable(mlir::Value column, Part &part);
  /// The rows of `table` that the ids of a categorical column name, joined for each row of the batch: [n, width]. A row
  /// without ids is all zeros, and is given to row 0 of the table as a gradient of zeros if `absentMovesFirst`. Rows of
  /// the table that are longer than `maxNorm` are scaled to it first.
  mlir::Value lookUp(df::VariableOp table, mlir::Value categorical, est::Combiner combiner, bool absentMovesFirst,
                     std::optional<double> maxNorm = std::nullopt);
  /// The same of several columns that have one id each, of which each has a table of the stack `table` is, beside each
  /// other: [n, columns * width].
  mlir::Value lookUpAll(df::VariableOp table, const TableStack &stack, bool absentMovesFirst);

  /// Notes, if `categorical` is a vocabulary, that rows of `variable` stand for its terms.
  void noteVocabulary(llvm::StringRef variable, mlir::Value categorical);

private:
  /// The ids of a categorical column; -1 is no value.
  struct Ids {
    /// [n] of all rows, one after the other.
    mlir::Value ids;
    /// Where each row's end; null where each row has `perRow`.
    mlir::Value ends;
    int64_t perRow = 1;
    /// Where there are ends: symbols of the features whose numbers of values in the row, and `factor`, multiply to that
    /// of its ids.
    llvm::SmallVector<int64_t, 2> symbols;
    int64_t factor = 1;
    /// [n] of f32, or null.
    mlir::Value weights;
    bool isSingle() const { return !ends && perRow == 1; }
  };
  /// A cross while it is folded: the hash of each combination, and the least of its terms' ids that may be no value.
  struct Cross {
    Ids hashes;
    mlir::Value least;
  };

  /// What lies beside others: columns [first, first + count) of `matrix`.
  struct Place {
    mlir::Value matrix;
    int64_t first = 0, count = 0;
  };
  mlir::Value take(const Place &place);

  Ids ids(mlir::Value column);
  /// The ids of columns that have one each, beside each other: [n, columns].
  mlir::Value idsBeside(llvm::ArrayRef<mlir::Value> columns);
  /// Ids that are looked up with `combiner`: those of weight <= 0 count for a sum only.
  Ids idsFor(mlir::Value column, est::Combiner combiner);
  /// The sum over each row's ids of what stands for them.
  mlir::Value sumOfRows(mlir::Value values, const Ids &of);
  mlir::Value combine(mlir::Value rows, const Ids &of, est::Combiner combiner);
  mlir::Value clip(mlir::Value rows, double maxNorm);
  mlir::Value gather(df::VariableOp table, mlir::Value ids);
  /// The same for ids from 0 on, but zeros where a row is not kept, whose gradient is one of zeros, too.
  mlir::Value gatherKept(df::VariableOp table, mlir::Value ids, mlir::Value isKept);

  mlir::Value numeric(est::NumericOp op);
  /// Numeric columns that are normalized alike, beside each other.
  mlir::Value numerics(llvm::ArrayRef<est::NumericOp> ops);
  mlir::Value indicator(est::IndicatorOp op);
  mlir::Value embedding(est::EmbeddingOp op, Part &part);
  /// The table of `op`, which `part` trains unless it is frozen.
  df::VariableOp declareTable(est::EmbeddingOp op, Part &part);
  /// What `op` has for each step of a sequence.
  mlir::Value embeddedSteps(est::EmbeddingOp op, Part &part);
  mlir::Value indicatedSteps(est::IndicatorOp op);
  /// The ids of all steps; ends are those of steps.
  Ids stepIds(est::StepsOp op);
  /// Notes what belongs to the table `name` of an embedding, by that name.
  void noteTable(est::EmbeddingOp op, llvm::StringRef name);
  /// Whether rows without ids move the first row of the table.
  static bool absentMovesFirst(est::EmbeddingOp op, const Part &part) {
    return part.absentMovesFirst && op.getSparseUpdate() == est::SparseUpdate::Exact && !op.getFrozen();
  }
  /// The ids of `feature` that are `values`.
  Ids idsOf(mlir::Value values, mlir::Value feature);
  mlir::Value bucketized(est::BucketizedOp op);
  mlir::Value vocabulary(est::VocabularyOp op);
  mlir::Value hashBucket(est::HashBucketOp op);
  mlir::Value identity(est::IdentityOp op);
  /// Identity columns without a default id, that have an id each, beside each other.
  mlir::Value identities(llvm::ArrayRef<est::IdentityOp> ops);
  Ids weighted(est::WeightedOp op);
  Ids crossed(est::CrossedOp op);
  /// Goes from each combination to those with the values of one more term.
  void extend(Cross &cross, const Ids &term, mlir::Value optionalIds);

  /// Features that are numbers as a matrix of `element`.
  mlir::Value cellsBeside(llvm::ArrayRef<mlir::Value> features, mlir::Type element);
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
  llvm::DenseMap<mlir::Value, mlir::Value> numbers_, cells_, fingerprints_, missing_;
  /// Dense columns, embeddings by the name of the part that trains their table.
  llvm::DenseMap<std::pair<mlir::Value, llvm::StringRef>, mlir::Value> columns_;
  /// Where those are that were looked up together, and their tables.
  llvm::DenseMap<std::pair<mlir::Value, llvm::StringRef>, std::pair<Place, std::string>> stacked_;
  llvm::DenseMap<mlir::Value, Ids> ids_;
  /// By columns.
  std::map<std::vector<const void *>, mlir::Value> numbersBeside_, idsBeside_;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_COLUMNS_H
