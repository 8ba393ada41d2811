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
