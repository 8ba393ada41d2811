// What a run of train shows of itself while it goes on. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_OBSERVABILITY_H
#define MLCRT_TRAIN_OBSERVABILITY_H

#include "runtime/src/train/MetricsServer.h"
#include "runtime/src/train/TrainRun.h"

#include <memory>
#include <string>
#include <utility>

namespace mlcrt {

/// The timeline and the endpoint of metrics of a task, from here to the end of this object.
class Observability {
public:
  /// Opens what --timeline, --timeline_steps and --metrics_port ask for; `role` and `index` are the task's.
  /// kInvalidArgument: E0203 for values, E0405 for a timeline that cannot be written, E0412 for a port.
  static absl::StatusOr<std::unique_ptr<Observability>> open(RunContext &context, const std::string &role,
                                                             int64_t index);
  ~Observability();

private:
  explicit Observability(std::shared_ptr<RunObservation> run) : run_(std::move(run)) {}
  absl::Status openTimeline(const RunContext &context, const std::string &role, int64_t index);
  absl::Status openMetrics(RunContext &context, const std::string &role, int64_t index);

  const std::shared_ptr<RunObservation> run_;
  bool hasTimeline_ = false; ///< it is this one's
  std::unique_ptr<MetricsServer> server_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_OBSERVABILITY_H
