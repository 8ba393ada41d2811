// What the lowerings of kernels share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VectorBody.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Support/SumOrder.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

std::optional<int64_t> mlc::known(Index i) { return getConstantIntValue(i); }

Value IndexMath::value(Index i) {
  if (auto attr = dyn_cast<Attribute>(i))
    return arith::ConstantIndexOp::create(b, loc, cast<IntegerAttr>(attr).getInt());
  return cast<Value>(i);
}

Index IndexMath::add(Index x, Index y) {
  auto kx = known(x), ky = known(y);
  if (kx && ky)
    return constant(*kx + *ky);
  if (kx && *kx == 0)
    return y;
  if (ky && *ky == 0)
    return x;
  return Value(arith::AddIOp::create(b, loc, value(x), value(y)));
}

Index IndexMath::sub(Index x, Index y) {
  auto kx = known(x), ky = known(y);
  if (kx && ky)
    return constant(*kx - *ky);
  if (ky && *ky == 0)
    return x;
  return Value(arith::SubIOp::create(b, loc, value(x), value(y)));
}

Index IndexMath::mul(Index x, Index y) {
  auto kx = known(x), ky = known(y);
  if (kx && ky)
    return constant(*kx * *ky);
  if ((kx && *kx == 0) || (ky && *ky == 0))
    return constant(0);
  if (kx && *kx == 1)
    return y;
  if (ky && *ky == 1)
    return x;
  return Value(arith::MulIOp::create(b, loc, value(x), value(y)));
}

Index IndexMath::ceilDiv(Index x, Index y) {
  auto kx = known(x), ky = known(y);
  if (kx && ky)
    return constant((*kx + *ky - 1) / *ky);
  if (ky && *ky == 1)
    return x;
  return Value(arith::DivUIOp::create(b, loc, value(add(x, sub(y, constant(1)))), value(y)));
}

Index IndexMath::min(Index x, Index y) {
  auto kx = known(x), ky = known(y);
  if (kx && ky)
    return constant(std::min(*kx, *ky));
  return Value(arith::MinUIOp::create(b, loc, value(x), value(y)));
}

Index IndexMath::max(Index x, Index y) {
  auto kx = known(x), ky = known(y);
  if (kx && ky)
    return constant(std::max(*kx, *ky));
  return Value(arith::MaxUIOp::create(b, loc, value(x), value(y)));
}

SmallVector<Index> mlc::indicesOf(OpBuilder &b, Location loc, ArrayRef<Index> sizes, Index number) {
  IndexMath math{b, loc};
  SmallVector<Index> indices(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    if (known(sizes[i]) == 1) {
      indices[i] = math.constant(0);
      continue;
    }
    // The first one of more than one element has what is left.
    bool isFirst = llvm::all_of(sizes.take_front(i), [](Index size) { return known(size) == 1; });
    if (isFirst) {
      indices[i] = number;
      number = math.constant(0);
      continue;
    }
    Value size = math.value(sizes[i]), at = math.value(number);
    indices[i] = Value(arith::RemUIOp::create(b, loc, at, size));
    number = Value(arith::DivUIOp::create(b, loc, at, size));
  }
  return indices;
}

Index mlc::product(IndexMath &math, ArrayRef<Index> sizes) {
  Index all = math.constant(1);
  for (Index size : sizes)
    all = math.mul(all, size);
  return all;
}

Index FlatBuffer::at(IndexMath &math, ArrayRef<Index> indices) const {
  Index sum = offset;
  for (auto [i, stride] : llvm::zip(indices, strides))
    sum = math.add(sum, math.mul(i, stride));
  return sum;
}

LinearExpr::LinearExpr(AffineExpr expr, unsigned numLoops) : factors(numLoops, 0) { add(expr, 1); }

void LinearExpr::add(AffineExpr expr, int64_t factor) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    factors[dim.getPosition()] += factor;
    return;
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return;
  }
  auto pair = dyn_cast<AffineBinaryOpExpr>(expr);
  if (pair && pair.getKind() == AffineExprKind::Add) {
    add(pair.getLHS(), factor);
    add(pair.getRHS(), factor);
    return;
  }
  auto times = pair ? dyn_cast<AffineConstantExpr>(pair.getRHS()) : AffineConstantExpr();
  if (pair && pair.getKind() == AffineExprKind::Mul && times)
    add(pair.getLHS(), factor * times.getValue());
  else
    isLinear = false;
}

/// Of a dimension taken apart by sizes that the call knows, of which upstream's expansion of metadata takes one at
/// most.
static FlatBuffer flattenExpanded(OpBuilder &b, Location loc, memref::ExpandShapeOp expand) {
  FlatBuffer buffer = flatten(b, loc, expand.getSrc());
  IndexMath math{b, loc};
  SmallVector<Index> strides(expand.getResultType().getRank());
  for (auto [group, stride] : llvm::zip(expand.getReassociationIndices(), buffer.strides)) {
    Index next = stride;
    for (int64_t d : llvm::reverse(group)) {
      strides[d] = next;
      next = math.mul(next, expand.getMixedOutputShape()[d]);
    }
  }
  buffer.strides = strides;
  buffer.sizes = SmallVector<Index>(expand.getMixedOutputShape());
  return buffer;
}

FlatBuffer mlc::flatten(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    if (llvm::any_of(expand.getReassociationIndices(), [&](const ReassociationIndices &group) {
          return llvm::count_if(group, [&](int64_t d) { return type.isDynamicDim(d); }) > 1;
        }))
      return flattenExpanded(b, loc, expand);
  int64_t rank = type.getRank();
  FlatBuffer buffer;
  buffer.element = type.getElementType();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  auto [strides, offset] = type.getStridesAndOffset();
  auto pick = [&](int64_t constant, Value dynamic) -> Index {
    return ShapedType::isDynamic(constant) ? Index(dynamic) : Index(b.getIndexAttr(constant));
  };
  buffer.offset = pick(offset, metadata.getOffset());
  for (int64_t d = 0; d < rank; ++d) {
    buffer.sizes.push_back(pick(type.getDimSize(d), metadata.getSizes()[d]));
    buffer.strides.push_back(pick(strides[d], metadata.getStrides()[d]));
  }
  // The flat view's size is never used: accesses are within the buffer by construction.
  auto flatType = MemRefType::get({ShapedType::kDynamic}, type.getElementType(), MemRefLayoutAttrInterface(),
                                  type.getMemorySpace());
  Value size = arith::ConstantIndexOp::create(b, loc, int64_t(1) << 62);
  buffer.flat = memref::ReinterpretCastOp::create(
      b, loc, flatType, metadata.getBaseBuffer(), OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{OpFoldResult(size)}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return buffer;
}

Type Lanes::typeOf(Type element) const { return lanes == 1 ? element : Type(VectorType::get({lanes}, element)); }

Value Lanes::constant(OpBuilder &b, Location loc, TypedAttr value) const {
  if (lanes == 1)
    return arith::ConstantOp::create(b, loc, value);
  auto type = VectorType::get({lanes}, value.getType());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(value)));
}

Value Lanes::splat(OpBuilder &b, Location loc, Value scalar) const {
  return lanes == 1 ? scalar : Value(vector::BroadcastOp::create(b, loc, typeOf(scalar.getType()), scalar));
}

llvm::MaybeAlign Lanes::alignmentOf(Value flat) const {
  return aligned ? llvm::MaybeAlign(lanes * cast<MemRefType>(flat.getType()).getElementTypeBitWidth() / 8)
                 : llvm::MaybeAlign();
}

Value Lanes::load(OpBuilder &b, Location loc, Value flat, Index index) const {
  IndexMath math{b, loc};
  Value at = math.value(index);
  if (lanes == 1)
    return memref::LoadOp::create(b, loc, flat, at);
  auto type = cast<VectorType>(typeOf(cast<MemRefType>(flat.getType()).getElementType()));
  if (!mask)
    return vector::LoadOp::create(b, loc, type, flat, ValueRange{at}, /*nontemporal=*/false, alignmentOf(flat));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, flat, at, mask, zero);
}

void Lanes::store(OpBuilder &b, Location loc, Value value, Value flat, Index index, bool streamed) const {
  IndexMath math{b, loc};
  Value at = math.value(index);
  if (lanes == 1) {
    memref::StoreOp::create(b, loc, value, flat, at);
  } else if (!mask) {
    llvm::MaybeAlign alignment = alignmentOf(flat);
    if (streamed)
      alignment = llvm::Align(
          std::min<int64_t>(MLCRT_ALIGNMENT, lanes * cast<MemRefType>(flat.getType()).getElementTypeBitWidth() / 8));
    vector::StoreOp::create(b, loc, value, flat, ValueRange{at}, streamed, alignment);
  } else {
    vector::MaskedStoreOp::create(b, loc, flat, at, mask, value);
  }
}

Value Lanes::count(OpBuilder &b, Location loc, Index begin) const {
  IndexMath math{b, loc};
  if (lanes == 1)
    return math.value(begin);
  SmallVector<int64_t> steps;
  for (int64_t i = 0; i < lanes; ++i)
    steps.push_back(i);
  auto type = VectorType::get({lanes}, b.getIndexType());
  Value step = arith::ConstantOp::create(b, loc, DenseIntElementsAttr::get(type, steps));
  return arith::AddIOp::create(b, loc, splat(b, loc, math.value(begin)), step);
}

Value mlc::mapToLanes(OpBuilder &b, Location loc, Value value, IRMapping &mapping, const Lanes &lanes) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  Value repeated = lanes.splat(b, loc, value);
  mapping.map(value, repeated);
  return repeated;
}

/// What a region of one block yields, over lanes.
static SmallVector<Value> cloneRegion(OpBuilder &b, Region &region, IRMapping mapping, const Lanes &lanes) {
  return cloneBody(b, region.front(), mapping, lanes);
}

/// A choice by lanes. Its sides have no effects: where some lane takes the first one, both are computed for all lanes.
static void cloneBranch(OpBuilder &b, scf::IfOp op, IRMapping &mapping, const Lanes &lanes) {
  Location loc = op.getLoc();
  Value condition = mapToLanes(b, loc, op.getCondition(), mapping, lanes), any = condition;
  if (lanes.lanes > 1)
    any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, condition);
  SmallVector<Type> types = llvm::map_to_vector(op.getResultTypes(), [&](Type type) { return lanes.typeOf(type); });
  auto branch = scf::IfOp::create(b, loc, types, any, true);
  mapping.map(op.getResults(), branch.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, cloneRegion(b, op.getElseRegion(), mapping, lanes));
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> results = cloneRegion(b, op.getThenRegion(), mapping, lanes);
  if (lanes.lanes > 1)
    for (auto [result, other] : llvm::zip(results, cloneRegion(b, op.getElseRegion(), mapping, lanes)))
      result = arith::SelectOp::create(b, loc, condition, result, other);
  scf::YieldOp::create(b, loc, results);
}

bool mlc::hasLoop(Block &body) {
  // What a branch reads is there where it is taken alone.
  WalkResult walked = body.walk([&](Operation *op) {
    const bool readsInBranch = isa<memref::LoadOp>(op) && op->getBlock() != &body;
    return isa<LoopLikeOpInterface>(op) || readsInBranch ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}

void mlc::cloneOp(OpBuilder &b, Operation &op, IRMapping &mapping, const Lanes &lanes) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return cloneBranch(b, branch, mapping, lanes);
  if (op.getNumRegions()) {
    assert(lanes.lanes == 1 && "a loop in a body runs for one element");
    b.clone(op, mapping);
    return;
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return mapToLanes(b, op.getLoc(), operand, mapping, lanes); });
  SmallVector<Type> types = llvm::map_to_vector(op.getResultTypes(), [&](Type type) { return lanes.typeOf(type); });
  OperationState state(op.getLoc(), op.getName(), operands, types, op.getAttrs());
  mapping.map(op.getResults(), b.create(state)->getResults());
}

SmallVector<Value> mlc::cloneBody(OpBuilder &b, Block &body, IRMapping &mapping, const Lanes &lanes,
                                  llvm::function_ref<Value(int64_t)> indexOf) {
  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mapping.map(index.getResult(), indexOf(index.getDim()));
    else if (auto constant = dyn_cast<arith::ConstantOp>(op))
      mapping.map(constant.getResult(), lanes.constant(b, op.getLoc(), constant.getValue()));
    else
      cloneOp(b, op, mapping, lanes);
  }
  Operation *end = body.getTerminator();
  return llvm::map_to_vector(end->getOperands(),
                             [&](Value value) { return mapToLanes(b, end->getLoc(), value, mapping, lanes); });
}

/// What a loop in a body counts for: tens of iterations of some ops each.
static constexpr double kLoopOps = 100;

double mlc::elementCost(Block &body, int64_t lanes) {
  double ops = 2.0 * body.getNumArguments();
  for (Operation &op : body)
    if (isa<LoopLikeOpInterface>(op))
      ops += kLoopOps;
    else if (!isa<arith::ConstantOp>(op))
      ops += op.getName().getStringRef().contains("div") || op.getName().getStringRef().contains("sqrt") ? 4 : 1;
  return 0.2 * ops / lanes;
}

void mlc::makeTasks(OpBuilder &b, Location loc, Index tasks, double cost,
                    llvm::function_ref<void(OpBuilder &, Index)> body) {
  auto count = known(tasks);
  if (count == 0)
    return;
  IndexMath math{b, loc};
  auto launch =
      kern::LaunchOp::create(b, loc, math.value(tasks),
                             b.getI64IntegerAttr(std::max<int64_t>(1, static_cast<int64_t>(cost))), kern::GridAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&launch.getBody(), {}, b.getIndexType(), loc);
  body(b, count == 1 ? Index(b.getIndexAttr(0)) : Index(block->getArgument(0)));
  kern::YieldOp::create(b, loc);
}

void mlc::makeLoop(OpBuilder &b, Location loc, Index begin, Index end, int64_t step,
                   llvm::function_ref<void(OpBuilder &, Index)> body) {
  auto kb = known(begin), ke = known(end);
  if (kb && ke && *kb >= *ke)
    return;
  if (kb && ke && *ke - *kb <= step)
    return body(b, begin);
  IndexMath math{b, loc};
  auto loop =
      scf::ForOp::create(b, loc, math.value(begin), math.value(end), arith::ConstantIndexOp::create(b, loc, step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(b, Index(loop.getInductionVar()));
}

void mlc::forEachLanes(OpBuilder &b, Location loc, Index begin, Index end, int64_t lanes,
                       llvm::function_ref<void(Index, const Lanes &)> body) {
  IndexMath math{b, loc};
  Index extent = math.sub(end, begin);
  auto size = known(extent);
  Index whole = size ? math.constant(*size / lanes * lanes)
                     : Index(Value(arith::MulIOp::create(
                           b, loc, arith::DivUIOp::create(b, loc, math.value(extent), math.value(math.constant(lanes))),
                           math.value(math.constant(lanes)))));
  Index middle = math.add(begin, whole);
  makeLoop(b, loc, begin, middle, lanes, [&](OpBuilder &, Index i) { body(i, Lanes{lanes, Value()}); });
  if (size && *size % lanes == 0)
    return;
  Index rest = math.sub(extent, whole);
  auto tail = [&] {
    Value mask = vector::CreateMaskOp::create(b, loc, VectorType::get({lanes}, b.getI1Type()), math.value(rest));
    body(middle, Lanes{lanes, mask});
  };
  if (known(rest))
    return tail();
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, math.value(rest), math.value(math.constant(0)));
  auto guard = scf::IfOp::create(b, loc, any, false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(&guard.getThenRegion().front());
  tail();
}

SmallVector<Value> mlc::makeReduction(OpBuilder &b, Location loc, Index begin, Index end, int64_t step, ValueRange init,
                                      llvm::function_ref<SmallVector<Value>(OpBuilder &, Index, ValueRange)> body) {
  auto kb = known(begin), ke = known(end);
  if (kb && ke && *kb >= *ke)
    return init;
  if (kb && ke && *ke - *kb <= step)
    return body(b, begin, init);
  IndexMath math{b, loc};
  auto loop = scf::ForOp::create(b, loc, math.value(begin), math.value(end),
                                 arith::ConstantIndexOp::create(b, loc, step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, loc, body(b, Index(loop.getInductionVar()), loop.getRegionIterArgs()));
  return loop.getResults();
}

Value mlc::combineLanes(OpBuilder &b, Location loc, vector::CombiningKind kind, MutableArrayRef<Value> vectors,
                        int64_t used) {
  auto combine = [&](Value x, Value y) { return vector::makeArithReduction(b, loc, kind, x, y); };
  Value value = combinePartials(vectors, combine);
  if (!isa<VectorType>(value.getType()))
    return value;
  for (int64_t lanes = cast<VectorType>(value.getType()).getDimSize(0); lanes > 1; lanes /= 2) {
    auto half = [&](int64_t first) -> Value {
      return vector::ShuffleOp::create(b, loc, value, value, llvm::to_vector(llvm::seq(first, first + lanes / 2)));
    };
    Value low = half(0);
    value = lanes / 2 >= used ? low : combine(low, half(lanes / 2));
  }
  return vector::ExtractOp::create(b, loc, value, 0);
}
