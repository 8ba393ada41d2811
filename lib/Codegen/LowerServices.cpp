// codegen-lower-services: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Frame.h"
#include "dialects/Kern/IR/Kern.h"
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

  /// A null-terminated text in the artifact.
  Value textAddress(OpBuilder &b, Location loc, StringRef text) {
    auto [it, isNew] = texts.try_emplace(text);
    if (isNew) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(getOperation().getBody());
      std::string bytes = text.str() + '\0';
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
      it->second = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Private,
                                          ("text_" + Twine(texts.size())).str(), b.getStringAttr(bytes));
    }
    return LLVM::AddressOfOp::create(b, loc, it->second);
  }

  static Value numElements(OpBuilder &b, Location loc, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    Value count = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      count = arith::MulIOp::create(b, loc, count, memref::DimOp::create(b, loc, memref, d));
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
  }

  LogicalResult lower(kern::ServiceOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    Value frame = function.getArgument(0);
    Location loc = op.getLoc();
    OpBuilder b(op);
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    int64_t offset = FrameLayout::serviceOffset(op.getName());
    if (offset < 0)
      return op.emitOpError("calls a service that the ABI does not have");
    SmallVector<Value> buffers(op.getIns());
    llvm::append_range(buffers, op.getOuts());
    auto nextBuffer = buffers.begin();
    ArrayRef<int64_t> constants = op.getConstants();
    auto texts = op.getTexts().getAsValueRange<StringAttr>();
    auto nextText = texts.begin();
    SmallVector<Value> arguments = {loadField(b, loc, frame, FrameLayout::env, ptr)};
    for (char letter : op.getSignature()) {
      switch (letter) {
      case 'b':
      case 'u':
        arguments.push_back(pointerOf(b, loc, *nextBuffer++));
        break;
      case 'n':
        arguments.push_back(numElements(b, loc, op.getOuts().empty() ? op.getIns()[0] : op.getOuts()[0]));
        break;
      case 'm':
        arguments.push_back(numElements(b, loc, op.getIns()[0]));
        break;
      case 'e':
        arguments.push_back(numElements(b, loc, *std::prev(nextBuffer)));
        break;
      case 'i':
        arguments.push_back(LLVM::ConstantOp::create(b, loc, b.getI32Type(), static_cast<int32_t>(constants.front())));
        constants = constants.drop_front();
        break;
      case 'l':
        arguments.push_back(LLVM::ConstantOp::create(b, loc, b.getI64Type(), constants.front()));
        constants = constants.drop_front();
        break;
      case 's':
        arguments.push_back(textAddress(b, loc, *nextText++));
        break;
      case 'z':
        arguments.push_back(LLVM::ZeroOp::create(b, loc, ptr));
        break;
      case 'v':
        arguments.push_back(LLVM::LoadOp::create(b, loc, b.getI64Type(), pointerOf(b, loc, *nextBuffer++)));
        break;
      default:
        return op.emitOpError("has a signature with the unknown letter '") << letter << "'";
      }
    }
    SmallVector<Type> types;
    for (Value argument : arguments)
      types.push_back(argument.getType());
    Value services = loadField(b, loc, frame, FrameLayout::services, ptr);
    SmallVector<Value> callee = {loadField(b, loc, services, offset, ptr)};
    llvm::append_range(callee, arguments);
    auto call = LLVM::CallOp::create(b, loc, LLVM::LLVMFunctionType::get(b.getI32Type(), types), callee);
    endOnFailure(call);
    op.erase();
    return success();
  }

  /// Splits the block behind a call: the rest goes on if its code is 0, else the segment returns the code.
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

  void runOnOperation() override {
    SmallVector<kern::ServiceOp> services;
    SmallVector<Operation *> calls;
    getOperation()->walk([&](Operation *op) {
      if (auto service = dyn_cast<kern::ServiceOp>(op))
        services.push_back(service);
      else if (op->removeDiscardableAttr(kServiceCallAttr))
        calls.push_back(op);
    });
    for (kern::ServiceOp op : services)
      if (failed(lower(op)))
        return signalPassFailure();
    for (Operation *call : calls)
      endOnFailure(call);
  }
};
} // namespace
