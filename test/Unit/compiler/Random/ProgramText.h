// The text of a random program as it grows: ops are appended, values kept in a pool that later ones draw from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_RANDOM_PROGRAMTEXT_H
#define MLC_TEST_RANDOM_PROGRAMTEXT_H

#include "mlc/Interpreter/Tensor.h"
#include "test/Unit/compiler/Execute/RandomValues.h"

#include <string>
#include <vector>

namespace mlc::random {

/// A value of the program.
struct Value {
  std::string name;
  interp::ElementKind kind;
  /// Static sizes; -1 for the rows of the batch, below that a number for each size that data decides.
  std::vector<int64_t> shape;
  /// If positive: an i64 in [0, bound).
  int64_t bound = 0;
};

/// "tensor<?x6xf32>".
std::string shapeText(llvm::ArrayRef<int64_t> shape, interp::ElementKind kind);
inline std::string typeText(const Value &value) { return shapeText(value.shape, value.kind); }
inline bool isFloat(interp::ElementKind kind) { return interp::isFloatKind(kind); }

/// What programs of any kind are written with.
class ProgramText {
protected:
  explicit ProgramText(uint32_t seed) : random(seed) {}

  /// A name that no value has.
  std::string fresh();
  /// Appends an op of one result.
  Value add(Value value, const std::string &line);
  /// Puts a value into the pool.
  const Value &keep(Value value);
  /// A value that `fits`, late ones more often, or null.
  const Value *pick(llvm::function_ref<bool(const Value &)> fits);
  /// One of the type of `other`.
  const Value *pickLike(const Value &other);
  /// Ops of the dialect, each appended.
  Value unary(const std::string &op, const Value &x);
  Value binary(const std::string &op, const Value &x, const Value &y);
  Value cast(const Value &x, interp::ElementKind kind);
  Value compare(const std::string &predicate, const Value &x, const Value &y);
  Value select(const Value &mask, const Value &x, const Value &y);
  Value integer(int64_t value);
  Value numRows(const Value &x);
  /// An op with attributes, its types written out.
  Value emitOp(Value result, const std::string &op, llvm::ArrayRef<Value> operands, const std::string &attributes);
  /// `x` with NaN in its rows from `count` on.
  Value withNanFrom(const Value &x, const Value &count);
  /// The end of a region.
  std::string yieldOf(llvm::ArrayRef<Value> values);

  execute::RandomValues random;
  std::string body;
  int64_t next = 0;
  std::vector<Value> pool;
};

} // namespace mlc::random

#endif // MLC_TEST_RANDOM_PROGRAMTEXT_H
