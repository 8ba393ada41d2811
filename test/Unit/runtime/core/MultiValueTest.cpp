// Multi-valued features: symbols, checks, and cutting into virtual shards.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AllocationCount.h"
#include "FakeMultiValue.h"
#include "runtime/src/core/TrainStep.h"
#include "test/Unit/runtime/core/StaticDims.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Rows with as many tags as their number in `tags` and as many counts as in `counts` say; small integers.
struct MultiBatch {
  MultiBatch(const std::vector<int> &tags, const std::vector<int> &counts) {
    static const char *const names[] = {"a", "b", "c", "x", "yy"};
    for (size_t row = 0; row < tags.size(); ++row) {
      for (int i = 0; i < tags[row]; ++i) {
        const size_t n = values.size();
        const std::string_view name = names[(n * 7 + row) % 5];
        values.push_back({name.data(), static_cast<int64_t>(name.size())});
        weights.push_back(static_cast<float>(n % 3));
      }
      for (int i = 0; i < counts[row]; ++i)
        count.push_back(static_cast<int64_t>(count.size() % 4) - 1);
      ends.push_back(static_cast<int64_t>(values.size()));
      countEnds.push_back(static_cast<int64_t>(count.size()));
      y.push_back(static_cast<float>(row % 5));
    }
    const auto rows = static_cast<int64_t>(tags.size());
    const auto n = static_cast<int64_t>(values.size()), m = static_cast<int64_t>(count.size());
    view.rows = rows;
    view.features = {makeBuffer(values.data(), MLCRT_STRING, {n}),    makeBuffer(ends.data(), MLCRT_I64, {rows}),
                     makeBuffer(weights.data(), MLCRT_F32, {n}),      makeBuffer(count.data(), MLCRT_I64, {m}),
                     makeBuffer(countEnds.data(), MLCRT_I64, {rows}), makeBuffer(y.data(), MLCRT_F32, {rows})};
  }
  MultiBatch(const MultiBatch &) = delete;

  std::vector<mlcrt_string> values;
  std::vector<float> weights, y;
  std::vector<int64_t> ends, count, countEnds;
  BatchView view;
};

struct BatchShape {
  const char *name;
  std::vector<int> tags, counts;
};

const std::vector<BatchShape> &shapes() {
  static const std::vector<BatchShape> all = {
      {"Mixed", {2, 0, 3, 1, 0, 4, 1, 1, 2, 0, 5}, {1, 1, 0, 2, 0, 0, 3, 1, 0, 1, 1}},
      {"EmptyAtBothEnds", {0, 0, 2, 1, 0, 0}, {0, 1, 0, 0, 2, 0}},
      {"NoTags", {0, 0, 0, 0, 0}, {1, 0, 2, 1, 1}},
      {"NoValuesAtAll", {0, 0, 0}, {0, 0, 0}},
      {"ShardsWithoutTags", {6, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 3}},
      {"OneRow", {3}, {2}},
  };
  return all;
}

} // namespace

class MultiValue : public testing::Test {
protected:
  static std::unique_ptr<Program> makeProgram() {
    auto artifact = Artifact::fromTable(fake_multi_value());
    EXPECT_TRUE(artifact.ok()) << artifact.status();
    return *Program::create(*artifact);
  }
  EntryRunner make(const char *entry) { return EntryRunner(*program, *program->artifact().entry(entry), pool); }
  std::vector<float> values(const char *name) {
    Tensor tensor = *program->state().read(name);
    return {tensor.as<float>(), tensor.as<float>() + tensor.elements()};
  }
  /// Loss and state of one step: beyond it results are no longer exact.
  std::vector<float> train(TrainMode mode, const MultiBatch &batch) {
    EXPECT_TRUE(program->initialize(0, pool).ok());
    auto features = *TrainFeatures::create(*program, pool, mode);
    auto step = *TrainStep::create(*program, pool, mode);
    TrainSlots slots = features->makeSlots();
    std::vector<float> result;
    absl::Status status = features->run(batch.view, slots, {});
    EXPECT_TRUE(status.ok()) << status;
    status = step->run(batch.view, slots, {});
    EXPECT_TRUE(status.ok()) << status;
    result.push_back(static_cast<float>(*step->results().scalar("loss")));
    for (float value : values("emb"))
      result.push_back(value);
    result.push_back(values("bias")[0]);
    return result;
  }

  ThreadPool pool{2};
  std::unique_ptr<Program> program = makeProgram();
};

TEST_F(MultiValue, ArtifactKnowsSymbolsAndEnds) {
  const Artifact &artifact = program->artifact();
  EXPECT_EQ(artifact.symbolCount(), 5);
  EXPECT_EQ(artifact.endsOfSymbol(0), -1);
  EXPECT_EQ(artifact.endsOfSymbol(1), MULTI_ENDS);
  EXPECT_EQ(artifact.endsOfSymbol(2), MULTI_COUNTS_ENDS);
  EXPECT_THAT(artifact.usedFeatures(*artifact.entry("lookup")), ElementsAre(true, true, false, false, false, false))
      << "values without ends say nothing";
}

TEST_F(MultiValue, SymbolsAreFoundInFeatures) {
  MultiBatch batch({2, 0, 3}, {1, 0, 0});
  Symbols symbols;
  ASSERT_TRUE(make("train").bindSymbols(batch.view, symbols).ok());
  EXPECT_THAT(symbols, ElementsAre(3, 5, 1, 8, 2));
  ASSERT_TRUE(make("lookup").bindSymbols(batch.view, symbols).ok());
  EXPECT_THAT(symbols, ElementsAre(3, 5, 0, 8, 0)) << "an entry that does not read the counts";
}

TEST_F(MultiValue, SymbolsFollowFromOthers) {
  EntryRunner pairs = make("pairs");
  auto output = [&](int32_t index) {
    const TensorView &buffer = pairs.output(index);
    const auto *data = static_cast<const int64_t *>(buffer.data);
    return std::vector<int64_t>(data, data + buffer.dims[0]);
  };
  MultiBatch batch({2, 0, 3, 1}, {2, 4, 1, 0});
  absl::Status status = pairs.run(batch.view);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(output(0), ElementsAre(0, 0, 1, 1, 2, 3, 4));
  EXPECT_THAT(output(1), ElementsAre(0, 1, 0, 1, 6, 6, 6));
  EXPECT_THAT(output(2), ElementsAre(4, 4, 7, 7));
  EXPECT_EQ(output(3).size(), 4u + 6u);
  for (const BatchShape &shape : shapes()) {
    MultiBatch other(shape.tags, shape.counts);
    status = pairs.run(other.view);
    EXPECT_TRUE(status.ok()) << shape.name << ": " << status;
    int64_t count = 0;
    for (size_t row = 0; row < shape.tags.size(); ++row)
      count += int64_t{shape.tags[row]} * shape.counts[row];
    EXPECT_EQ(pairs.output(0).dims[0], count) << shape.name;
  }
}

TEST_F(MultiValue, TooManyCombinationsAreAnError) {
  // Each feature alone would fit.
  MultiBatch batch({1}, {1});
  std::vector<int64_t> many(int64_t{1} << 21);
  batch.ends[0] = batch.countEnds[0] = static_cast<int64_t>(many.size());
  std::vector<mlcrt_string> tags(many.size());
  batch.view.features[MULTI_TAGS] = makeBuffer(tags.data(), MLCRT_STRING, {static_cast<int64_t>(tags.size())});
  batch.view.features[MULTI_COUNTS] = makeBuffer(many.data(), MLCRT_I64, {static_cast<int64_t>(many.size())});
  absl::Status status = make("pairs").run(batch.view);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("a batch of 1 rows makes more than 1099511627776 combinations"));
}

TEST_F(MultiValue, PredictSumsEachRowsValues) {
  ASSERT_TRUE(program->initialize(0, pool).ok());
  EntryRunner predict = make("predict");
  MultiBatch batch({2, 0, 1}, {0, 2, 1});
  const char *const names[] = {"c", "a", "b"};
  for (int i = 0; i < 3; ++i)
    batch.values[i] = {names[i], 1};
  batch.weights = {0.5f, 2.0f, -1.0f};
  batch.view.features[MULTI_WEIGHT].data = batch.weights.data();
  batch.count = {4, 6, 10};
  batch.view.features[MULTI_COUNTS].data = batch.count.data();
  absl::Status status = predict.run(batch.view);
  ASSERT_TRUE(status.ok()) << status;
  const auto *out = static_cast<const float *>(predict.output(0).data);
  EXPECT_THAT(std::vector<float>(out, out + 3), ElementsAre(0.5f * 3 + 2.0f * 1, 0.5f * 10, -2.0f + 0.5f * 10));
  EXPECT_EQ(predict.output(1).dims[0], 3) << "an output with a dimension of values";
}

TEST_F(MultiValue, BatchesOfAllShapes) {
  EntryRunner predict = make("predict");
  for (const BatchShape &shape : shapes()) {
    MultiBatch batch(shape.tags, shape.counts);
    absl::Status status = predict.run(batch.view);
    EXPECT_TRUE(status.ok()) << shape.name << ": " << status;
    EXPECT_EQ(predict.output(0).dims[0], batch.view.rows);
    EXPECT_EQ(predict.output(1).dims[0], static_cast<int64_t>(batch.values.size()));
  }
  EXPECT_TRUE(predict.run(MultiBatch({}, {}).view).ok()) << "no rows";
}

TEST_F(MultiValue, ShardsGiveTheBitsOfTheWhole) {
  for (const BatchShape &shape : shapes()) {
    MultiBatch batch(shape.tags, shape.counts);
    const std::vector<float> fused = train({1, false}, batch);
    EXPECT_EQ(train({1, true}, batch), fused) << shape.name;
    for (int shards : {2, 3, 4, 7, 16})
      EXPECT_EQ(train({shards, false}, batch), fused) << shape.name << " in " << shards << " shards";
  }
}

TEST_F(MultiValue, TrainingMovesWhatOccurs) {
  // One row: tag c with weight 2, no count, y = 0: prediction 6, gradient 12 for c and nothing else.
  MultiBatch batch({1}, {0});
  batch.values[0] = {"c", 1};
  batch.weights[0] = 2.0f;
  const std::vector<float> result = train({1, false}, batch);
  EXPECT_EQ(result[0], 18.0f);
  ASSERT_TRUE(program->initialize(0, pool).ok());
  ASSERT_TRUE(make("train").run(batch.view).ok());
  EXPECT_THAT(values("emb"), ElementsAre(1, 2, 3 - 12.0f / 64, 4, 5));
}

TEST_F(MultiValue, ShardedStepAllocatesNothing) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has its own allocator";
  auto features = *TrainFeatures::create(*program, pool, {4, false});
  auto step = *TrainStep::create(*program, pool, {4, false});
  TrainSlots slots = features->makeSlots();
  MultiBatch large({5, 5, 5, 5, 5, 5, 5, 5}, {2, 2, 2, 2, 2, 2, 2, 2}), small({1, 0, 0, 2, 0}, {0, 0, 1, 0, 1});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(features->run(large.view, slots, {}).ok());
    ASSERT_TRUE(step->run(large.view, slots, {}).ok());
  }
  const int64_t before = allocationCount();
  for (const MultiBatch *batch : {&large, &small, &large}) {
    ASSERT_TRUE(features->run(batch->view, slots, {}).ok());
    ASSERT_TRUE(step->run(batch->view, slots, {}).ok());
  }
  EXPECT_EQ(allocationCount(), before);
}

TEST_F(MultiValue, FeaturesThatDisagreeAreErrors) {
  EntryRunner runner = make("train");
  auto message = [&](const MultiBatch &batch) {
    absl::Status status = runner.run(batch.view);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  MultiBatch weights({2, 1}, {0, 1});
  weights.view.features[MULTI_WEIGHT].dims[0] = 2;
  EXPECT_THAT(message(weights), HasSubstr("feature 'tags.weight': found f32[2], expected f32[3]"));
  MultiBatch rows({2, 1}, {0, 1});
  rows.view.features[MULTI_ENDS].dims[0] = 3;
  EXPECT_THAT(message(rows), HasSubstr("feature 'tags.ends': found i64[3], expected i64[2]"));
  MultiBatch descends({2, 1, 1}, {0, 1, 0});
  descends.ends[1] = 1;
  EXPECT_THAT(message(descends), HasSubstr("feature 'tags.ends': row 1 ends at 1, expected at least 2"));
  MultiBatch negative({0, 1}, {0, 1});
  negative.ends[0] = -1;
  EXPECT_THAT(message(negative), HasSubstr("row 0 ends at -1, expected at least 0"));
  MultiBatch few({2, 1}, {0, 1});
  few.countEnds[1] = 0;
  EXPECT_THAT(message(few), HasSubstr("feature 'counts.ends': the last of 2 rows ends at 0, expected 1"));
  MultiBatch none({2, 1}, {0, 1});
  none.view.features[MULTI_COUNTS_ENDS].data = nullptr;
  EXPECT_THAT(message(none), HasSubstr("lacks feature 'counts.ends'"));
  MultiBatch absent({2, 1}, {0, 1});
  absent.view.features[MULTI_TAGS] = {};
  EXPECT_THAT(message(absent), HasSubstr("lacks feature 'tags'"));

  auto features = *TrainFeatures::create(*program, pool, {2, false});
  TrainSlots slots = features->makeSlots();
  EXPECT_THAT(std::string(features->run(descends.view, slots, {}).message()), HasSubstr("row 1 ends at 1"))
      << "checked before rows are cut";
}

TEST(MultiValueTable, EndsAreNoColumns) {
  mlcrt_artifact table = *fake_multi_value();
  const mlcrt_column column = {MULTI_COUNTS_ENDS, 0, 0};
  const mlcrt_matrix matrix = {{"m", MLCRT_I64, 2, kDims<MLCRT_DIM_SYMBOL(0), 1>}, 1, &column};
  table.matrices = &matrix;
  table.num_matrices = 1;
  EXPECT_THAT(std::string(Artifact::fromTable(&table).status().message()),
              HasSubstr("matrix 'm', column 0: feature 'counts.ends' is the ends of a multi-valued one"));
}

TEST(MultiValueTable, BadFeatures) {
  struct Case {
    const char *message;
    void (*spoil)(std::vector<mlcrt_value> &features);
  };
  const Case cases[] = {{"feature 'counts': no feature with the name of one of dimension symbol 2 and '.ends'",
                         [](std::vector<mlcrt_value> &f) { f[MULTI_COUNTS_ENDS].name = "counts.end"; }},
                        {"feature 'tags.ends': ends of rows must be i64",
                         [](std::vector<mlcrt_value> &f) { f[MULTI_ENDS].dtype = MLCRT_I32; }},
                        {"feature 'tags.ends': ends of rows must be i64",
                         [](std::vector<mlcrt_value> &f) { f[MULTI_ENDS].dims = kDims<MLCRT_DIM_SYMBOL(1)>; }},
                        {"dimension symbol 1 has other ends",
                         [](std::vector<mlcrt_value> &f) { f[MULTI_COUNTS].dims = kDims<MLCRT_DIM_SYMBOL(1)>; }},
                        {"feature 'y': dimension 1 is the number of values", [](std::vector<mlcrt_value> &f) {
                           f[MULTI_Y].rank = 2;
                           f[MULTI_Y].dims = kDims<MLCRT_DIM_SYMBOL(0), MLCRT_DIM_SYMBOL(2)>;
                         }}};
  for (const Case &test : cases) {
    mlcrt_artifact table = *fake_multi_value();
    std::vector<mlcrt_value> features(table.features, table.features + table.num_features);
    table.features = features.data();
    ASSERT_TRUE(Artifact::fromTable(&table).ok());
    test.spoil(features);
    auto artifact = Artifact::fromTable(&table);
    ASSERT_FALSE(artifact.ok()) << test.message;
    EXPECT_THAT(std::string(artifact.status().message()), HasSubstr(test.message));
  }
}
