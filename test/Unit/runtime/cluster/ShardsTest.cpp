// Checkpoints that servers write: the state of one step, while training goes on; what servers refuse.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeServers.h"
#include "FlakyTransport.h"
#include "HookedTransport.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointRows.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/cluster/AsyncServer.h"
#include "runtime/src/cluster/InProcessTransport.h"
#include "runtime/src/cluster/RemoteShards.h"
#include "runtime/src/cluster/ServerRows.h"
#include "runtime/src/cluster/SyncServer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

using namespace mlcrt;
using testing::HasSubstr;
namespace fs = std::filesystem;

static constexpr uint64_t kRun = 0x123456789abcdef0;

namespace {

/// A chief, and servers on threads; by the number of servers.
template <typename Server> class ShardsFixture : public testing::TestWithParam<int> {
protected:
  explicit ShardsFixture(std::shared_ptr<const Artifact> of = fakeArtifact()) : artifact(std::move(of)) {
    std::string pattern = testing::TempDir() + "/mlcrt-shards-XXXXXX";
    modelDir = ::mkdtemp(pattern.data());
    config.tasks = {{"chief", 0, "chief"}};
    for (int number = 0; number < GetParam(); ++number)
      config.tasks.push_back({"ps", number, serverAddress(number)});
    ServerOptions options;
    options.stallTimeout = options.startTimeout = kTimeout;
    options.trainers = {"chief 0"};
    for (int number = 0; number < GetParam(); ++number)
      servers.push_back(
          std::make_unique<FakeServer<Server>>(*transport, config, hello("ps", number), options, artifact));
    program = makeFakeProgram(pool, artifact);
    links = linkServers(*transport, program->artifact(), GetParam(), hello("chief", 0));
    shards.emplace(program->artifact(), links, kRun, kTimeout);
    plan.set_seed(kSeed);
    plan.set_virtual_shards(1);
    plan.set_trainers(1);
    plan.set_max_steps(60);
    plan.set_run(kRun);
  }
  ~ShardsFixture() override { fs::remove_all(modelDir); }

  static cluster::HelloRequest hello(const std::string &role, int64_t index) {
    cluster::HelloRequest hello;
    hello.set_role(role);
    hello.set_index(index);
    hello.set_incarnation(index + 1);
    return hello;
  }
  void open(RemoteStepper &opened) {
    stepper = &opened;
    TrainMode mode;
    mode.split = true;
    features = *TrainFeatures::create(*program, pool, mode);
    slots = features->makeSlots();
  }
  void step(int64_t step) {
    FakeBatch batch(kRows, static_cast<uint32_t>(step));
    CallContext context = {kSeed, step, 0};
    ASSERT_TRUE(features->run(batch.view, slots, context).ok());
    absl::Status status = stepper->run(batch.view, slots, context);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::vector<bool> all() const { return std::vector<bool>(program->artifact().table().num_variables, true); }
  absl::StatusOr<std::string> save(int64_t step) {
    CheckpointManifest manifest;
    manifest.step = step;
    return CheckpointStore(modelDir).save(program->artifact(), *shards, manifest);
  }
  /// The chief writes, of what comes through `through`.
  void writeHere(Transport &through) {
    linksHere = linkServers(through, program->artifact(), GetParam(), hello("chief", 0));
    shards.emplace(program->artifact(), linksHere, kRun, kTimeout);
    shards->writesHere();
  }
  /// The bytes of the one file that the chief writes.
  static std::string fileOf(const std::string &directory) {
    auto text = readWholeFile(directory + "/" + shardName(0, 1), 1 << 24);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }
  /// Those that one process writes of the state here.
  std::string fileAlone() {
    CheckpointManifest manifest;
    auto path = CheckpointStore(modelDir + "/alone").save(program->artifact(), program->state(), manifest);
    EXPECT_TRUE(path.ok()) << path.status();
    const std::string bytes = path.ok() ? fileOf(*path) : "";
    fs::remove_all(modelDir + "/alone");
    return bytes;
  }
  /// The state that a checkpoint holds.
  std::string stateOf(const std::string &directory) {
    auto other = makeFakeProgram(pool, artifact);
    auto manifest = readManifest(directory);
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    EXPECT_EQ(manifest->servers, GetParam());
    absl::Status status = restoreState(directory, *manifest, other->artifact(), other->state());
    EXPECT_TRUE(status.ok()) << status;
    return stateBytes(other->state());
  }

  std::shared_ptr<const Artifact> artifact;
  std::string modelDir;
  mlc::common::TfConfig config;
  std::unique_ptr<Transport> transport = makeInProcessTransport();
  std::vector<std::unique_ptr<FakeServer<Server>>> servers;
  ThreadPool pool{1};
  std::unique_ptr<Program> program;
  ServerLinks links, linksHere;
  std::optional<RemoteShards> shards;
  cluster::RunPlan plan;
  RemoteStepper *stepper = nullptr;
  std::unique_ptr<TrainFeatures> features;
  TrainSlots slots;
};

class SyncShards : public ShardsFixture<SyncServer> {
protected:
  explicit SyncShards(std::shared_ptr<const Artifact> of = fakeArtifact()) : ShardsFixture(std::move(of)) {
    sync = *SyncStepper::create(*program, pool, links, /*virtualShards=*/1, {0, 1}, kTimeout);
    open(*sync);
  }
  std::unique_ptr<SyncStepper> sync;
};

/// The table is three tensors.
class NamedShards : public SyncShards {
protected:
  NamedShards() : SyncShards(namedArtifact()) {}
  static std::shared_ptr<const Artifact> namedArtifact() {
    static const mlcrt_named_rows names[] = {
        {"first", FAKE_EMB, 0, 1}, {"second", FAKE_EMB, 0, 3}, {"third", FAKE_EMB, 0, 1}};
    static const mlcrt_artifact table = [] {
      mlcrt_artifact copy = *mlc_artifact_query(MLCRT_ABI_VERSION, nullptr);
      copy.named_rows = names;
      copy.num_named_rows = 3;
      return copy;
    }();
    auto artifact = Artifact::fromTable(&table);
    EXPECT_TRUE(artifact.ok()) << artifact.status();
    return *artifact;
  }
  /// Bytes of the table's rows on the servers.
  std::string rowsOnServers() {
    std::string rows(40, 0);
    for (int k = 0; k < GetParam(); ++k) {
      const RowRange held = links.plan->rows(FAKE_EMB, k);
      if (held.size() > 0)
        std::memcpy(rows.data() + held.begin * 8, servers[k]->program->state().storage(FAKE_EMB).data,
                    static_cast<size_t>(held.size()) * 8);
    }
    return rows;
  }
  std::string rowsHere() { return {static_cast<const char *>(program->state().storage(FAKE_EMB).data), 40}; }
};

class AsyncShards : public ShardsFixture<AsyncServer> {
protected:
  AsyncShards() {
    async = *AsyncStepper::create(*program, pool, links, kTimeout);
    open(*async);
  }
  std::unique_ptr<AsyncStepper> async;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Servers, SyncShards, testing::Values(1, 2, 3));
INSTANTIATE_TEST_SUITE_P(Servers, NamedShards, testing::Values(1, 2, 3));
INSTANTIATE_TEST_SUITE_P(Servers, AsyncShards, testing::Values(1, 2));

TEST_P(SyncShards, HoldTheStateOfTheirStep) {
  ASSERT_TRUE(stepper->load(plan).ok());
  auto problem = shards->probe(modelDir);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(*problem, "");
  EXPECT_TRUE(fs::is_empty(modelDir)) << "the probe is gone";
  ASSERT_TRUE(stepper->pull(0).ok());
  for (int64_t s = 0; s < 9; s += 3) {
    ASSERT_TRUE(shards->snapshot(s, all()).ok());
    EXPECT_EQ(shards->copiedStep(), s);
    ASSERT_TRUE(stepper->fetch(s).ok());
    const std::string before = stateBytes(program->state());
    absl::StatusOr<std::string> path;
    std::thread saver([&] { path = save(s); });
    for (int64_t i = s; i < s + 3; ++i)
      step(i);
    saver.join();
    ASSERT_TRUE(path.ok()) << path.status();
    EXPECT_TRUE(stateOf(*path) == before);
    ASSERT_TRUE(stepper->fetch(s + 3).ok());
    EXPECT_FALSE(stateBytes(program->state()) == before) << "training went on";
  }
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(SyncShards, TheChiefWritesTheFileOfOneProcess) {
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(stepper->pull(0).ok());
  // What it takes is sent again where connections break.
  FlakyTransport flaky(*transport, 5);
  writeHere(flaky);
  for (int64_t s = 0; s < 9; s += 3) {
    ASSERT_TRUE(shards->snapshot(s, all()).ok());
    ASSERT_TRUE(stepper->fetch(s).ok());
    const std::string alone = fileAlone();
    absl::StatusOr<std::string> path;
    std::thread saver([&] { path = save(s); });
    for (int64_t i = s; i < s + 3; ++i)
      step(i);
    saver.join();
    ASSERT_TRUE(path.ok()) << path.status();
    EXPECT_TRUE(fileOf(*path) == alone);
    EXPECT_EQ(readManifest(*path)->servers, 0);
    shards->forget(s + 3);
  }
  EXPECT_GT(flaky.broken(), 0);
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(NamedShards, WriteTensors) {
  ASSERT_TRUE(stepper->load(plan).ok());
  EXPECT_EQ(*shards->probe(modelDir), "");
  ASSERT_TRUE(stepper->pull(0).ok());
  step(0);
  ASSERT_TRUE(shards->snapshot(1, all()).ok());
  ASSERT_TRUE(stepper->fetch(1).ok());
  auto path = save(1);
  ASSERT_TRUE(path.ok()) << path.status();
  auto manifest = *readManifest(*path);
  std::vector<std::string> names;
  size_t slices = 0;
  for (const VariableRecord &record : manifest.variables) {
    names.push_back(record.name);
    slices += record.slices.size();
  }
  EXPECT_THAT(names, testing::ElementsAre("w", "first", "second", "third", "global_step"));
  size_t holders = 0; // of the second tensor; the others are one row each
  for (int k = 0; k < GetParam(); ++k)
    holders += commonRows(links.plan->rows(FAKE_EMB, k), {1, 4}).size() > 0;
  EXPECT_EQ(holders > 1, GetParam() > 1);
  EXPECT_EQ(slices, holders > 1 ? holders : 0);
  EXPECT_TRUE(stateOf(*path) == stateBytes(program->state()));
  // One of the chief.
  const std::string alone = fileAlone();
  writeHere(*transport);
  ASSERT_TRUE(shards->snapshot(1, all()).ok());
  fs::remove_all(*path);
  path = save(1);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_TRUE(fileOf(*path) == alone);
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(NamedShards, GetTheRowsThatTheySee) {
  float values[10];
  std::iota(values, values + 10, 1.0f);
  ASSERT_TRUE(program->state().write(FAKE_EMB, makeBuffer(values, MLCRT_F32, {5, 2})).ok());
  CheckpointManifest manifest;
  auto path = CheckpointStore(modelDir).save(*artifact, program->state(), manifest);
  ASSERT_TRUE(path.ok()) << path.status();
  auto blind = ServerRows(*artifact, links, kTimeout).restore(*path);
  ASSERT_TRUE(blind.ok()) << blind.status();
  EXPECT_EQ(*blind, "");
  EXPECT_EQ(rowsOnServers(), rowsHere());
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(NamedShards, GetTheRowsThatTheyDoNotSee) {
  float values[10];
  std::iota(values, values + 10, 1.0f);
  ASSERT_TRUE(program->state().write(FAKE_EMB, makeBuffer(values, MLCRT_F32, {5, 2})).ok());
  CheckpointManifest manifest;
  auto path = CheckpointStore(modelDir).save(*artifact, program->state(), manifest);
  ASSERT_TRUE(path.ok()) << path.status();
  // The chief reads and sends them: servers say that they saw nothing, and lose what they read when all have read it.
  std::atomic<int> answered{0};
  HookedTransport hooked(*transport, [&](const std::string &method, HookedTransport::Answer answer) {
    if (method != "prepare" || !answer.ok())
      return answer;
    if (++answered == GetParam())
      for (auto &server : servers)
        std::memset(server->program->state().storage(FAKE_EMB).data, 0xff,
                    byteCount(server->program->state().storage(FAKE_EMB)));
    cluster::PrepareReply reply;
    reply.set_problem("does not see it");
    return HookedTransport::Answer(IncomingMessage(reply.SerializeAsString(), std::vector<Slice>()));
  });
  linksHere = linkServers(hooked, *artifact, GetParam(), hello("chief", 0));
  auto blind = ServerRows(*artifact, linksHere, kTimeout).restore(*path);
  ASSERT_TRUE(blind.ok()) << blind.status();
  EXPECT_EQ(*blind, "ps 0 does not see it");
  EXPECT_EQ(rowsOnServers(), rowsHere());
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(SyncShards, AServerThatSendsTooLittleOrEndsLeavesNothing) {
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(stepper->pull(0).ok());
  std::atomic<int> pieces{0};
  std::atomic<bool> isCut{true};
  std::function<void()> atFirst = [] {};
  HookedTransport hooked(*transport, [&](const std::string &method, HookedTransport::Answer answer) {
    if (method != "copied" || ++pieces > 1)
      return answer;
    atFirst();
    if (!isCut || !answer.ok())
      return answer;
    std::vector<char> bytes(static_cast<size_t>(answer->remaining() - 1));
    EXPECT_TRUE(answer->read(bytes.data(), static_cast<int64_t>(bytes.size())).ok());
    auto kept = std::make_shared<std::vector<char>>(std::move(bytes));
    return HookedTransport::Answer(
        IncomingMessage(answer->control(), {Slice{kept->data(), static_cast<int64_t>(kept->size()), kept}}));
  });
  writeHere(hooked);
  ASSERT_TRUE(shards->snapshot(0, all()).ok());
  absl::Status cut = save(0).status();
  EXPECT_TRUE(absl::IsUnavailable(cut)) << cut;
  EXPECT_THAT(std::string(cut.message()), testing::ContainsRegex(": ps [0-9]: a message has .* more bytes where"));
  EXPECT_TRUE(fs::is_empty(modelDir));
  // Training goes on, and so do saves.
  isCut = false;
  step(0);
  ASSERT_TRUE(shards->snapshot(1, all()).ok());
  ASSERT_TRUE(stepper->fetch(1).ok());
  auto path = save(1);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_TRUE(fileOf(*path) == fileAlone());
  // One that ends in the midst.
  step(1);
  ASSERT_TRUE(shards->snapshot(2, all()).ok());
  pieces = 0;
  atFirst = [&] {
    servers.back()->isStopped = true;
    servers.back()->serving.join();
  };
  absl::Status gone = save(2).status();
  EXPECT_TRUE(absl::IsUnavailable(gone)) << gone;
  EXPECT_FALSE(fs::exists(modelDir + "/ckpt-0000000002"));
  EXPECT_TRUE(stepper->end("enough").ok());
}

TEST_P(SyncShards, RowsOfCopiesAreThoseOfTheirStep) {
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(stepper->pull(0).ok());
  step(0);
  ASSERT_TRUE(shards->snapshot(1, all()).ok());
  ASSERT_TRUE(stepper->fetch(1).ok());
  Tensor emb;
  ASSERT_TRUE(program->state().read(FAKE_EMB, emb).ok());
  const int64_t rowBytes = bytesOfRow(emb.buffer());
  auto state = makeFakeProgram(pool);
  auto opened = CopiedRows::open(shards->copied(), program->artifact(), state->state(), "test");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_TRUE(stateOfCopies(shards->copied()) == stateBytes(program->state()));
  const std::vector<bool> inState = CheckpointRows::variablesInState(program->artifact());
  for (int32_t i = 0; i <= FAKE_GLOBAL_STEP; ++i) {
    EXPECT_FALSE((*opened)->has(i)) << "it is small";
    Tensor here, there;
    ASSERT_TRUE(program->state().read(i, here).ok() && state->state().read(i, there).ok());
    EXPECT_TRUE(!inState[i] || std::memcmp(here.data(), there.data(), here.bytes()) == 0) << i;
  }
  step(1); // the copy stays
  for (const std::vector<int64_t> &rows : {std::vector<int64_t>{0}, {emb.dim(0) - 1}, {0, 2, 3, emb.dim(0) - 1}, {}}) {
    std::string expected, got(rows.size() * static_cast<size_t>(rowBytes), '?');
    for (int64_t row : rows)
      expected.append(emb.as<char>() + row * rowBytes, static_cast<size_t>(rowBytes));
    absl::Status status = (*opened)->readRows(FAKE_EMB, rows, got.data());
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(got == expected);
  }
  std::string some(static_cast<size_t>(emb.bytes() - 5), '?');
  ASSERT_TRUE((*opened)->readBytes(FAKE_EMB, 3, emb.bytes() - 5, some.data()).ok());
  EXPECT_TRUE(some == std::string(emb.as<char>() + 3, some.size()));
  absl::Status beyond = (*opened)->readRows(FAKE_EMB, {emb.dim(0)}, some.data());
  EXPECT_THAT(std::string(beyond.message()), HasSubstr("is on no server"));
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(SyncShards, APartIsCopiedAlone) {
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(shards->probe(modelDir).ok());
  std::vector<bool> one(program->artifact().table().num_variables);
  one[0] = true;
  ASSERT_TRUE(shards->snapshot(0, one).ok());
  EXPECT_EQ(shards->copiedStep(), -1);
  CheckpointManifest manifest;
  CheckpointStore part(modelDir, "part", {0});
  auto path = part.save(program->artifact(), *shards, manifest);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(readManifest(*path)->variables.size(), 1u);
  // What was not copied is not written.
  auto whole = save(0);
  EXPECT_TRUE(absl::IsUnavailable(whole.status()));
  EXPECT_THAT(std::string(whole.status().message()), HasSubstr("was not copied"));
  EXPECT_EQ(fs::exists(modelDir + "/ckpt-0000000000"), false);
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(SyncShards, ACopyIsForgottenWhenTrainingHasGoneOn) {
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(shards->probe(modelDir).ok());
  ASSERT_TRUE(stepper->pull(0).ok());
  ASSERT_TRUE(shards->snapshot(0, all()).ok());
  // There may be more to write of this step.
  shards->forget(0);
  EXPECT_EQ(shards->copiedStep(), 0);
  ASSERT_TRUE(save(0).ok());
  step(0);
  shards->forget(1);
  EXPECT_EQ(shards->copiedStep(), -1);
  // Nobody waits for that; this is the same, waiting.
  cluster::ForgetRequest request;
  cluster::ForgetReply forgotten;
  request.set_run(kRun);
  request.set_step(0);
  auto forget = [&] {
    for (const auto &link : links.links)
      ASSERT_TRUE(link->call("forget", request, {}, kTimeout, forgotten).ok());
  };
  forget();
  // A server that has no copy says so, and makes another one.
  absl::Status gone = shards->write(modelDir + "/ckpt-0000000000", {FAKE_EMB}).status();
  EXPECT_THAT(std::string(gone.message()), HasSubstr("was not copied"));
  ASSERT_TRUE(shards->snapshot(1, all()).ok());
  // What comes late is of the copy before.
  forget();
  ASSERT_TRUE(save(1).ok());
  ASSERT_TRUE(stepper->end("enough").ok());
}

TEST_P(SyncShards, ServersRefuse) {
  const int last = GetParam() - 1;
  PeerLink &link = *links.links[last];
  cluster::ProbeRequest probe;
  probe.set_run(kRun);
  probe.set_model_dir(modelDir);
  probe.set_file("a");
  probe.set_contents("x");
  cluster::ProbeReply probed;
  EXPECT_TRUE(absl::IsAborted(link.call("probe", probe, {}, kTimeout, probed).status())) << "no run";
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(link.call("probe", probe, {}, kTimeout, probed).ok());
  EXPECT_EQ(probed.problem(), "does not see " + modelDir);
  cluster::WriteRequest write;
  write.set_run(kRun);
  write.set_directory("d");
  write.set_file(shardName(0, 1));
  write.add_tensors(FAKE_EMB);
  cluster::WriteReply written;
  auto refused = [&] { return std::string(link.call("write", write, {}, kTimeout, written).status().message()); };
  EXPECT_THAT(refused(), HasSubstr("does not see the model_dir"));
  EXPECT_EQ(*shards->probe(modelDir), "");
  EXPECT_THAT(refused(), HasSubstr("was not copied"));
  cluster::SnapshotRequest snapshot;
  cluster::StateReply copied;
  auto copy = [&] { return link.call("snapshot", snapshot, {}, kTimeout, copied).status(); };
  EXPECT_TRUE(absl::IsAborted(copy())) << "of another run";
  snapshot.set_run(kRun);
  snapshot.add_variables(99);
  EXPECT_TRUE(absl::IsInvalidArgument(copy()));
  snapshot.set_variables(0, -1);
  EXPECT_TRUE(absl::IsInvalidArgument(copy()));
  snapshot.clear_variables();
  ASSERT_TRUE(copy().ok());
  EXPECT_THAT(refused(), HasSubstr("cannot")) << "no such directory";
  for (const char *directory : {"", "..", ".", "a/b", "../x"}) {
    write.set_directory(directory);
    EXPECT_THAT(refused(), HasSubstr("is no file of a checkpoint")) << directory;
  }
  write.set_directory(std::string("a\0b", 3));
  EXPECT_THAT(refused(), HasSubstr("is no file of a checkpoint"));
  write.set_directory("d");
  for (const char *file : {"", "MANIFEST.json", "../ps-00000-of-00001.safetensors"}) {
    write.set_file(file);
    EXPECT_THAT(refused(), HasSubstr("is no file of a checkpoint")) << file;
  }
  write.set_file(shardName(0, 1));
  write.set_tensors(0, -7);
  EXPECT_FALSE(refused().empty());
  write.set_run(1);
  EXPECT_THAT(refused(), HasSubstr("of another run"));
  // What is not there is not sent.
  cluster::CopiedRequest piece;
  cluster::CopiedReply sent;
  auto unsent = [&] { return std::string(link.call("copied", piece, {}, kTimeout, sent).status().message()); };
  EXPECT_THAT(unsent(), HasSubstr("of another run"));
  piece.set_run(kRun);
  piece.set_variable(FAKE_EMB);
  piece.set_bytes(4);
  EXPECT_EQ(unsent(), "");
  for (auto [offset, bytes] : {std::pair<int64_t, int64_t>{-1, 4}, {0, -1}, {0, int64_t(1) << 40}, {INT64_MAX, 4}}) {
    piece.set_offset(offset);
    piece.set_bytes(bytes);
    EXPECT_THAT(unsent(), HasSubstr("bytes from")) << offset << " " << bytes;
  }
  const RowRange held = links.plan->rows(FAKE_EMB, last);
  for (int64_t row : {held.begin - 1, held.end, INT64_MIN, INT64_MAX}) {
    piece.clear_rows();
    piece.add_rows(row);
    EXPECT_THAT(unsent(), HasSubstr("are here")) << row;
  }
  piece.clear_rows();
  for (int32_t variable : {-1, 99}) {
    piece.set_variable(variable);
    EXPECT_THAT(unsent(), HasSubstr("of the model"));
  }
  piece.set_variable(FAKE_EVAL_COUNT);
  EXPECT_THAT(unsent(), HasSubstr("was not copied"));
  // A write that fails names its server.
  ASSERT_TRUE(shards->snapshot(0, all()).ok());
  auto gone = shards->write(modelDir + "/nowhere", {0});
  EXPECT_THAT(std::string(gone.status().message()), testing::ContainsRegex("ps [0-9]: .*nowhere"));
  // Of a step that is over.
  ASSERT_TRUE(stepper->pull(0).ok());
  step(0);
  EXPECT_THAT(std::string(copy().message()), HasSubstr("the state of step 0 is gone"));
  ASSERT_TRUE(stepper->end("enough").ok());
  EXPECT_THAT(std::string(shards->snapshot(1, all()).message()), HasSubstr("enough"));
}

TEST_P(SyncShards, AServerThatEndsIsALostTask) {
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_EQ(*shards->probe(modelDir), "");
  ASSERT_TRUE(stepper->pull(0).ok());
  ASSERT_TRUE(shards->snapshot(0, all()).ok());
  // Between the copy and the write.
  servers.back()->isStopped = true;
  servers.back()->serving.join();
  EXPECT_TRUE(absl::IsCancelled(servers.back()->served.status()));
  absl::Status saved = save(0).status();
  EXPECT_TRUE(absl::IsUnavailable(saved)) << saved;
  EXPECT_THAT(std::string(saved.message()), HasSubstr("the server was told to stop"));
  // Whatever it is asked, it says why, and nobody asks again.
  for (const char *method : {"load", "prepare", "fill", "pull", "fetch", "rows", "progress", "step", "credit", "probe",
                             "snapshot", "write", "copied", "forget"}) {
    cluster::LeaveReply reply;
    absl::Status status = links.links.back()->call(method, cluster::LeaveRequest(), {}, kTimeout, reply).status();
    EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << method << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("told to stop")) << method;
  }
  EXPECT_TRUE(stepper->end("enough").ok());
}

TEST_P(AsyncShards, AreBehindOneUpdate) {
  ASSERT_TRUE(stepper->load(plan).ok());
  ASSERT_TRUE(shards->probe(modelDir).ok());
  ASSERT_TRUE(stepper->pull(0).ok());
  for (int64_t ticket = 0; ticket < 6; ++ticket) {
    step(ticket);
    std::string fetched;
    absl::Status status = async->hold([&](const cluster::StateReply &held) {
      EXPECT_EQ(held.step(), ticket + 1);
      absl::Status copied = shards->snapshot(held.step(), all());
      copied.Update(async->RemoteStepper::fetch(held.step()));
      fetched = stateBytes(program->state());
      return copied;
    });
    ASSERT_TRUE(status.ok()) << status;
    absl::StatusOr<std::string> path;
    std::thread saver([&, saved = ticket + 1] { path = save(saved); });
    step(++ticket);
    saver.join();
    ASSERT_TRUE(path.ok()) << path.status();
    EXPECT_TRUE(stateOf(*path) == fetched);
  }
  ASSERT_TRUE(stepper->end("enough").ok());
}
