// How the rules of element-wise ops are made: from functions of an emitter for floats and of 64 bits for integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_INTERPRETER_ELEMENTWISERULES_H
#define LIB_INTERPRETER_ELEMENTWISERULES_H

#include "Rules.h"

namespace mlc::interp {

/// f(emitter, x) of each element of a float tensor.
template <typename Fn> Tensor mapFloat(const Tensor &x, Fn f) {
  return withEmitter(x.getKind(), [&](auto e) {
    auto values = x.to<typename decltype(e)::F>();
    for (auto &value : values)
      value = f(e, value);
    Tensor result(x.getKind(), x.getShape());
    result.assign(llvm::ArrayRef(values));
    return result;
  });
}

/// f(emitter, x, y) of the elements of two float tensors of one shape.
template <typename Fn> Tensor zipFloat(const Tensor &x, const Tensor &y, Fn f) {
  return withEmitter(x.getKind(), [&](auto e) {
    auto values = x.to<typename decltype(e)::F>();
    auto others = y.to<typename decltype(e)::F>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = f(e, values[i], others[i]);
    Tensor result(x.getKind(), x.getShape());
    result.assign(llvm::ArrayRef(values));
    return result;
  });
}

/// f(x, y) of the elements of two integer tensors of one shape, extended to 64 bits and unsigned so that it may wrap.
template <typename Fn> Tensor zipInteger(const Tensor &x, const Tensor &y, Fn f) {
  Tensor result(x.getKind(), x.getShape());
  for (int64_t i = 0, n = x.getNumElements(); i < n; ++i)
    result.setInteger(
        i, static_cast<int64_t>(f(static_cast<uint64_t>(x.getInteger(i)), static_cast<uint64_t>(y.getInteger(i)))));
  return result;
}

/// A rule of an op on floats with one operand.
template <typename OpTy, typename Fn> void addUnary(RuleTable &table, Fn f) {
  table.add<OpTy>(
      [f](OpTy op, Frame &frame) { return frame.set(op.getResult(), mapFloat(frame.tensor(op.getOperand()), f)); });
}

/// A rule of an op on floats or integers with one operand; `g` takes and gives a sign-extended integer.
template <typename OpTy, typename Fn, typename IntegerFn> void addUnary(RuleTable &table, Fn f, IntegerFn g) {
  table.add<OpTy>([f, g](OpTy op, Frame &frame) {
    const Tensor &x = frame.tensor(op.getOperand());
    if (isFloatKind(x.getKind()))
      return frame.set(op.getResult(), mapFloat(x, f));
    return frame.set(op.getResult(), zipInteger(x, x, [g](uint64_t a, uint64_t) { return g(a); }));
  });
}

/// An error unless two operands whose types may be dynamic have one shape.
llvm::LogicalResult requireSameShape(mlir::Operation *op, const Tensor &x, const Tensor &y);

/// A rule of an op on two operands; `f` for floats, `g` for integers.
template <typename OpTy, typename Fn, typename IntegerFn> void addBinary(RuleTable &table, Fn f, IntegerFn g) {
  table.add<OpTy>([f, g](OpTy op, Frame &frame) -> llvm::LogicalResult {
    const Tensor &x = frame.tensor(op->getOperand(0)), &y = frame.tensor(op->getOperand(1));
    if (llvm::failed(requireSameShape(op, x, y)))
      return llvm::failure();
    return frame.set(op.getResult(), isFloatKind(x.getKind()) ? zipFloat(x, y, f) : zipInteger(x, y, g));
  });
}

/// What stands for the integers of an op that has floats alone: verified types never reach it.
inline uint64_t noIntegers(uint64_t, uint64_t) { return 0; }

/// f(x, y) of the elements of two integer tensors of one kind and shape: signed for signed kinds, else unsigned.
template <typename Fn> Tensor zipSigned(const Tensor &x, const Tensor &y, Fn f) {
  if (isUnsignedKind(x.getKind()))
    return zipInteger(x, y, f);
  return zipInteger(x, y, [f](uint64_t a, uint64_t b) { return f(static_cast<int64_t>(a), static_cast<int64_t>(b)); });
}

/// A rule of an op on two operands; `f` for floats, `g` for integers as zipSigned has them.
template <typename OpTy, typename Fn, typename IntegerFn> void addSignedBinary(RuleTable &table, Fn f, IntegerFn g) {
  table.add<OpTy>([f, g](OpTy op, Frame &frame) -> llvm::LogicalResult {
    const Tensor &x = frame.tensor(op->getOperand(0)), &y = frame.tensor(op->getOperand(1));
    if (llvm::failed(requireSameShape(op, x, y)))
      return llvm::failure();
    return frame.set(op.getResult(), isFloatKind(x.getKind()) ? zipFloat(x, y, f) : zipSigned(x, y, g));
  });
}

} // namespace mlc::interp

#endif // LIB_INTERPRETER_ELEMENTWISERULES_H
