// Who may talk to whom: tasks of one job that run one artifact. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_HANDSHAKE_H
#define MLCRT_CLUSTER_HANDSHAKE_H

#include "common/cluster/TfConfig.h"
#include "runtime/proto/cluster.pb.h"
#include "runtime/src/cluster/Transport.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace mlcrt {

/// Changes whenever a message does.
constexpr uint32_t kClusterProtocol = 9;

/// "worker 1".
std::string taskName(const std::string &role, int64_t index);

/// Serialized control parts.
template <typename Control> OutgoingMessage makeMessage(const Control &control) {
  OutgoingMessage message;
  control.SerializeToString(&message.control);
  return message;
}
/// kInvalidArgument if the control part is not one of that kind.
template <typename Control> absl::Status parseControl(const IncomingMessage &message, Control &control) {
  if (control.ParseFromString(message.control()))
    return absl::OkStatus();
  return absl::InvalidArgumentError("a message whose control part cannot be read");
}

/// The tasks that a service has let in, by session.
class Sessions {
public:
  struct Task {
    std::string role;
    int64_t index = 0;
    uint64_t incarnation = 0;

    std::string name() const { return taskName(role, index); }
  };

  /// `self`: what this task would say of itself; a peer must say the same but for who it is. `knowsPeers`: who calls
  /// has shown a token or a certificate, and may be told what this task has where they differ.
  Sessions(cluster::HelloRequest self, const mlc::common::TfConfig &config, bool knowsPeers = false)
      : self_(std::move(self)), config_(config), knowsPeers_(knowsPeers) {}

  /// `refused` is told of a task of the cluster that differs, while no other of its name is here: without it there is
  /// no run. Not if whoever calls may be anybody. Before calls come.
  void onRefused(std::function<void(const std::string &task, const absl::Status &why)> refused) {
    refused_ = std::move(refused);
  }
  /// A task may come again as another process when the one before is gone, as `isGone` says: that one's session is void
  /// from then on. `admitted` is told of each task that is let in before it hears of that, and whether it was here
  /// before. Before calls come.
  void letReturn(std::function<bool(const std::string &task)> isGone,
                 std::function<void(const std::string &task, bool isAgain)> admitted) {
    isGone_ = std::move(isGone);
    admitted_ = std::move(admitted);
  }
  /// The reply to a hello. kFailedPrecondition names what differs (fingerprint, protocol, CPU level, a setting by path;
  /// of a training task the order of sums, from that of the first one) and both values; kPermissionDenied a task that
  /// is not of the cluster, kAlreadyExists one that is there under another incarnation and not gone.
  absl::StatusOr<cluster::HelloReply> admit(const cluster::HelloRequest &hello);
  /// Answers a call of method "hello"; a server says what credit the task has. Nobody who is not known is told more of
  /// this task than which of its own claims does not hold.
  void hello(const IncomingMessage &request, const Reply &reply, std::optional<int64_t> credit = std::nullopt);
  /// Who a session is of; kNotFound if it is of nobody: this task was started after it.
  absl::StatusOr<Task> find(uint64_t session) const;
  /// Whether that task said hello.
  bool has(const std::string &role, int64_t index) const;

private:
  bool isOfCluster(const cluster::HelloRequest &hello) const;

  const cluster::HelloRequest self_;
  const mlc::common::TfConfig config_;
  const bool knowsPeers_;
  std::function<void(const std::string &task, const absl::Status &why)> refused_;
  std::function<bool(const std::string &task)> isGone_;
  std::function<void(const std::string &task, bool isAgain)> admitted_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Task> tasks_;
  std::optional<std::string> sums_; ///< of the training task that came first
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_HANDSHAKE_H
