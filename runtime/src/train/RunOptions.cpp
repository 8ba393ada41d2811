// What a run is asked for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/RunOptions.h"

#include "runtime/src/core/ThreadPool.h"

namespace mlcrt {

int RunOptions::threadCount() const {
  return threads > 0 ? threads : static_cast<int>(ThreadPool::availableProcessors());
}

std::string RunOptions::commandFor(const std::string &verb) const {
  std::string text = calledAs;
  const size_t at = text.find("VERB");
  return at == std::string::npos ? text : text.replace(at, 4, verb);
}

} // namespace mlcrt
