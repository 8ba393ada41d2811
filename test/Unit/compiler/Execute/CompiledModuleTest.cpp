// The harness itself: it must see what it is there to see.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompiledModule.h"
#include "AllocationCount.h"
#include "Compare.h"
#include "GuardedMemory.h"
#include "Reference.h"

#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::Tensor;
using testing::HasSubstr;

TEST(GuardedMemory, ShowsWhatIsTouchedAroundIt) {
  GuardedMemory memory(100, 7);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % MLCRT_ALIGNMENT, 0u);
  EXPECT_EQ(memory.data()[99], 7);
  EXPECT_FALSE(faultOf([&] { memory.data()[99] = 1; }));
  EXPECT_TRUE(memory.isPatternIntact());
  memory.data()[100] = 1;
  EXPECT_FALSE(memory.isPatternIntact());
  std::optional<const void *> fault = faultOf([&] { memory.data()[128] = 1; });
  ASSERT_TRUE(fault);
  EXPECT_EQ(*fault, memory.data() + 128);
  EXPECT_TRUE(memory.isGuard(*fault));
  volatile char sink = 0;
  fault = faultOf([&] { sink = memory.data()[-4096]; });
  ASSERT_TRUE(fault);
  EXPECT_TRUE(memory.isGuard(*fault));
  memory.setReadOnly(true);
  fault = faultOf([&] { memory.data()[0] = 1; });
  ASSERT_TRUE(fault);
  EXPECT_TRUE(memory.holds(*fault));
  memory.setReadOnly(false);
  EXPECT_FALSE(faultOf([&] { memory.data()[0] = 1; }));
}

TEST(Compare, TellsWhatDiffers) {
  Tensor a = Tensor::ofFloats(ElementKind::F32, {3}, {1, 0, NAN});
  EXPECT_EQ(differenceOf(a, a), "");
  Tensor b = Tensor::ofFloats(ElementKind::F32, {3}, {1 + 0x1p-23, -0.0, NAN});
  EXPECT_THAT(differenceOf(a, b), HasSubstr("element 0 is 1.0000001192092896"));
  EXPECT_THAT(differenceOf(a, b), HasSubstr("element 1 is -0"));
  Tolerance loose;
  loose.ulps = 1;
  EXPECT_EQ(differenceOf(a, b, loose), "");
  Tensor c = Tensor::ofFloats(ElementKind::F32, {3}, {1 + 0x1p-22, 0, NAN});
  EXPECT_THAT(differenceOf(a, c, loose), HasSubstr("element 0"));
  loose.absolute = 0x1p-22;
  EXPECT_EQ(differenceOf(a, c, loose), "");
  EXPECT_THAT(differenceOf(a, Tensor::ofFloats(ElementKind::F32, {3}, {1, 0, 2}), loose), HasSubstr("element 2"));
  EXPECT_EQ(differenceOf(a, a.reshaped({1, 3})), "is 1x3xf32, expected 3xf32");
  Tensor undefined = Tensor::ofIntegers(ElementKind::I64, {2}, {5, INT64_MAX});
  Tensor any = Tensor::ofIntegers(ElementKind::I64, {2}, {5, 17});
  EXPECT_EQ(differenceOf(undefined, any), "element 1 is 17, expected 9223372036854775807");
  loose.undefinedElements = true;
  EXPECT_EQ(differenceOf(undefined, any, loose), "");
  EXPECT_EQ(differenceOf({{"a", a}}, {}), "'a' is missing");
  EXPECT_EQ(differenceOf({}, {{"a", a}}), "there are more values than expected");
}

static const char *const kScale = R"(
df.variable @w : tensor<3xf32> = #df.constant<2.0>
df.function @scale(%x: tensor<?x3xf32> {df.name = "x"}) -> (tensor<?x3xf32> {df.name = "y"}) {
  %w = df.read @w : tensor<3xf32>
  %s = df.broadcast %w like %x dimensions = [1] : (tensor<3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = df.mul %x, %s : tensor<?x3xf32>
  df.return %y : tensor<?x3xf32>
})";

TEST(CompiledModule, RunsWhatTheInterpreterRuns) {
  auto compiled = CompiledModule::create(kScale, "x86-64-v3");
  auto reference = Reference::create(kScale);
  ASSERT_TRUE(compiled && reference);
  interp::State state = reference->initialState();
  state.set("w", Tensor::ofFloats(ElementKind::F32, {3}, {2, -3, 0.5}));
  EntryCall call;
  call.entry = "scale";
  call.rows = 2;
  call.features["x"] = Tensor::ofFloats(ElementKind::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EntryResult expected = reference->run(call, state), found = compiled->run(call, state);
  EXPECT_EQ(found.code, MLCRT_OK);
  EXPECT_EQ(differenceOf(Tensor::ofFloats(ElementKind::F32, {2, 3}, {2, -6, 1.5, 8, -15, 3}), found.outputs["y"]), "");
  EXPECT_EQ(differenceOf(expected.outputs, found.outputs), "");
}

TEST(CompiledModule, FailsWhereIntegersAreDividedByZero) {
  const char *text = R"(
df.function @divide(%x: tensor<?xi32> {df.name = "x"}, %y: tensor<?xi32> {df.name = "y"}) -> (tensor<?xi32> {df.name = "z"}) {
  %z = df.floor_mod %x, %y : tensor<?xi32>
  df.return %z : tensor<?xi32>
})";
  auto compiled = CompiledModule::create(text, "x86-64-v3");
  ASSERT_TRUE(compiled);
  for (int64_t zero : {0, 7, 12}) {
    EntryCall call;
    call.entry = "divide";
    call.rows = 13;
    call.features["x"] = call.features["y"] = Tensor(ElementKind::I32, {13});
    for (int64_t i = 0; i < 13; ++i)
      call.features["y"].setInteger(i, i != zero);
    interp::State state;
    FakeServices services(compiled->artifact(), {});
    EXPECT_EQ(compiled->run(call, state, services).code, MLCRT_INVALID_ARGUMENT);
    ASSERT_EQ(services.getErrors().size(), 1u);
    EXPECT_EQ(services.getErrors()[0].message.find("'df.rem'"), 0u) << services.getErrors()[0].message;
    EXPECT_NE(services.getErrors()[0].message.find("divides by zero"), std::string::npos);
    call.features["y"].setInteger(zero, 1);
    EXPECT_EQ(compiled->run(call, state).code, MLCRT_OK);
  }
}

/// Runs a segment that reads x, i8[rows], writes y, i8[rows], in memory space `space`, and has a workspace of one byte
/// for each row.
static EntryResult runSegment(mlcrt_segment_fn run, const RunOptions &options = {}, int32_t space = MLCRT_SPACE_HOST) {
  const mlcrt_operand operands[] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                    {MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 0, space, 0}};
  static const int64_t rows = MLCRT_DIM_SYMBOL(0);
  static const mlcrt_value x = {"x", MLCRT_I8, 1, &rows}, y = {"y", MLCRT_I8, 1, &rows};
  mlcrt_workspace_fn size = [](const int64_t *symbols, int64_t) { return symbols[0]; };
  const mlcrt_workspace workspace = {MLCRT_SPACE_HOST, 0, size};
  mlcrt_segment segment = {"segment", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 2, operands, run, 1, &workspace};
  mlcrt_entry entry = {"entry", MLCRT_ROLE_OTHER, 1, 0, 0, 1, nullptr, &y};
  entry.segments = &segment;
  mlcrt_artifact artifact = {};
  artifact.num_features = 1;
  artifact.num_spaces = space;
  artifact.features = &x;
  EntryCall call;
  call.rows = 5;
  call.features["x"] = Tensor::ofIntegers(ElementKind::I8, {5}, {1, 2, 3, 4, 5});
  interp::State state;
  FakeServices services(artifact, options);
  return runEntry(artifact, entry, call, state, services);
}

static char *bytesOf(mlcrt_frame *frame, int32_t operand) { return static_cast<char *>(frame->buffers[operand].data); }

TEST(RunEntry, TakesResultsOfGoodSegments) {
  EntryResult result = runSegment([](mlcrt_frame *frame) -> int32_t {
    std::memcpy(frame->workspaces[0].data, bytesOf(frame, 0), 5);
    std::memcpy(bytesOf(frame, 1), frame->workspaces[0].data, 4);
    return 0;
  });
  Tensor expected = Tensor::ofIntegers(ElementKind::I8, {5}, {1, 2, 3, 4, 0xa5});
  EXPECT_EQ(differenceOf({{"y", expected}}, result.outputs), "");
}

TEST(RunEntry, SeesBadSegments) {
  EXPECT_NONFATAL_FAILURE(runSegment([](mlcrt_frame *frame) -> int32_t { return bytesOf(frame, 0)[2] = 0; }),
                          "segment of 5 rows touches feature x, which it may only read");
  EXPECT_NONFATAL_FAILURE(runSegment([](mlcrt_frame *frame) -> int32_t { return bytesOf(frame, 1)[5] = 0; }),
                          "segment writes around output y");
  EXPECT_NONFATAL_FAILURE(runSegment([](mlcrt_frame *frame) -> int32_t { return bytesOf(frame, 1)[-1] = 0; }),
                          "segment writes around output y");
  EXPECT_NONFATAL_FAILURE(runSegment([](mlcrt_frame *frame) -> int32_t { return bytesOf(frame, 1)[64] = 0; }),
                          "touches what lies around output y");
  EXPECT_NONFATAL_FAILURE(
      runSegment([](mlcrt_frame *frame) -> int32_t { return static_cast<char *>(frame->workspaces[0].data)[5] = 0; }),
      "segment writes past its workspace of 5 bytes");
  EXPECT_NONFATAL_FAILURE(
      runSegment([](mlcrt_frame *frame) -> int32_t { return static_cast<char *>(frame->workspaces[0].data)[64] = 0; }),
      "touches a workspace");
  EXPECT_NONFATAL_FAILURE(runSegment([](mlcrt_frame *frame) -> int32_t { return frame->buffers[1].dims[0] = 0; }),
                          "segment changes the shape of output y");
}

/// Has a task of parallel_for, which stands for a device, read a byte of an operand.
static int32_t readOnDevice(mlcrt_frame *frame, int32_t operand) {
  mlcrt_task_fn task = [](void *args, int64_t, int64_t, int64_t) -> int32_t {
    static volatile char sink;
    sink = *static_cast<char *>(args);
    return MLCRT_OK;
  };
  return frame->services->parallel_for(frame->env, task, bytesOf(frame, operand), 1);
}

TEST(RunEntry, KeepsMemoriesApart) {
  constexpr int32_t kSpace = 1;
  auto copy = [](mlcrt_frame *frame) -> int32_t {
    return frame->services->device_copy(frame->env, 0, MLCRT_SPACE_HOST, bytesOf(frame, 0), kSpace, 5,
                                        bytesOf(frame, 1));
  };
  Tensor x = Tensor::ofIntegers(ElementKind::I8, {5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(differenceOf({{"y", x}}, runSegment(copy, {}, kSpace).outputs), "");
  EXPECT_EQ(runSegment(copy).code, MLCRT_INTERNAL) << "y is in the host's memory";
  // The host may not touch the device's memory, nor the device the host's.
  EXPECT_NONFATAL_FAILURE(
      runSegment([](mlcrt_frame *frame) -> int32_t { return bytesOf(frame, 1)[0] = 0; }, {}, kSpace),
      "touches output y, which lies in the device's memory");
  EXPECT_EQ(runSegment([](mlcrt_frame *frame) -> int32_t { return readOnDevice(frame, 1); }, {}, kSpace).code,
            MLCRT_OK);
  EXPECT_NONFATAL_FAILURE(runSegment([](mlcrt_frame *frame) -> int32_t { return readOnDevice(frame, 0); }, {}, kSpace),
                          "touches feature x, which it may only read, and not from the device");
}

TEST(RunEntry, CountsAllocations) {
  if (!mlcrt::countsAllocations())
    GTEST_SKIP() << "the sanitizer has its own allocator";
  EXPECT_NONFATAL_FAILURE(runSegment([](mlcrt_frame *) -> int32_t {
                            static std::unique_ptr<char> kept;
                            kept.reset(new char);
                            return 0;
                          }),
                          "segment allocates memory");
  // What a service allocates is its own.
  runSegment([](mlcrt_frame *frame) -> int32_t {
    const mlcrt_string cell = {"a text that no small string holds", 33};
    int64_t print;
    return frame->services->fingerprint_strings(frame->env, &cell, 1, &print);
  });
}

TEST(RunEntry, RunsTasksAsAskedFor) {
  auto segment = [](mlcrt_frame *frame) -> int32_t {
    mlcrt_task_fn task = [](void *args, int64_t first, int64_t last, int64_t worker) -> int32_t {
      auto *out = static_cast<char *>(args);
      for (int64_t i = first; i < last; ++i)
        out[i] = static_cast<char>(10 * worker + out[5]);
      ++out[5];
      return 0;
    };
    char counted[6] = {};
    int32_t code = frame->services->parallel_for(frame->env, task, counted, 5);
    std::memcpy(bytesOf(frame, 1), counted, 5);
    return code;
  };
  EXPECT_EQ(differenceOf(Tensor::ofIntegers(ElementKind::I8, {5}, {0, 1, 2, 3, 4}), runSegment(segment).outputs["y"]),
            "");
  RunOptions options;
  options.reverse = true;
  options.grain = 2;
  options.threads = 2;
  EXPECT_EQ(differenceOf(Tensor::ofIntegers(ElementKind::I8, {5}, {2, 2, 11, 11, 0}),
                         runSegment(segment, options).outputs["y"]),
            "");
  options.failService = "parallel_for";
  options.failCode = MLCRT_INVALID_ARGUMENT;
  EXPECT_EQ(runSegment(segment, options).code, MLCRT_INVALID_ARGUMENT);
}
