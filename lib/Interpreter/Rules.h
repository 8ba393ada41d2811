// The dispatch table of the interpreter and what a rule sees.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_INTERPRETER_RULES_H
#define LIB_INTERPRETER_RULES_H

#include "Exchange.h"
#include "dialects/Df/IR/DfExternalCall.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "mlc/Interpreter/Interpreter.h"
#include "mlc/Support/ScalarEmitter.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

namespace mlc::interp {

/// A run of one function: the values computed so far and the state.
class Frame {
public:
  /// `seat`: of a run among others; null of one that is alone.
  Frame(State &state, const Context &context, Exchange::Seat *seat = nullptr)
      : state(state), context(context), seat(seat) {}

  State &state;
  const Context &context;
  std::optional<DataError> dataError;
  Exchange::Seat *const seat;

  /// Lets others run until `ready` holds. Ready at once or never where nobody else runs.
  Exchange::Wait waitUntil(llvm::function_ref<bool()> ready) {
    if (seat)
      return seat->waitUntil(ready);
    return ready() ? Exchange::Wait::Ready : Exchange::Wait::Forever;
  }

  /// The value of `value`, which must have been set. Stays where it is while others are set.
  const RuntimeValue &get(mlir::Value value) const { return values.at(value.getAsOpaquePointer()); }
  const Tensor &tensor(mlir::Value value) const { return std::get<Tensor>(get(value)); }
  const Rows &rows(mlir::Value value) const { return std::get<Rows>(get(value)); }
  /// A scalar i64.
  int64_t integer(mlir::Value value) const { return tensor(value).getInteger(0); }

  /// Gives `value` its value; fails with an error at its op if kind, rank or a static dimension is not the type's.
  llvm::LogicalResult set(mlir::Value value, RuntimeValue held);

  /// Runs the one block of `region` on `arguments`; `yielded` gets the operands of its terminator.
  llvm::LogicalResult run(mlir::Region &region, std::vector<RuntimeValue> arguments,
                          std::vector<RuntimeValue> &yielded);

  /// The variable `symbol` of the state, or null after an error at `op`.
  const Tensor *variable(mlir::Operation *op, llvm::StringRef symbol);
  /// The table `symbol`, or null after an error at `op`.
  df::VocabularyOp table(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol);

  /// Numbers of the iterations of the loops that are running, the outermost first. A loop's rule keeps its own at the
  /// end.
  llvm::SmallVectorImpl<int64_t> &getIterations() { return iterations; }

private:
  /// Evaluates an op by its rule or by its decomposition.
  llvm::LogicalResult evaluate(mlir::Operation *op);

  std::unordered_map<const void *, RuntimeValue> values;
  mlir::SymbolTableCollection symbols;
  llvm::SmallVector<int64_t> iterations;
};

/// Evaluates an op that a C function computes.
llvm::LogicalResult callExternal(df::ExternalCallOpInterface op, Frame &frame);

/// Evaluates an op: reads its operands from the frame, sets its results. Fails after an error at the op.
using Rule = std::function<llvm::LogicalResult(mlir::Operation *, Frame &)>;

/// Rules by op name.
class RuleTable {
public:
  /// `evaluate`: LogicalResult(OpTy, Frame &).
  template <typename OpTy, typename Fn> void add(Fn evaluate) {
    rules[OpTy::getOperationName()] = [evaluate](mlir::Operation *op, Frame &frame) -> llvm::LogicalResult {
      return evaluate(llvm::cast<OpTy>(op), frame);
    };
  }
  const Rule *lookup(llvm::StringRef name) const {
    auto it = rules.find(name);
    return it == rules.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<Rule> rules;
};

/// The table of all rules.
const RuleTable &ruleTable();

/// `interpret` of a function, at `seat` of an exchange or, null, alone.
mlir::FailureOr<std::vector<RuntimeValue>> interpretAt(Exchange::Seat *seat, df::FunctionOp function,
                                                       llvm::ArrayRef<RuntimeValue> arguments, State &state,
                                                       const Context &context, std::optional<DataError> *dataError);

// One function for each file of rules.
void addContractionRules(RuleTable &table);
void addControlFlowRules(RuleTable &table);
void addElementwiseRules(RuleTable &table);
void addFeatureRules(RuleTable &table);
void addOrderRules(RuleTable &table);
void addIntegerRules(RuleTable &table);
void addMathRules(RuleTable &table);
void addIndexingRules(RuleTable &table);
void addLayoutRules(RuleTable &table);
void addProgramRules(RuleTable &table);
void addQueueRules(RuleTable &table);
void addRaggedRules(RuleTable &table);
void addRandomRules(RuleTable &table);
void addReductionRules(RuleTable &table);
void addSaveRules(RuleTable &table);
void addShapeRules(RuleTable &table);
void addStateRules(RuleTable &table);
void addStringRules(RuleTable &table);
void addTrainingRules(RuleTable &table);

/// Whether a value has the type's kind, rank and static dimensions.
bool isOfType(const RuntimeValue &value, mlir::Type type);

/// Calls `fn` with the emitter in which `kind`, a float kind, is computed: f64 in f64, all others in f32.
template <typename Fn> auto withEmitter(ElementKind kind, Fn fn) {
  return kind == ElementKind::F64 ? fn(ScalarEmitter<double>()) : fn(ScalarEmitter<float>());
}

/// `value` converted to `kind` as df.cast does. Neither is a string.
Tensor castTensor(const Tensor &value, ElementKind kind);

/// IEEE 754's maximum and minimum: NaN if either is, +0 above -0.
template <typename T> T maximumOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y))
      return std::numeric_limits<T>::quiet_NaN();
    if (x == y)
      return std::signbit(x) ? y : x;
  }
  return x > y ? x : y;
}
template <typename T> T minimumOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return -maximumOf(-x, -y);
  else
    return x < y ? x : y;
}

/// `a` + `b` or `a` - `b`, element by element, rounded to the kind; integers wrap. Kinds and shapes agree.
Tensor addTensors(const Tensor &a, const Tensor &b);
Tensor subTensors(const Tensor &a, const Tensor &b);

/// Fingerprint64 of element `i` of a string tensor or of an integer's decimal text.
uint64_t fingerprintOf(const Tensor &tensor, int64_t i);

/// The value of setting `path` as a scalar of `kind`: what `state` gives it, else `defaultValue`, a float or an
/// integer. An error at `op` if there is neither, or a float was given to an integer setting.
mlir::FailureOr<Tensor> settingValue(mlir::Operation *op, llvm::StringRef path, mlir::Attribute defaultValue,
                                     ElementKind kind, const State &state);

/// Sets `count` elements from `first` on to NaN or INT64_MAX, what undefined elements hold.
void poison(Tensor &tensor, int64_t first, int64_t count);

} // namespace mlc::interp

#endif // LIB_INTERPRETER_RULES_H
