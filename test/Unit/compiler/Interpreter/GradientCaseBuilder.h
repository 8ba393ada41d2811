// How cases of gradient checks are made, by theme.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_UNIT_COMPILER_INTERPRETER_GRADIENTCASEBUILDER_H
#define TEST_UNIT_COMPILER_INTERPRETER_GRADIENTCASEBUILDER_H

#include "GradientCases.h"

namespace mlc::interp {

/// Spreads n values over (low, high), none at its ends, in an order that is not sorted.
Tensor spread(llvm::ArrayRef<int64_t> shape, double low, double high);

/// A case of `op`: `body` makes %r of `shape` from arguments %x0, %x1, ... of the types of `arguments`.
GradientCase makeCase(std::string op, std::string variant, const std::string &body, llvm::ArrayRef<int64_t> shape,
                      std::vector<Tensor> arguments, const std::string &state = "");

/// Reductions, softmax and losses of ids over any axes.
void addAxisGradientCases(std::vector<GradientCase> &cases);
void addOrderGradientCases(std::vector<GradientCase> &cases);
void addNormalizationGradientCases(std::vector<GradientCase> &cases);
void addLossGradientCases(std::vector<GradientCase> &cases);

} // namespace mlc::interp

#endif // TEST_UNIT_COMPILER_INTERPRETER_GRADIENTCASEBUILDER_H
