// codegen-lower-services: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExternalCalls.h"
#include "Frame.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernInterfaces.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlc {
#define GEN_PASS_DEF_LOWERSERVICES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
struct LowerServices : public mlc::impl::LowerServicesBase<LowerServices> {
  llvm::StringMap<LLVM::GlobalOp> texts;
  llvm::DenseSet<Operation *> mayFail; ///< calls whose code ends the segment if it is not 0

  /// A null-terminated text in the artifact.
  Value textAddress(OpBuilder &b, Location loc, StringRef text) {
    auto [it, isNew] = texts.try_emplace(text);
    if (isNew)
      it->second = makeConstantText(getOperation(), loc, ("text_" + Twine(texts.size())).str(), text);
    return LLVM::AddressOfOp::create(b, loc, it->second);
  }

  static Value numElements(OpBuilder &b, Location loc, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    Value count = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      count = arith::MulIOp::create(b, loc, count, memref::DimOp::create(b, loc, memref, d));
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
  }

  /// Sets data and dims of a buffer of the frame.
  void publish(kern::PublishOp op) {
    Value frame = op->getParentOfType<func::FuncOp>().getArgument(0);
    Location loc = op.getLoc();
    OpBuilder b(op);
    Value memref = op.getValue();
    Value buffers = loadField(b, loc, frame, FrameLayout::buffers, LLVM::LLVMPointerType::get(&getContext()));
    int64_t base = static_cast<int64_t>(op.getNumber()) * FrameLayout::bufferSize;
    storeField(b, loc, pointerOf(b, loc, memref), buffers, base + FrameLayout::bufferData);
    Value dims = loadField(b, loc, buffers, base + FrameLayout::bufferDims, LLVM::LLVMPointerType::get(&getContext()));
    // Static ones the runtime has written: the two words of a string, which are no dimension to it, are among them.
    auto type = cast<MemRefType>(memref.getType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Value size = arith::IndexCastOp::create(b, loc, b.getI64Type(), memref::DimOp::create(b, loc, memref, d));
      storeField(b, loc, size, dims, 8 * d);
    }
    op.erase();
  }

  /// An allocation that no workspace was planned for: memory of the arena.
  void allocate(memref::AllocOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    Value frame = function.getArgument(0);
    Location loc = op.getLoc();
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    auto i64 = IntegerType::get(&getContext(), 64);
    OpBuilder b(&function.getBody().front(), function.getBody().front().begin());
    Value cell = LLVM::AllocaOp::create(b, loc, ptr, ptr, LLVM::ConstantOp::create(b, loc, i64, int64_t(1)), 8);
    b.setInsertionPoint(op);
    SmallVector<Value> sizes;
    for (Value size : op.getDynamicSizes())
      sizes.push_back(arith::IndexCastOp::create(b, loc, i64, size));
    Value bytes = bytesOf(b, loc, op.getType(), sizes);
    Value services = loadField(b, loc, frame, FrameLayout::services, ptr);
    SmallVector<Value> arguments = {loadField(b, loc, services, FrameLayout::serviceOffset("allocate"), ptr),
                                    loadField(b, loc, frame, FrameLayout::env, ptr), bytes, cell};
    auto call = LLVM::CallOp::create(b, loc, LLVM::LLVMFunctionType::get(b.getI32Type(), {ptr, i64, ptr}), arguments);
    Value memory = LLVM::LoadOp::create(b, loc, ptr, cell);
    op.replaceAllUsesWith(memrefFromPointer(b, loc, memory, op.getType(), sizes));
    op.erase();
    mayFail.insert(call);
  }

  /// What the call hands over for `argument`.
  Value valueOf(OpBuilder &b, Location loc, const kern::ServiceArgument &argument) {
    using Kind = kern::ServiceArgument::Kind;
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    switch (argument.kind) {
    case Kind::Pointer:
      return argument.value ? pointerOf(b, loc, argument.value) : Value(LLVM::ZeroOp::create(b, loc, ptr));
    case Kind::Size:
      return numElements(b, loc, argument.value);
    case Kind::Number:
      return LLVM::LoadOp::create(b, loc, b.getI64Type(), pointerOf(b, loc, argument.value));
    case Kind::Constant:
      return LLVM::ConstantOp::create(b, loc, cast<IntegerAttr>(argument.attribute).getType(), argument.attribute);
    case Kind::Text:
      if (!argument.attribute)
        return LLVM::ZeroOp::create(b, loc, ptr);
      return textAddress(b, loc, cast<StringAttr>(argument.attribute));
    }
    llvm_unreachable("a kind of argument");
  }

  /// Calls the service of the op; `number`, if there is one, takes the place of its argument.
  LLVM::CallOp call(OpBuilder &b, kern::ServiceOpInterface op, Value number = {}) {
    auto function = op->getParentOfType<func::FuncOp>();
    Value frame = function.getArgument(0);
    Location loc = op.getLoc();
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    SmallVector<Value> arguments = {loadField(b, loc, frame, FrameLayout::env, ptr)};
    for (const kern::ServiceArgument &argument : op.getServiceArguments())
      arguments.push_back(number ? number : valueOf(b, loc, argument));
    SmallVector<Type> types;
    for (Value argument : arguments)
      types.push_back(argument.getType());
    Value services = loadField(b, loc, frame, FrameLayout::services, ptr);
    // The op and the table of the frame are made of one list.
    SmallVector<Value> callee = {loadField(b, loc, services, FrameLayout::serviceOffset(op.getServiceName()), ptr)};
    llvm::append_range(callee, arguments);
    return LLVM::CallOp::create(b, loc, LLVM::LLVMFunctionType::get(b.getI32Type(), types), callee);
  }

  void lower(kern::ServiceOpInterface op) {
    OpBuilder b(op);
    mayFail.insert(call(b, op));
    op->erase();
  }

  /// Whether both call one service, and differ in the one number that they hand over.
  static bool isAlike(kern::ServiceOpInterface a, kern::ServiceOpInterface b) {
    auto isNumber = [](kern::ServiceOpInterface op) {
      auto arguments = op.getServiceArguments();
      return arguments.size() == 1 && arguments.front().kind == kern::ServiceArgument::Kind::Constant &&
             cast<IntegerAttr>(arguments.front().attribute).getType().isInteger(64);
    };
    return a->getName() == b->getName() && isNumber(a) && isNumber(b);
  }

  /// Calls one after another that hand over a number each, as one loop over a table of the numbers.
  void lowerLoop(ArrayRef<kern::ServiceOpInterface> calls) {
    kern::ServiceOpInterface first = calls.front();
    Location loc = first.getLoc();
    Type i64 = IntegerType::get(&getContext(), 64), ptr = LLVM::LLVMPointerType::get(&getContext());
    SmallVector<int64_t> numbers;
    for (kern::ServiceOpInterface call : calls)
      numbers.push_back(cast<IntegerAttr>(call.getServiceArguments().front().attribute).getInt());
    OpBuilder b(first);
    Value table = LLVM::AddressOfOp::create(b, loc, makeConstantTable(getOperation(), loc, numbers));
    auto constant = [&](int64_t v) -> Value { return LLVM::ConstantOp::create(b, loc, i64, v); };
    Value zero = constant(0);
    Block *before = first->getBlock();
    Block *loop = before->splitBlock(first);
    Value index = loop->addArgument(i64, loc);
    b.setInsertionPointToEnd(before);
    cf::BranchOp::create(b, loc, loop, zero);
    b.setInsertionPointToStart(loop);
    Value number =
        LLVM::LoadOp::create(b, loc, i64, LLVM::GEPOp::create(b, loc, ptr, i64, table, ArrayRef<LLVM::GEPArg>{index}));
    Operation *call = this->call(b, first, number);
    Value next = LLVM::AddOp::create(b, loc, index, constant(1));
    Value goesOn =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, next, constant(static_cast<int64_t>(numbers.size())));
    Block *rest = loop->splitBlock(b.getInsertionPoint());
    b.setInsertionPointToEnd(loop);
    cf::CondBranchOp::create(b, loc, goesOn, loop, ValueRange(next), rest, ValueRange());
    mayFail.insert(call);
    for (kern::ServiceOpInterface op : calls)
      op->erase();
  }

  /// Splits the block after a call: the rest goes on if its code is 0, else the segment returns the code.
  static void endOnFailure(Operation *call) {
    auto function = call->getParentOfType<func::FuncOp>();
    Location loc = call->getLoc();
    OpBuilder b(call);
    b.setInsertionPointAfter(call);
    Value code = call->getResult(0);
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value failed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, code, zero);
    Block *block = call->getBlock();
    Block *rest = block->splitBlock(b.getInsertionPoint());
    Block *fail = b.createBlock(&function.getBody(), function.getBody().end());
    func::ReturnOp::create(b, loc, code);
    b.setInsertionPointToEnd(block);
    cf::CondBranchOp::create(b, loc, failed, fail, ValueRange(), rest, ValueRange());
  }

  /// Calls are of buffers.
  LogicalResult verifyBuffers() {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (isa_and_present<kern::KernDialect>(op->getDialect()))
        for (Type type : op->getOperandTypes())
          if (isa<TensorType>(type)) {
            op->emitOpError("has the operand type ") << type << "; expected buffers, as after codegen-bufferize";
            return WalkResult::interrupt();
          }
      return WalkResult::advance();
    });
    return success(!result.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(verifyBuffers()))
      return signalPassFailure();
    lowerExternalCalls(getOperation());
    SmallVector<kern::ServiceOpInterface> services;
    SmallVector<kern::PublishOp> published;
    SmallVector<memref::AllocOp> allocations;
    mayFail.clear();
    getOperation()->walk([&](Operation *op) {
      if (auto allocation = dyn_cast<memref::AllocOp>(op))
        allocations.push_back(allocation);
      else if (auto service = dyn_cast<kern::ServiceOpInterface>(op))
        services.push_back(service);
      else if (auto publish = dyn_cast<kern::PublishOp>(op))
        published.push_back(publish);
      else if (op->removeDiscardableAttr(kServiceCallAttr))
        mayFail.insert(op);
    });
    for (memref::AllocOp op : allocations)
      allocate(op);
    for (kern::PublishOp op : published)
      publish(op);
    constexpr size_t kFewest = 4;
    for (ArrayRef<kern::ServiceOpInterface> rest = services; !rest.empty();) {
      size_t count = 1;
      while (count < rest.size() && rest[count]->getPrevNode() == rest[count - 1] &&
             isAlike(rest[count - 1], rest[count]))
        ++count;
      if (count >= kFewest)
        lowerLoop(rest.take_front(count));
      else
        llvm::for_each(rest.take_front(count), [&](kern::ServiceOpInterface op) { lower(op); });
      rest = rest.drop_front(count);
    }
    // The last one first: what moves to a block of its own is then what stands up to the next one.
    SmallVector<Operation *> calls;
    getOperation()->walk([&](Operation *op) {
      if (mayFail.contains(op))
        calls.push_back(op);
    });
    for (Operation *call : llvm::reverse(calls))
      endOnFailure(call);
  }
};
} // namespace
