// Checks that lower a word in the device's memory, and updates that it holds back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_DEVICECHECKS_H
#define LIB_TARGET_CUDA_DEVICECHECKS_H

#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlc::cuda {

/// What each component of an index is to be below, as i64. None: it is not known where the check stands.
std::optional<llvm::SmallVector<mlir::Value>> boundsOf(kern::CheckIndicesOp check);

/// Whether a branch does nothing but fail the segment with an error that is contained (kern::kContainedAttr).
bool isContainedReport(mlir::scf::IfOp branch);
/// Whether a number decides on such branches, and is used for nothing else.
bool isForReports(mlir::Value number);
/// Whether elements of tensors are among what a number is computed of.
bool isOfData(mlir::Value number);

/// Makes checks kernels: of indices one that lowers the word where one is wrong, and one that makes indices which are
/// right of all; of other errors one that lowers the word.
class DeviceChecks {
public:
  /// `first`: the number of the first check.
  explicit DeviceChecks(int64_t first) : first(first) {}

  /// Expands the checks of a block, and of loops and branches in it. `error` is the word before it, a tensor<i64>;
  /// returns the word after it.
  mlir::Value expand(mlir::Block &block, mlir::Value error);

  /// What the checks say, in their order, which is that of the program.
  llvm::ArrayRef<std::string> messages() const { return texts; }

  /// Updates of rows, and the word before each: their ids may be wrong where it is lowered.
  llvm::ArrayRef<std::pair<kern::UpdateRowsOp, mlir::Value>> updates() const { return foundUpdates; }

private:
  mlir::Value expand(kern::CheckIndicesOp check, mlir::Value error);
  mlir::Value expand(mlir::scf::ForOp loop, mlir::Value error);
  mlir::Value expand(mlir::scf::IfOp branch, mlir::Value error);
  mlir::Value expandReport(mlir::scf::IfOp branch, mlir::Value error);
  /// What a check of this text lowers the word to.
  uint64_t add(std::string text);

  int64_t first;
  llvm::SmallVector<std::string> texts;
  llvm::SmallVector<std::pair<kern::UpdateRowsOp, mlir::Value>> foundUpdates;
};

/// Keeps what variables held where the word is set.
class Predication {
public:
  /// `error` is the word after all checks of `body`.
  Predication(mlir::Block &body, mlir::Value error);

  /// `value`, or `old` if the word is set. Ops that make `value` are changed to do so if they make it element by
  /// element and no check needs them; they may then stand before the word. Else all elements are selected.
  mlir::Value keep(mlir::Value value, mlir::Value old);

  /// Has an update, if `keep` has not changed it, update no rows where `word` is lowered, which stands before it.
  void holdBack(kern::UpdateRowsOp update, mlir::Value word);

private:
  mlir::Value keep(mlir::linalg::GenericOp generic, unsigned result, mlir::Value old);
  mlir::Value keep(kern::UpdateRowsOp update, unsigned result, mlir::Value old);
  mlir::Value keep(mlir::scf::ForOp loop, unsigned result, mlir::Value old);
  mlir::Value select(mlir::Value value, mlir::Value old);

  mlir::Block &body;
  mlir::Value error;
  llvm::DenseSet<mlir::Operation *> needed; ///< by the word
  llvm::DenseSet<mlir::Operation *> done;   ///< updates of rows and loops that know of it
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_DEVICECHECKS_H
