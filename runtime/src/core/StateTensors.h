//===- StateTensors.h - The tensors of the state, as names and files know them ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable is what segments, locks, pulls and servers work with. It may be several tensors (mlcrt_named_rows): what
// has names or outlives the process, such as checkpoints, exports, warm start and summaries, works with those.
#ifndef MLCRT_CORE_STATETENSORS_H
#define MLCRT_CORE_STATETENSORS_H

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Rows [begin, end) of a variable or a tensor.
struct RowRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
  /// The same rows, counted from row `first` on.
  RowRange from(int64_t first) const { return {begin - first, end - first}; }
  friend bool operator==(const RowRange &a, const RowRange &b) { return a.begin == b.begin && a.end == b.end; }
};

/// The rows that two ranges have in common; empty: none.
inline RowRange commonRows(RowRange a, RowRange b) {
  const int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// All rows of a variable; a scalar has one.
RowRange allRows(const mlcrt_variable &variable);
/// Bytes of a row of a variable; of a scalar all of it.
int64_t rowBytesOf(const mlcrt_value &value);

/// A variable, or named rows of one.
struct StateTensor {
  TensorSpec value;     ///< name, dtype and shape
  int32_t variable = 0; ///< index in the artifact
  RowRange rows;        ///< of the variable; a scalar has one
  int32_t flags = 0;    ///< the variable's
  int32_t slotOf = -1;  ///< index of the tensor that this is an optimizer slot of, or -1
  const char *slot = nullptr;

  bool isEval() const { return flags & MLCRT_VARIABLE_EVAL; }
  std::vector<int64_t> shape() const { return {value.dims.begin(), value.dims.end()}; }
  int64_t rowBytes() const { return rowBytesOf(value.value()); }
  /// Of its first byte in the variable's row-major value.
  int64_t offset() const { return rows.begin * rowBytes(); }
  int64_t bytes() const { return rows.size() * rowBytes(); }
};

/// All tensors of an artifact: in the order of its variables, those of one in the order of their rows.
class StateTensors {
public:
  /// Of a table that was checked, and that outlives this.
  explicit StateTensors(const mlcrt_artifact &table);

  int32_t size() const { return static_cast<int32_t>(tensors_.size()); }
  const StateTensor &operator[](int32_t index) const { return tensors_[static_cast<size_t>(index)]; }
  std::vector<StateTensor>::const_iterator begin() const { return tensors_.begin(); }
  std::vector<StateTensor>::const_iterator end() const { return tensors_.end(); }
  /// Index of the tensor of a name, or -1.
  int32_t find(std::string_view name) const;
  /// Index of the first tensor of a variable; of the number of variables: size().
  int32_t firstOf(int32_t variable) const { return first_[static_cast<size_t>(variable)]; }

private:
  std::vector<StateTensor> tensors_;
  std::vector<int32_t> first_; ///< by variable, and one more
  absl::flat_hash_map<absl::string_view, int32_t> byName_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_STATETENSORS_H
