// Whether transfers go on while gradients are computed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/OverlapChoice.h"

#include <algorithm>

namespace mlcrt {

static double medianOf(std::vector<double> &values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void OverlapChoice::choose() {
  const double ofOther = medianOf(seconds_[!kept_]), ofKept = medianOf(seconds_[kept_]);
  if (ofOther < kGain * ofKept)
    kept_ = !kept_;
  for (std::vector<double> &seconds : seconds_)
    seconds.clear();
}

void OverlapChoice::stepDone(Clock::time_point now) {
  if (!isMeasured_)
    return;
  const double took = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  const int64_t inTrial = steps_++ - trial_;
  if (inTrial >= 0 && inTrial % kTurn >= kSkipped)
    seconds_[isOn_].push_back(took);
  if (inTrial + 1 == kTurns * kTurn) {
    choose();
    trial_ = steps_ + kKept;
  }
  const int64_t next = steps_ - trial_;
  isOn_ = next < 0 ? kept_ : next / kTurn % 2 == 0;
}

} // namespace mlcrt
