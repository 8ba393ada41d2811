// The same entries by the reference interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_REFERENCE_H
#define MLC_TEST_EXECUTE_REFERENCE_H

#include "EntryCall.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace mlc::execute {

/// A df module whose gradients are expanded and whose step is split, and nothing more: state is still named by symbol,
/// an entry is one function.
class Reference {
public:
  /// Null after a failure of the test.
  static std::unique_ptr<Reference> create(const std::string &text);

  /// Runs an entry by the interpreter. A run that fails gives a code, and its diagnostics to `getErrors`.
  EntryResult run(const EntryCall &call, interp::State &state);
  /// Texts of the errors so far.
  const std::vector<std::string> &getErrors() const { return errors; }
  /// State with the initial values of the variables.
  interp::State initialState(uint64_t seed = 0) { return interp::State(*module, seed); }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> errors;
};

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_REFERENCE_H
