// Metrics of a model of several heads. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are called "<metric>/<head>", and "loss/<head>" is there for each head.
#ifndef MLCRT_TRAIN_HEADMETRICS_H
#define MLCRT_TRAIN_HEADMETRICS_H

#include "runtime/src/train/Evaluation.h"

#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The heads, in the order of their metrics; none of a model of one.
std::vector<std::string> headsOf(const std::vector<Metric> &metrics);

/// `name` without "/<head>" after it; empty if it has not that.
std::string_view withoutHead(std::string_view name, std::string_view head);

/// The metrics of a head, under the names that those of a model of one have.
std::vector<Metric> metricsOfHead(const std::vector<Metric> &metrics, std::string_view head);

} // namespace mlcrt

#endif // MLCRT_TRAIN_HEADMETRICS_H
