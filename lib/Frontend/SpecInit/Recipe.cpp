//===- Recipe.cpp - Model and training that fit a table's size -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule stands here once, with its reason. The constants are those that did best in cross-validation within the
// training rows of benchmarks/quality.
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/SpecInit/Recipe.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace mlc::frontend;

/// So many rows tell the best step from one that is so by accident; from kEnoughRows on more of them are better trained
/// on. Between, a tenth, and of few rows a fifth at most.
static constexpr double kWantedRows = 400, kEnoughRows = 20000, kLeastShare = 0.1, kMostShare = 0.2;

/// A batch is a hundredth of the rows: fewer steps per pass leave too little to evaluate between, more cost time.
/// Powers of two, since vectors are.
static constexpr int64_t kLeastBatch = 32, kMostBatch = 1024, kSteps = 100;

/// Steps and passes that no table needs more of: early stopping comes first.
static constexpr int64_t kMostSteps = 20000, kLeastEpochs = 5, kMostEpochs = 500;

/// An evaluation per pass, and not more often than the weights change; the loss of few rows is noisy, which patience
/// bridges.
static constexpr int64_t kLeastEvaluationSteps = 25, kMostEvaluationSteps = 2000, kPatience = 20;

/// Few rows are learned by heart by wide layers.
static constexpr int64_t kNarrowRows = 1000;

/// Dropout of classifiers by rows: what few rows say by chance is learned, too. Rows that are few beside the inputs
/// count as few. A regression has less: dropped outputs change the variance of the next layer, and squares feel it.
static constexpr std::pair<int64_t, double> kDropouts[] = {{1000, 0.5}, {10000, 0.2}, {50000, 0.1}};
static constexpr int64_t kRowsPerInput = 20;
static constexpr double kMostRegressionDropout = 0.1;

/// The penalty on squares of weights stands beside the mean of the rows' losses, and what it stands for, weights that
/// are small before any row is seen, counts as much as a fixed number of rows: it goes with 1 / rows. Where columns are
/// many beside the rows, some agree with the label by chance, all the more the fewer rows each has, and the rows held
/// out are too few to tell: the number grows with columns / rows.
static constexpr double kL2Rows = 0.5, kRowsPerColumn = 20;

/// Adam's rate for all sizes: more steps per evaluation of a larger table need no other one, and with three times as
/// much small tables are learned by heart before the first evaluation.
static constexpr double kLearningRate = 0.001;

/// Skew above which numbers go through a logarithm.
static constexpr double kMostSkew = 10;

/// Categories that become indicators in a dnn; more become embeddings.
static constexpr int64_t kMostIndicators = 20;
static constexpr int64_t kLeastDimension = 4, kMostDimension = 32;

bool mlc::frontend::isSkewed(double skew, double least) { return skew > kMostSkew && least >= 0; }

int64_t mlc::frontend::embeddingDimension(int64_t categories) {
  if (categories <= kMostIndicators)
    return 0;
  int64_t dimension = kLeastDimension;
  while (dimension < kMostDimension && dimension * dimension * 2 < categories)
    dimension *= 2;
  return dimension;
}

double mlc::frontend::validationShare(int64_t rows) {
  const double n = static_cast<double>(std::max<int64_t>(rows, 1));
  const double share = std::min(std::clamp(kWantedRows / n, kLeastShare, kMostShare), kEnoughRows / n);
  return std::max(0.001, std::round(share * 1000) / 1000);
}

static int64_t powerOfTwo(int64_t value) {
  int64_t power = 1;
  while (2 * power <= value)
    power *= 2;
  return power;
}

/// To two digits: a rule is not more exact than that.
static double twoDigits(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

static double dropoutOf(const TableSize &table) {
  double rate = table.rows < kRowsPerInput * table.inputs ? kDropouts[0].second : 0;
  for (auto [rows, of] : kDropouts)
    rate = table.rows < rows ? std::max(rate, of) : rate;
  return table.isRegression ? std::min(rate, kMostRegressionDropout) : rate;
}

Recipe mlc::frontend::makeRecipe(const TableSize &table) {
  Recipe recipe;
  recipe.trainRows =
      std::max<int64_t>(1, std::llround(static_cast<double>(table.rows) * (1 - validationShare(table.rows))));
  recipe.batchSize = std::clamp(powerOfTwo(recipe.trainRows / kSteps), kLeastBatch, kMostBatch);
  const int64_t epochSteps = (recipe.trainRows + recipe.batchSize - 1) / recipe.batchSize;
  recipe.epochs = std::clamp(kMostSteps / epochSteps, kLeastEpochs, kMostEpochs);
  recipe.evaluationSteps = std::clamp(epochSteps, kLeastEvaluationSteps, kMostEvaluationSteps);
  recipe.patienceSteps = kPatience * recipe.evaluationSteps;
  recipe.hiddenUnits = table.rows < kNarrowRows ? std::vector<int64_t>{64, 32} : std::vector<int64_t>{128, 64};
  recipe.dropout = dropoutOf(table);
  const double trainRows = static_cast<double>(recipe.trainRows);
  recipe.l2 = twoDigits(kL2Rows * (1 + kRowsPerColumn * static_cast<double>(table.columns) / trainRows) / trainRows);
  recipe.learningRate = kLearningRate;
  return recipe;
}
