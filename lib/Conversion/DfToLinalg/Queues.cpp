// Queue ops to services.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Patterns.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Kern/IR/KernServiceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;

/// The number of a queue in the artifact: queues are numbered as they stand in the module.
static int32_t numberOf(Operation *op, FlatSymbolRefAttr symbol) {
  int32_t number = 0;
  for (auto queue : op->getParentOfType<ModuleOp>().getOps<df::QueueOp>()) {
    if (queue.getSymNameAttr() == symbol.getAttr())
      break;
    ++number;
  }
  return number;
}

/// A scalar or dims that a service writes.
static Value emptyNumbers(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(b, loc, shape, element);
}

/// The dims of a tensor that was of `type`: without the pairs that cells of strings have become.
static Value dimsOf(OpBuilder &b, Location loc, Type type, Value tensor) {
  SmallVector<Value> sizes;
  for (int64_t d = 0, rank = cast<RankedTensorType>(type).getRank(); d < rank; ++d)
    sizes.push_back(arith::IndexCastOp::create(b, loc, b.getI64Type(), tensor::DimOp::create(b, loc, tensor, d)));
  return sizes.empty() ? emptyNumbers(b, loc, {0}, b.getI64Type())
                       : Value(tensor::FromElementsOp::create(b, loc, sizes));
}

/// A tensor of `type` that service `Take` copies out; `AskDims` tells its dims. `which` says to both what it is.
template <typename AskDims, typename Take, typename Which>
static Value takeTensor(OpBuilder &b, Location loc, const TypeConverter &types, RankedTensorType type, Which which) {
  SmallVector<Value> sizes;
  if (!type.hasStaticShape()) {
    Value dims = AskDims::create(b, loc, which, emptyNumbers(b, loc, {type.getRank()}, b.getI64Type())).getResult(0);
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(arith::IndexCastOp::create(
            b, loc, b.getIndexType(),
            tensor::ExtractOp::create(b, loc, dims, ValueRange(arith::ConstantIndexOp::create(b, loc, d)))));
  }
  Value empty = tensor::EmptyOp::create(b, loc, types.convertType(type), sizes);
  return Take::create(b, loc, which, empty).getResult(0);
}

namespace {

/// df.enqueue and df.enqueue_many.
template <typename Op> struct EnqueuePattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    const int32_t queue = numberOf(op, op.getQueueAttr()), many = std::is_same_v<Op, df::EnqueueManyOp>;
    for (auto [i, component] : llvm::enumerate(adaptor.getComponents())) {
      Value dims = dimsOf(b, loc, op.getComponents()[i].getType(), component);
      kern::QueueStageOp::create(b, loc, queue, static_cast<int32_t>(i), many, dims, component);
    }
    kern::QueueEnqueueOp::create(b, loc, queue, many, nameAndPlace(op));
    b.eraseOp(op);
    return success();
  }
};

/// df.dequeue, df.dequeue_many and df.dequeue_up_to.
template <typename Op> struct DequeuePattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    int64_t count = 0;
    if constexpr (!std::is_same_v<Op, df::DequeueOp>)
      count = static_cast<int64_t>(op.getCount());
    kern::QueueDequeueOp::create(b, loc, numberOf(op, op.getQueueAttr()), count, std::is_same_v<Op, df::DequeueUpToOp>,
                                 nameAndPlace(op));
    SmallVector<Value> results;
    for (auto [i, result] : llvm::enumerate(op.getComponents())) {
      auto type = cast<RankedTensorType>(result.getType());
      results.push_back(takeTensor<kern::QueueTakenDimsOp, kern::QueueTakenOp>(b, loc, *this->getTypeConverter(), type,
                                                                               static_cast<int32_t>(i)));
    }
    b.replaceOp(op, results);
    return success();
  }
};

struct QueueClosePattern : public OpConversionPattern<df::QueueCloseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::QueueCloseOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    kern::QueueCloseOp::create(b, op.getLoc(), numberOf(op, op.getQueueAttr()), op.getCancelPending());
    b.eraseOp(op);
    return success();
  }
};

/// df.queue_size and df.queue_is_closed.
template <typename Op, typename Service> struct QueueStatePattern : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    Value out = emptyNumbers(b, op.getLoc(), {}, type.getElementType());
    b.replaceOpWithNewOp<Service>(op, numberOf(op, op.getQueueAttr()), out);
    return success();
  }
};

/// The names of the arguments or results of a segment that are bound as intermediates, which `bindingOf` tells.
static SmallVector<StringRef> intermediatesOf(unsigned count, llvm::function_ref<df::BindingAttr(unsigned)> bindingOf) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < count; ++i)
    if (df::BindingAttr binding = bindingOf(i); binding && binding.getKind() == df::BindingKind::Intermediate)
      names.push_back(binding.getName());
  return names;
}

/// What the segment takes is copied to its intermediates before, what it gives from them after.
struct CallPattern : public OpConversionPattern<df::CallOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(df::CallOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    // The callee may have become a function of another dialect already, which keeps the attributes.
    auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, op.getCalleeAttr());
    if (!callee)
      return op.emitOpError("names ") << op.getCalleeAttr() << ", which is not there";
    auto bindingOf = [](DictionaryAttr attributes) {
      return attributes ? attributes.getAs<df::BindingAttr>(df::FunctionOp::kBindingAttr) : df::BindingAttr();
    };
    SmallVector<StringRef> taken =
        intermediatesOf(callee.getNumArguments(), [&](unsigned i) { return bindingOf(callee.getArgAttrDict(i)); });
    SmallVector<StringRef> given =
        intermediatesOf(callee.getNumResults(), [&](unsigned i) { return bindingOf(callee.getResultAttrDict(i)); });
    for (auto [name, operand, value] : llvm::zip_equal(taken, op.getOperands(), adaptor.getOperands()))
      kern::IntermediateSetOp::create(b, loc, name, dimsOf(b, loc, operand.getType(), value), value);
    kern::CallSegmentOp::create(b, loc, op.getCallee());
    SmallVector<Value> results;
    for (auto [name, result] : llvm::zip_equal(given, op.getResults()))
      results.push_back(takeTensor<kern::IntermediateDimsOp, kern::IntermediateGetOp>(
          b, loc, *getTypeConverter(), cast<RankedTensorType>(result.getType()), name));
    b.replaceOp(op, results);
    return success();
  }
};

} // namespace

void mlc::populateQueuePatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<CallPattern, EnqueuePattern<df::EnqueueOp>, EnqueuePattern<df::EnqueueManyOp>,
               DequeuePattern<df::DequeueOp>, DequeuePattern<df::DequeueManyOp>, DequeuePattern<df::DequeueUpToOp>,
               QueueClosePattern, QueueStatePattern<df::QueueSizeOp, kern::QueueSizeOp>,
               QueueStatePattern<df::QueueIsClosedOp, kern::QueueIsClosedOp>>(types, patterns.getContext());
}
