// Channels between tasks: messages in order, room for few of them, errors of whoever fails, and messages that are
// wrong.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ChannelExchange.h"
#include "runtime/src/cluster/InProcessTransport.h"

#include "test/Unit/runtime/core/StaticDims.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace mlcrt;
using testing::HasSubstr;

namespace {

constexpr std::chrono::milliseconds kTimeout{20000};

/// A program of one entry with a part on each of two tasks, which a channel of a string and rows of numbers leads from
/// one to the other; nothing runs but what the tests do with its queues.
struct TwoTasks {
  mlcrt_value components[2] = {{"c0", MLCRT_STRING, 0, nullptr}, {"c1", MLCRT_F32, 2, kDims<MLCRT_DIM_SYMBOL(0), 2>}};
  mlcrt_queue queues[1] = {{"channel.0", MLCRT_QUEUE_PADDING_FIFO, 2, 2, 0, 0, components}};
  mlcrt_segment segment = {
      "s",    MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 0, nullptr, [](mlcrt_frame *) { return int32_t{MLCRT_OK}; }, 0,
      nullptr};
  mlcrt_entry entries[2] = {{"e", MLCRT_ROLE_OTHER, 1, &segment, 0, 0, nullptr, nullptr},
                            {"e.ps", MLCRT_ROLE_OTHER, 1, &segment, 0, 0, nullptr, nullptr}};
  mlcrt_device devices[2] = {{"/job:worker/task:0/device:CPU:0", "cpu"}, {"/job:ps/task:0/device:CPU:0", "cpu"}};
  mlcrt_part parts[2] = {{0, 0, 0, 0}, {1, 0, 1, 0}};
  mlcrt_channel channels[1] = {{0, 0, 0, 1}};
  mlcrt_artifact table = {};

  TwoTasks() {
    table.struct_size = sizeof(table);
    table.version = MLCRT_ABI_VERSION;
    table.name = table.state_fingerprint = table.plan_fingerprint = table.manifest = "x";
    table.num_entries = 2;
    table.entries = entries;
    table.queues = queues;
    table.num_queues = 1;
    table.devices = devices;
    table.parts = parts;
    table.channels = channels;
    table.num_devices = table.num_parts = 2;
    table.num_channels = 1;
    config.tasks = {{"worker", 0, "w"}, {"ps", 0, "p"}};
  }
  mlc::common::TfConfig config;
};

/// One of the tasks.
struct Task {
  Task(TwoTasks &tasks, Transport &transport, const std::string &role, Symbols symbols = {3})
      : artifact(*Artifact::fromTable(&tasks.table)), program(*Program::create(artifact)) {
    hello.set_role(role);
    sessions = std::make_unique<Sessions>(hello, tasks.config);
    ChannelExchange::Options options;
    options.tasks = {"worker 0", "ps 0"};
    options.self = role + " 0";
    options.entries = {{0, std::move(symbols)}};
    options.isInterrupted = [this] { return isInterrupted.load(); };
    exchange = std::make_unique<ChannelExchange>(*program, *sessions, options);
    listener = *transport.listen(role == "ps" ? "p" : "w", *exchange);
  }
  void connect(Transport &transport) {
    const std::string peer = exchange->peers().front();
    link = *PeerLink::open(transport, peer == "ps 0" ? "p" : "w", peer, hello, kTimeout);
    exchange->start({{peer, link.get()}});
  }
  Queue &queue() { return program->queues().queue(0); }

  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<Program> program;
  cluster::HelloRequest hello;
  std::atomic<bool> isInterrupted{false};
  std::unique_ptr<Sessions> sessions;
  std::unique_ptr<PeerLink> link; // after the exchange, which uses it: destroyed after it
  std::unique_ptr<ChannelExchange> exchange;
  std::unique_ptr<Listener> listener;
};

struct ChannelExchangeTest : testing::Test {
  void connect(Symbols workers = {3}) {
    worker.emplace(tasks, *transport, "worker", std::move(workers));
    server.emplace(tasks, *transport, "ps");
    worker->connect(*transport);
    server->connect(*transport);
  }
  static Queue::Element element(const std::string &text, float first) {
    Queue::Element made(2);
    const mlcrt_string cell = {text.data(), static_cast<int64_t>(text.size())};
    holdCells(made[0], MLCRT_STRING, nullptr, 0, &cell);
    const int64_t dims[] = {3, 2};
    made[1].resize(MLCRT_F32, dims, 2);
    for (int i = 0; i < 6; ++i)
      made[1].as<float>()[i] = first + static_cast<float>(i);
    return made;
  }
  /// Finishes both tasks at once.
  std::pair<absl::Status, absl::Status> finish(absl::Status ofWorker = {}, absl::Status ofServer = {}) {
    absl::Status first;
    std::thread thread([&] { first = worker->exchange->finish(ofWorker); });
    absl::Status second = server->exchange->finish(ofServer);
    thread.join();
    return {first, second};
  }

  std::unique_ptr<Transport> transport = makeInProcessTransport();
  TwoTasks tasks;
  std::optional<Task> worker, server;
};

TEST_F(ChannelExchangeTest, CarriesMessagesInOrderWithRoomForFew) {
  connect();
  constexpr int kMessages = 50;
  std::atomic<int> sent{0};
  std::thread sender([&] {
    for (int i = 0; i < kMessages; ++i, ++sent)
      ASSERT_TRUE(worker->queue().enqueue(element("message " + std::to_string(i), static_cast<float>(i))).ok());
  });
  // Nobody takes: the room of both queues fills up, one message waits at each end, and the sender stops.
  for (int quiet = 0, last = -1; quiet < 10; last = sent, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
    quiet = sent == last ? quiet + 1 : 0;
  EXPECT_LE(sent, 2 + 2 + 2 + 1);
  for (int i = 0; i < kMessages; ++i) {
    absl::StatusOr<Queue::Element> taken = server->queue().dequeue();
    ASSERT_TRUE(taken.ok()) << taken.status();
    const mlcrt_string &text = *(*taken)[0].as<mlcrt_string>();
    EXPECT_EQ(std::string(text.data, text.size), "message " + std::to_string(i));
    EXPECT_EQ((*taken)[1].as<float>()[5], static_cast<float>(i + 5));
  }
  sender.join();
  auto [ofWorker, ofServer] = finish();
  EXPECT_TRUE(ofWorker.ok()) << ofWorker;
  EXPECT_TRUE(ofServer.ok()) << ofServer;
}

TEST_F(ChannelExchangeTest, WhatWasSentArrivesThoughTheSenderIsDone) {
  connect();
  ASSERT_TRUE(worker->queue().enqueue(element("last", 1)).ok());
  absl::Status ofWorker;
  std::thread thread([&] { ofWorker = worker->exchange->finish(absl::OkStatus()); });
  EXPECT_TRUE(server->queue().dequeue().ok());
  EXPECT_TRUE(server->exchange->finish(absl::OkStatus()).ok());
  thread.join();
  EXPECT_TRUE(ofWorker.ok()) << ofWorker;
}

TEST_F(ChannelExchangeTest, AFailureEndsAllTasksAndSaysWhere) {
  connect();
  absl::Status waited;
  std::thread waiter([&] { waited = server->queue().dequeue().status(); });
  absl::Status ofServer;
  std::thread thread([&] {
    waiter.join();
    ofServer = server->exchange->finish(waited);
  });
  EXPECT_EQ(worker->exchange->finish(absl::InvalidArgumentError("no such row")).message(), "no such row");
  thread.join();
  EXPECT_FALSE(waited.ok());
  EXPECT_EQ(ofServer, absl::InvalidArgumentError("worker 0: no such row"));
}

TEST_F(ChannelExchangeTest, AnInterruptionEndsWhatWaits) {
  connect();
  server->isInterrupted = true;
  EXPECT_FALSE(server->queue().dequeue().ok());
  auto [ofWorker, ofServer] = finish({}, absl::InternalError("a consequence"));
  EXPECT_TRUE(absl::IsCancelled(ofServer)) << ofServer;
  EXPECT_THAT(std::string(ofWorker.message()), HasSubstr("ps 0: interrupted"));
}

TEST_F(ChannelExchangeTest, InputsOfOtherSizesAreRefused) {
  connect(/*workers=*/{4});
  ASSERT_TRUE(worker->queue().enqueue(element("x", 1)).ok());
  EXPECT_FALSE(server->queue().dequeue().ok());
  auto [ofWorker, ofServer] = finish();
  EXPECT_THAT(std::string(ofWorker.message()), HasSubstr("inputs of 'e' have other sizes than those of ps 0"));
  EXPECT_FALSE(ofServer.ok());
}

/// What a peer may send that no task sends.
TEST_F(ChannelExchangeTest, RefusesWrongMessages) {
  connect();
  auto call = [&](cluster::ChannelRequest request, const std::string &payload) {
    cluster::ChannelReply reply;
    request.add_symbols(3);
    return worker->link
        ->call("message", request, {{payload.data(), static_cast<int64_t>(payload.size()), nullptr}}, kTimeout, reply)
        .status();
  };
  const int64_t size = 1;
  const std::string good =
      std::string(reinterpret_cast<const char *>(&size), sizeof size) + "a" + std::string(24, '\0');
  cluster::ChannelRequest request;
  request.add_dims(3);
  request.add_dims(2);
  EXPECT_TRUE(call(request, good).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(call(request, good + "more")));
  EXPECT_TRUE(absl::IsInvalidArgument(call(request, good.substr(0, 20))));
  EXPECT_TRUE(absl::IsInvalidArgument(call(request, "")));
  std::string negative = good;
  negative[7] = static_cast<char>(0xff);
  EXPECT_TRUE(absl::IsInvalidArgument(call(request, negative)));
  cluster::ChannelRequest other = request;
  other.set_dims(1, 3); // static
  EXPECT_TRUE(absl::IsInvalidArgument(call(other, good)));
  other.set_dims(1, 2);
  other.set_dims(0, int64_t{1} << 61);
  EXPECT_TRUE(absl::IsInvalidArgument(call(other, good)));
  other.set_dims(0, 3);
  other.add_dims(1);
  EXPECT_TRUE(absl::IsInvalidArgument(call(other, good)));
  for (int channel : {-1, 1}) {
    other = request;
    other.set_channel(channel);
    EXPECT_TRUE(absl::IsInvalidArgument(call(other, good)));
  }
  // Nor what a stranger says.
  auto stranger = transport->connect("p", "ps 0");
  ASSERT_TRUE(stranger.ok());
  OutgoingMessage message = makeMessage(request);
  message.payload = {{good.data(), static_cast<int64_t>(good.size()), nullptr}};
  EXPECT_TRUE(absl::IsNotFound((*stranger)->call("message", message, kTimeout).status()));
  EXPECT_EQ(server->queue().size(), 1);
  EXPECT_TRUE(server->queue().dequeue().ok());
  auto [ofWorker, ofServer] = finish();
  EXPECT_TRUE(ofWorker.ok() && ofServer.ok()) << ofWorker << ofServer;
}

} // namespace
