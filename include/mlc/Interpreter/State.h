// What a df program keeps and is given beside its arguments: variables, settings, context.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_STATE_H
#define MLC_INTERPRETER_STATE_H

#include "dialects/Df/IR/DfStateOps.h"
#include "mlc/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

#include <deque>
#include <map>
#include <string>

namespace mlc::interp {

/// What the runtime gives a run of a function.
struct Context {
  /// Seed of all random numbers.
  uint64_t seed = 0;
  /// Number of the training step.
  int64_t step = 0;
  /// Row of the global batch that this batch's row 0 is.
  int64_t firstRow = 0;
};

/// The first value of a variable, by the rules of docs/architecture.md, "Randomness", under the key of the variable's
/// name, or of one that is several tensors, of theirs. Random numbers of f64 variables are drawn in f64, all others in
/// f32; uniform is low + u * (high - low), normal and truncated_normal are mean + z * stddev, each product and sum
/// rounded; then the number is cast as df.cast does.
Tensor evaluateInitializer(df::VariableOp variable, uint64_t seed);

/// What a df.queue holds.
struct QueueState {
  using Element = std::vector<Tensor>;
  std::deque<Element> elements;
  uint64_t draws = 0; ///< of a random_shuffle queue
  bool closed = false;
  bool isBeingFilled = false; ///< by a df.enqueue_many that waits for room: nobody puts anything between its elements
};

/// Variables and settings of a module.
class State {
public:
  State() = default;
  /// Variables of `symbols`, a module or a dist.program (df.variable directly in it), with the values of their
  /// initializers under `seed`.
  State(mlir::Operation *symbols, uint64_t seed);

  /// The variable's value, or null if there is none of this name.
  const Tensor *lookup(llvm::StringRef variable) const;
  /// Sets or adds a variable. Kind and shape must be those of its df.variable.
  void set(llvm::StringRef variable, Tensor value) { variables[variable.str()] = std::move(value); }
  /// All variables, by name.
  const std::map<std::string, Tensor, std::less<>> &getVariables() const { return variables; }

  /// Gives a setting another value than its default: an f64 or an i64 scalar.
  void setFloatSetting(llvm::StringRef path, double value) {
    settings[path.str()] = Tensor::scalar(ElementKind::F64, value);
  }
  void setIntegerSetting(llvm::StringRef path, int64_t value) { settings[path.str()] = Tensor::scalar(value); }
  /// The setting's value if it was given one, else null.
  const Tensor *lookupSetting(llvm::StringRef path) const;

  /// The queue of that name, open and empty at first.
  QueueState &queue(llvm::StringRef name) { return queues[name.str()]; }

  /// Tensors by name.
  using File = std::map<std::string, Tensor>;
  /// What df.save wrote, by path: the interpreter's disk.
  std::map<std::string, File> files;

private:
  std::map<std::string, Tensor, std::less<>> variables;
  std::map<std::string, Tensor, std::less<>> settings;
  std::map<std::string, QueueState, std::less<>> queues;
};

} // namespace mlc::interp

#endif // MLC_INTERPRETER_STATE_H
