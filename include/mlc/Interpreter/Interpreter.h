// The reference interpreter of the df dialect: the oracle of every target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_INTERPRETER_H
#define MLC_INTERPRETER_INTERPRETER_H

#include "dialects/Df/IR/DfFunctionOps.h"
#include "mlc/Interpreter/State.h"
#include "mlc/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <vector>

/// Typical use:
///
///   auto module = parseModule(mlirContext, text);
///   State state(*module, /*seed=*/1);
///   auto results = interpret(*module, "predict", {Tensor::ofFloats(ElementKind::F32, {2, 1}, {1, 2})}, state);
///   const Tensor &y = std::get<Tensor>((*results)[0]);
///
/// Numbers: f32 and f64 ops run the expansions of include/mlc/Support/Math*.h on scalars, hence give the bits of
/// compiled code; f16 and bf16 are computed in f32 and rounded once for each op. Sums (reduce_sum, batch_mean, softmax)
/// add one element after another in row-major order; compiled code may add in another order and then lies within
/// n * eps of the sum of magnitudes. matmul adds one FMA after another along the inner dimension, as compiled code does
/// but for products with one column. Integers wrap.
///
/// What df leaves undefined shows: undefined rows and ids hold NaN and INT64_MAX, an id beyond a table is an error.
namespace mlc::interp {

/// Why data made a run fail: a df.check_ids that did not hold.
struct DataError {
  /// Index of the row at fault within the batch.
  int64_t row = -1;
  /// What is wrong, as in the diagnostic.
  std::string text;
};

/// Parses and verifies a module of df ops; null after diagnostics. Loads the df dialect.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(mlir::MLIRContext &context, llvm::StringRef text);

/// Whether the state or the context, not the caller, gives an argument of this binding its value. Null is not bound.
bool isBoundToState(df::BindingAttr binding);

/// Runs a function at any stage of df but with unexpanded gradients.
///
/// `arguments` are the values of the function's arguments in order, less those that a `df.binding` of kind variable,
/// setting or context binds: these come from `state` and `context` (a setting must have been given a value there).
/// Returns the results in order, less those bound to variables, which are written to `state` at the end.
///
/// Fails after a diagnostic at the op: wrong arguments, an id out of range, a failed df.check_ids (then `dataError`, if
/// not null, is set), an op without meaning here. After a failure `state` holds what was written before it.
mlir::FailureOr<std::vector<RuntimeValue>> interpret(df::FunctionOp function, llvm::ArrayRef<RuntimeValue> arguments,
                                                     State &state, const Context &context = {},
                                                     std::optional<DataError> *dataError = nullptr);

/// The same for the function of `module` called `name`; an error at the module if there is none.
mlir::FailureOr<std::vector<RuntimeValue>> interpret(mlir::ModuleOp module, llvm::StringRef name,
                                                     llvm::ArrayRef<RuntimeValue> arguments, State &state,
                                                     const Context &context = {},
                                                     std::optional<DataError> *dataError = nullptr);

/// Whether an op is evaluated by a rule of the dispatch table.
bool hasRule(llvm::StringRef opName);

} // namespace mlc::interp

#endif // MLC_INTERPRETER_INTERPRETER_H
