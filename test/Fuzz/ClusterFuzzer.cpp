// Any bytes as a call to a server or to the chief, and as TF_CONFIG. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One byte: which method and server, and whether the session is put right, or few calls would get past it. Two bytes of
// size, of which the highest bits say whether the server has backup workers and whether the method is one of
// checkpoints or of those that came with them; that many of the control part, then the payload. Calls are answered, and
// no single one changes the state: a step is over when its update has run. No call takes more memory than messages may.
#include "FakeBatch.h"
#include "MemoryBound.h"
#include "runtime/src/cluster/AsyncServer.h"
#include "runtime/src/cluster/BackupServer.h"
#include "runtime/src/cluster/Coordinator.h"
#include "runtime/src/cluster/Heartbeats.h"
#include "runtime/src/cluster/SyncServer.h"

#include <cstdlib>
#include <string>

using namespace mlcrt;

static void require(bool fact) {
  if (!fact)
    std::abort();
}

namespace {
/// A call in this thread; its reply, if there was one.
struct Answer {
  bool isThere = false;
  absl::StatusOr<OutgoingMessage> reply;
};

Answer call(Service &service, const std::string &method, std::string control, std::string_view payload) {
  auto answer = std::make_shared<Answer>();
  // As a transport has it: the service says what belongs where.
  const auto size = static_cast<int64_t>(payload.size());
  PlacementFiller filler;
  std::vector<Slice> kept;
  if (size > 0) {
    absl::StatusOr<Placement> placement = service.place(method, control, size);
    absl::Status status = placement.status();
    status.Update(status.ok() ? filler.begin(*std::move(placement), size) : status);
    if (!status.ok())
      return {true, status};
    if (const int64_t placed = filler.fill(payload.data(), size); placed < size)
      kept.push_back({payload.data() + placed, size - placed, nullptr});
  }
  IncomingMessage message(std::move(control), filler.take(), std::move(kept));
  message.setCharge(filler.takeCharge());
  service.handle(method, std::move(message), [answer](absl::StatusOr<OutgoingMessage> reply) {
    require(!answer->isThere);
    answer->isThere = true;
    answer->reply = std::move(reply);
  });
  return *answer;
}

cluster::HelloRequest helloOf(const char *role, int64_t index = 0) {
  cluster::HelloRequest hello;
  hello.set_protocol(kClusterProtocol);
  hello.set_role(role);
  hello.set_index(index);
  hello.set_incarnation(1);
  return hello;
}

uint64_t admit(Service &service, const char *role, int64_t index) {
  Answer answer = call(service, "hello", makeMessage(helloOf(role, index)).control, {});
  cluster::HelloReply reply;
  require(answer.isThere && answer.reply.ok() && reply.ParseFromString(answer.reply->control));
  return reply.session();
}

/// The control part with a session, if it is a message of that kind.
template <typename Control> std::string withSession(const std::string &text, uint64_t session) {
  Control control;
  if (!control.ParseFromString(text))
    return text;
  control.set_session(session);
  return makeMessage(control).control;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  const std::string_view rest(reinterpret_cast<const char *>(data) + 3, size - 3);
  {
    mlc::common::TfConfig config;
    mlc::common::MessageList messages;
    const bool isGood = mlc::common::parseTfConfig(rest, config, messages);
    require(isGood == !messages.hasErrors());
    (void)mlc::common::explainTfConfig(config);
  }
  static ThreadPool pool(1);
  // A server alone, and server 0 of two.
  static const std::unique_ptr<Program> fake = makeFakeProgram(pool);
  static const ShardPlan wholePlan(fake->artifact(), 1), splitPlan(fake->artifact(), 2, /*leastShardBytes=*/1);
  static const std::unique_ptr<Program> first =
      *Program::create(*Artifact::fromTable(&fake->artifact().table()), {splitPlan.held(0)});
  const bool isSplit = data[0] & 0x80;
  const ShardPlan &plan = isSplit ? splitPlan : wholePlan;
  Program *program = isSplit ? first.get() : fake.get();
  const SumRanges ranges = *SumRanges::create(program->artifact(), plan, 0);
  mlc::common::TfConfig cluster;
  cluster.tasks = {{"chief", 0, "a"}, {"worker", 0, "b"}, {"ps", 0, "c"}, {"ps", 1, "d"}};
  Sessions sessions(helloOf("ps"), cluster);
  ServerOptions options;
  options.messageBytes = 1 << 22;
  options.trainers = {"chief 0", "worker 0"};
  options.servers = {"ps 0"};
  if (isSplit)
    options.servers.push_back("ps 1");
  std::unique_ptr<ParameterServer> made;
  const bool hasBackup = data[2] & 0x80, isOther = data[2] & 0x40;
  BackupOptions backup = {isSplit ? BackupOptions::Policy::Drop : BackupOptions::Policy::Redundant, /*workers=*/1};
  if (hasBackup)
    made = std::make_unique<BackupServer>(*program, plan, ranges, pool, sessions, options, backup);
  else if (isSplit)
    made = std::make_unique<AsyncServer>(*program, plan, ranges, pool, sessions, options);
  else
    made = std::make_unique<SyncServer>(*program, plan, ranges, pool, sessions, options);
  ParameterServer &server = *made;
  static const char *const methods[] = {"hello", "load", "rows", "fetch", "step", "end", "join", "exchange"};
  static const char *const others[] = {"probe", "snapshot", "write", "forget", "late", "members"};
  std::string method = isOther ? others[(data[0] & 7) % 6] : methods[data[0] & 7];
  if (method == "step" && isSplit && !hasBackup)
    method = "push"; // of asynchronous servers
  const bool isOfServer = method == "exchange" || method == "members";
  const uint64_t session = isOfServer ? admit(server, "ps", 1) : admit(server, data[0] & 0x40 ? "worker" : "chief", 0);
  const bool isServer = !(data[0] & 0x20), isLoaded = data[0] & 0x10;
  if (method == "join" && isServer)
    method = "ping"; // a server has no join
  Coordinator coordinator(sessions, {"worker 0"});
  PeerTable peers{PeerTable::Options()};
  HeartbeatService pinged(isServer ? static_cast<Service &>(server) : coordinator, sessions, peers);
  if (isServer && isLoaded && !(data[0] & 0x40)) {
    cluster::LoadRequest load;
    load.set_session(isOfServer ? admit(server, "chief", 0) : session);
    load.mutable_plan()->set_virtual_shards(4);
    OutgoingMessage state;
    VariableWire::ofServer(program->state(), VariableWire::ofTraining(program->artifact()), plan, 0).send(state);
    std::string bytes;
    for (const Slice &slice : state.payload)
      bytes.append(static_cast<const char *>(slice.data), static_cast<size_t>(slice.size));
    Answer loaded = call(server, "load", makeMessage(load).control, bytes);
    require(loaded.isThere && loaded.reply.ok());
  }
  const std::string before = stateBytes(program->state());
  const size_t controlSize = data[1] + size_t{256} * (data[2] & 0x3f);
  std::string control(rest.substr(0, controlSize));
  const std::string_view payload = rest.size() > controlSize ? rest.substr(controlSize) : std::string_view();
  if (data[0] & 8) {
    if (method == "load")
      control = withSession<cluster::LoadRequest>(control, session);
    else if (method == "step")
      control = withSession<cluster::StepRequest>(control, session);
    else if (method == "push")
      control = withSession<cluster::PushRequest>(control, session);
    else if (method == "end")
      control = withSession<cluster::EndRequest>(control, session);
    else if (method == "ping")
      control = withSession<cluster::PingRequest>(control, session);
    else if (method == "probe")
      control = withSession<cluster::ProbeRequest>(control, session);
    else if (method == "snapshot")
      control = withSession<cluster::SnapshotRequest>(control, session);
    else if (method == "write")
      control = withSession<cluster::WriteRequest>(control, session);
    else if (method == "exchange")
      control = withSession<cluster::ExchangeRequest>(control, session);
    else if (method == "members")
      control = withSession<cluster::MembersRequest>(control, session);
    else if (method == "join")
      control = withSession<cluster::JoinRequest>(control, session);
    else
      control = withSession<cluster::PullRequest>(control, session);
  }
  Answer answer;
  {
    // The messages, a set of sums or a copy of the state, and what goes with them.
    const MemoryBound bound(static_cast<size_t>(options.messageBytes) + (4 << 20));
    answer = call(pinged, method, control, payload);
  }
  (void)peers.describe("worker 0");
  (void)peers.totals();
  // A load that is right is what may write.
  const bool mayWrite = method == "load" && answer.isThere && answer.reply.ok();
  require(mayWrite || before == stateBytes(program->state()) || method == "load");
  coordinator.end("the end");
  return 0;
}
