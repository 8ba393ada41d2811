// The reference interpreter of partitioned modules: all programs in one process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_PROGRAMS_H
#define MLC_INTERPRETER_PROGRAMS_H

#include "dialects/Df/IR/DfFunctionOps.h"
#include "mlc/Interpreter/Interpreter.h"

namespace mlc::interp {

/// A module of dist.programs, each with a state of its own.
class Programs {
public:
  /// States hold the initializers under `seed`.
  Programs(mlir::ModuleOp module, uint64_t seed);

  /// Whether a module is one of programs.
  static bool isPartitioned(mlir::ModuleOp module);

  /// Names of the entries: of all functions, in the order in which they are met.
  std::vector<std::string> getEntries() const;

  /// The part of an entry whose argument has the place `index` in the uncut function, and that argument's number in it;
  /// nothing after the last one.
  std::optional<std::pair<df::FunctionOp, unsigned>> getArgument(llvm::StringRef entry, unsigned index) const;

  /// An entry to be run with arguments in the order of the uncut function.
  struct Call {
    std::string entry;
    std::vector<RuntimeValue> arguments;
  };

  /// Runs all parts of an entry, which wait for each other's messages; its results. Fails, after diagnostics, where a
  /// part does, or where all wait for ever; states hold what was written until then.
  mlir::FailureOr<std::vector<RuntimeValue>> run(const Call &call, const Context &context = {});

  /// Runs several entries, each at most once, at the same time: what one puts into a queue, another may wait for. They
  /// take turns in a fixed order. The results of each.
  mlir::FailureOr<std::vector<std::vector<RuntimeValue>>> runTogether(llvm::ArrayRef<Call> calls,
                                                                      const Context &context = {});

  /// The variable's value in the program that has it, or null.
  const Tensor *lookup(llvm::StringRef variable) const;
  /// All variables of all programs.
  std::map<std::string, Tensor, std::less<>> getVariables() const;
  /// Gives a setting another value in all programs.
  void setFloatSetting(llvm::StringRef path, double value);
  void setIntegerSetting(llvm::StringRef path, int64_t value);

private:
  mlir::ModuleOp module;
  std::vector<std::pair<mlir::Operation *, State>> states; ///< of dist.programs
};

} // namespace mlc::interp

#endif // MLC_INTERPRETER_PROGRAMS_H
