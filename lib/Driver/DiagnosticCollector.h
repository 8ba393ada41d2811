// MLIR's diagnostics as messages of ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_DIAGNOSTICCOLLECTOR_H
#define LIB_DRIVER_DIAGNOSTICCOLLECTOR_H

#include "common/cli/Message.h"
#include "mlir/IR/Diagnostics.h"

#include <string>

namespace mlc {

/// Adds the errors and warnings of a context to a list while it lives, placed where their locations say. Remarks are
/// none of its business.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, common::MessageList &messages);

  /// The code of errors from here on: of what is wrong with a module, or with what is asked of it.
  std::string code = "E0701";
  /// Of the module that is read, for the lines of its errors.
  std::string file, text;
  /// The line of the module that a place names, or empty.
  std::string lineOf(const common::Place &place) const;

private:
  void collect(mlir::Diagnostic &diagnostic);

  common::MessageList &messages;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace mlc

#endif // LIB_DRIVER_DIAGNOSTICCOLLECTOR_H
