// codegen-bufferize: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfSharedCode.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace mlc {
#define GEN_PASS_DEF_BUFFERIZE
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;

namespace {
/// Where a value may be one that was there before, without a computation in between.
struct Origins {
  SmallVector<OpOperand *> arguments; ///< operands that are arguments of the body
  bool areOutside = false;            ///< values from outside of it, too
  llvm::SmallDenseSet<Value> seen;    ///< values of the body whose origins these are
};
} // namespace

static bool isArgumentOf(Value value, Block *body) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == body;
}

static void findOrigins(OpOperand &operand, Block *body, Origins &origins) {
  Operation *maker = operand.get().getDefiningOp();
  if (isArgumentOf(operand.get(), body)) {
    origins.arguments.push_back(&operand);
  } else if (!origins.seen.insert(operand.get()).second) {
    return;
  } else if (!maker || !body->findAncestorOpInBlock(*maker)) {
    origins.areOutside = true;
  } else if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(maker)) {
    findOrigins(maker->getOpOperand(0), body, origins);
  } else if (isa<arith::SelectOp>(maker)) {
    for (OpOperand &either : maker->getOpOperands().drop_front())
      findOrigins(either, body, origins);
  } else if (auto branch = dyn_cast<scf::IfOp>(maker)) {
    const unsigned number = cast<OpResult>(operand.get()).getResultNumber();
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      findOrigins(yield->getOpOperand(number), body, origins);
  }
}

static Value copyOf(OpBuilder &b, Value value) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value empty =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, value), type.getElementType(), type.getEncoding());
  return linalg::CopyOp::create(b, loc, value, empty).getResult(0);
}

/// At its end the body of a loop copies carried values to their places, when everything has read the old ones: in a
/// loop each must end in its own place. Two things keep upstream's analysis from writing there. Folding may have made
/// an old value of what was computed: it is copied before any place changes. And what is either an old value or one
/// from outside of the loop is, to the analysis, read in later iterations, too: there the old value is copied.
static void keepPlacesApart(scf::YieldOp yield) {
  if (!isa<scf::ForOp, scf::WhileOp>(yield->getParentOp()))
    return;
  Block *body = yield->getBlock();
  SmallVector<linalg::CopyOp> copies;
  for (Value value : yield.getResults())
    if (auto copy = value.getDefiningOp<linalg::CopyOp>();
        copy && copy->getBlock() == body && isArgumentOf(copy.getOutputs().front(), body))
      copies.push_back(copy);
  llvm::sort(copies, [](linalg::CopyOp a, linalg::CopyOp b) { return a->isBeforeInBlock(b); });
  llvm::SmallDenseSet<Value> changed;
  llvm::SmallDenseMap<Value, Value> old;
  for (linalg::CopyOp copy : copies) {
    Value source = copy.getInputs().front();
    auto between = source.getDefiningOp<linalg::CopyOp>();
    Origins origins;
    findOrigins(between ? between.getInputsMutable()[0] : copy.getInputsMutable()[0], body, origins);
    if (origins.areOutside) {
      OpBuilder b = OpBuilder::atBlockBegin(body);
      for (OpOperand *operand : origins.arguments) {
        Value &saved = old[operand->get()];
        if (!saved)
          saved = copyOf(b, operand->get());
        operand->set(saved);
      }
    } else if (!between && llvm::any_of(origins.arguments, [&](OpOperand *o) { return changed.contains(o->get()); })) {
      OpBuilder b(copies.front());
      if (Operation *maker = source.getDefiningOp(); maker && !maker->isBeforeInBlock(copies.front()))
        b.setInsertionPointAfter(maker);
      copy.getInputsMutable().assign(copyOf(b, source));
    }
    changed.insert(copy.getOutputs().front());
  }
}

/// Uses from which on a value is read through its buffer.
static constexpr int64_t kManyUses = 32;

/// Whether a value has a buffer that nothing else holds, or one that is given.
static bool hasOwnBuffer(OpResult value) {
  if (value.getDefiningOp<bufferization::ToTensorOp>())
    return true;
  auto maker = value.getDefiningOp<DestinationStyleOpInterface>();
  OpOperand *init = maker ? maker.getTiedOpOperand(value) : nullptr;
  return init && init->get().getDefiningOp<tensor::EmptyOp>() && init->get().hasOneUse();
}

/// Has each reader of a value that many ops read take its own view of the value's buffer. Upstream's analysis asks, for
/// each use of a value, about all of its uses, which takes the square of them: a scale that thousands of updates share
/// costs seconds. What is only read, and whose buffer no other value shares, needs no answer of the analysis.
static void readThroughBuffer(OpResult value, const bufferization::BufferizationOptions &options) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bufferization::AnalysisState analysis(options);
  auto onlyReads = [&](OpOperand &use) {
    return isa<bufferization::BufferizableOpInterface>(use.getOwner()) && !analysis.bufferizesToMemoryWrite(use) &&
           analysis.getAliasingValues(use).getNumAliases() == 0;
  };
  if (!type || !value.hasNUsesOrMore(kManyUses) || !hasOwnBuffer(value) || !llvm::all_of(value.getUses(), onlyReads))
    return;
  SmallVector<OpOperand *> uses = llvm::to_vector(llvm::make_pointer_range(value.getUses()));
  OpBuilder b(value.getContext());
  Value shared;
  if (auto given = value.getDefiningOp<bufferization::ToTensorOp>()) {
    shared = given.getBuffer();
  } else {
    b.setInsertionPointAfterValue(value);
    auto buffer = MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
                                  options.defaultMemorySpaceFn(type).value_or(Attribute()));
    shared = bufferization::ToBufferOp::create(b, value.getLoc(), buffer, value, /*read_only=*/true);
  }
  for (OpOperand *use : uses) {
    b.setInsertionPoint(use->getOwner());
    use->set(bufferization::ToTensorOp::create(b, value.getLoc(), type, shared, /*restrict=*/true));
  }
}

/// What a remark says of a copy.
static std::string describe(memref::CopyOp copy) {
  std::string text;
  llvm::raw_string_ostream(text) << "a value is copied, because it is read again after it is changed or has to end in "
                                    "another buffer: "
                                 << cast<MemRefType>(copy.getTarget().getType());
  return text;
}

namespace {
struct Bufferize : public mlc::impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.copyBeforeWrite = false;
    // As codegen-assign-spaces says.
    options.defaultMemorySpaceFn = [](TensorType type) -> std::optional<Attribute> {
      auto ranked = dyn_cast<RankedTensorType>(type);
      return ranked ? ranked.getEncoding() : Attribute();
    };
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function->hasAttr(mlc::df::kCodeAttr))
        function.erase();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      function.walk(keepPlacesApart);
      function.walk([&](Operation *op) {
        for (OpResult value : op->getResults())
          readThroughBuffer(value, options);
      });
      bufferization::BufferizationState state;
      if (failed(bufferization::runOneShotBufferize(function, options, state)))
        return signalPassFailure();
      function.walk([&](memref::CopyOp copy) {
        remark::missed(copy.getLoc(), remark::RemarkOpts::name("copy").category("in_place"))
            << remark::detail::LazyTextBuild{"Remark", [=] { return describe(copy); }};
      });
    }
  }
};
} // namespace
