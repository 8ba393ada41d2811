// The metrics of a task over HTTP. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_METRICSSERVER_H
#define MLCRT_TRAIN_METRICSSERVER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace mlcrt {

/// What a server takes from clients, and who may come.
struct MetricsServerOptions {
  int port = 0;            ///< 0: one that is free
  bool everywhere = false; ///< other hosts, too; else the loopback interface alone
  int maxConnections = 32; ///< with one more, the oldest is closed
  int maxRequestBytes = 8192;
  /// From the connection to the last byte of the answer; who is slower is cut off.
  std::chrono::milliseconds timeLimit{5000};
};

/// Answers GET and HEAD of /metrics and /healthz, HTTP/1.0 and 1.1, one request a connection. One thread, which never
/// waits for one client alone.
class MetricsServer {
public:
  struct Pages {
    std::function<std::string()> metrics; ///< the text format of Prometheus
    /// What is wrong, in one line; empty (200) if nothing is, else 503.
    std::function<std::string()> problem;
  };

  /// kUnavailable names the address that cannot be bound. The pages are asked for by the server's thread.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> start(const MetricsServerOptions &options, Pages pages);
  ~MetricsServer();
  MetricsServer(const MetricsServer &) = delete;
  MetricsServer &operator=(const MetricsServer &) = delete;

  int port() const { return port_; }

private:
  MetricsServer(const MetricsServerOptions &options, Pages pages) : options_(options), pages_(std::move(pages)) {}
  absl::Status listen();
  void serve();

  const MetricsServerOptions options_;
  const Pages pages_;
  int port_ = 0, listener_ = -1, wake_ = -1;
  std::thread thread_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_METRICSSERVER_H
