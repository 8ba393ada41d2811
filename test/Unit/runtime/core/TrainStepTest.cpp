//===- TrainStepTest.cpp - The fused step, its three parts, and virtual shards -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/TrainStep.h"
#include "AllocationCount.h"
#include "FakeBatch.h"
#include "test/Unit/runtime/core/StaticDims.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <limits>
#include <map>
#include <optional>

using namespace mlcrt;
using testing::HasSubstr;

class TrainStepOfFake : public testing::Test {
protected:
  /// State after `steps` steps of `rows` rows from seed 3.
  std::string train(TrainMode mode, int steps, int64_t rows, int threads = 2) {
    ThreadPool own(threads);
    EXPECT_TRUE(program->initialize(3, own).ok());
    auto features = TrainFeatures::create(*program, own, mode);
    auto step = TrainStep::create(*program, own, mode);
    EXPECT_TRUE(features.ok() && step.ok());
    TrainSlots slots = (*features)->makeSlots();
    for (int s = 0; s < steps; ++s) {
      FakeBatch batch(rows, s);
      CallContext context = {5, s, 0};
      absl::Status status = (*features)->run(batch.view, slots, context);
      EXPECT_TRUE(status.ok()) << status;
      status = (*step)->run(batch.view, slots, context);
      EXPECT_TRUE(status.ok()) << status;
      loss = *(*step)->results().scalar("loss");
      EXPECT_EQ(*(*step)->results().scalar("weight"), static_cast<double>(rows));
    }
    return stateBytes(program->state());
  }

  ThreadPool pool{2};
  std::unique_ptr<Program> program = makeFakeProgram(pool);
  double loss = 0;
};

TEST_F(TrainStepOfFake, PartsGiveTheBitsOfTheFusedStep) {
  std::string fused = train({1, false}, 10, 37);
  double fusedLoss = loss;
  EXPECT_EQ(train({1, true}, 10, 37), fused);
  EXPECT_EQ(loss, fusedLoss);
}

TEST_F(TrainStepOfFake, ShardsAreRepeatable) {
  std::string once = train({8, false}, 10, 37, /*threads=*/1);
  EXPECT_EQ(train({8, false}, 10, 37, /*threads=*/2), once);
  EXPECT_EQ(train({8, false}, 10, 37, /*threads=*/5), once);
}

TEST_F(TrainStepOfFake, ShardsComputeTheSameUpToRounding) {
  train({1, false}, 20, 37);
  double whole = loss;
  Tensor expected = *program->state().read("emb");
  for (int shards : {2, 3, 8, 36, 37, 64}) {
    train({shards, false}, 20, 37);
    EXPECT_NEAR(loss, whole, 1e-5 * whole) << shards;
    Tensor found = *program->state().read("emb");
    for (int64_t i = 0; i < expected.elements(); ++i)
      EXPECT_NEAR(found.as<float>()[i], expected.as<float>()[i], 1e-5) << shards;
  }
}

/// The tree of the definition, level by level, over the shards' loss sums.
static std::optional<float> foldByLevels(std::vector<std::optional<float>> level) {
  while (level.size() > 1) {
    std::vector<std::optional<float>> up;
    for (size_t i = 0; i < level.size(); i += 2) {
      if (i + 1 == level.size() || !level[i + 1])
        up.push_back(level[i]);
      else if (!level[i])
        up.push_back(level[i + 1]);
      else
        up.push_back(*level[i] + *level[i + 1]);
    }
    level = up;
  }
  return level[0];
}

// Each shard's loss sum comes from a grad run over its rows alone; the step's loss must be their sum by the tree, in
// every bit. Includes fewer rows than shards, where ranges are empty.
TEST_F(TrainStepOfFake, FoldIsTheFixedTree) {
  bool orderMatters = false;
  for (int shards : {2, 3, 5, 6, 7, 8, 13, 16})
    for (int64_t rows : {int64_t(1), int64_t(3), int64_t(5), int64_t(101)}) {
      FakeBatch batch(rows, 9);
      ASSERT_TRUE(program->initialize(3, pool).ok());
      std::vector<std::optional<float>> leaves(shards);
      std::optional<float> leftToRight;
      EntryRunner grad(*program, *program->artifact().entry("train_grad"), pool);
      for (int64_t s = 0; s < shards; ++s) {
        int64_t low = rows * s / shards, high = rows * (s + 1) / shards;
        if (low == high)
          continue;
        BatchView view;
        view.rows = high - low;
        view.features = {makeBuffer(&batch.x[3 * low], MLCRT_F32, {high - low, 3}),
                         makeBuffer(&batch.keys[low], MLCRT_STRING, {high - low}),
                         makeBuffer(&batch.y[low], MLCRT_F32, {high - low})};
        FeatureSlot slot = grad.makeSlot();
        CallContext context = {5, 0, 100 + low};
        ASSERT_TRUE(grad.runFeatures(view, slot, context).ok());
        SumSet sums;
        SumOperands operands;
        operands.out = &sums;
        ASSERT_TRUE(grad.runStep(view, slot, context, operands, Symbols{rows}, 0).ok());
        leaves[s] = *sums.sum(0).as<float>();
        leftToRight = leftToRight ? *leftToRight + *leaves[s] : *leaves[s];
      }
      float sum = *foldByLevels(leaves);
      orderMatters |= sum != *leftToRight;

      auto features = *TrainFeatures::create(*program, pool, {shards, false});
      auto step = *TrainStep::create(*program, pool, {shards, false});
      TrainSlots slots = features->makeSlots();
      CallContext context = {5, 0, 100};
      ASSERT_TRUE(features->run(batch.view, slots, context).ok());
      ASSERT_TRUE(step->run(batch.view, slots, context).ok());
      EXPECT_EQ(static_cast<float>(*step->results().scalar("loss")), sum / static_cast<float>(rows))
          << shards << " shards of " << rows << " rows";
    }
  EXPECT_TRUE(orderMatters) << "the data must be able to tell the tree from another order";
}

namespace {
/// Notes what gradients ask and tell.
class NotingWatch : public ShardStep::Watch {
public:
  absl::Status await(int32_t variable) override {
    awaited.push_back(variable);
    return answer;
  }
  void done(const SumSet &sums, int32_t sum) override {
    told.push_back(sum);
    final[sum] = &sums;
  }
  std::vector<int32_t> awaited, told;
  std::map<int32_t, const SumSet *> final;
  absl::Status answer;
};
} // namespace

TEST_F(TrainStepOfFake, SumsAreToldWhileTheyAreMade) {
  // As compiled code tells it, and as the runtime does of code that is silent.
  mlcrt_artifact quiet = program->artifact().table();
  std::vector<mlcrt_entry> entries(quiet.entries, quiet.entries + quiet.num_entries);
  entries[FAKE_GRAD] = fake_quiet_grad;
  quiet.entries = entries.data();
  for (bool isQuiet : {false, true}) {
    auto own = makeFakeProgram(pool, isQuiet ? *Artifact::fromTable(&quiet) : nullptr);
    TrainMode mode = {8, false};
    auto features = TrainFeatures::create(*own, pool, mode);
    auto shards = ShardStep::create(*own, pool, mode);
    TrainSlots slots = (*features)->makeSlots();
    for (int64_t rows : {37, 5, 1}) // of some shards none
      for (SumNode node : {SumNode{3, 0}, SumNode{1, 2}, SumNode{0, 7}}) {
        FakeBatch batch(rows);
        CallContext context = {5, 0, 0};
        ASSERT_TRUE((*features)->run(batch.view, slots, context).ok());
        ASSERT_TRUE((*shards)->begin(batch.view, slots, context).ok());
        absl::StatusOr<SumSet *> expected = (*shards)->sum(node);
        ASSERT_TRUE(expected.ok());
        EXPECT_EQ((*shards)->hasRows(node), *expected != nullptr);
        if (!*expected)
          continue;
        std::vector<std::string> bytes;
        for (int32_t i = 0; i < (*expected)->size(); ++i) {
          const Tensor &sum = (*expected)->sum(i);
          // Of sparse sums what counts.
          const int64_t count = *(*expected)->sum(5).as<int64_t>();
          const int64_t size = i == 3 ? count * 8 : i == 4 ? count * 8 : sum.bytes();
          bytes.emplace_back(sum.as<char>(), size);
        }
        NotingWatch watch;
        ASSERT_TRUE((*shards)->begin(batch.view, slots, context, &watch).ok());
        absl::Status status = (*shards)->sumWatched(node);
        ASSERT_TRUE(status.ok()) << status;
        // Sums from the last to the first where the code tells it; sparse ones once.
        EXPECT_THAT(watch.told, isQuiet ? testing::ElementsAre(0, 1, 2, 3) : testing::ElementsAre(3, 2, 1, 0));
        EXPECT_EQ(watch.awaited[0], FAKE_W);
        EXPECT_EQ(watch.awaited[1], FAKE_EMB);
        for (int32_t i = 0; i < 6; ++i)
          EXPECT_TRUE(bytes[i] == std::string(watch.final[std::min(i, 3)]->sum(i).as<char>(), bytes[i].size())) << i;
        // What does not come ends the call as it says.
        watch.answer = absl::UnavailableError("it is gone");
        ASSERT_TRUE((*shards)->begin(batch.view, slots, context, &watch).ok());
        EXPECT_EQ((*shards)->sumWatched(node), watch.answer);
        ASSERT_TRUE((*shards)->begin(batch.view, slots, context, &watch).ok());
        EXPECT_EQ((*shards)->sum(node).status(), watch.answer);
      }
  }
}

TEST_F(TrainStepOfFake, ShardedStepAllocatesNothing) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has its own allocator";
  auto features = *TrainFeatures::create(*program, pool, {8, false});
  auto step = *TrainStep::create(*program, pool, {8, false});
  TrainSlots slots = features->makeSlots();
  FakeBatch large(100), small(6);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(features->run(large.view, slots, {}).ok());
    ASSERT_TRUE(step->run(large.view, slots, {}).ok());
  }
  int64_t before = allocationCount();
  for (const FakeBatch *batch : {&large, &small, &large}) {
    ASSERT_TRUE(features->run(batch->view, slots, {}).ok());
    ASSERT_TRUE(step->run(batch->view, slots, {}).ok());
  }
  EXPECT_EQ(allocationCount(), before);
}

TEST_F(TrainStepOfFake, RowOfAnErrorIsThatOfTheBatch) {
  auto features = *TrainFeatures::create(*program, pool, {8, false});
  TrainSlots slots = features->makeSlots();
  FakeBatch batch(80);
  batch.y[57] = std::numeric_limits<float>::quiet_NaN();
  absl::Status status = features->run(batch.view, slots, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(stepErrorOf(status).row, 57);
}

TEST_F(TrainStepOfFake, RefusesWhatCannotRun) {
  EXPECT_EQ(TrainStep::create(*program, pool, {0, false}).status().code(), absl::StatusCode::kInvalidArgument);
  auto features = *TrainFeatures::create(*program, pool, {2, false});
  TrainSlots slots = features->makeSlots();
  EXPECT_FALSE(features->run(FakeBatch(0).view, slots, {}).ok());
  FakeBatch batch(4);
  batch.view.features[FAKE_FEATURE_Y].dims[0] = 3;
  EXPECT_THAT(std::string(features->run(batch.view, slots, {}).message()), HasSubstr("found f32[3], expected f32[4]"));
}

TEST_F(TrainStepOfFake, FeatureWithoutRowsCannotBeSharded) {
  mlcrt_artifact table = *mlc_artifact_query(MLCRT_ABI_VERSION, nullptr);
  std::vector<mlcrt_value> features(table.features, table.features + table.num_features);
  features[FAKE_FEATURE_X].dims = kDims<4, 3>;
  table.features = features.data();
  auto fixed = *Program::create(*Artifact::fromTable(&table));
  EXPECT_TRUE(TrainFeatures::create(*fixed, pool, {1, true}).ok());
  absl::Status status = TrainFeatures::create(*fixed, pool, {2, false}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("feature 'x' cannot be cut"));
}

TEST_F(TrainStepOfFake, ArtifactWithoutPartsCannotBeSharded) {
  mlcrt_artifact table = *mlc_artifact_query(MLCRT_ABI_VERSION, nullptr);
  std::vector<mlcrt_entry> entries;
  for (int32_t i = 0; i < table.num_entries; ++i)
    if (const int32_t role = table.entries[i].role;
        role < MLCRT_ROLE_TRAIN_GRAD || (role > MLCRT_ROLE_TRAIN_APPLY && role < MLCRT_ROLE_TRAIN_PARTIAL))
      entries.push_back(table.entries[i]);
  table.num_updates = table.num_shared = table.num_pulls = 0;
  table.entries = entries.data();
  table.num_entries = static_cast<int32_t>(entries.size());
  auto whole = *Program::create(*Artifact::fromTable(&table));
  EXPECT_TRUE(TrainStep::create(*whole, pool, {1, false}).ok());
  absl::Status status = TrainStep::create(*whole, pool, {2, false}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("train_grad, train_combine, train_apply"));
}
