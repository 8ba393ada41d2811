// Sizes that do not overflow, and their text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine/MemoryNeed.h"

#include "common/machine/MachineLimits.h"

#include <algorithm>

namespace mlc::common {

int64_t addSizes(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t multiplySizes(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static std::string sizeText(int64_t bytes) {
  return (bytes == INT64_MAX ? "more than " : "") + bytesText(static_cast<double>(bytes));
}

std::string memoryText(const MemoryNeed &need) {
  std::string text = "state " + sizeText(need.state);
  if (need.workspace >= 0)
    text += ", workspace " + sizeText(need.workspace) + " at " + std::to_string(need.rows) +
            (need.rows == 1 ? " row" : " rows");
  text += ", checkpoint " + sizeText(need.checkpoint);
  if (need.deviceState >= 0)
    text += "; on the GPU: variables " + sizeText(need.deviceState) + ", workspace " +
            sizeText(std::max<int64_t>(need.deviceWorkspace, 0));
  return text;
}

} // namespace mlc::common
