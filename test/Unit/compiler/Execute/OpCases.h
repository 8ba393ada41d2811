// The table of cases that compare compiled code with the interpreter, op by op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_OPCASES_H
#define MLC_TEST_EXECUTE_OPCASES_H

#include "Compare.h"
#include "EntryCall.h"
#include "RandomValues.h"

#include <functional>
#include <string>
#include <vector>

namespace mlc::execute {

/// The number of rows where a shape depends on it.
constexpr int64_t kRows = -1;

/// Makes the value of an argument of this kind and shape.
using Fill = std::function<interp::Tensor(RandomValues &, interp::ElementKind, llvm::ArrayRef<int64_t>)>;

/// An argument of a case's function: %x0, %x1, ... in order.
struct Argument {
  interp::ElementKind kind;
  std::vector<int64_t> shape; ///< kRows where dynamic
  Fill fill;
};

/// How far a result may be from the interpreter's. eps is the distance from 1 to the next number of its type.
struct Bound {
  /// Units in the last place; 0: the same bits.
  int64_t ulps = 0;
  /// Times eps, absolute: for results that are about 1.
  double absolute = 0;
  /// For sums: the number of terms times eps times the sum of the terms' magnitudes (what the interpreter gives for the
  /// magnitudes of the arguments). Terms: `terms` + `termsOfRow` * rows.
  int64_t terms = 0, termsOfRow = 0;
  /// The same on a GPU alone, whose tensor cores add products of halves in an order of their own.
  int64_t termsOfMatrix = 0, termsOfMatrixRow = 0;
  /// On a GPU sums have an order of its own, and the bounds above; on CPUs one.
  bool hasOwnOrder = false;
};

/// What a bound allows of a result of `kind`, of a call on `rows` rows. `magnitudes`: what the interpreter gives for
/// the magnitudes of the arguments, needed for bounds of sums.
Tolerance toleranceOf(const Bound &bound, int64_t rows, interp::ElementKind kind, const interp::Tensor *magnitudes);

/// The same call on the magnitudes of its floats.
EntryCall magnitudesOf(const EntryCall &call);

/// One function and what it is run on.
struct OpCase {
  /// The ops it is there for, without "df.".
  std::vector<std::string> ops;
  /// The function's name, an identifier.
  std::string name;
  /// Ops of the module before the function: variables and tables, named `<name>_...`.
  std::string state;
  std::vector<Argument> arguments;
  /// Ops of the body, the last one a df.return.
  std::string body;
  /// Result types, in order: the outputs y0, y1, ...
  std::vector<std::string> results;
  Bound bound;
  /// Numbers of rows to run with.
  std::vector<int64_t> rows = {0, 1, 7, 8, 9, 16, 33, 130};

  /// Elements of results may be what the interpreter calls undefined.
  bool undefinedElements = false;
};

/// Rows enough for parallel loops of work on rows of some elements, and of cheap work on single elements.
constexpr int64_t kManyRows = 5003, kManyElements = 20011;

/// A call of a case's function on `rows` rows, of arguments that `seed` decides.
EntryCall callOf(const OpCase &which, int64_t rows, uint32_t seed);

/// The text of a case: its state and its function.
std::string textOf(const OpCase &which);
/// "tensor<?x3xf32>".
std::string typeText(interp::ElementKind kind, llvm::ArrayRef<int64_t> shape);

/// A case of one op: `use` stands after its name, up to the types of the arguments and the results.
OpCase caseOfOp(const std::string &op, const std::string &name, const std::vector<Argument> &arguments,
                const std::string &use, const std::vector<std::string> &results);
/// A case of `op` that is a function of `lines`, in which $T stands for the element type `kind`: it returns %y of
/// `result`. Without an argument of rows it runs once.
OpCase caseOfLines(const std::string &op, const std::string &variant, interp::ElementKind kind,
                   std::vector<Argument> arguments, std::string lines, std::string result);

// Fills.

/// In [low, high); for floats and integers.
Fill between(double low, double high);
/// Special and other values of the kind: zeros, infinities, NaN, subnormals, the largest; the least and largest
/// integers. Of arguments with different `place` all pairs occur, in tensors that are long enough.
Fill special(int place = 0);
/// The same, 3 in the place of 0.
Fill specialButZero(int place = 0);
/// Zeros of both signs.
Fill zeros();
/// Strings, the empty one among them.
Fill words();
/// Random truth values.
Fill truths();

/// Adds the cases of a theme, named for the file of ops of the dialect; and graphs of them.
void addElementwiseCases(std::vector<OpCase> &cases);
void addContractionCases(std::vector<OpCase> &cases);
void addControlFlowCases(std::vector<OpCase> &cases);
void addFeatureCases(std::vector<OpCase> &cases);
void addGraphCases(std::vector<OpCase> &cases);
void addLinearAlgebraCases(std::vector<OpCase> &cases);
void addLossCases(std::vector<OpCase> &cases);
void addNormalizationCases(std::vector<OpCase> &cases);
void addOrderCases(std::vector<OpCase> &cases);
void addIntegerCases(std::vector<OpCase> &cases);
void addMathCases(std::vector<OpCase> &cases);
void addIndexingCases(std::vector<OpCase> &cases);
void addLayoutCases(std::vector<OpCase> &cases);
void addRaggedCases(std::vector<OpCase> &cases);
void addRandomCases(std::vector<OpCase> &cases);
void addReductionCases(std::vector<OpCase> &cases);
void addShapeCases(std::vector<OpCase> &cases);
void addStateCases(std::vector<OpCase> &cases);
void addStatisticsCases(std::vector<OpCase> &cases);
void addTrainingCases(std::vector<OpCase> &cases);

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_OPCASES_H
