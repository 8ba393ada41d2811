// When metrics speak against a model, and when they do not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/ModelHealth.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static std::vector<Metric> scalars(const std::vector<std::pair<std::string, double>> &values) {
  std::vector<Metric> metrics;
  for (const auto &[name, value] : values)
    metrics.push_back({name, "", "", true, {value}});
  return metrics;
}

static std::vector<std::string> codes(const std::vector<Metric> &metrics, std::optional<double> trainLoss = {}) {
  std::vector<std::string> found;
  for (const mlc::common::Message &message : judgeModel(metrics, "", trainLoss)) {
    EXPECT_EQ(message.severity, mlc::common::Severity::Warning);
    found.push_back(message.code);
  }
  return found;
}

TEST(ModelHealth, ALossLikeThatOfTheClassesSharesIsNoModel) {
  EXPECT_THAT(codes(scalars({{"average_loss", 0.55}, {"baseline/average_loss", 0.54}})), ElementsAre("E0801"));
  EXPECT_THAT(codes(scalars({{"average_loss", 0.53}, {"baseline/average_loss", 0.54}})), IsEmpty());
  // All labels are of one class: nothing can be better.
  EXPECT_THAT(codes(scalars({{"average_loss", 0.01}, {"baseline/average_loss", 0}})), IsEmpty());
  EXPECT_THAT(codes(scalars({{"average_loss", std::nan("")}, {"baseline/average_loss", 0.5}})), IsEmpty());
}

TEST(ModelHealth, AnAccuracyBelowTheMostFrequentClassIsNoModel) {
  EXPECT_THAT(codes(scalars({{"accuracy", 0.73}, {"baseline/accuracy", 0.77}})), ElementsAre("E0801"));
  // Labels between 0 and 1 have no such baseline.
  EXPECT_THAT(codes(scalars({{"accuracy", 0.3}})), IsEmpty());
  EXPECT_THAT(codes(scalars({{"accuracy", 0.77}, {"baseline/accuracy", 0.77}})), IsEmpty());
  auto warnings = judgeModel(scalars({{"accuracy", 0.73}, {"baseline/accuracy", 0.77}}), "valid", {});
  EXPECT_EQ(warnings[0].what, "[valid] the model is not better than no model: accuracy is 0.7300, and 0.7700 if the "
                              "most frequent class is predicted for every row");
}

TEST(ModelHealth, EachOfSeveralHeadsIsJudged) {
  const std::vector<Metric> metrics = scalars({{"loss", 9},
                                               {"loss/a", 4},
                                               {"loss/b", 5},
                                               {"accuracy/a", 0.73},
                                               {"accuracy/b", 0.73},
                                               {"baseline/accuracy/a", 0.77},
                                               {"baseline/accuracy/b", 0.5},
                                               {"average_loss/b", 5},
                                               {"rate/confident_errors/b", 0.25}});
  // The loss of training is that of all heads: none is compared with it.
  const auto warnings = judgeModel(metrics, "valid", 0.001);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].code, "E0801");
  EXPECT_THAT(warnings[0].what,
              testing::StartsWith("[valid] head 'a': the model is not better than no model: accuracy"));
  EXPECT_EQ(warnings[1].code, "E0804");
  EXPECT_THAT(warnings[1].what, testing::StartsWith("[valid] head 'b': the model is sure of what is wrong"));
}

TEST(ModelHealth, AnRmseLikeThatOfTheMeanIsNoModel) {
  EXPECT_THAT(codes(scalars({{"rmse", 3}, {"baseline/rmse", 2}})), ElementsAre("E0801"));
  EXPECT_THAT(codes(scalars({{"rmse", 1}, {"baseline/rmse", 2}})), IsEmpty());
}

TEST(ModelHealth, ALossOfLogarithmsIsComparedOnItsOwnScale) {
  EXPECT_THAT(
      codes(scalars({{"rmse", 3}, {"baseline/rmse", 2}, {"average_loss", 0.1}, {"baseline/average_loss", 0.5}})),
      IsEmpty());
  const auto warnings = judgeModel(
      scalars({{"rmse", 1}, {"baseline/rmse", 2}, {"average_loss", 0.6}, {"baseline/average_loss", 0.5}}), "", {});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].what, "the model is not better than no model: average_loss is 0.6000, and 0.5000 if one number "
                              "is predicted for every row");
}

TEST(ModelHealth, OneClassForAllRows) {
  const auto confusion = [](std::vector<double> values) {
    return std::vector<Metric>{{"report/confusion", "", "", false, std::move(values)}};
  };
  EXPECT_THAT(codes(confusion({5, 0, 3, 0})), ElementsAre("E0802"));
  EXPECT_THAT(codes(confusion({5, 0, 3, 1})), IsEmpty());
  EXPECT_THAT(codes(confusion({8, 0, 0, 0})), IsEmpty()); // and the labels have one
}

TEST(ModelHealth, FarFromTrainingData) {
  const auto metrics = [](double average, double loss, double penalty) {
    return scalars(
        {{"average_loss", average}, {"loss", loss}, {"regularization_loss", penalty}, {"baseline/average_loss", 0.6}});
  };
  EXPECT_THAT(codes(metrics(0.5, 0.5, 0), 0.1), ElementsAre("E0803"));
  EXPECT_THAT(codes(metrics(0.5, 0.5, 0), 0.3), IsEmpty());
  EXPECT_THAT(codes(metrics(0.5, 0.6, 0.1), 0.45), IsEmpty());
  EXPECT_THAT(codes(metrics(0.5, 0.6, 0.1), 0.25), ElementsAre("E0803")); // penalties are no loss of rows
  EXPECT_THAT(codes(metrics(0.5, 32, 0), 1.0), IsEmpty());                // a sum over 64 rows
  EXPECT_THAT(codes(scalars({{"average_loss", 9}, {"loss", 9}}), 2), ElementsAre("E0803"));
  EXPECT_THAT(codes(scalars({{"average_loss", 9}, {"loss", 9}}), std::nan("")), IsEmpty());
}

TEST(ModelHealth, SureOfWhatIsWrong) {
  EXPECT_THAT(codes(scalars({{"rate/confident_errors", 0.02}})), ElementsAre("E0804"));
  EXPECT_THAT(codes(scalars({{"rate/confident_errors", 0.01}})), IsEmpty());
}
