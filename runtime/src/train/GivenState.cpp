// Values of variables that the caller of a run gives.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/GivenState.h"

#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>

namespace mlcrt {

absl::Status writeGivenState(const GivenState &given, bool isEval, Program &program) {
  const std::vector<StoredArray> &arrays = given.values->arrays;
  for (const StateTensor &tensor : program.artifact().tensors()) {
    if (tensor.isEval() != isEval)
      continue;
    const auto found = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const StoredArray &array) { return array.name == tensor.value.name; });
    if (found == arrays.end() && isEval)
      continue;
    absl::Status status = absl::NotFoundError("there is none of that name");
    if (found != arrays.end()) {
      TensorView view;
      view.data = const_cast<char *>(found->bytes.data());
      view.dtype = found->dtype;
      view.dims.assign(found->shape.begin(), found->shape.end());
      status = program.state().write(tensor.value.name, view);
    }
    if (!status.ok()) {
      mlc::common::Message message =
          mlc::common::makeError("E0401", std::string("variable '") + tensor.value.name +
                                              "' of what is given: " + std::string(status.message()));
      message.expected = typeText(tensor.value);
      return messageStatus(absl::StatusCode::kInvalidArgument, message);
    }
  }
  return absl::OkStatus();
}

} // namespace mlcrt
