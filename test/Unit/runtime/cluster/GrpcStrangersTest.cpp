// Those who connect over gRPC and are no task: what they cost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcTransport.h"
#include "test/Unit/runtime/cluster/RawPeer.h"
#include "test/Unit/runtime/cluster/TransportTestSupport.h"

#include "gmock/gmock.h"

#include <atomic>
#include <thread>

using namespace mlcrt;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Lets nobody in; calls of "wait" wait, others are refused.
class ClosedService : public Service {
public:
  void handle(std::string_view method, IncomingMessage, Reply reply) override {
    ++calls;
    if (method != "wait")
      return reply(absl::UnauthenticatedError("nobody is known here"));
    std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(std::move(reply));
  }
  absl::StatusOr<Placement> place(std::string_view, const std::string &, int64_t) override {
    return absl::UnauthenticatedError("nobody is known here");
  }
  std::atomic<int> calls{0};

private:
  std::mutex mutex_;
  std::vector<Reply> kept_;
};

std::string number(uint64_t value, int bytes, bool isBig) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> 8 * (isBig ? bytes - 1 - i : i));
  return text;
}

/// A frame of HTTP/2.
std::string frame(int type, int flags, uint32_t stream, const std::string &body) {
  return number(body.size(), 3, true) + static_cast<char>(type) + static_cast<char>(flags) + number(stream, 4, true) +
         body;
}

/// What a client begins with.
const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "");

/// The head of a call of gRPC.
std::string headers(uint32_t stream, const std::string &method) {
  std::string block;
  auto add = [&](const std::string &name, const std::string &value) { // a literal that no table keeps
    block += '\0';
    block += static_cast<char>(name.size()) + name + static_cast<char>(value.size()) + value;
  };
  add(":method", "POST");
  add(":scheme", "http");
  add(":path", "/mlc.Task/" + method);
  add(":authority", "host");
  add("te", "trailers");
  add("content-type", "application/grpc");
  constexpr int kEndHeaders = 4;
  return frame(1, kEndHeaders, stream, block);
}

/// A message of a call, or its first part: `control` is the whole control part.
std::string message(uint32_t stream, const std::string &control, uint64_t payload, bool isLast) {
  const std::string body = number(control.size(), 4, false) + number(0, 4, false) + number(payload, 8, false) + control;
  const std::string all = '\0' + number(body.size(), 4, true) + body;
  constexpr size_t kMostFrame = 16384;
  std::string frames;
  for (size_t at = 0; at < all.size(); at += kMostFrame)
    frames += frame(0, isLast && at + kMostFrame >= all.size(), stream, all.substr(at, kMostFrame));
  return frames;
}

class GrpcStrangers : public testing::Test {
protected:
  void listen(Service &service) {
    auto made = transport->listen("127.0.0.1:0", service);
    ASSERT_TRUE(made.ok()) << made.status();
    listener = *std::move(made);
  }
  RawPeer greet() {
    RawPeer peer(listener->address());
    peer.send(kPreface);
    return peer;
  }
  std::unique_ptr<Transport> transport = *makeGrpcTransport({}, int64_t(1) << 30);
  std::unique_ptr<Listener> listener;
};

} // namespace

TEST_F(GrpcStrangers, ACallOfOneIsUnderstood) {
  ClosedService service;
  listen(service);
  RawPeer peer = greet();
  peer.send(headers(1, "echo") + message(1, "", 0, /*isLast=*/true));
  while (service.calls == 0)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(service.calls, 1);
}

TEST_F(GrpcStrangers, CallsThatDoNotGoOnKeepLittle) {
  ClosedService service;
  listen(service);
  const size_t before = heapBytes();
  // Control parts as large as may be, of calls that wait; each connection has as many as it may.
  std::vector<RawPeer> peers;
  const std::string control(60 << 10, 'x');
  for (int i = 0; i < 8; ++i) {
    peers.push_back(greet());
    for (uint32_t call = 0; call < 250; ++call)
      peers.back().sendSome(headers(2 * call + 1, "wait") + message(2 * call + 1, control, 0, /*isLast=*/true));
  }
  // Those who announce more than they send.
  for (int i = 0; i < 8; ++i) {
    peers.push_back(greet());
    for (uint32_t call = 0; call < 250; ++call)
      peers.back().sendSome(headers(2 * call + 1, "echo") + frame(0, 0, 2 * call + 1, '\0' + number(1 << 20, 4, true)));
  }
  const size_t most = heapBytes() - std::min(heapBytes(), before);
  RecordProperty("bytes", static_cast<int>(most));
  EXPECT_LT(most, 96 << 20);
  // Tasks get in beside them.
  auto task = *transport->connect(listener->address(), "ps 0");
  EXPECT_EQ(task->call("echo", {}, seconds(60)).status().code(), absl::StatusCode::kUnauthenticated);
}
