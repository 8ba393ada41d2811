// How long training tasks take for a step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/StepTimes.h"

#include <algorithm>
#include <cmath>

namespace mlcrt {

void StepTimes::add(int64_t step, int task, double seconds) {
  auto at = std::find_if(window_.rbegin(), window_.rend(), [step](const Step &each) { return each.number <= step; });
  if (at == window_.rend() || at->number != step) {
    if (at == window_.rend() && static_cast<int>(window_.size()) >= kWindow)
      return;
    at = std::make_reverse_iterator(
        window_.insert(at.base(), {step, std::vector<double>(static_cast<size_t>(tasks_), -1)}) + 1);
  }
  at->seconds[static_cast<size_t>(task)] = seconds;
  if (static_cast<int>(window_.size()) > kWindow)
    window_.pop_front();
}

double StepTimes::quantile(double q) const {
  std::vector<double> all;
  for (const Step &step : window_)
    std::copy_if(step.seconds.begin(), step.seconds.end(), std::back_inserter(all), [](double s) { return s >= 0; });
  auto at = all.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

std::optional<double> StepTimes::fence() const {
  if (steps() < kLeast)
    return std::nullopt;
  const double high = quantile(0.75);
  return high + std::max(1.5 * (high - quantile(0.25)), 0.1 * quantile(0.5));
}

std::optional<double> StepTimes::median() const {
  if (steps() < kLeast)
    return std::nullopt;
  return quantile(0.5);
}

std::vector<double> StepTimes::timesOf(const Step &step, double median) const {
  std::vector<double> times = step.seconds;
  std::replace_if(times.begin(), times.end(), [](double s) { return s < 0; }, median);
  std::sort(times.begin(), times.end());
  return times;
}

double StepTimes::dropRate(int b) const {
  const double middle = quantile(0.5);
  double sum = 0;
  for (const Step &step : window_)
    sum += timesOf(step, middle)[static_cast<size_t>(tasks_ - b - 1)];
  return static_cast<double>(tasks_ - b) * steps() / sum;
}

double StepTimes::redundantSeconds(int b) const {
  const double middle = quantile(0.5), late = *fence();
  double sum = 0;
  for (const Step &step : window_) {
    const std::vector<double> times = timesOf(step, middle);
    const auto first = std::upper_bound(times.begin(), times.end(), late);
    const auto helpers = first - times.begin(), numLate = times.end() - first;
    double longest = times.back();
    if (b > 0 && helpers > 0 && numLate > 0) {
      const double shards = static_cast<double>(shards_);
      const double round =
          std::ceil(static_cast<double>(std::min<std::ptrdiff_t>(b, numLate)) * shards / static_cast<double>(helpers)) *
          middle / shards;
      longest = *(first - 1);
      for (std::ptrdiff_t i = 0; i < numLate; ++i)
        longest = std::max(longest, std::min(first[i], late + static_cast<double>(i / b + 1) * round));
    }
    sum += longest;
  }
  return sum / steps();
}

int StepTimes::bestForDrop() const {
  if (steps() < kLeast)
    return 0;
  double best = 0;
  for (int b = 0; b <= tasks_ / 2; ++b)
    best = std::max(best, dropRate(b));
  int b = 0;
  while (dropRate(b) < 0.99 * best)
    ++b;
  return b;
}

int StepTimes::bestForRedundant() const {
  if (steps() < kLeast)
    return 0;
  double best = redundantSeconds(0);
  for (int b = 1; b <= tasks_ / 2; ++b)
    best = std::min(best, redundantSeconds(b));
  int b = 0;
  while (redundantSeconds(b) > 1.01 * best)
    ++b;
  return b;
}

} // namespace mlcrt
