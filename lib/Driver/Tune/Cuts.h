// What trials reach over several validation cuts. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_TUNE_CUTS_H
#define LIB_DRIVER_TUNE_CUTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace mlc {

/// A metric by the step of its evaluation.
using Curve = std::map<int64_t, double>;

/// How many cuts tell settings apart where one holds out so many rows: of few rows a difference is one of chance.
int64_t cutsFor(int64_t heldOut);
/// How many others, which have chosen nothing, the best trials and the spec are compared on.
int64_t checkCutsFor(int64_t cuts);

/// What a trial reaches over its cuts: the metric of each at one step, which is the best for their mean. The best step
/// of each cut by itself would be the better the more the metric varies.
struct CutValues {
  int64_t step = 0;
  std::vector<double> values;
  double mean() const;
};
/// None if a cut was never evaluated. Cuts without a step in common count by their last ones.
std::optional<CutValues> valuesOverCuts(const std::vector<Curve> &curves, bool isGreaterBetter);

/// By how much a trial is better than another on the same cuts, and the standard error of that.
struct Advantage {
  double mean = 0, error = 0;
  bool isSure() const { return mean > error; }
};
/// `share`: of the rows, that a cut holds out. Cuts train on mostly the same rows: their differences vary less than
/// those of independent tables do, and the error is that of Nadeau and Bengio (2003), which counts this. 0 of one cut.
Advantage advantage(const CutValues &trial, const CutValues &other, bool isGreaterBetter, double share);

} // namespace mlc

#endif // LIB_DRIVER_TUNE_CUTS_H
