// The weights of an export, as they lie in their file. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_MAPPEDWEIGHTS_H
#define MLCRT_EXPORT_MAPPEDWEIGHTS_H

#include "absl/status/statusor.h"
#include "runtime/src/core/RowFeed.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

/// Large variables of a file of weights, mapped: pages are read as they are needed, and the system's to drop. Small
/// ones, those of code for a device, and variables whose tensors do not lie one after another in the file, are read to
/// the state.
class MappedWeights : public RowSource {
public:
  /// kDataLoss: a tensor is missing or of another type; else as SafetensorsReader::open.
  static absl::StatusOr<std::unique_ptr<MappedWeights>> open(const std::string &path, const Artifact &artifact,
                                                             State &state);
  ~MappedWeights() override;
  MappedWeights(const MappedWeights &) = delete;
  MappedWeights &operator=(const MappedWeights &) = delete;

  bool has(int32_t) const override { return false; }
  absl::Status readRows(int32_t, const std::vector<int64_t> &, char *) override { return absl::OkStatus(); }
  void place(EntryRunner &runner) const override;

private:
  MappedWeights() = default;
  absl::Status map(const std::string &path, int64_t size);

  char *pages_ = nullptr;
  size_t bytes_ = 0;
  std::vector<std::pair<int32_t, int64_t>> variables_; ///< and their offsets in the file
};

} // namespace mlcrt

#endif // MLCRT_EXPORT_MAPPEDWEIGHTS_H
