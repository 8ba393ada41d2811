// Tensors whose elements are computed from their numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IndexTensors.h"
#include "dialects/Kern/IR/KernLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlc::cuda;

Value Indices::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value Indices::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value Indices::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value Indices::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
Value Indices::div(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(loc, x, y); }
Value Indices::rem(Value x, Value y) { return b.createOrFold<arith::RemUIOp>(loc, x, y); }
Value Indices::min(Value x, Value y) { return b.createOrFold<arith::MinUIOp>(loc, x, y); }
Value Indices::max(Value x, Value y) { return b.createOrFold<arith::MaxUIOp>(loc, x, y); }
Value Indices::isBelow(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y); }
Value Indices::isNot(Value condition) {
  return arith::XOrIOp::create(b, loc, condition, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
}
Value Indices::select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, loc, condition, x, y); }
Value Indices::toI64(Value index) { return arith::IndexCastOp::create(b, loc, b.getI64Type(), index); }

Value Indices::element(Value tensor, ValueRange at) {
  Value value = b.createOrFold<tensor::ExtractOp>(loc, tensor, at);
  return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), value);
}

Value Indices::bits(Value x) {
  Value zeros = math::CountLeadingZerosOp::create(b, loc, toI64(x));
  Value all = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(64));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), arith::SubIOp::create(b, loc, all, zeros));
}

Value Indices::either(Value condition, llvm::function_ref<Value(Indices)> then,
                      llvm::function_ref<Value(Indices)> otherwise) {
  auto yield = [&](llvm::function_ref<Value(Indices)> value) {
    return [&, value](OpBuilder &nested, Location at) { scf::YieldOp::create(nested, at, value({nested, at})); };
  };
  return scf::IfOp::create(b, loc, condition, yield(then), yield(otherwise)).getResult(0);
}

Value Indices::search(Value low, Value high, llvm::function_ref<Value(Indices, Value)> isBefore) {
  Type index = b.getIndexType();
  return scf::WhileOp::create(
             b, loc, TypeRange{index, index}, ValueRange{low, high},
             [&](OpBuilder &n, Location at, ValueRange bounds) {
               scf::ConditionOp::create(n, at, Indices{n, at}.isBelow(bounds[0], bounds[1]), bounds);
             },
             [&](OpBuilder &n, Location at, ValueRange bounds) {
               Indices in{n, at};
               Value middle = in.div(in.add(bounds[0], bounds[1]), in.constant(2));
               Value goesOn = isBefore(in, middle);
               scf::YieldOp::create(n, at,
                                    ValueRange{in.select(goesOn, in.add(middle, in.constant(1)), bounds[0]),
                                               in.select(goesOn, bounds[1], middle)});
             })
      .getResult(0);
}

Value mlc::cuda::flat(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() <= 1)
    return tensor;
  ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  return tensor::CollapseShapeOp::create(b, loc, tensor, ArrayRef<ReassociationIndices>(all));
}

Value mlc::cuda::generate(OpBuilder &b, Location loc, Value out,
                          llvm::function_ref<Value(OpBuilder &, Value number)> element) {
  auto type = cast<RankedTensorType>(out.getType());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    sizes.push_back(b.createOrFold<tensor::DimOp>(loc, out, d));
  return linalg::GenericOp::create(b, loc, TypeRange(type), ValueRange(), ValueRange(out),
                                   ArrayRef<AffineMap>(b.getMultiDimIdentityMap(type.getRank())), iterators,
                                   [&](OpBuilder &nested, Location, ValueRange) {
                                     Indices math{nested, loc};
                                     Value number = math.constant(0);
                                     for (auto [d, size] : llvm::enumerate(sizes))
                                       number =
                                           math.add(math.mul(number, size), linalg::IndexOp::create(nested, loc, d));
                                     linalg::YieldOp::create(nested, loc, element(nested, number));
                                   })
      .getResult(0);
}

Value mlc::cuda::generateVector(OpBuilder &b, Location loc, Value size,
                                llvm::function_ref<Value(Indices, Value number)> element) {
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>(size), b.getI64Type());
  return generate(b, loc, empty, [&](OpBuilder &n, Value at) { return element({n, loc}, at); });
}

Value mlc::cuda::sumsUpTo(OpBuilder &b, Location loc, Value vector, Value size) {
  Indices math{b, loc};
  Value sweeps = math.bits(math.excess(size, math.constant(1)));
  // Two at a time: from the size on a sweep copies. What is carried ends in its place.
  auto loop = scf::ForOp::create(b, loc, math.constant(0), sweeps, math.constant(2), vector,
                                 [&](OpBuilder &n, Location, Value sweep, ValueRange carried) {
                                   Indices in{n, loc};
                                   Value from = carried[0],
                                         distance = arith::ShLIOp::create(n, loc, in.constant(1), sweep);
                                   for (int i = 0; i < 2; ++i) {
                                     from = generateVector(n, loc, size, [&](Indices body, Value at) -> Value {
                                       Value own = tensor::ExtractOp::create(body.b, loc, from, at);
                                       return body.either(
                                           body.isBelow(at, distance), [&](Indices) { return own; },
                                           [&](Indices then) -> Value {
                                             Value before =
                                                 tensor::ExtractOp::create(then.b, loc, from, then.sub(at, distance));
                                             return arith::AddIOp::create(then.b, loc, own, before);
                                           });
                                     });
                                     distance = in.mul(distance, in.constant(2));
                                   }
                                   auto copy = linalg::CopyOp::create(n, loc, from, carried[0]);
                                   scf::YieldOp::create(n, loc, copy.getResult(0));
                                 });
  loop->setAttr(mlc::kern::kMayGoOnAttr, b.getUnitAttr());
  return loop.getResult(0);
}

Marks::Marks(Indices math, Value size, llvm::function_ref<Value(Indices, Value number)> isMarked) : size(size) {
  Value marks = generateVector(math.b, math.loc, size, [&](Indices in, Value number) -> Value {
    return arith::ExtUIOp::create(in.b, in.loc, in.b.getI64Type(), isMarked(in, number));
  });
  sums = sumsUpTo(math.b, math.loc, marks, size);
}

Value Marks::countUpTo(Indices in, Value end) const {
  return in.either(
      arith::CmpIOp::create(in.b, in.loc, arith::CmpIPredicate::eq, end, in.constant(0)),
      [](Indices no) -> Value { return arith::ConstantOp::create(no.b, no.loc, no.b.getI64IntegerAttr(0)); },
      [&](Indices some) -> Value {
        return tensor::ExtractOp::create(some.b, some.loc, sums, some.sub(end, some.constant(1)));
      });
}

Value Marks::placeOf(Indices in, Value k) const {
  return in.search(in.constant(0), size, [&](Indices body, Value middle) -> Value {
    return arith::CmpIOp::create(body.b, body.loc, arith::CmpIPredicate::ule, body.element(sums, middle), k);
  });
}
