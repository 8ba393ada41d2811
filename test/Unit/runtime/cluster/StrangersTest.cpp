// Those who connect and are no task: what they cost, and that tasks get in beside them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Coordinator.h"
#include "runtime/src/cluster/PeerLink.h"
#include "runtime/src/cluster/SocketTransport.h"
#include "test/Unit/runtime/cluster/FakeServers.h"
#include "test/Unit/runtime/cluster/RawPeer.h"
#include "test/Unit/runtime/cluster/TransportTestSupport.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "gmock/gmock.h"

#include <atomic>
#include <dirent.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

using namespace mlcrt;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// Lets nobody in, and counts.
class ClosedService : public Service {
public:
  void handle(std::string_view, IncomingMessage, Reply reply) override {
    ++calls;
    reply(absl::UnauthenticatedError("nobody is known here"));
  }
  absl::StatusOr<Placement> place(std::string_view, const std::string &, int64_t) override {
    return absl::UnauthenticatedError("nobody is known here");
  }
  std::atomic<int> calls{0};
};

class Strangers : public testing::Test {
protected:
  void SetUp() override {
    auto made = makeSocketTransport({}, int64_t(1) << 30);
    ASSERT_TRUE(made.ok()) << made.status();
    transport = *std::move(made);
  }
  void listen(Service &service) {
    auto made = transport->listen("127.0.0.1:0", service);
    ASSERT_TRUE(made.ok()) << made.status();
    listener = *std::move(made);
  }
  RawPeer greet() {
    RawPeer peer(listener->address());
    peer.send(kGreeting);
    EXPECT_EQ(peer.receive(kLetIn.size()), kLetIn);
    return peer;
  }
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Listener> listener;
};

/// Writes `bytes` again and again, up to `most`, until nothing more is taken for a while; how many were.
size_t flood(const RawPeer &peer, const std::string &bytes, size_t most) {
  size_t sent = 0;
  for (size_t some = 1; some > 0 && sent < most; sent += some) {
    const size_t begin = sent % bytes.size();
    some = peer.sendSome(bytes.data() + begin, bytes.size() - begin);
  }
  return sent;
}

} // namespace

TEST_F(Strangers, WhoDoesNotReadIsNotRead) {
  ClosedService service;
  listen(service);
  RawPeer peer = greet();
  const int small = 1 << 16; // what the kernel holds
  ::setsockopt(peer.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  std::string calls;
  for (uint64_t call = 1; call <= 1000; ++call)
    calls += makeBeginFrame(call, 0);
  const size_t before = heapBytes();
  constexpr size_t kMost = size_t(256) << 20;
  const size_t sent = flood(peer, calls, kMost);
  EXPECT_LT(sent, kMost);
  EXPECT_LT(heapBytes(), before + (4 << 20));
  // It goes on where the answers are read.
  const size_t whole = sent / makeBeginFrame(1, 0).size();
  ::shutdown(peer.fd(), SHUT_WR);
  const size_t answers = peer.receive().size() / (makeFrame(0, 3, 1, "").size() + 4 + strlen("nobody is known here"));
  EXPECT_EQ(answers, whole);
  EXPECT_EQ(service.calls, static_cast<int>(whole));
}

TEST_F(Strangers, ATaskThatDoesNotReadIsNotRead) {
  EchoService service; // which answers, so it knows everybody
  listen(service);
  RawPeer peer = greet();
  peer.send(makeBeginFrame(1, 0));
  EXPECT_NE(peer.receive(16), "");
  const std::string control(1 << 16, 'x');
  const std::string call = makeBeginFrame(2, 0, 0, 4, control); // done before the next one begins
  const size_t before = heapBytes();
  constexpr size_t kMost = size_t(512) << 20;
  EXPECT_LT(flood(peer, call, kMost), kMost);
  EXPECT_LT(heapBytes(), before + (24 << 20));
}

TEST_F(Strangers, CallsThatDoNotGoOnKeepLittle) {
  ClosedService service;
  listen(service);
  // Nothing is taken of what is announced: one frame, and many connections that send heads alone.
  RawPeer large = greet();
  large.send(makeFrame((1 << 20) + 100, 1, 1, ""));
  EXPECT_EQ(large.receive(), "");
  const size_t before = heapBytes();
  std::vector<RawPeer> peers;
  for (int i = 0; i < 200; ++i) {
    peers.push_back(greet());
    peers.back().send(makeFrame(1 << 16, 1, 1, ""));
  }
  // Calls that may have a payload, which does not come: their control parts are kept.
  RawPeer open = greet();
  const std::string control(20 << 10, 'x');
  std::string all;
  for (uint64_t call = 1; call <= 100; ++call)
    open.send(makeBeginFrame(call, 0, /*flags=*/1, 4, control));
  for (uint64_t call = 4; call <= 100; ++call)
    all += open.receive(16 + 4 +
                        strlen("calls whose control parts have more than 65536 bytes from a task that did "
                               "not say hello"));
  EXPECT_EQ(all.substr(16 + 4, 52), "calls whose control parts have more than 65536 bytes");
  EXPECT_LT(heapBytes(), before + (8 << 20));
  EXPECT_EQ(service.calls, 0);
}

TEST_F(Strangers, TheOldestGoes) {
  EchoService service;
  listen(service);
  auto task = *transport->connect(listener->address(), "ps 0");
  ASSERT_TRUE(task->call("echo", {}, seconds(60)).ok());
  // Those that greet and those that have greeted have room of their own.
  for (bool hasGreeted : {false, true}) {
    std::vector<RawPeer> peers;
    for (int i = 0; i < 600; ++i) {
      peers.emplace_back(listener->address());
      ASSERT_TRUE(peers.back().isConnected());
      if (hasGreeted)
        peers.back().send(kGreeting);
      else
        peers.back().send("mlc");
    }
    EXPECT_EQ(peers.front().receive(), hasGreeted ? kLetIn : kIsFull);
    // Who was let in stays, and others come in.
    EXPECT_TRUE(task->call("echo", {}, seconds(60)).ok());
    auto other = *transport->connect(listener->address(), "ps 0");
    EXPECT_TRUE(other->call("echo", {}, seconds(60)).ok());
    size_t closed = 0;
    for (const RawPeer &peer : peers)
      closed += peer.isClosed() || !hasGreeted ? 1 : 0;
    EXPECT_GT(closed, 0u);
    EXPECT_FALSE(peers.back().isClosed());
  }
}

TEST_F(Strangers, GreetingsEndInTime) {
  EchoService service;
  listen(service);
  RawPeer slow(listener->address());
  // Each byte comes in time, all of them do not.
  for (size_t i = 0; i < 600 && !slow.isClosed(); ++i) {
    if (i % 20 == 0 && i / 20 < kGreeting.size())
      (void)slow.sendSome(&kGreeting[i / 20], 1);
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_TRUE(slow.isClosed());
}

/// File descriptors of this process that are sockets.
static int countSockets() {
  int count = 0;
  DIR *directory = ::opendir("/proc/self/fd");
  while (const dirent *entry = ::readdir(directory)) {
    char target[64];
    const ssize_t size = ::readlink(("/proc/self/fd/" + std::string(entry->d_name)).c_str(), target, sizeof(target));
    count += size > 6 && std::string_view(target, 6) == "socket" ? 1 : 0;
  }
  ::closedir(directory);
  return count;
}

TEST_F(Strangers, TasksJoinWhileOthersConnect) {
  constexpr int kTasks = 300;
  mlc::common::TfConfig config;
  config.tasks.push_back({"chief", 0, "chief"});
  std::vector<std::string> workers;
  for (int i = 0; i < kTasks; ++i) {
    config.tasks.push_back({"worker", i, "w"});
    workers.push_back(taskName("worker", i));
  }
  Sessions sessions(fakeHello("chief", 0), config);
  Coordinator coordinator(sessions, workers);
  listen(coordinator);
  // Half of them say nothing, half greet; none reads.
  constexpr int kStrangers = 5000;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string address = listener->address();
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  const pid_t child = ::fork();
  if (child == 0) {
    rlimit limit;
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (int i = 0; i < kStrangers; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr *>(&place), sizeof(place)) != 0)
        continue; // the limit of this process: those that are there go on
      if (i % 2)
        (void)::send(fd, kGreeting.data(), kGreeting.size(), MSG_NOSIGNAL);
      if (i == kStrangers / 10)
        (void)!::write(ends[1], "x", 1);
    }
    (void)!::write(ends[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<PeerLink>> links(kTasks);
  std::vector<std::thread> starters;
  std::atomic<int> next{0}, most{0};
  for (int t = 0; t < 16; ++t)
    starters.emplace_back([&] {
      for (int i; (i = next++) < kTasks;) {
        auto link = PeerLink::open(*transport, address, "chief 0", fakeHello("worker", i), seconds(60));
        EXPECT_TRUE(link.ok()) << link.status();
        if (link.ok())
          links[i] = *std::move(link);
        if (i % 16 == 0)
          most = std::max(most.load(), countSockets());
      }
    });
  for (std::thread &starter : starters)
    starter.join();
  RecordProperty(
      "milliseconds",
      static_cast<int>(std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin).count()));
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  // All of them are there, and what the strangers have of this process is bounded: 512 and 256.
  for (int i = 0; i < kTasks; ++i)
    EXPECT_TRUE(sessions.has("worker", i)) << i;
  EXPECT_LT(std::max(most.load(), countSockets()), 2 * kTasks + 512 + 256 + 200);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

/// Says hello as one who knows nothing but what refusals tell: whether it got in.
static bool learnsToGetIn(bool knowsPeers) {
  cluster::HelloRequest self = fakeHello("ps", 0);
  self.set_protocol(kClusterProtocol);
  self.set_plan_fingerprint("plan-1234");
  self.set_state_fingerprint("state-5678");
  self.set_cpu_features("x86-64-v3");
  for (int i = 0; i < 30; ++i)
    self.add_settings("setting-" + std::to_string(i) + "=" + std::to_string(7 * i));
  mlc::common::TfConfig config;
  config.tasks = {{"chief", 0, "c"}, {"ps", 0, "p"}};
  Sessions sessions(self, config, knowsPeers);
  cluster::HelloRequest guess = fakeHello("chief", 0);
  for (int i = 0; i < 100; ++i) {
    absl::Status status;
    sessions.hello(IncomingMessage(makeMessage(guess).control, std::vector<Slice>()),
                   [&](const absl::StatusOr<OutgoingMessage> &reply) { status = reply.status(); });
    if (status.ok())
      return true;
    const std::string said(status.message());
    const size_t begin = said.find("mine is ");
    if (begin == std::string::npos)
      return false;
    std::string mine = said.substr(begin + strlen("mine is "));
    mine = mine.substr(0, mine.find(": "));
    uint32_t number = 0;
    (void)absl::SimpleAtoi(mine, &number);
    if (absl::StartsWith(said, "the protocol"))
      guess.set_protocol(number);
    else if (absl::StartsWith(said, "the plan"))
      guess.set_plan_fingerprint(mine);
    else if (absl::StartsWith(said, "the state"))
      guess.set_state_fingerprint(mine);
    else if (absl::StartsWith(said, "the CPU"))
      guess.set_cpu_features(mine);
    else if (absl::StartsWith(said, "the number"))
      while (guess.settings_size() < static_cast<int>(number))
        guess.add_settings("");
    else
      for (std::string &setting : *guess.mutable_settings())
        if (absl::StrContains(said, "peer is " + setting + ",")) {
          setting = mine;
          break;
        }
  }
  return false;
}

TEST(Handshake, RefusalsTeachNobodyHowToGetIn) {
  EXPECT_FALSE(learnsToGetIn(/*knowsPeers=*/false));
  // One that belongs to the job is told what to change.
  EXPECT_TRUE(learnsToGetIn(/*knowsPeers=*/true));
}

TEST(Refusals, AreToldOnceAMinuteForEachKind) {
  std::vector<std::string> told;
  Refusals::Clock::time_point now;
  Refusals refusals([&](const std::string &text) { told.push_back(text); }, [&] { return now; });
  for (int i = 0; i < 1000; ++i) {
    refusals.note("token", "a");
    refusals.note("TLS", "b");
  }
  EXPECT_THAT(told, testing::ElementsAre("a", "b"));
  now += seconds(61);
  refusals.note("token", "c");
  refusals.note("token", "d");
  EXPECT_THAT(told, testing::ElementsAre("a", "b", "c (and 999 others like it since the last time)"));
}

TEST_F(Strangers, AreTold) {
  std::vector<std::string> told;
  std::mutex mutex;
  TransportSecurity security;
  security.token = "secret";
  security.refusals = std::make_shared<Refusals>([&](const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    told.push_back(text);
  });
  transport = *makeSocketTransport(security, 1 << 20);
  EchoService service;
  listen(service);
  for (const std::string &bytes : {std::string("GET / HTTP/1.1\r\n\r\n"), kGreeting}) {
    RawPeer peer(listener->address());
    peer.send(bytes);
    // The token is the first thing that is asked for, and all that is said.
    EXPECT_EQ(peer.receive(), bytes == kGreeting ? std::string("mlcans1\n\1", 9) : "");
  }
  std::lock_guard<std::mutex> lock(mutex);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0], StartsWith("refused a connection of 127.0.0.1:"));
  EXPECT_THAT(told[0], HasSubstr(": it speaks another protocol"));
  EXPECT_THAT(told[1], HasSubstr(": its token is not that of this cluster"));
}
