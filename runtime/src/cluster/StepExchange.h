// What a training task exchanges with servers in a step, while it computes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_STEPEXCHANGE_H
#define MLCRT_CLUSTER_STEPEXCHANGE_H

#include "runtime/src/cluster/StateCalls.h"
#include "runtime/src/core/TrainStep.h"

#include <functional>
#include <memory>
#include <vector>

namespace mlcrt {

/// Whether transfers go on while gradients are computed.
struct OverlapOptions {
  bool isOn = true;
  /// Smaller messages are sent, and awaited, whole: bytes.
  int64_t least = StateCalls::kLarge;
  /// Whether that is chosen by the time of steps (OverlapChoice), beginning so.
  bool isMeasured = false;
};

/// The sums of a step to all servers and their replies, one message each way. Sums are sent as they become final, in
/// the artifact's order; variables of the step before are awaited when they are read. Used by one thread.
class StepExchange : public ShardStep::Watch {
public:
  /// Sends a request to a server: its payload, and after it `rest`, if there is one (StateCalls::start).
  using Send = std::function<void(size_t server, std::vector<Slice> payload, std::shared_ptr<PayloadStream> rest)>;

  /// `before`: the calls of the step before, whose variables may be on their way; null: all variables are here. All
  /// references outlive this.
  StepExchange(const Artifact &artifact, std::deque<ServerTensors> &servers, const StateCalls::Wanted &wanted,
               const OverlapOptions &options, StateCalls *before);
  /// Gives up what is not pushed, and waits for the end of calls.
  ~StepExchange() override;

  /// What follows is sums of `nodes` nodes of a batch with these symbols, and the numbers of `rows`.
  void begin(Send send, const Symbols &symbols, int64_t nodes, const TableIds &rows);
  /// After that: bytes of the request to a server at most.
  int64_t mostBytes(size_t server) const { return requests_[server].most; }
  /// All sums of a node.
  void add(const SumSet &sums);
  absl::Status await(int32_t variable) override {
    return before_ ? before_->awaitVariable(variable) : absl::OkStatus();
  }
  void done(const SumSet &sums, int32_t sum) override;
  /// After the last sum: the rest of the requests, with the rows that are asked for. First all variables of the step
  /// before must be here, as servers change them once they have all sums.
  absl::Status push(const TableIds &rows);
  /// Sends again what failed.
  void pushAgain();

  StateCalls &calls() { return calls_; }
  /// Bytes of the requests.
  int64_t pushedBytes() const { return pushed_; }

private:
  struct Request {
    std::vector<Slice> payload; ///< all of it so far
    int64_t most = 0;           ///< bytes that it may become
    bool isStreamed = false;
    std::shared_ptr<PayloadStream> stream; ///< once there is something to send
  };
  void send(size_t server, std::vector<Slice> slices);

  const Artifact &artifact_;
  std::deque<ServerTensors> &servers_;
  const OverlapOptions options_;
  StateCalls *before_;
  StateCalls calls_;
  Send send_;
  std::vector<Request> requests_;
  /// Of the node that is watched: the sets of sums that are final, by sum; those before next_ were sent.
  std::vector<const SumSet *> final_;
  int32_t next_ = 0;
  std::vector<bool> isPart_; ///< goes with "t.ids"
  bool isPushed_ = false;
  int64_t pushed_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_STEPEXCHANGE_H
