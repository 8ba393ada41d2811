//===- ProgramTest.cpp - State, settings and locks of a program --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Program.h"
#include "FakeBatch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

class ProgramOfFake : public testing::Test {
protected:
  ThreadPool pool{1};
  std::unique_ptr<Program> program = makeFakeProgram(pool);
  State &state = program->state();
  Settings &settings = program->settings();
};

TEST_F(ProgramOfFake, InitializeRunsTheInitEntryWithTheSeed) {
  Tensor emb = *state.read("emb");
  EXPECT_EQ(emb.dims(), (std::vector<int64_t>{5, 2}));
  EXPECT_EQ(emb.as<float>()[0], 0.125f * 3);
  ASSERT_TRUE(program->initialize(/*seed=*/4, pool).ok());
  EXPECT_EQ(state.read("emb")->as<float>()[0], 0.125f * 4);
}

TEST_F(ProgramOfFake, PackedVariableIsReadInLogicalOrder) {
  Tensor w = *state.read("w");
  EXPECT_THAT(std::vector<float>(w.as<float>(), w.as<float>() + 3), ElementsAre(1, 2, 3));
  const float *storage = static_cast<const float *>(state.storage(FAKE_W).data);
  EXPECT_THAT(std::vector<float>(storage, storage + 3), ElementsAre(3, 2, 1));
}

TEST_F(ProgramOfFake, WriteThenReadGivesTheSame) {
  float values[] = {7, 8, 9};
  ASSERT_TRUE(state.write("w", makeBuffer(values, MLCRT_F32, {3})).ok());
  EXPECT_EQ(static_cast<const float *>(state.storage(FAKE_W).data)[0], 9);
  EXPECT_EQ(state.read("w")->as<float>()[0], 7);
  int64_t step = 12;
  ASSERT_TRUE(state.write("global_step", makeBuffer(&step, MLCRT_I64, {})).ok());
  EXPECT_EQ(*state.read("global_step")->as<int64_t>(), 12);
}

TEST_F(ProgramOfFake, WriteChecksNameTypeAndShape) {
  float values[4] = {};
  EXPECT_EQ(state.write("nothing", makeBuffer(values, MLCRT_F32, {3})).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(state.read("nothing").status().code(), absl::StatusCode::kNotFound);
  absl::Status status = state.write("w", makeBuffer(values, MLCRT_F32, {4}));
  EXPECT_EQ(status.message(), "variable 'w': found f32[4], expected f32[3]");
  EXPECT_FALSE(state.write("w", makeBuffer(values, MLCRT_I32, {3})).ok());
  EXPECT_FALSE(state.write("w", makeBuffer(values, MLCRT_F32, {3, 1})).ok());
}

TEST_F(ProgramOfFake, ResetEvalTouchesOnlyEvalVariables) {
  int64_t seven = 7;
  ASSERT_TRUE(state.write("eval/count", makeBuffer(&seven, MLCRT_I64, {})).ok());
  ASSERT_TRUE(state.write("global_step", makeBuffer(&seven, MLCRT_I64, {})).ok());
  ASSERT_TRUE(program->resetEval(pool).ok());
  EXPECT_EQ(*state.read("eval/count")->as<int64_t>(), 0);
  EXPECT_EQ(*state.read("global_step")->as<int64_t>(), 7);
}

TEST_F(ProgramOfFake, SettingsStartWithDefaults) {
  ASSERT_EQ(settings.size(), 3);
  EXPECT_EQ(settings.setting(0).dtype, MLCRT_F32);
  EXPECT_EQ(*reinterpret_cast<const float *>(&settings.cells()[0]), 0.1f);
  EXPECT_EQ(std::get<int64_t>(settings.get(1)), 3);
  EXPECT_EQ(std::get<bool>(settings.get(2)), true);
}

TEST_F(ProgramOfFake, SettingsCanBeSet) {
  ASSERT_TRUE(settings.set("optimizer.learning_rate", 0.5).ok());
  EXPECT_EQ(*reinterpret_cast<const float *>(&settings.cells()[0]), 0.5f);
  ASSERT_TRUE(settings.set("optimizer.learning_rate", int64_t(2)).ok());
  EXPECT_EQ(std::get<double>(settings.get(0)), 2.0);
  ASSERT_TRUE(settings.set("model.width", int64_t(-4)).ok());
  EXPECT_EQ(*reinterpret_cast<const int32_t *>(&settings.cells()[1]), -4);
  ASSERT_TRUE(settings.set("model.flag", false).ok());
  EXPECT_EQ(std::get<bool>(settings.get(2)), false);
}

TEST_F(ProgramOfFake, SettingsCheckPathKindAndRange) {
  EXPECT_EQ(settings.set("optimizer.rate", 0.5).code(), absl::StatusCode::kNotFound);
  absl::Status status = settings.set("model.width", 2.5);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "setting 'model.width': found 2.5, expected an integer of type i32");
  EXPECT_FALSE(settings.set("model.width", int64_t(1) << 40).ok());
  EXPECT_FALSE(settings.set("model.flag", int64_t(1)).ok());
  EXPECT_FALSE(settings.set("optimizer.learning_rate", true).ok());
  EXPECT_FALSE(settings.set("optimizer.learning_rate", 1e60).ok());
  EXPECT_EQ(std::get<int64_t>(settings.get(1)), 3) << "a refused value changes nothing";
}

TEST(Guard, SetIsSortedAndJoinsAccesses) {
  const mlcrt_operand operands[] = {{MLCRT_SOURCE_VARIABLE, 4, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                    {MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                    {MLCRT_SOURCE_VARIABLE, 1, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                    {MLCRT_SOURCE_VARIABLE, 4, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
  mlcrt_segment segment = {"s", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 4, operands, nullptr, 0, nullptr};
  mlcrt_variable variables[5] = {};
  Guard::Set set = Guard::setOf(segment, variables);
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0].variable, 1);
  EXPECT_FALSE(set[0].write);
  EXPECT_EQ(set[1].variable, 4);
  EXPECT_TRUE(set[1].write);

  variables[4].flags = MLCRT_VARIABLE_RACY;
  set = Guard::setOf(segment, variables);
  ASSERT_EQ(set.size(), 1u) << "a racy variable needs no lock";
  EXPECT_EQ(set[0].variable, 1);
}

TEST(Guard, WritersExcludeEachOtherAndReaders) {
  Guard guard(2);
  const Guard::Set write = {{0, true}}, read = {{0, false}, {1, true}};
  int64_t value = 0; // written in two steps; a reader must never see an odd value
  std::atomic<bool> odd{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3000; ++i) {
        Guard::Hold hold(guard, write);
        ++value;
        ++value;
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 3000; ++i) {
        Guard::Hold hold(guard, read);
        if (value % 2)
          odd = true;
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(value, 12000);
  EXPECT_FALSE(odd);
}

TEST(Guard, ReadersShare) {
  Guard guard(1);
  const Guard::Set read = {{0, false}};
  Guard::Hold mine(guard, read);
  std::atomic<bool> entered{false};
  std::thread other([&] {
    Guard::Hold hold(guard, read);
    entered = true;
  });
  other.join(); // would not end if readers excluded each other
  EXPECT_TRUE(entered);
}
