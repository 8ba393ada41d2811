//===- Recipe.h - Model and training that fit a table's size -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_FRONTEND_SPECINIT_RECIPE_H
#define MLC_FRONTEND_SPECINIT_RECIPE_H

#include <cstdint>
#include <vector>

namespace mlc::frontend {

/// What the rules go by.
struct TableSize {
  int64_t rows = 0;
  /// Inputs of a network: numbers, and categories as indicators or embeddings.
  int64_t inputs = 0;
  /// What they come from: numbers and categorical columns.
  int64_t columns = 0;
  bool isRegression = false;
};

/// Cells of a column of which it says nothing yet how often each value comes; of more, one that comes once is in no
/// vocabulary.
constexpr int64_t kFewCells = 20;
/// Numbers that are small only sometimes, as their skew and the least of them tell: a logarithm comes first.
bool isSkewed(double skew, double least);
/// Numbers of the embedding of so many categories; 0: few enough for an indicator.
int64_t embeddingDimension(int64_t categories);

/// Share of the rows that is held out.
double validationShare(int64_t rows);

/// How a table of a size is learned.
struct Recipe {
  /// Rows that are trained on.
  int64_t trainRows = 0;
  std::vector<int64_t> hiddenUnits;
  double dropout = 0;
  /// Of the kernels' squares.
  double l2 = 0;
  double learningRate = 0;
  int64_t batchSize = 0;
  /// At most; early stopping ends most runs before.
  int64_t epochs = 0;
  /// Steps between evaluations, and steps without a better one after which training ends.
  int64_t evaluationSteps = 0, patienceSteps = 0;
};
Recipe makeRecipe(const TableSize &table);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_SPECINIT_RECIPE_H
