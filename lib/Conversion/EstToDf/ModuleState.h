// The symbols of the module that is built: variables, slots and vocabularies, each declared once. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_MODULESTATE_H
#define LIB_CONVERSION_ESTTODF_MODULESTATE_H

#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Est/IR/Est.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace mlc::est2df {

/// Declares symbols at their first use and finds them again: all entries build the same state. What is asked for twice
/// under one name has to be the same thing.
class ModuleState {
public:
  /// The vocabulary of the label, where there is one head.
  static constexpr llvm::StringLiteral kLabelTable = "label_vocabulary";

  /// Symbols go into `module`, before its functions.
  /// `backups`: names::kBackupInitializers of the estimator.
  explicit ModuleState(mlir::ModuleOp module, mlir::DictionaryAttr backups = {})
      : module_(module), backups_(backups), builder_(module.getContext()) {}

  /// Something of the module could not be built, of which an error has told.
  void fail() { ok_ = false; }
  bool ok() const { return ok_; }

  /// A variable of lifetime train. `initializer` is an attribute of df. `namedRows` are the tensors that it is, if it
  /// is several.
  df::VariableOp variable(llvm::StringRef name, mlir::RankedTensorType type, mlir::Attribute initializer,
                          bool trainable, mlir::Location loc, mlir::ArrayAttr namedRows = {});
  /// Notes that the tensor `name` of a variable that is several comes next among the tensors that are no slots, where a
  /// variable of its own would have been declared.
  void takesPlace(llvm::StringRef name) {
    if (placed_.insert(name).second)
      tensors_.push_back(name.str());
  }
  /// Those tensors by name, in that order; none if each is a variable, which are in it.
  llvm::ArrayRef<std::string> tensors() const;
  /// The slot `slot` of `variable`, called `<variable>/<suffix>`; every element starts at `start`.
  df::VariableOp slot(df::VariableOp variable, llvm::StringRef suffix, llvm::StringRef slot, double start);
  /// A scalar of f32 that an optimizer keeps for all of its variables, called `name`: a slot of the global step, so
  /// that it begins anew wherever slots do.
  df::VariableOp slotOfStep(llvm::StringRef name, double start, mlir::Location loc);
  /// A variable of lifetime eval, called `eval/<name>`, that starts at 0.
  df::VariableOp evalVariable(llvm::StringRef name, mlir::RankedTensorType type, mlir::Location loc);
  /// The variable `eval/<name>`, which is declared.
  df::VariableOp findEvalVariable(llvm::StringRef name) const;
  /// The variable `global_step`: i64, the number of steps done.
  df::VariableOp globalStep(mlir::Location loc);
  /// A vocabulary.
  df::VocabularyOp table(llvm::StringRef name, mlir::ArrayAttr terms, int64_t numOov, int64_t defaultValue,
                         mlir::Location loc);

  /// Notes that rows (axis 0) or columns (axis 1) of `variable` stand for the terms of `table`, then its OOV buckets.
  void standsFor(llvm::StringRef variable, int64_t axis, llvm::StringRef table);
  /// The same for the classes of the label, in the order of ClassLabels. Nothing is noted of the logits of several
  /// heads.
  void standsForClasses(llvm::StringRef variable, int64_t axis);
  /// Notes that `variable` is the table of the embedding whose settings begin with `path`.
  void startsAsSet(llvm::StringRef variable, llvm::StringRef path) { embeddings_[variable.str()] = path.str(); }
  /// The initializer, an attribute of est, that the variable `name` begins with instead of its own; null: its own.
  mlir::Attribute backupOf(llvm::StringRef name) const { return backups_ ? backups_.get(name) : mlir::Attribute(); }
  /// Fails if a variable that there is not has such an initializer.
  void checkBackups(mlir::Location loc);
  /// Notes that operations make the first value of `variable` as `initializer`, an attribute of est or the elements,
  /// says.
  void startsAs(df::VariableOp variable, mlir::Attribute initializer) {
    if (!backupOf(variable.getSymName()))
      starts_[variable] = initializer;
  }
  /// What was noted of first values.
  const llvm::MapVector<df::VariableOp, mlir::Attribute> &starts() const { return starts_; }
  /// What was noted of embeddings: [{"variable": "...", "setting": "feature_column.job_embedding.embedding"}].
  llvm::json::Array embeddings() const;
  /// What was noted of vocabularies that there are: [{"variable": "...", "axis": 0, "table": "..."}].
  llvm::json::Array vocabularies() const;

  /// The dimension symbol of a multi-valued feature's values.
  int64_t symbolOf(est::FeatureOp feature) {
    auto [place, isNew] = valueSymbols_.try_emplace(feature, numSymbols_ + 1);
    numSymbols_ += isNew;
    return place->second;
  }
  /// The dimension symbol of `factor` values for each combination of values of the features of `symbols` in a row.
  int64_t symbolOfProduct(llvm::ArrayRef<int64_t> symbols, int64_t factor, mlir::Location loc);

  /// #df.constant.
  mlir::Attribute constant(double value);
  mlir::ModuleOp module() { return module_; }

private:
  /// Moves the builder after the other symbols, before the functions.
  void goToSymbols();
  int64_t dimension(df::DimensionKind kind, llvm::ArrayRef<int64_t> terms, mlir::Location loc);
  df::VariableOp declare(llvm::StringRef name, mlir::RankedTensorType type, mlir::Attribute initializer, bool trainable,
                         df::Lifetime lifetime, df::VariableOp slotOf, llvm::StringRef slot, mlir::Location loc,
                         mlir::ArrayAttr namedRows = {});

  bool ok_ = true;
  mlir::ModuleOp module_;
  mlir::DictionaryAttr backups_;
  mlir::OpBuilder builder_;
  llvm::StringMap<mlir::Operation *> symbols_;
  /// (variable, axis) -> table.
  std::map<std::pair<std::string, int64_t>, std::string> vocabularies_;
  llvm::MapVector<df::VariableOp, mlir::Attribute> starts_;
  /// Variable -> path of its settings.
  std::map<std::string, std::string> embeddings_;
  std::vector<std::string> tensors_;
  llvm::StringSet<> placed_;
  bool hasStacks_ = false;
  llvm::DenseMap<mlir::Operation *, int64_t> valueSymbols_;
  int64_t numSymbols_ = 0;
};

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_MODULESTATE_H
