// What tests of transports share: a service, and the transports there are. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_CLUSTER_TRANSPORTTESTSUPPORT_H
#define MLC_TEST_UNIT_RUNTIME_CLUSTER_TRANSPORTTESTSUPPORT_H

#include "runtime/src/cluster/SocketAddress.h"
#include "runtime/src/cluster/Transport.h"

#include "gtest/gtest.h"

#include <mutex>

namespace mlcrt {

/// One of those that the tests of Transports run with.
struct TransportKind {
  std::string name;
  bool isTcp;
  /// Whether what a receiver waits for alone comes by itself.
  bool hasFront;
  using Make = absl::StatusOr<std::unique_ptr<Transport>> (*)(const TransportSecurity &, int64_t maxMessageBytes);
  Make make;
};

/// Test files add theirs before the tests are known.
inline std::vector<TransportKind> &transportKinds() {
  static std::vector<TransportKind> kinds;
  return kinds;
}
inline bool addTransports(std::vector<TransportKind> kinds) {
  transportKinds().insert(transportKinds().end(), kinds.begin(), kinds.end());
  return true;
}
inline std::string kindName(const testing::TestParamInfo<TransportKind> &info) { return info.param.name; }

/// Answers "echo" with what it got, "wait" when it is told to, all else with an error.
class EchoService : public Service {
public:
  void handle(std::string_view method, IncomingMessage request, Reply reply) override {
    if (method == "wait") {
      std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(std::move(reply));
      return;
    }
    if (method == "placed") {
      auto bytes = std::static_pointer_cast<std::string>(request.placed());
      OutgoingMessage answer;
      answer.control = request.control() + " " + std::to_string(request.remaining());
      if (bytes)
        answer.payload.push_back({bytes->data(), static_cast<int64_t>(bytes->size()), bytes});
      answer.front = request.control() == "ahead" ? 1000 : 0;
      return reply(std::move(answer));
    }
    if (method != "echo")
      return reply(absl::NotFoundError("no method " + std::string(method)));
    auto bytes = std::make_shared<std::string>(request.remaining(), '\0');
    // In two parts: a payload is a stream.
    const int64_t first = request.remaining() / 3;
    absl::Status status = request.read(bytes->data(), first);
    status.Update(request.read(bytes->data() + first, request.remaining()));
    status.Update(request.finish());
    if (!status.ok())
      return reply(status);
    OutgoingMessage answer;
    answer.control = request.control() + "!";
    answer.payload.push_back({bytes->data(), static_cast<int64_t>(bytes->size()), bytes});
    reply(std::move(answer));
  }
  /// Of "placed" in two spans and an empty one between them; of a control part "refused" nowhere, of "front" the first
  /// 1,000 bytes.
  absl::StatusOr<Placement> place(std::string_view method, const std::string &control, int64_t payloadSize) override {
    Placement placement;
    if (method != "placed")
      return placement;
    if (control == "refused")
      return absl::FailedPreconditionError("no place");
    placement.isFront = control == "front";
    if (placement.isFront)
      payloadSize = 1000;
    auto bytes = std::make_shared<std::string>(payloadSize, '\0');
    const int64_t first = payloadSize / 3;
    placement.spans = {{bytes->data(), first}, {nullptr, 0}, {bytes->data() + first, payloadSize - first}};
    if (control == "short")
      placement.spans.pop_back();
    placement.owner = bytes;
    return placement;
  }
  size_t numWaiting() {
    std::lock_guard<std::mutex> lock(mutex_);
    return waiting_.size();
  }
  void release() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Reply &reply : waiting_)
      reply(OutgoingMessage());
    waiting_.clear();
  }

private:
  std::mutex mutex_;
  std::vector<Reply> waiting_;
};

inline std::string contentOf(IncomingMessage &message) {
  std::string bytes(message.remaining(), '\0');
  EXPECT_TRUE(message.read(bytes.data(), message.remaining()).ok());
  return bytes;
}

inline std::string pattern(size_t size) {
  std::string text(size, 'x');
  for (size_t i = 0; i < size; ++i)
    text[i] = static_cast<char>(i * 31 >> 3);
  return text;
}

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_CLUSTER_TRANSPORTTESTSUPPORT_H
