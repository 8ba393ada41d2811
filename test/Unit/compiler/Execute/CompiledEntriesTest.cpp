// The entries of a small training program, compiled, against fakes of the services: results as the interpreter's, the
// same bits whatever the threads, errors passed on at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"
#include "CompiledModule.h"
#include "RandomValues.h"
#include "Reference.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Est/IR/Est.h"
#include "mlc/Conversion/ConversionPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::State;
using interp::Tensor;
using testing::HasSubstr;

static std::string readInput(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(MLC_EXECUTE_INPUTS "/" + name);
  EXPECT_TRUE(bool(buffer)) << name;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// An estimator as the df text it becomes.
static std::string convertToDf(const std::string &text) {
  mlir::MLIRContext context;
  context.loadDialect<est::EstDialect, df::DfDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  mlir::PassManager passes(&context);
  passes.addPass(createConvertEstToDf());
  if (!module || failed(passes.run(*module))) {
    ADD_FAILURE() << "the estimator cannot be converted:\n" << text;
    return "";
  }
  std::string converted;
  llvm::raw_string_ostream(converted) << *module;
  return converted;
}

/// Sums may be added in another order than the interpreter's: `magnitude` is what the terms of a sum of f32 come to.
static Tolerance inOtherOrder(double magnitude = 1) {
  Tolerance tolerance;
  tolerance.ulps = 16;
  tolerance.absolute = magnitude * 4e-6;
  return tolerance;
}

static TensorMap valuesOf(const State &state) {
  return TensorMap(state.getVariables().begin(), state.getVariables().end());
}

/// A batch for every entry of the program.
static EntryCall batchOf(const std::string &entry, int64_t rows, uint32_t seed = 1) {
  RandomValues random(seed);
  EntryCall call;
  call.entry = entry;
  call.rows = rows;
  call.context.seed = 11;
  call.context.step = 3;
  call.features["x"] = random.floats(ElementKind::F32, {rows, 4}, -2, 2);
  call.features["word"] = random.strings(
      {rows}, {"red", "green", "blue", "", "unknown", "another", "a longer term than fits in a register", "\xc3\xa4"});
  call.features["number"] = random.integers(ElementKind::I64, {rows}, -9, 30);
  call.features["label"] = random.strings({rows}, {"no", "perhaps", "yes"});
  call.features["weight"] = random.floats(ElementKind::F32, {rows}, 0.5, 2);
  return call;
}

/// Rows [begin, end).
static Tensor rowsOf(const Tensor &value, int64_t begin, int64_t end) {
  llvm::SmallVector<int64_t> shape(value.getShape());
  shape[0] = end - begin;
  Tensor result(value.getKind(), shape);
  result.copyElements(0, value, begin * value.getRowSize(), result.getNumElements());
  return result;
}

/// Rows [begin, end) of a batch, as a shard of it.
static EntryCall shardOf(const EntryCall &batch, int64_t begin, int64_t end) {
  EntryCall shard = batch;
  shard.rows = end - begin;
  shard.globalRows = batch.rows;
  shard.context.firstRow = begin;
  for (auto &[name, value] : shard.features)
    value = rowsOf(value, begin, end);
  return shard;
}

/// Sums without what lies after the rows that sparse ones have: ids as [count], rows as [count, elements of a row],
/// whatever the shape of their buffers.
static TensorMap definedPart(const TensorMap &sums) {
  TensorMap result = sums;
  for (const auto &[name, count] : sums) {
    llvm::StringRef table = name;
    if (!table.consume_back(".count") || !sums.count((table + ".ids").str()))
      continue;
    Tensor &ids = result[(table + ".ids").str()], &rows = result[(table + ".rows").str()];
    int64_t n = ids.getNumElements(), width = 1;
    for (int64_t size : rows.getShape().drop_front(ids.getRank()))
      width *= size;
    ids = rowsOf(ids.reshaped({n}), 0, count.getInteger(0));
    rows = rowsOf(rows.reshaped({n, width}), 0, count.getInteger(0));
  }
  return result;
}

/// A program of Inputs on both sides, for a CPU.
class Program : public testing::TestWithParam<std::string> {
protected:
  void load(const std::string &input) {
    // Each is compiled once for all tests of a process.
    static std::map<std::string, std::shared_ptr<CompiledModule>> modules;
    std::shared_ptr<CompiledModule> &known = modules[input + GetParam()];
    std::string text = readInput(input);
    if (llvm::StringRef(text).contains("est.estimator"))
      text = convertToDf(text);
    if (!known)
      known = CompiledModule::create(text, GetParam());
    compiled = known;
    reference = Reference::create(text);
    ASSERT_TRUE(compiled && reference);
  }

  /// Runs an entry on both sides from one state, compares, and returns what the compiled code gives.
  EntryResult runBoth(const EntryCall &call, State &state, const Tolerance &tolerance) {
    State other = state;
    EntryResult found = compiled->run(call, other), expected = reference->run(call, state);
    EXPECT_EQ(found.code, MLCRT_OK);
    EXPECT_EQ(expected.code, MLCRT_OK) << testing::PrintToString(reference->getErrors());
    std::string where = call.entry + " of " + std::to_string(call.rows) + " rows";
    EXPECT_EQ(differenceOf(expected.outputs, found.outputs, tolerance), "") << where;
    EXPECT_EQ(differenceOf(definedPart(expected.sums), definedPart(found.sums), tolerance), "") << where;
    EXPECT_EQ(differenceOf(valuesOf(state), valuesOf(other), tolerance), "") << where;
    return found;
  }

  std::shared_ptr<CompiledModule> compiled;
  std::unique_ptr<Reference> reference;
};

class CompiledEntries : public Program {
protected:
  void SetUp() override { load("training.mlir"); }

  /// State after the entries that initialize it.
  State initialState() {
    State state = reference->initialState(/*seed=*/11);
    for (const auto &[name, value] : valuesOf(state))
      state.set(name, Tensor(value.getKind(), value.getShape()));
    for (const char *entry : {"init", "eval_reset"})
      EXPECT_EQ(compiled->run(batchOf(entry, 0), state).code, MLCRT_OK);
    return state;
  }
};

class CompiledRegularizers : public Program {
protected:
  void SetUp() override { load("regularized.mlir"); }
};

class CompiledGathers : public Program {
protected:
  void SetUp() override { load("gathers.mlir"); }
};

static std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  return info.param == "native" ? "native" : info.param == kTwoSpaces ? "two_spaces" : "baseline";
}
INSTANTIATE_TEST_SUITE_P(Cpus, CompiledEntries, testing::Values("x86-64-v3", "native", kTwoSpaces), nameOf);
INSTANTIATE_TEST_SUITE_P(Cpus, CompiledRegularizers, testing::Values("x86-64-v3", "native", kTwoSpaces), nameOf);

class CompiledSharedTable : public Program {
protected:
  void SetUp() override { load("shared.mlir"); }

  /// Adds the multi-valued feature `name` to `call`: up to 3 values in each row, none in many.
  static void addValues(EntryCall &call, RandomValues &random, const std::string &name) {
    Tensor ends = random.integers(ElementKind::I64, {call.rows}, 0, 4);
    for (int64_t row = 1; row < call.rows; ++row)
      ends.setInteger(row, ends.getInteger(row - 1) + ends.getInteger(row));
    int64_t values = call.rows ? ends.getInteger(call.rows - 1) : 0;
    call.features[name] = random.integers(ElementKind::I64, {values}, 0, INT64_MAX);
    call.features[name + ".ends"] = ends;
  }

  static EntryCall batchOf(const std::string &entry, int64_t rows, uint32_t seed) {
    RandomValues random(seed);
    EntryCall call;
    call.entry = entry;
    call.rows = rows;
    call.features["a"] = random.integers(ElementKind::I64, {rows}, 0, INT64_MAX);
    addValues(call, random, "t");
    addValues(call, random, "u");
    call.features["y"] = random.floats(ElementKind::F32, {rows}, 0, 1);
    return call;
  }

  /// Rows [begin, end) of a batch with their values, as a shard of it.
  static EntryCall cut(const EntryCall &batch, int64_t begin, int64_t end) {
    EntryCall shard = batch;
    shard.rows = end - begin;
    shard.globalRows = batch.rows;
    shard.globalFeatures = batch.features;
    for (auto &[name, value] : shard.features) {
      auto ends = batch.features.find(name + ".ends");
      auto endOf = [&](int64_t row) { return row ? ends->second.getInteger(row - 1) : 0; };
      bool isMulti = ends != batch.features.end();
      value = isMulti ? rowsOf(value, endOf(begin), endOf(end)) : rowsOf(value, begin, end);
    }
    for (const char *name : {"t.ends", "u.ends"}) {
      int64_t before = begin ? batch.features.find(name)->second.getInteger(begin - 1) : 0;
      Tensor &ends = shard.features[name];
      for (int64_t row = 0; row < shard.rows; ++row)
        ends.setInteger(row, ends.getInteger(row) - before);
    }
    return shard;
  }
};

class CompiledConvnet : public Program {
protected:
  void SetUp() override { load("convnet.mlir"); }
};

class CompiledTransposed : public Program {
protected:
  void SetUp() override { load("transposed.mlir"); }
};

INSTANTIATE_TEST_SUITE_P(Cpus, CompiledTransposed, testing::Values("x86-64-v3", "native", kTwoSpaces), nameOf);
INSTANTIATE_TEST_SUITE_P(Cpus, CompiledConvnet, testing::Values("x86-64-v3", "native", kTwoSpaces), nameOf);
INSTANTIATE_TEST_SUITE_P(Cpus, CompiledSharedTable, testing::Values("x86-64-v3", "native", kTwoSpaces), nameOf);
INSTANTIATE_TEST_SUITE_P(Cpus, CompiledGathers, testing::Values("x86-64-v3", "native", kTwoSpaces), nameOf);

TEST_P(CompiledEntries, InitializeAsTheInterpreter) {
  EXPECT_EQ(differenceOf(valuesOf(reference->initialState(11)), valuesOf(initialState())), "");
}

TEST_P(CompiledEntries, TrainEvaluateAndPredictAsTheInterpreter) {
  State state = initialState();
  for (int64_t rows : {7, 1, 0, 33, 130, 6}) {
    EntryCall train = batchOf("train", rows, rows);
    train.context.step = state.lookup("step")->getInteger(0);
    EntryResult result = runBoth(train, state, inOtherOrder());
    EXPECT_EQ(result.outputs["step"].getInteger(0), train.context.step + 1);
    runBoth(batchOf("eval_update", rows, rows + 1), state, inOtherOrder(300));
    runBoth(batchOf("predict", rows, rows + 2), state, inOtherOrder());
  }
  EntryResult metrics = runBoth(batchOf("eval_result", 0), state, inOtherOrder());
  EXPECT_GT(metrics.outputs["correct"].getFloat(0), 30);
  // What a setting is given takes the place of its default.
  state.setFloatSetting("optimizer.learning_rate", 0.25);
  state.setIntegerSetting("optimizer.decay_steps", 2);
  Tensor before = *state.lookup("bias");
  runBoth(batchOf("train", 20), state, inOtherOrder());
  EXPECT_NE(differenceOf(before, *state.lookup("bias")), "");
}

TEST_P(CompiledEntries, SumShardsAsTheInterpreter) {
  State state = initialState();
  EntryCall batch = batchOf("train_grad", 23);
  EntryResult a = runBoth(shardOf(batch, 0, 9), state, inOtherOrder());
  EntryResult b = runBoth(shardOf(batch, 9, 23), state, inOtherOrder());
  // Sums have room for the rows of the global batch; some words are in both shards, some in one.
  EXPECT_EQ(a.sums["emb.ids"].getDimSize(0), 23);
  EXPECT_GT(a.sums["emb.count"].getInteger(0), 2);
  EntryCall combine = batchOf("train_combine", 23);
  combine.sumsA = a.sums;
  combine.sumsB = b.sums;
  EntryResult total = runBoth(combine, state, {});
  EntryCall apply = batchOf("train_apply", 23);
  apply.sumsA = total.sums;
  State parts = state;
  runBoth(apply, parts, inOtherOrder());
  // The whole batch in one step: the same but for the order of the sums.
  State whole = state;
  batch.entry = "train";
  EXPECT_EQ(compiled->run(batch, whole).code, MLCRT_OK);
  EXPECT_EQ(differenceOf(valuesOf(whole), valuesOf(parts), inOtherOrder()), "");
}

TEST_P(CompiledEntries, OneShardHasTheBitsOfTheFusedStep) {
  State fused = initialState(), parts = fused;
  EntryCall call = batchOf("train", 37);
  EntryResult whole = compiled->run(call, fused);
  call.entry = "train_grad";
  EntryResult sums = compiled->run(call, parts);
  EntryCall apply = batchOf("train_apply", 37);
  apply.sumsA = sums.sums;
  EntryResult result = compiled->run(apply, parts);
  EXPECT_EQ(differenceOf(whole.outputs, result.outputs), "");
  EXPECT_EQ(differenceOf(valuesOf(fused), valuesOf(parts)), "");
}

TEST_P(CompiledEntries, BitsDependOnNeitherThreadsNorOrderNorGarbage) {
  State start = initialState();
  for (const char *entry : {"train", "eval_update", "predict"}) {
    EntryCall call = batchOf(entry, 3000);
    RunOptions plain;
    plain.grain = 1 << 20;
    State expectedState = start;
    FakeServices services(compiled->artifact(), plain);
    EntryResult expected = compiled->run(call, expectedState, services);
    EXPECT_GT(services.countCalls("parallel_for"), 0) << entry;
    for (int variant = 0; variant < 4; ++variant) {
      RunOptions options;
      options.threads = 1 + variant * 3;
      options.grain = 1 + variant % 2;
      options.reverse = variant != 1;
      options.fill = variant == 2 ? 0x00 : variant == 3 ? 0xff : 0x7f;
      State state = start;
      EntryResult found = compiled->run(call, state, options);
      EXPECT_EQ(differenceOf(expected.outputs, found.outputs), "") << entry << ", variant " << variant;
      EXPECT_EQ(differenceOf(valuesOf(expectedState), valuesOf(state)), "") << entry << ", variant " << variant;
    }
  }
}

TEST_P(CompiledEntries, BadDataFailsWithItsRow) {
  State state = initialState();
  TensorMap before = valuesOf(state);
  for (const char *entry : {"train", "train_grad", "eval_update"}) {
    EntryCall call = batchOf(entry, 20);
    call.features["label"].setString(13, "maybe");
    FakeServices services(compiled->artifact(), {});
    EntryResult result = compiled->run(call, state, services);
    EXPECT_EQ(result.code, MLCRT_DATA_ERROR) << entry;
    ASSERT_EQ(services.getErrors().size(), 1u) << entry;
    EXPECT_EQ(services.getErrors()[0].row, 13);
    EXPECT_EQ(services.getErrors()[0].message, "label 'answer': maybe in classes");
    EXPECT_EQ(services.getCalls().back(), "check_ids") << "a failed check ends " << entry;
    EXPECT_EQ(differenceOf(before, valuesOf(state)), "") << entry << " must not move the state";
    EXPECT_EQ(reference->run(call, state).code, MLCRT_DATA_ERROR);
  }
  EXPECT_THAT(reference->getErrors(), testing::Contains(HasSubstr("row 13: label 'answer': \"maybe\"")));
}

TEST_P(CompiledEntries, PassOnTheCodeOfEveryService) {
  State start = initialState();
  // Rows enough for parallel loops.
  for (const char *entry : {"train", "train_grad", "eval_update", "predict"}) {
    EntryCall call = batchOf(entry, 3000);
    State state = start;
    FakeServices whole(compiled->artifact(), {});
    compiled->run(call, state, whole);
    std::map<std::string, int64_t> numbers;
    for (auto [i, service] : llvm::enumerate(whole.getCalls())) {
      RunOptions options;
      options.failService = service;
      options.failCall = ++numbers[service];
      options.failCode = 70 + static_cast<int32_t>(i);
      state = start;
      FakeServices services(compiled->artifact(), options);
      EntryResult result = compiled->run(call, state, services);
      EXPECT_EQ(result.code, options.failCode) << entry << ": " << service << " " << options.failCall;
      EXPECT_EQ(services.getCalls().size(), i + 1) << entry << " goes on after " << service << " failed";
    }
    EXPECT_GT(whole.countCalls("parallel_for"), 0) << entry;
  }
}

// Sums and intermediates have room for more rows than the batch has: nearly all of these ids differ.
TEST_P(CompiledGathers, SumMoreRowsThanTheBatchHas) {
  constexpr int64_t rows = 40;
  RandomValues random(2);
  EntryCall batch;
  batch.entry = "train";
  batch.rows = rows;
  batch.features["a"] = random.integers(ElementKind::I64, {rows}, 0, INT64_MAX);
  batch.features["b"] = random.integers(ElementKind::I64, {rows, 3}, 0, INT64_MAX);
  batch.features["y"] = random.floats(ElementKind::F32, {rows}, 0, 1);
  State start = reference->initialState(/*seed=*/1), fused = start, parts = start;
  runBoth(batch, fused, inOtherOrder());

  batch.entry = "train_grad";
  EntryCall combine, apply;
  combine.entry = "train_combine";
  combine.rows = rows;
  combine.sumsA = runBoth(shardOf(batch, 0, 13), parts, inOtherOrder()).sums;
  combine.sumsB = runBoth(shardOf(batch, 13, rows), parts, inOtherOrder()).sums;
  apply.entry = "train_apply";
  apply.rows = rows;
  apply.sumsA = runBoth(combine, parts, {}).sums;
  EXPECT_GT(apply.sumsA["table.count"].getInteger(0), 3 * rows);
  runBoth(apply, parts, inOtherOrder());
  EXPECT_EQ(differenceOf(valuesOf(fused), valuesOf(parts), inOtherOrder()), "");
}

TEST_P(CompiledRegularizers, TrainEvaluateAndPredictAsTheInterpreter) {
  State state = reference->initialState(11);
  // Batch norm divides by what is small in a batch of few rows.
  Tolerance tolerance = inOtherOrder(20);
  for (int64_t rows : {7, 1, 0, 33, 130}) {
    EntryResult result = runBoth(batchOf("train", rows, rows), state, tolerance);
    EXPECT_GT(result.outputs["regularization_loss"].getFloat(0), 0);
    EXPECT_GT(result.outputs["loss"].getFloat(0),
              result.outputs["regularization_loss"].getFloat(0) * (rows ? 1.01 : 0.99));
    runBoth(batchOf("eval_update", rows, rows + 1), state, inOtherOrder(300));
    runBoth(batchOf("predict", rows, rows + 2), state, tolerance);
  }
  runBoth(batchOf("eval_result", 0), state, inOtherOrder());
}

TEST_P(CompiledRegularizers, ShardsOfWhichOneIsEmptyAsTheInterpreter) {
  State state = reference->initialState(11);
  EntryCall batch = batchOf("train_grad", 23);
  EntryCall combine = batchOf("train_combine", 23);
  combine.sumsA = runBoth(shardOf(batch, 0, 9), state, inOtherOrder()).sums;
  for (int64_t begin : {9, 23}) {
    combine.sumsB = runBoth(shardOf(batch, begin, 23), state, inOtherOrder()).sums;
    combine.sumsA = runBoth(combine, state, {}).sums;
  }
  EntryCall apply = batchOf("train_apply", 23);
  apply.sumsA = combine.sumsA;
  Tensor before = *state.lookup("dnn/hiddenlayer_0/batchnorm_0/moving_variance");
  runBoth(apply, state, inOtherOrder());
  EXPECT_NE(differenceOf(before, *state.lookup("dnn/hiddenlayer_0/batchnorm_0/moving_variance")), "");
}

TEST_P(CompiledRegularizers, BitsDependOnNeitherThreadsNorGarbageNorOnShards) {
  State start = reference->initialState(11), fused = start;
  EntryCall call = batchOf("train", 3000);
  EntryResult whole = compiled->run(call, fused);
  RunOptions options;
  options.threads = 4;
  options.grain = 1;
  options.reverse = true;
  options.fill = 0xff;
  State state = start;
  EntryResult found = compiled->run(call, state, options);
  EXPECT_EQ(differenceOf(whole.outputs, found.outputs), "");
  EXPECT_EQ(differenceOf(valuesOf(fused), valuesOf(state)), "");

  State parts = start;
  call.entry = "train_grad";
  EntryCall apply = batchOf("train_apply", 3000);
  apply.sumsA = compiled->run(call, parts).sums;
  EntryResult result = compiled->run(apply, parts, options);
  EXPECT_EQ(differenceOf(whole.outputs, result.outputs), "");
  EXPECT_EQ(differenceOf(valuesOf(fused), valuesOf(parts)), "");
}

// The rows of the gradient are those of the batch, of one feature's values and of the pairs of two features' values.
TEST_P(CompiledSharedTable, SumsRowsOfSeveralSizes) {
  for (int64_t rows : {0, 1, 2, 23}) {
    EntryCall batch = batchOf("train", rows, 7 + rows);
    State start = reference->initialState(/*seed=*/1), fused = start, parts = start;
    runBoth(batch, fused, inOtherOrder());
    EntryCall combine, apply;
    combine.entry = "train_combine";
    apply.entry = "train_apply";
    combine.rows = apply.rows = rows;
    combine.globalFeatures = apply.globalFeatures = combine.features = apply.features = batch.features;
    batch.entry = "train_grad";
    combine.sumsA = runBoth(cut(batch, 0, rows / 3), parts, inOtherOrder()).sums;
    combine.sumsB = runBoth(cut(batch, rows / 3, rows), parts, inOtherOrder()).sums;
    apply.sumsA = runBoth(combine, parts, {}).sums;
    runBoth(apply, parts, inOtherOrder());
    EXPECT_EQ(differenceOf(valuesOf(fused), valuesOf(parts), inOtherOrder()), "") << rows << " rows";

    // One shard has the bits of the fused step.
    State compiledWhole = start, compiledParts = start;
    batch.entry = "train";
    compiled->run(batch, compiledWhole);
    batch.entry = "train_grad";
    apply.sumsA = compiled->run(batch, compiledParts).sums;
    compiled->run(apply, compiledParts);
    EXPECT_EQ(differenceOf(valuesOf(compiledWhole), valuesOf(compiledParts)), "") << rows << " rows";
  }
}

// Every gradient of a convolutional net, in one step and by shards.
TEST_P(CompiledConvnet, TrainsAsTheInterpreter) {
  State state = reference->initialState(/*seed=*/1);
  double first = 0, last = 0;
  for (int step = 0; step < 6; ++step) {
    // One batch again and again, and in between others of few rows.
    for (int64_t rows : {13, step}) {
      RandomValues random(rows);
      EntryCall call;
      call.entry = "train";
      call.rows = rows;
      call.features["image"] = random.floats(ElementKind::F32, {rows, 12, 12, 1}, -1, 1);
      call.features["label"] = random.integers(ElementKind::I64, {rows}, 0, 4);
      if (rows != 13) {
        State unused = state;
        runBoth(call, unused, inOtherOrder(20));
        continue;
      }
      State start = state;
      last = runBoth(call, state, inOtherOrder(20)).outputs["loss"].getFloat(0);
      first = step ? first : last;
      EntryCall combine = call, apply = call;
      combine.entry = "train_combine";
      apply.entry = "train_apply";
      call.entry = "train_grad";
      combine.sumsA = runBoth(shardOf(call, 0, 4), start, inOtherOrder(20)).sums;
      combine.sumsB = runBoth(shardOf(call, 4, 13), start, inOtherOrder(20)).sums;
      apply.sumsA = runBoth(combine, start, {}).sums;
      runBoth(apply, start, inOtherOrder(20));
      EXPECT_EQ(differenceOf(valuesOf(state), valuesOf(start), inOtherOrder(20)), "") << "step " << step;
    }
  }
  EXPECT_LT(last, first);
}

TEST_P(CompiledTransposed, SizesThatDoNotFitFailTheCall) {
  EntryCall call;
  call.entry = "predict";
  State state;
  for (int64_t rows : {0, 3}) {
    RandomValues random(rows);
    call.rows = rows;
    call.features["x"] = random.floats(ElementKind::F32, {rows, 3}, -1, 1);
    FakeServices services(compiled->artifact(), {});
    EntryResult result = compiled->run(call, state, services);
    EXPECT_EQ(result.code, rows ? MLCRT_INVALID_ARGUMENT : MLCRT_OK);
    ASSERT_EQ(services.getErrors().size(), rows ? 1u : 0u);
    if (rows)
      EXPECT_THAT(services.getErrors()[0].message,
                  HasSubstr("the output does not have the sizes of the windows over the image"));
    EXPECT_EQ(reference->run(call, state).code == MLCRT_OK, rows == 0);
  }
}
