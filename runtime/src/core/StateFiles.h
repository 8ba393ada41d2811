//===- StateFiles.h - Where compiled code saves tensors to and loads them from ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_STATEFILES_H
#define MLCRT_CORE_STATEFILES_H

#include "absl/status/status.h"
#include "runtime/src/core/Tensor.h"

#include <string>
#include <vector>

namespace mlcrt {

/// A tensor of a file.
struct NamedTensor {
  std::string name;
  Tensor value;
};

/// Files of tensors. May be called from several threads at once.
class StateFiles {
public:
  virtual ~StateFiles() = default;
  /// Writes the file of this name, which then is whole and durable, or what it was before.
  virtual absl::Status save(const std::string &path, const std::vector<NamedTensor> &tensors) const = 0;
  /// Reads the values of tensors of these names, dtypes and shapes. Any error names the file, and the tensor that it
  /// lacks or has otherwise.
  virtual absl::Status load(const std::string &path, std::vector<NamedTensor> &tensors) const = 0;
};

} // namespace mlcrt

#endif // MLCRT_CORE_STATEFILES_H
