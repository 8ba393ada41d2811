// Scores by class: golden values of scikit-learn 1.2, classification_report and confusion_matrix.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluationReport.h"

#include "nlohmann/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

static Metric vectorMetric(std::string name, std::vector<double> values) {
  return {std::move(name), "[]", "[]", /*isScalar=*/false, std::move(values)};
}

// labels 0 0 0 1 1 2, predictions 0 0 1 1 2 2; class 3 is neither.
static const std::vector<Metric> kConfusion = {
    vectorMetric("report/confusion", {2, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0})};

TEST(EvaluationReport, ScoresOfTheConfusionMatrix) {
  auto report = nlohmann::json::parse(reportJson(kConfusion, {{"", {"a", "b", "c", "d"}}}));
  EXPECT_EQ(report["classes"][0]["name"], "a");
  EXPECT_DOUBLE_EQ(report["classes"][0]["precision"], 1.0);
  EXPECT_DOUBLE_EQ(report["classes"][0]["recall"], 2.0 / 3);
  EXPECT_DOUBLE_EQ(report["classes"][0]["f1"], 0.8);
  EXPECT_DOUBLE_EQ(report["classes"][1]["f1"], 0.5);
  EXPECT_DOUBLE_EQ(report["classes"][2]["f1"], 2.0 / 3);
  EXPECT_DOUBLE_EQ(report["classes"][3]["f1"], 0.0);
  EXPECT_DOUBLE_EQ(report["macro"]["f1"], 0.6555555555555556);
  EXPECT_DOUBLE_EQ(report["weighted"]["f1"], 0.6777777777777777);
  EXPECT_DOUBLE_EQ(report["weighted"]["precision"], 0.75);
  EXPECT_EQ(report["confusion_matrix"][1], (std::vector<double>{0, 1, 1, 0}));
}

TEST(EvaluationReport, WithoutTheMatrixTheCountsGiveTheSame) {
  const std::vector<Metric> counts = {vectorMetric("report/support", {3, 2, 1, 0}),
                                      vectorMetric("report/predicted", {2, 2, 2, 0}),
                                      vectorMetric("report/hits", {2, 1, 1, 0})};
  auto report = nlohmann::json::parse(reportJson(counts, {}));
  auto whole = nlohmann::json::parse(reportJson(kConfusion, {}));
  EXPECT_EQ(report["classes"], whole["classes"]);
  EXPECT_EQ(report["macro"], whole["macro"]);
  EXPECT_FALSE(report.contains("confusion_matrix"));
}

TEST(EvaluationReport, TextIsATable) {
  EXPECT_EQ(reportText(kConfusion, {{"", {"a", "b", "long name"}}}),
            "class          precision  recall      f1  support\n"
            "a                 1.0000  0.6667  0.8000        3\n"
            "b                 0.5000  0.5000  0.5000        2\n"
            "long name         0.5000  1.0000  0.6667        1\n"
            "3                 0.0000  0.0000  0.0000        0\n"
            "macro mean        0.6667  0.7222  0.6556        6\n"
            "weighted mean     0.7500  0.6667  0.6778        6\n"
            "\n"
            "label \\ predicted  a  b  long name  3\n"
            "a                  2  1          0  0\n"
            "b                  0  1          1  0\n"
            "long name          0  0          1  0\n"
            "3                  0  0          0  0\n");
}

TEST(EvaluationReport, SeveralHeadsHaveOneEach) {
  const std::vector<Metric> metrics = {
      vectorMetric("loss", {3}), vectorMetric("loss/kind", {1}), vectorMetric("loss/level", {2}),
      vectorMetric("report/confusion/kind", {2, 1, 0, 1}), vectorMetric("rmse/level", {1})};
  const auto report = nlohmann::json::parse(reportJson(metrics, {{"kind", {"no", "yes"}}, {"level", {}}}));
  EXPECT_EQ(report["kind"]["classes"][1]["name"], "yes");
  EXPECT_DOUBLE_EQ(report["kind"]["classes"][0]["recall"], 2.0 / 3);
  EXPECT_TRUE(report["level"].is_null());
  const std::string text = reportText(metrics, {{"kind", {"no", "yes"}}});
  EXPECT_EQ(text.rfind("head 'kind'\nclass ", 0), 0u) << text;
  EXPECT_THAT(text, testing::Not(HasSubstr("level")));
}

TEST(EvaluationReport, WhatIsNoClassifierHasNone) {
  EXPECT_EQ(reportText({vectorMetric("rmse", {1})}, {}), "");
  EXPECT_EQ(reportJson({vectorMetric("rmse", {1})}, {}), "null");
  EXPECT_FALSE(classCounts({vectorMetric("report/confusion", {1, 2, 3})}));
  EXPECT_FALSE(classCounts({vectorMetric("report/support", {1}), vectorMetric("report/predicted", {1, 2}),
                            vectorMetric("report/hits", {1})}));
}

TEST(EvaluationReport, LinesAndObjectsOfMetricsLeaveReportsOut) {
  std::vector<Metric> metrics = kConfusion;
  metrics.push_back({"accuracy", "0.5", "0.5000", true, {0.5}});
  EXPECT_EQ(metricsLine(metrics), "accuracy 0.5000");
  EXPECT_EQ(metricsText(metrics), "accuracy  0.5000\n");
  EXPECT_EQ(metricsJson(metrics, ""), R"({"accuracy":0.5})");
  EXPECT_EQ(metricsJson(metrics, "", "null"), R"({"accuracy":0.5,"report":null})");
}
