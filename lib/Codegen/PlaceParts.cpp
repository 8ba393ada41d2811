// codegen-place-parts: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc {
#define GEN_PASS_DEF_PLACEPARTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
/// Part of the out: where it begins and how large it is.
struct Place {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// A part with a buffer of its own: the allocation, and what adds dimensions of 1 to it, if anything does.
struct OwnBuffer {
  memref::AllocOp alloc;
  memref::ExpandShapeOp expand;
};
} // namespace

/// Whether the op can stand at `place`, as far as its operands and those of what they are made from can.
static bool canMoveBefore(Operation *op, Operation *place) {
  if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return true;
  return (isPure(op) || isa<memref::AllocOp, memref::DimOp>(op)) && llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *maker = operand.getDefiningOp();
           return !maker || canMoveBefore(maker, place);
         });
}

static void moveBefore(Operation *op, Operation *place) {
  if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    if (Operation *maker = operand.getDefiningOp())
      moveBefore(maker, place);
  op->moveBefore(place);
}

/// Whether nothing touches the buffer `out` before the concatenation.
static bool isUntouchedBefore(Value out, kern::ConcatOp concat) {
  return llvm::all_of(out.getUsers(), [&](Operation *user) {
    Operation *inBlock = concat->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && (!inBlock->isBeforeInBlock(concat) || isa<memref::DimOp>(user));
  });
}

/// Whether all that uses `buffer` but `reader` stands before it and takes a buffer of `type` in its place.
static bool othersTake(Value buffer, MemRefType type, Operation *reader) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == reader)
      return true;
    return user->getBlock() == reader->getBlock() && user->isBeforeInBlock(reader) &&
           (isa<memref::DimOp, memref::CopyOp, memref::LoadOp, memref::StoreOp, linalg::LinalgOp>(user) ||
            (isa<kern::KernDialect>(user->getDialect()) && isa<DestinationStyleOpInterface>(user) &&
             kern::canTake(user, use, type)));
  });
}

/// The type of the part as it lies in the out; with dimensions of `expand` taken away that it adds.
static MemRefType typeInPlace(MemRefType out, const Place &place, memref::ExpandShapeOp expand) {
  if (expand)
    return memref::SubViewOp::inferRankReducedResultType(expand.getSrcType().getShape(), out, place.offsets,
                                                         place.sizes, place.strides);
  return memref::SubViewOp::inferResultType(out, place.offsets, place.sizes, place.strides);
}

/// Sizes of a part with a buffer of its own, none of which is asked of that buffer.
static SmallVector<OpFoldResult> sizesOf(OpBuilder &b, const OwnBuffer &own) {
  SmallVector<OpFoldResult> sizes;
  memref::AllocOp alloc = own.alloc;
  for (OpFoldResult size : alloc.getMixedSizes())
    sizes.push_back(size);
  if (!own.expand)
    return sizes;
  SmallVector<OpFoldResult> expanded;
  auto next = sizes.begin();
  memref::ExpandShapeOp expand = own.expand;
  for (int64_t size : expand.getResultType().getShape())
    expanded.push_back(size == 1 ? OpFoldResult(b.getIndexAttr(1)) : *next++);
  return expanded;
}

/// Whether the op adds dimensions of 1 alone.
static bool addsUnits(memref::ExpandShapeOp expand) {
  return llvm::count_if(expand.getResultType().getShape(), [](int64_t n) { return n != 1; }) ==
         expand.getSrcType().getRank();
}

static OwnBuffer findOwnBuffer(Value part) {
  OwnBuffer own;
  own.expand = part.getDefiningOp<memref::ExpandShapeOp>();
  if (own.expand && (!addsUnits(own.expand) || !own.expand->hasOneUse()))
    return {};
  own.alloc = (own.expand ? own.expand.getSrc() : part).getDefiningOp<memref::AllocOp>();
  return own;
}

/// What a remark says of a part that is copied.
static std::string describe(Value part) {
  std::string text;
  llvm::raw_string_ostream(text) << "a part of a concatenation is copied to its place, because it is an argument, is "
                                    "read later, or has a kernel that cannot compute it there: "
                                 << cast<MemRefType>(part.getType());
  return text;
}

namespace {
struct PlaceParts : public mlc::impl::PlacePartsBase<PlaceParts> {
  /// Has what `own` holds computed in `place` of the out, which then stands before it; false: it must be copied.
  bool placeOwn(kern::ConcatOp concat, OwnBuffer own, const Place &place) {
    if (own.alloc->getBlock() != concat->getBlock())
      return false;
    Value out = concat.getOuts()[0];
    auto outType = cast<MemRefType>(out.getType());
    MemRefType type = typeInPlace(outType, place, own.expand);
    Operation *reader = own.expand ? own.expand.getOperation() : concat.getOperation();
    if (!othersTake(own.alloc, type, reader) || (own.expand && !own.expand->isBeforeInBlock(concat)))
      return false;
    SmallVector<Operation *> needed;
    auto need = [&](Value value) {
      if (Operation *maker = value.getDefiningOp())
        needed.push_back(maker);
    };
    need(out);
    for (ArrayRef<OpFoldResult> each : {ArrayRef(place.offsets), ArrayRef(place.sizes)})
      for (OpFoldResult number : each)
        if (auto value = dyn_cast<Value>(number))
          need(value);
    if (!llvm::all_of(needed, [&](Operation *maker) { return canMoveBefore(maker, own.alloc); }))
      return false;
    for (Operation *maker : needed)
      moveBefore(maker, own.alloc);
    OpBuilder b(own.alloc);
    Value view = memref::SubViewOp::create(b, own.alloc.getLoc(), type, out, place.offsets, place.sizes, place.strides);
    if (own.expand)
      own.expand->dropAllReferences();
    own.alloc.getResult().replaceAllUsesWith(view);
    dead.push_back(own);
    return true;
  }

  /// Takes the concatenation apart.
  void lower(kern::ConcatOp concat) {
    Location loc = concat.getLoc();
    Value out = concat.getOuts()[0];
    auto outType = cast<MemRefType>(out.getType());
    const auto axis = static_cast<int64_t>(concat.getAxis());
    Value root = out;
    while (auto view = root.getDefiningOp<memref::SubViewOp>())
      root = view.getSource();
    // A part of another concatenation's out is one, too, if nothing else is done to that part.
    const bool isFresh = isUntouchedBefore(out, concat) &&
                         (root.getDefiningOp<memref::AllocOp>() || (root == out && isa<BlockArgument>(root)));
    OpBuilder b(concat);
    OpFoldResult offset = b.getIndexAttr(0);
    for (Value part : concat.getIns()) {
      OwnBuffer own = findOwnBuffer(part);
      Place place;
      place.offsets.assign(outType.getRank(), b.getIndexAttr(0));
      place.strides.assign(outType.getRank(), b.getIndexAttr(1));
      place.offsets[axis] = offset;
      b.setInsertionPoint(concat);
      place.sizes = own.alloc ? sizesOf(b, own) : memref::getMixedSizes(b, loc, part);
      auto known = getConstantIntValue(offset), size = getConstantIntValue(place.sizes[axis]);
      const OpFoldResult begin = offset;
      if (known && size)
        offset = b.getIndexAttr(*known + *size);
      else
        offset = Value(arith::AddIOp::create(b, loc, getValueOrCreateConstantIndexOp(b, loc, begin),
                                             getValueOrCreateConstantIndexOp(b, loc, place.sizes[axis])));
      if (isFresh && own.alloc && placeOwn(concat, own, place))
        continue;
      Value view = memref::SubViewOp::create(b, loc, out, place.offsets, place.sizes, place.strides);
      memref::CopyOp::create(b, loc, part, view);
      remark::missed(loc, remark::RemarkOpts::name("copy").category("in_place"))
          << remark::detail::LazyTextBuild{"Remark", [=] { return describe(part); }};
    }
    concat.erase();
    for (OwnBuffer &own : dead) {
      if (own.expand)
        own.expand.erase();
      own.alloc.erase();
    }
    dead.clear();
  }

  static void lower(kern::SplitOp split) {
    Location loc = split.getLoc();
    Value value = split.getValue();
    const auto axis = static_cast<int64_t>(split.getAxis());
    OpBuilder b(split);
    for (auto [out, offset] : llvm::zip(split.getOuts(), split.getOffsets())) {
      Place place;
      place.sizes = memref::getMixedSizes(b, loc, out);
      place.offsets.assign(place.sizes.size(), b.getIndexAttr(0));
      place.strides.assign(place.sizes.size(), b.getIndexAttr(1));
      place.offsets[axis] = b.getIndexAttr(offset);
      Value view = memref::SubViewOp::create(b, loc, value, place.offsets, place.sizes, place.strides);
      memref::CopyOp::create(b, loc, view, out);
    }
    split.erase();
  }

  void runOnOperation() override {
    // Sizes that are asked of a buffer are those that it was made with, which stand before it.
    SmallVector<memref::DimOp> dims;
    getOperation()->walk([&](memref::DimOp dim) { dims.push_back(dim); });
    for (memref::DimOp dim : dims) {
      SmallVector<OpFoldResult> folded;
      if (succeeded(dim->fold(folded)) && !folded.empty() && isa<Value>(folded.front())) {
        dim.getResult().replaceAllUsesWith(cast<Value>(folded.front()));
        dim.erase();
      }
    }
    SmallVector<kern::ConcatOp> concats;
    getOperation()->walk([&](kern::ConcatOp concat) { concats.push_back(concat); });
    // A concatenation of concatenations first: the inner ones then have their places in the outer one's out.
    for (kern::ConcatOp concat : llvm::reverse(concats))
      lower(concat);
    getOperation()->walk([](kern::SplitOp split) { lower(split); });
  }

  std::vector<OwnBuffer> dead;
};
} // namespace
