// The scalars of a call, the error slot, and features side by side, as segments get them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/StepBuffer.h"
#include "FakeDevice.h"

#include "gmock/gmock.h"

using namespace mlcrt;
using testing::ElementsAre;

namespace {

/// The buffers of the call that ran last.
std::vector<mlcrt_buffer> given;
std::vector<std::vector<int64_t>> dims, strides;

int32_t remember(mlcrt_frame *frame, int32_t count) {
  given.assign(frame->buffers, frame->buffers + count);
  dims.clear();
  strides.clear();
  for (const mlcrt_buffer &buffer : given) {
    dims.emplace_back(buffer.dims, buffer.dims + buffer.rank);
    strides.emplace_back();
    if (buffer.strides)
      strides.back().assign(buffer.strides, buffer.strides + buffer.rank);
  }
  return MLCRT_OK;
}

template <typename T> T scalar(int i) { return *static_cast<const T *>(given[i].data); }

class StepBufferTest : public testing::Test {
protected:
  absl::Status run(const BatchView &batch, const CallContext &context = {}) {
    EntryRunner runner(*model.program, model.entry, pool);
    return runner.run(batch, context);
  }
  OneSegment model;
  ThreadPool pool{4};
  TwoFeatures batch{3};
};

TEST_F(StepBufferTest, HasTheScalarsOfTheCallInOneBlock) {
  model.add(MLCRT_SOURCE_STEP, 0, MLCRT_READ);
  model.add(MLCRT_SOURCE_CONTEXT, MLCRT_CONTEXT_STEP, MLCRT_READ);
  model.add(MLCRT_SOURCE_SETTING, 0, MLCRT_READ);
  model.add(MLCRT_SOURCE_SETTING, 1, MLCRT_READ);
  model.add(MLCRT_SOURCE_DIMENSION, 0, MLCRT_READ);
  model.add(MLCRT_SOURCE_FEATURE, 0, MLCRT_READ);
  model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE);
  model.make([](mlcrt_frame *frame) -> int32_t {
    remember(frame, 7);
    const auto *cells = static_cast<const int64_t *>(given[0].data);
    EXPECT_THAT(dims[0], ElementsAre(MLCRT_STEP_SYMBOLS(2) + 1));
    EXPECT_THAT(std::vector<int64_t>(cells, cells + 3), ElementsAre(9, 40, 1000));
    EXPECT_EQ(given[1].data, cells + MLCRT_CONTEXT_STEP);
    EXPECT_EQ(given[2].data, cells + MLCRT_STEP_SETTINGS);
    EXPECT_EQ(given[3].data, cells + MLCRT_STEP_SETTINGS + 1);
    EXPECT_EQ(given[4].data, cells + MLCRT_STEP_SYMBOLS(2));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(cells) % MLCRT_ALIGNMENT, 0u);
    EXPECT_EQ(scalar<float>(2), 0.25f);
    EXPECT_EQ(scalar<int64_t>(3), 7);
    EXPECT_EQ(scalar<int64_t>(4), 3);
    return MLCRT_OK;
  });
  ASSERT_TRUE(model.program->settings().set("rate", 0.25).ok());
  CallContext context;
  context.seed = 9;
  context.step = 40;
  context.firstRow = 1000;
  EXPECT_TRUE(run(batch.view, context).ok());
  EXPECT_EQ(given.size(), 7u);
}

/// Rows at fault, found in an order that threads decide.
int32_t lower(mlcrt_frame *frame, mlcrt_task_fn task) {
  return frame->services->parallel_for(frame->env, task, frame, 1000);
}

TEST_F(StepBufferTest, OfErrorsInTheSlotTheLeastRowStays) {
  model.add(MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE);
  model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE);
  model.make([](mlcrt_frame *frame) {
    return lower(frame, [](void *args, int64_t first, int64_t last, int64_t) -> int32_t {
      auto &slot = *static_cast<std::atomic<uint64_t> *>(static_cast<mlcrt_frame *>(args)->buffers[0].data);
      for (int64_t i = first; i < last; ++i)
        if (i % 10 == 7)
          lowerErrorSlot(slot, MLCRT_ERROR(i, i % 20 == 7));
      return MLCRT_OK;
    });
  });
  for (int round = 0; round < 20; ++round) {
    absl::Status status = run(batch.view);
    EXPECT_EQ(status.message(), "x is not finite");
    EXPECT_EQ(stepErrorOf(status).row, 7);
  }
}

TEST_F(StepBufferTest, ReportsAndChecksShareTheSlot) {
  model.add(MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE);
  model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE);
  static int64_t reported, checked;
  model.make([](mlcrt_frame *frame) -> int32_t {
    frame->services->report_error(frame->env, MLCRT_DATA_ERROR, reported, "reported");
    auto &slot = *static_cast<std::atomic<uint64_t> *>(frame->buffers[0].data);
    EXPECT_LT(slot.load(), MLCRT_NO_ERROR) << "compiled code sees that something failed";
    lowerErrorSlot(slot, MLCRT_ERROR(checked, 0));
    return MLCRT_OK;
  });
  const auto error = [&](int64_t report, int64_t check) {
    reported = report;
    checked = check;
    const StepError found = stepErrorOf(run(batch.view));
    return found.message + " " + std::to_string(found.row);
  };
  EXPECT_EQ(error(5, 6), "reported 5");
  EXPECT_EQ(error(6, 5), "x is negative 5");
  EXPECT_EQ(error(5, 5), "x is negative 5");
  EXPECT_EQ(error(-1, 8), "x is negative 8");
  EXPECT_EQ(error(-1, MLCRT_NO_ROW), "x is negative -1");
}

TEST_F(StepBufferTest, ANumberThatIsNoCheckIsAnError) {
  model.add(MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE);
  model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE);
  model.make([](mlcrt_frame *frame) -> int32_t {
    *static_cast<uint64_t *>(frame->buffers[0].data) = MLCRT_ERROR(4, 2);
    return MLCRT_OK;
  });
  EXPECT_EQ(run(batch.view).message(), "check 2 failed, which the artifact does not have");
}

/// x and y held in one matrix, as abi.h's mlcrt_matrix has them.
struct Held {
  explicit Held(const TwoFeatures &batch) : cells(3 * batch.x.size()) {
    const auto rows = static_cast<int64_t>(batch.x.size());
    for (int64_t r = 0; r < rows; ++r) {
      cells[3 * r] = batch.y[2 * r];
      cells[3 * r + 1] = batch.y[2 * r + 1];
      cells[3 * r + 2] = batch.x[r];
    }
    view.rows = rows;
    view.features = {{cells.data() + 2, MLCRT_F32, {rows}, 3}, {cells.data(), MLCRT_F32, {rows, 2}, 3}};
    view.matrices = {makeBuffer(cells.data(), MLCRT_F32, {rows, 3})};
  }
  std::vector<float> cells;
  BatchView view;
};

std::vector<float> floats(int i, int64_t count) {
  const auto *data = static_cast<const float *>(given[i].data);
  return {data, data + count};
}

TEST_F(StepBufferTest, FeaturesSideBySideAreOneMatrix) {
  model.add(MLCRT_SOURCE_MATRIX, 0, MLCRT_READ);
  model.add(MLCRT_SOURCE_FEATURE, 0, MLCRT_READ);
  model.add(MLCRT_SOURCE_FEATURE, 1, MLCRT_READ, MLCRT_SPACE_HOST, MLCRT_OPERAND_STRIDED);
  model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE);
  model.make([](mlcrt_frame *frame) -> int32_t {
    remember(frame, 3);
    EXPECT_THAT(floats(0, 9), ElementsAre(0, 1, 0, 10, 11, 1, 20, 21, 2));
    EXPECT_THAT(floats(1, 3), ElementsAre(0, 1, 2)) << "dense, unless the operand takes strides";
    return MLCRT_OK;
  });
  ASSERT_TRUE(run(batch.view).ok());
  EXPECT_EQ(given[1].data, batch.x.data()) << "no copy";
  EXPECT_EQ(given[2].strides, nullptr);

  const Held held(batch);
  ASSERT_TRUE(run(held.view).ok());
  EXPECT_EQ(given[0].data, held.cells.data()) << "no copy";
  EXPECT_EQ(given[2].data, held.cells.data());
  EXPECT_THAT(dims[2], ElementsAre(3, 2));
  EXPECT_THAT(strides[2], ElementsAre(3, 1));
}

TEST_F(StepBufferTest, AnyRankIsTaken) {
  static constexpr const int64_t *kNine = kDims<MLCRT_DIM_SYMBOL(0), 1, 2, 1, 1, 2, 1, 1, 1>;
  model.features[1] = {"y", MLCRT_F32, 9, kNine};
  model.matrices[0].num_columns = 1;
  model.columns[0] = {0, 0, 0};
  model.matrices[0].value.dims = kDims<MLCRT_DIM_SYMBOL(0), 1>;
  model.outputs[0] = {"out", MLCRT_F32, 9, kNine};
  model.add(MLCRT_SOURCE_FEATURE, 1, MLCRT_READ);
  model.add(MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE);
  model.make([](mlcrt_frame *frame) -> int32_t {
    remember(frame, 2);
    EXPECT_THAT(dims[0], ElementsAre(2, 1, 2, 1, 1, 2, 1, 1, 1));
    EXPECT_EQ(dims[1], dims[0]);
    std::memcpy(frame->buffers[1].data, frame->buffers[0].data, 8 * sizeof(float));
    return MLCRT_OK;
  });
  std::vector<float> y = {1, 2, 3, 4, 5, 6, 7, 8};
  BatchView view;
  view.rows = 2;
  view.features = {TensorView(), makeBuffer(y.data(), MLCRT_F32, {2, 1, 2, 1, 1, 2, 1, 1, 1})};
  EntryRunner runner(*model.program, model.entry, pool);
  absl::Status status = runner.run(view);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(describe(runner.output(0)), "f32[2x1x2x1x1x2x1x1x1]");
  EXPECT_EQ(static_cast<const float *>(runner.output(0).data)[7], 8);
}

} // namespace
