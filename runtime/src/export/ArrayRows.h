// Rows given as arrays, as what the entry of an exported model takes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_ARRAYROWS_H
#define MLCRT_EXPORT_ARRAYROWS_H

#include "absl/status/statusor.h"
#include "runtime/src/export/ExportedModel.h"
#include "runtime/src/input/Dataset.h"

#include <memory>

namespace mlcrt {

/// A batch of rows whose inputs are arrays in memory, read as arrays of a data set are: no value is parsed, none is
/// missing.
class ArrayRows {
public:
  /// `arrays` has one for each input of the model, named for it, of its dtype and shape, [rows, ...]; of a multi-valued
  /// one as ArrayPart has them. All rows do without an optional input that is not there. At least one is there. Other
  /// arrays are not read. Errors as ArrayTable::bind and ArrayTable::gather; kDataLoss: an input is missing.
  static absl::StatusOr<ArrayRows> create(const ExportedModel &model, const MemoryArrays &arrays);

  /// What the entry takes, as long as this and `arrays` live.
  const BatchView &view() const { return view_; }
  /// A data error of compiled code with the number of its row; another status as it is.
  absl::Status locate(const absl::Status &status) const { return mlcrt::locate(status, *dataset_, *batch_); }

private:
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<Batch> batch_;
  BatchView view_;
};

} // namespace mlcrt

#endif // MLCRT_EXPORT_ARRAYROWS_H
