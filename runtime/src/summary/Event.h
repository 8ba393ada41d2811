// Event protos in their wire format. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of tensorflow's event.proto and summary.proto the few fields that are written here; three small messages need no
// library that a trainer would have to bring along.
#ifndef MLCRT_SUMMARY_EVENT_H
#define MLCRT_SUMMARY_EVENT_H

#include "runtime/src/summary/Graph.h"
#include "runtime/src/summary/Histogram.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Values of one step under their tags: the proto Summary.
class Summary {
public:
  /// As simple_value (f32), which every TensorBoard reads.
  Summary &scalar(std::string_view tag, double value);
  Summary &histogram(std::string_view tag, const Histogram &values);

  /// Weights of the rows at thresholds from 0 to 1, evenly spaced: what the plugin pr_curves shows. All of one size.
  Summary &precisionRecall(std::string_view tag, const std::vector<double> &truePositives,
                           const std::vector<double> &falsePositives, const std::vector<double> &trueNegatives,
                           const std::vector<double> &falseNegatives);

  bool empty() const { return bytes_.empty(); }
  const std::string &bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// The events, serialized. `wallTime` is in seconds since 1970.
std::string versionEvent(double wallTime);
/// A session whose first step is `step`: readers drop what an earlier one left of that step and later ones.
std::string sessionStartEvent(double wallTime, int64_t step);
/// The graph of the model: the proto GraphDef.
std::string graphEvent(double wallTime, const std::vector<GraphNode> &nodes);
std::string summaryEvent(double wallTime, int64_t step, const Summary &summary);

/// A record of a TFRecord file: length, its masked CRC-32C, data, their masked CRC-32C.
std::string tfRecord(std::string_view data);

} // namespace mlcrt

#endif // MLCRT_SUMMARY_EVENT_H
