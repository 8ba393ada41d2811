// df-fuse-horizontally: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace mlc::df {
#define GEN_PASS_DEF_DFFUSEHORIZONTALLYPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

/// Members of a bundle at least: fewer computations are as well made each by itself.
static constexpr size_t kFewest = 4;
/// Bytes at most of a value that is copied to lie beside others: a larger one costs more to copy than to start for.
static constexpr int64_t kMostCopiedBytes = 1024;

/// Ops one after another at most that are made anew for a bundle.
static constexpr int64_t kMostOps = 1024;

static RankedTensorType typeOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// Whether the op computes each element of its one result from the same elements of its operands.
static bool isElementwise(Operation *op) {
  if (!op || !op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return false;
  auto type = typeOf(op->getResult(0));
  return type && type.getElementType().isIntOrFloat() && llvm::all_of(op->getOperands(), [&](Value operand) {
           auto other = typeOf(operand);
           return other && other.getShape() == type.getShape() && other.getElementType().isIntOrFloat();
         });
}

/// The scalar that the value repeats, if it does.
static Value scalarOf(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && typeOf(broadcast.getOperand()).getRank() == 0 ? broadcast.getOperand() : Value();
}

/// The elements of a constant that are all one.
static Attribute splatOf(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  return elements ? elements.getSplatValue<Attribute>() : Attribute();
}

namespace {
/// Numbers for what a value is computed as: two values with one number are the same ops, with the same attributes, of
/// what are arguments or slices in the same places. A value never depends on another one of its number.
class ComputationClasses {
public:
  int64_t of(Value value) {
    auto [it, isNew] = classes.try_emplace(value, -1);
    if (!isNew)
      return it->second;
    std::vector<const void *> key = keyOf(value);
    const int64_t number = numbers.try_emplace(std::move(key), numbers.size()).first->second;
    return classes[value] = number;
  }

private:
  std::vector<const void *> keyOf(Value value) {
    const void *type = value.getType().getAsOpaquePointer();
    Operation *op = value.getDefiningOp();
    const std::vector<const void *> itself{value.getAsOpaquePointer()};
    if (!op)
      return typeOf(value) && typeOf(value).getRank() ? std::vector<const void *>{type} : itself;
    const void *name = op->getName().getAsOpaquePointer();
    if (auto slice = dyn_cast<SliceOp>(op))
      if (std::optional<int64_t> axis = slice.getAxis())
        return {name, type, slice.getOperand().getAsOpaquePointer(), reinterpret_cast<const void *>(*axis)};
    if (isa<ConstantOp>(op))
      return typeOf(value) && typeOf(value).getRank() == 0 ? std::vector<const void *>{name, type} : itself;
    if (!isElementwise(op) && !isa<ReshapeOp>(op) && !scalarOf(value))
      return itself;
    std::vector<const void *> key{name, type, op->getAttrDictionary().getAsOpaquePointer()};
    // What a broadcast takes its shape from has no part in what it is.
    const unsigned numOperands = isa<BroadcastOp>(op) ? 1 : op->getNumOperands();
    for (Value operand : op->getOperands().take_front(numOperands))
      key.push_back(reinterpret_cast<const void *>(of(operand)));
    return key;
  }

  DenseMap<Value, int64_t> classes;
  std::map<std::vector<const void *>, int64_t> numbers;
};

/// Makes of a bundle of values, one computation each, one value that has them beside each other along an axis. A member
/// whose rank is the axis is one column of it.
class Bundler {
public:
  Bundler(OpBuilder &b, int64_t axis) : b(b), axis(axis) {}

  /// The value of all members, made where the builder is; null if there is none, or none that pays. `like` has its
  /// shape, if there is such a value already.
  Value join(ArrayRef<Value> members, Value like = {}) {
    if (isRepeated(members))
      return joinRepeated(members, like);
    std::vector<const void *> key;
    for (Value member : members)
      key.push_back(member.getAsOpaquePointer());
    auto known = joined.find(key);
    if (known != joined.end())
      return known->second;
    Value value;
    // Longer computations start from what they have come to.
    if (depth < kMostOps) {
      ++depth;
      value = joinComputed(members);
      --depth;
    }
    if (!value)
      value = joinSlices(members);
    if (!value)
      value = copyBeside(members);
    return joined[key] = value;
  }

  /// The value of members that are computed alike, by ops on what their operands are joined to.
  Value joinComputed(ArrayRef<Value> members) {
    Operation *first = members.front().getDefiningOp();
    if (isa_and_nonnull<ReshapeOp>(first)) {
      // To a column of what already lies as columns.
      auto from = typeOf(first->getOperand(0));
      return from.getRank() == axis && joinedType(from, 1) == typeOf(members.front()) ? join(operandsOf(members, 0))
                                                                                      : Value();
    }
    auto type = joinedType(typeOf(members.front()), members.size());
    if (!isElementwise(first) || !type)
      return {};
    SmallVector<Value> operands(first->getNumOperands());
    // What repeats a number takes its shape from the others.
    Value like;
    for (bool repeats : {false, true})
      for (unsigned i = 0; i < operands.size(); ++i) {
        SmallVector<Value> each = operandsOf(members, i);
        if (isRepeated(each) != repeats)
          continue;
        operands[i] = join(each, like);
        if (!operands[i])
          return {};
        like = like ? like : operands[i];
      }
    OperationState state(first->getLoc(), first->getName(), operands, TypeRange(type),
                         first->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = first->getPropertiesAsAttribute();
    return b.create(state)->getResult(0);
  }

private:
  static SmallVector<Value> operandsOf(ArrayRef<Value> members, unsigned i) {
    return llvm::map_to_vector(members, [&](Value member) { return member.getDefiningOp()->getOperand(i); });
  }

  /// The type of `count` members beside each other; null if it is not known how they would lie.
  RankedTensorType joinedType(RankedTensorType member, size_t count) {
    SmallVector<int64_t> shape(member.getShape());
    if (member.getRank() == axis)
      shape.push_back(1);
    if (member.getRank() < axis || ShapedType::isDynamic(shape[axis]))
      return {};
    shape[axis] *= static_cast<int64_t>(count);
    return member.clone(shape);
  }

  /// Whether each member is one number again and again, or all are one value.
  bool isRepeated(ArrayRef<Value> members) {
    return llvm::all_of(members, [](Value member) { return scalarOf(member) || splatOf(member); }) ||
           (members.size() > 1 && llvm::all_equal(members));
  }

  Value joinRepeated(ArrayRef<Value> members, Value like) {
    Location loc = members.front().getLoc();
    auto from = typeOf(members.front()), type = joinedType(from, members.size());
    if (!type || (!like && !type.hasStaticShape()))
      return {};
    if (type.hasStaticShape())
      like = {};
    Value scalar = scalarOf(members.front());
    if (scalar && llvm::all_of(members, [&](Value member) { return scalarOf(member) == scalar; }))
      return BroadcastOp::create(b, loc, type, scalar, like, ArrayRef<int64_t>());
    if (llvm::all_equal(members)) {
      if (Attribute splat = splatOf(members.front()))
        return ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, splat));
      if (from.getRank() != axis)
        return {};
      return BroadcastOp::create(b, loc, type, members.front(), like,
                                 llvm::to_vector(llvm::seq<int64_t>(0, from.getRank())));
    }
    // A number for each member, as often as it has places along the axis.
    const int64_t size = type.getDimSize(axis), each = size / static_cast<int64_t>(members.size());
    auto vector = RankedTensorType::get({size}, type.getElementType());
    SmallVector<Attribute> numbers;
    for (Value member : members) {
      Attribute number = splatOf(scalarOf(member) ? scalarOf(member) : member);
      if (!number)
        return {};
      numbers.append(each, number);
    }
    Value constant = ConstantOp::create(b, loc, vector, DenseElementsAttr::get(vector, numbers));
    return BroadcastOp::create(b, loc, type, constant, like, ArrayRef(axis));
  }

  /// Slices one after another of one value are a slice of it, or all of it.
  Value joinSlices(ArrayRef<Value> members) {
    auto first = members.front().getDefiningOp<SliceOp>();
    if (!first || first.getAxis() != axis)
      return {};
    const int64_t size = first.getSize(axis), start = first.getStarts()[axis];
    for (auto [i, member] : llvm::enumerate(members)) {
      auto slice = member.getDefiningOp<SliceOp>();
      if (!slice || slice.getOperand() != first.getOperand() || slice.getAxis() != axis ||
          slice.getSize(axis) != size || slice.getStarts()[axis] != start + static_cast<int64_t>(i) * size)
        return {};
    }
    const int64_t all = size * static_cast<int64_t>(members.size());
    if (start == 0 && all == typeOf(first.getOperand()).getDimSize(axis))
      return first.getOperand();
    return SliceOp::create(b, first.getLoc(), first.getOperand(), axis, start, all);
  }

  Value copyBeside(ArrayRef<Value> members) {
    Location loc = members.front().getLoc();
    auto from = typeOf(members.front()), type = joinedType(from, members.size());
    if (!type || !isCheapToCopy(from))
      return {};
    SmallVector<Value> parts(members);
    if (from.getRank() == axis)
      for (Value &part : parts)
        part = ReshapeOp::create(b, loc, joinedType(from, 1), part);
    return ConcatOp::create(b, loc, type, parts, static_cast<uint64_t>(axis));
  }

public:
  /// Whether a value of the type is so small that to copy it costs less than to compute it by itself; values of dynamic
  /// types are parts of a concatenation anyway.
  static bool isCheapToCopy(RankedTensorType type) {
    return !type.hasStaticShape() ||
           type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8) <= kMostCopiedBytes;
  }

private:
  OpBuilder &b;
  int64_t axis;
  int64_t depth = 0;
  std::map<std::vector<const void *>, Value> joined;
};

struct DfFuseHorizontallyPass : public mlc::df::impl::DfFuseHorizontallyPassBase<DfFuseHorizontallyPass> {
  /// Whether the value, or what it is a column of, is computed.
  static bool isComputed(Value value) {
    if (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getOperand();
    return isElementwise(value.getDefiningOp());
  }

  /// Operands of a concatenation that are computed alike and stand beside each other become one operand.
  void fuseParts(ConcatOp concat, Bundler &bundler, ComputationClasses &classes) {
    SmallVector<Value> parts;
    for (size_t i = 0, end; i < concat.getOperands().size(); i = end) {
      const int64_t first = classes.of(concat.getOperands()[i]);
      end = i;
      while (end < concat.getOperands().size() && classes.of(concat.getOperands()[end]) == first)
        ++end;
      SmallVector<Value> alike(concat.getOperands().slice(i, end - i));
      Value joined = alike.size() >= kFewest && isComputed(alike.front()) ? bundler.joinComputed(alike) : Value();
      if (joined)
        parts.push_back(joined);
      else
        llvm::append_range(parts, alike);
    }
    if (parts.size() == concat.getOperands().size())
      return;
    if (parts.size() == 1 && parts.front().getType() == concat.getType())
      concat.replaceAllUsesWith(parts.front());
    else
      concat.getOperandsMutable().assign(parts);
  }

  /// Results that are computed alike become slices of one.
  void fuseResults(ReturnOp returnOp, OpBuilder &b, Bundler &bundler, ComputationClasses &classes) {
    llvm::MapVector<int64_t, SmallVector<unsigned>> alike;
    for (OpOperand &result : returnOp->getOpOperands())
      if (auto type = typeOf(result.get()); type && type.getRank() && type.hasStaticShape() &&
                                            isElementwise(result.get().getDefiningOp()) && Bundler::isCheapToCopy(type))
        alike[classes.of(result.get())].push_back(result.getOperandNumber());
    for (auto &[computation, results] : alike) {
      if (results.size() < kFewest)
        continue;
      Value joined = bundler.joinComputed(
          llvm::map_to_vector(results, [&](unsigned result) { return returnOp->getOperand(result); }));
      if (!joined)
        continue;
      for (auto [i, result] : llvm::enumerate(results)) {
        const int64_t size = typeOf(returnOp->getOperand(result)).getDimSize(0);
        returnOp->setOperand(
            result, SliceOp::create(b, joined.getLoc(), joined, /*axis=*/0, static_cast<int64_t>(i) * size, size));
      }
    }
  }

  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    ComputationClasses classes;
    for (Operation &op : body)
      for (Value result : op.getResults())
        classes.of(result);
    OpBuilder b(&getContext());
    std::map<int64_t, Bundler> bundlers;
    auto alongAxis = [&](int64_t axis) -> Bundler & { return bundlers.try_emplace(axis, b, axis).first->second; };
    for (auto concat : llvm::make_early_inc_range(body.getOps<ConcatOp>())) {
      b.setInsertionPoint(concat);
      const auto axis = static_cast<int64_t>(concat.getAxis());
      fuseParts(concat, alongAxis(axis), classes);
    }
    if (auto returnOp = dyn_cast<ReturnOp>(body.getTerminator())) {
      b.setInsertionPoint(returnOp);
      fuseResults(returnOp, b, alongAxis(0), classes);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
