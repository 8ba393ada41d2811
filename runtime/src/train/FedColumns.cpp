// Arrays in the place of columns of a batch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/FedColumns.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/input/BatchReader.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlcrt {

/// Whether a feature of this name is made of the array `name`: it itself, or where its values end.
static bool isMadeOf(std::string_view feature, std::string_view name) {
  return feature == name || (feature.size() > name.size() && feature.substr(0, name.size()) == name &&
                             feature.substr(name.size()) == MLCRT_ENDS_SUFFIX);
}

absl::Status FedColumns::apply(BatchView &view) {
  absl::StatusOr<std::shared_ptr<const MemoryArrays>> arrays = feeder_();
  if (!arrays.ok())
    return arrays.status();
  arrays_ = *std::move(arrays);
  return arrays_ && !arrays_->arrays.empty() ? replace(view) : absl::OkStatus();
}

absl::Status FedColumns::replace(BatchView &view) {
  const mlcrt_artifact &table = artifact_.table();
  std::vector<TensorSpec> wanted;
  std::vector<int32_t> features;
  MemoryArrays used;
  used.name = arrays_->name;
  for (const StoredArray &array : arrays_->arrays) {
    bool isKnown = false, isRead = false;
    for (int32_t f = 0; f < table.num_features; ++f) {
      if (!isMadeOf(table.features[f].name, array.name))
        continue;
      isKnown = true;
      if (view.features[f].dims.empty())
        continue; // the entry does not read it
      isRead = true;
      wanted.emplace_back(table.features[f]);
      features.push_back(f);
    }
    if (!isKnown)
      return dataError({arrays_->name}, data_code::kFeature,
                       absl::StrCat("the model has no feature '", array.name, "'"));
    if (!isRead)
      continue;
    if (array.rows() != view.rows)
      return dataError({arrays_->name}, data_code::kFeature,
                       absl::StrCat("array '", array.name, "' has ", array.rows(), " examples"),
                       absl::StrCat(view.rows, ", as the batch has"));
    used.arrays.push_back(array);
  }
  if (wanted.empty() || view.rows == 0)
    return absl::OkStatus();
  ArrayTable arrays = ArrayTable::ofMemory(used, ArrayTable::Checksum::None);
  if (absl::Status status = arrays.bind(wanted, format_); !status.ok())
    return status;
  wanted = arrays.features();
  dataset_ = Dataset::ofArrays(std::move(arrays), wanted);
  batch_ = std::make_unique<Batch>();
  BatchOptions options;
  options.batchSize = view.rows;
  BatchReader reader(*dataset_, options);
  reader.prepare(*batch_);
  if (absl::Status status = reader.read({}, *batch_); !status.ok())
    return status;
  for (size_t i = 0; i < features.size(); ++i)
    view.features[features[i]] = batch_->columns()[i];
  // A matrix is made anew of its columns, which lie apart now.
  for (int64_t m = 0; m < table.num_matrices && m < static_cast<int64_t>(view.matrices.size()); ++m)
    for (int64_t c = 0; c < table.matrices[m].num_columns; ++c)
      if (std::find(features.begin(), features.end(), table.matrices[m].columns[c].feature) != features.end())
        view.matrices[m] = TensorView{};
  return absl::OkStatus();
}

} // namespace mlcrt
