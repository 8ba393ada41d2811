// codegen-assign-spaces: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementLoops.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlc {
#define GEN_PASS_DEF_ASSIGNSPACES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

static constexpr int64_t kHostSpace = 0, kDeviceSpace = 1;

/// The type of a tensor whose buffer will lie in `space`.
static RankedTensorType typeIn(RankedTensorType type, int64_t space) {
  Attribute encoding;
  if (space != kHostSpace)
    encoding = IntegerAttr::get(IntegerType::get(type.getContext(), 64), space);
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }
static int64_t spaceOf(Value value) { return kern::spaceOf(value.getType()); }

namespace {
/// Gives every tensor of a function a space: that of the ops which make it, or of what it is a part of. An op that
/// wants a value elsewhere gets a copy, one for each value and space, made where the value is.
class SpaceAssignment {
public:
  /// `place`: the space that kernels work on. `hasCounts`: they read numbers of tasks there, too.
  SpaceAssignment(func::FuncOp function, int64_t place, bool hasCounts)
      : function(function), place(place), hasCounts(hasCounts) {}

  using IsBound = llvm::function_ref<bool(DictionaryAttr)>;

  /// `isFixed`: whether an operand lies in the kernels' space whatever the segment does with it. Others do where it is
  /// kernels alone that touch them. `isKept`: whether it lies in the host's memory, where ops work on it.
  LogicalResult run(IsBound isFixed, IsBound isKept) {
    Block &body = function.getBody().front();
    for (BlockArgument argument : body.getArguments())
      if (isKept(function.getArgAttrDict(argument.getArgNumber())))
        kept.insert(argument);
    findKept();
    for (BlockArgument argument : body.getArguments()) {
      const bool isThere = !kept.contains(argument) &&
                           (isFixed(function.getArgAttrDict(argument.getArgNumber())) || isForKernels(argument));
      put(argument, isThere ? place : kHostSpace);
    }
    if (failed(assign(body)))
      return failure();
    Operation *returnOp = body.getTerminator();
    for (OpOperand &operand : returnOp->getOpOperands()) {
      DictionaryAttr attributes = function.getResultAttrDict(operand.getOperandNumber());
      if (isKept(attributes)) {
        need(operand, kHostSpace);
        continue;
      }
      // Of what has a size that only the call knows the host makes the buffer.
      auto symbol = attributes ? attributes.getAs<IntegerAttr>(df::FunctionOp::kSymbolAttr) : IntegerAttr();
      if (isFixed(attributes))
        need(operand, place);
      else if (symbol && symbol.getInt() == df::FunctionOp::kSymbolOfCall)
        need(operand, kHostSpace);
    }
    function.setFunctionType(
        FunctionType::get(function.getContext(), body.getArgumentTypes(), returnOp->getOperandTypes()));
    return success();
  }

private:
  /// Adds to the kept values those that ops make of them: parts, and what has their shape.
  void findKept() {
    for (size_t before = 0; before != kept.size();) {
      before = kept.size();
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
          for (auto [start, argument] : llvm::zip(loop.getInits(), loop.getRegionIterArgs()))
            if (kept.contains(start))
              kept.insert(argument);
        if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults() > 0)
          for (auto [then, other, result] :
               llvm::zip(branch.thenYield()->getOperands(), branch.elseYield()->getOperands(), branch.getResults()))
            if (kept.contains(then) || kept.contains(other))
              kept.insert(result);
        for (OpOperand &operand : op->getOpOperands())
          for (OpResult result : op->getResults())
            if (kept.contains(operand.get()) && isMadeOf(result, operand))
              kept.insert(result);
      });
    }
  }

  /// Whether the result of an op on a kept value is one, too: a part of it, it with other elements, or as large. What
  /// is gathered of it is not.
  static bool isMadeOf(OpResult result, OpOperand &operand) {
    Operation *op = operand.getOwner();
    if (isView(op))
      return true;
    if (auto updates = dyn_cast<DestinationStyleOpInterface>(op);
        updates && updates.isDpsInit(&operand) && updates.getTiedOpResult(&operand) == result)
      return true;
    return isa<linalg::LinalgOp, LoopLikeOpInterface, arith::SelectOp>(op) && isOfShape(result, operand.get());
  }

  static bool isOfShape(Value value, Value other) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getShape() == cast<RankedTensorType>(other.getType()).getShape();
  }

  /// Whether the op, or one in it, works on a kept value.
  bool touchesKept(Operation *op) {
    if (kept.empty())
      return false;
    return op
        ->walk([&](Operation *inner) {
          return llvm::any_of(inner->getOperands(), [&](Value operand) { return kept.contains(operand); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether a use is that of a kernel, or of a loop that becomes one, or reads no element.
  bool isOfKernel(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::DimOp>(user))
      return true;
    if (touchesKept(user))
      return false;
    if (isView(user) || isa<tensor::InsertSliceOp>(user))
      return isForKernels(user->getResult(0));
    if (auto kernel = dyn_cast<kern::KernelOpInterface>(user); kernel && isForHost(kernel, use))
      return false;
    for (Operation *op = user; op && !isa<func::FuncOp>(op); op = op->getParentOp()) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (isa<linalg::LinalgOp, kern::KernelOpInterface>(op) || (loop && isElementLoop(loop)))
        return true;
    }
    return false;
  }

  /// Whether kernels alone touch the value's elements.
  bool isForKernels(Value value) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isOfKernel(use); });
  }

  bool isForHost(kern::KernelOpInterface kernel, OpOperand &operand) {
    return !hasCounts && kernel.isHostOperand(operand);
  }

  /// Whether the result is the operand or a part of it, with other sizes.
  static bool isView(Operation *op) {
    return isa_and_present<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
  }

  /// Whether nothing was written yet to where `value` is.
  static bool holdsNothing(Value value) {
    Operation *op = value.getDefiningOp();
    while (isView(op))
      op = op->getOperand(0).getDefiningOp();
    return isa_and_present<tensor::EmptyOp>(op);
  }

  static void put(Value value, int64_t space) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      value.setType(typeIn(type, space));
  }

  /// `value`, or a copy of it, in `space`.
  Value in(Value value, int64_t space) {
    if (!isTensor(value) || spaceOf(value) == space)
      return value;
    Value &copy = copies[{value, space}];
    if (copy)
      return copy;
    OpBuilder b(function.getContext());
    b.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    auto type = typeIn(cast<RankedTensorType>(value.getType()), space);
    // What holds nothing yet is made there.
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
      return copy = tensor::EmptyOp::create(b, loc, type, empty.getDynamicSizes());
    if (Operation *view = value.getDefiningOp(); isView(view) && holdsNothing(view->getOperand(0))) {
      Value whole = in(view->getOperand(0), space);
      b.setInsertionPointAfterValue(value);
      Operation *part = b.clone(*view);
      part->setOperand(0, whole);
      part->getResult(0).setType(type);
      return copies[{value, space}] = part->getResult(0);
    }
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(tensor::DimOp::create(b, loc, value, d));
    return copy = transfer(b, value, tensor::EmptyOp::create(b, loc, type, sizes));
  }

  static Value transfer(OpBuilder &b, Value value, Value out) {
    return kern::TransferOp::create(b, value.getLoc(), out.getType(), value, out).getResult(0);
  }

  void need(OpOperand &operand, int64_t space) { operand.set(in(operand.get(), space)); }

  /// All of the op's tensors, those that its regions read included, are in `space`.
  void putAll(Operation *op, int64_t space, llvm::function_ref<bool(OpOperand &)> isHostOperand) {
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (isTensor(operand.get()) && !op->isAncestor(operand.get().getParentRegion()->getParentOp()))
          need(operand, inner == op && isHostOperand(operand) ? kHostSpace : space);
    });
    for (Value result : op->getResults())
      put(result, space);
  }
  void putAll(Operation *op, int64_t space) {
    putAll(op, space, [](OpOperand &) { return false; });
  }

  /// The results are parts of the operand, or it with other sizes.
  static void follow(Operation *op, OpOperand &operand) {
    for (Value result : op->getResults())
      put(result, spaceOf(operand.get()));
  }

  /// What a copy starts from and ends in may lie apart.
  void assignCopy(linalg::CopyOp copy) {
    OpOperand &from = copy.getInputsMutable()[0], &to = copy.getOutputsMutable()[0];
    if (to.get().getDefiningOp<tensor::EmptyOp>())
      need(to, spaceOf(from.get()));
    if (spaceOf(from.get()) == spaceOf(to.get()))
      return put(copy.getResult(0), spaceOf(to.get()));
    OpBuilder b(copy);
    copy.getResult(0).replaceAllUsesWith(transfer(b, from.get(), to.get()));
    copy.erase();
  }

  /// Has a value that a loop carries end in its place.
  static void carry(OpOperand &operand, Value in) {
    if (!isTensor(operand.get()) || spaceOf(operand.get()) == spaceOf(in))
      return;
    OpBuilder b(operand.getOwner());
    operand.set(transfer(b, operand.get(), in));
  }

  /// A carried value has the space that it starts in, or the host's if the host writes its elements.
  void assignCarried(MutableArrayRef<OpOperand> starts, Block::BlockArgListType carried) {
    for (auto [start, argument] : llvm::zip_equal(starts, carried)) {
      if (llvm::any_of(argument.getUsers(), [](Operation *user) { return isa<tensor::InsertOp>(user); }))
        need(start, kHostSpace);
      else if (start.get().getDefiningOp<tensor::EmptyOp>())
        need(start, place);
      put(argument, spaceOf(start.get()));
    }
  }

  /// A loop over single elements works where kernels do.
  void assignElementLoop(scf::ForOp loop) {
    const int64_t space = touchesKept(loop) ? kHostSpace : place;
    putAll(loop, space);
    loop.walk([&](Operation *inner) {
      for (Value result : inner->getResults())
        put(result, space);
      for (Region &region : inner->getRegions())
        for (Value argument : region.getArguments())
          put(argument, space);
    });
  }

  LogicalResult assignLoop(scf::ForOp loop) {
    if (isElementLoop(loop)) {
      assignElementLoop(loop);
      return success();
    }
    assignCarried(loop.getInitArgsMutable(), loop.getRegionIterArgs());
    for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
      put(result, spaceOf(argument));
    if (failed(assign(*loop.getBody())))
      return failure();
    for (auto [operand, argument] :
         llvm::zip_equal(loop.getBody()->getTerminator()->getOpOperands(), loop.getRegionIterArgs()))
      carry(operand, argument);
    return success();
  }

  LogicalResult assignWhile(scf::WhileOp loop) {
    assignCarried(loop.getInitsMutable(), loop.getBeforeArguments());
    if (failed(assign(*loop.getBeforeBody())))
      return failure();
    for (auto [value, argument, result] :
         llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults())) {
      put(argument, spaceOf(value));
      put(result, spaceOf(value));
    }
    if (failed(assign(*loop.getAfterBody())))
      return failure();
    for (auto [i, operand] : llvm::enumerate(loop.getYieldOp()->getOpOperands())) {
      Value place = i < loop.getAfterArguments().size() ? loop.getAfterArguments()[i] : Value();
      Value start = loop.getBeforeArguments()[i];
      if (isTensor(start) && spaceOf(operand.get()) != spaceOf(start) && (!place || place.getType() != start.getType()))
        return loop.emitOpError("carries value ")
               << i << " in another memory space than it starts in, with no place for it";
      if (place)
        carry(operand, place);
    }
    return success();
  }

  LogicalResult assignBranch(scf::IfOp branch) {
    for (Region *region : branch.getRegions())
      if (!region->empty() && failed(assign(region->front())))
        return failure();
    for (auto [i, result] : llvm::enumerate(branch.getResults())) {
      if (!isTensor(result))
        continue;
      OpOperand &then = branch.thenYield()->getOpOperand(i), &other = branch.elseYield()->getOpOperand(i);
      int64_t space = spaceOf(then.get()) == spaceOf(other.get()) ? spaceOf(then.get()) : place;
      if (kept.contains(result))
        space = kHostSpace;
      need(then, space);
      need(other, space);
      put(result, space);
    }
    return success();
  }

  LogicalResult assign(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(assign(&op)))
        return failure();
    return success();
  }

  /// Where a kernel works.
  int64_t kernelSpace(Operation *op) { return touchesKept(op) ? kHostSpace : place; }

  LogicalResult assign(Operation *op) {
    auto done = [](auto) { return success(); };
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        // What is in the artifact is in the host's memory; what is empty gets its space from who fills it.
        .Case<tensor::EmptyOp, tensor::DimOp, arith::ConstantOp>(done)
        .Case<scf::YieldOp, scf::ConditionOp, func::ReturnOp>(done)
        .Case([&](scf::ForOp loop) { return assignLoop(loop); })
        .Case([&](scf::WhileOp loop) { return assignWhile(loop); })
        .Case([&](scf::IfOp branch) { return assignBranch(branch); })
        .Case<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>([](auto view) {
          follow(view, view->getOpOperand(0));
          return success();
        })
        .Case([&](linalg::CopyOp copy) {
          assignCopy(copy);
          return success();
        })
        .Case<linalg::LinalgOp>([&](linalg::LinalgOp kernel) {
          putAll(kernel, kernelSpace(kernel));
          return success();
        })
        .Case<kern::KernelOpInterface>([&](kern::KernelOpInterface kernel) {
          putAll(kernel, kernelSpace(kernel), [&](OpOperand &operand) { return isForHost(kernel, operand); });
          return success();
        })
        // A copy, by kernels or within the host's memory.
        .Case([&](tensor::InsertSliceOp insert) {
          if (insert.getDest().getDefiningOp<tensor::EmptyOp>())
            need(insert.getDestMutable(), kernelSpace(insert));
          putAll(insert, spaceOf(insert.getDest()));
          return success();
        })
        .Case([&](arith::SelectOp select) {
          bool isOne = spaceOf(select.getTrueValue()) == spaceOf(select.getFalseValue());
          putAll(select, isOne ? spaceOf(select.getTrueValue()) : kernelSpace(select));
          return success();
        })
        .Case<tensor::ExtractOp, tensor::InsertOp, tensor::FromElementsOp, kern::ServiceOpInterface,
              kern::ExternalCallOp, kern::PublishOp>([&](Operation *onHost) {
          putAll(onHost, kHostSpace);
          return success();
        })
        .Default([](Operation *other) -> LogicalResult {
          auto works = [](ValueRange values) { return llvm::any_of(values, isTensor); };
          if (works(other->getOperands()) || works(other->getResults()) || other->getNumRegions() > 0)
            return other->emitOpError("works on tensors in memory spaces that nothing tells");
          return success();
        });
  }

  func::FuncOp function;
  int64_t place;
  bool hasCounts;
  llvm::DenseSet<Value> kept; ///< state that lies in the host's memory, and what is made of it
  llvm::DenseMap<std::pair<Value, int64_t>, Value> copies;
};

struct AssignSpaces : public mlc::impl::AssignSpacesBase<AssignSpaces> {
  using AssignSpacesBase::AssignSpacesBase;

  void runOnOperation() override {
    func::FuncOp segment = getOperation();
    if (segment.isDeclaration() || !segment->hasAttr(df::DfDialect::kRoleAttr))
      return;
    SmallVector<df::BindingKind> onDevice;
    for (const std::string &name : device) {
      std::optional<df::BindingKind> kind = df::symbolizeBindingKind(name);
      if (!kind) {
        segment.emitError("no operand of a segment is a '") << name << "'; expected kinds of df.binding";
        return signalPassFailure();
      }
      onDevice.push_back(*kind);
    }
    auto isKept = [](DictionaryAttr attributes) { return attributes && attributes.contains(df::kOnHostAttr); };
    auto isFixed = [&](DictionaryAttr attributes) {
      auto bound = attributes ? attributes.getAs<df::BindingAttr>(df::FunctionOp::kBindingAttr) : df::BindingAttr();
      return bound && llvm::is_contained(onDevice, bound.getKind());
    };
    // What does nothing but make state of the host is no work for kernels.
    const bool isForHost =
        segment.getNumResults() > 0 && llvm::all_of(llvm::seq(segment.getNumResults()),
                                                    [&](unsigned r) { return isKept(segment.getResultAttrDict(r)); });
    const bool isOnHost = onDevice.empty() || isForHost || df::runsOnHost(segment);
    if (failed(SpaceAssignment(segment, isOnHost ? kHostSpace : kDeviceSpace, counts).run(isFixed, isKept)))
      signalPassFailure();
  }
};
} // namespace
