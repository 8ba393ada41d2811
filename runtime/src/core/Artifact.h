//===- Artifact.h - A loaded or linked-in artifact whose table has been checked -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_ARTIFACT_H
#define MLCRT_CORE_ARTIFACT_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/StateTensors.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Whether the code of an artifact may be run here.
enum class CpuCheck { Required, Skip };

/// Read access to the table of an artifact. Everything it points to has been checked: indices, ranks, dtypes, roles,
/// names, and that no segment reads what has not been written.
class Artifact {
public:
  /// Loads a shared object. kNotFound: no such file; kDataLoss: not an artifact, or a bad table; kFailedPrecondition:
  /// another ABI version, or the processor lacks a feature.
  static absl::StatusOr<std::shared_ptr<const Artifact>> open(const std::string &path,
                                                              CpuCheck cpu = CpuCheck::Required);
  /// Wraps a table that is linked in (or made by a test); it must outlive the result. `origin` stands for the file in
  /// messages. CpuCheck::Skip serves tools that only look at the table.
  static absl::StatusOr<std::shared_ptr<const Artifact>> fromTable(const mlcrt_artifact *table,
                                                                   const std::string &origin = "linked-in artifact",
                                                                   CpuCheck cpu = CpuCheck::Required);
  ~Artifact();
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  /// The table; fields that the artifact's minor version does not have are zero.
  const mlcrt_artifact &table() const { return table_; }
  /// Path, or what fromTable was given.
  const std::string &origin() const { return origin_; }

  /// The entry of a role, or null. Not for MLCRT_ROLE_OTHER.
  const mlcrt_entry *entry(mlcrt_role role) const;
  /// Whether it evaluates or predicts and does not train: such a one may have a part of a model's state alone
  /// (RunOptions::partOfState).
  bool onlyReadsState() const {
    return !entry(MLCRT_ROLE_TRAIN) && !entry(MLCRT_ROLE_TRAIN_GRAD) &&
           (entry(MLCRT_ROLE_PREDICT) || entry(MLCRT_ROLE_EVAL_UPDATE));
  }
  /// The entry of a name, or null.
  const mlcrt_entry *entry(std::string_view name) const;
  /// kInvalidArgument naming the roles that the artifact lacks and what it has.
  absl::Status require(std::initializer_list<mlcrt_role> roles) const;
  /// Index into table().features / variables / settings, or -1. What users call the state are tensors().
  int32_t featureIndex(std::string_view name) const;
  int32_t variableIndex(std::string_view name) const;
  int32_t settingIndex(std::string_view path) const;
  /// For each feature, whether `entry` needs it: a batch may leave the others out (data null). It needs those that its
  /// segments, and of an entry in parts all of them, read, and the ends of those that are multi-valued.
  std::vector<bool> usedFeatures(const mlcrt_entry &entry) const;
  /// Number of dimension symbols: the largest that occurs plus one, at least one.
  int32_t symbolCount() const { return static_cast<int32_t>(endsOfSymbol_.size()); }
  /// The feature with the ends of rows for features whose first dimension is `symbol` (>= 0), or -1: `symbol` is the
  /// number of rows, or the first dimension of none.
  int32_t endsOfSymbol(int32_t symbol) const { return endsOfSymbol_[symbol]; }

  /// What checkpoints, exports and messages call the state.
  const StateTensors &tensors() const { return tensors_; }

  /// Name of a role: "train", "eval_update", ...
  static std::string_view roleName(int32_t role);

private:
  Artifact(const mlcrt_artifact &table, std::string origin, void *handle);
  mlcrt_artifact table_;
  std::string origin_;
  void *handle_; // of dlopen, or null
  std::vector<int32_t> endsOfSymbol_;
  StateTensors tensors_;
};

/// The symbol that is the first dimension of `value`, or -1.
inline int32_t firstSymbol(const mlcrt_value &value) {
  return value.rank > 0 && value.dims[0] < 0 && value.dims[0] != MLCRT_DIM_OF_CALL
             ? static_cast<int32_t>(-1 - value.dims[0])
             : -1;
}
/// Calls `use` with each feature that an operand reads.
template <typename Fn> void forEachFeature(const mlcrt_artifact &table, const mlcrt_operand &operand, Fn use) {
  if (operand.source == MLCRT_SOURCE_FEATURE)
    use(operand.index);
  if (operand.source == MLCRT_SOURCE_MATRIX)
    for (int64_t c = 0; c < table.matrices[operand.index].num_columns; ++c)
      use(table.matrices[operand.index].columns[c].feature);
}
/// Whether a segment of init writes rows of its one variable, from the context's first row on.
bool writesRows(const mlcrt_segment &segment);
/// The feature whose name is that of `feature` (index) and ".ends", or -1.
int32_t findEnds(const mlcrt_artifact &table, int32_t feature);

/// Checks everything that Artifact promises but versions and processor; kDataLoss says what is wrong and where.
/// `table.struct_size` covers the whole of mlcrt_artifact.
absl::Status checkTable(const mlcrt_artifact &table);

} // namespace mlcrt

#endif // MLCRT_CORE_ARTIFACT_H
