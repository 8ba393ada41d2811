// Metrics of a model of several heads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/HeadMetrics.h"

namespace mlcrt {

std::vector<std::string> headsOf(const std::vector<Metric> &metrics) {
  constexpr std::string_view kPrefix = "loss/";
  std::vector<std::string> heads;
  for (const Metric &metric : metrics) {
    const std::string_view name = metric.name;
    if (name.size() > kPrefix.size() && name.substr(0, kPrefix.size()) == kPrefix)
      heads.emplace_back(name.substr(kPrefix.size()));
  }
  return heads;
}

std::string_view withoutHead(std::string_view name, std::string_view head) {
  if (name.size() < head.size() + 2)
    return {};
  const size_t end = name.size() - head.size() - 1;
  return name[end] == '/' && name.substr(end + 1) == head ? name.substr(0, end) : std::string_view();
}

std::vector<Metric> metricsOfHead(const std::vector<Metric> &metrics, std::string_view head) {
  std::vector<Metric> own;
  for (const Metric &metric : metrics)
    if (const std::string_view name = withoutHead(metric.name, head); !name.empty()) {
      own.push_back(metric);
      own.back().name = name;
    }
  return own;
}

} // namespace mlcrt
