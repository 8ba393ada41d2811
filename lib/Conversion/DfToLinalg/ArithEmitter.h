// Emitters of scalar arith ops for the math expansions and Philox.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_ARITHEMITTER_H
#define LIB_CONVERSION_DFTOLINALG_ARITHEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <tuple>

namespace mlc {

/// The emitter of MathEmitter.h that makes scalar ops of f32 or f64 at a builder's insertion point.
template <bool Double> struct ArithEmitter {
  using F = mlir::Value;
  using I = mlir::Value;
  using B = mlir::Value;
  static constexpr bool isDouble = Double;

  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::FloatType floatType() const {
    return Double ? mlir::FloatType(b.getF64Type()) : mlir::FloatType(b.getF32Type());
  }
  mlir::IntegerType intType() const { return b.getIntegerType(Double ? 64 : 32); }

  F constant(double v) { return mlir::arith::ConstantOp::create(b, loc, b.getFloatAttr(floatType(), v)); }
  I constantInt(int64_t v) {
    return mlir::arith::ConstantOp::create(
        b, loc, mlir::IntegerAttr::get(intType(), llvm::APInt(Double ? 64 : 32, v, true, true)));
  }
  F add(F x, F y) { return mlir::arith::AddFOp::create(b, loc, x, y); }
  F sub(F x, F y) { return mlir::arith::SubFOp::create(b, loc, x, y); }
  F mul(F x, F y) { return mlir::arith::MulFOp::create(b, loc, x, y); }
  F div(F x, F y) { return mlir::arith::DivFOp::create(b, loc, x, y); }
  F neg(F x) { return mlir::arith::NegFOp::create(b, loc, x); }
  F abs(F x) { return mlir::math::AbsFOp::create(b, loc, x); }
  F sqrt(F x) { return mlir::math::SqrtOp::create(b, loc, x); }
  F floor(F x) { return mlir::math::FloorOp::create(b, loc, x); }
  F roundeven(F x) { return mlir::math::RoundEvenOp::create(b, loc, x); }
  F copysign(F x, F y) { return mlir::math::CopySignOp::create(b, loc, x, y); }
  F fma(F x, F y, F z) { return mlir::math::FmaOp::create(b, loc, x, y, z); }
  F minimum(F x, F y) { return select(lt(x, y), x, y); }
  F maximum(F x, F y) { return select(lt(y, x), x, y); }
  I toInt(F x) { return mlir::arith::FPToSIOp::create(b, loc, intType(), x); }
  F toFloat(I x) { return mlir::arith::SIToFPOp::create(b, loc, floatType(), x); }
  I bits(F x) { return mlir::arith::BitcastOp::create(b, loc, intType(), x); }
  F fromBits(I x) { return mlir::arith::BitcastOp::create(b, loc, floatType(), x); }
  I addi(I x, I y) { return mlir::arith::AddIOp::create(b, loc, x, y); }
  I subi(I x, I y) { return mlir::arith::SubIOp::create(b, loc, x, y); }
  I muli(I x, I y) { return mlir::arith::MulIOp::create(b, loc, x, y); }
  I andi(I x, I y) { return mlir::arith::AndIOp::create(b, loc, x, y); }
  I ori(I x, I y) { return mlir::arith::OrIOp::create(b, loc, x, y); }
  I xori(I x, I y) { return mlir::arith::XOrIOp::create(b, loc, x, y); }
  I shli(I x, I y) { return mlir::arith::ShLIOp::create(b, loc, x, y); }
  I shrui(I x, I y) { return mlir::arith::ShRUIOp::create(b, loc, x, y); }
  I shrsi(I x, I y) { return mlir::arith::ShRSIOp::create(b, loc, x, y); }
  B lt(F x, F y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  B le(F x, F y) { return compare(mlir::arith::CmpFPredicate::OLE, x, y); }
  B eq(F x, F y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
  B ne(F x, F y) { return compare(mlir::arith::CmpFPredicate::ONE, x, y); }
  B isnan(F x) { return compare(mlir::arith::CmpFPredicate::UNO, x, x); }
  B eqi(I x, I y) { return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::eq, x, y); }
  B lti(I x, I y) { return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::slt, x, y); }
  F select(B c, F x, F y) { return mlir::arith::SelectOp::create(b, loc, c, x, y); }
  I selecti(B c, I x, I y) { return mlir::arith::SelectOp::create(b, loc, c, x, y); }
  B andb(B x, B y) { return mlir::arith::AndIOp::create(b, loc, x, y); }
  B orb(B x, B y) { return mlir::arith::OrIOp::create(b, loc, x, y); }
  B notb(B x) {
    return mlir::arith::XOrIOp::create(b, loc, x, mlir::arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  }
  template <typename... V, typename Fn> std::tuple<V...> rarely(B condition, Fn fn, const std::tuple<V...> &usual) {
    auto valuesOf = [](const std::tuple<V...> &values) {
      return std::apply([](const V &...each) { return llvm::SmallVector<mlir::Value>{each...}; }, values);
    };
    llvm::SmallVector<mlir::Value> otherwise = valuesOf(usual);
    auto branch = mlir::scf::IfOp::create(b, loc, mlir::ValueRange(otherwise).getTypes(), condition, true);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(b, loc, valuesOf(fn()));
    b.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(b, loc, otherwise);
    unsigned next = 0;
    return std::tuple<V...>{V(branch.getResult(next++))...};
  }

private:
  B compare(mlir::arith::CmpFPredicate predicate, F x, F y) {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
};

/// The emitter of Philox.h's 32-bit words.
struct ArithWordEmitter {
  using W = mlir::Value;
  mlir::OpBuilder &b;
  mlir::Location loc;

  W constant(uint32_t v) {
    return mlir::arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(v)));
  }
  W mullo(W x, W y) { return mlir::arith::MulIOp::create(b, loc, x, y); }
  /// The high half by a 64-bit product: one vpmuludq for each half of a vector.
  W mulhiU(W x, W y) {
    auto wide = b.getI64Type();
    W product = mlir::arith::MulIOp::create(b, loc, mlir::arith::ExtUIOp::create(b, loc, wide, x),
                                            mlir::arith::ExtUIOp::create(b, loc, wide, y));
    W shift = mlir::arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
    return mlir::arith::TruncIOp::create(b, loc, b.getI32Type(), mlir::arith::ShRUIOp::create(b, loc, product, shift));
  }
  W xorw(W x, W y) { return mlir::arith::XOrIOp::create(b, loc, x, y); }
  W addw(W x, W y) { return mlir::arith::AddIOp::create(b, loc, x, y); }
};

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_ARITHEMITTER_H
