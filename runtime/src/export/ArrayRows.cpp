// Rows given as arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/ArrayRows.h"

#include "runtime/src/input/BatchReader.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <string>
#include <vector>

namespace mlcrt {

namespace {
/// Arrays of values that each row has.
class RepeatedValues {
public:
  explicit RepeatedValues(int64_t rows) : rows_(rows) {}

  /// `values` in each row, of the shape `shape`.
  StoredArray add(const std::string &name, mlcrt_dtype dtype, std::vector<int64_t> shape, const char *values,
                  int64_t bytes) {
    Memory &memory = memory_.emplace_back(static_cast<size_t>((rows_ * bytes + kWord - 1) / kWord));
    char *out = reinterpret_cast<char *>(memory.data());
    for (int64_t row = 0; row < rows_ && bytes > 0; ++row)
      std::memcpy(out + row * bytes, values, static_cast<size_t>(bytes));
    StoredArray array;
    array.name = name;
    array.dtype = dtype;
    array.shape = std::move(shape);
    array.shape.insert(array.shape.begin(), rows_);
    array.elementBytes = dtypeSize(dtype);
    if (dtype == MLCRT_STRING)
      array.texts = reinterpret_cast<const mlcrt_string *>(out);
    else
      array.bytes = {out, static_cast<size_t>(rows_ * bytes)};
    return array;
  }

private:
  static constexpr int64_t kWord = sizeof(int64_t); // as aligned as any element
  using Memory = std::vector<int64_t>;
  int64_t rows_;
  std::list<Memory> memory_;
};
} // namespace

/// The arrays of a column that is not given: what rows without it have.
static absl::Status addMissing(const RowLayout &layout, int index, RepeatedValues &repeated,
                               std::vector<StoredArray> &arrays) {
  absl::StatusOr<ValueList> values = layout.missingValues(index);
  if (!values.ok())
    return values.status();
  const InputColumn &column = layout.column(index);
  const int64_t size = dtypeSize(column.dtype);
  if (!column.multiValue) {
    arrays.push_back(repeated.add(column.name, column.dtype, column.shape, values->data(), column.elements() * size));
    return absl::OkStatus();
  }
  const int64_t count = values->size();
  arrays.push_back(repeated.add(column.name, column.dtype, {count}, values->data(), count * size));
  if (values->weights())
    arrays.push_back(repeated.add(column.name + MLCRT_WEIGHT_SUFFIX, MLCRT_F32, {count},
                                  reinterpret_cast<const char *>(values->weights()),
                                  count * static_cast<int64_t>(sizeof(float))));
  return absl::OkStatus();
}

absl::StatusOr<ArrayRows> ArrayRows::create(const ExportedModel &model, const MemoryArrays &given) {
  const RowLayout &layout = *model.layout;
  const auto isGiven = [&](const std::string &name) {
    return std::any_of(given.arrays.begin(), given.arrays.end(),
                       [&](const StoredArray &array) { return array.name == name; });
  };
  MemoryArrays all = given;
  auto repeated = std::make_shared<RepeatedValues>(given.arrays.empty() ? 0 : given.arrays.front().rows());
  for (int i = 0; i < layout.size(); ++i)
    if (!isGiven(layout.column(i).name))
      if (absl::Status status = addMissing(layout, i, *repeated, all.arrays); !status.ok())
        return status;
  // Both owners: of the arrays given and of these.
  all.owner =
      std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(given.owner, repeated);
  const mlcrt_artifact &table = model.artifact->table();
  const std::vector<bool> used = model.artifact->usedFeatures(*model.entry);
  std::vector<TensorSpec> wanted;
  std::vector<size_t> features;
  for (size_t f = 0; f < used.size(); ++f)
    if (used[f]) {
      wanted.emplace_back(table.features[f]);
      features.push_back(f);
    }
  ArrayTable arrays = ArrayTable::ofMemory(all, ArrayTable::Checksum::None);
  if (absl::Status status = arrays.bind(wanted, model.input ? &*model.input : nullptr); !status.ok())
    return status;
  wanted = arrays.features();
  const int64_t count = arrays.rows();
  ArrayRows rows;
  rows.dataset_ = Dataset::ofArrays(std::move(arrays), wanted);
  rows.batch_ = std::make_unique<Batch>();
  BatchOptions options;
  options.batchSize = count;
  BatchReader reader(*rows.dataset_, options);
  reader.prepare(*rows.batch_);
  if (absl::Status status = reader.read({}, *rows.batch_); !status.ok())
    return status;
  rows.view_.rows = count;
  rows.view_.features.resize(used.size());
  for (size_t i = 0; i < features.size(); ++i)
    rows.view_.features[features[i]] = rows.batch_->columns()[i];
  return rows;
}

} // namespace mlcrt
