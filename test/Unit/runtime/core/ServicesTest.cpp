//===- ServicesTest.cpp - Every service, called as compiled code calls it ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Services.h"
#include "AllocationCount.h"
#include "FakeArtifact.h"
#include "runtime/src/core/Environment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <limits>
#include <map>
#include <random>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

static mlcrt_string cell(const char *text) { return {text, static_cast<int64_t>(std::string_view(text).size())}; }

class Services : public testing::Test {
protected:
  Services()
      : tables(LookupTables::build(*mlc_artifact_query(MLCRT_ABI_VERSION, nullptr))), environment(pool, &*tables) {}
  ThreadPool pool{2};
  absl::StatusOr<LookupTables> tables;
  Environment environment;
  const mlcrt_services &s = services();
};

TEST_F(Services, TableIsComplete) {
  EXPECT_EQ(s.struct_size, sizeof(mlcrt_services));
  EXPECT_EQ(s.version, static_cast<uint32_t>(MLCRT_ABI_VERSION));
#define MLCRT_SERVICE(name, parameters) EXPECT_NE(s.name, nullptr);
#include "mlcrt/services.def"
#undef MLCRT_SERVICE
}

/// The version alone tells a runtime that it lacks services which an artifact calls: one that is appended raises it.
TEST_F(Services, NewOnesRaiseTheMinorVersion) {
  // Of services, by MLCRT_ABI_MINOR.
  const std::map<int, size_t> numbers = {{0, 55}, {1, 56}, {2, 56}, {3, 56}, {4, 59}, {5, 59}};
  size_t number = 0;
#define MLCRT_SERVICE(name, parameters) ++number;
#include "mlcrt/services.def"
#undef MLCRT_SERVICE
  auto known = numbers.find(MLCRT_ABI_MINOR);
  ASSERT_NE(known, numbers.end()) << "add {" << MLCRT_ABI_MINOR << ", " << number << "}";
  EXPECT_EQ(number, known->second) << "raise MLCRT_ABI_MINOR";
}

// Golden values of TensorFlow 1.15.
TEST_F(Services, FingerprintGoldenValues) {
  std::vector<mlcrt_string> texts;
  for (const char *text : {"Hello", "World", "a", "b", "c", "d", "omar", "stringer", "marlo"})
    texts.push_back(cell(text));
  std::vector<int64_t> out(texts.size());
  ASSERT_EQ(s.fingerprint_strings(&environment, texts.data(), texts.size(), out.data()), 0);
  std::vector<uint64_t> h(out.begin(), out.end());
  EXPECT_EQ(h[0], 15404698994557526151u);
  EXPECT_EQ(h[1], 18308117990299812472u);
  EXPECT_EQ(h[2], 12917804110809363939u);
  EXPECT_EQ(h[3], 11795596070477164822u);
  EXPECT_EQ(h[4], 11430444447143000872u);
  EXPECT_EQ(h[5], 4470636696479570465u);
  EXPECT_EQ(h[6] % 10, 6u);
  EXPECT_EQ(h[7] % 10, 4u);
  EXPECT_EQ(h[8] % 10, 1u);
}

TEST_F(Services, IntegersAreHashedAsDecimalText) {
  const int64_t in[] = {101, 201, 301, -5, std::numeric_limits<int64_t>::min()};
  int64_t out[5];
  ASSERT_EQ(s.fingerprint_ints(&environment, in, 5, out), 0);
  EXPECT_EQ(static_cast<uint64_t>(out[0]) % 10, 3u);
  EXPECT_EQ(static_cast<uint64_t>(out[1]) % 10, 7u);
  EXPECT_EQ(static_cast<uint64_t>(out[2]) % 10, 5u);
  mlcrt_string texts[] = {cell("-5"), cell("-9223372036854775808")};
  int64_t expected[2];
  s.fingerprint_strings(&environment, texts, 2, expected);
  EXPECT_EQ(out[3], expected[0]);
  EXPECT_EQ(out[4], expected[1]);
}

TEST_F(Services, LookupOfStrings) {
  mlcrt_string in[] = {cell("c"), cell("a"), cell("Hello"), cell("World"), cell("")};
  int64_t out[5];
  ASSERT_EQ(s.lookup_strings(&environment, 0, in, 5, out), 0);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 0);
  // Outside: fingerprint mod 2 buckets + 3 terms.
  EXPECT_EQ(out[2], 15404698994557526151u % 2 + 3);
  EXPECT_EQ(out[3], 18308117990299812472u % 2 + 3);
  EXPECT_TRUE(out[4] == 3 || out[4] == 4);
}

TEST_F(Services, LookupOfIntegers) {
  const int64_t in[] = {-7, 40, 0};
  int64_t out[3];
  ASSERT_EQ(s.lookup_ints(&environment, 1, in, 3, out), 0);
  EXPECT_THAT(out, ElementsAre(1, 0, -1)); // no OOV buckets: the default
}

TEST_F(Services, LookupInAWrongTableIsAnError) {
  int64_t id = 0, out;
  mlcrt_string text = cell("a");
  EXPECT_EQ(s.lookup_ints(&environment, 0, &id, 1, &out), MLCRT_INTERNAL);
  EXPECT_EQ(s.lookup_strings(&environment, 2, &text, 1, &out), MLCRT_INTERNAL);
  EXPECT_EQ(s.lookup_strings(&environment, -1, &text, 1, &out), MLCRT_INTERNAL);
  EXPECT_THAT(environment.take()->message, HasSubstr("not one of that type"));
}

TEST_F(Services, UniqueIdsSmall) {
  const int64_t ids[] = {5, -1, 3, 5, 0, 3, 5};
  int64_t unique[7] = {9, 9, 9, 9, 9, 9, 9}, ends[7] = {9, 9, 9, 9, 9, 9, 9}, order[7] = {9, 9, 9, 9, 9, 9, 9}, count;
  ASSERT_EQ(s.unique_ids(&environment, ids, 7, unique, ends, order, &count), 0);
  ASSERT_EQ(count, 3);
  // What lies after is left as it was.
  EXPECT_THAT(unique, ElementsAre(0, 3, 5, 9, 9, 9, 9));
  EXPECT_THAT(ends, ElementsAre(1, 3, 6, 9, 9, 9, 9));
  EXPECT_THAT(order, ElementsAre(4, 2, 5, 0, 3, 6, 9));
}

TEST_F(Services, UniqueIdsOfNothing) {
  int64_t unique[2], ends[2], order[2], count = 9;
  ASSERT_EQ(s.unique_ids(&environment, nullptr, 0, unique, ends, order, &count), 0);
  EXPECT_EQ(count, 0);
  const int64_t ids[] = {-1, -2};
  ASSERT_EQ(s.unique_ids(&environment, ids, 2, unique, ends, order, &count), 0);
  EXPECT_EQ(count, 0);
}

TEST_F(Services, TableTerms) {
  const int64_t ids[] = {2, 0}, outside[] = {0, 3};
  mlcrt_string out[2];
  ASSERT_EQ(s.table_terms(&environment, 0, ids, 2, out), 0);
  EXPECT_EQ(std::string(out[0].data, out[0].size), "c");
  EXPECT_EQ(std::string(out[1].data, out[1].size), "a");
  EXPECT_EQ(s.table_terms(&environment, 0, outside, 2, out), MLCRT_INTERNAL);
  EXPECT_EQ(environment.take()->message, "table 'keys' has no term 3");
  EXPECT_EQ(s.table_terms(&environment, 1, ids, 2, out), MLCRT_INTERNAL) << "its terms are integers";
}

// Against a map, for all ways of sorting: few, many, wide ids, ids that do not pack.
TEST_F(Services, UniqueIdsAgainstAMap) {
  std::mt19937_64 random(7);
  for (int64_t bound : {int64_t(1), int64_t(3), int64_t(300), int64_t(100000), int64_t(1) << 31, int64_t(1) << 39,
                        (int64_t(1) << 39) + 1, std::numeric_limits<int64_t>::max()})
    for (int64_t n : {1, 2, 63, 64, 65, 128, 1023, 1024, 4096}) {
      std::vector<int64_t> ids(n), unique(n), ends(n), order(n);
      for (int64_t &id : ids)
        id = random() % 16 == 0 ? -static_cast<int64_t>(random() % 9) - 1 : static_cast<int64_t>(random() % bound);
      ids[n / 2] = bound - 1;
      std::map<int64_t, std::vector<int64_t>> expected;
      for (int64_t i = 0; i < n; ++i)
        if (ids[i] >= 0)
          expected[ids[i]].push_back(i);
      int64_t count;
      ASSERT_EQ(s.unique_ids(&environment, ids.data(), n, unique.data(), ends.data(), order.data(), &count), 0);
      ASSERT_EQ(count, static_cast<int64_t>(expected.size())) << n << " ids below " << bound;
      int64_t k = 0;
      for (auto &[id, positions] : expected) {
        ASSERT_EQ(unique[k], id);
        ASSERT_EQ(std::vector<int64_t>(order.begin() + (k ? ends[k - 1] : 0), order.begin() + ends[k]), positions);
        ++k;
      }
    }
}

TEST_F(Services, UniqueIdsAllocatesNothingWhenWarm) {
  if (!countsAllocations())
    GTEST_SKIP() << "the sanitizer has its own allocator";
  std::vector<int64_t> ids(512), unique(512), ends(512), order(512);
  for (int64_t i = 0; i < 512; ++i)
    ids[i] = i * 7919 % 300;
  int64_t count;
  s.unique_ids(&environment, ids.data(), 512, unique.data(), ends.data(), order.data(), &count);
  int64_t before = allocationCount();
  s.unique_ids(&environment, ids.data(), 512, unique.data(), ends.data(), order.data(), &count);
  EXPECT_EQ(allocationCount(), before);
  ids.assign(100000, 1);
  for (std::vector<int64_t> *grown : {&unique, &ends, &order})
    grown->resize(100000);
  before = allocationCount();
  s.unique_ids(&environment, ids.data(), 100000, unique.data(), ends.data(), order.data(), &count);
  EXPECT_GT(allocationCount(), before) << "more ids than ever must grow the scratch, and the counter must count it";
}

TEST_F(Services, MergeRows) {
  const int64_t aIds[] = {1, 4, 6}, bIds[] = {0, 4, 9, 10};
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60, 70, 80};
  int64_t ids[7], count;
  float rows[14];
  ASSERT_EQ(s.merge_rows_f32(&environment, aIds, a, 3, bIds, b, 4, 2, ids, rows, &count), 0);
  ASSERT_EQ(count, 6);
  EXPECT_THAT(std::vector<int64_t>(ids, ids + 6), ElementsAre(0, 1, 4, 6, 9, 10));
  EXPECT_THAT(std::vector<float>(rows, rows + 12), ElementsAre(10, 20, 1, 2, 33, 44, 5, 6, 50, 60, 70, 80));
  ASSERT_EQ(s.merge_rows_f32(&environment, aIds, a, 3, nullptr, nullptr, 0, 2, ids, rows, &count), 0);
  EXPECT_EQ(count, 3);
  EXPECT_THAT(std::vector<float>(rows, rows + 6), ElementsAre(1, 2, 3, 4, 5, 6));
  ASSERT_EQ(s.merge_rows_f32(&environment, nullptr, nullptr, 0, nullptr, nullptr, 0, 2, ids, rows, &count), 0);
  EXPECT_EQ(count, 0);
}

TEST_F(Services, PairsOfEndsThatDoNotAscendStayWithinTheirRoom) {
  int64_t left[4], right[4], out[2];
  // The product of the sizes is beyond 64 bits, of which it has 0.
  const int64_t large[] = {int64_t(1) << 32, int64_t(1) << 32}, falling[] = {2, 1};
  EXPECT_EQ(s.segment_product(&environment, large, 0, large, 0, 2, 4, left, right, out), MLCRT_INTERNAL);
  EXPECT_TRUE(environment.take());
  EXPECT_EQ(s.segment_product(&environment, falling, 0, falling, 0, 2, 4, left, right, out), MLCRT_OK);
  EXPECT_THAT(std::vector<int64_t>(out, out + 2), ElementsAre(4, 4));
}

TEST_F(Services, CheckIdsNamesTheRowTheTextAndTheVocabulary) {
  const int64_t ids[] = {0, 1, 3, 9};
  mlcrt_string texts[] = {cell("a"), cell("b"), cell(">50K.\n"), cell("x")};
  EXPECT_EQ(s.check_ids(&environment, ids, 2, 0, 3, texts, MLCRT_STRING, 0, "label 'y'", "y"), MLCRT_OK);
  EXPECT_FALSE(environment.take());
  EXPECT_EQ(s.check_ids(&environment, ids, 4, 0, 3, texts, MLCRT_STRING, 0, "label 'y'", "y"), MLCRT_DATA_ERROR);
  StepError error = *environment.take();
  EXPECT_EQ(error.code, MLCRT_DATA_ERROR);
  EXPECT_EQ(error.row, 2);
  EXPECT_EQ(error.message, "label 'y': '>50K.\\n' is not in the vocabulary");
  EXPECT_EQ(error.expected, "'a', 'b' or 'c'");
  EXPECT_EQ(error.feature, "y");
}

TEST_F(Services, CheckIdsOfOneIdLeavesTheExpectationOfCellsToWhat) {
  const int64_t verdicts[] = {0, -1};
  const float cells[] = {0.5f, 1.5f};
  EXPECT_EQ(s.check_ids(&environment, verdicts, 2, 0, 1, cells, MLCRT_F32, -1, "label 'y', a number from 0 to 1", "y"),
            MLCRT_DATA_ERROR);
  StepError error = *environment.take();
  EXPECT_EQ(error.row, 1);
  EXPECT_EQ(error.message, "label 'y', a number from 0 to 1: 1.5 is out of range");
  EXPECT_EQ(error.expected, "");
  EXPECT_EQ(s.check_ids(&environment, verdicts, 2, 0, 1, nullptr, MLCRT_I64, -1, "column 'x'", "x"), MLCRT_DATA_ERROR);
  EXPECT_EQ(environment.take()->expected, "an integer from 0 to 0");
}

TEST_F(Services, CheckColumnsNamesTheFirstColumnAtFault) {
  const int64_t ids[] = {0, 5, -1, 1, 9, 0, 2, 3, 7}, highs[] = {3, 9, 8}, tight[] = {2, 9, 7}, none[] = {-1, -1, -1};
  const char features[] = "a\0b b\0c";
  EXPECT_EQ(s.check_columns(&environment, ids, 3, -1, highs, 3, "column", features), MLCRT_OK);
  EXPECT_EQ(s.check_columns(&environment, ids, 0, 0, highs, 3, "column", features), MLCRT_OK);
  EXPECT_FALSE(environment.take());
  EXPECT_EQ(s.check_columns(&environment, ids, 9, -1, highs, 3, "column", features), MLCRT_DATA_ERROR);
  StepError error = *environment.take();
  EXPECT_EQ(error.code, MLCRT_DATA_ERROR);
  EXPECT_EQ(error.row, 1);
  EXPECT_EQ(error.message, "column 'b b': 9 is out of range");
  EXPECT_EQ(error.expected, "an integer from -1 to 8");
  EXPECT_EQ(error.feature, "b b");
  // The second column is wrong in an earlier row.
  EXPECT_EQ(s.check_columns(&environment, ids, 9, -1, tight, 3, "column", features), MLCRT_DATA_ERROR);
  error = *environment.take();
  EXPECT_EQ(error.row, 2);
  EXPECT_EQ(error.feature, "a");
  EXPECT_EQ(s.check_columns(&environment, none, 3, 0, highs, 3, "column", features), MLCRT_DATA_ERROR);
  EXPECT_EQ(environment.take()->expected, "an integer from 0 to 2");
}

TEST_F(Services, CheckSegmentIdsFindsTheRow) {
  const int64_t ids[] = {0, 2, 1, 3, 9}, ends[] = {0, 2, 2, 4, 5};
  EXPECT_EQ(s.check_segment_ids(&environment, ids, 3, -1, 3, nullptr, MLCRT_I64, -1, "column 'x'", "x", ends, 3),
            MLCRT_OK);
  EXPECT_EQ(s.check_segment_ids(&environment, ids, 5, -1, 3, nullptr, MLCRT_I64, -1, "column 'x'", "x", ends, 5),
            MLCRT_DATA_ERROR);
  StepError error = *environment.take();
  EXPECT_EQ(error.row, 3);
  EXPECT_EQ(error.message, "column 'x': 3 is out of range");
  EXPECT_EQ(error.expected, "an integer from -1 to 2");
}

TEST_F(Services, CheckIndicesNamesTheFirstThatIsOutOfRange) {
  const int64_t bounds[] = {3, 5};
  int64_t right[] = {0, 0, 2, 4}, wrong[] = {0, 4, 2, 5}, negative[] = {-1, 4};
  EXPECT_EQ(s.check_indices(&environment, bounds, 2, 0, "'df.op' at f:1:2", right, 4), MLCRT_OK);
  EXPECT_EQ(s.check_indices(&environment, bounds, 2, 0, "'df.op' at f:1:2", nullptr, 0), MLCRT_OK);
  EXPECT_EQ(s.check_indices(&environment, bounds, 2, 0, "'df.op' at f:1:2", wrong, 4), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(environment.take()->message, "'df.op' at f:1:2: component 1 of index 1 is 5, not in [0, 5)");
  EXPECT_EQ(s.check_indices(&environment, bounds, 2, 0, "'df.op'", negative, 2), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(environment.take()->message, "'df.op': component 0 of index 0 is -1, not in [0, 3)");
  EXPECT_EQ(s.check_indices(&environment, bounds, 2, 1, "'df.op'", negative, 2), MLCRT_OK);
}

TEST_F(Services, CheckIndicesNamesTheFirstOfManyForAnyNumberOfThreads) {
  const int64_t bounds[] = {3, 5}, n = 200'002;
  for (int threads : {1, 2, 4}) {
    ThreadPool many(threads);
    Environment parallel(many, nullptr);
    std::vector<int64_t> indices(n, 2);
    EXPECT_EQ(s.check_indices(&parallel, bounds, 2, 0, "'df.op'", indices.data(), n), MLCRT_OK);
    indices[n - 1] = 5;
    EXPECT_EQ(s.check_indices(&parallel, bounds, 2, 0, "'df.op'", indices.data(), n), MLCRT_INVALID_ARGUMENT);
    EXPECT_EQ(parallel.take()->message, "'df.op': component 1 of index 100000 is 5, not in [0, 5)");
    // Several are wrong, in several tasks.
    indices[150'000] = 3;
    indices[60'003] = -7;
    EXPECT_EQ(s.check_indices(&parallel, bounds, 2, 0, "'df.op'", indices.data(), n), MLCRT_INVALID_ARGUMENT);
    EXPECT_EQ(parallel.take()->message, "'df.op': component 1 of index 30001 is -7, not in [0, 5)");
    EXPECT_EQ(s.check_indices(&parallel, bounds, 2, 1, "'df.op'", indices.data(), n), MLCRT_INVALID_ARGUMENT);
    EXPECT_EQ(parallel.take()->message, "'df.op': component 0 of index 75000 is 3, not in [0, 3)");
  }
}

TEST_F(Services, PositionsAndGroupsBelowZeroAreRefused) {
  const float values[] = {1, 2};
  float store[] = {0, 0, 0};
  EXPECT_EQ(s.put_values(&environment, values, 2, 4, -1, 3, store), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(environment.take()->message, "'df.put_values': position -1 is not >= 0");
  const int64_t groups[] = {0, -2};
  const double weights[] = {1, 1};
  double ranks[2] = {7, 7};
  EXPECT_EQ(s.mid_ranks(&environment, nullptr, groups, weights, 2, 2, ranks), MLCRT_INVALID_ARGUMENT);
  EXPECT_EQ(environment.take()->message, "'df.mid_ranks': row 1 is of group -2");
  EXPECT_EQ(s.mid_ranks(&environment, nullptr, nullptr, weights, -3, 2, ranks), MLCRT_OK);
  EXPECT_THAT(ranks, ElementsAre(0, 0));
}

TEST_F(Services, UniqueValuesAreInOrderOfFirstOccurrenceOrSorted) {
  const int64_t in[] = {7, -3, 7, 9, -3, 7};
  int64_t values[6], inverse[6], counts[6], count;
  ASSERT_EQ(s.unique_values(&environment, in, 6, 0, values, inverse, counts, &count), MLCRT_OK);
  ASSERT_EQ(count, 3);
  EXPECT_THAT(std::vector<int64_t>(values, values + 3), ElementsAre(7, -3, 9));
  EXPECT_THAT(std::vector<int64_t>(counts, counts + 3), ElementsAre(3, 2, 1));
  EXPECT_THAT(inverse, ElementsAre(0, 1, 0, 2, 1, 0));
  ASSERT_EQ(s.unique_values(&environment, in, 6, 1, values, inverse, counts, &count), MLCRT_OK);
  ASSERT_EQ(count, 3);
  EXPECT_THAT(std::vector<int64_t>(values, values + 3), ElementsAre(-3, 7, 9));
  EXPECT_THAT(std::vector<int64_t>(counts, counts + 3), ElementsAre(2, 3, 1));
  EXPECT_THAT(inverse, ElementsAre(1, 0, 1, 2, 0, 1));
  ASSERT_EQ(s.unique_values(&environment, in, 0, 0, values, inverse, counts, &count), MLCRT_OK);
  EXPECT_EQ(count, 0);
}

TEST_F(Services, SegmentProductPairsTheValuesOfEachRow) {
  const int64_t lhs[] = {1, 1, 3}, rhs[] = {2, 5, 5};
  int64_t i[6], j[6], ends[3];
  ASSERT_EQ(s.segment_product(&environment, lhs, 0, rhs, 0, 3, 2, i, j, ends), MLCRT_OK);
  EXPECT_THAT(std::vector<int64_t>(i, i + 2), ElementsAre(0, 0));
  EXPECT_THAT(std::vector<int64_t>(j, j + 2), ElementsAre(0, 1));
  EXPECT_THAT(ends, ElementsAre(2, 2, 2));
  ASSERT_EQ(s.segment_product(&environment, lhs, 0, nullptr, 2, 3, 6, i, j, ends), MLCRT_OK);
  EXPECT_THAT(i, ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(j, ElementsAre(0, 1, 4, 5, 4, 5));
  EXPECT_THAT(ends, ElementsAre(2, 2, 6));
  ASSERT_EQ(s.segment_product(&environment, nullptr, 1, lhs, 0, 3, 3, i, j, ends), MLCRT_OK);
  EXPECT_THAT(std::vector<int64_t>(i, i + 3), ElementsAre(0, 2, 2));
  EXPECT_THAT(std::vector<int64_t>(j, j + 3), ElementsAre(0, 1, 2));
  // Room for another number of pairs: a bug of ours, never a write beyond it.
  for (int64_t count : {0, 1, 5, 7}) {
    i[count < 6 ? count : 5] = 77;
    EXPECT_EQ(s.segment_product(&environment, lhs, 0, nullptr, 2, 3, count, i, j, ends), MLCRT_INTERNAL);
    EXPECT_THAT(environment.take()->message, HasSubstr("pairs of values"));
    if (count < 6)
      EXPECT_EQ(i[count], 77) << count;
  }
}

TEST_F(Services, CheckIdsNamesNumbers) {
  const int64_t ids[] = {-1};
  auto messageFor = [&](const void *cells, int32_t dtype) {
    EXPECT_EQ(s.check_ids(&environment, ids, 1, 0, 5, cells, dtype, -1, "label 'y'", nullptr), MLCRT_DATA_ERROR);
    StepError error = *environment.take();
    EXPECT_EQ(error.expected, "an integer from 0 to 4");
    EXPECT_EQ(error.feature, "");
    return error.message;
  };
  const int64_t integer = 1234567890123;
  const float single = 0.1f;
  const double half = 2.5;
  EXPECT_EQ(messageFor(nullptr, MLCRT_I64), "label 'y': -1 is out of range");
  EXPECT_EQ(messageFor(&integer, MLCRT_I64), "label 'y': 1234567890123 is out of range");
  EXPECT_EQ(messageFor(&single, MLCRT_F32), "label 'y': 0.1 is out of range");
  EXPECT_EQ(messageFor(&half, MLCRT_F64), "label 'y': 2.5 is out of range");
}

TEST_F(Services, LowestRowWins) {
  s.report_error(&environment, MLCRT_INVALID_ARGUMENT, -1, "no row");
  s.report_error(&environment, MLCRT_DATA_ERROR, 9, "nine");
  EXPECT_EQ(s.report_error(&environment, MLCRT_DATA_ERROR, 4, "four b"), MLCRT_DATA_ERROR);
  s.report_error(&environment, MLCRT_DATA_ERROR, 4, "four a");
  s.report_error(&environment, MLCRT_DATA_ERROR, 5, "five");
  StepError error = *environment.take();
  EXPECT_EQ(error.row, 4);
  EXPECT_EQ(error.message, "four a");
  EXPECT_FALSE(environment.take()) << "taken errors are forgotten";
}

TEST_F(Services, StatusCarriesTheParts) {
  absl::Status status = toStatus({MLCRT_DATA_ERROR, 12, "bad", "good", "y"});
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), "bad; expected: good");
  StepError error = stepErrorOf(status);
  EXPECT_EQ(error.code, MLCRT_DATA_ERROR);
  EXPECT_EQ(error.row, 12);
  EXPECT_EQ(error.message, "bad");
  EXPECT_EQ(error.expected, "good");
  EXPECT_EQ(error.feature, "y");
  EXPECT_EQ(stepErrorOf(toStatus({MLCRT_INTERNAL, -1, "bug"})).row, -1);
  EXPECT_EQ(stepErrorOf(absl::DataLossError("no step")).message, "no step");
  EXPECT_EQ(stepErrorOf(absl::DataLossError("no step")).row, -1);
  EXPECT_EQ(toStatus({MLCRT_INTERNAL, -1, "bug"}).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(toStatus({MLCRT_INVALID_ARGUMENT, -1, "arg"}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(Services, ParallelForUsesThePool) {
  std::atomic<int64_t> sum{0};
  auto add = [](void *raw, int64_t first, int64_t last, int64_t) -> int32_t {
    for (int64_t i = first; i < last; ++i)
      *static_cast<std::atomic<int64_t> *>(raw) += i;
    return MLCRT_OK;
  };
  EXPECT_EQ(s.parallel_for(&environment, add, &sum, 101), MLCRT_OK);
  EXPECT_EQ(sum, 5050);
}
