// Steps on several devices have the bits of those on one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ReplicatedStep.h"
#include "FakeBatch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlcrt;

namespace {

/// The devices are parts of the host, each with variables of its own.
class ReplicatedStepTest : public testing::Test {
protected:
  /// The state after `steps` steps of `rows` rows by the stepper.
  std::string train(Stepper &stepper, TrainMode mode, int steps, int64_t rows) {
    auto features = TrainFeatures::create(*program, pool, mode);
    EXPECT_TRUE(features.ok()) << features.status();
    TrainSlots slots = (*features)->makeSlots();
    for (int s = 0; s < steps; ++s) {
      FakeBatch batch(rows, s);
      CallContext context = {5, s, 0};
      EXPECT_TRUE((*features)->run(batch.view, slots, context).ok());
      const absl::Status status = stepper.run(batch.view, slots, context);
      EXPECT_TRUE(status.ok()) << status;
      loss = *stepper.results().scalar("loss");
    }
    return stateBytes(program->state());
  }
  std::string trainOnOne(TrainMode mode, int steps, int64_t rows) {
    EXPECT_TRUE(program->initialize(3, pool).ok());
    return train(**TrainStep::create(*program, pool, mode), mode, steps, rows);
  }
  std::string trainOn(int devices, TrainMode mode, int steps, int64_t rows) {
    EXPECT_TRUE(program->initialize(3, pool).ok());
    others.clear();
    std::vector<Program *> pointers;
    for (int d = 1; d < devices; ++d) {
      others.push_back(makeFakeProgram(pool));
      EXPECT_TRUE(others.back()->initialize(100 + d, pool).ok()) << "other values, which do not count";
      pointers.push_back(others.back().get());
    }
    auto step = ReplicatedStep::create(*program, pointers, pool, mode);
    EXPECT_TRUE(step.ok()) << step.status();
    std::string state = train(**step, mode, steps, rows);
    for (const auto &other : others)
      EXPECT_EQ(stateBytes(other->state()), state) << "each device has all variables";
    return state;
  }

  ThreadPool pool{2};
  std::unique_ptr<Program> program = makeFakeProgram(pool);
  std::vector<std::unique_ptr<Program>> others;
  double loss = 0;
};

TEST_F(ReplicatedStepTest, HasTheBitsOfOneDevice) {
  for (int shards : {2, 3, 8, 13}) {
    const std::string one = trainOnOne({shards}, 10, 37);
    const double lossOfOne = loss;
    for (int devices : {1, 2, 3, 4, 8}) {
      if (devices > shards)
        continue;
      EXPECT_EQ(trainOn(devices, {shards}, 10, 37), one) << devices << " devices, " << shards << " shards";
      EXPECT_EQ(loss, lossOfOne);
    }
  }
}

TEST_F(ReplicatedStepTest, ShardsMayHaveNoRows) {
  // 3 rows for 8 shards on 8 devices: 5 of them have nothing to do but to apply.
  EXPECT_EQ(trainOn(8, {8}, 5, 3), trainOnOne({8}, 5, 3));
  EXPECT_EQ(trainOn(4, {8}, 5, 1), trainOnOne({8}, 5, 1));
}

TEST_F(ReplicatedStepTest, EachDeviceHasAShard) {
  Program *second = program.get();
  const absl::Status status = ReplicatedStep::create(*program, {second, second}, pool, {2}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "3 devices for 2 virtual shards; expected: one for each at least");
}

/// Counts what it is asked for.
class CountedCollective : public DeviceCollective {
public:
  absl::Status beginCopies() override {
    ++begun;
    return absl::OkStatus();
  }
  absl::Status endCopies() override {
    ++ended;
    return absl::OkStatus();
  }
  bool canAdd(int32_t dtype) const override { return dtype == MLCRT_I64; }
  absl::Status add(const std::vector<CollectiveSum> &) override { return absl::OkStatus(); }
  absl::Status check() override {
    ++checks;
    return late;
  }
  void giveUp() override { ++aborts; }

  int begun = 0, ended = 0, checks = 0, aborts = 0;
  absl::Status late; ///< an error of what was asked for
};

TEST_F(ReplicatedStepTest, ACollectiveGetsCopiesTogether) {
  EXPECT_TRUE(program->initialize(3, pool).ok());
  for (int d = 1; d < 3; ++d)
    others.push_back(makeFakeProgram(pool));
  CountedCollective collective;
  TrainMode mode = {6};
  auto step = ReplicatedStep::create(*program, {others[0].get(), others[1].get()}, pool, mode, {&collective, false});
  ASSERT_TRUE(step.ok()) << step.status();
  const std::string state = train(**step, mode, 2, 12);
  // Each step one for each of the two nodes of the others, {1, 1} and {1, 2}, and one for the totals.
  EXPECT_EQ(collective.begun, 6);
  EXPECT_EQ(collective.ended, 6);
  EXPECT_EQ(collective.checks, 2);
  EXPECT_EQ(collective.aborts, 0);
  EXPECT_EQ(state, trainOnOne(mode, 2, 12));

  // What it says when a step has ended is the step's error.
  collective.late = absl::InternalError("late");
  auto features = TrainFeatures::create(*program, pool, mode);
  TrainSlots slots = (*features)->makeSlots();
  FakeBatch batch(12, 2);
  CallContext context = {5, 2, 0};
  ASSERT_TRUE((*features)->run(batch.view, slots, context).ok());
  EXPECT_EQ((*step)->run(batch.view, slots, context).message(), "late");
  // The others do not wait for a device that failed.
  batch.view.features.clear();
  EXPECT_FALSE((*step)->run(batch.view, slots, context).ok());
  EXPECT_GT(collective.aborts, 0);

  const absl::Status refused =
      ReplicatedStep::create(*program, {others[0].get()}, pool, mode, {&collective, true}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("sum 'emb.ids' is of the ids of a batch"));
}

TEST_F(ReplicatedStepTest, AStepThatFailsChangesNoDevice) {
  EXPECT_TRUE(program->initialize(3, pool).ok());
  others.push_back(makeFakeProgram(pool));
  TrainMode mode = {4};
  auto step = ReplicatedStep::create(*program, {others[0].get()}, pool, mode);
  ASSERT_TRUE(step.ok());
  const std::string before = train(**step, mode, 2, 12);
  auto features = TrainFeatures::create(*program, pool, mode);
  TrainSlots slots = (*features)->makeSlots();
  FakeBatch batch(12, 2);
  CallContext context = {5, 2, 0};
  ASSERT_TRUE((*features)->run(batch.view, slots, context).ok());
  batch.view.features.clear(); // of the second device's shards, too
  EXPECT_FALSE((*step)->run(batch.view, slots, context).ok());
  EXPECT_EQ(stateBytes(program->state()), before);
  EXPECT_EQ(stateBytes(others[0]->state()), before);
}

} // namespace
