// Comparing trials over several validation cuts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Tune/Cuts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlc;

/// Rows, over all cuts, that a choice goes by; and cuts, of which fewer than three have no error worth the name.
static constexpr int64_t kWantedRows = 1000, kLeastCuts = 3, kMostCuts = 5;

int64_t mlc::cutsFor(int64_t heldOut) {
  if (heldOut >= kWantedRows)
    return 1;
  return std::clamp((kWantedRows - 1) / std::max<int64_t>(heldOut, 1) + 1, kLeastCuts, kMostCuts);
}

int64_t mlc::checkCutsFor(int64_t cuts) { return std::max(cuts, kLeastCuts); }

double CutValues::mean() const {
  double sum = 0;
  for (double value : values)
    sum += value;
  return sum / static_cast<double>(values.size());
}

std::optional<CutValues> mlc::valuesOverCuts(const std::vector<Curve> &curves, bool isGreaterBetter) {
  if (curves.empty() || llvm::any_of(curves, [](const Curve &curve) { return curve.empty(); }))
    return std::nullopt;
  std::optional<CutValues> best;
  for (const auto &entry : curves.front()) {
    CutValues at{entry.first, {}};
    for (const Curve &curve : curves)
      if (auto found = curve.find(entry.first); found != curve.end())
        at.values.push_back(found->second);
    if (at.values.size() == curves.size() &&
        (!best || (isGreaterBetter ? at.mean() > best->mean() : at.mean() < best->mean())))
      best = std::move(at);
  }
  if (best)
    return best;
  CutValues last;
  for (const Curve &curve : curves) {
    last.step = std::max(last.step, curve.rbegin()->first);
    last.values.push_back(curve.rbegin()->second);
  }
  return last;
}

Advantage mlc::advantage(const CutValues &trial, const CutValues &other, bool isGreaterBetter, double share) {
  Advantage result;
  const size_t cuts = std::min(trial.values.size(), other.values.size());
  const double count = static_cast<double>(cuts);
  std::vector<double> differences;
  for (size_t i = 0; i < cuts; ++i) {
    const double more = trial.values[i] - other.values[i];
    differences.push_back(isGreaterBetter ? more : -more);
    result.mean += differences.back() / count;
  }
  if (cuts < 2)
    return result;
  double squares = 0;
  for (double difference : differences)
    squares += (difference - result.mean) * (difference - result.mean);
  result.error = std::sqrt(squares / (count - 1) * (1 / count + share / (1 - share)));
  return result;
}
