// One gradient check for each differentiable op, for the tests of the gradient rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_UNIT_COMPILER_INTERPRETER_GRADIENTCASES_H
#define TEST_UNIT_COMPILER_INTERPRETER_GRADIENTCASES_H

#include "mlc/Interpreter/GradientCheck.h"

#include "gtest/gtest.h"
#include <ostream>

namespace mlc::interp {

/// A df function @f of f64 arguments whose loss depends on the op through every differentiable operand.
struct GradientCase {
  /// The op whose rule is checked, as "df.exp"; also the name of the case.
  std::string op;
  /// What tells cases of one op apart; may be empty.
  std::string variant;
  /// Module text.
  std::string text;
  /// Value of each argument of @f. All f64 arguments and all of `variables` are differentiated.
  std::vector<Tensor> arguments;
  std::vector<std::string> variables;
  /// Whether `variables` get `!df.rows` gradients.
  bool sparse = false;
  /// Whether the gradient is zero everywhere (sign, floor).
  bool isZero = false;
  /// Distance of the differences (GradientCheck::step) where the usual one does not do; else 0.
  double step = 0;
};

/// What GoogleTest prints for a case.
inline void PrintTo(const GradientCase &which, std::ostream *os) { *os << which.op << ' ' << which.variant; }

/// The name of a case among `INSTANTIATE_TEST_SUITE_P`: letters, digits and its number.
std::string gradientCaseName(const testing::TestParamInfo<GradientCase> &info);

/// The table of cases.
std::vector<GradientCase> gradientCases();

/// What is differentiated in the case, and how exactly it is compared.
GradientCheck checkOf(const GradientCase &which);

/// Checks the case's gradients as `expand` makes them. Fails after a diagnostic if something does not run.
mlir::FailureOr<GradientError> runGradientCase(mlir::MLIRContext &context, const GradientCase &which,
                                               llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp)> expand);

/// Names of the df ops registered in `context` that have DifferentiableOpInterface but no case: must be empty once the
/// gradient rules are registered.
std::vector<std::string> opsWithoutGradientCase(mlir::MLIRContext &context);

} // namespace mlc::interp

#endif // TEST_UNIT_COMPILER_INTERPRETER_GRADIENTCASES_H
