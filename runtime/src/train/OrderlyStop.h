// A task that others wait for is told to stop. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_ORDERLYSTOP_H
#define MLCRT_TRAIN_ORDERLYSTOP_H

#include "runtime/proto/cluster.pb.h"
#include "runtime/src/core/StopToken.h"

#include "absl/status/status.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace mlcrt {

/// Looks at a token on a thread of its own. When it stops this task it asks the chief to save and to end the
/// run, which the task goes on with until then; when the chief cannot be asked, or takes longer than the grace, nobody
/// waits for it any more.
class OrderlyStop {
public:
  /// Asks the chief. Called by the thread until it succeeds, or says with kCancelled that nobody waits for the task.
  using Ask = std::function<absl::Status(const cluster::StopRequest &request)>;
  /// `token` outlives this. `giveUp` ends what the task waits for; called once, when isOver() holds.
  OrderlyStop(const StopToken &token, std::string task, std::chrono::milliseconds grace, Ask ask,
              std::function<void()> giveUp);
  ~OrderlyStop();
  OrderlyStop(const OrderlyStop &) = delete;
  OrderlyStop &operator=(const OrderlyStop &) = delete;

  /// Whether the task leaves now, though the run goes on.
  bool isOver() const;

private:
  void run();
  /// Sleeps; false: this is being destroyed.
  bool pause(std::chrono::milliseconds time);

  const StopToken &token_;
  const std::string task_;
  const std::chrono::milliseconds grace_;
  const Ask ask_;
  const std::function<void()> giveUp_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool isStopped_ = false, isOver_ = false;
  std::thread thread_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_ORDERLYSTOP_H
