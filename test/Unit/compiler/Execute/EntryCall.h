// One call of an entry: what goes in and what comes out, for compiled code and the interpreter alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_ENTRYCALL_H
#define MLC_TEST_EXECUTE_ENTRYCALL_H

#include "mlc/Interpreter/State.h"
#include "mlc/Interpreter/Tensor.h"

#include <map>
#include <optional>
#include <string>

namespace mlc::execute {

using TensorMap = std::map<std::string, interp::Tensor, std::less<>>;

/// What one call of an entry works on beside the state.
struct EntryCall {
  std::string entry;
  /// Rows of the batch.
  int64_t rows = 0;
  /// Rows of the global batch, which shape the sums; without: those of the batch.
  std::optional<int64_t> globalRows;
  /// By the names that the module gives them.
  TensorMap features, sumsA, sumsB;
  /// What other functions of the update over ranges of rows made, and values of its dimension symbols.
  TensorMap shared;
  std::map<int64_t, int64_t> symbols;
  /// Features of the global batch, whose sizes shape the sums as its rows do; empty: those of the batch.
  TensorMap globalFeatures;
  interp::Context context;
};

/// What it made.
struct EntryResult {
  /// mlcrt_code; of the interpreter: data error or internal.
  int32_t code = 0;
  TensorMap outputs, sums, shared;
};

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_ENTRYCALL_H
