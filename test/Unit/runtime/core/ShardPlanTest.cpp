// Which server holds which rows, and sums of rows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeArtifact.h"
#include "FakeBatch.h"
#include "runtime/src/core/SumRanges.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

static std::shared_ptr<const Artifact> fake() {
  return *Artifact::fromTable(mlc_artifact_query(MLCRT_ABI_VERSION, nullptr));
}

TEST(ShardPlan, RangesCoverEachVariableOnce) {
  auto artifact = fake();
  for (int servers : {1, 2, 3, 5, 9}) {
    const ShardPlan plan(*artifact, servers, /*leastShardBytes=*/1);
    int64_t next = 0, total = 0;
    for (int server = 0; server < servers; ++server) {
      const RowRange rows = plan.rows(FAKE_EMB, server);
      if (rows.size() > 0)
        EXPECT_EQ(rows.begin, next);
      next = std::max(next, rows.end);
      total += rows.size();
      // A server has the sums of its rows, those of what is whole server 0.
      EXPECT_EQ(plan.sums(server)[3].rows, rows);
      EXPECT_EQ(plan.sums(server)[0].kind, server == 0 ? SumPlace::Kind::Whole : SumPlace::Kind::Absent);
      EXPECT_EQ(plan.rows(FAKE_W, server).size(), server == 0 ? 3 : 0);
      EXPECT_EQ(plan.rows(FAKE_GLOBAL_STEP, server).size(), server == 0 ? 1 : 0);
      EXPECT_EQ(plan.rows(FAKE_EVAL_SUM, server).size(), 0);
    }
    EXPECT_EQ(total, 5);
  }
}

TEST(ShardPlan, SmallVariablesAreNotCut) {
  auto artifact = fake();
  const ShardPlan plan(*artifact, 3);
  EXPECT_EQ(plan.rows(FAKE_EMB, 0).size() + plan.rows(FAKE_EMB, 1).size() + plan.rows(FAKE_EMB, 2).size(), 5);
  EXPECT_THAT(plan.describe(), ElementsAre("emb: [0, 5) on ps 1")); // server 0 has the rest
  EXPECT_EQ(plan.bytes(1), 5 * 2 * 4);
  const ShardPlan cut(*artifact, 3, /*leastShardBytes=*/1);
  EXPECT_THAT(cut.describe(), ElementsAre("emb: [0, 1) on ps 0, [1, 3) on ps 1, [3, 5) on ps 2"));
  EXPECT_NE(cut.fingerprint(), plan.fingerprint());
  EXPECT_EQ(cut.fingerprint(), ShardPlan(*artifact, 3, 1).fingerprint());
}

TEST(ShardPlan, PinsArePlacedFirst) {
  auto artifact = fake();
  auto plan = [&](std::vector<ShardPlan::Pin> pins) { return ShardPlan::create(*artifact, 4, pins); };
  auto two = plan({{"a pin", {FAKE_EMB}, 0, {3, 1}}});
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_THAT((*two)->describe(), ElementsAre("emb: [0, 2) on ps 1, [2, 5) on ps 3 (a pin)"));
  EXPECT_EQ((*two)->sums(3)[3].rows, (RowRange{2, 5}));
  EXPECT_NE((*two)->fingerprint(), (*plan({}))->fingerprint());
  EXPECT_EQ((*plan({}))->fingerprint(), ShardPlan(*artifact, 4).fingerprint());
  EXPECT_THAT((*plan({{"a pin", {FAKE_EMB}, 0, {0}}}))->describe(), ElementsAre("emb: [0, 5) on ps 0 (a pin)"));
  // Servers of the plan's choice: those with the least to do.
  EXPECT_THAT((*plan({{"a pin", {FAKE_EMB}, 2, {}}}))->describe(),
              ElementsAre("emb: [0, 2) on ps 1, [2, 5) on ps 2 (a pin)"));
  // What goes along with others, and what does not split.
  EXPECT_TRUE(plan({{"a pin", {FAKE_EMB, FAKE_GLOBAL_STEP}, 2, {}}}).ok());
  auto problem = [&](std::vector<ShardPlan::Pin> pins, int servers = 4) {
    return std::string(ShardPlan::create(*artifact, servers, pins).status().message());
  };
  EXPECT_EQ(problem({{"a pin", {FAKE_GLOBAL_STEP}, 1, {}}}),
            "a pin: no update of these variables splits by rows: they stay on server 0");
  EXPECT_EQ(problem({{"a pin", {FAKE_EMB}, 6, {}}}, 9), "a pin: 6 shards of 'emb', which has 5 rows");
  EXPECT_EQ(problem({{"a pin", {FAKE_EMB}, 5, {}}}), "a pin: 5 shards; the servers are 4");
  EXPECT_EQ(problem({{"a pin", {FAKE_EMB}, 0, {4}}}), "a pin: server 4; the servers are 0 to 3");
  EXPECT_EQ(problem({{"a pin", {FAKE_EMB}, 2, {}}, {"another", {FAKE_EMB}, 1, {}}}),
            "another: 'emb' is placed by a pin, too");
}

/// A set of sums of the fake's on a server with rows of these ids.
static void fill(const SumRanges &ranges, std::mt19937 &random, const std::vector<int64_t> &ids, SumSet &sums) {
  std::uniform_real_distribution<float> values(-1, 1);
  sums.reserve(*fake());
  for (int32_t i = 0; i < sums.size(); ++i) {
    ranges.shape(i, {37}, static_cast<int64_t>(ids.size()), sums);
    for (int64_t k = 0; sums.sum(i).dtype() == MLCRT_F32 && k < sums.sum(i).elements(); ++k)
      sums.sum(i).as<float>()[k] = values(random);
  }
  std::copy(ids.begin(), ids.end(), sums.sum(3).as<int64_t>());
  *sums.sum(5).as<int64_t>() = static_cast<int64_t>(ids.size());
}

TEST(SumRanges, AddsEntriesByTheirIds) {
  auto artifact = fake();
  const ShardPlan plan(*artifact, 1, 1);
  const SumRanges ranges = *SumRanges::create(*artifact, plan, 0);
  std::mt19937 random(5);
  SumSet a, b, out;
  fill(ranges, random, {0, 2, 3}, a);
  fill(ranges, random, {2, 4}, b);
  ASSERT_TRUE(ranges.add(a, b, {37}, out).ok());
  EXPECT_EQ(*out.sum(0).as<float>(), *a.sum(0).as<float>() + *b.sum(0).as<float>());
  EXPECT_EQ(out.sum(2).as<float>()[2], a.sum(2).as<float>()[2] + b.sum(2).as<float>()[2]);
  ASSERT_EQ(*out.sum(5).as<int64_t>(), 4);
  EXPECT_EQ(out.sum(3).dim(0), 4);
  EXPECT_THAT(std::vector<int64_t>(out.sum(3).as<int64_t>(), out.sum(3).as<int64_t>() + 4), ElementsAre(0, 2, 3, 4));
  const float *left = a.sum(4).as<float>(), *right = b.sum(4).as<float>(), *sum = out.sum(4).as<float>();
  EXPECT_EQ(sum[0], left[0]);
  EXPECT_EQ(sum[2], left[2] + right[0]);
  EXPECT_EQ(sum[3], left[3] + right[1]);
  EXPECT_EQ(sum[5], left[5]);
  EXPECT_EQ(sum[7], right[3]);
}

TEST(SumRanges, HaveTheBitsOfTheCompiledCombine) {
  auto artifact = fake();
  ThreadPool pool(1);
  auto program = makeFakeProgram(pool, artifact);
  EntryRunner combine(*program, *artifact->entry(MLCRT_ROLE_TRAIN_COMBINE), pool);
  const ShardPlan plan(*artifact, 1, 1);
  const SumRanges ranges = *SumRanges::create(*artifact, plan, 0);
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<int64_t> leftIds, rightIds;
    for (int64_t id = 0; id < 5; ++id) {
      if (random() % 2)
        leftIds.push_back(id);
      if (random() % 2)
        rightIds.push_back(id);
    }
    SumSet a, b, own, compiled;
    fill(ranges, random, leftIds, a);
    fill(ranges, random, rightIds, b);
    ASSERT_TRUE(ranges.add(a, b, {37, 0, 0}, own).ok());
    SumOperands sums;
    sums.a = &a;
    sums.b = &b;
    sums.out = &compiled;
    ASSERT_TRUE(combine.runSums({}, sums, Symbols(artifact->symbolCount(), 37)).ok());
    ASSERT_EQ(*own.sum(5).as<int64_t>(), *compiled.sum(5).as<int64_t>());
    const int64_t count = *own.sum(5).as<int64_t>();
    EXPECT_EQ(std::memcmp(own.sum(2).data(), compiled.sum(2).data(), own.sum(2).bytes()), 0);
    EXPECT_EQ(std::memcmp(own.sum(3).data(), compiled.sum(3).data(), count * 8), 0);
    EXPECT_EQ(std::memcmp(own.sum(4).data(), compiled.sum(4).data(), count * 8), 0);
  }
}
